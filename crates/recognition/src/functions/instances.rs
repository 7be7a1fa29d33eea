//! Category recognition with a model of single things, such as sights: vectors and votes find, geometry verifies.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_vision::{
    Vocabulary, Worker, decode,
    instances::{self, InstanceScore, Instances, exif_position},
    registry::Model,
};

use super::classify::{Category, Classify, ClassifyRequest};
use crate::{
    RecognitionError, Saved,
    engine::{DECODE, FEEDBACK, INFERENCE, Workload, not_loaded, timed},
    learning::Adjustment,
    log::{Adjusted, Entry},
};

const FUNCTION: Function = Function::Classify;
const WORKLOAD: Workload = Workload::Function(FUNCTION);

/// Below this score the best thing is not there: the picture shows nothing known.
const LEAST_SCORE: f32 = 0.5;

impl Classify {
    /// Finds the things that an image shows, and saves them.
    pub(super) async fn find_instances(
        &self,
        application: &AppId,
        image: Bytes,
        request: ClassifyRequest,
        model: &Model,
        things: Arc<Instances>,
    ) -> Result<Saved<Category>, RecognitionError> {
        let (weights, source) = (model.weights.clone(), Source::Model(model.manifest.about.name.clone()));
        let query = self.learned.query_if_possible(&self.log, application, FUNCTION, &source, &weights).await?;
        let taken_at = request.taken_at.or_else(|| exif_position(&image).filter(|_| self.exif_position));
        let (bounds, input) = (self.engine.bounds(), image.clone());
        let searched = Arc::clone(&things);
        let work = move |worker: &mut Worker| {
            let missing = |name: &str| not_loaded(name);
            let side = worker.short_side(&searched.vectors_of).ok_or_else(|| missing(&searched.vectors_of))?;
            let side = side.max(instances::SHORT_SIDE);
            let decoded = timed(DECODE, WORKLOAD, || decode(&input, bounds, Some(side)))?;
            let failed = |error: kaisatsu_vision::RuntimeError| RecognitionError::Failed(error.to_string());
            timed(INFERENCE, WORKLOAD, || {
                let vector = worker.embed(&searched.vectors_of, &decoded.picture);
                let vector = vector.ok_or_else(|| missing(&searched.vectors_of))?.map_err(failed)?;
                let objects = worker.objects(&searched.features_of).ok_or_else(|| missing(&searched.features_of))?;
                let found = searched.recognise(objects, &decoded.picture, &vector, taken_at).map_err(failed)?;
                let adjustment = timed(FEEDBACK, WORKLOAD, || query.adjustment(&vector));
                Ok((found, vector, adjustment))
            })
        };
        let (found, vector, adjustment) = self.engine.run(FUNCTION, work).await?;
        let categories = rank(&found, &things, model.vocabulary.as_ref(), &adjustment, &request);
        let (application, descriptor) = (application.clone(), Some(vector));
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor, image: Some(image) };
        Ok(self.log.save_if_possible(entry, categories).await?)
    }
}

/// The best things after feedback; none when even the best is more likely not there.
fn rank(
    found: &[InstanceScore],
    things: &Instances,
    vocabulary: Option<&Vocabulary>,
    adjustment: &Adjustment,
    request: &ClassifyRequest,
) -> Vec<Adjusted<Category>> {
    let category = |found: &InstanceScore| {
        let (label, name) = vocabulary?.name(found.instance, &request.language)?;
        let score = adjustment.score(&label.id, found.score);
        let facts = things.facts(found.instance).cloned();
        let category = Category { id: label.id.clone(), name: name.to_owned(), score, facts };
        Some(adjustment.explain(category, &label.id, found.score))
    };
    let mut all: Vec<Adjusted<Category>> = found.iter().filter_map(category).collect();
    all.sort_by(|a, b| b.candidate.score.total_cmp(&a.candidate.score));
    if all.first().is_none_or(|best| best.candidate.score < LEAST_SCORE) {
        return Vec::new();
    }
    all.truncate(request.most);
    all
}
