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
    /// [`RecognitionError::NoSuchDataset`] when the dataset or this version of it was removed meanwhile: what was read
    /// is not all of it, and no image follows;
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
            // Asked for each image, at the moment when it is sent: the dataset, its version or the image may have been
            // deleted since the page was read.
            let here = self.store.dataset_images(&self.version, row.position - 1, 1).await?;
            if here.first().is_none_or(|here| here.position != row.position) {
                return Err(RecognitionError::NoSuchDataset);
            }
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
        // Every version has images as long as it is there; the row of the first one outlives it, as the dataset's own.
        if self.store.dataset_images(&self.version, -1, 1).await?.is_empty() {
            return Err(RecognitionError::NoSuchDataset);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use kaisatsu_model::{DatasetId, ImageId, Tag, Timestamp};
    use kaisatsu_store::{
        BlobKey, DatasetUpdate, ImageChanges, ImageResult, ImageSource, NewDatasetImage, UpdateDatasetOutcome,
        VersionLimits,
    };

    use crate::{
        RecognitionError, UploadRequest,
        fixture::{Fixture, PIXEL},
    };

    /// A minute after the fixture's beginning, and after each number of versions before.
    fn at(number: u8) -> Timestamp {
        Timestamp(0).after(Duration::from_mins(u64::from(number)))
    }

    /// Builds what waits, as a worker would.
    async fn build(fixture: &Fixture, id: &DatasetId, blob: &BlobKey, now: Timestamp) {
        let (store, until) = (&fixture.store, now.after(Duration::from_secs(30)));
        let lease = store.claim_dataset("one", now, until).await.unwrap().unwrap();
        for pending in store.pending_images(id, now, -1, 10).await.unwrap() {
            let fetched = ImageResult::Fetched { blob: blob.clone(), vector: vec![1.0] };
            assert!(store.record_images(&lease, &[(pending.position, fetched)], now, until).await.unwrap());
        }
        assert!(store.finish_dataset(&lease, None, "{}", now).await.unwrap());
    }

    /// A built dataset of one image.
    async fn dataset(fixture: &Fixture) -> (DatasetId, ImageId, BlobKey) {
        let (user, storage) = (&fixture.user, &fixture.recognition.storage);
        let image = storage.upload(user, Bytes::from_static(PIXEL), UploadRequest::default()).await.unwrap();
        let blob = storage.find(user, &image.id).await.unwrap();
        let stored = NewDatasetImage { source: ImageSource::Stored(image.id.clone()), tag: Tag::new("cat").ok() };
        let id = fixture.dataset(user, 1, vec![stored]).await;
        build(fixture, &id, &blob, at(1)).await;
        (id, image.id, blob)
    }

    #[tokio::test]
    async fn an_image_that_was_deleted_is_left_out_and_one_that_was_lost_is_an_error() {
        let fixture = Fixture::new().await;
        let (user, storage) = (&fixture.user, &fixture.recognition.storage);
        let (id, image, blob) = dataset(&fixture).await;
        let open = async || fixture.recognition.dataset_files.open(Some(&user.application), &id).await.unwrap();
        assert_eq!(open().await.next().await.unwrap().unwrap().bytes, PIXEL);
        fixture.context.blobs.remove(&blob.name()).await.unwrap();
        let lost = open().await.next().await;
        assert!(matches!(lost, Err(RecognitionError::Failed(_))), "{lost:?}");
        storage.delete(user, &image).await.unwrap();
        assert_eq!(open().await.next().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_version_that_is_removed_while_it_is_read_does_not_look_complete() {
        let fixture = Fixture::new().await;
        let (user, files) = (&fixture.user, &fixture.recognition.dataset_files);
        let (id, _, blob) = dataset(&fixture).await;
        let before_a_page = files.open(Some(&user.application), &id).await.unwrap();
        let mut within_a_page = files.open(Some(&user.application), &id).await.unwrap();
        assert!(within_a_page.read_page().await.unwrap());
        // The second change replaces the version that the first one kept to be undone.
        for (number, from, to) in [(2, "cat", "dog"), (3, "dog", "cow")] {
            let update = DatasetUpdate {
                application: user.application.clone(),
                user: user.id.clone(),
                id: id.clone(),
                version: DatasetId::from_random([number; 20]),
                at: at(number),
                name: None,
                images: ImageChanges {
                    rename_tags: vec![(Tag::new(from).unwrap(), Tag::new(to).unwrap())],
                    ..ImageChanges::default()
                },
            };
            let limits = VersionLimits { images: 10, tags: 10 };
            let outcome = fixture.store.update_dataset(&update, limits).await.unwrap();
            assert!(matches!(outcome, UpdateDatasetOutcome::Updated), "{outcome:?}");
            build(&fixture, &update.version, &blob, at(number)).await;
        }
        for mut open in [before_a_page, within_a_page] {
            let next = open.next().await;
            assert!(matches!(next, Err(RecognitionError::NoSuchDataset)), "{next:?}");
        }
        let mut after = files.open(Some(&user.application), &id).await.unwrap();
        assert_eq!(after.next().await.unwrap().unwrap().path.folder, "cow");
        assert_eq!(after.next().await.unwrap(), None);
    }
}
