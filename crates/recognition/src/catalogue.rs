//! The catalogue in memory: the index of local features over all items, and what kind each item is.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use kaisatsu_store::{ChangedItem, Store, StoreError};
use kaisatsu_vision::object::{self, EncodedReference, Index, ItemId, PictureId, QueryFeature, Reference, Vote};
use tokio::runtime::Handle;

/// The items by local features.
#[derive(Default)]
pub(crate) struct CatalogueIndex(RwLock<Known>);

#[derive(Default)]
struct Known {
    index: Index,
    categories: HashMap<ItemId, String>,
}

impl CatalogueIndex {
    /// How many items can be found by their looks.
    pub(crate) fn items(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).index.items()
    }

    /// Takes up items that changed.
    pub(crate) fn apply(&self, changes: &[ChangedItem]) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            let item = ItemId(change.number.unsigned_abs());
            known.index.remove_item(item);
            known.categories.remove(&item);
            if change.sketches.is_empty() {
                continue;
            }
            known.categories.insert(item, change.category.clone());
            for (number, bytes) in &change.sketches {
                match EncodedReference::from_bytes(bytes) {
                    Ok(sketch) => known.index.insert(item, PictureId(number.unsigned_abs()), &sketch),
                    Err(error) => tracing::error!(picture = number, ?error, "a reference picture cannot be read"),
                }
            }
        }
    }

    fn vote(&self, query: &[QueryFeature], most: usize, wanted: Option<&str>) -> Vec<Vote> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(wanted) = wanted else { return known.index.vote(query, most) };
        let is_wanted = |item: ItemId| known.categories.get(&item).is_some_and(|category| category == wanted);
        known.index.vote_among(query, most, is_wanted)
    }
}

/// The catalogue as one recognition sees it: one category or all, with the features read from the database.
pub(crate) struct Seen<'a> {
    pub(crate) index: &'a CatalogueIndex,
    pub(crate) store: &'a Store,
    /// The runtime of the database; the engine's threads are not its own.
    pub(crate) runtime: &'a Handle,
    pub(crate) category: Option<&'a str>,
}

impl object::Catalogue for Seen<'_> {
    fn vote(&self, query: &[QueryFeature], most: usize) -> Vec<Vote> {
        self.index.vote(query, most, self.category)
    }

    type Failure = StoreError;

    fn references(&self, pictures: &[PictureId]) -> Result<Vec<(PictureId, Reference)>, StoreError> {
        let numbers: Vec<i64> = pictures.iter().filter_map(|picture| i64::try_from(picture.0).ok()).collect();
        let rows = self.runtime.block_on(self.store.picture_features(&numbers))?;
        let read = |(number, bytes): (i64, Vec<u8>)| {
            Some((PictureId(number.unsigned_abs()), Reference::from_bytes(&bytes).ok()?))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }
}
