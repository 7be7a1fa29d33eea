//! Consistency checks of the database.

use kaisatsu_model::BlobState;

use crate::{
    BlobKey, Pool, Store, StoreError,
    blob_claims::{blob_key, blob_state},
    on_each,
};

/// A blob as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobRow {
    /// Its key.
    pub key: BlobKey,
    /// Its size in bytes.
    pub size: i64,
    /// Whether its bytes must be complete: it is neither being written nor being deleted.
    pub complete: bool,
    /// Whether the sweeper will look at it anyway: it is released, being written or being deleted.
    pub pending: bool,
    /// Whether an image refers to it.
    pub referenced: bool,
}

const BLOBS: &str = "SELECT application_id, user_id, sha256, size, state, \
     CAST(CASE WHEN EXISTS (SELECT 1 FROM user_image i WHERE i.application_id = b.application_id AND i.user_id = \
     b.user_id AND i.sha256 = b.sha256) \
     OR EXISTS (SELECT 1 FROM dataset_image d WHERE d.application_id = b.application_id AND d.user_id = b.user_id AND \
     d.sha256 = b.sha256) \
     OR (b.application_id = 'public' AND (EXISTS (SELECT 1 FROM collection_image c WHERE c.thumbnail = b.sha256) \
     OR EXISTS (SELECT 1 FROM catalogue_item m WHERE m.thumbnail = b.sha256) \
     OR EXISTS (SELECT 1 FROM catalogue_segment g WHERE g.sha256 = b.sha256))) \
     THEN 1 ELSE 0 END AS BIGINT) FROM blob b \
     WHERE (application_id, user_id, sha256) > ($1, $2, $3) ORDER BY application_id, user_id, sha256 LIMIT $4";

/// Inconsistencies: a message, and a query for the ids it applies to.
const FAULTS: [(&str, &str); 6] = [
    (
        "dataset {} waits to be built, and there is no job for it",
        "SELECT id FROM dataset WHERE phase IN ('queued', 'building') AND id NOT IN (SELECT dataset_id FROM \
         dataset_job)",
    ),
    (
        "dataset {} is built, and there is a job for it",
        "SELECT id FROM dataset WHERE phase IN ('ready', 'failed') AND id IN (SELECT dataset_id FROM dataset_job)",
    ),
    (
        "dataset {} is ready, and has images that nobody has looked at",
        "SELECT DISTINCT dataset_id FROM dataset_image i JOIN dataset d ON d.id = i.dataset_id \
         WHERE d.phase = 'ready' AND i.outcome = 'pending'",
    ),
    (
        "dataset {} has images without a vector, or without their bytes",
        "SELECT DISTINCT dataset_id FROM dataset_image WHERE outcome = 'fetched' AND (vector IS NULL OR sha256 IS \
         NULL)",
    ),
    (
        "dataset {} has vectors of different lengths",
        "SELECT dataset_id FROM dataset_image WHERE vector IS NOT NULL \
         GROUP BY dataset_id HAVING MIN(LENGTH(vector)) <> MAX(LENGTH(vector))",
    ),
    (
        "dataset {} has no images",
        // The images of the first version go when it is neither the current version nor the one before.
        "SELECT id FROM dataset WHERE id NOT IN (SELECT dataset_id FROM dataset_image) \
         AND (version_of IS NOT NULL OR id IN (COALESCE(current_version, id), COALESCE(previous_version, id)))",
    ),
];

impl Store {
    /// Corruption that SQLite finds in its file. PostgreSQL checks itself.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn integrity(&self) -> Result<Vec<String>, StoreError> {
        let Pool::Sqlite(pool) = &self.pool else { return Ok(Vec::new()) };
        let mut found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(20)").fetch_all(pool).await?;
        found.retain(|line| line != "ok");
        let dangling: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check").fetch_all(pool).await?;
        found.extend(dangling.iter().map(|table| format!("table {table} refers to rows that are not there")));
        Ok(found)
    }

    /// Inconsistencies of datasets, as messages.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_faults(&self) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        for (sentence, query) in FAULTS {
            let ids: Vec<String> = on_each!(self, pool => sqlx::query_scalar(query).fetch_all(pool).await)?;
            found.extend(ids.iter().map(|id| sentence.replace("{}", id)));
        }
        Ok(found)
    }

    /// All blobs in the database after a key, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn blob_rows(&self, after: Option<&BlobKey>, limit: i64) -> Result<Vec<BlobRow>, StoreError> {
        type Row = (String, String, Vec<u8>, i64, String, i64);
        let (app, user) = after.map_or(("", ""), |key| (key.application.as_str(), key.user.as_str()));
        let sha256 = after.map_or(&[][..], |key| &key.sha256[..]);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(BLOBS)
            .bind(app).bind(user).bind(sha256).bind(limit).fetch_all(pool).await)?;
        let row = |(app, user, sha256, size, state, owned): Row| {
            let state = blob_state(&state)?;
            Ok(BlobRow {
                key: blob_key(app, &user, &sha256)?,
                size,
                complete: state.is_complete(),
                pending: state != BlobState::Stored,
                referenced: owned == 1,
            })
        };
        rows.into_iter().map(row).collect()
    }
}
