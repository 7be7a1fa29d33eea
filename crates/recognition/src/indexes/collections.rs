//! The public collections: for each an index of vectors in memory, or where they are in the database.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use cosine_index::{Match, Settings, SharedVectorIndex, VectorIndex};
use kaisatsu_store::{ChangedImage, Collection, VectorPart};

use super::likeness::Sample;
use crate::RecognitionError;

/// A collection and where its vectors are.
pub(crate) struct CollectionIndex {
    pub(crate) collection: Collection,
    vectors: Vectors,
}

enum Vectors {
    Memory(Box<MemoryIndex>),
    Database(VectorPart),
}

/// The vectors in memory.
struct MemoryIndex {
    index: SharedVectorIndex,
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
    /// How many images there are to be found.
    pub(crate) fn images(&self) -> usize {
        match &self.vectors {
            Vectors::Memory(memory) => memory.index.len(),
            Vectors::Database(part) => usize::try_from(part.images).unwrap_or(0),
        }
    }

    /// The length of the vectors.
    pub(crate) fn dims(&self) -> usize {
        match &self.vectors {
            Vectors::Memory(memory) => memory.index.dims(),
            Vectors::Database(part) => usize::try_from(part.dims).unwrap_or(0),
        }
    }

    /// Where the vectors are in the database, if they are there.
    pub(crate) fn part(&self) -> Option<&VectorPart> {
        match &self.vectors {
            Vectors::Memory(_) => None,
            Vectors::Database(part) => Some(part),
        }
    }

    /// A picture whose cosine with the nearest image is below this is like none of them.
    pub(crate) fn unlike_below(&self) -> f32 {
        match &self.vectors {
            Vectors::Memory(memory) => memory.likeness.lock().unwrap_or_else(PoisonError::into_inner).unlike_below,
            Vectors::Database(part) => part.unlike_below,
        }
    }

    /// The nearest vectors in memory, best first. None when they are in the database.
    pub(crate) fn search(&self, vector: &[f32], most: usize) -> Result<Vec<Match>, RecognitionError> {
        match &self.vectors {
            Vectors::Memory(memory) if !memory.index.is_empty() => {
                memory.index.search(vector, most).map_err(|error| RecognitionError::Failed(error.to_string()))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The cosines of images in memory with a vector.
    pub(super) fn cosines(&self, ids: &[u64], other: &[f32]) -> Vec<Option<f32>> {
        match &self.vectors {
            Vectors::Memory(memory) => memory.index.cosines(ids, other),
            Vectors::Database(_) => vec![None; ids.len()],
        }
    }
}

impl MemoryIndex {
    fn new(changes: &[ChangedImage]) -> Self {
        let built = Self { index: SharedVectorIndex::new(build(changes)), likeness: Mutex::default() };
        built.learn(changes);
        built
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

    /// All of them, in any order.
    pub(crate) fn all(&self) -> Vec<Arc<CollectionIndex>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Forgets the collections that are not among `collections`.
    pub(crate) fn retain(&self, collections: &[Collection]) {
        let names: HashSet<&str> = collections.iter().map(|collection| collection.name.as_str()).collect();
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|name, _| names.contains(name.as_str()));
    }

    /// Whether the vectors of a collection are in memory, made with the weights that it has now.
    pub(crate) fn is_in_memory(&self, collection: &Collection) -> bool {
        self.get(&collection.name).is_some_and(|known| known.collection == *collection && known.part().is_none())
    }

    /// Applies changes of the images of a collection that is in memory.
    pub(crate) fn update(&self, collection: &Collection, changes: &[ChangedImage]) {
        let known = self.get(&collection.name);
        let Some(Vectors::Memory(memory)) = known.as_ref().map(|known| &known.vectors) else { return };
        update(&memory.index, changes);
        memory.learn(changes);
    }

    /// Indexes a collection anew, in memory. `changes` are all of its images.
    pub(crate) fn build(&self, collection: &Collection, changes: &[ChangedImage]) {
        self.put(collection, Vectors::Memory(Box::new(MemoryIndex::new(changes))));
    }

    /// Lets a collection be searched in the database. What was in memory is freed when no search uses it any more.
    pub(crate) fn search_in(&self, collection: &Collection, part: &VectorPart) {
        self.put(collection, Vectors::Database(part.clone()));
    }

    fn put(&self, collection: &Collection, vectors: Vectors) {
        let index = Arc::new(CollectionIndex { collection: collection.clone(), vectors });
        let former = self.0.write().unwrap_or_else(PoisonError::into_inner).insert(collection.name.clone(), index);
        // Freeing gigabytes takes time, and the lock is released by now.
        drop(former);
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
        ChangedImage { number, vector, revision: number }
    }

    #[test]
    fn what_is_unlike_is_learned_from_the_images_and_again_when_they_change() {
        let collections = CollectionIndexes::default();
        let turned = |degrees: i16| {
            let angle = f32::from(degrees).to_radians();
            change(degrees.into(), Some(vec![angle.cos(), angle.sin()]))
        };
        let unlike_below = || collections.get("c").unwrap().unlike_below();
        collections.build(&collection("w"), &[turned(1)]);
        assert!(unlike_below().abs() < 1e-6, "one image says nothing");
        // Twelve pairs of near-duplicates, 29 degrees from each other.
        let pairs: Vec<_> = (0..12).flat_map(|at| [at * 30, at * 30 + 1].map(turned)).collect();
        collections.update(&collection("w"), &pairs);
        let learned = unlike_below();
        assert!((learned - (29f32.to_radians().cos() - 0.05)).abs() < 1e-3, "{learned}");
        let removed: Vec<_> = (1..200).map(|number| change(number, None)).collect();
        collections.update(&collection("w"), &removed);
        assert!(unlike_below().abs() < 1e-6, "few are left");
    }
}
