//! Thumbnails of public images and items: which bytes of [`crate::Blobs`] they are.
//!
//! They follow the rules of all blobs (see [`crate::BlobClaim`]). The transaction that stores an image or an item
//! refers to its thumbnail, and releases the one that it replaces.

use crate::{Store, StoreError, on_each};

/// Refers to a thumbnail; changes no row when it is being deleted.
pub(crate) const REFER: &str = "UPDATE blob SET state = 'there' \
     WHERE application_id = 'public' AND user_id = '-' AND sha256 = $1 AND state <> 'doomed'";

/// Releases the thumbnail of the image of that id, or those of all images.
pub(crate) const RELEASE_OF_IMAGES: &str = "UPDATE blob SET state = 'loose' \
     WHERE application_id = 'public' AND user_id = '-' AND state <> 'doomed' AND sha256 IN (SELECT thumbnail \
     FROM collection_image WHERE collection = $1 AND ($2 IS NULL OR image_id = $2) AND thumbnail IS NOT NULL)";

/// Releases the thumbnail of an item.
pub(crate) const RELEASE_OF_ITEM: &str = "UPDATE blob SET state = 'loose' \
     WHERE application_id = 'public' AND user_id = '-' AND state <> 'doomed' \
     AND sha256 IN (SELECT thumbnail FROM catalogue_item WHERE id = $1 AND thumbnail IS NOT NULL)";

impl Store {
    /// The hash of the thumbnail of an image of a collection, if it has one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn image_thumbnail(&self, collection: &str, image: &str) -> Result<Option<[u8; 32]>, StoreError> {
        let found: Option<Option<Vec<u8>>> = on_each!(self, pool => {
            sqlx::query_scalar("SELECT thumbnail FROM collection_image WHERE collection = $1 AND image_id = $2 \
                 AND removed = 0")
                .bind(collection).bind(image).fetch_optional(pool).await
        })?;
        hash(found.flatten())
    }

    /// The hash of the thumbnail of an item, if it has one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn item_thumbnail(&self, id: &str) -> Result<Option<[u8; 32]>, StoreError> {
        let found: Option<Option<Vec<u8>>> = on_each!(self, pool => {
            sqlx::query_scalar("SELECT thumbnail FROM catalogue_item WHERE id = $1 AND removed = 0")
                .bind(id).fetch_optional(pool).await
        })?;
        hash(found.flatten())
    }
}

fn hash(stored: Option<Vec<u8>>) -> Result<Option<[u8; 32]>, StoreError> {
    let damaged = |_| StoreError::Damaged("the hash of a thumbnail".to_owned());
    stored.map(|stored| stored.try_into().map_err(damaged)).transpose()
}
