//! An index for many threads, in which searches hardly ever wait for changes.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Error, Match, VectorIndex};

/// A [`VectorIndex`] behind a lock. A change is computed while searches run, under a lock that only changes take;
/// searches wait only while its result is written.
#[derive(Debug)]
pub struct SharedVectorIndex {
    index: RwLock<VectorIndex>,
    changing: Mutex<()>,
}

impl SharedVectorIndex {
    /// Shares an index.
    #[must_use]
    pub fn new(index: VectorIndex) -> Self {
        Self { index: RwLock::new(index), changing: Mutex::new(()) }
    }

    /// As [`VectorIndex::search`].
    ///
    /// # Errors
    ///
    /// If the query is refused.
    pub fn search(&self, query: &[f32], k: usize) -> Result<Vec<Match>, Error> {
        self.read().search(query, k)
    }

    /// As [`VectorIndex::cosines`].
    #[must_use]
    pub fn cosines(&self, ids: &[u64], query: &[f32]) -> Vec<Option<f32>> {
        self.read().cosines(ids, query)
    }

    /// The ids, in ascending order.
    #[must_use]
    pub fn ids(&self) -> Vec<u64> {
        self.read().ids().collect()
    }

    /// As [`VectorIndex::insert`].
    ///
    /// # Errors
    ///
    /// If the vector is refused.
    pub fn insert(&self, id: u64, vector: &[f32]) -> Result<(), Error> {
        let _alone = self.alone();
        let insertion = self.read().plan_insertion(id, vector)?;
        let replaced = self.write().apply_insertion(insertion);
        if replaced {
            self.sweep();
        }
        Ok(())
    }

    /// As [`VectorIndex::remove`]: a search that begins after the return does not find the id.
    pub fn remove(&self, id: u64) -> bool {
        let _alone = self.alone();
        let removed = self.write().take_out(id);
        if removed {
            self.sweep();
        }
        removed
    }

    /// Replaces the index.
    pub fn replace(&self, index: VectorIndex) {
        let _alone = self.alone();
        let former = std::mem::replace(&mut *self.write(), index);
        // Freeing gigabytes takes time, and the lock is released by now.
        drop(former);
    }

    /// Number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// Number of components of its vectors.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.read().dims()
    }

    /// Whether there are no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    fn sweep(&self) {
        let repairs = self.read().plan_repairs();
        if let Some(repairs) = repairs {
            self.write().apply_repairs(repairs);
        }
    }

    // A lock is poisoned if its holder panics. Should that happen, a search on a graph with a missing link is better
    // than none.
    fn read(&self) -> RwLockReadGuard<'_, VectorIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, VectorIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
