//! Verdicts on candidates. Replicas follow their revision as they follow that of keys and of content.
//!
//! A verdict outlives its recognition: what feedback needs of the recognition is copied to `exemplar`. Every change
//! raises `feedback_revision` first, which serialises writers. Only deleting a dataset does not: it locks its dataset
//! and then the verdicts. Whoever writes verdicts therefore locks their datasets before the first verdict, so that the
//! two cannot deadlock.

mod changes;
mod filter;
mod guard;
mod listing;

pub use changes::FeedbackChange;
pub use filter::{FeedbackCount, FeedbackFilter};
pub use guard::{FeedbackReport, NewReport};
use kaisatsu_model::{AppId, Comment, Function, RecognitionId, Source, Timestamp, Verdict};
pub use listing::{FeedbackRow, FeedbackTotal};

use crate::{
    Missing, Store, StoreError, on_each,
    recognitions::{FIND, Rated, RecognitionRow},
    transactions::Transactions as _,
};

/// A new verdict.
#[derive(Debug, Clone)]
pub struct NewVerdict {
    /// The application that gives it.
    pub application: AppId,
    /// The recognition that is rated.
    pub recognition: RecognitionId,
    /// What is rated.
    pub rated: Rated,
    /// Whether the candidate is right.
    pub verdict: Verdict,
    /// The comment that came with it.
    pub comment: Option<Comment>,
    /// When it is given.
    pub rated_at: Timestamp,
}

/// What a verdict rates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedSubject {
    /// The function that was called.
    pub function: Function,
    /// What the image was compared with.
    pub source: Source,
    /// What the candidate is; empty for the whole result.
    pub subject: String,
}

/// A stored verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictRecord {
    /// The candidate; `None` for the whole result.
    pub item: Option<String>,
    /// What the candidate is.
    pub subject: String,
    /// Whether the candidate is right.
    pub verdict: Verdict,
    /// The comment that came with it.
    pub comment: Option<String>,
    /// Whether the verdict is in effect.
    pub standing: Standing,
}

/// Whether a verdict is in effect, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It is in effect.
    Active,
    /// Newer verdicts of the same application on the same subject replaced it.
    Retired,
    /// The guard found it harmful.
    Held,
    /// An operator revoked it.
    Revoked,
}

impl Standing {
    /// The stored and listed form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retired => "retired",
            Self::Held => "held",
            Self::Revoked => "revoked",
        }
    }

    /// The inverse of [`Standing::as_str`].
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::Active, Self::Retired, Self::Held, Self::Revoked].into_iter().find(|standing| standing.as_str() == text)
    }
}

/// Takes the next revision, and a lock on feedback until the transaction ends.
pub(crate) const NEXT_FEEDBACK_REVISION: &str = "UPDATE feedback_revision SET value = value + 1 RETURNING value";

const INSERT_EXEMPLAR: &str = "INSERT INTO exemplar \
     (recognition_id, application_id, task, model, dataset_id, created_at, items, vector, engine) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (recognition_id) DO NOTHING";

const INSERT: &str = "INSERT INTO feedback \
     (recognition_id, item_id, application_id, task, model, subject, score, is_valid, comment, rated_at, dataset_id, \
     revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
     ON CONFLICT (recognition_id, item_id) DO UPDATE SET \
     is_valid = excluded.is_valid, comment = excluded.comment, rated_at = excluded.rated_at, \
     revision = excluded.revision, standing = 'active'";

/// Retires all but the newest active verdicts. The limit is there because SQLite accepts no offset without one.
const RETIRE: &str = "UPDATE feedback SET standing = 'retired', revision = $5 WHERE (recognition_id, item_id) IN \
     (SELECT recognition_id, item_id FROM feedback \
     WHERE application_id = $1 AND task = $2 AND model = $3 AND subject = $4 AND standing = 'active' \
     ORDER BY rated_at DESC, recognition_id DESC, item_id DESC LIMIT 1000000000 OFFSET $6)";

impl Store {
    /// Stores a verdict. A later verdict on the same candidate replaces it, and of one application's verdicts on one
    /// subject the newest `limit` are in effect. A subject that is named and not among the candidates is rated as if
    /// it were one of them. The candidate is looked up within its recognition, and the
    /// recognition among those of the application.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such recognition or candidate.
    pub async fn rate(&self, new: &NewVerdict, limit: i64) -> Result<RatedSubject, StoreError> {
        let (id, app) = (new.recognition.as_str(), new.application.as_str());
        let lock_dataset = format!("SELECT id FROM dataset WHERE id = $1{}", self.for_key_share());
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_FEEDBACK_REVISION).fetch_one(&mut *tx).await?;
            let row: Option<RecognitionRow> =
                sqlx::query_as(FIND).bind(id).bind(app).bind(new.rated_at.0).fetch_optional(&mut *tx).await?;
            let row = row.ok_or_else(|| Missing::Recognition(new.recognition.clone()))?;
            let damaged = || StoreError::Damaged(format!("the function '{}' of a recognition", row.task));
            let function = Function::from_text(&row.task).ok_or_else(damaged)?;
            let (item, subject, score) = row.rated(&new.rated)?;
            if let Some(dataset) = &row.dataset_id {
                let kept: Option<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(lock_dataset))
                    .bind(dataset).fetch_optional(&mut *tx).await?;
                // The dataset has just been deleted, and the recognition with it.
                kept.ok_or_else(|| Missing::Recognition(new.recognition.clone()))?;
            }
            sqlx::query(INSERT_EXEMPLAR)
                .bind(id).bind(app).bind(&row.task).bind(&row.model).bind(&row.dataset_id).bind(row.created_at)
                .bind(&row.items).bind(&row.vector).bind(&row.engine)
                .execute(&mut *tx).await?;
            sqlx::query(INSERT)
                .bind(id).bind(&item).bind(app).bind(&row.task).bind(&row.model).bind(&subject).bind(score)
                .bind(i64::from(new.verdict == Verdict::Valid)).bind(new.comment.as_ref().map(Comment::as_str))
                .bind(new.rated_at.0).bind(&row.dataset_id).bind(revision)
                .execute(&mut *tx).await?;
            sqlx::query(RETIRE)
                .bind(app).bind(&row.task).bind(&row.model).bind(&subject).bind(revision).bind(limit.max(0))
                .execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(RatedSubject { subject, source: Source::from_text(function, &row.model), function })
        })
    }

    /// The verdicts on a recognition; one on the whole result comes first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn verdicts(&self, id: &RecognitionId) -> Result<Vec<VerdictRecord>, StoreError> {
        type Row = (String, String, i64, Option<String>, String);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(
            "SELECT item_id, subject, is_valid, comment, standing FROM feedback WHERE recognition_id = $1 ORDER BY \
             item_id",
        ).bind(id.as_str()).fetch_all(pool).await)?;
        let kept = |(item, subject, is_valid, comment, word): Row| {
            let (verdict, standing) = (verdict(is_valid), standing(&word)?);
            Ok(VerdictRecord { item: some_item(item), subject, verdict, comment, standing })
        };
        rows.into_iter().map(kept).collect()
    }
}

fn verdict(is_valid: i64) -> Verdict {
    if is_valid == 1 { Verdict::Valid } else { Verdict::Invalid }
}

fn standing(word: &str) -> Result<Standing, StoreError> {
    Standing::from_text(word).ok_or_else(|| StoreError::Damaged(format!("the standing '{word}' of a verdict")))
}

/// The candidate that was rated; the database stores an empty text for the whole result.
fn some_item(item: String) -> Option<String> {
    Some(item).filter(|item| !item.is_empty())
}
