//! The images of a dataset as files, in a folder for each tag: what an archive or an export contains.

use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use kaisatsu_admission::{Full, Limits, Queue, Turn};
use kaisatsu_model::{AppId, DatasetId, Outcome, Phase, UserId};
use kaisatsu_store::{Blobs, DatasetImageRow, Store};

use super::file_names::{FileNames, FilePath};
use crate::RecognitionError;

/// How many are read at once, each with one image in memory, and how many callers may wait for that.
const READERS: Limits = Limits { running: 4, waiting: 12, retry_after: Duration::from_secs(30) };

/// How many rows are read at once.
const PAGE: i64 = 200;

/// Reads datasets as files.
pub struct DatasetFiles {
    store: Store,
    blobs: Blobs,
    readers: Queue,
}

/// A dataset that is being read. Its images are those of the version that answered when it was opened.
pub struct OpenDataset {
    store: Store,
    blobs: Blobs,
    application: AppId,
    user: UserId,
    name: String,
    version: DatasetId,
    after: i64,
    page: VecDeque<DatasetImageRow>,
    names: FileNames,
    _turn: Turn,
}

/// An image as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetFile {
    /// Where it belongs.
    pub path: FilePath,
    /// The image as it was sent or fetched.
    pub bytes: Bytes,
}

impl DatasetFiles {
    /// Reads from this database and this storage.
    #[must_use]
    pub fn new(store: Store, blobs: Blobs) -> Self {
        Self { store, blobs, readers: Queue::new(READERS) }
    }

    /// Opens a dataset, of this application if one is given.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataset`], [`RecognitionError::NotBuilt`] while it is built for the first time,
    /// [`RecognitionError::Overloaded`] when too many are read.
    pub async fn open(&self, application: Option<&AppId>, id: &DatasetId) -> Result<OpenDataset, RecognitionError> {
        let owner = self.store.dataset_owner(id).await?;
        let owner = owner.filter(|(owner, _)| application.is_none_or(|application| application == owner));
        let (application, user) = owner.ok_or(RecognitionError::NoSuchDataset)?;
        let found = self.store.dataset(&application, &user, id).await?.ok_or(RecognitionError::NoSuchDataset)?;
        if let phase @ (Phase::Queued | Phase::Building) = found.phase() {
            return Err(RecognitionError::NotBuilt(phase));
        }
        let full = |Full { retry_after }| RecognitionError::Overloaded { wait: retry_after };
        let turn = self.readers.admit().await.map_err(full)?;
        Ok(OpenDataset {
            store: self.store.clone(),
            blobs: self.blobs.clone(),
            application,
            user,
            name: found.name().to_owned(),
            version: found.content(),
            after: -1,
            page: VecDeque::new(),
            names: FileNames::default(),
            _turn: turn,
        })
    }
}

impl OpenDataset {
    /// What the user calls the dataset.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next image; nothing at the end. Images that came to nothing and deleted ones are left out.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataset`] when the version was removed meanwhile: what was read is not all of it;
    /// [`RecognitionError::Failed`] when the storage has lost an image.
    pub async fn next(&mut self) -> Result<Option<DatasetFile>, RecognitionError> {
        loop {
            let Some(row) = self.page.pop_front() else {
                if self.read_page().await? {
                    continue;
                }
                return Ok(None);
            };
            if row.outcome != Outcome::Fetched {
                continue;
            }
            // Asked for each image, at the moment when it is sent: it may have been deleted since the page was read.
            let Some(key) = self.store.image_blob(&self.application, &self.user, &row.image_id).await? else {
                continue;
            };
            if let Some(bytes) = self.blobs.get(&key).await? {
                let path = self.names.path(&row, &bytes);
                return Ok(Some(DatasetFile { path, bytes }));
            }
            // Deleted a moment ago, or lost: then what is sent must not look like all that there is.
            if self.store.image_blob(&self.application, &self.user, &row.image_id).await?.is_some() {
                let told = format!("the storage has lost the bytes of image {}", row.image_id);
                return Err(RecognitionError::Failed(told));
            }
        }
    }

    /// Reads some more rows; says whether there were any.
    async fn read_page(&mut self) -> Result<bool, RecognitionError> {
        self.page = self.store.dataset_images(&self.version, self.after, PAGE).await?.into();
        if let Some(last) = self.page.back() {
            self.after = last.position;
            return Ok(true);
        }
        let version = [self.version.as_str().to_owned()];
        if self.store.existing_datasets(&version).await?.is_empty() {
            return Err(RecognitionError::NoSuchDataset);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use kaisatsu_model::{Tag, Timestamp};
    use kaisatsu_store::{ImageResult, ImageSource, NewDatasetImage};

    use crate::{
        RecognitionError, UploadRequest,
        fixture::{Fixture, PIXEL},
    };

    #[tokio::test]
    async fn an_image_that_was_deleted_is_left_out_and_one_that_was_lost_is_an_error() {
        let fixture = Fixture::new().await;
        let (store, user) = (&fixture.store, &fixture.user);
        let storage = &fixture.recognition.storage;
        let image = storage.upload(user, Bytes::from_static(PIXEL), UploadRequest::default()).await.unwrap();
        let blob = storage.find(user, &image.id).await.unwrap();
        let stored = NewDatasetImage { source: ImageSource::Stored(image.id.clone()), tag: Tag::new("cat").ok() };
        let id = fixture.dataset(user, 1, vec![stored]).await;
        let now = Timestamp(0).after(Duration::from_mins(1));
        let until = now.after(Duration::from_mins(1));
        let lease = store.claim_dataset("one", now, until).await.unwrap().unwrap();
        let position = store.pending_images(&id, now, -1, 10).await.unwrap()[0].position;
        let fetched = ImageResult::Fetched { blob: blob.clone(), vector: vec![1.0] };
        assert!(store.record_images(&lease, &[(position, fetched)], now, until).await.unwrap());
        assert!(store.finish_dataset(&lease, None, "{}", now).await.unwrap());

        let open = async || fixture.recognition.dataset_files.open(Some(&user.application), &id).await.unwrap();
        assert_eq!(open().await.next().await.unwrap().unwrap().bytes, PIXEL);
        fixture.context.blobs.remove(&blob.name()).await.unwrap();
        let lost = open().await.next().await;
        assert!(matches!(lost, Err(RecognitionError::Failed(_))), "{lost:?}");
        storage.delete(user, &image.id).await.unwrap();
        assert_eq!(open().await.next().await.unwrap(), None);
    }
}
