//! Recognition with a user's dataset: which of its tags a picture is of, and which of its images are like it.
//!
//! Whether the dataset is there is asked of the database before the picture is looked at, and again by the transaction
//! that keeps the result: nothing is answered from a dataset that was deleted meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use cosine_index::Match;
use kaisatsu_model::{DataSetId, Phase};
use kaisatsu_vision::{ClassScore, best, registry::Model};

use super::shelf::Shelved;
use crate::{
    Kept, Likeness, Recogniser, RecognitionError, Tag, User, classify,
    keep::{Facts, Looks},
    similar,
    slots::{REMEMBER, timed},
};

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
        let asking = set.asking(user, classify::TASK);
        let (taught, learning) = (Arc::clone(&set), Arc::clone(&self.learning));
        let classify = move |vector: &[f32]| {
            let id = |class: usize| taught.tags.get(class).map(String::as_str);
            let move_head = |head| learning.move_head(&asking, taught.since().0, head, vector, id);
            let found = timed(REMEMBER, classify::TASK, || taught.head.as_ref().and_then(move_head));
            let Some((base, after, moves)) = found else { return Ok(Vec::new()) };
            let weigh = |scored: &ClassScore| {
                let name = id(scored.class)?.to_owned();
                let tag = Tag { id: name.clone(), name: name.clone(), score: scored.score };
                Some(moves.weigh(tag, &name, base.get(scored.class).copied()?))
            };
            Ok(best(&after, most, 0.0).iter().filter_map(weigh).collect())
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
        let asking = set.asking(user, similar::TASK);
        let (searched, learning) = (Arc::clone(&set), Arc::clone(&self.learning));
        let search = move |vector: &[f32]| {
            let Some(index) = &searched.index else { return Ok(Vec::new()) };
            let known = learning.model.has_feedback_for(&asking.application, similar::TASK, &asking.scope.model);
            let found = index.search(vector, if known { most.max(similar::CONSIDERED) } else { most });
            let found = found.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let ids: Vec<u64> = found.iter().map(|found| found.id).collect();
            let base: Vec<f32> = found.iter().map(similar::cosine).collect();
            let cosines =
                |other: &[f32]| index.cosines(&ids, other).into_iter().map(Option::unwrap_or_default).collect();
            let image_of =
                |id: u64| searched.images.get(usize::try_from(id).ok()?).map(|member| member.image_id.as_str());
            let place_of = |name: &str| {
                let (_, image) = name.split_once('/')?;
                ids.iter().position(|id| image_of(*id) == Some(image))
            };
            let (scores, moves) =
                timed(REMEMBER, similar::TASK, || learning.move_images(&asking, vector, &base, cosines, place_of));
            let likeness = |((found, base), score): ((&Match, &f32), &f32)| {
                let member = searched.images.get(usize::try_from(found.id).ok()?)?;
                let subject = format!("{}/{}", searched.id, member.image_id);
                let alike = Likeness {
                    score: moves.image_score(&subject, *base, *score),
                    subject: subject.clone(),
                    image_id: member.image_id.clone(),
                    image_url: member.url.clone().unwrap_or_default(),
                    tag: member.tag.clone(),
                };
                Some(moves.weigh(alike, &subject, *base))
            };
            let alike = found.iter().zip(&base).zip(&scores).filter_map(likeness).collect();
            Ok(similar::nearest_first(alike, most))
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
        looks: Looks { engine: set.engine.clone(), vector: Some(vector) },
        picture,
    }
}
