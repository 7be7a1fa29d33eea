//! Similar image search in public collections. In a user's dataset: see `datasets::recognise`.

use std::sync::Arc;

use bytes::Bytes;
use cosine_index::Match;
use kaisatsu_model::AppId;
use kaisatsu_store::{Collection, ImageRecord};

use crate::{
    Kept, Recogniser, RecognitionError,
    keep::{Candidate, Facts, Looks},
    learning::{Asking, Weighed},
    slots::{REMEMBER, timed},
};

pub(crate) const TASK: &str = "similar";

/// The images that are considered when feedback may change their order.
pub(crate) const CONSIDERED: usize = 128;

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
    pub(crate) subject: String,
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
        let Collection { model, model_sha256: engine, .. } = &shelved.facts;
        let made = format!(
            "collection '{}' was made with other weights; remove its images and import them again",
            ask.collection
        );
        let (model, engine) = (self.embedder(model, engine, &made)?, engine.clone());
        let asking = Asking::new(application, TASK, &ask.collection, &engine);
        let known = self.learning.model.has_feedback_for(application, TASK, &ask.collection);
        let (index, most) = (Arc::clone(&shelved), if known { ask.most.max(CONSIDERED) } else { ask.most });
        let search = move |vector: &[f32]| {
            if index.index.is_empty() {
                return Ok(Vec::new());
            }
            index.index.search(vector, most).map_err(|error| RecognitionError::Failed(error.to_string()))
        };
        let (found, vector) = self.with_vector(TASK, model, image.clone(), search).await?;
        let numbers: Vec<i64> = found.iter().filter_map(|found| i64::try_from(found.id).ok()).collect();
        // An image that was removed a moment ago may still be in the index: the database has the last word.
        let mut records = self.keeping.store.images(&numbers).await?;
        let place = |record: &ImageRecord| found.iter().position(|found| found.id == record.number.unsigned_abs());
        records.sort_by_key(place);
        let base: Vec<f32> = records.iter().filter_map(|record| found.get(place(record)?)).map(cosine).collect();
        let (learning, looked) = (Arc::clone(&self.learning), (vector.clone(), base.clone(), records.clone()));
        let remember = move || {
            let (vector, base, records) = looked;
            let ids: Vec<u64> = records.iter().map(|record| record.number.unsigned_abs()).collect();
            let cosines =
                |other: &[f32]| shelved.index.cosines(&ids, other).into_iter().map(Option::unwrap_or_default).collect();
            let place_of = |name: &str| {
                let (_, image) = name.split_once('/')?;
                records.iter().position(|record| record.image_id == image)
            };
            timed(REMEMBER, TASK, || learning.move_images(&asking, &vector, &base, cosines, place_of))
        };
        let asked = tokio::task::spawn_blocking(remember).await;
        let (scores, moves) = asked.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        let likeness = |((record, base), score): ((ImageRecord, f32), f32)| {
            let subject = format!("{}/{}", ask.collection, record.image_id);
            let alike = Likeness {
                score: moves.image_score(&subject, base, score),
                subject: subject.clone(),
                image_id: record.image_id,
                image_url: record.image_url,
                tag: record.tag,
            };
            moves.weigh(alike, &subject, base)
        };
        let alike = nearest_first(records.into_iter().zip(base).zip(scores).map(likeness).collect(), ask.most);
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            data_set: None,
            model: ask.collection,
            looks: Looks { engine, vector: Some(vector) },
            picture: image,
        };
        Ok(self.keeping.keep(facts, alike).await?)
    }
}

/// How near what was found is, as it is answered.
pub(crate) fn cosine(found: &Match) -> f32 {
    found.score.clamp(0.0, 1.0)
}

/// The first so many, those of equal scores in the order in which they were found.
pub(crate) fn nearest_first(mut alike: Vec<Weighed<Likeness>>, most: usize) -> Vec<Weighed<Likeness>> {
    alike.sort_by(|a, b| b.candidate.score.total_cmp(&a.candidate.score));
    alike.truncate(most);
    alike
}
