//! The job of building a dataset: who has it, what is left to do, and what was done.
//!
//! Every step checks the lease in the transaction that writes its result. Whoever has lost it, to a replica that thought
//! it dead or to a deletion, writes nothing.

use kaisatsu_model::{AppId, DatasetId, ImageId, Outcome, Timestamp, UserId};

use crate::{
    BlobKey, Pool, Store, StoreError,
    claims::{LOCK_ACCOUNT, SETTLE, blob_key},
    collections::bytes_to_floats,
    on_each,
    recognitions::floats_to_bytes,
};

/// The right to build a dataset, for as long as it is renewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The dataset.
    pub id: DatasetId,
    /// Whose user's.
    pub application: AppId,
    /// Whose it is.
    pub user: UserId,
    /// The model to build with.
    pub model: String,
    /// The hash of its weights.
    pub model_sha256: String,
    /// How often it was taken up since it last came forward, this time included.
    pub attempts: i64,
    word: String,
}

/// An image that is still to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its place in the dataset.
    pub position: i64,
    /// Where it comes from; `None` for the storage area.
    pub url: Option<String>,
    /// The bytes, when they are kept already.
    pub blob: Option<BlobKey>,
    /// How often it was tried.
    pub attempts: i64,
}

/// What a look at an image came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Looked {
    /// It is in.
    Fetched {
        /// Its bytes, which are written.
        blob: BlobKey,
        /// It as a vector.
        vector: Vec<f32>,
    },
    /// It is not.
    Refused(Outcome, String),
    /// It may be worth another try.
    Later(Timestamp),
}

/// An image of a dataset that is built.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltImage {
    /// Its place in the dataset.
    pub position: i64,
    /// Its id.
    pub image_id: ImageId,
    /// Where it comes from; `None` for the storage area.
    pub url: Option<String>,
    /// What it shows.
    pub tag: String,
    /// The hash of its bytes.
    pub sha256: Vec<u8>,
    /// It as a vector.
    pub vector: Vec<f32>,
}

/// The oldest job that nobody has. PostgreSQL passes over rows that another replica is just taking.
macro_rules! claim {
    ($skip:literal) => {
        concat!(
            "UPDATE dataset_job SET lease = $1, lease_until = $2, attempts = attempts + 1 WHERE dataset_id = \
             (SELECT dataset_id FROM dataset_job WHERE run_at <= $3 AND lease_until <= $3 ORDER BY run_at LIMIT 1",
            $skip,
            ") AND lease_until <= $3 RETURNING dataset_id, attempts"
        )
    };
}

const BEGIN: &str = "UPDATE dataset SET phase = 'building', changed_at = CASE phase WHEN 'building' THEN changed_at ELSE $2 END \
     WHERE id = $1 RETURNING application_id, user_id, model, model_sha256";

const RENEW: &str = "UPDATE dataset_job SET lease_until = $3 WHERE dataset_id = $1 AND lease = $2";

/// The same for somebody who has something to show.
const ADVANCE: &str = "UPDATE dataset_job SET lease_until = $3, attempts = 0 WHERE dataset_id = $1 AND lease = $2";

const YIELD: &str = "UPDATE dataset_job SET lease = NULL, lease_until = 0, run_at = $3, attempts = 0 WHERE dataset_id = $1 AND lease = $2";

/// The same for somebody who has failed: it counts as taken up once more without coming forward.
const PUT_OFF: &str =
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

const BUILT: &str = "SELECT position, image_id, url, tag, sha256, vector FROM dataset_image \
     WHERE dataset_id = $1 AND outcome = 'fetched' AND position > $2 ORDER BY position LIMIT $3";

/// The job anew, for whoever comes first; nothing when the dataset was deleted meanwhile.
const REQUEUE: &str = "INSERT INTO dataset_job (dataset_id, run_at) SELECT id, $2 FROM dataset WHERE id = $1 \
     ON CONFLICT (dataset_id) DO UPDATE SET run_at = excluded.run_at, lease = NULL, lease_until = 0, attempts = 0";

/// No row when another replica did the same a moment ago, or it has failed meanwhile.
const OUTDATE: &str = "UPDATE dataset SET phase = 'queued', model_sha256 = $2, changed_at = $3, head = NULL, report = NULL \
     WHERE id = $1 AND model_sha256 <> $2 AND phase <> 'failed'";

const LOOK_AGAIN: &str = "UPDATE dataset_image SET outcome = 'pending', vector = NULL, attempts = 0, retry_at = 0 \
     WHERE dataset_id = $1 AND outcome = 'fetched'";

impl Store {
    /// Takes the oldest job that nobody has, until `until`; `word` is what the holder is known by.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim_dataset(
        &self,
        word: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Lease>, StoreError> {
        let sql = match self.pool {
            Pool::Sqlite(_) => claim!(""),
            Pool::Postgres(_) => claim!(" FOR UPDATE SKIP LOCKED"),
        };
        let found = on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            let job: Option<(String, i64)> =
                sqlx::query_as(sql).bind(word).bind(until.0).bind(now.0).fetch_optional(&mut *tx).await?;
            let Some((id, attempts)) = job else { return Ok(None) };
            let row: (String, String, String, String) =
                sqlx::query_as(BEGIN).bind(&id).bind(now.0).fetch_one(&mut *tx).await?;
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
            word: word.to_owned(),
        }))
    }

    /// Keeps a lease; whether there was one to keep.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn renew_lease(&self, lease: &Lease, until: Timestamp) -> Result<bool, StoreError> {
        let kept = on_each!(self, pool => sqlx::query(RENEW)
            .bind(lease.id.as_str()).bind(&lease.word).bind(until.0)
            .execute(pool).await.map(|done| done.rows_affected()))?;
        Ok(kept == 1)
    }

    /// Gives a lease back, for whoever is free at `run_at`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn yield_lease(&self, lease: &Lease, run_at: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(YIELD)
            .bind(lease.id.as_str()).bind(&lease.word).bind(run_at.0)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Gives a lease back after a fault, for whoever is free at `run_at`; [`Lease::attempts`] goes on counting.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_off_lease(&self, lease: &Lease, run_at: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(PUT_OFF)
            .bind(lease.id.as_str()).bind(&lease.word).bind(run_at.0)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// The images to look at now, after a place, at most `most`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pending_images(
        &self,
        id: &DatasetId,
        now: Timestamp,
        after: i64,
        most: i64,
    ) -> Result<Vec<Task>, StoreError> {
        type Row = (i64, Option<String>, String, String, Option<Vec<u8>>, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(PENDING)
            .bind(id.as_str()).bind(now.0).bind(after).bind(most)
            .fetch_all(pool).await)?;
        let task = |(position, url, app, user, sha256, attempts): Row| {
            let blob = sha256.map(|sha256| blob_key(app, &user, &sha256)).transpose()?;
            Ok(Task { position, url, blob, attempts })
        };
        rows.into_iter().map(task).collect()
    }

    /// When the next image is to be looked at; `None` when none is left.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_try(&self, id: &DatasetId) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> =
            on_each!(self, pool => sqlx::query_scalar(NEXT_TRY).bind(id.as_str()).fetch_one(pool).await)?;
        Ok(at.map(Timestamp))
    }

    /// Writes down what came of images, and renews the lease; `false` when there is no lease any more and nothing was
    /// written. An image that already came to something stays what it is; one whose bytes were removed meanwhile
    /// stays to be looked at.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_images(
        &self,
        lease: &Lease,
        looked: &[(i64, Looked)],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let id = lease.id.as_str();
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(lease.application.as_str()).bind(lease.user.as_str()).bind(now.0)
                .execute(&mut *tx).await?;
            let held = sqlx::query(ADVANCE).bind(id).bind(&lease.word).bind(until.0).execute(&mut *tx).await?;
            if held.rows_affected() == 0 {
                return Ok(false);
            }
            for (position, looked) in looked {
                match looked {
                    Looked::Fetched { blob, vector } => {
                        let settled = sqlx::query(SETTLE)
                            .bind(blob.application.as_str()).bind(blob.user.as_str()).bind(&blob.sha256[..]).bind(now.0)
                            .execute(&mut *tx).await?;
                        if settled.rows_affected() == 1 {
                            sqlx::query(FETCHED)
                                .bind(id).bind(position).bind(&blob.sha256[..]).bind(floats_to_bytes(vector))
                                .execute(&mut *tx).await?;
                        }
                    }
                    Looked::Refused(outcome, detail) => {
                        sqlx::query(REFUSED).bind(id).bind(position).bind(outcome.as_str()).bind(detail)
                            .execute(&mut *tx).await?;
                    }
                    Looked::Later(at) => {
                        sqlx::query(LATER).bind(id).bind(position).bind(at.0).execute(&mut *tx).await?;
                    }
                }
            }
            tx.commit().await?;
            Ok(true)
        })
    }

    /// Ends the job: the dataset is ready, with what tells its tags apart (if anything does) and its report.
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
        )
        .await
    }

    /// Ends the job: the dataset has failed, and this is why.
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
    ) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            let ended = sqlx::query("DELETE FROM dataset_job WHERE dataset_id = $1 AND lease = $2")
                .bind(lease.id.as_str()).bind(&lease.word).execute(&mut *tx).await?;
            if ended.rows_affected() == 0 {
                return Ok(false);
            }
            let phase = sqlx::query(sql).bind(lease.id.as_str()).bind(head).bind(text).bind(now.0);
            if phase.execute(&mut *tx).await?.rows_affected() == 0 {
                return Ok(false);
            }
            tx.commit().await?;
            Ok(true)
        })
    }

    /// The images of a dataset that are in, after a place, in the user's order, at most `most`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn built_images(&self, id: &DatasetId, after: i64, most: i64) -> Result<Vec<BuiltImage>, StoreError> {
        type Row = (i64, String, Option<String>, String, Vec<u8>, Vec<u8>);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(BUILT)
            .bind(id.as_str()).bind(after).bind(most).fetch_all(pool).await)?;
        let image = |(position, image_id, url, tag, sha256, vector): Row| BuiltImage {
            position,
            image_id: ImageId::from_text(image_id),
            url,
            tag,
            sha256,
            vector: bytes_to_floats(&vector),
        };
        Ok(rows.into_iter().map(image).collect())
    }

    /// What tells the tags of a ready dataset apart, and since when it does.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_head(&self, id: &DatasetId) -> Result<Option<Vec<u8>>, StoreError> {
        let head: Option<Option<Vec<u8>>> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT head FROM dataset WHERE id = $1 AND phase = 'ready'",
        ).bind(id.as_str()).fetch_optional(pool).await)?;
        Ok(head.flatten())
    }

    /// Queues datasets again whose vectors are of other weights than a model has now, or would be; how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rebuild_datasets(&self, model: &str, sha256: &str, now: Timestamp) -> Result<u64, StoreError> {
        let stale: Vec<String> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT id FROM dataset WHERE model = $1 AND model_sha256 <> $2 AND phase <> 'failed'",
        ).bind(model).bind(sha256).fetch_all(pool).await)?;
        let mut queued = 0;
        // One after the other, so that nobody has to wait for all of them.
        for id in &stale {
            on_each!(self, pool => {
                let mut tx = pool.begin_with(self.begin_writing()).await?;
                sqlx::query(REQUEUE).bind(id).bind(now.0).execute(&mut *tx).await?;
                let outdated = sqlx::query(OUTDATE).bind(id).bind(sha256).bind(now.0).execute(&mut *tx).await?;
                // Without a commit the job is as it was: somebody may be at it already.
                if outdated.rows_affected() == 0 {
                    continue;
                }
                sqlx::query(LOOK_AGAIN).bind(id).execute(&mut *tx).await?;
                tx.commit().await?;
            });
            queued += 1;
        }
        Ok(queued)
    }
}
