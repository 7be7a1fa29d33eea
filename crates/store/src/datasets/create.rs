//! Creates datasets: all images in a few statements, however many there are, because the user's other changes wait
//! meanwhile.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use kaisatsu_model::{AppId, DatasetId, DatasetName, ImageId, Tag, Timestamp, UserId};
use serde::Serialize;

use crate::{Pool, Store, StoreError, blob_claims::LOCK_ACCOUNT, hex, on_each, transactions::Transactions as _};

/// A new dataset.
#[derive(Debug, Clone)]
pub struct NewDataset {
    /// Its id.
    pub id: DatasetId,
    /// The application of the user.
    pub application: AppId,
    /// The user who owns it.
    pub user: UserId,
    /// Its name.
    pub name: DatasetName,
    /// The model whose vectors it will hold.
    pub model: String,
    /// The hash of its weights.
    pub model_sha256: String,
    /// When it is created.
    pub created_at: Timestamp,
    /// Its images, in the user's order.
    pub images: Vec<NewDatasetImage>,
}

/// An image of a new dataset.
#[derive(Debug, Clone)]
pub struct NewDatasetImage {
    /// Where it comes from.
    pub source: ImageSource,
    /// Its tag; for an image of the storage area the stored tag is the default.
    pub tag: Option<Tag>,
}

/// Where an image of a dataset comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// An address, and the id that the image gets.
    Url(String, ImageId),
    /// An image of the user's storage area.
    Stored(ImageId),
}

/// The result of creating a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateDatasetOutcome {
    /// It is stored, and its job is queued.
    Created,
    /// The user has as many datasets as allowed.
    LimitReached,
    /// The image at this index is not in the user's storage area.
    NoImage(usize),
    /// The image at this index has no tag, neither here nor in the storage area.
    NoTag(usize),
    /// There are more tags than a dataset may have; tags of stored images count.
    TooManyTags,
    /// The user has a dataset of that name already.
    NameTaken,
    /// The storage area has no image with a tag.
    NothingTagged,
    /// The storage area has more images than a dataset may have.
    TooManyImages,
}

/// Limits for datasets.
#[derive(Debug, Clone, Copy)]
pub struct DatasetLimits {
    /// Datasets that a user may have.
    pub datasets: i64,
    /// Distinct tags that a dataset may have.
    pub tags: usize,
}

const EXISTS: &str = "SELECT 1 FROM dataset WHERE id = $1 AND application_id = $2 AND user_id = $3";

const COUNT: &str = "SELECT COUNT(*) FROM dataset WHERE application_id = $1 AND user_id = $2 AND version_of IS NULL";

const SAME_NAME: &str = "SELECT COUNT(*) FROM dataset \
     WHERE application_id = $1 AND user_id = $2 AND name = $3 AND version_of IS NULL";

/// The images of a storage area that have a tag, oldest first.
const TAGGED: &str = "SELECT id, sha256, tag FROM user_image \
     WHERE application_id = $1 AND user_id = $2 AND tag IS NOT NULL ORDER BY created_at, id LIMIT $3";

const INSERT: &str = "INSERT INTO dataset \
     (id, application_id, user_id, name, phase, changed_at, created_at, model, model_sha256) \
     VALUES ($1, $2, $3, $4, 'queued', $5, $5, $6, $7)";

pub(super) const INSERT_JOB: &str = "INSERT INTO dataset_job (dataset_id, run_at) VALUES ($1, $2)";

/// The images of the storage area that a JSON list names.
macro_rules! stored {
    (sqlite) => {
        stored!("value FROM json_each($3)")
    };
    (postgres) => {
        stored!("json_array_elements_text(CAST($3 AS JSON))")
    };
    ($listed:literal) => {
        concat!(
            "SELECT id, sha256, tag FROM user_image WHERE application_id = $1 AND user_id = $2 AND id IN (SELECT ",
            $listed,
            ")"
        )
    };
}
pub(super) use stored;

/// Inserts all images of a JSON list, from a position on; `e` is one of them.
macro_rules! insert_images {
    (sqlite) => {
        insert_images!("$5 + e.key", "unhex(e.value->>'sha256')", "json_each($4) e")
    };
    (postgres) => {
        insert_images!(
            "$5 + e.place - 1",
            "decode(e.value->>'sha256', 'hex')",
            "json_array_elements(CAST($4 AS JSON)) WITH ORDINALITY AS e (value, place)"
        )
    };
    ($place:literal, $sha256:literal, $listed:literal) => {
        concat!(
            "INSERT INTO dataset_image \
             (dataset_id, application_id, user_id, outcome, image_id, url, tag, position, sha256) \
             SELECT $1, $2, $3, 'pending', e.value->>'imageId', e.value->>'url', e.value->>'tag', ",
            $place,
            ", ",
            $sha256,
            " FROM ",
            $listed
        )
    };
}
pub(super) use insert_images;

/// A row to insert.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row<'a> {
    image_id: &'a str,
    url: Option<&'a str>,
    tag: &'a str,
    sha256: Option<String>,
}

impl Store {
    /// Stores a dataset and queues its job in one transaction, within the limits. One of the same id, which an
    /// interrupted request has created before, stays as it is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_dataset(
        &self,
        new: &NewDataset,
        limits: DatasetLimits,
    ) -> Result<CreateDatasetOutcome, StoreError> {
        self.insert_dataset(new, limits, None).await
    }

    /// The same with all images of the user's storage area that have a tag, `most` of them at most, in place of the
    /// listed ones. The dataset is found by its name, so no other one of the user may have it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_dataset_of_storage(
        &self,
        new: &NewDataset,
        limits: DatasetLimits,
        most: usize,
    ) -> Result<CreateDatasetOutcome, StoreError> {
        self.insert_dataset(new, limits, Some(most)).await
    }

    async fn insert_dataset(
        &self,
        new: &NewDataset,
        limits: DatasetLimits,
        of_storage: Option<usize>,
    ) -> Result<CreateDatasetOutcome, StoreError> {
        let (stored, insert_images) = match self.pool {
            Pool::Sqlite(_) => (stored!(sqlite), insert_images!(sqlite)),
            Pool::Postgres(_) => (stored!(postgres), insert_images!(postgres)),
        };
        let (id, app, user, now) = (new.id.as_str(), new.application.as_str(), new.user.as_str(), new.created_at.0);
        let named = json(&new.images.iter().filter_map(NewDatasetImage::stored).collect::<Vec<_>>())?;
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now).execute(&mut *tx).await?;
            let exists: Option<i32> =
                sqlx::query_scalar(EXISTS).bind(id).bind(app).bind(user).fetch_optional(&mut *tx).await?;
            if exists.is_some() {
                return Ok(CreateDatasetOutcome::Created);
            }
            let count: i64 = sqlx::query_scalar(COUNT).bind(app).bind(user).fetch_one(&mut *tx).await?;
            if count >= limits.datasets {
                return Ok(CreateDatasetOutcome::LimitReached);
            }
            let found: Vec<(String, Vec<u8>, Option<String>)> = if let Some(most) = of_storage {
                let same: i64 = sqlx::query_scalar(SAME_NAME).bind(app).bind(user).bind(new.name.as_str())
                    .fetch_one(&mut *tx).await?;
                if same > 0 {
                    return Ok(CreateDatasetOutcome::NameTaken);
                }
                let one_more = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
                sqlx::query_as(TAGGED).bind(app).bind(user).bind(one_more).fetch_all(&mut *tx).await?
            } else {
                sqlx::query_as(stored).bind(app).bind(user).bind(named).fetch_all(&mut *tx).await?
            };
            let images = match of_storage {
                None => Cow::Borrowed(&new.images),
                Some(_) if found.is_empty() => return Ok(CreateDatasetOutcome::NothingTagged),
                Some(most) if found.len() > most => return Ok(CreateDatasetOutcome::TooManyImages),
                Some(_) => Cow::Owned(found.iter().map(|(id, ..)| NewDatasetImage::of_storage(id)).collect()),
            };
            let found = found.into_iter().map(|(id, sha256, tag)| (id, (sha256, tag))).collect();
            let rows = match rows(&images, &found, limits.tags) {
                Ok(rows) => json(&rows)?,
                Err(refused) => return Ok(refused),
            };
            sqlx::query(INSERT)
                .bind(id).bind(app).bind(user).bind(new.name.as_str()).bind(now)
                .bind(&new.model).bind(&new.model_sha256)
                .execute(&mut *tx).await?;
            sqlx::query(insert_images).bind(id).bind(app).bind(user).bind(rows).bind(0_i64).execute(&mut *tx).await?;
            sqlx::query(INSERT_JOB).bind(id).bind(now).execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(CreateDatasetOutcome::Created)
        })
    }
}

impl NewDatasetImage {
    /// An image of the storage area with the tag that it has there.
    fn of_storage(id: &str) -> Self {
        Self { source: ImageSource::Stored(ImageId::from_text(id)), tag: None }
    }

    pub(super) fn stored(&self) -> Option<&str> {
        match &self.source {
            ImageSource::Url(..) => None,
            ImageSource::Stored(id) => Some(id.as_str()),
        }
    }
}

/// The rows to insert, in the user's order; or why the dataset is refused.
pub(super) fn rows<'a>(
    images: &'a [NewDatasetImage],
    stored: &'a HashMap<String, (Vec<u8>, Option<String>)>,
    max_tags: usize,
) -> Result<Vec<Row<'a>>, CreateDatasetOutcome> {
    let mut tags = HashSet::new();
    let mut rows = Vec::with_capacity(images.len());
    for (place, image) in images.iter().enumerate() {
        let given = image.tag.as_ref().map(Tag::as_str);
        let (image_id, url, tag, sha256) = match &image.source {
            ImageSource::Url(url, id) => (id, Some(url.as_str()), given, None),
            ImageSource::Stored(id) => {
                let (sha256, tag) = stored.get(id.as_str()).ok_or(CreateDatasetOutcome::NoImage(place))?;
                (id, None, given.or(tag.as_deref()), Some(hex(sha256)))
            }
        };
        let tag = tag.ok_or(CreateDatasetOutcome::NoTag(place))?;
        tags.insert(tag);
        if tags.len() > max_tags {
            return Err(CreateDatasetOutcome::TooManyTags);
        }
        rows.push(Row { image_id: image_id.as_str(), url, tag, sha256 });
    }
    Ok(rows)
}

pub(super) fn json<T: Serialize>(list: &T) -> Result<String, StoreError> {
    serde_json::to_string(list).map_err(|error| StoreError::Damaged(error.to_string()))
}
