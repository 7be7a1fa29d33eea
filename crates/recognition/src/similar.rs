//! Similar image search in public collections. In a user's dataset: see `datasets::recognise`.

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_store::Collection;

use crate::{
    Kept, Recogniser, RecognitionError,
    keep::{Candidate, Facts},
};

pub(crate) const TASK: &str = "similar";

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
        let Collection { model, model_sha256, .. } = &shelved.facts;
        let made = format!("collection '{}' was made with other weights; import it again", ask.collection);
        let model = self.embedder(model, model_sha256, &made)?;
        let (index, most) = (shelved.clone(), ask.most);
        let search = move |vector: &[f32]| {
            if index.index.is_empty() {
                return Ok(Vec::new());
            }
            index.index.search(vector, most).map_err(|error| RecognitionError::Failed(error.to_string()))
        };
        let (found, vector) = self.with_vector(TASK, model, image.clone(), search).await?;
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
            data_set: None,
            model: ask.collection,
            vector: Some(vector),
            picture: image,
        };
        Ok(self.keeping.keep(facts, alike).await?)
    }
}
