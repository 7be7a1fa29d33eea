//! The images of a collection that are nearest to a vector, found in memory or in the database, with the same scores.

use std::sync::Arc;

use cosine_index::{Error, Match, Settings, VectorIndex};
use kaisatsu_store::{Store, StoreError, VectorPart};

use super::collections::CollectionIndex;
use crate::{
    RecognitionError,
    engine::{SEARCH, Workload, record},
};

/// What was found, best first, and what it is compared with.
pub(crate) struct Nearest {
    pub(crate) found: Vec<Match>,
    vectors: Vectors,
}

enum Vectors {
    Memory(Arc<CollectionIndex>),
    Fetched(Box<VectorIndex>),
}

impl Nearest {
    /// What a search in memory has found; if the vectors are in the database, the search is done there now.
    pub(crate) async fn new(
        store: &Store,
        workload: Workload,
        collection: &Arc<CollectionIndex>,
        in_memory: Vec<Match>,
        vector: &[f32],
        most: usize,
    ) -> Result<Self, RecognitionError> {
        let Some(part) = collection.part() else {
            return Ok(Self { found: in_memory, vectors: Vectors::Memory(Arc::clone(collection)) });
        };
        let began = std::time::Instant::now();
        let fetched = fetch_nearest(store, part, vector, most).await?;
        record(SEARCH, workload, began.elapsed());
        let (found, index) = fetched.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        Ok(Self { found, vectors: Vectors::Fetched(Box::new(index)) })
    }

    /// The cosines of some of the images with a vector.
    pub(crate) fn cosines(&self, ids: &[u64], other: &[f32]) -> Vec<f32> {
        let cosines = match &self.vectors {
            Vectors::Memory(collection) => collection.cosines(ids, other),
            Vectors::Fetched(index) => index.cosines(ids, other),
        };
        cosines.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// Searches the database, and compares what it finds by the vectors as they are stored: in full precision, and with the
/// order of equal scores that an index in memory has.
pub(super) async fn fetch_nearest(
    store: &Store,
    part: &VectorPart,
    vector: &[f32],
    most: usize,
) -> Result<Result<(Vec<Match>, VectorIndex), Error>, StoreError> {
    let near = store.nearest_images(part, vector, most).await?;
    let near = near.into_iter().filter(|(_, stored)| stored.len() == vector.len());
    let near = near.map(|(number, stored)| (number.unsigned_abs(), stored));
    let exact = Settings { graph_from: usize::MAX, ..Settings::default() };
    let compared = VectorIndex::build(vector.len(), exact, near);
    Ok(compared.and_then(|index| Ok((index.search_exactly(vector, most)?, index))))
}
