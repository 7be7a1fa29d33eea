//! Similar image search in public collections. In a user's dataset: see `datasets::recognise`.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_store::Collection;
use kaisatsu_vision::nearest::Match;

use crate::{
    Kept, Recogniser, RecognitionError,
    keep::{Candidate, Facts, Looks},
    learning::{Asking, Moves, Weighed},
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
        let made = format!("collection '{}' was made with other weights; import it again", ask.collection);
        let (model, engine) = (self.embedder(model, engine, &made)?, engine.clone());
        let asking = Asking::new(application, TASK, &ask.collection, &engine);
        let (index, most, learning) = (Arc::clone(&shelved), ask.most, Arc::clone(&self.learning));
        let search = move |vector: &[f32]| {
            let failed = |error: kaisatsu_vision::nearest::Error| RecognitionError::Failed(error.to_string());
            if index.index.is_empty() {
                return Ok((Vec::new(), Vec::new(), Moves::default()));
            }
            let known = learning.memory.knows(TASK, &asking.space.model);
            let found = index.index.search(vector, if known { most.max(CONSIDERED) } else { most }).map_err(failed)?;
            let (ids, base) = unzip(&found);
            let cosines =
                |other: &[f32]| index.index.cosines(&ids, other).into_iter().map(Option::unwrap_or_default).collect();
            let (scores, moves) = timed(REMEMBER, TASK, || learning.move_images(&asking, vector, &base, cosines));
            Ok((found, scores, moves))
        };
        let ((found, scores, moves), vector) = self.with_vector(TASK, model, image.clone(), search).await?;
        let numbers: Vec<i64> = found.iter().filter_map(|found| i64::try_from(found.id).ok()).collect();
        // An image that was removed a moment ago may still be in the index: the database has the last word.
        let records = self.keeping.store.images(&numbers).await?;
        let likeness = |(found, score): (&Match, &f32)| {
            let record = records.iter().find(|record| record.number.unsigned_abs() == found.id)?;
            let subject = format!("{}/{}", ask.collection, record.image_id);
            let alike = Likeness {
                score: moves.score(&subject, *score),
                subject: subject.clone(),
                image_id: record.image_id.clone(),
                image_url: record.image_url.clone(),
                tag: record.tag.clone(),
            };
            Some(moves.weigh(alike, &subject, found.score.clamp(0.0, 1.0)))
        };
        let alike = nearest_first(found.iter().zip(&scores).filter_map(likeness).collect(), ask.most);
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

/// The ids of what was found, and how near each is.
pub(crate) fn unzip(found: &[Match]) -> (Vec<u64>, Vec<f32>) {
    found.iter().map(|found| (found.id, found.score.clamp(0.0, 1.0))).unzip()
}

/// The first so many, those of equal scores in the order in which they were found.
pub(crate) fn nearest_first(mut alike: Vec<Weighed<Likeness>>, most: usize) -> Vec<Weighed<Likeness>> {
    alike.sort_by(|a, b| b.candidate.score.total_cmp(&a.candidate.score));
    alike.truncate(most);
    alike
}
