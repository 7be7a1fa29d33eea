//! A picture as a vector, and what is done with it on the same thread.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_vision::{Worker, decode, manifest::Task, shelf::Model};

use crate::{
    Recogniser, RecognitionError,
    classify::gone,
    slots::{DECODE, INFERENCE, timed},
};

impl Recogniser {
    /// The model of that name, if its vectors are those of these weights; otherwise `made` tells the operator why not.
    pub(crate) fn embedder(&self, name: &str, sha256: &str, made: &str) -> Result<Arc<Model>, RecognitionError> {
        let model = self.model(name, Task::Classify)?;
        if model.manifest.embedding_sha256() != Some(sha256) {
            return Err(RecognitionError::Unusable { model: name.to_owned(), reason: made.to_owned() });
        }
        Ok(model)
    }

    /// Turns a picture into a vector, and gives what `then` makes of it, with the vector.
    pub(crate) async fn with_vector<T: Send + 'static>(
        &self,
        task: &'static str,
        model: Arc<Model>,
        image: Bytes,
        then: impl FnOnce(&[f32]) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<(T, Vec<f32>), RecognitionError> {
        let bounds = self.bounds;
        let look = move |worker: &mut Worker| {
            let name = &model.manifest.about.name;
            let (classifier, resizer) = worker.classifier(name).ok_or_else(|| gone(&model))?;
            let decoded = timed(DECODE, task, || decode(&image, bounds, Some(classifier.short_side())))?;
            let vector = timed(INFERENCE, task, || classifier.embed(resizer, &decoded.picture));
            let vector = vector.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            Ok((then(&vector)?, vector))
        };
        self.slots.run(task, look).await
    }
}
