//! Selects verdicts, and revokes them.

use kaisatsu_model::{AccountId, AppId, RecognitionId, Timestamp};

use super::{NEXT_FEEDBACK_REVISION, Standing};
use crate::{Store, StoreError, on_each, transactions::Transactions as _};

/// Selects the verdicts that meet every condition.
#[derive(Debug, Clone, Default)]
pub struct FeedbackFilter {
    /// Given by this application.
    pub application: Option<AppId>,
    /// On this candidate: its id, or its subject.
    pub item: Option<String>,
    /// On answers of this model, dataset or collection.
    pub model: Option<String>,
    /// On this recognition.
    pub recognition: Option<RecognitionId>,
    /// Given at this time or later.
    pub since: Option<Timestamp>,
    /// Given before this time.
    pub until: Option<Timestamp>,
    /// With a comment that contains this text, ignoring case.
    pub comment: Option<String>,
    /// Only those with a comment.
    pub only_commented: bool,
    /// Only those of this standing.
    pub standing: Option<Standing>,
    /// Given by applications of this account.
    pub owner: Option<AccountId>,
}

impl FeedbackFilter {
    /// The pattern for `LIKE` that matches the text literally.
    pub(super) fn pattern(&self) -> Option<String> {
        let escaped = |text: &String| text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
        self.comment.as_ref().map(|text| format!("%{}%", escaped(text)))
    }
}

/// How many verdicts a filter selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct FeedbackCount {
    /// All of them.
    #[sqlx(rename = "all_of_them")]
    pub all: i64,
    /// Those already revoked.
    pub revoked: i64,
}

/// The filter as a condition on `feedback f`; [`bind_filter`] binds its ten values. Both sides of the comparison are
/// lowered in SQL: the two databases lower different letters.
pub(super) const MATCHES: &str = "($1 IS NULL OR f.application_id = $1) \
     AND ($2 IS NULL OR f.subject = $2 OR f.item_id = $2) AND ($3 IS NULL OR f.model = $3) \
     AND ($4 IS NULL OR f.recognition_id = $4) AND ($5 IS NULL OR f.rated_at >= $5) AND ($6 IS NULL OR f.rated_at < \
     $6) \
     AND ($7 IS NULL OR LOWER(f.comment) LIKE LOWER($7) ESCAPE '\\') AND ($8 = 0 OR f.comment <> '') \
     AND ($9 IS NULL OR f.standing = $9) \
     AND ($10 IS NULL OR f.application_id IN (SELECT id FROM application WHERE account_id = $10))";

macro_rules! bind_filter {
    ($query:expr, $filter:expr) => {
        $query
            .bind($filter.application.as_ref().map(kaisatsu_model::AppId::as_str))
            .bind($filter.item.as_deref())
            .bind($filter.model.as_deref())
            .bind($filter.recognition.as_ref().map(kaisatsu_model::RecognitionId::as_str))
            .bind($filter.since.map(|at| at.0))
            .bind($filter.until.map(|at| at.0))
            .bind($filter.pattern())
            .bind(i64::from($filter.only_commented))
            .bind($filter.standing.map($crate::Standing::as_str))
            .bind($filter.owner.as_ref().map(kaisatsu_model::AccountId::as_str))
    };
}
pub(super) use bind_filter;

/// After verdicts were revoked or held in this revision: of each affected subject the newest verdicts that are neither
/// held nor revoked become active, as if the lost ones had never been given.
pub(super) const REACTIVATE: &str = "UPDATE feedback SET revision = $1, standing = ranked.standing FROM \
     (SELECT recognition_id, item_id, CASE WHEN place <= $2 THEN 'active' ELSE 'retired' END AS standing FROM \
     (SELECT recognition_id, item_id, ROW_NUMBER() OVER (PARTITION BY application_id, task, model, subject \
     ORDER BY rated_at DESC, recognition_id DESC, item_id DESC) AS place FROM feedback \
     WHERE standing IN ('active', 'retired') AND (application_id, task, model, subject) IN \
     (SELECT application_id, task, model, subject FROM feedback WHERE revision = $1 AND standing IN ('revoked', \
     'held'))) \
     AS placed) AS ranked \
     WHERE feedback.recognition_id = ranked.recognition_id AND feedback.item_id = ranked.item_id \
     AND feedback.standing <> ranked.standing";

impl Store {
    /// How many verdicts a filter selects.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_feedback(&self, filter: &FeedbackFilter) -> Result<FeedbackCount, StoreError> {
        let sql = format!(
            "SELECT COUNT(*) AS all_of_them, \
             CAST(COALESCE(SUM(CASE f.standing WHEN 'revoked' THEN 1 ELSE 0 END), 0) AS BIGINT) AS revoked \
             FROM feedback f WHERE {MATCHES}"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        Ok(on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter).fetch_one(pool).await)?)
    }

    /// Revokes verdicts and returns how many. The older verdicts that they had replaced come into effect again, at
    /// most `limit` of one application on one subject.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_feedback(&self, filter: &FeedbackFilter, limit: i64) -> Result<u64, StoreError> {
        let lock_datasets = format!(
            "SELECT id FROM dataset WHERE id IN (SELECT f.dataset_id FROM feedback f WHERE {MATCHES}){}",
            self.for_key_share()
        );
        let revoke = format!(
            "UPDATE feedback AS f SET standing = 'revoked', revision = $11 WHERE {MATCHES} AND f.standing <> 'revoked'"
        );
        let (lock_datasets, revoke) = (sqlx::AssertSqlSafe(lock_datasets), sqlx::AssertSqlSafe(revoke));
        Ok(on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_FEEDBACK_REVISION).fetch_one(&mut *tx).await?;
            bind_filter!(sqlx::query(lock_datasets), filter).fetch_all(&mut *tx).await?;
            let done = bind_filter!(sqlx::query(revoke), filter).bind(revision).execute(&mut *tx).await?;
            if done.rows_affected() == 0 {
                return Ok(0);
            }
            sqlx::query(REACTIVATE).bind(revision).bind(limit).execute(&mut *tx).await?;
            tx.commit().await?;
            done.rows_affected()
        }))
    }
}
