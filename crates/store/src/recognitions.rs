//! Recognitions and the verdicts on their candidates.

use kaisatsu_model::{AppId, Comment, DataSetId, ItemId, RecognitionId, Timestamp, Verdict};
use serde::{Deserialize, Serialize};

use crate::{Store, StoreError, on_each};

/// A candidate as it is kept.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct KeptItem {
    /// Its id, which feedback names.
    pub id: String,
    /// What it stands for: a class, an item of the catalogue, an image of a collection.
    pub subject: String,
    /// What people read.
    pub name: String,
    /// How sure the engine was.
    pub score: f32,
}

/// A recognition about to be kept.
#[derive(Debug, Clone)]
pub struct NewRecognition {
    /// Its id.
    pub id: RecognitionId,
    /// Whose it is.
    pub application: AppId,
    /// What was asked for.
    pub task: &'static str,
    /// The model, dataset or collection that answered.
    pub model: String,
    /// The dataset that was looked into, if it was one: this goes when that goes.
    pub data_set: Option<DataSetId>,
    /// When.
    pub created_at: Timestamp,
    /// Until when it is kept.
    pub expires_at: Timestamp,
    /// The candidates, best first.
    pub items: Vec<KeptItem>,
    /// The picture as a vector.
    pub vector: Option<Vec<f32>>,
    /// The picture as it was sent.
    pub picture: Option<Vec<u8>>,
}

/// A verdict about to be kept.
#[derive(Debug, Clone)]
pub struct NewVerdict {
    /// Who gives it.
    pub application: AppId,
    /// On which recognition.
    pub recognition: RecognitionId,
    /// On which candidate; `None` for the whole result.
    pub item: Option<ItemId>,
    /// What it says.
    pub verdict: Verdict,
    /// A comment beside it.
    pub comment: Option<Comment>,
    /// When it is given.
    pub rated_at: Timestamp,
}

/// A verdict as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptVerdict {
    /// The candidate; `None` for the whole result.
    pub item: Option<String>,
    /// What the candidate stands for.
    pub subject: String,
    /// What the verdict says.
    pub verdict: Verdict,
    /// The comment beside it.
    pub comment: Option<String>,
}

const INSERT: &str = "INSERT INTO recognition \
     (id, application_id, task, model, created_at, expires_at, items, vector, picture, dataset_id) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

const FIND: &str = "SELECT task, model, items, vector, dataset_id FROM recognition \
     WHERE id = $1 AND application_id = $2 AND expires_at > $3";

const RATE: &str = "INSERT INTO feedback \
     (recognition_id, item_id, application_id, task, model, subject, score, is_valid, comment, vector, rated_at, \
     dataset_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
     ON CONFLICT (recognition_id, item_id) DO UPDATE SET \
     is_valid = excluded.is_valid, comment = excluded.comment, rated_at = excluded.rated_at";

impl Store {
    /// Keeps a recognition with all of its candidates.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::NoDataSet`] when the dataset was deleted meanwhile.
    pub async fn save_recognition(&self, new: NewRecognition) -> Result<(), StoreError> {
        let items = serde_json::to_string(&new.items).map_err(|error| StoreError::Damaged(error.to_string()))?;
        let vector = new.vector.map(|vector| floats_to_bytes(&vector));
        let kept = on_each!(self, pool => {
            sqlx::query(INSERT)
                .bind(new.id.as_str()).bind(new.application.as_str()).bind(new.task).bind(&new.model)
                .bind(new.created_at.0).bind(new.expires_at.0).bind(items).bind(vector).bind(new.picture)
                .bind(new.data_set.as_ref().map(DataSetId::as_str))
                .execute(pool).await.map(drop)
        });
        match (kept, new.data_set) {
            (Err(sqlx::Error::Database(error)), Some(id)) if error.is_foreign_key_violation() => {
                Err(StoreError::NoDataSet(id))
            }
            (kept, _) => Ok(kept?),
        }
    }

    /// Keeps a verdict. The last one on a candidate counts. The candidate is looked for inside its recognition, and
    /// that among those of the application.
    ///
    /// # Errors
    /// [`StoreError::NoRecognition`] or [`StoreError::NoItem`] when there is no such thing.
    pub async fn rate(&self, new: &NewVerdict) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            let row: Option<RecognitionRow> = sqlx::query_as(FIND)
                .bind(new.recognition.as_str()).bind(new.application.as_str()).bind(new.rated_at.0)
                .fetch_optional(&mut *tx).await?;
            let row = row.ok_or_else(|| StoreError::NoRecognition(new.recognition.clone()))?;
            let found = row.find(new.item.as_ref())?;
            let kept = sqlx::query(RATE)
                .bind(new.recognition.as_str()).bind(new.item.as_ref().map_or("", ItemId::as_str))
                .bind(new.application.as_str()).bind(&row.task).bind(&row.model)
                .bind(found.as_ref().map_or("", |item| item.subject.as_str()))
                .bind(found.as_ref().map(|item| item.score))
                .bind(i64::from(new.verdict == Verdict::Valid))
                .bind(new.comment.as_ref().map(Comment::as_str)).bind(&row.vector).bind(new.rated_at.0).bind(&row.dataset_id)
                .execute(&mut *tx).await.map(drop);
            // Its dataset was deleted in this moment, and took the recognition with it.
            if let Err(sqlx::Error::Database(error)) = &kept
                && error.is_foreign_key_violation()
            {
                return Err(StoreError::NoRecognition(new.recognition.clone()));
            }
            kept?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// The candidates of a recognition of an application.
    ///
    /// # Errors
    /// [`StoreError::NoRecognition`] when there is no such thing.
    pub async fn recognition_items(
        &self,
        application: &AppId,
        id: &RecognitionId,
        now: Timestamp,
    ) -> Result<Vec<KeptItem>, StoreError> {
        let row: Option<RecognitionRow> = on_each!(self, pool => {
            sqlx::query_as(FIND).bind(id.as_str()).bind(application.as_str()).bind(now.0).fetch_optional(pool).await
        })?;
        row.ok_or_else(|| StoreError::NoRecognition(id.clone()))?.items()
    }

    /// The verdicts on a recognition, the one on the whole result first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn verdicts(&self, id: &RecognitionId) -> Result<Vec<KeptVerdict>, StoreError> {
        let rows: Vec<(String, String, i64, Option<String>)> = on_each!(self, pool => {
            sqlx::query_as("SELECT item_id, subject, is_valid, comment FROM feedback WHERE recognition_id = $1 ORDER BY item_id")
                .bind(id.as_str()).fetch_all(pool).await
        })?;
        let kept = |(item, subject, is_valid, comment): (String, String, i64, Option<String>)| KeptVerdict {
            item: Some(item).filter(|item| !item.is_empty()),
            subject,
            verdict: if is_valid == 1 { Verdict::Valid } else { Verdict::Invalid },
            comment,
        };
        Ok(rows.into_iter().map(kept).collect())
    }

    /// How many recognitions are kept.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_recognitions(&self) -> Result<i64, StoreError> {
        let count = on_each!(self, pool => {
            sqlx::query_scalar("SELECT COUNT(*) FROM recognition").fetch_one(pool).await
        });
        Ok(count?)
    }

    /// Forgets recognitions whose time is over, at most `most` at once, and says how many. Verdicts stay.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_recognitions(&self, now: Timestamp, most: i64) -> Result<u64, StoreError> {
        let gone = on_each!(self, pool => {
            sqlx::query(
                "DELETE FROM recognition WHERE id IN \
                 (SELECT id FROM recognition WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
            )
            .bind(now.0).bind(most).execute(pool).await.map(|done| done.rows_affected())
        });
        Ok(gone?)
    }
}

#[derive(sqlx::FromRow)]
struct RecognitionRow {
    task: String,
    model: String,
    items: String,
    vector: Option<Vec<u8>>,
    dataset_id: Option<String>,
}

impl RecognitionRow {
    fn items(&self) -> Result<Vec<KeptItem>, StoreError> {
        serde_json::from_str(&self.items).map_err(|error| StoreError::Damaged(error.to_string()))
    }

    /// The candidate of that id; `None` when the whole result is meant.
    fn find(&self, id: Option<&ItemId>) -> Result<Option<KeptItem>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        let found = self.items()?.into_iter().find(|item| item.id == id.as_str());
        found.map(Some).ok_or_else(|| StoreError::NoItem(id.clone()))
    }
}

/// A vector as both databases keep it: 32-bit floats in little-endian order.
pub(crate) fn floats_to_bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}
