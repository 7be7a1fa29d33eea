//! The image storage area: users' own images, to make datasets of.

mod blob_writer;

use std::{sync::Arc, time::Duration};

pub(crate) use blob_writer::BlobWriter;
use bytes::Bytes;
use kaisatsu_admission::{Full, Limits, Queue};
use kaisatsu_model::{Clock, DatasetName, ImageId, Tag};
use kaisatsu_store::{BlobKey, KeptImage, NewUserImage, PutImageOutcome, Store, UserImage};
use kaisatsu_vision::{Worker, decode, thumbnail};

use crate::{
    Cursor, Page, RecognitionError, User,
    background::Signals,
    context::Context,
    engine::{DECODE, EngineQueue, Workload, timed},
    log::random,
};

/// The shorter side that is decoded for a thumbnail.
const THUMBNAIL_SIDE: u32 = 256;

/// How many images are in memory for thumbnails at once, and how many callers may wait for that.
const THUMBNAILS: Limits = Limits { running: 4, waiting: 252, retry_after: Duration::from_secs(1) };

/// What a caller says of an image.
#[derive(Debug, Clone, Default)]
pub struct UploadRequest {
    /// What it shows.
    pub tag: Option<Tag>,
    /// The user's name for it.
    pub name: Option<DatasetName>,
}

/// An image that is in the storage area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uploaded {
    /// Its id.
    pub id: ImageId,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Pixels from left to right, as the file says.
    pub width: u32,
    /// Pixels from top to bottom, as the file says.
    pub height: u32,
    /// What it shows, as far as anybody has said: in this upload, or in one of the same bytes before.
    pub tag: Option<String>,
    /// The user's name for it, in the same way.
    pub name: Option<String>,
}

/// Users' storage areas.
pub struct StorageArea {
    store: Store,
    clock: Arc<dyn Clock>,
    engine: Arc<EngineQueue>,
    writer: BlobWriter,
    signals: Arc<Signals>,
    thumbnails: Queue,
    most_images: u32,
}

impl StorageArea {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            engine: Arc::clone(&context.engine),
            writer: BlobWriter::new(context),
            signals: Arc::clone(&context.signals),
            thumbnails: Queue::new(THUMBNAILS),
            most_images: context.limits.images,
        }
    }

    /// Puts an image into a user's storage area. The same bytes are stored once, under one id, with the tag and the
    /// name that came first.
    ///
    /// # Errors
    /// Why it is not there.
    pub async fn upload(
        &self,
        user: &User,
        image: Bytes,
        request: UploadRequest,
    ) -> Result<Uploaded, RecognitionError> {
        let (bounds, input) = (self.engine.bounds(), image.clone());
        let measure = move |_: &mut Worker| {
            let decoded = timed(DECODE, Workload::Upload, || decode(&input, bounds, Some(THUMBNAIL_SIDE)))?;
            Ok((decoded.file.width, decoded.file.height, kaisatsu_store::sha256(&input)))
        };
        let (width, height, sha256) = self.engine.run(Workload::Upload, measure).await?;
        let key = BlobKey { application: user.application.clone(), user: user.id.clone(), sha256 };
        loop {
            self.writer.write(&key, &image).await?;
            let new = NewUserImage {
                id: ImageId::from_random(random()),
                key: key.clone(),
                width,
                height,
                tag: request.tag.as_ref().map(|tag| tag.as_str().to_owned()),
                name: request.name.as_ref().map(|name| name.as_str().to_owned()),
                created_at: self.clock.now(),
            };
            match self.store.put_user_image(&new, self.most_images.into()).await? {
                PutImageOutcome::Stored(KeptImage { id, tag, name }) => {
                    return Ok(Uploaded { id, sha256: kaisatsu_store::hex(&key.sha256), width, height, tag, name });
                }
                // The bytes were removed meanwhile: they are written again.
                PutImageOutcome::BlobDeleted => {}
                PutImageOutcome::LimitReached => {
                    self.writer.release(&key).await;
                    return Err(RecognitionError::ImagesFull(self.most_images));
                }
            }
        }
    }

    /// A page of a user's images, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, user: &User, after: &Cursor, most: usize) -> Result<Page<UserImage>, RecognitionError> {
        let rows = Page::<UserImage>::rows(most);
        let images = self.store.user_images(&user.application, &user.id, after.as_pair(), rows).await?;
        Ok(Page::cut(images, most, |image| (image.created_at, image.id.as_str().to_owned())))
    }

    /// Deletes an image from a user's storage area.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when it is not there.
    pub async fn delete(&self, user: &User, id: &ImageId) -> Result<(), RecognitionError> {
        if !self.store.delete_user_image(&user.application, &user.id, id, self.clock.now()).await? {
            return Err(RecognitionError::NoSuchImage);
        }
        self.signals.sweep.notify_one();
        Ok(())
    }

    /// The key of an image of a user's storage area, or of one that a dataset fetched.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when it is not there.
    pub async fn find(&self, user: &User, id: &ImageId) -> Result<BlobKey, RecognitionError> {
        let found = self.store.image_blob(&user.application, &user.id, id).await?;
        found.ok_or(RecognitionError::NoSuchImage)
    }

    /// The bytes of an image.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when it is not there any more.
    pub async fn read(&self, key: &BlobKey) -> Result<Bytes, RecognitionError> {
        self.writer.blobs().get(key).await?.ok_or(RecognitionError::NoSuchImage)
    }

    /// A thumbnail of an image. It is made each time: callers cache it, and nothing else has to be removed with the
    /// image.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when the image is not there any more.
    pub async fn thumbnail(&self, key: &BlobKey) -> Result<Bytes, RecognitionError> {
        let full = |Full { retry_after }| RecognitionError::Overloaded { wait: retry_after };
        let _turn = self.thumbnails.admit().await.map_err(full)?;
        let (image, bounds) = (self.read(key).await?, self.engine.bounds());
        let make = move |worker: &mut Worker| {
            let decoded = timed(DECODE, Workload::Thumbnail, || decode(&image, bounds, Some(THUMBNAIL_SIDE)))?;
            let small = thumbnail(&mut worker.resizer, &decoded.picture);
            small.ok_or_else(|| RecognitionError::Failed("no small picture can be made".to_owned()))
        };
        Ok(self.engine.run_in_background(Workload::Thumbnail, make).await?.into())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::UploadRequest;
    use crate::{
        Cursor, RecognitionError,
        fixture::{Fixture, PIXEL},
    };

    #[tokio::test]
    async fn bytes_that_the_storage_lost_come_back_with_an_upload() {
        let fixture = Fixture::new().await;
        let (storage, user) = (&fixture.recognition.storage, &fixture.user);
        let upload = || storage.upload(user, Bytes::from_static(PIXEL), UploadRequest::default());
        let first = upload().await.unwrap();
        let key = storage.find(user, &first.id).await.unwrap();
        let damages = [None, Some(&b"half"[..])];
        for damage in damages {
            fixture.context.blobs.remove(&key.name()).await.unwrap();
            if let Some(left) = damage {
                fixture.context.blobs.put(&key, Bytes::from_static(left)).await.unwrap();
            }
            assert_eq!(upload().await.unwrap(), first, "it is the same image");
            assert_eq!(storage.read(&key).await.unwrap(), PIXEL);
        }
    }

    #[tokio::test]
    async fn a_user_sees_and_deletes_only_their_own_images() {
        let fixture = Fixture::new().await;
        let (storage, user, other) = (&fixture.recognition.storage, &fixture.user, fixture.other_user());
        let image = storage.upload(user, Bytes::from_static(PIXEL), UploadRequest::default()).await.unwrap();
        assert_eq!(storage.list(user, &Cursor::start(), 10).await.unwrap().items.len(), 1);
        assert!(storage.list(&other, &Cursor::start(), 10).await.unwrap().items.is_empty());
        assert!(matches!(storage.find(&other, &image.id).await, Err(RecognitionError::NoSuchImage)));
        assert!(matches!(storage.delete(&other, &image.id).await, Err(RecognitionError::NoSuchImage)));
        storage.delete(user, &image.id).await.unwrap();
        assert!(matches!(storage.delete(user, &image.id).await, Err(RecognitionError::NoSuchImage)));
    }
}
