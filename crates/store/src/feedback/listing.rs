//! Feedback for operators: verdict by verdict, and in totals.

use kaisatsu_model::{AppId, ItemId, Timestamp, Verdict};

use super::{
    FeedbackFilter, Standing,
    filter::{MATCHES, bind_filter},
    some_item, standing, verdict,
};
use crate::{Store, StoreError, StoredCandidate, on_each, recognitions::read_items};

/// A verdict with what is known of the recognition.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackRow {
    /// The recognition that was rated.
    pub recognition: String,
    /// The candidate that was rated; `None` for the whole result.
    pub item: Option<String>,
    /// The application that gave it.
    pub application: AppId,
    /// The name of that application.
    pub application_name: String,
    /// The task, such as `classify`.
    pub task: String,
    /// The model, dataset or collection that answered.
    pub model: String,
    /// What the candidate is; empty for the whole result.
    pub subject: String,
    /// The display name of the candidate, if it is still known.
    pub name: Option<String>,
    /// The score of the candidate, after feedback.
    pub score: Option<f32>,
    /// Its score before feedback, if feedback changed it.
    pub base: Option<f32>,
    /// Whether the candidate is right.
    pub verdict: Verdict,
    /// The comment that came with it.
    pub comment: Option<String>,
    /// Whether the verdict is in effect.
    pub standing: Standing,
    /// When it was given.
    pub rated_at: Timestamp,
    /// When the picture was recognised.
    pub recognised_at: Timestamp,
    /// All candidates of the recognition, best first.
    pub items: Vec<StoredCandidate>,
    /// The picture as it was sent, if it is stored and was asked for.
    pub picture: Option<Vec<u8>>,
}

impl FeedbackRow {
    /// The cursor of the next page.
    #[must_use]
    pub fn cursor(&self) -> (i64, String, String) {
        (self.rated_at.0, self.recognition.clone(), self.item.clone().unwrap_or_default())
    }
}

/// The verdicts on one subject in one interval.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct FeedbackTotal {
    /// The task, such as `classify`.
    pub task: String,
    /// The model, dataset or collection that answered.
    pub model: String,
    /// What the candidates are.
    pub subject: String,
    /// When the interval begins, in microseconds since 1970.
    pub begins: i64,
    /// How many say that the candidate is right.
    pub valid: i64,
    /// How many say that it is wrong.
    pub invalid: i64,
}

/// Binds the values of the filter, then whether pictures are wanted.
const ROWS: &str = "SELECT f.recognition_id, f.item_id, f.application_id, \
     COALESCE(a.title, a.name) AS application_name, f.task, f.model, f.subject, f.score, f.is_valid, f.comment, \
     f.standing, f.rated_at, e.created_at, e.items, \
     CASE WHEN $11 = 1 THEN r.picture END AS picture \
     FROM feedback f JOIN application a ON a.id = f.application_id \
     JOIN exemplar e ON e.recognition_id = f.recognition_id LEFT JOIN recognition r ON r.id = f.recognition_id";

impl Store {
    /// The selected verdicts after a cursor (time, recognition, candidate), oldest first, at most `limit`.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::Damaged`] when a row cannot be read.
    pub async fn feedback_page(
        &self,
        filter: &FeedbackFilter,
        after: &(i64, String, String),
        limit: i64,
        pictures: bool,
    ) -> Result<Vec<FeedbackRow>, StoreError> {
        let sql = format!(
            "{ROWS} WHERE {MATCHES} AND (f.rated_at, f.recognition_id, f.item_id) > ($12, $13, $14) \
             ORDER BY f.rated_at, f.recognition_id, f.item_id LIMIT $15"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        let rows: Vec<Row> = on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter)
            .bind(i64::from(pictures)).bind(after.0).bind(&after.1).bind(&after.2).bind(limit)
            .fetch_all(pool).await)?;
        rows.into_iter().map(Row::into_row).collect()
    }

    /// The newest of the selected verdicts before a cursor (time, recognition, candidate) if there is one, newest
    /// first, at most `limit`, without pictures.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::Damaged`] when a row cannot be read.
    pub async fn newest_feedback(
        &self,
        filter: &FeedbackFilter,
        before: Option<&(i64, String, String)>,
        limit: i64,
    ) -> Result<Vec<FeedbackRow>, StoreError> {
        let sql = format!(
            "{ROWS} WHERE {MATCHES} AND (f.rated_at, f.recognition_id, f.item_id) < ($12, $13, $14) \
             ORDER BY f.rated_at DESC, f.recognition_id DESC, f.item_id DESC LIMIT $15"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        let last = (i64::MAX, String::new(), String::new());
        let before = before.unwrap_or(&last);
        let rows: Vec<Row> = on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter)
            .bind(0_i64).bind(before.0).bind(&before.1).bind(&before.2).bind(limit).fetch_all(pool).await)?;
        rows.into_iter().map(Row::into_row).collect()
    }

    /// How many verdicts say that candidates are right and wrong, by subject and by intervals of `interval_micros`.
    /// Revoked verdicts and verdicts on whole results do not count.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn feedback_totals(
        &self,
        filter: &FeedbackFilter,
        interval_micros: i64,
    ) -> Result<Vec<FeedbackTotal>, StoreError> {
        let sql = format!(
            "SELECT f.task, f.model, f.subject, f.rated_at - f.rated_at % $11 AS begins, \
             CAST(SUM(f.is_valid) AS BIGINT) AS valid, CAST(SUM(1 - f.is_valid) AS BIGINT) AS invalid \
             FROM feedback f WHERE {MATCHES} AND f.item_id <> '' AND f.standing <> 'revoked' \
             GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        Ok(on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter)
            .bind(interval_micros.max(1)).fetch_all(pool).await)?)
    }
}

#[derive(sqlx_macros::FromRow)]
struct Row {
    recognition_id: String,
    item_id: String,
    application_id: String,
    application_name: String,
    task: String,
    model: String,
    subject: String,
    score: Option<f32>,
    is_valid: i64,
    comment: Option<String>,
    standing: String,
    rated_at: i64,
    created_at: i64,
    items: String,
    picture: Option<Vec<u8>>,
}

impl Row {
    fn into_row(self) -> Result<FeedbackRow, StoreError> {
        let items = read_items(&self.items)?;
        let own = items.iter().find(|item| item.id == self.item_id);
        Ok(FeedbackRow {
            name: own.map(|item| item.name.as_str()).or(ItemId::tag(&self.item_id)).map(str::to_owned),
            base: own.and_then(|item| item.base),
            recognition: self.recognition_id,
            item: some_item(self.item_id),
            application: AppId::from_text(self.application_id),
            application_name: self.application_name,
            task: self.task,
            model: self.model,
            subject: self.subject,
            score: self.score,
            verdict: verdict(self.is_valid),
            comment: self.comment,
            standing: standing(&self.standing)?,
            rated_at: Timestamp(self.rated_at),
            recognised_at: Timestamp(self.created_at),
            items,
            picture: self.picture,
        })
    }
}
