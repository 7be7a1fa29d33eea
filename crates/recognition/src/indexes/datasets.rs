//! A cache of datasets: those that were used last, as many as fit.
//!
//! Whether a dataset may be used is asked of the database each time. The cache only spares reading its vectors again.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cosine_index::{Settings, VectorIndex};
use kaisatsu_feedback::Example;
use kaisatsu_model::{DatasetId, Function, Phase, Timestamp};
use kaisatsu_store::{DatasetRow, Store};
use kaisatsu_vision::probe::Probe;

use super::{leave_one_out, likeness::Sample};
use crate::RecognitionError;

/// The most bytes that datasets may take in memory.
const MOST_BYTES: usize = 256 << 20;

/// Images read at once.
const PAGE: i64 = 1_000;

/// A dataset in memory.
pub(crate) struct CachedDataset {
    pub(crate) id: DatasetId,
    /// When it was built. A dataset that was built again is another one.
    built_at: Timestamp,
    /// Its vectors, by their position in `images`.
    pub(crate) index: Option<VectorIndex>,
    /// A picture whose cosine with the nearest image is below this is like none of them.
    pub(crate) unlike_below: f32,
    pub(crate) images: Vec<CachedImage>,
    /// Tells its tags apart, in the order of `tags`; `None` when it has a single one.
    pub(crate) probe: Option<Probe>,
    pub(crate) tags: Vec<String>,
    /// The hash of the weights that made its vectors.
    pub(crate) weights: String,
    /// Its own images, each classified without itself, for the guard over feedback.
    examples: Vec<Example>,
}

/// An image of a dataset in memory.
pub(crate) struct CachedImage {
    pub(crate) image_id: String,
    pub(crate) url: Option<String>,
    pub(crate) tag: String,
}

impl CachedDataset {
    /// The version of the dataset: when it was built.
    pub(crate) fn version(&self) -> i64 {
        self.built_at.0
    }

    /// Images whose right answer to a function is known.
    pub(crate) fn examples(&self, function: Function) -> &[Example] {
        if function == Function::Classify { &self.examples } else { &[] }
    }

    fn bytes(&self) -> usize {
        let probe = self.probe.as_ref().map_or(0, |probe| probe.classes() * probe.dims() * 8);
        let examples: usize = self.examples.iter().map(|example| example.descriptor.len() * 4).sum();
        self.index.as_ref().map_or(0, VectorIndex::heap_bytes) + probe + examples + self.images.len() * 200
    }
}

/// The datasets in memory.
#[derive(Default)]
pub(crate) struct DatasetCache {
    entries: Mutex<Entries>,
    /// Held by whoever reads a dataset from the database.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Entries {
    uses: u64,
    /// Each dataset, and the number of its last use.
    by_id: HashMap<String, (u64, Arc<CachedDataset>)>,
}

impl DatasetCache {
    /// A ready dataset, from memory when it is there as it is now.
    pub(crate) async fn get(&self, store: &Store, row: &DatasetRow) -> Result<Arc<CachedDataset>, RecognitionError> {
        if let Some(found) = self.find(row) {
            return Ok(found);
        }
        // One at a time: when many ask for the same dataset at once, the first reads it and the others find it.
        let _reading = self.reading.lock().await;
        if let Some(found) = self.find(row) {
            return Ok(found);
        }
        let read = Arc::new(read(store, row).await?);
        self.put(&read);
        Ok(read)
    }

    /// A dataset, if it is in memory.
    pub(crate) fn peek(&self, id: &DatasetId) -> Option<Arc<CachedDataset>> {
        self.entries().by_id.get(id.as_str()).map(|(_, set)| Arc::clone(set))
    }

    /// The datasets that are in memory.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.entries().by_id.keys().cloned().collect()
    }

    /// Removes a dataset.
    pub(crate) fn remove(&self, id: &DatasetId) {
        self.entries().by_id.remove(id.as_str());
    }

    fn find(&self, row: &DatasetRow) -> Option<Arc<CachedDataset>> {
        let mut entries = self.entries();
        entries.uses += 1;
        let now = entries.uses;
        let (used, set) = entries.by_id.get_mut(row.id().as_str())?;
        *used = now;
        (set.built_at == row.changed_at()).then(|| Arc::clone(set))
    }

    fn put(&self, set: &Arc<CachedDataset>) {
        let mut entries = self.entries();
        let now = entries.uses;
        entries.by_id.insert(set.id.as_str().to_owned(), (now, Arc::clone(set)));
        while entries.by_id.len() > 1 && entries.bytes() > MOST_BYTES {
            let oldest = entries.by_id.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { return };
            entries.by_id.remove(&oldest);
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn bytes(&self) -> usize {
        self.by_id.values().map(|(_, set)| set.bytes()).sum()
    }
}

/// The distinct tags of images, by name: the order of a classifier's classes.
pub(crate) fn distinct_tags<'a>(of_images: impl Iterator<Item = &'a str>) -> Vec<String> {
    let distinct: BTreeSet<&str> = of_images.collect();
    distinct.into_iter().map(str::to_owned).collect()
}

/// The class of each image: the position of its tag among the distinct tags.
pub(crate) fn class_of_each<'a>(tags: &[String], of_images: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let class_of: BTreeMap<&str, usize> = tags.iter().enumerate().map(|(class, tag)| (tag.as_str(), class)).collect();
    of_images.map(|tag| class_of.get(tag).copied().unwrap_or(0)).collect()
}

async fn read(store: &Store, row: &DatasetRow) -> Result<CachedDataset, RecognitionError> {
    let (id, content) = (row.id(), row.content());
    let mut images = Vec::new();
    let mut vectors = Vec::new();
    let mut after = -1;
    loop {
        let page = store.built_images(&content, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for image in page {
            vectors.push((images.len() as u64, image.vector));
            images.push(CachedImage { image_id: image.image_id.as_str().to_owned(), url: image.url, tag: image.tag });
        }
    }
    let probe = store.dataset_probe(&content).await?;
    let probe = probe.map(|bytes| {
        Probe::from_bytes(&bytes).ok_or_else(|| RecognitionError::Failed(format!("the head of {id} cannot be read")))
    });
    let probe = probe.transpose()?;
    // Its vectors may have been replaced by those of another model in between.
    if store.dataset_version(&content).await?.is_some_and(|version| version != row.changed_at()) {
        return Err(RecognitionError::NotBuilt(Phase::Building));
    }
    let tags = distinct_tags(images.iter().map(|image| image.tag.as_str()));
    let dims = vectors.first().map_or(0, |(_, vector): &(u64, Vec<f32>)| vector.len());
    let classes = class_of_each(&tags, images.iter().map(|image| image.tag.as_str()));
    let named = tags.clone();
    // Building an index of many images takes time, and other tasks should not wait for it.
    let built = tokio::task::spawn_blocking(move || {
        let examples = leave_one_out::examples(&vectors, &classes, &named);
        let mut sample = Sample::default();
        for (position, vector) in &vectors {
            sample.insert(*position, vector);
        }
        let index = (dims > 0).then(|| VectorIndex::build(dims, Settings::default(), vectors)).transpose()?;
        let search = |vector: &[f32], most| index.as_ref()?.search(vector, most).ok();
        let unlike_below = sample.threshold(|vector, most| search(vector, most).unwrap_or_default());
        Ok::<_, cosine_index::Error>((index, unlike_below, examples))
    });
    let built = built.await.map_err(|error| RecognitionError::Failed(error.to_string()))?;
    let (index, unlike_below, examples) = built.map_err(|error| RecognitionError::Failed(error.to_string()))?;
    let weights = row.model_sha256.clone();
    Ok(CachedDataset { id, built_at: row.changed_at(), index, unlike_below, images, probe, tags, weights, examples })
}
