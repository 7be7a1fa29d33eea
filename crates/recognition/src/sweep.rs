//! Removing bytes that are nobody's any more.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

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

/// How many are taken at once.
const LOT: i64 = 100;

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
            let began = Instant::now();
            for key in doomed {
                let left = REMOVING.saturating_sub(began.elapsed());
                let name = key.name();
                let Ok(done) = tokio::time::timeout(left, self.users.settings.blobs.remove(&name)).await else {
                    return Ok(removed);
                };
                // One that cannot be removed must not keep the others; it is tried again.
                if let Err(error) = done {
                    tracing::warn!(%error, "bytes that are nobody's could not be removed");
                    continue;
                }
                self.keeping.store.forget_blob(&key).await?;
                removed += 1;
            }
        }
    }
}
