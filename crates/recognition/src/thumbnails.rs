//! Thumbnails of the images of collections and the items of the catalogue. Their bytes are written before the row that
//! refers to them, as all bytes are, and removed by the janitor when nothing refers to them.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use kaisatsu_model::SystemClock;
use kaisatsu_store::{BlobKey, Blobs, NewImage, NewItem, Store};

use crate::{RecognitionError, context::Context, storage::BlobWriter};

/// How many are written at once.
const AT_ONCE: usize = 8;

/// A small picture, as a file.
pub type Thumbnail = Vec<u8>;

/// Stores images and items with their thumbnails.
#[derive(Clone)]
pub struct Thumbnails {
    pub(crate) store: Store,
    writer: BlobWriter,
}

impl Thumbnails {
    /// For a command beside the server. Its janitor removes what nothing refers to.
    #[must_use]
    pub fn new(store: Store, blobs: Blobs) -> Self {
        let writer = BlobWriter::unlimited(store.clone(), Arc::new(SystemClock), blobs, Arc::default());
        Self { store, writer }
    }

    pub(crate) fn of(context: &Context) -> Self {
        let (clock, signals) = (Arc::clone(&context.clock), Arc::clone(&context.signals));
        let writer = BlobWriter::unlimited(context.store.clone(), clock, context.blobs.clone(), signals);
        Self { store: context.store.clone(), writer }
    }

    /// Stores images of a collection, all or none. An image of the same id is replaced.
    ///
    /// # Errors
    /// When the database or the storage fails.
    pub async fn put_images(
        &self,
        collection: &str,
        images: Vec<(NewImage, Option<Thumbnail>)>,
    ) -> Result<(), RecognitionError> {
        let (mut images, thumbnails): (Vec<NewImage>, Vec<_>) = images.into_iter().unzip();
        let keyed = keyed(thumbnails);
        for (image, thumbnail) in images.iter_mut().zip(&keyed) {
            image.thumbnail = thumbnail.as_ref().map(|(key, _)| key.sha256);
        }
        loop {
            self.write(&keyed).await?;
            // One that was removed since it was written is written again.
            if self.store.put_images(collection, &images).await? {
                return Ok(());
            }
        }
    }

    /// Stores items, all or none. An item of the same id is replaced.
    ///
    /// # Errors
    /// When the database or the storage fails.
    pub async fn put_items(&self, items: Vec<(NewItem, Option<Thumbnail>)>) -> Result<(), RecognitionError> {
        let (mut items, thumbnails): (Vec<NewItem>, Vec<_>) = items.into_iter().unzip();
        let keyed = keyed(thumbnails);
        for (item, thumbnail) in items.iter_mut().zip(&keyed) {
            item.thumbnail = thumbnail.as_ref().map(|(key, _)| key.sha256);
        }
        loop {
            self.write(&keyed).await?;
            if self.store.put_items(&items).await? {
                return Ok(());
            }
        }
    }

    /// The key of the thumbnail of an image of a collection.
    ///
    /// # Errors
    /// [`RecognitionError::NoThumbnail`] when it has none, or there is no such image.
    pub async fn of_image(&self, collection: &str, image: &str) -> Result<BlobKey, RecognitionError> {
        let found = self.store.image_thumbnail(collection, image).await?;
        found.map(BlobKey::public).ok_or(RecognitionError::NoThumbnail)
    }

    /// The key of the thumbnail of an item.
    ///
    /// # Errors
    /// [`RecognitionError::NoThumbnail`] when it has none, or there is no such item.
    pub async fn of_item(&self, id: &str) -> Result<BlobKey, RecognitionError> {
        let found = self.store.item_thumbnail(id).await?;
        found.map(BlobKey::public).ok_or(RecognitionError::NoThumbnail)
    }

    /// The file.
    ///
    /// # Errors
    /// [`RecognitionError::NoThumbnail`] when it was removed meanwhile.
    pub async fn read(&self, key: &BlobKey) -> Result<Bytes, RecognitionError> {
        self.writer.blobs().get(key).await?.ok_or(RecognitionError::NoThumbnail)
    }

    async fn write(&self, thumbnails: &[Option<(BlobKey, Bytes)>]) -> Result<(), RecognitionError> {
        let write = |(key, bytes): &(BlobKey, Bytes)| {
            let (key, bytes) = (key.clone(), bytes.clone());
            async move { self.writer.write(&key, &bytes).await }
        };
        stream::iter(thumbnails.iter().flatten().map(write)).buffer_unordered(AT_ONCE).try_collect().await
    }
}

fn keyed(thumbnails: Vec<Option<Thumbnail>>) -> Vec<Option<(BlobKey, Bytes)>> {
    let keyed = |file: Thumbnail| (BlobKey::public(kaisatsu_store::sha256(&file)), Bytes::from(file));
    thumbnails.into_iter().map(|thumbnail| thumbnail.map(keyed)).collect()
}
