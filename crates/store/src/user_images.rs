//! Users' image storage areas.

use kaisatsu_model::{AppId, ImageId, Timestamp, UserId};

use crate::{
    BlobKey, Store, StoreError,
    blob_claims::{LOCK_ACCOUNT, MARK_RELEASED, MARK_STORED, blob_key},
    on_each,
    transactions::Transactions as _,
};

/// A new image of a storage area. Its bytes are stored already.
#[derive(Debug, Clone)]
pub struct NewUserImage {
    /// Its id, unless the same bytes have one already.
    pub id: ImageId,
    /// The key of its bytes.
    pub key: BlobKey,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Its tag.
    pub tag: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// When it was uploaded.
    pub created_at: Timestamp,
}

/// The result of storing an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutImageOutcome {
    /// It is stored like this.
    Stored(KeptImage),
    /// Its bytes have been deleted; they must be claimed again.
    BlobDeleted,
    /// The user has as many images as allowed.
    LimitReached,
}

/// What an image is stored as: new, or the same bytes that were stored before. Those keep their id, their tag and
/// their name; a tag or a name that they had not got yet is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptImage {
    /// Its id.
    pub id: ImageId,
    /// Its tag.
    pub tag: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// A stored image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserImage {
    /// Its id.
    pub id: ImageId,
    /// Its SHA-256.
    pub sha256: [u8; 32],
    /// Its size in bytes.
    pub size: i64,
    /// Its width in pixels.
    pub width: i64,
    /// Its height in pixels.
    pub height: i64,
    /// Its tag.
    pub tag: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// When it was uploaded.
    pub created_at: Timestamp,
}

const COUNT: &str = "SELECT COUNT(*) FROM user_image WHERE application_id = $1 AND user_id = $2 AND sha256 <> $3";

const PUT: &str = "INSERT INTO user_image \
     (id, application_id, user_id, sha256, width, height, tag, name, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
     ON CONFLICT (application_id, user_id, sha256) DO UPDATE SET \
     tag = COALESCE(user_image.tag, excluded.tag), name = COALESCE(user_image.name, excluded.name) \
     RETURNING id, tag, name";

const LIST: &str = "SELECT i.id, i.sha256, b.size, i.width, i.height, i.tag, i.name, i.created_at FROM user_image i \
     JOIN blob b ON b.application_id = i.application_id AND b.user_id = i.user_id AND b.sha256 = i.sha256 \
     WHERE i.application_id = $1 AND i.user_id = $2 AND (i.created_at > $3 OR (i.created_at = $3 AND i.id > $4)) \
     ORDER BY i.created_at, i.id LIMIT $5";

const UNTAGGED: &str = "SELECT COUNT(*) FROM user_image WHERE application_id = $1 AND user_id = $2 AND tag IS NULL";

const DELETE: &str = "DELETE FROM user_image WHERE id = $1 AND application_id = $2 AND user_id = $3 RETURNING sha256";

/// Finds an image in the storage area, or one that a dataset fetched. A dataset also has the bytes of images that its
/// user has since deleted from the storage area; these are never shown again.
const FIND: &str = "SELECT sha256 FROM user_image WHERE id = $1 AND application_id = $2 AND user_id = $3 \
     UNION ALL SELECT sha256 FROM dataset_image \
     WHERE image_id = $1 AND application_id = $2 AND user_id = $3 AND url IS NOT NULL AND sha256 IS NOT NULL LIMIT 1";

impl Store {
    /// How many images of a user's storage area have no tag.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_untagged_images(&self, application: &AppId, user: &UserId) -> Result<i64, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_scalar(UNTAGGED)
            .bind(application.as_str()).bind(user.as_str()).fetch_one(pool).await)?)
    }

    /// Stores an image in a user's storage area, which may hold `limit`. The same bytes are stored once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_user_image(&self, new: &NewUserImage, limit: i64) -> Result<PutImageOutcome, StoreError> {
        let (app, user, sha256) = (new.key.application.as_str(), new.key.user.as_str(), &new.key.sha256[..]);
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(new.created_at.0).execute(&mut *tx).await?;
            let others: i64 = sqlx::query_scalar(COUNT).bind(app).bind(user).bind(sha256).fetch_one(&mut *tx).await?;
            if others >= limit {
                return Ok(PutImageOutcome::LimitReached);
            }
            let settled = sqlx::query(MARK_STORED).bind(app).bind(user).bind(sha256).bind(new.created_at.0)
                .execute(&mut *tx).await?;
            if settled.rows_affected() == 0 {
                return Ok(PutImageOutcome::BlobDeleted);
            }
            let (id, tag, name): (String, Option<String>, Option<String>) = sqlx::query_as(PUT)
                .bind(new.id.as_str()).bind(app).bind(user).bind(sha256)
                .bind(i64::from(new.width)).bind(i64::from(new.height))
                .bind(&new.tag).bind(&new.name).bind(new.created_at.0)
                .fetch_one(&mut *tx).await?;
            tx.commit().await?;
            Ok(PutImageOutcome::Stored(KeptImage { id: ImageId::from_text(id), tag, name }))
        })
    }

    /// The images of a user's storage area after a cursor, oldest first, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn user_images(
        &self,
        application: &AppId,
        user: &UserId,
        after: (Timestamp, &str),
        limit: i64,
    ) -> Result<Vec<UserImage>, StoreError> {
        type Row = (String, Vec<u8>, i64, i64, i64, Option<String>, Option<String>, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(LIST)
            .bind(application.as_str()).bind(user.as_str()).bind(after.0.0).bind(after.1).bind(limit)
            .fetch_all(pool).await)?;
        let image = |(id, sha256, size, width, height, tag, name, created_at): Row| {
            let damaged = |_| StoreError::Damaged("the hash of an image".to_owned());
            let (id, created_at) = (ImageId::from_text(id), Timestamp(created_at));
            let sha256 = sha256.try_into().map_err(damaged)?;
            Ok(UserImage { id, sha256, size, width, height, tag, name, created_at })
        };
        rows.into_iter().map(image).collect()
    }

    /// Deletes an image from a user's storage area; returns whether there was one. Datasets that contain it keep what
    /// they have of it, for themselves.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_user_image(
        &self,
        application: &AppId,
        user: &UserId,
        id: &ImageId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (app, user) = (application.as_str(), user.as_str());
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now.0).execute(&mut *tx).await?;
            let sha256: Option<Vec<u8>> =
                sqlx::query_scalar(DELETE).bind(id.as_str()).bind(app).bind(user).fetch_optional(&mut *tx).await?;
            let Some(sha256) = sha256 else { return Ok(false) };
            sqlx::query(MARK_RELEASED).bind(app).bind(user).bind(sha256).bind(now.0).execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
    }

    /// The blob of an image in the user's storage area, or of one that a dataset fetched.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn image_blob(
        &self,
        application: &AppId,
        user: &UserId,
        id: &ImageId,
    ) -> Result<Option<BlobKey>, StoreError> {
        let sha256: Option<Vec<u8>> = on_each!(self, pool => sqlx::query_scalar(FIND)
            .bind(id.as_str()).bind(application.as_str()).bind(user.as_str())
            .fetch_optional(pool).await)?;
        sha256.map(|sha256| blob_key(application.as_str().to_owned(), user.as_str(), &sha256)).transpose()
    }
}
