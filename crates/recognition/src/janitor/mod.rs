//! The janitor: removes bytes that nothing refers to, expired recognitions and answers, and what deleted applications
//! owned.

mod erase;

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};
use kaisatsu_model::{ANSWERS_KEPT, Clock, DatasetId};
use kaisatsu_store::{BlobKey, Blobs, Store, StoreError};

use crate::{
    RecognitionError, background::Signals, context::Context, datasets::Datasets, indexes::DatasetCache,
    learning::LearnedFeedback, log::RecognitionLog,
};

/// How often bytes are swept without a signal.
const SWEEP_INTERVAL: Duration = Duration::from_secs(15);

/// How often expired recognitions are deleted.
const EXPIRE_INTERVAL: Duration = Duration::from_mins(10);

/// How often half-written files are looked for.
const TIDY_INTERVAL: Duration = Duration::from_hours(1);

/// How old claimed bytes are when their writer is taken for dead.
const WRITE_TIMEOUT: Duration = Duration::from_mins(10);

/// How long a removal may take, and after which time another sweeper takes it over: long after the first has given up,
/// so that no late removal meets bytes that were written anew.
const REMOVE_TIMEOUT: Duration = Duration::from_secs(5);
const TAKEOVER: Duration = Duration::from_secs(20);

/// How many bytes are taken in one transaction, and how many of them are removed at once.
const BATCH: i64 = 100;
const AT_ONCE: usize = 16;

/// Removes what is deleted or expired.
pub struct Janitor {
    store: Store,
    clock: Arc<dyn Clock>,
    blobs: Blobs,
    log: Arc<RecognitionLog>,
    learned: Arc<LearnedFeedback>,
    cache: Arc<DatasetCache>,
    datasets: Arc<Datasets>,
    signals: Arc<Signals>,
}

impl Janitor {
    pub(crate) fn new(context: &Context, datasets: &Arc<Datasets>) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            blobs: context.blobs.clone(),
            log: Arc::clone(&context.log),
            learned: Arc::clone(&context.learned),
            cache: Arc::clone(&context.datasets),
            datasets: Arc::clone(datasets),
            signals: Arc::clone(&context.signals),
        }
    }

    /// Tells the janitor that there is something to remove.
    pub fn wake(&self) {
        self.signals.sweep.notify_one();
    }

    /// Removes from database and storage as long as this lives.
    pub(crate) fn start(self: &Arc<Self>) {
        self.start_sweeping();
        self.start_expiring();
    }

    /// Removes from the memory of this process what others deleted, as long as this lives.
    pub(crate) fn start_forgetting(self: &Arc<Self>) {
        let janitor = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Some(alive) = janitor.upgrade() else { return };
                if let Err(error) = alive.forget_deleted_datasets().await {
                    tracing::warn!(%error, "what was learned of deleted datasets cannot be forgotten yet");
                }
                drop(alive);
                tokio::time::sleep(EXPIRE_INTERVAL).await;
            }
        });
    }

    fn start_sweeping(self: &Arc<Self>) {
        let janitor = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut tidied: Option<Instant> = None;
            loop {
                let Some(alive) = janitor.upgrade() else { return };
                if tidied.is_none_or(|last| last.elapsed() > TIDY_INTERVAL) {
                    alive.remove_half_written().await;
                    tidied = Some(Instant::now());
                }
                match alive.erase().await {
                    Ok(0) => {}
                    Ok(gone) => tracing::info!(gone, "deleted applications are erased"),
                    Err(error) => {
                        tracing::warn!(%error, "a deleted application could not be erased; it is tried again");
                    }
                }
                if let Err(error) = alive.sweep().await {
                    tracing::warn!(%error, "bytes that nothing refers to could not be removed; they are tried again");
                }
                // Whatever was deleted since the last time, also by others, leaves the log.
                match alive.store.wal_checkpoint().await {
                    Ok(true) => {}
                    Ok(false) => tracing::debug!("the database is being read; its log is checkpointed the next time"),
                    Err(error) => tracing::debug!(%error, "the database's log is checkpointed the next time"),
                }
                let _ = tokio::time::timeout(SWEEP_INTERVAL, alive.signals.sweep.notified()).await;
            }
        });
    }

    fn start_expiring(self: &Arc<Self>) {
        let janitor = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Some(alive) = janitor.upgrade() else { return };
                match alive.log.expire().await {
                    Ok(0) => {}
                    Ok(gone) => tracing::info!(gone, "expired recognitions are deleted"),
                    Err(error) => tracing::warn!(%error, "expired recognitions cannot be deleted"),
                }
                if let Err(error) = alive.store.delete_expired_requests(alive.clock.now().before(ANSWERS_KEPT)).await {
                    tracing::warn!(%error, "expired answers of requests with an Idempotency-Key cannot be deleted");
                }
                drop(alive);
                tokio::time::sleep(EXPIRE_INTERVAL).await;
            }
        });
    }

    /// Removes files that were being written when a process ended.
    async fn remove_half_written(&self) {
        for file in self.blobs.unfinished_writes(WRITE_TIMEOUT).await {
            if let Err(error) = std::fs::remove_file(&file) {
                tracing::warn!(%error, file = %file.display(), "a half-written file could not be removed");
            }
        }
    }

    /// Removes bytes that nothing refers to; how many. A removal that the end of the server interrupts is found again.
    ///
    /// # Errors
    /// When the database or the storage fails.
    pub async fn sweep(&self) -> Result<usize, RecognitionError> {
        let mut removed = 0;
        loop {
            let now = self.clock.now();
            let (written, taken) = (now.before(WRITE_TIMEOUT), now.before(TAKEOVER));
            let deleting = self.store.mark_blobs_deleting(now, written, taken, BATCH).await?;
            if deleting.is_empty() {
                return Ok(removed);
            }
            let gone = self.remove_in_time(&deleting).await;
            // A storage that removes nothing is not asked for more at once. The rest of a batch is taken later.
            if gone.is_empty() {
                return Ok(removed);
            }
            // The rows go last: a caller who finds no row may write the same bytes anew.
            let names: Vec<String> = gone.iter().map(BlobKey::name).collect();
            self.blobs.sync_removed(&names).await?;
            self.store.delete_blob_rows(&gone, now).await?;
            removed += gone.len();
        }
    }

    /// Removes bytes, some at once, as many as there is time for. Returns those that are removed.
    async fn remove_in_time(&self, deleting: &[BlobKey]) -> Vec<BlobKey> {
        let until = tokio::time::Instant::now() + REMOVE_TIMEOUT;
        let remove = |key: &BlobKey| {
            let (blobs, key) = (self.blobs.clone(), key.clone());
            async move {
                match tokio::time::timeout_at(until, blobs.remove(&key.name())).await {
                    Ok(Ok(())) => Some(key),
                    // One that cannot be removed must not hold up the others; it is tried again.
                    Ok(Err(error)) => {
                        tracing::warn!(%error, "bytes that nothing refers to could not be removed");
                        None
                    }
                    Err(_) => None,
                }
            }
        };
        stream::iter(deleting.iter().map(remove))
            .buffer_unordered(AT_ONCE)
            .filter_map(std::future::ready)
            .collect()
            .await
    }

    /// Forgets datasets that another replica deleted, and what was learned of them.
    async fn forget_deleted_datasets(&self) -> Result<(), StoreError> {
        let known: BTreeSet<String> = self.learned.datasets().into_iter().chain(self.cache.ids()).collect();
        let known: Vec<String> = known.into_iter().collect();
        let live: HashSet<String> = self.store.existing_datasets(&known).await?.into_iter().collect();
        for deleted in known.iter().filter(|id| !live.contains(*id)) {
            self.cache.remove(&DatasetId::from_text(deleted.as_str()));
            self.learned.forget(deleted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::TryStreamExt;
    use kaisatsu_model::{Source, Timestamp};
    use kaisatsu_store::{BlobClaim, BlobKey};

    use crate::fixture::Fixture;

    #[tokio::test]
    async fn bytes_that_nothing_refers_to_are_removed_batch_after_batch() {
        let fixture = Fixture::new().await;
        let blobs = &fixture.context.blobs;
        for number in 0..250u8 {
            let key = BlobKey::of(&fixture.user.application, &fixture.user.id, &[number]);
            assert_eq!(fixture.store.claim_blob(&key, 1, 1_000, Timestamp(0)).await.unwrap(), BlobClaim::Write);
            blobs.put(&key, Bytes::from(vec![number])).await.unwrap();
            fixture.store.release_blob(&key, Timestamp(0)).await.unwrap();
        }
        assert_eq!(fixture.recognition.janitor.sweep().await.unwrap(), 250);
        assert!(blobs.list().try_collect::<Vec<_>>().await.unwrap().is_empty());
        assert!(fixture.store.blob_rows(None, 10).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_dataset_that_another_replica_deleted_leaves_memory() {
        let fixture = Fixture::new().await;
        let (store, user, janitor) = (&fixture.store, &fixture.user, &fixture.recognition.janitor);
        let id = fixture.dataset(user, 1, Vec::new()).await;
        let row = store.dataset(&user.application, &user.id, &id).await.unwrap().unwrap();
        let cache = &fixture.context.datasets;
        cache.get(store, &row).await.unwrap();
        let source = Source::Dataset(id.clone());
        fixture.rate_as(&user.application, 1, source.clone()).await;
        assert!(fixture.learned_by(&user.application, &source).await);
        janitor.forget_deleted_datasets().await.unwrap();
        assert_eq!(cache.ids(), [id.as_str()]);
        assert!(fixture.is_in_memory(&source));
        store.delete_dataset(&user.application, &user.id, &id, Timestamp(1)).await.unwrap();
        janitor.forget_deleted_datasets().await.unwrap();
        assert!(cache.ids().is_empty());
        assert!(!fixture.is_in_memory(&source));
    }
}
