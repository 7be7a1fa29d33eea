//! One image of a dataset: from its address or the storage area to a vector that is ready to be written down.

use std::time::Duration;

use bytes::Bytes;
use kaisatsu_fetch::FetchError;
use kaisatsu_model::Outcome;
use kaisatsu_store::{BlobKey, Lease, Looked, Task};
use kaisatsu_vision::DecodeError;

use super::builder::MOST_ATTEMPTS;
use crate::{Recogniser, RecognitionError, embed::looking};

const TASK: &str = "dataset";

/// How long is waited before the second and the third try of what may pass by itself.
const WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

impl Recogniser {
    /// Looks at one image. What is wrong with the image is an outcome; only what is wrong with the server is an error.
    pub(super) async fn look_for_data_set(&self, lease: &Lease, task: &Task) -> Result<Looked, RecognitionError> {
        let bytes = match (&task.blob, &task.url) {
            (Some(key), _) => match self.users.settings.blobs.get(key).await {
                Ok(Some(bytes)) => bytes,
                Err(error) => return given_up(lease, task, error.into()),
                Ok(None) => return Ok(refused(Outcome::NotFound, "its bytes are not in the storage any more")),
            },
            (None, Some(url)) => match self.users.settings.fetcher.get(url).await {
                Ok(bytes) => bytes,
                Err(error) => return Ok(self.missed(task, &error)),
            },
            (None, None) => return Ok(refused(Outcome::NotFound, "the image is not in the storage area any more")),
        };
        let seen = match self.see(lease, bytes.clone()).await {
            Ok(seen) => seen,
            Err(RecognitionError::Image(error @ DecodeError::TooManyPixels { .. })) => {
                return Ok(refused(Outcome::TooLarge, &error.to_string()));
            }
            Err(RecognitionError::Image(error)) => return Ok(refused(Outcome::NotAnImage, &error.to_string())),
            // A picture that the engine stumbles over must not hold up the others.
            Err(RecognitionError::Failed(cause)) => {
                tracing::error!(dataset = %lease.id, place = task.position, cause, "an image could not be looked at");
                return Ok(self
                    .again(task)
                    .unwrap_or_else(|| refused(Outcome::Failed, "the server could not look at it")));
            }
            Err(error) => return Err(error),
        };
        if let Some(blob) = task.blob.clone() {
            return Ok(Looked::Fetched { blob, vector: seen.vector });
        }
        let blob = BlobKey { application: lease.application.clone(), user: lease.user.clone(), sha256: seen.sha256 };
        match self.keep_bytes(&blob, &bytes).await {
            Ok(()) => Ok(Looked::Fetched { blob, vector: seen.vector }),
            Err(error @ RecognitionError::BytesFull(_)) => Ok(refused(Outcome::OverQuota, &error.to_string())),
            Err(error) => given_up(lease, task, error),
        }
    }

    /// What became of an image that could not be had: an outcome, or another try.
    fn missed(&self, task: &Task, error: &FetchError) -> Looked {
        if error.is_passing()
            && let Some(later) = self.again(task)
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

    /// Another try of what may pass by itself, if there is one left.
    fn again(&self, task: &Task) -> Option<Looked> {
        let wait = WAITS.get(usize::try_from(task.attempts).unwrap_or(usize::MAX))?;
        Some(Looked::Later(self.keeping.now().after(*wait)))
    }

    async fn see(&self, lease: &Lease, bytes: Bytes) -> Result<Seen, RecognitionError> {
        let same = bytes.clone();
        let hash = move |_: &[f32]| Ok(kaisatsu_store::sha256(&same));
        let look = looking(self.bounds, TASK, lease.model.clone(), bytes, hash);
        let (sha256, vector) = self.slots.run_behind(TASK, look).await?;
        Ok(Seen { vector, sha256 })
    }
}

/// What was seen of an image.
struct Seen {
    vector: Vec<f32>,
    sha256: [u8; 32],
}

/// What is wrong with the storage is wrong with the server, and passes. What did not in all the time there is for that
/// costs the images it is wrong with, and not the dataset.
fn given_up(lease: &Lease, task: &Task, error: RecognitionError) -> Result<Looked, RecognitionError> {
    match error {
        RecognitionError::Blobs(error) if lease.attempts >= MOST_ATTEMPTS => {
            tracing::error!(dataset = %lease.id, place = task.position, %error, "an image is left out");
            Ok(refused(Outcome::Failed, "the storage could not read or keep its bytes"))
        }
        error => Err(error),
    }
}

fn refused(outcome: Outcome, detail: &str) -> Looked {
    Looked::Refused(outcome, detail.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use kaisatsu_model::{DataSetId, DataSetName, Outcome, Tag, Timestamp};
    use kaisatsu_store::{BlobKey, DataSetLimits, ImageSource, Looked, NewDataSet, NewDataSetImage};

    use super::MOST_ATTEMPTS;
    use crate::{
        RecognitionError, UploadAsk,
        sweep::stage::{PIXEL, Stage},
    };

    #[tokio::test]
    async fn an_image_that_cannot_be_read_for_long_is_left_out() {
        let stage = Stage::set().await;
        let (store, user) = (&stage.store, &stage.user);
        let image = stage.recogniser.upload(user, Bytes::from_static(PIXEL), UploadAsk::default()).await.unwrap();
        // A link to itself is there and cannot be read.
        let file = stage.folder.path().join(BlobKey::of(&user.application, &user.id, PIXEL).name());
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&file, &file).unwrap();
        let new = NewDataSet {
            id: DataSetId::from_random([1; 20]),
            application: user.application.clone(),
            user: user.id.clone(),
            name: DataSetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: Timestamp(0),
            images: vec![NewDataSetImage { source: ImageSource::Stored(image.id), tag: Tag::new("cat").ok() }],
        };
        store.create_data_set(&new, DataSetLimits { data_sets: 1, tags: 1 }).await.unwrap();
        for attempt in 1..=MOST_ATTEMPTS {
            let now = Timestamp(0).after(Duration::from_secs(attempt.unsigned_abs()));
            let lease = store.claim_data_set("word", now, now.after(Duration::from_secs(1))).await.unwrap().unwrap();
            let tasks = store.pending_images(&new.id, now, -1, 10).await.unwrap();
            match stage.recogniser.look_for_data_set(&lease, &tasks[0]).await {
                Err(RecognitionError::Blobs(_)) => assert!(attempt < MOST_ATTEMPTS, "it is tried for ever"),
                Ok(Looked::Refused(Outcome::Failed, _)) => assert_eq!(attempt, MOST_ATTEMPTS),
                other => panic!("{other:?}"),
            }
            store.put_off_lease(&lease, now).await.unwrap();
        }
    }
}
