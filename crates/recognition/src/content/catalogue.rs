//! The items of the catalogue, one at a time.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kaisatsu_model::Timestamp;
use kaisatsu_store::{ItemFilter, ListedItem, Store};
use kaisatsu_vision::{Worker, barcode::article_numbers, object::Vocabulary};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    Cursor, Page, RecognitionError,
    context::Context,
    engine::{EngineQueue, Workload},
    follower::ContentChanges,
    import::{MOST_PICTURES, Reference, new_item, own, reads_turned, reference},
    thumbnails::Thumbnails,
};

/// The catalogue of object recognition.
pub struct Catalogue {
    store: Store,
    engine: Arc<EngineQueue>,
    thumbnails: Thumbnails,
    changes: ContentChanges,
    /// Made when the first item is added.
    vocabulary: OnceLock<Arc<Vocabulary>>,
}

impl Catalogue {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            engine: Arc::clone(&context.engine),
            thumbnails: Thumbnails::of(context),
            changes: ContentChanges::new(context),
            vocabulary: OnceLock::new(),
        }
    }

    /// The most reference pictures of an item.
    #[must_use]
    pub fn most_pictures(&self) -> usize {
        MOST_PICTURES
    }

    /// A page of the items, in the order in which they were first added; of one category, id or barcode, where given.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(
        &self,
        filter: ItemFilter<'_>,
        after: &Cursor,
        most: usize,
    ) -> Result<Page<ListedItem>, RecognitionError> {
        let code = filter.code.map(article_number);
        // What is no barcode is none of any item.
        let filter = ItemFilter { code: code.as_ref().map(|code| code.as_deref().unwrap_or("")), ..filter };
        let (Timestamp(number), _) = after.as_pair();
        let items = self.store.catalogue_items(&filter, number, Page::<ListedItem>::rows(most)).await?;
        Ok(Page::cut(items, most, |item| (Timestamp(item.item.number), String::new())))
    }

    /// Adds an item, or replaces the one of its id. The fields are those of a row that is imported.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn put(&self, fields: &Map<String, Value>, images: Vec<Bytes>) -> Result<ListedItem, RecognitionError> {
        let entry = own(fields).map_err(RecognitionError::BadItem)?;
        if images.is_empty() && entry.codes.is_empty() {
            return Err(RecognitionError::NothingToKnowItBy);
        }
        let mut digest = Sha256::new_with_prefix(format!("{entry:?}"));
        for image in &images {
            digest.update(kaisatsu_store::sha256(image));
        }
        let pictures = self.pictures(images).await?;
        let item = new_item(&entry, pictures, digest.finalize().to_vec());
        self.thumbnails.put_items(vec![item]).await?;
        self.changes.applied().await;
        let filter = ItemFilter { id: Some(&entry.id), ..ItemFilter::default() };
        // It may have been removed meanwhile.
        self.store.catalogue_items(&filter, 0, 1).await?.pop().ok_or(RecognitionError::NoSuchItem)
    }

    async fn pictures(&self, images: Vec<Bytes>) -> Result<Vec<Reference>, RecognitionError> {
        if images.is_empty() {
            return Ok(Vec::new());
        }
        let vocabulary = Arc::clone(self.vocabulary.get_or_init(Arc::default));
        let turned = reads_turned(&self.store).await?;
        let admitted = self.engine.admit(Workload::Import)?;
        let (mut pictures, bounds, several) =
            (Vec::with_capacity(images.len()), self.engine.bounds(), images.len() > 1);
        for (at, image) in images.into_iter().enumerate() {
            let vocabulary = Arc::clone(&vocabulary);
            let read = move |worker: &mut Worker| reference(worker, &vocabulary, &image, bounds, turned);
            let place = |error| match error {
                RecognitionError::Image(fault) if several => RecognitionError::ItemImage(at + 1, fault),
                error => error,
            };
            pictures.push(admitted.run(read).await.map_err(place)?);
        }
        Ok(pictures)
    }

    /// Removes the item of that id.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchItem`] when there is none.
    pub async fn remove(&self, id: &str) -> Result<(), RecognitionError> {
        let removed = self.store.remove_item(id).await?;
        self.changes.applied().await;
        if removed { Ok(()) } else { Err(RecognitionError::NoSuchItem) }
    }

    /// Removes the items with a barcode.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchItem`] when there is none.
    pub async fn remove_with_barcode(&self, printed: &str) -> Result<(), RecognitionError> {
        let code = article_number(printed).ok_or(RecognitionError::NoSuchItem)?;
        let mut removed = false;
        for (_, item) in self.store.items_with_codes(&[&code]).await? {
            removed |= self.store.remove_item(&item.id).await?;
        }
        self.changes.applied().await;
        if removed { Ok(()) } else { Err(RecognitionError::NoSuchItem) }
    }
}

/// The thirteen digits under which an item with this barcode is stored.
fn article_number(printed: &str) -> Option<String> {
    article_numbers(printed).into_iter().next()
}
