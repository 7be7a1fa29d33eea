//! The catalogue: an index of local features over all items, and the category of each item.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use kaisatsu_store::ChangedItem;
use kaisatsu_vision::object::{EncodedReference, Index, ItemId, PictureId, QueryFeature, Vote};

/// The items by local features.
#[derive(Default)]
pub(crate) struct CatalogueIndex(RwLock<Items>);

#[derive(Default)]
struct Items {
    index: Index,
    categories: HashMap<ItemId, String>,
}

impl CatalogueIndex {
    /// How many items have a reference picture.
    pub(crate) fn items(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).index.items()
    }

    /// Applies changes of items.
    pub(crate) fn apply(&self, changes: &[ChangedItem]) {
        let mut items = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            let item = ItemId(change.number.unsigned_abs());
            items.index.remove_item(item);
            items.categories.remove(&item);
            if change.sketches.is_empty() {
                continue;
            }
            items.categories.insert(item, change.category.clone());
            for (number, bytes) in &change.sketches {
                match EncodedReference::from_bytes(bytes) {
                    Ok(reference) => items.index.insert(item, PictureId(number.unsigned_abs()), &reference),
                    Err(error) => tracing::error!(picture = number, ?error, "a reference picture cannot be read"),
                }
            }
        }
    }

    /// Lets the features of a picture vote for reference pictures, of one category or of all.
    pub(crate) fn vote(&self, query: &[QueryFeature], most: usize, category: Option<&str>) -> Vec<Vote> {
        let items = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(category) = category else { return items.index.vote(query, most) };
        let is_wanted = |item: ItemId| items.categories.get(&item).is_some_and(|other| other == category);
        items.index.vote_among(query, most, is_wanted)
    }
}
