//! The public collections in memory: an index of vectors for each.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use cosine_index::{Settings, SharedVectorIndex, VectorIndex};
use kaisatsu_store::{ChangedImage, Collection};

/// A collection in memory.
pub(crate) struct Shelved {
    pub(crate) facts: Collection,
    pub(crate) index: SharedVectorIndex,
}

/// All collections by name.
#[derive(Default)]
pub(crate) struct Collections(RwLock<HashMap<String, Arc<Shelved>>>);

impl Collections {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Shelved>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Takes up changes of images. `facts` are all collections there are.
    pub(crate) fn apply(&self, facts: &[Collection], changes: Vec<ChangedImage>) {
        let mut by_collection: HashMap<String, Vec<ChangedImage>> = HashMap::new();
        for change in changes {
            by_collection.entry(change.collection.clone()).or_default().push(change);
        }
        for facts in facts {
            let changes = by_collection.remove(&facts.name).unwrap_or_default();
            // One that was emptied may have been given other weights: it begins anew.
            if let Some(shelved) = self.get(&facts.name).filter(|shelved| shelved.facts == *facts) {
                update(&shelved.index, &changes);
                continue;
            }
            let shelved = Arc::new(Shelved { facts: facts.clone(), index: SharedVectorIndex::new(built(&changes)) });
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(facts.name.clone(), shelved);
        }
    }
}

fn update(index: &SharedVectorIndex, changes: &[ChangedImage]) {
    if changes.is_empty() {
        return;
    }
    // An empty index does not know yet how long its vectors are.
    if index.is_empty() {
        index.replace(built(changes));
        return;
    }
    for change in changes {
        match &change.vector {
            Some(vector) => {
                if let Err(error) = index.insert(key(change), vector) {
                    tracing::error!(image = change.number, %error, "a vector of a collection cannot be used");
                }
            }
            None => {
                index.remove(key(change));
            }
        }
    }
}

/// An index of the images that are there.
fn built(changes: &[ChangedImage]) -> VectorIndex {
    let there = || changes.iter().filter_map(|change| Some((key(change), change.vector.as_ref()?)));
    let dims = there().next().map_or(1, |(_, vector)| vector.len());
    let sound = there().filter(|(_, vector)| vector.len() == dims && vector.iter().any(|value| *value != 0.0));
    VectorIndex::build(dims, Settings::default(), sound).unwrap_or_else(|error| {
        tracing::error!(%error, "a collection cannot be indexed");
        VectorIndex::new(dims, Settings::default())
    })
}

fn key(change: &ChangedImage) -> u64 {
    change.number.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use kaisatsu_store::{ChangedImage, Collection};

    use super::Collections;

    fn facts(weights: &str) -> Collection {
        Collection { name: "c".to_owned(), model: "general".to_owned(), model_sha256: weights.to_owned() }
    }

    fn change(number: i64, vector: Option<Vec<f32>>) -> ChangedImage {
        ChangedImage { number, collection: "c".to_owned(), vector, revision: number }
    }

    #[test]
    fn an_emptied_collection_may_come_back_with_other_weights() {
        let collections = Collections::default();
        collections.apply(&[facts("old")], vec![change(1, Some(vec![1.0, 0.0]))]);
        assert_eq!(collections.get("c").unwrap().index.search(&[1.0, 0.0], 5).unwrap().len(), 1);
        // Vectors of another length, too.
        let changes = vec![change(1, None), change(2, Some(vec![0.0, 1.0, 0.0]))];
        collections.apply(&[facts("new")], changes);
        let shelved = collections.get("c").unwrap();
        assert_eq!(shelved.facts, facts("new"));
        let found = shelved.index.search(&[0.0, 1.0, 0.0], 5).unwrap();
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [2]);
    }
}
