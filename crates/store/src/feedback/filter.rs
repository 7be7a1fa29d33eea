//! Choosing verdicts, and taking them back.

use kaisatsu_model::{AccountId, AppId, RecognitionId, Timestamp};

use super::{RAISE_FEEDBACK, Standing};
use crate::{Store, StoreError, on_each};

/// Which verdicts are meant: those that fit all that is said here.
#[derive(Debug, Clone, Default)]
pub struct FeedbackFilter {
    /// Who gave them.
    pub application: Option<AppId>,
    /// What they are on: a candidate's id, or what candidates stand for.
    pub item: Option<String>,
    /// The model, dataset or collection that answered.
    pub model: Option<String>,
    /// The recognition they are on.
    pub recognition: Option<RecognitionId>,
    /// Given at this time or later.
    pub since: Option<Timestamp>,
    /// Given before this time.
    pub until: Option<Timestamp>,
    /// What the comment contains, in large or small letters.
    pub comment: Option<String>,
    /// Only those with a comment.
    pub only_commented: bool,
    /// Only those that stand like this.
    pub standing: Option<Standing>,
    /// Only those that applications of this account gave.
    pub owner: Option<AccountId>,
}

impl FeedbackFilter {
    /// What `LIKE` takes for the text of the filter, and for nothing else.
    pub(super) fn pattern(&self) -> Option<String> {
        let escaped = |text: &String| text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
        self.comment.as_ref().map(|text| format!("%{}%", escaped(text)))
    }
}

/// How many verdicts a filter means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct FeedbackCount {
    /// All of them.
    #[sqlx(rename = "all_of_them")]
    pub all: i64,
    /// Those that were taken back already.
    pub revoked: i64,
}

/// The filter as a condition on `feedback f`; [`bind_filter`] gives it its ten values. Both databases lower what they
/// compare themselves: they know different letters.
pub(super) const MATCHES: &str = "($1 IS NULL OR f.application_id = $1) \
     AND ($2 IS NULL OR f.subject = $2 OR f.item_id = $2) AND ($3 IS NULL OR f.model = $3) \
     AND ($4 IS NULL OR f.recognition_id = $4) AND ($5 IS NULL OR f.rated_at >= $5) AND ($6 IS NULL OR f.rated_at < $6) \
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

/// Of every subject that lost a verdict just now, the newest ones that are neither held nor revoked act: as if the lost
/// ones had never been.
pub(super) const SETTLE: &str = "UPDATE feedback SET revision = $1, standing = ranked.standing FROM \
     (SELECT recognition_id, item_id, CASE WHEN place <= $2 THEN 'active' ELSE 'retired' END AS standing FROM \
     (SELECT recognition_id, item_id, ROW_NUMBER() OVER (PARTITION BY application_id, task, model, subject \
     ORDER BY rated_at DESC, recognition_id DESC, item_id DESC) AS place FROM feedback \
     WHERE standing IN ('active', 'retired') AND (application_id, task, model, subject) IN \
     (SELECT application_id, task, model, subject FROM feedback WHERE revision = $1 AND standing IN ('revoked', 'held'))) \
     AS placed) AS ranked \
     WHERE feedback.recognition_id = ranked.recognition_id AND feedback.item_id = ranked.item_id \
     AND feedback.standing <> ranked.standing";

impl Store {
    /// How many verdicts a filter means.
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

    /// Takes verdicts back; how many. Then those act that would if these had never been given: older ones that they had
    /// taken the place of, at most `most` of one application on one subject.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_feedback(&self, filter: &FeedbackFilter, most: i64) -> Result<u64, StoreError> {
        let keep = format!(
            "SELECT id FROM dataset WHERE id IN (SELECT f.dataset_id FROM feedback f WHERE {MATCHES}){}",
            self.and_keep_them()
        );
        let revoke = format!(
            "UPDATE feedback AS f SET standing = 'revoked', revision = $11 WHERE {MATCHES} AND f.standing <> 'revoked'"
        );
        let (keep, revoke) = (sqlx::AssertSqlSafe(keep), sqlx::AssertSqlSafe(revoke));
        Ok(on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(RAISE_FEEDBACK).fetch_one(&mut *tx).await?;
            bind_filter!(sqlx::query(keep), filter).fetch_all(&mut *tx).await?;
            let done = bind_filter!(sqlx::query(revoke), filter).bind(revision).execute(&mut *tx).await?;
            if done.rows_affected() == 0 {
                return Ok(0);
            }
            sqlx::query(SETTLE).bind(revision).bind(most).execute(&mut *tx).await?;
            tx.commit().await?;
            done.rows_affected()
        }))
    }
}
