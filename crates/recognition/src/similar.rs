//! Similar image search in public collections.

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_vision::{Worker, decode, manifest::Task};

use crate::{
    Kept, Recogniser, RecognitionError,
    classify::gone,
    keep::{Candidate, Facts},
    slots::{DECODE, INFERENCE, timed},
};

const TASK: &str = "similar";

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct SimilarAsk {
    /// The collection.
    pub collection: String,
    /// The most candidates.
    pub most: usize,
}

/// An image like the one that was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// What `subject` says of it: collection and image.
    subject: String,
    /// The operator's own id of the image.
    pub image_id: String,
    /// Where people find it.
    pub image_url: String,
    /// What it is tagged with.
    pub tag: String,
    /// The cosine of the two vectors, 0 to 1.
    pub score: f32,
}

impl Candidate for Likeness {
    fn subject(&self) -> &str {
        &self.subject
    }

    fn name(&self) -> &str {
        &self.tag
    }

    fn score(&self) -> f32 {
        self.score
    }
}

impl Recogniser {
    /// Finds the images of a collection that are most like a picture, and keeps what it found.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn similar(
        &self,
        application: &AppId,
        image: Bytes,
        ask: SimilarAsk,
    ) -> Result<Kept<Likeness>, RecognitionError> {
        let shelved = self.collections.get(&ask.collection);
        let shelved = shelved.ok_or_else(|| RecognitionError::NoSuchCollection(ask.collection.clone()))?;
        let model = self.model(&shelved.facts.model, Task::Classify)?;
        if model.manifest.embedding_sha256() != Some(shelved.facts.model_sha256.as_str()) {
            let reason = format!("collection '{}' was made with other weights; import it again", ask.collection);
            return Err(RecognitionError::Unusable { model: shelved.facts.model.clone(), reason });
        }
        let (bounds, looked_at, index, most) = (self.bounds, image.clone(), shelved.clone(), ask.most);
        let look = move |worker: &mut Worker| {
            let failed = |error: String| RecognitionError::Failed(error);
            let name = &model.manifest.about.name;
            let (classifier, resizer) = worker.classifier(name).ok_or_else(|| gone(&model))?;
            let decoded = timed(DECODE, TASK, || decode(&looked_at, bounds, Some(classifier.short_side())))?;
            let vector = timed(INFERENCE, TASK, || classifier.embed(resizer, &decoded.picture));
            let vector = vector.map_err(|error| failed(error.to_string()))?;
            if index.index.is_empty() {
                return Ok((Vec::new(), vector));
            }
            let found = index.index.search(&vector, most).map_err(|error| failed(error.to_string()))?;
            Ok((found, vector))
        };
        let (found, vector) = self.slots.run(TASK, look).await?;
        let numbers: Vec<i64> = found.iter().filter_map(|found| i64::try_from(found.id).ok()).collect();
        // An image that was removed a moment ago may still be in the index: the database has the last word.
        let records = self.keeping.store.images(&numbers).await?;
        let likeness = |found: &kaisatsu_vision::nearest::Match| {
            let record = records.iter().find(|record| record.number.unsigned_abs() == found.id)?;
            Some(Likeness {
                subject: format!("{}/{}", ask.collection, record.image_id),
                image_id: record.image_id.clone(),
                image_url: record.image_url.clone(),
                tag: record.tag.clone(),
                score: found.score.clamp(0.0, 1.0),
            })
        };
        let alike: Vec<Likeness> = found.iter().filter_map(likeness).collect();
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            model: ask.collection,
            vector: Some(vector),
            picture: image,
        };
        Ok(self.keeping.keep(facts, alike).await?)
    }
}
