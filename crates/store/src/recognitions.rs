//! Recognitions and their candidates.

use kaisatsu_model::{AppId, DatasetId, Function, ItemId, RecognitionId, Source, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Missing, Store, StoreError, on_each};

/// A stored candidate of a recognition.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StoredCandidate {
    /// Its id, by which feedback refers to it.
    pub id: String,
    /// What it is: a class, an item of the catalogue, an image of a collection.
    pub subject: String,
    /// Its display name.
    pub name: String,
    /// Its score, after feedback.
    pub score: f32,
    /// Its score before feedback, if feedback changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f32>,
    /// What the verdicts did that changed the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<ScoreAdjustment>,
}

impl StoredCandidate {
    /// The score before feedback, whether feedback changed it or not.
    #[must_use]
    pub fn base_score(&self) -> f32 {
        self.base.unwrap_or(self.score)
    }
}

/// What one verdict did to the score of a candidate.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct ScoreAdjustment {
    /// The recognition that was rated; `None` for another application's.
    #[serde(default, rename = "of", skip_serializing_if = "Option::is_none")]
    pub recognition: Option<String>,
    /// The candidate that was rated; `None` for the whole result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Whether the verdict says that the candidate is right.
    pub valid: bool,
    /// The change of the score.
    pub by: f32,
}

/// A new recognition.
#[derive(Debug, Clone)]
pub struct NewRecognition {
    /// Its id.
    pub id: RecognitionId,
    /// The application that asked.
    pub application: AppId,
    /// The function that was called.
    pub function: Function,
    /// What the image was compared with. Deleting a dataset also deletes its recognitions.
    pub source: Source,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it is deleted.
    pub expires_at: Timestamp,
    /// The candidates, best first.
    pub items: Vec<StoredCandidate>,
    /// The hash of the weights that made the vector.
    pub engine: String,
    /// The picture as a vector; or one vector a candidate, concatenated.
    pub vector: Option<Vec<f32>>,
    /// The picture as it was sent.
    pub picture: Option<Vec<u8>>,
}

/// A stored recognition.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognitionRecord {
    /// The application that asked.
    pub application: AppId,
    /// The task, such as `classify`.
    pub task: String,
    /// The model, dataset or collection that answered.
    pub model: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// The candidates, best first.
    pub items: Vec<StoredCandidate>,
}

/// What of a recognition a verdict is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rated {
    /// The whole result.
    Whole,
    /// One of its candidates.
    Candidate(ItemId),
    /// What the picture shows, whether that is among the candidates or not.
    Subject(String),
}

const INSERT: &str = "INSERT INTO recognition \
     (id, application_id, task, model, created_at, expires_at, items, vector, picture, dataset_id, engine) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// Finds a recognition, of one application or of any.
pub(crate) const FIND: &str = "SELECT application_id, task, model, created_at, items, vector, dataset_id, engine FROM \
     recognition \
     WHERE id = $1 AND ($2 IS NULL OR application_id = $2) AND expires_at > $3";

impl Store {
    /// Stores a recognition with its candidates.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::NotFound`] when the dataset has been deleted.
    pub async fn save_recognition(&self, new: NewRecognition) -> Result<(), StoreError> {
        let items = serde_json::to_string(&new.items).map_err(|error| StoreError::Damaged(error.to_string()))?;
        let vector = new.vector.map(|vector| floats_to_bytes(&vector));
        let kept = on_each!(self, pool => {
            sqlx::query(INSERT)
                .bind(new.id.as_str()).bind(new.application.as_str()).bind(new.function.as_str())
                .bind(new.source.as_str())
                .bind(new.created_at.0).bind(new.expires_at.0).bind(items).bind(vector).bind(new.picture)
                .bind(new.source.dataset().map(DatasetId::as_str)).bind(new.engine)
                .execute(pool).await.map(drop)
        });
        match (kept, new.source.dataset()) {
            (Err(sqlx::Error::Database(error)), Some(id)) if error.is_foreign_key_violation() => {
                Err(Missing::Dataset(id.clone()).into())
            }
            (kept, _) => Ok(kept?),
        }
    }

    /// A recognition that has not expired, of one application or of any.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id.
    pub async fn recognition_record(
        &self,
        application: Option<&AppId>,
        id: &RecognitionId,
        now: Timestamp,
    ) -> Result<RecognitionRecord, StoreError> {
        let row: Option<RecognitionRow> = on_each!(self, pool => {
            sqlx::query_as(FIND)
                .bind(id.as_str()).bind(application.map(AppId::as_str)).bind(now.0).fetch_optional(pool).await
        })?;
        let row = row.ok_or_else(|| Missing::Recognition(id.clone()))?;
        let items = read_items(&row.items)?;
        let (application, created_at) = (AppId::from_text(row.application_id), Timestamp(row.created_at));
        Ok(RecognitionRecord { application, task: row.task, model: row.model, created_at, items })
    }

    /// How many recognitions are stored.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_recognitions(&self) -> Result<i64, StoreError> {
        let count = on_each!(self, pool => {
            sqlx::query_scalar("SELECT COUNT(*) FROM recognition").fetch_one(pool).await
        });
        Ok(count?)
    }

    /// Deletes expired recognitions, at most `limit` of them, and returns how many. Their verdicts stay.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_expired_recognitions(&self, now: Timestamp, limit: i64) -> Result<u64, StoreError> {
        let gone = on_each!(self, pool => {
            sqlx::query(
                "DELETE FROM recognition WHERE id IN \
                 (SELECT id FROM recognition WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
            )
            .bind(now.0).bind(limit).execute(pool).await.map(|done| done.rows_affected())
        });
        Ok(gone?)
    }
}

#[derive(sqlx_macros::FromRow)]
pub(crate) struct RecognitionRow {
    pub(crate) application_id: String,
    pub(crate) task: String,
    pub(crate) model: String,
    pub(crate) created_at: i64,
    pub(crate) items: String,
    pub(crate) vector: Option<Vec<u8>>,
    pub(crate) dataset_id: Option<String>,
    pub(crate) engine: String,
}

impl RecognitionRow {
    /// Id, subject and score of what is rated. Those of the whole result are empty.
    pub(crate) fn rated(&self, rated: &Rated) -> Result<(String, String, Option<f32>), StoreError> {
        let is_it = |item: &StoredCandidate| match rated {
            Rated::Whole => false,
            Rated::Candidate(id) => item.id == id.as_str(),
            Rated::Subject(subject) => item.subject == *subject,
        };
        match (read_items(&self.items)?.into_iter().find(is_it), rated) {
            (Some(found), _) => Ok((found.id, found.subject, Some(found.score))),
            (None, Rated::Whole) => Ok((String::new(), String::new(), None)),
            (None, Rated::Candidate(id)) => Err(Missing::Candidate(id.clone()).into()),
            (None, Rated::Subject(subject)) => Ok((ItemId::of_tag(subject).as_str().to_owned(), subject.clone(), None)),
        }
    }
}

/// Parses stored candidates.
pub(crate) fn read_items(text: &str) -> Result<Vec<StoredCandidate>, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Damaged(error.to_string()))
}

/// A vector as both databases store it: 32-bit floats in little-endian order.
pub(crate) fn floats_to_bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}
