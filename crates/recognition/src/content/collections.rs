//! The collections of similar image search, one image at a time.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{Clock, CollectionName, Timestamp};
use kaisatsu_store::{Collection, CollectionRecord, ImageRecord, NewImage, Store};

use crate::{
    Cursor, Page, RecognitionError,
    context::Context,
    engine::{EngineQueue, Models, embed_for_collection},
    follower::ContentChanges,
    thumbnails::Thumbnails,
};

/// The public collections.
pub struct Collections {
    store: Store,
    clock: Arc<dyn Clock>,
    engine: Arc<EngineQueue>,
    models: Models,
    thumbnails: Thumbnails,
    changes: ContentChanges,
}

/// An image that is to come into a collection.
#[derive(Debug, Clone)]
pub struct CollectionImage {
    /// The operator's own id of it.
    pub id: String,
    /// Where people find it; may be empty.
    pub url: String,
    /// What it is tagged with; may be empty.
    pub tag: String,
    /// The file.
    pub file: Bytes,
}

impl Collections {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            engine: Arc::clone(&context.engine),
            models: context.models.clone(),
            thumbnails: Thumbnails::of(context),
            changes: ContentChanges::new(context),
        }
    }

    /// A page of the collections, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, after: &Cursor, most: usize) -> Result<Page<CollectionRecord>, RecognitionError> {
        let rows = self.store.collections_after(after.as_pair(), Page::<CollectionRecord>::rows(most)).await?;
        Ok(Page::cut(rows, most, |row| (row.created_at(), row.collection.name.clone())))
    }

    /// A page of the images of a collection, in the order in which they were first added.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchCollection`] when there is none of that name.
    pub async fn images(&self, name: &str, after: &Cursor, most: usize) -> Result<Page<ImageRecord>, RecognitionError> {
        let Some(_) = self.store.collection(name).await? else {
            return Err(RecognitionError::NoSuchCollection(name.to_owned()));
        };
        let (Timestamp(number), _) = after.as_pair();
        let images = self.store.collection_images(name, number, Page::<ImageRecord>::rows(most)).await?;
        Ok(Page::cut(images, most, |image| (Timestamp(image.number), String::new())))
    }

    /// Adds an image to a collection, or replaces the one of its id. The collection is created if there is none; then
    /// `model` makes its vectors, or the usual model.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn put(
        &self,
        name: &CollectionName,
        image: CollectionImage,
        model: Option<&str>,
    ) -> Result<CollectionRecord, RecognitionError> {
        let known = self.store.collection(name.as_str()).await?.filter(|known| known.images > 0);
        let model = match (known, model) {
            (Some(CollectionRecord { collection, .. }), Some(named)) if collection.model != named => {
                return Err(RecognitionError::OtherModel { collection: collection.name, model: collection.model });
            }
            (Some(CollectionRecord { collection, .. }), _) => {
                let reason = "the collection was made with other weights; remove it and add its images again";
                self.models.embedder(&collection.model, &collection.model_sha256, reason)?
            }
            (None, Some(named)) => self.models.named_embedder(named)?,
            (None, None) => self.models.default_embedder()?,
        };
        let (vector, thumbnail) = embed_for_collection(&self.engine, &model, image.file).await?;
        let wanted = Collection {
            name: name.as_str().to_owned(),
            model: model.manifest.about.name.clone(),
            model_sha256: model.manifest.embedding_sha256().unwrap_or_default().to_owned(),
        };
        // Somebody else may have filled it meanwhile, with vectors of another model.
        let found = self.store.ensure_collection(&wanted, self.clock.now()).await?;
        if found != wanted {
            return Err(RecognitionError::OtherModel { collection: found.name, model: found.model });
        }
        let new = NewImage { image_id: image.id, image_url: image.url, tag: image.tag, vector, thumbnail: None };
        self.thumbnails.put_images(name.as_str(), vec![(new, thumbnail)]).await?;
        self.changes.applied().await;
        let missing = || RecognitionError::NoSuchCollection(name.as_str().to_owned());
        self.store.collection(name.as_str()).await?.ok_or_else(missing)
    }

    /// Removes an image of a collection.
    ///
    /// # Errors
    /// When there is no such collection, or it has no such image.
    pub async fn remove_image(&self, name: &str, image: &str) -> Result<(), RecognitionError> {
        if self.store.collection(name).await?.is_none() {
            return Err(RecognitionError::NoSuchCollection(name.to_owned()));
        }
        let gone = self.store.remove_images(name, Some(image)).await?;
        self.changes.applied().await;
        if gone > 0 { Ok(()) } else { Err(RecognitionError::NotInCollection) }
    }

    /// Removes a collection with all of its images.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchCollection`] when there is none of that name.
    pub async fn remove(&self, name: &str) -> Result<(), RecognitionError> {
        let gone = self.store.remove_collection(name).await?;
        self.changes.applied().await;
        if gone { Ok(()) } else { Err(RecognitionError::NoSuchCollection(name.to_owned())) }
    }
}
