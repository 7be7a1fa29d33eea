//! The datasets in memory: those that were used last, as many as fit.
//!
//! Whether a dataset may be used is asked of the database each time; this only spares reading its vectors again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use cosine_index::{Settings, VectorIndex};
use kaisatsu_feedback::Example;
use kaisatsu_model::{DataSetId, Timestamp};
use kaisatsu_store::{DataSetRow, Store};
use kaisatsu_vision::probe::Probe;

use super::left_out;
use crate::{RecognitionError, User, classify, learning::Asking};

/// The most bytes of vectors that are kept in memory.
const MOST_BYTES: usize = 256 << 20;

/// Images read at once.
const PAGE: i64 = 1_000;

/// A dataset in memory.
pub(crate) struct Shelved {
    pub(crate) id: DataSetId,
    /// Since when it is as it is: a dataset that was built again is another one.
    since: Timestamp,
    /// Its vectors, by their place in `images`.
    pub(crate) index: Option<VectorIndex>,
    pub(crate) images: Vec<Member>,
    /// What tells its tags apart, in the order of `tags`; `None` when it has a single one.
    pub(crate) head: Option<Probe>,
    pub(crate) tags: Vec<String>,
    /// The hash of the weights that made its vectors.
    pub(crate) engine: String,
    /// Its own images, each left out of its tag, for the guard over feedback.
    examples: Vec<Example>,
}

/// An image of a dataset in memory.
pub(crate) struct Member {
    pub(crate) image_id: String,
    pub(crate) url: Option<String>,
    pub(crate) tag: String,
}

impl Shelved {
    /// Who asks when feedback on it is asked for.
    pub(crate) fn asking(&self, user: &User, task: &str) -> Asking {
        Asking::new(&user.application, task, self.id.as_str(), &self.engine)
    }

    /// Since when it is as it is.
    pub(crate) fn since(&self) -> Timestamp {
        self.since
    }

    /// Pictures whose right answer to a task is known.
    pub(crate) fn examples(&self, task: &str) -> &[Example] {
        if task == classify::TASK { &self.examples } else { &[] }
    }

    fn bytes(&self) -> usize {
        let head = self.head.as_ref().map_or(0, |head| head.classes() * head.dims() * 8);
        let examples: usize = self.examples.iter().map(|example| example.descriptor.len() * 4).sum();
        self.index.as_ref().map_or(0, VectorIndex::heap_bytes) + head + examples + self.images.len() * 200
    }
}

/// The datasets in memory, and when each was last used; and who is reading one.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<Kept>, tokio::sync::Mutex<()>);

#[derive(Default)]
struct Kept {
    uses: u64,
    sets: HashMap<String, (u64, Arc<Shelved>)>,
}

impl Shelf {
    /// A ready dataset, from memory when it is there as it is now.
    pub(crate) async fn get(&self, store: &Store, facts: &DataSetRow) -> Result<Arc<Shelved>, RecognitionError> {
        if let Some(found) = self.find(facts) {
            return Ok(found);
        }
        // One at a time: of many who ask for the same at once, the first reads it and the others find it.
        let _alone = self.1.lock().await;
        if let Some(found) = self.find(facts) {
            return Ok(found);
        }
        let read = Arc::new(read(store, facts).await?);
        self.put(&read);
        Ok(read)
    }

    /// A dataset, if it is in memory.
    pub(crate) fn peek(&self, id: &DataSetId) -> Option<Arc<Shelved>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.sets.get(id.as_str()).map(|(_, set)| Arc::clone(set))
    }

    /// The datasets that are in memory.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sets.keys().cloned().collect()
    }

    /// Forgets a dataset.
    pub(crate) fn drop(&self, id: &DataSetId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sets.remove(id.as_str());
    }

    fn find(&self, facts: &DataSetRow) -> Option<Arc<Shelved>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        let (used, set) = kept.sets.get_mut(facts.id().as_str())?;
        *used = now;
        (set.since == facts.changed_at()).then(|| Arc::clone(set))
    }

    fn put(&self, set: &Arc<Shelved>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = kept.uses;
        kept.sets.insert(set.id.as_str().to_owned(), (now, Arc::clone(set)));
        while kept.sets.len() > 1 && kept.sets.values().map(|(_, set)| set.bytes()).sum::<usize>() > MOST_BYTES {
            let oldest = kept.sets.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { return };
            kept.sets.remove(&oldest);
        }
    }
}

async fn read(store: &Store, facts: &DataSetRow) -> Result<Shelved, RecognitionError> {
    let id = facts.id();
    let mut images = Vec::new();
    let mut vectors = Vec::new();
    let mut after = -1;
    loop {
        let page = store.built_images(&id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for image in page {
            vectors.push((images.len() as u64, image.vector));
            images.push(Member { image_id: image.image_id.as_str().to_owned(), url: image.url, tag: image.tag });
        }
    }
    let head = store.data_set_head(&id).await?;
    let head = head.map(|bytes| {
        Probe::from_bytes(&bytes).ok_or_else(|| RecognitionError::Failed(format!("the head of {id} cannot be read")))
    });
    let head = head.transpose()?;
    let tags = super::health::tags(images.iter().map(|image| image.tag.as_str()));
    let dims = vectors.first().map_or(0, |(_, vector): &(u64, Vec<f32>)| vector.len());
    let classes = super::health::classes(&tags, images.iter().map(|image| image.tag.as_str()));
    let named = tags.clone();
    // Building an index of many images takes its time, and other tasks should not wait for it.
    let built = tokio::task::spawn_blocking(move || {
        let examples = left_out::examples(&vectors, &classes, &named);
        ((dims > 0).then(|| VectorIndex::build(dims, Settings::default(), vectors)), examples)
    });
    let (built, examples) = built.await.map_err(|error| RecognitionError::Failed(error.to_string()))?;
    let index = built.transpose().map_err(|error| RecognitionError::Failed(error.to_string()))?;
    let engine = facts.model_sha256.clone();
    Ok(Shelved { id, since: facts.changed_at(), index, images, head, tags, engine, examples })
}
