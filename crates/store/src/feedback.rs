//! Verdicts on candidates, and the memory that they are: replicas follow it as they follow keys and content.
//!
//! A verdict outlives its recognition. What of that is still needed is kept beside it, in `exemplar`. Every change raises
//! `feedback_revision` first, which puts writers in a line. Only the deletion of a dataset does not stand in it: whoever
//! writes verdicts therefore keeps their datasets before it touches the first one, as the deletion takes its dataset
//! before it reaches for the verdicts, so that neither waits for the other.

mod filter;
mod follow;
mod guard;
mod listing;

pub use filter::{FeedbackCount, FeedbackFilter};
pub use follow::FeedbackChange;
pub use guard::{FeedbackReport, NewReport};
use kaisatsu_model::{AppId, Comment, Function, ItemId, RecognitionId, Source, Timestamp, Verdict};
pub use listing::{FeedbackRow, Total};

use crate::{
    Store, StoreError, on_each,
    recognitions::{FIND, RecognitionRow},
};

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

/// What a verdict was on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rated {
    /// The function that was called.
    pub function: Function,
    /// What the image was compared with.
    pub source: Source,
    /// What the candidate stands for; empty for the whole result.
    pub subject: String,
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
    /// Whether it acts.
    pub standing: Standing,
}

/// Whether a verdict acts on what is recognised, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It acts.
    Active,
    /// Newer ones of the same application on the same subject took its place.
    Retired,
    /// The guard took it for harmful.
    Held,
    /// The operator took it back.
    Revoked,
}

impl Standing {
    /// As it is kept and listed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retired => "retired",
            Self::Held => "held",
            Self::Revoked => "revoked",
        }
    }

    /// Undoes [`Standing::as_str`].
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::Active, Self::Retired, Self::Held, Self::Revoked].into_iter().find(|standing| standing.as_str() == text)
    }
}

/// Takes the next revision, and with it the right to change feedback until the transaction ends.
pub(crate) const RAISE_FEEDBACK: &str = "UPDATE feedback_revision SET value = value + 1 RETURNING value";

const REMEMBER: &str = "INSERT INTO exemplar \
     (recognition_id, application_id, task, model, dataset_id, created_at, items, vector, engine) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (recognition_id) DO NOTHING";

const RATE: &str = "INSERT INTO feedback \
     (recognition_id, item_id, application_id, task, model, subject, score, is_valid, comment, rated_at, dataset_id, \
     revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
     ON CONFLICT (recognition_id, item_id) DO UPDATE SET \
     is_valid = excluded.is_valid, comment = excluded.comment, rated_at = excluded.rated_at, \
     revision = excluded.revision, standing = 'active'";

/// All but the newest that act. The limit only is there because SQLite knows no offset without one.
const RETIRE: &str = "UPDATE feedback SET standing = 'retired', revision = $5 WHERE (recognition_id, item_id) IN \
     (SELECT recognition_id, item_id FROM feedback \
     WHERE application_id = $1 AND task = $2 AND model = $3 AND subject = $4 AND standing = 'active' \
     ORDER BY rated_at DESC, recognition_id DESC, item_id DESC LIMIT 1000000000 OFFSET $6)";

impl Store {
    /// Keeps a verdict. The last one on a candidate counts, and of one application's on one subject the newest `most`
    /// act. The candidate is looked for inside its recognition, and that among those of the application.
    ///
    /// # Errors
    /// [`StoreError::NoRecognition`] or [`StoreError::NoItem`] when there is no such thing.
    pub async fn rate(&self, new: &NewVerdict, most: i64) -> Result<Rated, StoreError> {
        let (id, app) = (new.recognition.as_str(), new.application.as_str());
        let keep = format!("SELECT id FROM dataset WHERE id = $1{}", self.and_keep_them());
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(RAISE_FEEDBACK).fetch_one(&mut *tx).await?;
            let row: Option<RecognitionRow> =
                sqlx::query_as(FIND).bind(id).bind(app).bind(new.rated_at.0).fetch_optional(&mut *tx).await?;
            let row = row.ok_or_else(|| StoreError::NoRecognition(new.recognition.clone()))?;
            let damaged = || StoreError::Damaged(format!("the function '{}' of a recognition", row.task));
            let function = Function::from_text(&row.task).ok_or_else(damaged)?;
            let found = row.find(new.item.as_ref())?;
            let subject = found.as_ref().map_or("", |item| item.subject.as_str());
            if let Some(dataset) = &row.dataset_id {
                let kept: Option<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(keep))
                    .bind(dataset).fetch_optional(&mut *tx).await?;
                // It was deleted in this moment, and took the recognition with it.
                kept.ok_or_else(|| StoreError::NoRecognition(new.recognition.clone()))?;
            }
            sqlx::query(REMEMBER)
                .bind(id).bind(app).bind(&row.task).bind(&row.model).bind(&row.dataset_id).bind(row.created_at)
                .bind(&row.items).bind(&row.vector).bind(&row.engine)
                .execute(&mut *tx).await?;
            sqlx::query(RATE)
                .bind(id).bind(new.item.as_ref().map_or("", ItemId::as_str)).bind(app).bind(&row.task).bind(&row.model)
                .bind(subject).bind(found.as_ref().map(|item| item.score))
                .bind(i64::from(new.verdict == Verdict::Valid)).bind(new.comment.as_ref().map(Comment::as_str))
                .bind(new.rated_at.0).bind(&row.dataset_id).bind(revision)
                .execute(&mut *tx).await?;
            sqlx::query(RETIRE)
                .bind(app).bind(&row.task).bind(&row.model).bind(subject).bind(revision).bind(most.max(0))
                .execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(Rated { subject: subject.to_owned(), source: Source::from_text(function, &row.model), function })
        })
    }

    /// The verdicts on a recognition, the one on the whole result first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn verdicts(&self, id: &RecognitionId) -> Result<Vec<KeptVerdict>, StoreError> {
        type Row = (String, String, i64, Option<String>, String);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(
            "SELECT item_id, subject, is_valid, comment, standing FROM feedback WHERE recognition_id = $1 ORDER BY item_id",
        ).bind(id.as_str()).fetch_all(pool).await)?;
        let kept = |(item, subject, is_valid, comment, word): Row| {
            let (verdict, standing) = (verdict(is_valid), standing(&word)?);
            Ok(KeptVerdict { item: some_item(item), subject, verdict, comment, standing })
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

/// The candidate that a verdict is on; the database has an empty text for the whole result.
fn some_item(item: String) -> Option<String> {
    Some(item).filter(|item| !item.is_empty())
}
