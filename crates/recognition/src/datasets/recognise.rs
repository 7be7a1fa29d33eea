//! Recognition with a user's dataset: which of its tags an image belongs to, and which of its images are like it.
//!
//! The database is asked for the dataset before the image is decoded, and again by the transaction that saves the
//! result: nothing is answered from a dataset that was deleted meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use cosine_index::Match;
use kaisatsu_model::{DatasetId, Function, Phase, Source};
use kaisatsu_store::StoreError;
use kaisatsu_vision::{ClassScore, best, registry::Model};

use super::Datasets;
use crate::{
    Category, RecognitionError, Saved, SimilarImage, User,
    engine::{FEEDBACK, Sought, timed},
    functions::{CONSIDERED, nearest_first, similarity},
    indexes::CachedDataset,
    learning::FeedbackQuery,
    log::Entry,
};

impl Datasets {
    /// Finds the tags of a dataset that an image belongs to, and saves them.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn classify(
        &self,
        user: &User,
        id: &DatasetId,
        image: Bytes,
        most: usize,
    ) -> Result<Saved<Category>, RecognitionError> {
        const FUNCTION: Function = Function::Classify;
        let sought = Sought::Image(image);
        let (set, model) = self.usable_for(FUNCTION, user, id, &sought).await?;
        if set.probe.is_none() {
            return Err(sought.or_missing(&self.engine, FUNCTION, RecognitionError::OneTag).await);
        }
        let query = self.query(user, &set, FUNCTION, &set.weights).await?;
        let trained = Arc::clone(&set);
        let classify = move |vector: &[f32]| {
            let tag = |class: usize| trained.tags.get(class).map(String::as_str);
            let adjust = |probe| query.adjust_trained(trained.version(), probe, vector, tag);
            let adjusted = timed(FEEDBACK, FUNCTION.into(), || trained.probe.as_ref().and_then(adjust));
            let Some((base, after, adjustment)) = adjusted else { return Ok(Vec::new()) };
            let category = |scored: &ClassScore| {
                let name = tag(scored.class)?.to_owned();
                let category = Category { id: name.clone(), name: name.clone(), score: scored.score, facts: None };
                Some(adjustment.explain(category, &name, base.get(scored.class).copied()?))
            };
            Ok(best(&after, most, 0.0).iter().filter_map(category).collect())
        };
        let (categories, vector) = sought.embed(&self.engine, FUNCTION, &model, classify).await?;
        Ok(self.log.save(entry(user, &set, FUNCTION, set.weights.clone(), vector, sought), categories).await?)
    }

    /// Finds the images of a dataset that are most like an image or a text, and saves them.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn similar(
        &self,
        user: &User,
        id: &DatasetId,
        sought: Sought,
        most: usize,
        min_score: Option<f32>,
    ) -> Result<Saved<SimilarImage>, RecognitionError> {
        const FUNCTION: Function = Function::SimilarSearch;
        let (set, model) = self.usable_for(FUNCTION, user, id, &sought).await?;
        let weights = sought.weights(&model, &set.weights)?;
        let query = self.query(user, &set, FUNCTION, &weights).await?;
        let (searched, unlike_below) = (Arc::clone(&set), sought.unlike_below(set.unlike_below));
        let search = move |vector: &[f32]| {
            let Some(index) = &searched.index else { return Ok(Vec::new()) };
            let found = index.search(vector, if query.has_verdicts() { most.max(CONSIDERED) } else { most });
            let found = found.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let ids: Vec<u64> = found.iter().map(|found| found.id).collect();
            let base: Vec<f32> = found.iter().map(similarity).collect();
            let cosines =
                |other: &[f32]| index.cosines(&ids, other).into_iter().map(Option::unwrap_or_default).collect();
            let image_of = |id: u64| searched.images.get(usize::try_from(id).ok()?);
            let index_of = |subject: &str| {
                let (_, image) = subject.split_once('/')?;
                ids.iter().position(|id| image_of(*id).is_some_and(|other| other.image_id == image))
            };
            let (scores, adjustment) =
                timed(FEEDBACK, FUNCTION.into(), || query.adjust_images(vector, &base, cosines, index_of));
            let similar = |((found, base), score): ((&Match, &f32), &f32)| {
                let image = image_of(found.id)?;
                let subject = format!("{}/{}", searched.id, image.image_id);
                let similar = SimilarImage {
                    score: adjustment.image_score(&subject, *base, *score),
                    subject: subject.clone(),
                    image_id: image.image_id.clone(),
                    image_url: image.url.clone().unwrap_or_default(),
                    tag: image.tag.clone(),
                    thumbnail: None,
                };
                Some(adjustment.explain(similar, &subject, *base))
            };
            let similar = found.iter().zip(&base).zip(&scores).filter_map(similar).collect();
            Ok(nearest_first(similar, most, min_score, unlike_below))
        };
        let (similar, vector) = sought.embed(&self.engine, FUNCTION, &model, search).await?;
        Ok(self.log.save(entry(user, &set, FUNCTION, weights, vector, sought), similar).await?)
    }

    /// A dataset to search or to recognise an image with. If there is none, the error of the image comes first.
    async fn usable_for(
        &self,
        function: Function,
        user: &User,
        id: &DatasetId,
        sought: &Sought,
    ) -> Result<(Arc<CachedDataset>, Arc<Model>), RecognitionError> {
        match self.usable(user, id).await {
            Err(
                missing @ (RecognitionError::NoSuchDataset
                | RecognitionError::NotBuilt(_)
                | RecognitionError::BuildFailed(_)),
            ) => Err(sought.or_missing(&self.engine, function, missing).await),
            found => found,
        }
    }

    /// A user's dataset that can be used, in memory, and the model that it was made with.
    async fn usable(&self, user: &User, id: &DatasetId) -> Result<(Arc<CachedDataset>, Arc<Model>), RecognitionError> {
        let row = self.row(user, id).await?;
        match row.phase() {
            Phase::Ready => {}
            Phase::Failed => return Err(RecognitionError::BuildFailed(row.reason.unwrap_or_default())),
            phase @ (Phase::Queued | Phase::Building) => return Err(RecognitionError::NotBuilt(phase)),
        }
        let reason = "the dataset was made with other weights; a replica that has them builds it again";
        let model = self.models.embedder(&row.model, &row.model_sha256, reason)?;
        Ok((self.cache.get(&self.store, &row).await?, model))
    }

    async fn query(
        &self,
        user: &User,
        set: &CachedDataset,
        function: Function,
        weights: &str,
    ) -> Result<FeedbackQuery, StoreError> {
        self.learned.query(&user.application, function, &Source::Dataset(set.id.clone()), weights).await
    }
}

fn entry(
    user: &User,
    set: &CachedDataset,
    function: Function,
    weights: String,
    vector: Vec<f32>,
    sought: Sought,
) -> Entry {
    Entry {
        application: user.application.clone(),
        function,
        source: Source::Dataset(set.id.clone()),
        weights,
        descriptor: Some(vector),
        image: sought.into_image(),
    }
}
