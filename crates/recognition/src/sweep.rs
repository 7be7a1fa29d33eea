//! Removing bytes that are nobody's any more.

#[cfg(test)]
pub(crate) mod stage;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};
use kaisatsu_store::BlobKey;

use crate::{Recogniser, RecognitionError};

/// How often somebody looks when nobody rings.
const EVERY: Duration = Duration::from_secs(15);

/// How old claimed bytes are when whoever was to write them is given up.
const WRITING: Duration = Duration::from_mins(10);

/// How long a removal may take, and after which time another sweeper takes over: long after the first has given up, so
/// that no late removal meets bytes that were written anew.
const REMOVING: Duration = Duration::from_secs(5);
const REMOVED: Duration = Duration::from_secs(20);

/// How often half-written files are looked for.
const TIDY: Duration = Duration::from_hours(1);

/// How many are taken at once, and how many of them are removed at once.
const LOT: i64 = 100;
const TOGETHER: usize = 16;

impl Recogniser {
    /// Sweeps as long as the server runs.
    pub fn sweep_in_time(self: &Arc<Self>) {
        let recogniser = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut tidied: Option<Instant> = None;
            loop {
                let Some(alive) = recogniser.upgrade() else { return };
                if tidied.is_none_or(|last| last.elapsed() > TIDY) {
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
                    tracing::warn!(%error, "bytes that are nobody's could not be removed; they are tried again");
                }
                // Whatever was deleted since the last time, also by others.
                match alive.keeping.store.fold_log().await {
                    Ok(true) => {}
                    Ok(false) => tracing::debug!("the database is read; its log is folded the next time"),
                    Err(error) => tracing::debug!(%error, "the database's log is folded the next time"),
                }
                let _ = tokio::time::timeout(EVERY, alive.users.to_sweep.notified()).await;
            }
        });
    }

    /// Removes files that were being written when a process ended.
    async fn remove_half_written(&self) {
        for file in self.users.settings.blobs.half_written(WRITING).await {
            if let Err(error) = std::fs::remove_file(&file) {
                tracing::warn!(%error, file = %file.display(), "a half-written file could not be removed");
            }
        }
    }

    /// Removes what is nobody's; how much of it there was. What is half removed when the server ends is found again.
    ///
    /// # Errors
    /// When the database or the storage fails.
    pub async fn sweep(&self) -> Result<usize, RecognitionError> {
        let mut removed = 0;
        loop {
            let now = self.keeping.now();
            let doomed = self.keeping.store.doom_blobs(now, now.before(WRITING), now.before(REMOVED), LOT).await?;
            if doomed.is_empty() {
                return Ok(removed);
            }
            let gone = self.remove_in_time(&doomed).await;
            // A storage that removes nothing is not asked for more at once; what is left of a lot is taken later.
            if gone.is_empty() {
                return Ok(removed);
            }
            // Forgotten last: whoever finds no row may write the same bytes anew.
            let names: Vec<String> = gone.iter().map(BlobKey::name).collect();
            self.users.settings.blobs.sync_removed(&names).await?;
            self.keeping.store.forget_blobs(&gone, now).await?;
            removed += gone.len();
        }
    }

    /// Removes bytes, some at once, as many as there is time for; those that are removed.
    async fn remove_in_time(&self, doomed: &[BlobKey]) -> Vec<BlobKey> {
        let until = tokio::time::Instant::now() + REMOVING;
        let remove = |key: &BlobKey| {
            let (blobs, key) = (self.users.settings.blobs.clone(), key.clone());
            async move {
                match tokio::time::timeout_at(until, blobs.remove(&key.name())).await {
                    Ok(Ok(())) => Some(key),
                    // One that cannot be removed must not keep the others; it is tried again.
                    Ok(Err(error)) => {
                        tracing::warn!(%error, "bytes that are nobody's could not be removed");
                        None
                    }
                    Err(_) => None,
                }
            }
        };
        stream::iter(doomed.iter().map(remove))
            .buffer_unordered(TOGETHER)
            .filter_map(std::future::ready)
            .collect()
            .await
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::TryStreamExt;
    use kaisatsu_model::Timestamp;
    use kaisatsu_store::{BlobKey, Claim};

    use super::stage::Stage;

    #[tokio::test]
    async fn what_is_nobody_s_goes_lot_after_lot() {
        let stage = Stage::set().await;
        for number in 0..250u8 {
            let key = BlobKey::of(&stage.user.application, &stage.user.id, &[number]);
            assert_eq!(stage.store.claim_blob(&key, 1, 1_000, Timestamp(0)).await.unwrap(), Claim::Write);
            stage.blobs().put(&key, Bytes::from(vec![number])).await.unwrap();
            stage.store.release_blob(&key, Timestamp(0)).await.unwrap();
        }
        assert_eq!(stage.recogniser.sweep().await.unwrap(), 250);
        assert!(stage.blobs().list().try_collect::<Vec<_>>().await.unwrap().is_empty());
        assert!(stage.store.blob_rows(None, 10).await.unwrap().is_empty());
    }
}
