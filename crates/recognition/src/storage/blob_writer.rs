//! Writing users' bytes: claim them in the database, write them to the storage, release them when nothing needs them.

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use kaisatsu_model::Clock;
use kaisatsu_store::{BlobClaim, BlobError, BlobKey, Blobs, Store};

use crate::{RecognitionError, background::Signals, context::Context};

/// How often bytes are claimed that are being removed, and how long to wait in between.
const CLAIMS: u32 = 40;
const CLAIM_INTERVAL: Duration = Duration::from_millis(100);

/// How often bytes that are being written are claimed again: long before the sweeper takes their writer for dead.
const CLAIM_AGAIN: Duration = Duration::from_mins(2);

/// Where bytes come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Bytes(&'a Bytes),
    File(&'a Path),
}

/// Writes bytes within a user's limit.
#[derive(Clone)]
pub(crate) struct BlobWriter {
    store: Store,
    clock: Arc<dyn Clock>,
    blobs: Blobs,
    signals: Arc<Signals>,
    most_bytes: u64,
}

impl BlobWriter {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            blobs: context.blobs.clone(),
            signals: Arc::clone(&context.signals),
            most_bytes: context.limits.bytes,
        }
    }

    /// A writer without a limit, for bytes of the server's own.
    pub(crate) fn unlimited(store: Store, clock: Arc<dyn Clock>, blobs: Blobs, signals: Arc<Signals>) -> Self {
        Self { store, clock, blobs, signals, most_bytes: u64::MAX }
    }

    /// The storage itself, for reading.
    pub(crate) fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Makes sure that bytes are stored. The sweeper removes them unless something comes to refer to them.
    pub(crate) async fn write(&self, key: &BlobKey, bytes: &Bytes) -> Result<(), RecognitionError> {
        self.write_from(key, bytes.len() as u64, Source::Bytes(bytes)).await
    }

    /// As [`Self::write`], for the bytes of a file, which may take longer than a claim lasts.
    pub(crate) async fn write_file(&self, key: &BlobKey, path: &Path, size: u64) -> Result<(), RecognitionError> {
        self.write_from(key, size, Source::File(path)).await
    }

    async fn put_file(&self, key: &BlobKey, path: &Path, size: u64) -> Result<(), BlobError> {
        let mut put = std::pin::pin!(self.blobs.put_file(key, path));
        loop {
            match tokio::time::timeout(CLAIM_AGAIN, &mut put).await {
                Ok(done) => return done,
                Err(_) => self.claim_again(key, size).await,
            }
        }
    }

    /// Tells the sweeper that bytes are still being written. When that fails, they are written again at worst.
    async fn claim_again(&self, key: &BlobKey, size: u64) {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let _ = self.store.claim_blob(key, size, i64::MAX, self.clock.now()).await;
    }

    async fn write_from(&self, key: &BlobKey, bytes: u64, source: Source<'_>) -> Result<(), RecognitionError> {
        let size = i64::try_from(bytes).unwrap_or(i64::MAX);
        let most = i64::try_from(self.most_bytes).unwrap_or(i64::MAX);
        for _ in 0..CLAIMS {
            match self.store.claim_blob(key, size, most, self.clock.now()).await? {
                // Bytes that the storage has lost are written again.
                BlobClaim::Exists if self.blobs.size(key).await? == Some(bytes) => return Ok(()),
                BlobClaim::Exists | BlobClaim::Write => {
                    match source {
                        Source::Bytes(bytes) => self.blobs.put(key, bytes.clone()).await?,
                        Source::File(path) => self.put_file(key, path, bytes).await?,
                    }
                    return Ok(());
                }
                BlobClaim::QuotaExceeded => return Err(RecognitionError::BytesFull(self.most_bytes)),
                BlobClaim::Deleting => tokio::time::sleep(CLAIM_INTERVAL).await,
            }
        }
        Err(RecognitionError::Busy)
    }

    /// Releases bytes that nothing came to refer to. When that fails, the sweeper finds them later by their age.
    pub(crate) async fn release(&self, key: &BlobKey) {
        if let Err(error) = self.store.release_blob(key, self.clock.now()).await {
            tracing::debug!(%error, "bytes that nothing refers to stay for a while");
        }
        self.signals.sweep.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use kaisatsu_store::BlobKey;

    use super::BlobWriter;
    use crate::{RecognitionError, fixture::Fixture};

    #[tokio::test]
    async fn a_user_s_limit_counts_all_bytes_and_those_of_nobody_else() {
        let fixture = Fixture::new().await;
        let writer = BlobWriter::new(&fixture.context);
        let most = usize::try_from(fixture.context.limits.bytes).unwrap();
        let bytes = |number: u8, len: usize| Bytes::from(vec![number; len]);
        let (half, rest) = (bytes(1, most / 2), bytes(2, most - most / 2));
        for part in [&half, &rest] {
            let key = BlobKey::of(&fixture.user.application, &fixture.user.id, part);
            writer.write(&key, part).await.unwrap();
        }
        let one = bytes(3, 1);
        let key = BlobKey::of(&fixture.user.application, &fixture.user.id, &one);
        assert!(matches!(writer.write(&key, &one).await, Err(RecognitionError::BytesFull(_))));
        let other = fixture.other_user();
        writer.write(&BlobKey::of(&other.application, &other.id, &one), &one).await.unwrap();
        // The same bytes again take no more room.
        let key = BlobKey::of(&fixture.user.application, &fixture.user.id, &half);
        writer.write(&key, &half).await.unwrap();
    }
}
