//! Public collections of images, for similar image search.

use kaisatsu_model::Timestamp;

use crate::{
    Store, StoreError,
    content_revision::NEXT_CONTENT_REVISION,
    on_each,
    recognitions::floats_to_bytes,
    thumbnails::{REFER, RELEASE_OF_IMAGES},
    transactions::Transactions as _,
};

/// Those of some images that were not removed, on PostgreSQL.
pub(crate) const EXISTING_IMAGES: &str = "SELECT number, image_id, image_url, tag, thumbnail FROM collection_image \
     WHERE removed = 0 AND number = ANY($1)";

/// A collection.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The model whose vectors it holds.
    pub model: String,
    /// The hash of that model's weights.
    pub model_sha256: String,
}

/// A stored collection.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct CollectionRecord {
    /// What it is made with.
    #[sqlx(flatten)]
    pub collection: Collection,
    created_at: i64,
    /// The number of its images.
    pub images: i64,
}

impl CollectionRecord {
    /// When it was created.
    #[must_use]
    pub fn created_at(&self) -> Timestamp {
        Timestamp(self.created_at)
    }
}

/// A new image of a collection.
#[derive(Debug, Clone)]
pub struct NewImage {
    /// The operator's own id.
    pub image_id: String,
    /// The address of the image; may be empty.
    pub image_url: String,
    /// Its tag; may be empty.
    pub tag: String,
    /// The image as a vector.
    pub vector: Vec<f32>,
    /// The hash of its thumbnail, whose bytes are stored already.
    pub thumbnail: Option<[u8; 32]>,
}

/// An image that changed.
#[derive(Debug, Clone)]
pub struct ChangedImage {
    /// Its number.
    pub number: i64,
    /// Its vector; `None` when it was removed.
    pub vector: Option<Vec<f32>>,
    /// The revision of its latest change.
    pub revision: i64,
}

/// A stored image of a collection.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ImageRecord {
    /// Its number.
    pub number: i64,
    /// The operator's own id.
    pub image_id: String,
    /// The address of the image.
    pub image_url: String,
    /// Its tag.
    pub tag: String,
    /// The hash of its thumbnail, if it has one.
    pub thumbnail: Option<Vec<u8>>,
}

/// A collection without images takes over the given weights: none of its vectors were made by others.
const ENSURE: &str = "INSERT INTO collection (name, model, model_sha256, created_at) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (name) DO UPDATE SET model = excluded.model, model_sha256 = excluded.model_sha256, created_at = \
     CASE collection.removed WHEN 1 THEN excluded.created_at ELSE collection.created_at END, removed = 0 \
     WHERE NOT EXISTS (SELECT 1 FROM collection_image i WHERE i.collection = collection.name AND i.removed = 0)";

const PUT_IMAGE: &str = "INSERT INTO collection_image (collection, image_id, image_url, tag, vector, revision, \
     thumbnail) VALUES ($1, $2, $3, $4, $5, $6, $7) \
     ON CONFLICT (collection, image_id) DO UPDATE SET image_url = excluded.image_url, tag = excluded.tag, \
     vector = excluded.vector, revision = excluded.revision, thumbnail = excluded.thumbnail, removed = 0";

/// Removes the image of that id, or all images.
const REMOVE_IMAGES: &str = "UPDATE collection_image SET removed = 1, vector = $3, revision = $4, thumbnail = NULL \
     WHERE collection = $1 AND ($2 IS NULL OR image_id = $2) AND removed = 0";

pub(crate) const CHANGED_IMAGES: &str = "SELECT number, vector, revision, removed FROM collection_image \
     WHERE collection = $1 AND (revision, number) > ($2, $3) ORDER BY revision, number LIMIT $4";

pub(crate) type ChangedRow = (i64, Vec<u8>, i64, i64);

pub(crate) fn changed((number, vector, revision, removed): ChangedRow) -> ChangedImage {
    ChangedImage { number, vector: (removed == 0).then(|| bytes_to_floats(&vector)), revision }
}

impl Store {
    /// Creates a collection if there is none of that name, and returns the stored one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn ensure_collection(&self, wanted: &Collection, now: Timestamp) -> Result<Collection, StoreError> {
        let found = on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            // Whoever adds images takes the next revision too, and waits until this transaction ends.
            let _: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
            sqlx::query(ENSURE)
                .bind(&wanted.name).bind(&wanted.model).bind(&wanted.model_sha256).bind(now.0)
                .execute(&mut *tx).await?;
            let found = sqlx::query_as("SELECT name, model, model_sha256 FROM collection WHERE name = $1")
                .bind(&wanted.name).fetch_one(&mut *tx).await?;
            tx.commit().await?;
            found
        });
        Ok(found)
    }

    /// All collections by name, with the number of their images.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn collections(&self) -> Result<Vec<(Collection, i64)>, StoreError> {
        let rows: Vec<(String, String, String, i64)> = on_each!(self, pool => {
            sqlx::query_as(
                "SELECT c.name, c.model, c.model_sha256, COUNT(i.number) FROM collection c \
                 LEFT JOIN collection_image i ON i.collection = c.name AND i.removed = 0 WHERE c.removed = 0 \
                 GROUP BY c.name, c.model, c.model_sha256 ORDER BY c.name",
            )
            .fetch_all(pool).await
        })?;
        let row = |(name, model, model_sha256, count)| (Collection { name, model, model_sha256 }, count);
        Ok(rows.into_iter().map(row).collect())
    }

    /// The collections after a position (age, name), oldest first, each with the number of its images; at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn collections_after(
        &self,
        after: (Timestamp, &str),
        limit: i64,
    ) -> Result<Vec<CollectionRecord>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as(
                "SELECT c.name, c.model, c.model_sha256, c.created_at, (SELECT COUNT(*) FROM collection_image i \
                 WHERE i.collection = c.name AND i.removed = 0) AS images FROM collection c \
                 WHERE c.removed = 0 AND (c.created_at > $1 OR (c.created_at = $1 AND c.name > $2)) \
                 ORDER BY c.created_at, c.name LIMIT $3",
            )
            .bind(after.0.0).bind(after.1).bind(limit).fetch_all(pool).await
        })?)
    }

    /// The collection of that name, with the number of its images.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn collection(&self, name: &str) -> Result<Option<CollectionRecord>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as(
                "SELECT c.name, c.model, c.model_sha256, c.created_at, (SELECT COUNT(*) FROM collection_image i \
                 WHERE i.collection = c.name AND i.removed = 0) AS images FROM collection c \
                 WHERE c.removed = 0 AND c.name = $1",
            )
            .bind(name).fetch_optional(pool).await
        })?)
    }

    /// Removes a collection with all of its images. Returns whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_collection(&self, name: &str) -> Result<bool, StoreError> {
        let gone = on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
            let gone = sqlx::query("UPDATE collection SET removed = 1 WHERE name = $1 AND removed = 0")
                .bind(name).execute(&mut *tx).await?;
            sqlx::query(RELEASE_OF_IMAGES).bind(name).bind(None::<&str>).execute(&mut *tx).await?;
            sqlx::query(REMOVE_IMAGES)
                .bind(name).bind(None::<&str>).bind(&[][..] as &[u8]).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
            gone.rows_affected() > 0
        });
        Ok(gone)
    }

    /// The images of a collection after a number, in the order of their numbers, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn collection_images(
        &self,
        collection: &str,
        after: i64,
        limit: i64,
    ) -> Result<Vec<ImageRecord>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as(
                "SELECT number, image_id, image_url, tag, thumbnail FROM collection_image \
                 WHERE collection = $1 AND removed = 0 AND number > $2 ORDER BY number LIMIT $3",
            )
            .bind(collection).bind(after).bind(limit).fetch_all(pool).await
        })?)
    }

    /// Stores images of a collection, all or none. An image of the same id is replaced. Returns `false`, and stores
    /// none, when a thumbnail has been deleted meanwhile: its bytes must be written again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_images(&self, collection: &str, images: &[NewImage]) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
            // Whoever removed the collection meanwhile removed what was in it then.
            sqlx::query("UPDATE collection SET removed = 0 WHERE name = $1 AND removed = 1")
                .bind(collection).execute(&mut *tx).await?;
            for image in images {
                sqlx::query(RELEASE_OF_IMAGES).bind(collection).bind(Some(&image.image_id)).execute(&mut *tx).await?;
                if let Some(thumbnail) = &image.thumbnail {
                    let referred = sqlx::query(REFER).bind(&thumbnail[..]).execute(&mut *tx).await?;
                    if referred.rows_affected() == 0 {
                        return Ok(false);
                    }
                }
                sqlx::query(PUT_IMAGE)
                    .bind(collection).bind(&image.image_id).bind(&image.image_url).bind(&image.tag)
                    .bind(floats_to_bytes(&image.vector)).bind(revision)
                    .bind(image.thumbnail.as_ref().map(|hash| &hash[..]))
                    .execute(&mut *tx).await?;
            }
            tx.commit().await?;
        });
        Ok(true)
    }

    /// The ids of the images of a collection.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn image_ids(&self, collection: &str) -> Result<Vec<String>, StoreError> {
        let ids = on_each!(self, pool => {
            sqlx::query_scalar("SELECT image_id FROM collection_image WHERE collection = $1 AND removed = 0 ORDER BY \
                 image_id")
                .bind(collection).fetch_all(pool).await
        });
        Ok(ids?)
    }

    /// Removes one image of a collection, or all of them. Returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_images(&self, collection: &str, image_id: Option<&str>) -> Result<u64, StoreError> {
        let gone = on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
            sqlx::query(RELEASE_OF_IMAGES).bind(collection).bind(image_id).execute(&mut *tx).await?;
            let done = sqlx::query(REMOVE_IMAGES)
            .bind(collection).bind(image_id).bind(&[][..] as &[u8]).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
            done.rows_affected()
        });
        Ok(gone)
    }

    /// The collections there are, without the numbers of their images, which take long to count.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn collection_list(&self) -> Result<Vec<Collection>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as("SELECT name, model, model_sha256 FROM collection WHERE removed = 0 ORDER BY name")
                .fetch_all(pool).await
        })?)
    }

    /// The collections with images that changed after a revision.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn changed_collections(&self, revision: i64) -> Result<Vec<String>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_scalar(
                "SELECT name FROM collection c WHERE removed = 0 AND EXISTS (SELECT 1 FROM collection_image i \
                 WHERE i.collection = c.name AND i.revision > $1)",
            )
            .bind(revision).fetch_all(pool).await
        })?)
    }

    /// The images of a collection that changed after a cursor (revision, number), in that order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn changed_images(
        &self,
        collection: &str,
        after: (i64, i64),
        limit: i64,
    ) -> Result<Vec<ChangedImage>, StoreError> {
        let rows: Vec<ChangedRow> = on_each!(self, pool => {
            sqlx::query_as(CHANGED_IMAGES)
                .bind(collection).bind(after.0).bind(after.1).bind(limit).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(changed).collect())
    }

    /// The existing ones of these images, in any order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn images(&self, numbers: &[i64]) -> Result<Vec<ImageRecord>, StoreError> {
        let list = serde_json::to_string(numbers).unwrap_or_default();
        let rows = match &self.pool {
            crate::Pool::Sqlite(pool) => {
                sqlx::query_as(
                    "SELECT number, image_id, image_url, tag, thumbnail FROM collection_image \
                     WHERE removed = 0 AND number IN (SELECT value FROM json_each($1))",
                )
                .bind(list)
                .fetch_all(pool)
                .await
            }
            crate::Pool::Postgres(pool) => sqlx::query_as(EXISTING_IMAGES).bind(numbers).fetch_all(pool).await,
        };
        Ok(rows?)
    }
}

/// The inverse of [`floats_to_bytes`].
pub(crate) fn bytes_to_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}
