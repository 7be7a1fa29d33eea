//! The images of a collection that are nearest to a vector, found in memory or in the database, with the same scores.

use std::sync::Arc;

use cosine_index::{Error, FewVectors, Match};
use kaisatsu_store::{ImageRecord, SearchConnection, Store, StoreError, VectorPart};

use super::collections::CollectionIndex;
use crate::{
    RecognitionError,
    engine::{SEARCH, SEARCH_FAILED, Workload, record},
};

/// What was found, best first, and what it is compared with.
pub(crate) struct Nearest {
    pub(crate) found: Vec<Match>,
    vectors: Vectors,
    connection: Option<SearchConnection>,
}

enum Vectors {
    Memory(Arc<CollectionIndex>),
    Fetched(FewVectors),
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
            let vectors = Vectors::Memory(Arc::clone(collection));
            return Ok(Self { found: in_memory, vectors, connection: None });
        };
        let began = std::time::Instant::now();
        let fetched = fetch_nearest(store, part, vector, most).await.inspect_err(|_| {
            metrics::counter!(SEARCH_FAILED, "task" => workload.as_str()).increment(1);
        })?;
        record(SEARCH, workload, began.elapsed());
        let Fetched { found, vectors, connection } =
            fetched.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        Ok(Self { found, vectors: Vectors::Fetched(vectors), connection })
    }

    /// The rows of what was found, in any order, without those that are removed by now.
    pub(crate) async fn records(&mut self, store: &Store) -> Result<Vec<ImageRecord>, StoreError> {
        let numbers: Vec<i64> = self.found.iter().filter_map(|found| i64::try_from(found.id).ok()).collect();
        match self.connection.take() {
            Some(mut connection) => connection.images(&numbers).await,
            None => store.images(&numbers).await,
        }
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

/// What a search in the database has found, best first, and what it is compared with.
pub(super) struct Fetched {
    pub(super) found: Vec<Match>,
    vectors: FewVectors,
    connection: Option<SearchConnection>,
}

/// Searches the database, and compares what it finds by the vectors as they are stored: in full precision, and with the
/// order of equal scores that an index in memory has.
pub(super) async fn fetch_nearest(
    store: &Store,
    part: &VectorPart,
    vector: &[f32],
    most: usize,
) -> Result<Result<Fetched, Error>, StoreError> {
    let near = store.nearest_images(part, vector, most).await?;
    let images = near.images.iter().filter(|(_, stored)| stored.len() == vector.len());
    let compared = FewVectors::new(vector.len(), images.map(|(number, stored)| (number.unsigned_abs(), stored)));
    let found = compared.and_then(|vectors| Ok((vectors.nearest(vector, most)?, vectors)));
    Ok(found.map(|(found, vectors)| Fetched { found, vectors, connection: near.connection }))
}
