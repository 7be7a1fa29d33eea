//! A picture as a vector, and what is done with it on the same thread.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_vision::{Bounds, Worker, decode, manifest::Task, registry::Model};

use crate::{
    Recogniser, RecognitionError,
    classify::gone,
    error::OTHER_VECTORS,
    slots::{DECODE, INFERENCE, timed},
};

impl Recogniser {
    /// The model of that name, if its vectors are those of these weights; otherwise `made` tells the operator why not.
    pub(crate) fn embedder(&self, name: &str, sha256: &str, made: &str) -> Result<Arc<Model>, RecognitionError> {
        let model = self.model(name, Task::Classify)?;
        if model.manifest.embedding_sha256() != Some(sha256) {
            return Err(RecognitionError::Unusable {
                model: name.to_owned(),
                fault: OTHER_VECTORS,
                reason: made.to_owned(),
            });
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
        let name = model.manifest.about.name.clone();
        self.slots.run(task, looking(self.bounds, task, name, image, then)).await
    }
}

/// Work for a thread of the engine: decodes a picture, turns it into a vector, and does something with that.
pub(crate) fn looking<T>(
    bounds: Bounds,
    task: &'static str,
    model: String,
    image: Bytes,
    then: impl FnOnce(&[f32]) -> Result<T, RecognitionError>,
) -> impl FnOnce(&mut Worker) -> Result<(T, Vec<f32>), RecognitionError> {
    move |worker| {
        let (classifier, resizer) = worker.classifier(&model).ok_or_else(|| gone(&model))?;
        let decoded = timed(DECODE, task, || decode(&image, bounds, Some(classifier.short_side())))?;
        let vector = timed(INFERENCE, task, || classifier.embed(resizer, &decoded.picture));
        let vector = vector.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        Ok((then(&vector)?, vector))
    }
}
