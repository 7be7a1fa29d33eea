//! The sources whose verdicts are in memory, within a bound.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kaisatsu_feedback::Unjudged;
use lru::LruCache;
use metrics::{counter, gauge};

use super::source::{LearnedSource, SourceKey};
use crate::engine::{FEEDBACK_BYTES, FEEDBACK_DROPPED, FEEDBACK_LIMIT, FEEDBACK_SOURCES};

/// The part of the bound that may be spent on what the guard has not finished with of sources that were dropped.
const KEPT_PART: usize = 8;

/// What may be spent on that in any case.
const KEPT_LEAST: usize = 1 << 20;

/// The sources in memory. The least recently asked one is dropped first.
pub(super) struct Residents {
    /// The most bytes.
    bound: usize,
    inner: Mutex<Inner>,
}

struct Inner {
    sources: LruCache<SourceKey, Resident>,
    /// What all of them take.
    bytes: usize,
    /// What the guard has not finished with, of sources that were dropped.
    kept: LruCache<SourceKey, Unjudged>,
    kept_bytes: usize,
}

struct Resident {
    source: Arc<LearnedSource>,
    /// What its exemplars take.
    model_bytes: usize,
    /// What the scores on them take, as of the latest question.
    score_bytes: usize,
}

impl Resident {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of::<LearnedSource>() + self.model_bytes + self.score_bytes
    }

    /// Whether a request or a verdict is at it. References are made under the lock, so that there is none to come.
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.source) > 1
    }
}

impl Residents {
    pub(super) fn new(bound: usize) -> Self {
        let inner = Inner { sources: LruCache::unbounded(), bytes: 0, kept: LruCache::unbounded(), kept_bytes: 0 };
        Self { bound, inner: Mutex::new(inner) }
    }

    /// A source for somebody who asks it.
    pub(super) fn ask(&self, key: &SourceKey) -> Option<Arc<LearnedSource>> {
        let mut inner = self.lock();
        let Inner { sources, bytes, .. } = &mut *inner;
        let resident = sources.get_mut(key)?;
        let scores = resident.source.scores.bytes();
        *bytes = *bytes - resident.score_bytes + scores;
        resident.score_bytes = scores;
        Some(Arc::clone(&resident.source))
    }

    /// A source, without asking it.
    pub(super) fn peek(&self, key: &SourceKey) -> Option<Arc<LearnedSource>> {
        self.lock().sources.peek(key).map(|resident| Arc::clone(&resident.source))
    }

    /// Takes in a source, with all of its verdicts judged but for what the guard had not finished with when it was
    /// dropped. `false` if it takes more than the bound alone.
    pub(super) fn insert(&self, key: &SourceKey, source: &Arc<LearnedSource>) -> bool {
        source.model.mark_all_judged();
        let mut inner = self.lock();
        if let Some(unjudged) = inner.kept.pop(key) {
            inner.kept_bytes -= key.bytes() + unjudged.bytes();
            source.model.restore_unjudged(&unjudged);
        }
        let resident = Resident { source: Arc::clone(source), model_bytes: source.model.bytes(), score_bytes: 0 };
        let bytes = key.bytes() + resident.bytes();
        inner.bytes += bytes;
        if let Some(replaced) = inner.sources.put(key.clone(), resident) {
            inner.bytes -= key.bytes() + replaced.bytes();
        }
        self.report(&inner);
        bytes <= self.bound
    }

    /// Notes that the verdicts on a source changed.
    pub(super) fn measure(&self, key: &SourceKey) {
        let Some(source) = self.peek(key) else { return };
        let model_bytes = source.model.bytes();
        let mut inner = self.lock();
        let Inner { sources, bytes, .. } = &mut *inner;
        if let Some(resident) = sources.peek_mut(key) {
            *bytes = *bytes - resident.model_bytes + model_bytes;
            resident.model_bytes = model_bytes;
        }
    }

    /// Drops the least recently asked sources that nobody is at, until the others are within the bound.
    pub(super) fn trim(&self) {
        let mut inner = self.lock();
        let mut over = (inner.bytes + inner.kept_bytes).saturating_sub(self.bound);
        let mut dropped = Vec::new();
        if over > 0 {
            // The one that was asked last stays, however large it is.
            let others = inner.sources.iter().skip(1).collect::<Vec<_>>().into_iter().rev();
            for (key, resident) in others.filter(|(_, resident)| !resident.is_in_use()) {
                over = over.saturating_sub(key.bytes() + resident.bytes());
                dropped.push(key.clone());
                if over == 0 {
                    break;
                }
            }
        }
        for key in &dropped {
            let Some(resident) = inner.remove(key) else { continue };
            let unjudged = resident.source.model.unjudged();
            if !unjudged.is_empty() {
                inner.kept_bytes += key.bytes() + unjudged.bytes();
                inner.kept.put(key.clone(), unjudged);
            }
        }
        while inner.kept_bytes > KEPT_LEAST.max(self.bound / KEPT_PART) {
            let Some((key, unjudged)) = inner.kept.pop_lru() else { break };
            inner.kept_bytes -= key.bytes() + unjudged.bytes();
        }
        counter!(FEEDBACK_DROPPED).increment(dropped.len() as u64);
        self.report(&inner);
    }

    /// Removes a dataset that was deleted.
    pub(super) fn forget(&self, dataset: &str) {
        let mut inner = self.lock();
        let is_it = |key: &&SourceKey| key.stored_name() == Some(dataset);
        let keys: Vec<SourceKey> = inner.sources.iter().map(|(key, _)| key).filter(is_it).cloned().collect();
        for key in keys {
            inner.remove(&key);
        }
        let kept: Vec<SourceKey> = inner.kept.iter().map(|(key, _)| key).filter(is_it).cloned().collect();
        for key in kept {
            if let Some(unjudged) = inner.kept.pop(&key) {
                inner.kept_bytes -= key.bytes() + unjudged.bytes();
            }
        }
        self.report(&inner);
    }

    /// Removes everything.
    pub(super) fn clear(&self) {
        let mut inner = self.lock();
        inner.sources.clear();
        inner.kept.clear();
        (inner.bytes, inner.kept_bytes) = (0, 0);
        self.report(&inner);
    }

    /// The datasets in memory, each once.
    pub(super) fn datasets(&self) -> Vec<String> {
        let inner = self.lock();
        let all = inner.sources.iter().map(|(key, _)| key).chain(inner.kept.iter().map(|(key, _)| key));
        let mut datasets: Vec<String> = all.filter_map(|key| Some(key.dataset()?.as_str().to_owned())).collect();
        datasets.sort();
        datasets.dedup();
        datasets
    }

    /// The number of sources in memory, and the bytes that they take.
    #[cfg(test)]
    pub(super) fn size(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.sources.len(), inner.bytes)
    }

    #[allow(clippy::cast_precision_loss, reason = "a measurement")]
    fn report(&self, inner: &Inner) {
        gauge!(FEEDBACK_SOURCES).set(inner.sources.len() as f64);
        gauge!(FEEDBACK_BYTES).set((inner.bytes + inner.kept_bytes) as f64);
        gauge!(FEEDBACK_LIMIT).set(self.bound as f64);
    }

    // A panic while something is counted leaves a wrong count, and all sources usable.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn remove(&mut self, key: &SourceKey) -> Option<Resident> {
        let resident = self.sources.pop(key)?;
        self.bytes -= key.bytes() + resident.bytes();
        Some(resident)
    }
}
