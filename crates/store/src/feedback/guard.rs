//! Verdicts that the guard holds back because they made recognition worse.

use kaisatsu_model::{AppId, Function, Source, Timestamp};

use super::{NEXT_FEEDBACK_REVISION, filter::REACTIVATE};
use crate::{Store, StoreError, on_each, transactions::Transactions as _};

/// Why the guard holds verdicts.
#[derive(Debug, Clone)]
pub struct NewReport {
    /// When.
    pub at: Timestamp,
    /// Whose feedback; `None` for feedback that acts for all applications.
    pub application: Option<AppId>,
    /// The function that it acts on.
    pub function: Function,
    /// What the images were compared with. The catalogue has one set of verdicts for all of its categories.
    pub source: Option<Source>,
    /// How many recognitions it was evaluated on.
    pub judged: i64,
    /// How many of them it improved.
    pub better: i64,
    /// How many of them it worsened.
    pub worse: i64,
}

/// A report of held verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackReport {
    /// When.
    pub at: Timestamp,
    /// Whose feedback; `None` for feedback that acts for all applications.
    pub application: Option<AppId>,
    /// The task that it acts on.
    pub task: String,
    /// The model, dataset or collection that it acts on.
    pub model: String,
    /// How many verdicts were held.
    pub held: i64,
    /// How many recognitions it was evaluated on.
    pub judged: i64,
    /// How many of them it improved.
    pub better: i64,
    /// How many of them it worsened.
    pub worse: i64,
}

const HOLD: &str = "UPDATE feedback SET standing = 'held', revision = $3 \
     WHERE recognition_id = $1 AND item_id = $2 AND standing = 'active' AND rated_at <= $4";

const REPORT: &str = "INSERT INTO feedback_report (at, application_id, task, model, held, judged, better, worse) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

const REPORTS: &str = "SELECT at, application_id, task, model, held, judged, better, worse FROM feedback_report \
     ORDER BY number DESC LIMIT $1";

impl Store {
    /// Holds the active ones of these verdicts (recognition and candidate, which is empty for the whole result) that
    /// were given before the time of the report, and reports and returns how many. The older verdicts that they had
    /// replaced come into effect again, at most `limit` of one application on one subject. When none of them is active,
    /// nothing is reported.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hold_feedback(
        &self,
        verdicts: &[(String, String)],
        report: &NewReport,
        limit: i64,
    ) -> Result<u64, StoreError> {
        let lock_dataset = format!(
            "SELECT id FROM dataset WHERE id = \
             (SELECT dataset_id FROM feedback WHERE recognition_id = $1 AND item_id = $2){}",
            self.for_key_share()
        );
        Ok(on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_FEEDBACK_REVISION).fetch_one(&mut *tx).await?;
            let mut held = 0;
            for (recognition, item) in verdicts {
                sqlx::query(sqlx::AssertSqlSafe(lock_dataset.as_str())).bind(recognition).bind(item)
                    .fetch_all(&mut *tx).await?;
                let done = sqlx::query(HOLD).bind(recognition).bind(item).bind(revision).bind(report.at.0)
                    .execute(&mut *tx).await?;
                held += done.rows_affected();
            }
            if held == 0 {
                return Ok(0);
            }
            sqlx::query(REACTIVATE).bind(revision).bind(limit).execute(&mut *tx).await?;
            sqlx::query(REPORT)
                .bind(report.at.0).bind(report.application.as_ref().map(AppId::as_str))
                .bind(report.function.as_str()).bind(report.source.as_ref().map_or("", Source::as_str))
                .bind(i64::try_from(held).unwrap_or(i64::MAX))
                .bind(report.judged).bind(report.better).bind(report.worse)
                .execute(&mut *tx).await?;
            tx.commit().await?;
            held
        }))
    }

    /// The reports of the guard, newest first, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn feedback_reports(&self, limit: i64) -> Result<Vec<FeedbackReport>, StoreError> {
        type Row = (i64, Option<String>, String, String, i64, i64, i64, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(REPORTS).bind(limit).fetch_all(pool).await)?;
        let report = |(at, application, task, model, held, judged, better, worse): Row| {
            let (at, application) = (Timestamp(at), application.map(AppId::from_text));
            FeedbackReport { at, application, task, model, held, judged, better, worse }
        };
        Ok(rows.into_iter().map(report).collect())
    }
}
