//! One image of a dataset: from its address or the storage area to a vector that is ready to be written.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use kaisatsu_fetch::{FetchError, Fetcher};
use kaisatsu_model::{Clock, Outcome};
use kaisatsu_store::{BlobKey, ImageResult, Lease, PendingImage};

use super::MOST_ATTEMPTS;
use crate::{
    RecognitionError,
    context::Context,
    engine::{EngineQueue, Workload, embedding},
    storage::BlobWriter,
};

/// How long to wait before the second and the third attempt at what may be temporary.
const RETRY_AFTER: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

/// Fetches, embeds and stores images.
pub(super) struct ImageEmbedder {
    clock: Arc<dyn Clock>,
    engine: Arc<EngineQueue>,
    fetcher: Arc<Fetcher>,
    writer: BlobWriter,
}

impl ImageEmbedder {
    pub(super) fn new(context: &Context) -> Self {
        Self {
            clock: Arc::clone(&context.clock),
            engine: Arc::clone(&context.engine),
            fetcher: Arc::clone(&context.fetcher),
            writer: BlobWriter::new(context),
        }
    }

    /// Whether the engine was stopped, and no image can be embedded.
    pub(super) fn is_stopped(&self) -> bool {
        self.engine.is_stopped()
    }

    /// Embeds one image. What is wrong with the image is an outcome; only what is wrong with the server is an error.
    pub(super) async fn embed(&self, lease: &Lease, task: &PendingImage) -> Result<ImageResult, RecognitionError> {
        let bytes = match (&task.blob, &task.url) {
            (Some(key), _) => match self.writer.blobs().get(key).await {
                Ok(Some(bytes)) => bytes,
                Err(error) => return give_up(lease, task, error.into()),
                Ok(None) => return Ok(refused(Outcome::NotFound, "its bytes are no longer in the storage")),
            },
            (None, Some(url)) => match self.fetcher.get(url).await {
                Ok(bytes) => bytes,
                Err(error) => return Ok(self.not_fetched(task, &error)),
            },
            (None, None) => return Ok(refused(Outcome::NotFound, "the image is no longer in the storage area")),
        };
        let (vector, sha256) = match self.vector(&lease.model, bytes.clone()).await {
            Ok(embedded) => embedded,
            Err(RecognitionError::Image(error)) => {
                let outcome = if error.is_too_large() { Outcome::TooLarge } else { Outcome::NotAnImage };
                return Ok(refused(outcome, &error.to_string()));
            }
            // An image that makes the engine fail must not hold up the others.
            Err(RecognitionError::Failed(cause)) => {
                tracing::error!(dataset = %lease.id, position = task.position, cause, "an image could not be embedded");
                let refused = || refused(Outcome::Failed, "the server could not look at it");
                return Ok(self.retry(task).unwrap_or_else(refused));
            }
            Err(error) => return Err(error),
        };
        if let Some(blob) = task.blob.clone() {
            return Ok(ImageResult::Fetched { blob, vector });
        }
        let blob = BlobKey { application: lease.application.clone(), user: lease.user.clone(), sha256 };
        match self.writer.write(&blob, &bytes).await {
            Ok(()) => Ok(ImageResult::Fetched { blob, vector }),
            Err(error @ RecognitionError::BytesFull(_)) => Ok(refused(Outcome::OverQuota, &error.to_string())),
            Err(error) => give_up(lease, task, error),
        }
    }

    /// Releases the bytes of an image whose result was not written.
    pub(super) async fn release(&self, blob: &BlobKey) {
        self.writer.release(blob).await;
    }

    /// The outcome of an image that could not be fetched, or another attempt.
    fn not_fetched(&self, task: &PendingImage, error: &FetchError) -> ImageResult {
        if error.is_transient()
            && let Some(later) = self.retry(task)
        {
            return later;
        }
        let outcome = match error {
            FetchError::Malformed(_) | FetchError::Denied(_) => Outcome::Denied,
            FetchError::NotFound(_) => Outcome::NotFound,
            FetchError::TooLarge { .. } => Outcome::TooLarge,
            FetchError::TimedOut => Outcome::TimedOut,
            FetchError::TooManyRedirects | FetchError::Answered(_) | FetchError::Unreachable(_) => Outcome::Failed,
        };
        refused(outcome, &error.to_string())
    }

    /// Another attempt, if there is one left.
    fn retry(&self, task: &PendingImage) -> Option<ImageResult> {
        let wait = RETRY_AFTER.get(usize::try_from(task.attempts).unwrap_or(usize::MAX))?;
        Some(ImageResult::RetryAt(self.clock.now().after(*wait)))
    }

    /// The vector of an image of the storage; `None` when its bytes are not there any more.
    pub(super) async fn reembed(&self, model: &str, blob: &BlobKey) -> Result<Option<Vec<f32>>, RecognitionError> {
        let Some(bytes) = self.writer.blobs().get(blob).await? else { return Ok(None) };
        Ok(Some(self.vector(model, bytes).await?.0))
    }

    async fn vector(&self, model: &str, bytes: Bytes) -> Result<(Vec<f32>, [u8; 32]), RecognitionError> {
        const WORKLOAD: Workload = Workload::DatasetImage;
        let same = bytes.clone();
        let hash = move |_: &[f32]| Ok(kaisatsu_store::sha256(&same));
        let work = embedding(self.engine.bounds(), WORKLOAD, model.to_owned(), bytes, hash);
        let (sha256, vector) = self.engine.run_in_background(WORKLOAD, work).await?;
        Ok((vector, sha256))
    }
}

/// A failing storage is the server's fault, and temporary. When it still fails at the last attempt, it costs the images
/// that it fails for, and not the dataset.
fn give_up(lease: &Lease, task: &PendingImage, error: RecognitionError) -> Result<ImageResult, RecognitionError> {
    match error {
        RecognitionError::Blobs(error) if lease.attempts >= MOST_ATTEMPTS => {
            tracing::error!(dataset = %lease.id, position = task.position, %error, "an image is left out");
            Ok(refused(Outcome::Failed, "the storage could not read or keep its bytes"))
        }
        error => Err(error),
    }
}

fn refused(outcome: Outcome, detail: &str) -> ImageResult {
    ImageResult::Rejected(outcome, detail.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use kaisatsu_fetch::FetchError;
    use kaisatsu_model::{Outcome, Tag, Timestamp};
    use kaisatsu_store::{BlobKey, ImageResult, ImageSource, NewDatasetImage, PendingImage};

    use super::{ImageEmbedder, MOST_ATTEMPTS};
    use crate::{
        RecognitionError, UploadRequest,
        fixture::{Fixture, PIXEL},
    };

    #[tokio::test]
    async fn an_image_that_cannot_be_read_for_long_is_left_out() {
        let fixture = Fixture::new().await;
        let (store, user) = (&fixture.store, &fixture.user);
        let upload = fixture.recognition.storage.upload(user, Bytes::from_static(PIXEL), UploadRequest::default());
        let image = upload.await.unwrap();
        // A link to itself exists and cannot be read.
        let file = fixture.folder.path().join(BlobKey::of(&user.application, &user.id, PIXEL).name());
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&file, &file).unwrap();
        let image = NewDatasetImage { source: ImageSource::Stored(image.id), tag: Tag::new("cat").ok() };
        let id = fixture.dataset(user, 0, vec![image]).await;
        let embedder = ImageEmbedder::new(&fixture.context);
        for attempt in 1..=MOST_ATTEMPTS {
            let now = Timestamp(0).after(Duration::from_secs(attempt.unsigned_abs()));
            let lease = store.claim_dataset("word", now, now.after(Duration::from_secs(1))).await.unwrap().unwrap();
            let tasks = store.pending_images(&id, now, -1, 10).await.unwrap();
            match embedder.embed(&lease, &tasks[0]).await {
                Err(RecognitionError::Blobs(_)) => assert!(attempt < MOST_ATTEMPTS, "it is tried for ever"),
                Ok(ImageResult::Rejected(Outcome::Failed, _)) => assert_eq!(attempt, MOST_ATTEMPTS),
                other => panic!("{other:?}"),
            }
            store.defer_lease(&lease, now).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_temporary_failure_is_tried_three_times_and_a_lasting_one_once() {
        let fixture = Fixture::new().await;
        let embedder = ImageEmbedder::new(&fixture.context);
        let missed = |attempts, error: &FetchError| {
            embedder.not_fetched(&PendingImage { position: 0, url: None, blob: None, attempts }, error)
        };
        let now = Timestamp(0);
        assert_eq!(missed(0, &FetchError::TimedOut), ImageResult::RetryAt(now.after(Duration::from_secs(2))));
        assert_eq!(missed(1, &FetchError::TimedOut), ImageResult::RetryAt(now.after(Duration::from_secs(10))));
        assert!(matches!(missed(2, &FetchError::TimedOut), ImageResult::Rejected(Outcome::TimedOut, _)));
        assert!(matches!(missed(0, &FetchError::TooManyRedirects), ImageResult::Rejected(Outcome::Failed, _)));
    }
}
