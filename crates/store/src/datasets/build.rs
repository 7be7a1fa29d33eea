//! The job that builds a dataset: its lease, the pending images, and the results.
//!
//! Every step checks the lease in the transaction that writes its result. A builder that lost its lease, to another
//! replica or because the dataset was deleted, writes nothing.

use kaisatsu_model::{AppId, DatasetId, ImageId, Outcome, Timestamp, UserId};

use super::versions::{NEXT_OF, PROMOTE, drop_version};
use crate::{
    BlobKey, Pool, Store, StoreError,
    blob_claims::{LOCK_ACCOUNT, MARK_STORED, blob_key},
    collections::bytes_to_floats,
    on_each,
    recognitions::floats_to_bytes,
    transactions::Transactions as _,
};

/// The lease of a dataset's job. It holds until it expires, and can be renewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The dataset.
    pub id: DatasetId,
    /// The application of the user.
    pub application: AppId,
    /// The user who owns the dataset.
    pub user: UserId,
    /// The model to build with.
    pub model: String,
    /// The hash of its weights.
    pub model_sha256: String,
    /// How often the job was claimed since it last made progress, this time included.
    pub attempts: i64,
    holder: String,
}

/// An image that has not been processed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingImage {
    /// Its position in the dataset.
    pub position: i64,
    /// Its address; `None` for an image of the storage area.
    pub url: Option<String>,
    /// Its bytes, if they are stored already.
    pub blob: Option<BlobKey>,
    /// How many attempts failed.
    pub attempts: i64,
}

/// The result of processing an image.
#[derive(Debug, Clone, PartialEq)]
pub enum ImageResult {
    /// The image is in the dataset.
    Fetched {
        /// Its bytes, which are stored.
        blob: BlobKey,
        /// The image as a vector.
        vector: Vec<f32>,
    },
    /// The image is not in the dataset, and this is why.
    Rejected(Outcome, String),
    /// A later attempt may succeed.
    RetryAt(Timestamp),
}

/// An image of a built dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltImage {
    /// Its position in the dataset.
    pub position: i64,
    /// Its id.
    pub image_id: ImageId,
    /// Its address; `None` for an image of the storage area.
    pub url: Option<String>,
    /// Its tag.
    pub tag: String,
    /// The hash of its bytes.
    pub sha256: Vec<u8>,
    /// The image as a vector.
    pub vector: Vec<f32>,
    /// Whether the user has said that the tag is right.
    pub confirmed: bool,
}

/// Claims a job without a valid lease: the oldest of the application that has waited longest for its turn, so that one
/// with many datasets does not keep the others waiting. PostgreSQL skips rows that another replica is claiming.
macro_rules! claim {
    ($skip:literal) => {
        concat!(
            "UPDATE dataset_job SET lease = $1, lease_until = $2, attempts = attempts + 1 WHERE dataset_id = \
             (SELECT j.dataset_id FROM dataset_job j JOIN dataset d ON d.id = j.dataset_id \
             LEFT JOIN job_turn t ON t.application_id = d.application_id \
             WHERE j.run_at <= $3 AND j.lease_until <= $3 ORDER BY COALESCE(t.taken_at, -1), j.run_at LIMIT 1",
            $skip,
            ") AND lease_until <= $3 RETURNING dataset_id, attempts"
        )
    };
}

const BEGIN: &str = "UPDATE dataset SET phase = 'building', changed_at = CASE phase WHEN 'building' THEN changed_at \
     ELSE $2 END \
     WHERE id = $1 RETURNING application_id, user_id, model, model_sha256";

const TAKE_TURN: &str = "INSERT INTO job_turn (application_id, taken_at) VALUES ($1, $2) \
     ON CONFLICT (application_id) DO UPDATE SET taken_at = excluded.taken_at";

const RENEW: &str = "UPDATE dataset_job SET lease_until = $3 WHERE dataset_id = $1 AND lease = $2";

/// Renews the lease of a job that made progress.
const ADVANCE: &str = "UPDATE dataset_job SET lease_until = $3, attempts = 0 WHERE dataset_id = $1 AND lease = $2";

const RELEASE: &str = "UPDATE dataset_job SET lease = NULL, lease_until = 0, run_at = $3, attempts = 0 WHERE \
     dataset_id = $1 AND lease = $2";

/// Releases the lease of a job that failed: the attempt counts.
const DEFER: &str =
    "UPDATE dataset_job SET lease = NULL, lease_until = 0, run_at = $3 WHERE dataset_id = $1 AND lease = $2";

const PENDING: &str = "SELECT position, url, application_id, user_id, sha256, attempts FROM dataset_image \
     WHERE dataset_id = $1 AND outcome = 'pending' AND retry_at <= $2 AND position > $3 ORDER BY position LIMIT $4";

const NEXT_TRY: &str = "SELECT MIN(retry_at) FROM dataset_image WHERE dataset_id = $1 AND outcome = 'pending'";

const FETCHED: &str = "UPDATE dataset_image SET outcome = 'fetched', detail = NULL, sha256 = $3, vector = $4 \
     WHERE dataset_id = $1 AND position = $2 AND outcome = 'pending'";

const REFUSED: &str = "UPDATE dataset_image SET outcome = $3, detail = $4 \
     WHERE dataset_id = $1 AND position = $2 AND outcome = 'pending'";

const LATER: &str = "UPDATE dataset_image SET attempts = attempts + 1, retry_at = $3 \
     WHERE dataset_id = $1 AND position = $2 AND outcome = 'pending'";

const BUILT: &str = "SELECT position, image_id, url, tag, sha256, vector, confirmed FROM dataset_image \
     WHERE dataset_id = $1 AND outcome = 'fetched' AND position > $2 ORDER BY position LIMIT $3";

/// Queues the job again; does nothing when the dataset has been deleted.
const REQUEUE: &str = "INSERT INTO dataset_job (dataset_id, run_at) SELECT id, $2 FROM dataset WHERE id = $1 \
     ON CONFLICT (dataset_id) DO UPDATE SET run_at = excluded.run_at, lease = NULL, lease_until = 0, attempts = 0";

/// Changes no row when another replica did the same a moment ago, or when the dataset has failed.
const OUTDATE: &str = "UPDATE dataset SET phase = 'queued', model_sha256 = $2, changed_at = $3, head = NULL, report = \
     NULL \
     WHERE id = $1 AND model_sha256 <> $2 AND phase <> 'failed'";

const RESET_IMAGES: &str = "UPDATE dataset_image SET outcome = 'pending', vector = NULL, attempts = 0, retry_at = 0 \
     WHERE dataset_id = $1 AND outcome = 'fetched'";

impl Store {
    /// Claims the next job without a valid lease, until `until`; `holder` identifies the lease. Applications take
    /// turns.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim_dataset(
        &self,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Lease>, StoreError> {
        let sql = match self.pool {
            Pool::Sqlite(_) => claim!(""),
            Pool::Postgres(_) => claim!(" FOR UPDATE OF j SKIP LOCKED"),
        };
        let found = on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            let job: Option<(String, i64)> =
                sqlx::query_as(sql).bind(holder).bind(until.0).bind(now.0).fetch_optional(&mut *tx).await?;
            let Some((id, attempts)) = job else { return Ok(None) };
            let row: (String, String, String, String) =
                sqlx::query_as(BEGIN).bind(&id).bind(now.0).fetch_one(&mut *tx).await?;
            sqlx::query(TAKE_TURN).bind(&row.0).bind(now.0).execute(&mut *tx).await?;
            tx.commit().await?;
            (id, attempts, row)
        });
        let (id, attempts, (app, user, model, model_sha256)) = found;
        let owner = blob_key(app, &user, &[0; 32])?;
        Ok(Some(Lease {
            id: DatasetId::from_text(id),
            application: owner.application,
            user: owner.user,
            model,
            model_sha256,
            attempts,
            holder: holder.to_owned(),
        }))
    }

    /// Renews a lease; returns whether it was still held.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn renew_lease(&self, lease: &Lease, until: Timestamp) -> Result<bool, StoreError> {
        let kept = on_each!(self, pool => sqlx::query(RENEW)
            .bind(lease.id.as_str()).bind(&lease.holder).bind(until.0)
            .execute(pool).await.map(|done| done.rows_affected()))?;
        Ok(kept == 1)
    }

    /// Releases a lease; the job can be claimed from `run_at` on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_lease(&self, lease: &Lease, run_at: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(RELEASE)
            .bind(lease.id.as_str()).bind(&lease.holder).bind(run_at.0)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Releases a lease after a failure; the job can be claimed from `run_at` on, and [`Lease::attempts`] goes on
    /// counting.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn defer_lease(&self, lease: &Lease, run_at: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(DEFER)
            .bind(lease.id.as_str()).bind(&lease.holder).bind(run_at.0)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// The images to process now, after a position, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pending_images(
        &self,
        id: &DatasetId,
        now: Timestamp,
        after: i64,
        limit: i64,
    ) -> Result<Vec<PendingImage>, StoreError> {
        type Row = (i64, Option<String>, String, String, Option<Vec<u8>>, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(PENDING)
            .bind(id.as_str()).bind(now.0).bind(after).bind(limit)
            .fetch_all(pool).await)?;
        let task = |(position, url, app, user, sha256, attempts): Row| {
            let blob = sha256.map(|sha256| blob_key(app, &user, &sha256)).transpose()?;
            Ok(PendingImage { position, url, blob, attempts })
        };
        rows.into_iter().map(task).collect()
    }

    /// When the next image is due; `None` when none is pending.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_retry(&self, id: &DatasetId) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> =
            on_each!(self, pool => sqlx::query_scalar(NEXT_TRY).bind(id.as_str()).fetch_one(pool).await)?;
        Ok(at.map(Timestamp))
    }

    /// Stores the results of images and renews the lease; returns `false`, and stores nothing, when the lease is lost.
    /// An image that has an outcome keeps it, and one whose bytes have been deleted stays pending.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_images(
        &self,
        lease: &Lease,
        results: &[(i64, ImageResult)],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let id = lease.id.as_str();
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(lease.application.as_str()).bind(lease.user.as_str()).bind(now.0)
                .execute(&mut *tx).await?;
            let held = sqlx::query(ADVANCE).bind(id).bind(&lease.holder).bind(until.0).execute(&mut *tx).await?;
            if held.rows_affected() == 0 {
                return Ok(false);
            }
            for (position, results) in results {
                match results {
                    ImageResult::Fetched { blob, vector } => {
                        let settled = sqlx::query(MARK_STORED)
                            .bind(blob.application.as_str()).bind(blob.user.as_str()).bind(&blob.sha256[..]).bind(now.0)
                            .execute(&mut *tx).await?;
                        if settled.rows_affected() == 1 {
                            sqlx::query(FETCHED)
                                .bind(id).bind(position).bind(&blob.sha256[..]).bind(floats_to_bytes(vector))
                                .execute(&mut *tx).await?;
                        }
                    }
                    ImageResult::Rejected(outcome, detail) => {
                        sqlx::query(REFUSED).bind(id).bind(position).bind(outcome.as_str()).bind(detail)
                            .execute(&mut *tx).await?;
                    }
                    ImageResult::RetryAt(at) => {
                        sqlx::query(LATER).bind(id).bind(position).bind(at.0).execute(&mut *tx).await?;
                    }
                }
            }
            tx.commit().await?;
            Ok(true)
        })
    }

    /// Ends the job: the dataset is ready, with the probe that separates its tags, if there is one, and its report.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn finish_dataset(
        &self,
        lease: &Lease,
        head: Option<&[u8]>,
        report: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.end(
            lease,
            "UPDATE dataset SET phase = 'ready', head = $2, report = $3, changed_at = $4 \
             WHERE id = $1 AND phase = 'building'",
            head,
            report,
            now,
            true,
        )
        .await
    }

    /// Ends the job: the dataset failed for this reason.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn fail_dataset(&self, lease: &Lease, reason: &str, now: Timestamp) -> Result<bool, StoreError> {
        self.end(
            lease,
            "UPDATE dataset SET phase = 'failed', head = $2, reason = $3, changed_at = $4 \
             WHERE id = $1 AND phase = 'building'",
            None,
            reason,
            now,
            false,
        )
        .await
    }

    async fn end(
        &self,
        lease: &Lease,
        sql: &'static str,
        head: Option<&[u8]>,
        text: &str,
        now: Timestamp,
        is_ready: bool,
    ) -> Result<bool, StoreError> {
        let (app, user) = (lease.application.as_str(), lease.user.as_str());
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now.0).execute(&mut *tx).await?;
            let ended = sqlx::query("DELETE FROM dataset_job WHERE dataset_id = $1 AND lease = $2")
                .bind(lease.id.as_str()).bind(&lease.holder).execute(&mut *tx).await?;
            if ended.rows_affected() == 0 {
                return Ok(false);
            }
            let phase = sqlx::query(sql).bind(lease.id.as_str()).bind(head).bind(text).bind(now.0);
            if phase.execute(&mut *tx).await?.rows_affected() == 0 {
                return Ok(false);
            }
            // A new version takes the place of the one before when it is ready. If it fails, that one goes on.
            if is_ready {
                let next_of: Option<(String, Option<String>)> =
                    sqlx::query_as(NEXT_OF).bind(lease.id.as_str()).fetch_optional(&mut *tx).await?;
                if let Some((dataset, outdated)) = next_of {
                    sqlx::query(PROMOTE).bind(&dataset).bind(lease.id.as_str()).execute(&mut *tx).await?;
                    if let Some(outdated) = &outdated {
                        drop_version!(tx, outdated, app, user, now.0);
                    }
                }
            }
            tx.commit().await?;
            Ok(true)
        })
    }

    /// The images of a built dataset after a position, in the user's order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn built_images(&self, id: &DatasetId, after: i64, limit: i64) -> Result<Vec<BuiltImage>, StoreError> {
        type Row = (i64, String, Option<String>, String, Vec<u8>, Vec<u8>, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(BUILT)
            .bind(id.as_str()).bind(after).bind(limit).fetch_all(pool).await)?;
        let image = |(position, image_id, url, tag, sha256, vector, confirmed): Row| BuiltImage {
            position,
            image_id: ImageId::from_text(image_id),
            url,
            tag,
            sha256,
            vector: bytes_to_floats(&vector),
            confirmed: confirmed != 0,
        };
        Ok(rows.into_iter().map(image).collect())
    }

    /// The probe that separates the tags of a ready dataset, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_probe(&self, id: &DatasetId) -> Result<Option<Vec<u8>>, StoreError> {
        let head: Option<Option<Vec<u8>>> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT head FROM dataset WHERE id = $1 AND phase = 'ready'",
        ).bind(id.as_str()).fetch_optional(pool).await)?;
        Ok(head.flatten())
    }

    /// Queues datasets again whose vectors were made, or would be made, by other weights than the model has now;
    /// returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rebuild_datasets(&self, model: &str, sha256: &str, now: Timestamp) -> Result<u64, StoreError> {
        let stale: Vec<String> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT id FROM dataset WHERE model = $1 AND model_sha256 <> $2 AND phase <> 'failed'",
        ).bind(model).bind(sha256).fetch_all(pool).await)?;
        let mut queued = 0;
        // One transaction each, so that no other writer waits for all of them.
        for id in &stale {
            on_each!(self, pool => {
                let mut tx = pool.transaction_with(self.begin_immediate()).await?;
                sqlx::query(REQUEUE).bind(id).bind(now.0).execute(&mut *tx).await?;
                let outdated = sqlx::query(OUTDATE).bind(id).bind(sha256).bind(now.0).execute(&mut *tx).await?;
                // Without a commit the job stays as it was: another replica may already be building.
                if outdated.rows_affected() == 0 {
                    continue;
                }
                sqlx::query(RESET_IMAGES).bind(id).execute(&mut *tx).await?;
                tx.commit().await?;
            });
            queued += 1;
        }
        Ok(queued)
    }
}
