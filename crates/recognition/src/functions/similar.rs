//! Similar image search in public collections. In a user's dataset: see `datasets::recognise`.

use std::{collections::HashMap, sync::Arc};

use cosine_index::Match;
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_store::{Collection, ImageRecord, Store};

use crate::{
    RecognitionError, Saved,
    context::Context,
    engine::{EngineQueue, FEEDBACK, Models, Sought, timed},
    indexes::{CollectionIndexes, Nearest},
    learning::LearnedFeedback,
    log::{Adjusted, Candidate, Entry, RecognitionLog},
};

const FUNCTION: Function = Function::SimilarSearch;

/// The images that are considered when feedback may change their order.
pub(crate) const CONSIDERED: usize = 128;

/// Similar image search.
pub struct SimilarSearch {
    store: Store,
    models: Models,
    engine: Arc<EngineQueue>,
    collections: Arc<CollectionIndexes>,
    learned: Arc<LearnedFeedback>,
    log: Arc<RecognitionLog>,
}

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct SimilarRequest {
    /// The collection.
    pub collection: String,
    /// The most candidates.
    pub most: usize,
    /// The least score of a candidate. `None` for no candidates when even the best is unlike the collection; with a
    /// text there is no such limit.
    pub min_score: Option<f32>,
}

/// An image like the one that was sent, or that shows what the text says.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarImage {
    /// Collection or dataset, and image.
    pub(crate) subject: String,
    /// The operator's own id of the image.
    pub image_id: String,
    /// Where people find it.
    pub image_url: String,
    /// What it is tagged with.
    pub tag: String,
    /// The hash of its thumbnail, if the collection has one.
    pub thumbnail: Option<Vec<u8>>,
    /// The cosine of the two vectors, 0 to 1.
    pub score: f32,
}

impl Candidate for SimilarImage {
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

impl SimilarSearch {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            models: context.models.clone(),
            engine: Arc::clone(&context.engine),
            collections: Arc::clone(&context.collections),
            learned: Arc::clone(&context.learned),
            log: Arc::clone(&context.log),
        }
    }

    /// The names of the collections, in alphabetical order.
    #[must_use]
    pub fn collections(&self) -> Vec<String> {
        self.collections.names()
    }

    /// Finds the images of a collection that are most like an image or a text, and saves them.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn run(
        &self,
        application: &AppId,
        sought: Sought,
        request: SimilarRequest,
    ) -> Result<Saved<SimilarImage>, RecognitionError> {
        let Some(collection) = self.collections.get(&request.collection) else {
            let missing = RecognitionError::NoSuchCollection(request.collection);
            return Err(sought.or_missing(&self.engine, FUNCTION, missing).await);
        };
        let Collection { model, model_sha256: weights, .. } = &collection.collection;
        let reason = format!(
            "collection '{}' was made with other weights; remove its images and import them again",
            request.collection
        );
        let model = self.models.embedder(model, weights, &reason)?;
        let weights = sought.weights(&model, weights)?;
        let source = Source::Collection(request.collection.clone());
        let query = self.learned.query(application, FUNCTION, &source, &weights).await?;
        let most = if query.has_verdicts() { request.most.max(CONSIDERED) } else { request.most };
        let searched = Arc::clone(&collection);
        let search = move |vector: &[f32]| searched.search(vector, most);
        let (found, descriptor) = sought.embed(&self.engine, FUNCTION, &model, search).await?;
        let nearest = Nearest::new(&self.store, FUNCTION.into(), &collection, found, &descriptor, most).await?;
        let FoundImages { records, base, nearest } = FoundImages::existing(&self.store, nearest).await?;
        let unlike_below = sought.unlike_below(collection.unlike_below());
        let compared = (descriptor.clone(), base.clone(), records.clone());
        let adjust = move || {
            let (descriptor, base, records) = compared;
            let ids: Vec<u64> = records.iter().map(|record| record.number.unsigned_abs()).collect();
            let cosines = |other: &[f32]| nearest.cosines(&ids, other);
            let index_of = |subject: &str| {
                let (_, image) = subject.split_once('/')?;
                records.iter().position(|record| record.image_id == image)
            };
            timed(FEEDBACK, FUNCTION.into(), || query.adjust_images(&descriptor, &base, cosines, index_of))
        };
        let adjusted = tokio::task::spawn_blocking(adjust).await;
        let (scores, adjustment) = adjusted.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        let numbers: HashMap<String, i64> =
            records.iter().map(|record| (record.image_id.clone(), record.number)).collect();
        let similar = |((record, base), score): ((ImageRecord, f32), f32)| {
            let subject = format!("{}/{}", request.collection, record.image_id);
            let similar = SimilarImage {
                score: adjustment.image_score(&subject, base, score),
                subject: subject.clone(),
                image_id: record.image_id,
                image_url: record.image_url,
                tag: record.tag,
                thumbnail: record.thumbnail,
            };
            adjustment.explain(similar, &subject, base)
        };
        let similar = records.into_iter().zip(base).zip(scores).map(similar).collect();
        let similar = nearest_first(similar, request.most, request.min_score, unlike_below);
        let (application, descriptor, image) = (application.clone(), Some(descriptor), sought.into_image());
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor, image };
        let mut saved = self.log.save(entry, similar).await?;
        // An image that was removed during the search is not answered any more.
        let answered: Vec<i64> =
            saved.candidates.iter().filter_map(|(_, found)| numbers.get(&found.image_id).copied()).collect();
        if !answered.is_empty() {
            let existing = self.store.images(&answered).await?;
            saved.candidates.retain(|(_, found)| existing.iter().any(|record| record.image_id == found.image_id));
        }
        Ok(saved)
    }
}

/// The images of a collection that are nearest to a vector, best first.
pub(crate) struct FoundImages {
    pub(crate) records: Vec<ImageRecord>,
    /// The score of each.
    pub(crate) base: Vec<f32>,
    nearest: Nearest,
}

impl FoundImages {
    /// Those of the nearest images that exist. One that was removed a moment ago may still be in an index, and a search
    /// in the database may have begun before: the database decides, now.
    pub(crate) async fn existing(store: &Store, mut nearest: Nearest) -> Result<Self, RecognitionError> {
        let mut records = nearest.records(store).await?;
        let found = &nearest.found;
        let rank = |record: &ImageRecord| found.iter().position(|found| found.id == record.number.unsigned_abs());
        records.sort_by_key(rank);
        let base = records.iter().filter_map(|record| found.get(rank(record)?)).map(similarity).collect();
        Ok(Self { records, base, nearest })
    }
}

/// The cosine of a match as it is answered.
pub(crate) fn similarity(found: &Match) -> f32 {
    found.score.clamp(0.0, 1.0)
}

/// The `most` best with a score of at least `min_score`, those of equal scores in the order in which they were found.
/// Without a `min_score` all or none: none when even the best is below `unlike_below`.
pub(crate) fn nearest_first(
    mut similar: Vec<Adjusted<SimilarImage>>,
    most: usize,
    min_score: Option<f32>,
    unlike_below: f32,
) -> Vec<Adjusted<SimilarImage>> {
    if min_score.is_none() && similar.iter().all(|found| found.candidate.score < unlike_below) {
        return Vec::new();
    }
    similar.retain(|found| found.candidate.score >= min_score.unwrap_or(0.0));
    similar.sort_by(|a, b| b.candidate.score.total_cmp(&a.candidate.score));
    similar.truncate(most);
    similar
}

#[cfg(test)]
mod tests {
    use super::{SimilarImage, nearest_first};
    use crate::log::Adjusted;

    #[test]
    fn equal_scores_stay_in_the_order_in_which_they_were_found() {
        let image = |id: &str, score| {
            let (own, none) = (id.to_owned(), String::new());
            let (subject, image_url, thumbnail) = (own.clone(), none.clone(), None);
            let candidate = SimilarImage { subject, image_id: own, image_url, tag: none, thumbnail, score };
            Adjusted { candidate, base: score, pushes: Vec::new() }
        };
        let found = || vec![image("a", 0.5), image("b", 0.9), image("c", 0.5), image("d", 0.4)];
        let ids = |most, min_score| -> Vec<String> {
            nearest_first(found(), most, Some(min_score), 0.95)
                .into_iter()
                .map(|found| found.candidate.image_id)
                .collect()
        };
        assert_eq!(ids(3, 0.0), ["b", "a", "c"]);
        assert_eq!((ids(9, 0.5), ids(9, 0.91)), (["b", "a", "c"].map(str::to_owned).to_vec(), Vec::new()));
        let usual = |unlike_below| nearest_first(found(), 9, None, unlike_below).len();
        assert_eq!((usual(0.9), usual(0.91)), (4, 0), "all or none");
    }
}
