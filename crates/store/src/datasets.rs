//! Users' datasets: reading and deleting them.
//!
//! What is read of a dataset is read of the version that answers (`versions`); ids are those of the dataset.

mod build;
mod create;
mod reembed;
#[cfg(test)]
mod states;
mod versions;

use std::collections::BTreeSet;

pub use build::{BuiltImage, ImageResult, Lease, PendingImage};
pub use create::{CreateDatasetOutcome, DatasetLimits, ImageSource, NewDataset, NewDatasetImage};
use kaisatsu_model::{AppId, DatasetId, ImageId, Outcome, Phase, Timestamp, UserId};
pub use reembed::{NewVectors, OutdatedDataset};
pub use versions::{DatasetUpdate, ImageChanges, UndoOutcome, UpdateDatasetOutcome, VersionLimits};

use crate::{Store, StoreError, blob_claims::LOCK_ACCOUNT, on_each, transactions::Transactions as _};

/// A stored dataset.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct DatasetRow {
    id: String,
    name: String,
    phase: String,
    changed_at: i64,
    created_at: i64,
    /// The model whose vectors it holds.
    pub model: String,
    /// The hash of its weights.
    pub model_sha256: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// Its report, in JSON.
    pub report: Option<String>,
    content: String,
    /// The number of the version that answers; the first is 1.
    pub version: i64,
    next_version: Option<String>,
    next_phase: Option<String>,
    /// Why the next version failed.
    pub next_reason: Option<String>,
    undoable: i64,
}

impl DatasetRow {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> DatasetId {
        DatasetId::from_text(self.id.as_str())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id of the version that answers, under which its images and its probe are stored.
    #[must_use]
    pub fn content(&self) -> DatasetId {
        DatasetId::from_text(self.content.as_str())
    }

    /// The version that is being built, or that failed, and its phase.
    #[must_use]
    pub fn next(&self) -> Option<(DatasetId, Phase)> {
        let phase = Phase::from_text(self.next_phase.as_deref()?).unwrap_or(Phase::Failed);
        Some((DatasetId::from_text(self.next_version.as_deref()?), phase))
    }

    /// Whether there is a change that can be undone.
    #[must_use]
    pub fn undoable(&self) -> bool {
        self.undoable != 0
    }

    /// Its phase.
    #[must_use]
    pub fn phase(&self) -> Phase {
        Phase::from_text(&self.phase).unwrap_or(Phase::Failed)
    }

    /// When the phase last changed.
    #[must_use]
    pub fn changed_at(&self) -> Timestamp {
        Timestamp(self.changed_at)
    }

    /// When it was created.
    #[must_use]
    pub fn created_at(&self) -> Timestamp {
        Timestamp(self.created_at)
    }
}

/// A stored image of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetImageRow {
    /// Its position in the dataset.
    pub position: i64,
    /// Its id.
    pub image_id: ImageId,
    /// Its address; `None` for an image of the storage area.
    pub url: Option<String>,
    /// Its tag.
    pub tag: String,
    /// What came of it.
    pub outcome: Outcome,
    /// The outcome in words.
    pub detail: Option<String>,
    /// Whether it is an image of the storage area that has been deleted there since.
    pub deleted: bool,
    /// The user's name for it in the storage area.
    pub name: Option<String>,
}

const COLUMNS: &str = "SELECT d.id, d.name, c.phase, c.changed_at, d.created_at, c.model, c.model_sha256, c.reason, \
     c.report, c.id AS content, c.version, d.next_version, n.phase AS next_phase, n.reason AS next_reason, \
     CAST(CASE WHEN d.next_version IS NULL AND d.previous_version IS NULL THEN 0 ELSE 1 END AS BIGINT) AS undoable \
     FROM dataset d JOIN dataset c ON c.id = COALESCE(d.current_version, d.id) \
     LEFT JOIN dataset n ON n.id = d.next_version WHERE d.version_of IS NULL";

/// When a dataset is deleted, the blobs of all its versions may no longer be referenced.
const MARK_ALL_RELEASED: &str = "UPDATE blob SET state = 'loose', touched_at = $4 \
     WHERE application_id = $2 AND user_id = $3 AND state <> 'doomed' AND sha256 IN \
     (SELECT i.sha256 FROM dataset_image i JOIN dataset d ON d.id = i.dataset_id \
     WHERE (d.id = $1 OR d.version_of = $1) AND i.sha256 IS NOT NULL)";

/// The jobs are deleted first: a builder locks its job before the dataset too, so that the two cannot deadlock.
const DELETE_JOB: &str = "DELETE FROM dataset_job WHERE dataset_id IN \
     (SELECT id FROM dataset WHERE (id = $1 OR version_of = $1) AND application_id = $2 AND user_id = $3)";

/// The recognitions of a dataset may be far more rows than all else that is deleted with it.
const SOME_RECOGNITIONS: &str = "DELETE FROM recognition WHERE id IN \
     (SELECT id FROM recognition WHERE dataset_id = $1 LIMIT 500)";

/// Reports of held verdicts name the dataset too.
const DELETE_REPORTS: &str = "DELETE FROM feedback_report WHERE model = $1";

const DELETE: &str = "DELETE FROM dataset WHERE id = $1 AND application_id = $2 AND user_id = $3";

impl Store {
    /// A user's dataset, if there is one of that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset(
        &self,
        application: &AppId,
        user: &UserId,
        id: &DatasetId,
    ) -> Result<Option<DatasetRow>, StoreError> {
        let query = format!("{COLUMNS} AND d.id = $1 AND d.application_id = $2 AND d.user_id = $3");
        let query = sqlx::AssertSqlSafe(query);
        Ok(on_each!(self, pool => sqlx::query_as(query)
            .bind(id.as_str()).bind(application.as_str()).bind(user.as_str()).fetch_optional(pool).await)?)
    }

    /// Whose dataset it is: the application's and the user's, if there is one of that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_owner(&self, id: &DatasetId) -> Result<Option<(AppId, UserId)>, StoreError> {
        let found: Option<(String, String)> = on_each!(self, pool => sqlx::query_as(
            "SELECT d.application_id, d.user_id FROM dataset d JOIN application a ON a.id = d.application_id \
             WHERE d.id = $1 AND d.version_of IS NULL AND a.deleted_at IS NULL",
        ).bind(id.as_str()).fetch_optional(pool).await)?;
        let owner = |(application, user): (String, String)| {
            let user = UserId::new(&user).map_err(|rule| StoreError::Damaged(format!("the user of {id}: {rule}")))?;
            Ok((AppId::from_text(application), user))
        };
        found.map(owner).transpose()
    }

    /// The datasets to which a user gave a name, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn datasets_named(
        &self,
        application: &AppId,
        user: &UserId,
        name: &str,
        limit: i64,
    ) -> Result<Vec<DatasetRow>, StoreError> {
        let query = format!("{COLUMNS} AND d.application_id = $1 AND d.user_id = $2 AND d.name = $3 LIMIT $4");
        let query = sqlx::AssertSqlSafe(query);
        Ok(on_each!(self, pool => sqlx::query_as(query)
            .bind(application.as_str()).bind(user.as_str()).bind(name).bind(limit).fetch_all(pool).await)?)
    }

    /// A user's datasets after a cursor, oldest first, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn datasets(
        &self,
        application: &AppId,
        user: &UserId,
        after: (Timestamp, &str),
        limit: i64,
    ) -> Result<Vec<DatasetRow>, StoreError> {
        let query = format!(
            "{COLUMNS} AND d.application_id = $1 AND d.user_id = $2 \
             AND (d.created_at > $3 OR (d.created_at = $3 AND d.id > $4)) ORDER BY d.created_at, d.id LIMIT $5"
        );
        let query = sqlx::AssertSqlSafe(query);
        Ok(on_each!(self, pool => sqlx::query_as(query)
            .bind(application.as_str()).bind(user.as_str()).bind(after.0.0).bind(after.1).bind(limit)
            .fetch_all(pool).await)?)
    }

    /// The existing ones of these datasets, in any order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn existing_datasets(&self, ids: &[String]) -> Result<Vec<String>, StoreError> {
        let list = serde_json::to_string(ids).unwrap_or_default();
        let live = match &self.pool {
            crate::Pool::Sqlite(pool) => {
                sqlx::query_scalar("SELECT id FROM dataset WHERE id IN (SELECT value FROM json_each($1))")
                    .bind(list)
                    .fetch_all(pool)
                    .await
            }
            crate::Pool::Postgres(pool) => {
                sqlx::query_scalar("SELECT id FROM dataset WHERE id = ANY($1)").bind(ids).fetch_all(pool).await
            }
        };
        Ok(live?)
    }

    /// The number of images of a version by outcome.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn outcomes(&self, id: &DatasetId) -> Result<Vec<(Outcome, i64)>, StoreError> {
        Ok(self.outcomes_and_tags(id).await?.0)
    }

    /// The same, and whether all images that are in the dataset or may come into it have the same tag.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn outcomes_and_tags(&self, id: &DatasetId) -> Result<(Vec<(Outcome, i64)>, bool), StoreError> {
        let rows: Vec<(String, i64, String, String)> = on_each!(self, pool => sqlx::query_as(
            "SELECT outcome, COUNT(*), MIN(tag), MAX(tag) FROM dataset_image WHERE dataset_id = $1 GROUP BY outcome",
        ).bind(id.as_str()).fetch_all(pool).await)?;
        let (mut counts, mut tags) = (Vec::new(), BTreeSet::new());
        for (word, count, first, last) in rows {
            let outcome = outcome(&word)?;
            counts.push((outcome, count));
            if matches!(outcome, Outcome::Pending | Outcome::Fetched) {
                tags.extend([first, last]);
            }
        }
        Ok((counts, tags.len() == 1))
    }

    /// Whether the version that answers has an image with a tag.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_has_tag(&self, id: &DatasetId, tag: &str) -> Result<bool, StoreError> {
        let found: Option<String> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT i.tag FROM dataset d JOIN dataset_image i ON i.dataset_id = COALESCE(d.current_version, d.id) \
             WHERE d.id = $1 AND i.tag = $2 AND i.outcome = 'fetched' LIMIT 1",
        ).bind(id.as_str()).bind(tag).fetch_optional(pool).await)?;
        Ok(found.is_some())
    }

    /// The images of a version after a position, in the user's order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_images(
        &self,
        id: &DatasetId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<DatasetImageRow>, StoreError> {
        type Row = (i64, String, Option<String>, String, String, Option<String>, i64, Option<String>);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(
            "SELECT i.position, i.image_id, i.url, i.tag, i.outcome, i.detail, \
             CAST(CASE WHEN i.url IS NULL AND u.id IS NULL THEN 1 ELSE 0 END AS BIGINT), u.name \
             FROM dataset_image i LEFT JOIN user_image u ON u.id = i.image_id \
             WHERE i.dataset_id = $1 AND i.position > $2 ORDER BY i.position LIMIT $3",
        ).bind(id.as_str()).bind(after).bind(limit).fetch_all(pool).await)?;
        let image = |(position, image_id, url, tag, word, detail, deleted, name): Row| {
            let (image_id, outcome) = (ImageId::from_text(image_id), outcome(&word)?);
            Ok(DatasetImageRow { position, image_id, url, tag, outcome, detail, deleted: deleted != 0, name })
        };
        rows.into_iter().map(image).collect()
    }

    /// Deletes a user's dataset and everything that depends on it; returns whether there was one. A build that is
    /// still running finds no lease and writes nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_dataset(
        &self,
        application: &AppId,
        user: &UserId,
        id: &DatasetId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        if self.dataset(application, user, id).await?.is_none() {
            return Ok(false);
        }
        let (id, app, user) = (id.as_str(), application.as_str(), user.as_str());
        on_each!(self, pool => {
            // In batches, so that no other writer waits for all of them. The dataset works until its own row is
            // deleted, and recognitions made until then are deleted with it.
            while sqlx::query(SOME_RECOGNITIONS).bind(id).execute(pool).await?.rows_affected() > 0 {}
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now.0).execute(&mut *tx).await?;
            sqlx::query(DELETE_JOB).bind(id).bind(app).bind(user).execute(&mut *tx).await?;
            sqlx::query(MARK_ALL_RELEASED).bind(id).bind(app).bind(user).bind(now.0).execute(&mut *tx).await?;
            let gone = sqlx::query(DELETE).bind(id).bind(app).bind(user).execute(&mut *tx).await?;
            if gone.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(DELETE_REPORTS).bind(id).execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
    }
}

fn outcome(word: &str) -> Result<Outcome, StoreError> {
    Outcome::from_text(word).ok_or_else(|| StoreError::Damaged(format!("the outcome '{word}' of an image")))
}
