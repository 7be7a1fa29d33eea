//! The public collections: an index of vectors for each.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use cosine_index::{Settings, SharedVectorIndex, VectorIndex};
use kaisatsu_store::{ChangedImage, Collection};

use super::likeness::Sample;

/// A collection and its index.
pub(crate) struct CollectionIndex {
    pub(crate) collection: Collection,
    pub(crate) index: SharedVectorIndex,
    likeness: Mutex<Likeness>,
}

/// What the images of a collection say of how alike they are.
#[derive(Default)]
struct Likeness {
    sample: Sample,
    unlike_below: f32,
    /// How many images the collection had when the threshold was computed.
    of_images: usize,
}

impl CollectionIndex {
    fn new(collection: &Collection, changes: &[ChangedImage]) -> Self {
        let index = SharedVectorIndex::new(build(changes));
        let built = Self { collection: collection.clone(), index, likeness: Mutex::default() };
        built.learn(changes);
        built
    }

    /// A picture whose cosine with the nearest image is below this is like none of them.
    pub(crate) fn unlike_below(&self) -> f32 {
        self.likeness.lock().unwrap_or_else(PoisonError::into_inner).unlike_below
    }

    /// Computes the threshold again, unless the collection is nearly the same as before.
    fn learn(&self, changes: &[ChangedImage]) {
        let mut likeness = self.likeness.lock().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            match &change.vector {
                Some(vector) => likeness.sample.insert(key(change), vector),
                None => likeness.sample.remove(key(change)),
            }
        }
        let images = self.index.len();
        if images.abs_diff(likeness.of_images) * 10 > likeness.of_images {
            let search = |vector: &[f32], most| self.index.search(vector, most).unwrap_or_default();
            likeness.unlike_below = likeness.sample.threshold(search);
            likeness.of_images = images;
        }
    }
}

/// All collections by name.
#[derive(Default)]
pub(crate) struct CollectionIndexes(RwLock<HashMap<String, Arc<CollectionIndex>>>);

impl CollectionIndexes {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<CollectionIndex>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Their names, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        names.sort();
        names
    }

    /// Applies changes of images. `collections` are all collections there are: others were removed.
    pub(crate) fn apply(&self, collections: &[Collection], changes: Vec<ChangedImage>) {
        let names: HashSet<&str> = collections.iter().map(|collection| collection.name.as_str()).collect();
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|name, _| names.contains(name.as_str()));
        let mut by_collection: HashMap<String, Vec<ChangedImage>> = HashMap::new();
        for change in changes {
            by_collection.entry(change.collection.clone()).or_default().push(change);
        }
        for collection in collections {
            let changes = by_collection.remove(&collection.name).unwrap_or_default();
            // A collection that was emptied may have other weights now: then its index is built anew.
            if let Some(known) = self.get(&collection.name).filter(|known| known.collection == *collection) {
                update(&known.index, &changes);
                known.learn(&changes);
                continue;
            }
            let built = Arc::new(CollectionIndex::new(collection, &changes));
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(collection.name.clone(), built);
        }
    }
}

fn update(index: &SharedVectorIndex, changes: &[ChangedImage]) {
    if changes.is_empty() {
        return;
    }
    // An empty index does not know the length of its vectors yet.
    if index.is_empty() {
        index.replace(build(changes));
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

/// An index of the images that were not removed.
fn build(changes: &[ChangedImage]) -> VectorIndex {
    let present = || changes.iter().filter_map(|change| Some((key(change), change.vector.as_ref()?)));
    let dims = present().next().map_or(1, |(_, vector)| vector.len());
    let valid = present().filter(|(_, vector)| vector.len() == dims && vector.iter().any(|value| *value != 0.0));
    VectorIndex::build(dims, Settings::default(), valid).unwrap_or_else(|error| {
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

    use super::CollectionIndexes;

    fn collection(weights: &str) -> Collection {
        Collection { name: "c".to_owned(), model: "general".to_owned(), model_sha256: weights.to_owned() }
    }

    fn change(number: i64, vector: Option<Vec<f32>>) -> ChangedImage {
        ChangedImage { number, collection: "c".to_owned(), vector, revision: number }
    }

    #[test]
    fn an_emptied_collection_is_indexed_anew_with_other_weights() {
        let collections = CollectionIndexes::default();
        collections.apply(&[collection("old")], vec![change(1, Some(vec![1.0, 0.0]))]);
        assert_eq!(collections.get("c").unwrap().index.search(&[1.0, 0.0], 5).unwrap().len(), 1);
        // The new weights make vectors of another length.
        let changes = vec![change(1, None), change(2, Some(vec![0.0, 1.0, 0.0]))];
        collections.apply(&[collection("new")], changes);
        let known = collections.get("c").unwrap();
        assert_eq!(known.collection, collection("new"));
        let found = known.index.search(&[0.0, 1.0, 0.0], 5).unwrap();
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_is_unlike_is_learned_from_the_images_and_again_when_they_change() {
        let collections = CollectionIndexes::default();
        let turned = |degrees: i16| {
            let angle = f32::from(degrees).to_radians();
            change(degrees.into(), Some(vec![angle.cos(), angle.sin()]))
        };
        let unlike_below = || collections.get("c").unwrap().unlike_below();
        collections.apply(&[collection("w")], vec![turned(1)]);
        assert!(unlike_below().abs() < 1e-6, "one image says nothing");
        // Twelve pairs of near-duplicates, 29 degrees from each other.
        let pairs = (0..12).flat_map(|at| [at * 30, at * 30 + 1].map(turned)).collect();
        collections.apply(&[collection("w")], pairs);
        let learned = unlike_below();
        assert!((learned - (29f32.to_radians().cos() - 0.05)).abs() < 1e-3, "{learned}");
        collections.apply(&[collection("w")], (1..200).map(|number| change(number, None)).collect());
        assert!(unlike_below().abs() < 1e-6, "few are left");
    }
}
