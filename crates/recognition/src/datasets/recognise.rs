//! Recognition with a user's dataset: which of its tags a picture is of, and which of its images are like it.
//!
//! Whether the dataset is there is asked of the database before the picture is looked at, and again by the transaction
//! that keeps the result: nothing is answered from a dataset that was deleted meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{DataSetId, Phase};
use kaisatsu_vision::shelf::Model;

use super::shelf::Shelved;
use crate::{Kept, Likeness, Recogniser, RecognitionError, Tag, User, classify, keep::Facts, similar};

impl Recogniser {
    /// Says which tags of a dataset a picture is of, and keeps that.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn classify_in(
        &self,
        user: &User,
        id: &DataSetId,
        image: Bytes,
        most: usize,
    ) -> Result<Kept<Tag>, RecognitionError> {
        let (set, model) = self.usable(user, id).await?;
        if set.head.is_none() {
            return Err(RecognitionError::OneTag);
        }
        let taught = Arc::clone(&set);
        let classify = move |vector: &[f32]| {
            let classes = taught.head.as_ref().map(|head| head.classify(vector, most)).unwrap_or_default();
            let tag = |scored: &kaisatsu_vision::Scored| {
                let name = taught.tags.get(scored.class)?.clone();
                Some(Tag { id: name.clone(), name, score: scored.score })
            };
            Ok(classes.iter().filter_map(tag).collect())
        };
        let (tags, vector) = self.with_vector(classify::TASK, model, image.clone(), classify).await?;
        Ok(self.keeping.keep(facts(user, &set, classify::TASK, vector, image), tags).await?)
    }

    /// Finds the images of a dataset that are most like a picture, and keeps what it found.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn similar_in(
        &self,
        user: &User,
        id: &DataSetId,
        image: Bytes,
        most: usize,
    ) -> Result<Kept<Likeness>, RecognitionError> {
        let (set, model) = self.usable(user, id).await?;
        let searched = Arc::clone(&set);
        let search = move |vector: &[f32]| {
            let Some(index) = &searched.index else { return Ok(Vec::new()) };
            let found = index.search(vector, most).map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let likeness = |found: &kaisatsu_vision::nearest::Match| {
                let exemplar = searched.images.get(usize::try_from(found.id).ok()?)?;
                Some(Likeness {
                    subject: format!("{}/{}", searched.id, exemplar.image_id),
                    image_id: exemplar.image_id.clone(),
                    image_url: exemplar.url.clone().unwrap_or_default(),
                    tag: exemplar.tag.clone(),
                    score: found.score.clamp(0.0, 1.0),
                })
            };
            Ok(found.iter().filter_map(likeness).collect())
        };
        let (alike, vector) = self.with_vector(similar::TASK, model, image.clone(), search).await?;
        Ok(self.keeping.keep(facts(user, &set, similar::TASK, vector, image), alike).await?)
    }

    /// A user's dataset that can be used, in memory, and the model it was made with.
    async fn usable(&self, user: &User, id: &DataSetId) -> Result<(Arc<Shelved>, Arc<Model>), RecognitionError> {
        let facts = self.facts(user, id).await?;
        match facts.phase() {
            Phase::Ready => {}
            Phase::Failed => return Err(RecognitionError::BuildFailed(facts.reason.unwrap_or_default())),
            phase => return Err(RecognitionError::NotBuilt(phase)),
        }
        let made = "the dataset was made with other weights; a replica that has them builds it again";
        let model = self.embedder(&facts.model, &facts.model_sha256, made)?;
        Ok((self.users.shelf.get(&self.keeping.store, &facts).await?, model))
    }
}

fn facts(user: &User, set: &Shelved, task: &'static str, vector: Vec<f32>, picture: Bytes) -> Facts {
    Facts {
        application: user.application.clone(),
        task,
        model: set.id.as_str().to_owned(),
        data_set: Some(set.id.clone()),
        vector: Some(vector),
        picture,
    }
}
