//! Replacing the vectors of a ready dataset by those of another model.
//!
//! The dataset answers with its old vectors until one transaction replaces them all. A dataset with verdicts keeps its
//! vectors: the verdicts hold vectors too, of pictures that are not kept, and mean nothing to those of another model.

use kaisatsu_model::{AppId, DatasetId, Timestamp, UserId};

use crate::{
    Store, StoreError, blob_claims::blob_key, on_each, recognitions::floats_to_bytes, transactions::Transactions as _,
};

/// A ready dataset that holds the vectors of a certain model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutdatedDataset {
    /// The dataset.
    pub id: DatasetId,
    /// The application of the user.
    pub application: AppId,
    /// The user who owns the dataset.
    pub user: UserId,
    model_sha256: String,
    changed_at: i64,
}

/// What a dataset gets instead of what it has.
#[derive(Debug, Clone, Copy)]
pub struct NewVectors<'a> {
    /// The model that made them.
    pub model: &'a str,
    /// The hash of its weights.
    pub model_sha256: &'a str,
    /// The vector of the image at each position.
    pub vectors: &'a [(i64, &'a [f32])],
    /// The probe that separates the tags, if there is one.
    pub head: Option<&'a [u8]>,
    /// The report, in JSON.
    pub report: &'a str,
}

const OUTDATED: &str = "SELECT id, application_id, user_id, model_sha256, changed_at FROM dataset \
     WHERE phase = 'ready' AND model = $1 AND id > $2 \
     AND NOT EXISTS (SELECT 1 FROM feedback WHERE feedback.dataset_id = COALESCE(dataset.version_of, dataset.id)) \
     ORDER BY id LIMIT 1";

const UNRATED: &str = "SELECT id, application_id, user_id, model_sha256, changed_at FROM dataset \
     WHERE phase = 'ready' AND id = $1 \
     AND NOT EXISTS (SELECT 1 FROM feedback WHERE feedback.dataset_id = COALESCE(dataset.version_of, dataset.id))";

/// Changes no row when the dataset was deleted, rebuilt or rated meanwhile, or when another replica was faster.
const REPLACE: &str = "UPDATE dataset SET model = $2, model_sha256 = $3, head = $4, report = $5, changed_at = $6 \
     WHERE id = $1 AND phase = 'ready' AND model_sha256 = $7 AND changed_at = $8 \
     AND NOT EXISTS (SELECT 1 FROM feedback WHERE feedback.dataset_id = COALESCE(dataset.version_of, dataset.id))";

const REPLACE_VECTOR: &str =
    "UPDATE dataset_image SET vector = $3 WHERE dataset_id = $1 AND position = $2 AND outcome = 'fetched'";

type Row = (String, String, String, String, i64);

fn outdated((id, app, user, model_sha256, changed_at): Row) -> Result<OutdatedDataset, StoreError> {
    let owner = blob_key(app, &user, &[0; 32])?;
    let (application, user) = (owner.application, owner.user);
    Ok(OutdatedDataset { id: DatasetId::from_text(id), application, user, model_sha256, changed_at })
}

impl Store {
    /// The first dataset after an id that holds vectors of a model and has no verdicts.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn outdated_dataset(&self, model: &str, after: &str) -> Result<Option<OutdatedDataset>, StoreError> {
        let row: Option<Row> =
            on_each!(self, pool => sqlx::query_as(OUTDATED).bind(model).bind(after).fetch_optional(pool).await)?;
        row.map(outdated).transpose()
    }

    /// A dataset whose vectors may be replaced: it is ready and has no verdicts.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn unrated_dataset(&self, id: &DatasetId) -> Result<Option<OutdatedDataset>, StoreError> {
        let row: Option<Row> =
            on_each!(self, pool => sqlx::query_as(UNRATED).bind(id.as_str()).fetch_optional(pool).await)?;
        row.map(outdated).transpose()
    }

    /// Replaces all vectors of a dataset. Returns `false`, and changes nothing, when the dataset has changed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replace_vectors(
        &self,
        old: &OutdatedDataset,
        new: NewVectors<'_>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        // What was read before is told from what is read after by this time alone.
        let changed_at = now.0.max(old.changed_at + 1);
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            let replaced = sqlx::query(REPLACE)
                .bind(old.id.as_str()).bind(new.model).bind(new.model_sha256).bind(new.head).bind(new.report)
                .bind(changed_at).bind(&old.model_sha256).bind(old.changed_at)
                .execute(&mut *tx).await?;
            if replaced.rows_affected() == 0 {
                return Ok(false);
            }
            for (position, vector) in new.vectors {
                sqlx::query(REPLACE_VECTOR).bind(old.id.as_str()).bind(position).bind(floats_to_bytes(vector))
                    .execute(&mut *tx).await?;
            }
            tx.commit().await?;
            Ok(true)
        })
    }

    /// When a dataset last changed its state or its vectors; `None` when it is deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_version(&self, id: &DatasetId) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT changed_at FROM dataset WHERE id = $1",
        ).bind(id.as_str()).fetch_optional(pool).await)?;
        Ok(at.map(Timestamp))
    }
}
