//! Feedback as operators read it: verdict by verdict, and in sums.

use kaisatsu_model::{AppId, Timestamp, Verdict};

use super::{
    FeedbackFilter, Standing,
    filter::{MATCHES, bind_filter},
    some_item, standing, verdict,
};
use crate::{KeptItem, Store, StoreError, on_each, recognitions::read_items};

/// A verdict with all that is known of what it is on.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackRow {
    /// The recognition it is on.
    pub recognition: String,
    /// The candidate it is on; `None` for the whole result.
    pub item: Option<String>,
    /// Who gave it.
    pub application: AppId,
    /// The name of that application.
    pub application_name: String,
    /// What was asked for.
    pub task: String,
    /// The model, dataset or collection that answered.
    pub model: String,
    /// What the candidate stands for; empty for the whole result.
    pub subject: String,
    /// What people read of the candidate, where it is still known.
    pub name: Option<String>,
    /// How sure the engine was of the candidate, after feedback.
    pub score: Option<f32>,
    /// How sure it was before, when feedback moved it.
    pub base: Option<f32>,
    /// What the verdict says.
    pub verdict: Verdict,
    /// The comment beside it.
    pub comment: Option<String>,
    /// Whether it acts.
    pub standing: Standing,
    /// When it was given.
    pub rated_at: Timestamp,
    /// When the picture was recognised.
    pub recognised_at: Timestamp,
    /// All candidates of the recognition, best first.
    pub items: Vec<KeptItem>,
    /// The picture as it was sent, where it is kept and was asked for.
    pub picture: Option<Vec<u8>>,
}

impl FeedbackRow {
    /// Where the next page begins.
    #[must_use]
    pub fn place(&self) -> (i64, String, String) {
        (self.rated_at.0, self.recognition.clone(), self.item.clone().unwrap_or_default())
    }
}

/// The verdicts on one subject in one stretch of time.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Total {
    /// What was asked for.
    pub task: String,
    /// The model, dataset or collection that answered.
    pub model: String,
    /// What the candidates stand for.
    pub subject: String,
    /// When the stretch begins, in microseconds since 1970.
    pub begins: i64,
    /// How many say that the candidate was right.
    pub valid: i64,
    /// How many say that it was not.
    pub invalid: i64,
}

/// The values that it needs: those of the filter, then whether pictures are wanted.
const ROWS: &str = "SELECT f.recognition_id, f.item_id, f.application_id, a.name AS application_name, f.task, f.model, \
     f.subject, f.score, f.is_valid, f.comment, f.standing, f.rated_at, e.created_at, e.items, \
     CASE WHEN $11 = 1 THEN r.picture END AS picture \
     FROM feedback f JOIN application a ON a.id = f.application_id \
     JOIN exemplar e ON e.recognition_id = f.recognition_id LEFT JOIN recognition r ON r.id = f.recognition_id";

impl Store {
    /// The verdicts that a filter means, after a place (time, recognition, candidate), oldest first, at most `most`.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::Damaged`] when it holds what we did not write.
    pub async fn feedback_page(
        &self,
        filter: &FeedbackFilter,
        after: &(i64, String, String),
        most: i64,
        pictures: bool,
    ) -> Result<Vec<FeedbackRow>, StoreError> {
        let sql = format!(
            "{ROWS} WHERE {MATCHES} AND (f.rated_at, f.recognition_id, f.item_id) > ($12, $13, $14) \
             ORDER BY f.rated_at, f.recognition_id, f.item_id LIMIT $15"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        let rows: Vec<Row> = on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter)
            .bind(i64::from(pictures)).bind(after.0).bind(&after.1).bind(&after.2).bind(most)
            .fetch_all(pool).await)?;
        rows.into_iter().map(Row::into_row).collect()
    }

    /// The newest of the verdicts that a filter means, before a place (time, recognition, candidate) if one is given,
    /// newest first, at most `most`, without pictures.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::Damaged`] when it holds what we did not write.
    pub async fn newest_feedback(
        &self,
        filter: &FeedbackFilter,
        before: Option<&(i64, String, String)>,
        most: i64,
    ) -> Result<Vec<FeedbackRow>, StoreError> {
        let sql = format!(
            "{ROWS} WHERE {MATCHES} AND (f.rated_at, f.recognition_id, f.item_id) < ($12, $13, $14) \
             ORDER BY f.rated_at DESC, f.recognition_id DESC, f.item_id DESC LIMIT $15"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        let last = (i64::MAX, String::new(), String::new());
        let before = before.unwrap_or(&last);
        let rows: Vec<Row> = on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter)
            .bind(0_i64).bind(before.0).bind(&before.1).bind(&before.2).bind(most).fetch_all(pool).await)?;
        rows.into_iter().map(Row::into_row).collect()
    }

    /// How often candidates were said to be right and wrong, by what they stand for and by stretches of `span_micros`.
    /// What was revoked does not count, and neither do verdicts on whole results.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn feedback_totals(&self, filter: &FeedbackFilter, span_micros: i64) -> Result<Vec<Total>, StoreError> {
        let sql = format!(
            "SELECT f.task, f.model, f.subject, f.rated_at - f.rated_at % $11 AS begins, \
             CAST(SUM(f.is_valid) AS BIGINT) AS valid, CAST(SUM(1 - f.is_valid) AS BIGINT) AS invalid \
             FROM feedback f WHERE {MATCHES} AND f.item_id <> '' AND f.standing <> 'revoked' \
             GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        );
        let sql = sqlx::AssertSqlSafe(sql);
        Ok(on_each!(self, pool => bind_filter!(sqlx::query_as(sql), filter)
            .bind(span_micros.max(1)).fetch_all(pool).await)?)
    }
}

#[derive(sqlx::FromRow)]
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
            name: own.map(|item| item.name.clone()),
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
