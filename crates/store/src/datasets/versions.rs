//! Changing a dataset: a new version is made of the images of the one before, built in the background, and takes its
//! place when it is ready. The version before it stays, so that the change can be undone.

use std::collections::HashSet;

use kaisatsu_model::{AppId, DatasetId, DatasetName, ImageId, Tag, Timestamp, UserId};
use serde::Serialize;

use super::create::{CreateDatasetOutcome, INSERT_JOB, NewDatasetImage, insert_images, json, rows, stored};
use crate::{Pool, Store, StoreError, blob_claims::LOCK_ACCOUNT, on_each, transactions::Transactions as _};

/// Changes of a dataset.
#[derive(Debug, Clone)]
pub struct DatasetUpdate {
    /// The application of the user.
    pub application: AppId,
    /// The user who owns the dataset.
    pub user: UserId,
    /// The dataset.
    pub id: DatasetId,
    /// The id of the version to make.
    pub version: DatasetId,
    /// When it is made.
    pub at: Timestamp,
    /// Its new name.
    pub name: Option<DatasetName>,
    /// What changes in its images.
    pub images: ImageChanges,
}

/// Changes of the images of a dataset, made in the order of the fields.
#[derive(Debug, Clone, Default)]
pub struct ImageChanges {
    /// Images to remove.
    pub remove: Vec<ImageId>,
    /// Tags to rename; a tag that exists already takes the images in.
    pub rename_tags: Vec<(Tag, Tag)>,
    /// Images that get another tag.
    pub retag: Vec<(ImageId, Tag)>,
    /// Images whose tag is right, whatever the report says.
    pub confirm: Vec<ImageId>,
    /// Images to add.
    pub add: Vec<NewDatasetImage>,
}

impl ImageChanges {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty()
            && self.rename_tags.is_empty()
            && self.retag.is_empty()
            && self.confirm.is_empty()
            && self.add.is_empty()
    }

    /// The images that must be in the dataset.
    fn named(&self) -> impl Iterator<Item = &str> {
        let retagged = self.retag.iter().map(|(id, _)| id);
        self.remove.iter().chain(retagged).chain(&self.confirm).map(ImageId::as_str)
    }
}

/// Limits of a version.
#[derive(Debug, Clone, Copy)]
pub struct VersionLimits {
    /// Images that it may have.
    pub images: i64,
    /// Distinct tags that it may have.
    pub tags: usize,
}

/// The result of changing a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateDatasetOutcome {
    /// It is changed; a new version is queued if images change.
    Updated,
    /// The user has no such dataset.
    NoDataset,
    /// The dataset has no such image.
    NotInDataset(String),
    /// No image of the dataset has this tag.
    NoSuchTag(String),
    /// An image to be added is refused.
    Refused(CreateDatasetOutcome),
    /// There would be more images than allowed.
    TooManyImages,
    /// There would be more tags than allowed.
    TooManyTags,
    /// No image would be left.
    Empty,
}

/// The result of undoing the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoOutcome {
    /// The version before answers, or the new one will not be built.
    Undone,
    /// The user has no such dataset.
    NoDataset,
    /// It has not been changed.
    NothingToUndo,
}

/// The version that changes are based on, and the one that they replace: successive changes add up, also while the
/// first is being built.
const BASE: &str = "SELECT COALESCE(n.id, d.current_version, d.id), d.next_version FROM dataset d \
     LEFT JOIN dataset n ON n.id = d.next_version AND n.phase <> 'failed' \
     WHERE d.id = $1 AND d.application_id = $2 AND d.user_id = $3 AND d.version_of IS NULL";

const RENAME: &str = "UPDATE dataset SET name = $2 WHERE id = $1";

const INSERT: &str = "INSERT INTO dataset \
     (id, application_id, user_id, name, phase, changed_at, created_at, model, model_sha256, version_of, version) \
     SELECT $2, application_id, user_id, name, 'queued', $3, $3, model, model_sha256, $4, \
     (SELECT MAX(version) + 1 FROM dataset WHERE id = $4 OR version_of = $4) FROM dataset WHERE id = $1";

const COPY_IMAGES: &str = "INSERT INTO dataset_image (dataset_id, position, image_id, url, tag, outcome, detail, \
     attempts, retry_at, application_id, user_id, sha256, vector, confirmed) \
     SELECT $2, position, image_id, url, tag, outcome, detail, attempts, retry_at, application_id, user_id, sha256, \
     vector, confirmed FROM dataset_image WHERE dataset_id = $1";

const RENAME_TAG: &str = "UPDATE dataset_image SET tag = $3 WHERE dataset_id = $1 AND tag = $2";

const SIZES: &str = "SELECT COUNT(*), COUNT(DISTINCT tag), COALESCE(MAX(position), -1) + 1 FROM dataset_image \
     WHERE dataset_id = $1";

const SET_NEXT: &str = "UPDATE dataset SET next_version = $2 WHERE id = $1";

const VERSIONS: &str = "SELECT next_version, previous_version FROM dataset \
     WHERE id = $1 AND application_id = $2 AND user_id = $3 AND version_of IS NULL";

/// Both at once, so that undoing twice is doing it again.
const SWAP: &str = "UPDATE dataset SET current_version = previous_version, \
     previous_version = COALESCE(current_version, id) WHERE id = $1";

/// The dataset whose next version this is, and the version that then goes.
pub(super) const NEXT_OF: &str = "SELECT d.id, d.previous_version FROM dataset d JOIN dataset v ON v.version_of = d.id \
     WHERE v.id = $1 AND d.next_version = $1";

pub(super) const PROMOTE: &str = "UPDATE dataset SET previous_version = COALESCE(current_version, id), \
     current_version = $2, next_version = NULL WHERE id = $1";

/// When a version is dropped, its blobs may no longer be referenced.
pub(super) const RELEASE_BLOBS: &str = "UPDATE blob SET state = 'loose', touched_at = $4 \
     WHERE application_id = $2 AND user_id = $3 AND state <> 'doomed' AND sha256 IN \
     (SELECT sha256 FROM dataset_image WHERE dataset_id = $1 AND sha256 IS NOT NULL)";

pub(super) const DROP_JOB: &str = "DELETE FROM dataset_job WHERE dataset_id = $1";
pub(super) const DROP_IMAGES: &str = "DELETE FROM dataset_image WHERE dataset_id = $1";
/// The first version is the dataset itself, which stays; nothing is to be built of it any more.
pub(super) const END_FIRST: &str = "UPDATE dataset SET phase = 'failed' WHERE id = $1 AND version_of IS NULL";
pub(super) const DROP_ROW: &str = "DELETE FROM dataset WHERE id = $1 AND version_of IS NOT NULL";

/// Removes a version with everything in it, in a transaction that has locked the user's account.
macro_rules! drop_version {
    ($tx:expr, $version:expr, $app:expr, $user:expr, $now:expr) => {{
        use $crate::datasets::versions::{DROP_IMAGES, DROP_JOB, DROP_ROW, END_FIRST, RELEASE_BLOBS};
        sqlx::query(DROP_JOB).bind($version).execute(&mut *$tx).await?;
        sqlx::query(RELEASE_BLOBS).bind($version).bind($app).bind($user).bind($now).execute(&mut *$tx).await?;
        sqlx::query(DROP_IMAGES).bind($version).execute(&mut *$tx).await?;
        sqlx::query(END_FIRST).bind($version).execute(&mut *$tx).await?;
        sqlx::query(DROP_ROW).bind($version).execute(&mut *$tx).await?;
    }};
}
pub(super) use drop_version;

/// The statements that take a JSON list, which the databases read differently.
struct ListStatements {
    stored: &'static str,
    insert_images: &'static str,
    known: &'static str,
    remove: &'static str,
    confirm: &'static str,
    retag: &'static str,
}

macro_rules! list_statements {
    ($listed:literal, $objects:literal, $stored:expr, $insert_images:expr) => {
        ListStatements {
            stored: $stored,
            insert_images: $insert_images,
            known: concat!(
                "SELECT DISTINCT image_id FROM dataset_image WHERE dataset_id = $1 AND image_id IN (SELECT ",
                $listed,
                ")"
            ),
            remove: concat!("DELETE FROM dataset_image WHERE dataset_id = $1 AND image_id IN (SELECT ", $listed, ")"),
            confirm: concat!(
                "UPDATE dataset_image SET confirmed = 1 WHERE dataset_id = $1 AND image_id IN (SELECT ",
                $listed,
                ")"
            ),
            retag: concat!(
                "UPDATE dataset_image SET tag = e.value->>'tag', confirmed = 1 FROM ",
                $objects,
                " WHERE dataset_id = $1 AND image_id = e.value->>'imageId'"
            ),
        }
    };
}

impl ListStatements {
    fn of(pool: &Pool) -> Self {
        match pool {
            Pool::Sqlite(_) => {
                list_statements!("value FROM json_each($2)", "json_each($2) e", stored!(sqlite), insert_images!(sqlite))
            }
            Pool::Postgres(_) => list_statements!(
                "json_array_elements_text(CAST($2 AS JSON))",
                "json_array_elements(CAST($2 AS JSON)) AS e (value)",
                stored!(postgres),
                insert_images!(postgres)
            ),
        }
    }
}

/// An image that gets another tag.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Retag<'a> {
    image_id: &'a str,
    tag: &'a str,
}

impl Store {
    /// Changes a dataset. If its images change, a new version is stored and its job queued, in the same transaction.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn update_dataset(
        &self,
        update: &DatasetUpdate,
        limits: VersionLimits,
    ) -> Result<UpdateDatasetOutcome, StoreError> {
        let (id, app, user, now) = (update.id.as_str(), update.application.as_str(), update.user.as_str(), update.at.0);
        let (changes, statements) = (&update.images, ListStatements::of(&self.pool));
        let named = json(&changes.named().collect::<Vec<_>>())?;
        let ids = |list: &[ImageId]| json(&list.iter().map(ImageId::as_str).collect::<Vec<_>>());
        let retag = |(image, tag)| Retag { image_id: ImageId::as_str(image), tag: Tag::as_str(tag) };
        let retagged = json(&changes.retag.iter().map(|(image, tag)| retag((image, tag))).collect::<Vec<_>>())?;
        let (removed, confirmed) = (ids(&changes.remove)?, ids(&changes.confirm)?);
        let added = json(&changes.add.iter().filter_map(NewDatasetImage::stored).collect::<Vec<_>>())?;
        let version = update.version.as_str();
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now).execute(&mut *tx).await?;
            let base: Option<(String, Option<String>)> =
                sqlx::query_as(BASE).bind(id).bind(app).bind(user).fetch_optional(&mut *tx).await?;
            let Some((base, replaced)) = base else { return Ok(UpdateDatasetOutcome::NoDataset) };
            if let Some(name) = &update.name {
                sqlx::query(RENAME).bind(id).bind(name.as_str()).execute(&mut *tx).await?;
            }
            if changes.is_empty() {
                tx.commit().await?;
                return Ok(UpdateDatasetOutcome::Updated);
            }
            let known: Vec<String> =
                sqlx::query_scalar(statements.known).bind(&base).bind(named).fetch_all(&mut *tx).await?;
            let known: HashSet<&str> = known.iter().map(String::as_str).collect();
            if let Some(unknown) = changes.named().find(|id| !known.contains(id)) {
                return Ok(UpdateDatasetOutcome::NotInDataset(unknown.to_owned()));
            }
            let found: Vec<(String, Vec<u8>, Option<String>)> =
                sqlx::query_as(statements.stored).bind(app).bind(user).bind(added).fetch_all(&mut *tx).await?;
            let found = found.into_iter().map(|(id, sha256, tag)| (id, (sha256, tag))).collect();
            let new_rows = match rows(&changes.add, &found, limits.tags) {
                Ok(rows) => json(&rows)?,
                Err(refused) => return Ok(UpdateDatasetOutcome::Refused(refused)),
            };

            sqlx::query(INSERT).bind(&base).bind(version).bind(now).bind(id).execute(&mut *tx).await?;
            sqlx::query(COPY_IMAGES).bind(&base).bind(version).execute(&mut *tx).await?;
            if let Some(replaced) = &replaced {
                drop_version!(tx, replaced, app, user, now);
            }
            sqlx::query(statements.remove).bind(version).bind(removed).execute(&mut *tx).await?;
            for (from, to) in &changes.rename_tags {
                let renamed = sqlx::query(RENAME_TAG).bind(version).bind(from.as_str()).bind(to.as_str())
                    .execute(&mut *tx).await?;
                if renamed.rows_affected() == 0 {
                    return Ok(UpdateDatasetOutcome::NoSuchTag(from.as_str().to_owned()));
                }
            }
            sqlx::query(statements.retag).bind(version).bind(retagged).execute(&mut *tx).await?;
            sqlx::query(statements.confirm).bind(version).bind(confirmed).execute(&mut *tx).await?;
            let (_, _, next): (i64, i64, i64) =
                sqlx::query_as(SIZES).bind(version).fetch_one(&mut *tx).await?;
            sqlx::query(statements.insert_images).bind(version).bind(app).bind(user).bind(new_rows).bind(next)
                .execute(&mut *tx).await?;
            let (images, tags, _): (i64, i64, i64) =
                sqlx::query_as(SIZES).bind(version).fetch_one(&mut *tx).await?;
            if images == 0 {
                return Ok(UpdateDatasetOutcome::Empty);
            }
            if images > limits.images {
                return Ok(UpdateDatasetOutcome::TooManyImages);
            }
            if usize::try_from(tags).is_ok_and(|tags| tags > limits.tags) {
                return Ok(UpdateDatasetOutcome::TooManyTags);
            }
            sqlx::query(INSERT_JOB).bind(version).bind(now).execute(&mut *tx).await?;
            sqlx::query(SET_NEXT).bind(id).bind(version).execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(UpdateDatasetOutcome::Updated)
        })
    }

    /// Undoes the last change of a dataset: a version that is not ready yet is dropped; otherwise the version before
    /// answers again, and undoing once more brings the later one back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn undo_dataset(
        &self,
        application: &AppId,
        user: &UserId,
        id: &DatasetId,
        now: Timestamp,
    ) -> Result<UndoOutcome, StoreError> {
        let (id, app, user, now) = (id.as_str(), application.as_str(), user.as_str(), now.0);
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now).execute(&mut *tx).await?;
            let versions: Option<(Option<String>, Option<String>)> =
                sqlx::query_as(VERSIONS).bind(id).bind(app).bind(user).fetch_optional(&mut *tx).await?;
            match versions {
                None => return Ok(UndoOutcome::NoDataset),
                Some((Some(next), _)) => {
                    sqlx::query(SET_NEXT).bind(id).bind(None::<&str>).execute(&mut *tx).await?;
                    drop_version!(tx, &next, app, user, now);
                }
                Some((None, Some(_))) => {
                    sqlx::query(SWAP).bind(id).execute(&mut *tx).await?;
                }
                Some((None, None)) => return Ok(UndoOutcome::NothingToUndo),
            }
            tx.commit().await?;
            Ok(UndoOutcome::Undone)
        })
    }
}
