//! The changes of feedback that replicas read.

use kaisatsu_model::{AccountId, AppId, DatasetId, Function, ItemId, Source, Timestamp, Verdict};

use super::{Standing, some_item, standing, verdict};
use crate::{Store, StoreError, StoredCandidate, collections::bytes_to_floats, on_each, recognitions::read_items};

/// A verdict that changed, in its present form.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackChange {
    /// The revision of its latest change.
    pub revision: i64,
    /// The recognition that was rated.
    pub recognition: String,
    /// The candidate that was rated; `None` for the whole result.
    pub item: Option<String>,
    /// The application that gave it.
    pub application: AppId,
    /// The account that owns the application.
    pub owner: Option<AccountId>,
    /// The function that was called, and what the image was compared with; `None` for a function that only a newer
    /// version of the server has.
    pub of: Option<(Function, Source)>,
    /// The name under which that is stored.
    pub model: String,
    /// What the candidate is; empty for the whole result.
    pub subject: String,
    /// Whether the candidate is right.
    pub verdict: Verdict,
    /// Whether the verdict is in effect.
    pub standing: Standing,
    /// When it was given.
    pub rated_at: Timestamp,
    /// All candidates of the recognition, best first. Empty when the recognition was deleted before candidates were
    /// copied for feedback, or when they cannot be parsed.
    pub items: Vec<StoredCandidate>,
    /// The hash of the weights that made the vector.
    pub engine: String,
    /// The picture as a vector; or one vector a candidate, concatenated.
    pub vector: Option<Vec<f32>>,
}

impl FeedbackChange {
    /// The dataset that the image was compared with, if it was one.
    #[must_use]
    pub fn dataset(&self) -> Option<&DatasetId> {
        self.of.as_ref().and_then(|(_, source)| source.dataset())
    }

    /// What was rated, if it is none of the candidates.
    #[must_use]
    pub fn named(&self) -> Option<&str> {
        self.item.as_deref().and_then(ItemId::tag)
    }

    /// The cursor of the next page of changes.
    #[must_use]
    pub fn cursor(&self) -> (i64, String, String) {
        (self.revision, self.recognition.clone(), self.item.clone().unwrap_or_default())
    }

    /// The cursor of the next page of the verdicts on a source.
    #[must_use]
    pub fn cursor_on_source(&self) -> (String, String, String) {
        (self.model.clone(), self.recognition.clone(), self.item.clone().unwrap_or_default())
    }
}

/// A verdict with what it is about. The rest of the statement says which ones, and in what order.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT f.revision, f.recognition_id, f.item_id, f.application_id, f.task, f.model, f.dataset_id, \
             f.subject, f.is_valid, f.standing, f.rated_at, e.items, e.vector, e.engine, a.account_id \
             FROM feedback f JOIN exemplar e ON e.recognition_id = f.recognition_id \
             JOIN application a ON a.id = f.application_id WHERE ",
            $rest
        )
    };
}

const CHANGED: &str = select!(
    "(f.revision, f.recognition_id, f.item_id) > ($1, $2, $3) \
     ORDER BY f.revision, f.recognition_id, f.item_id LIMIT $4"
);

/// The order is that of the index `feedback_by_source`, and of columns that never change: while pages are read, no
/// verdict moves from a page that is still to come to one that was read.
const ON_SOURCE: &str = select!(
    "f.standing = 'active' AND f.task = $1 AND f.model = $2 AND (f.recognition_id, f.item_id) > ($3, $4) \
     ORDER BY f.recognition_id, f.item_id LIMIT $5"
);

const ON_FUNCTION: &str = select!(
    "f.standing = 'active' AND f.task = $1 AND (f.model, f.recognition_id, f.item_id) > ($2, $3, $4) \
     ORDER BY f.model, f.recognition_id, f.item_id LIMIT $5"
);

impl Store {
    /// The revision of the latest change of feedback.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn feedback_revision(&self) -> Result<i64, StoreError> {
        let value = on_each!(self, pool => {
            sqlx::query_scalar("SELECT value FROM feedback_revision").fetch_one(pool).await
        });
        Ok(value?)
    }

    /// The verdicts that changed after a cursor (revision, recognition, candidate), in that order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::Damaged`] when a row cannot be read.
    pub async fn changed_feedback(
        &self,
        after: &(i64, String, String),
        limit: i64,
    ) -> Result<Vec<FeedbackChange>, StoreError> {
        let rows: Vec<ChangeRow> = on_each!(self, pool => sqlx::query_as(CHANGED)
            .bind(after.0).bind(&after.1).bind(&after.2).bind(limit).fetch_all(pool).await)?;
        rows.into_iter().map(ChangeRow::into_change).collect()
    }

    /// The active verdicts on one model, dataset or collection, or on all that a function was called with, after a
    /// cursor ([`FeedbackChange::cursor_on_source`], at first empty), in that order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails; [`StoreError::Damaged`] when a row cannot be read.
    pub async fn active_feedback(
        &self,
        function: Function,
        model: Option<&str>,
        after: &(String, String, String),
        limit: i64,
    ) -> Result<Vec<FeedbackChange>, StoreError> {
        let rows: Vec<ChangeRow> = on_each!(self, pool => {
            let query = match model {
                Some(model) => sqlx::query_as(ON_SOURCE).bind(function.as_str()).bind(model),
                None => sqlx::query_as(ON_FUNCTION).bind(function.as_str()).bind(&after.0),
            };
            query.bind(&after.1).bind(&after.2).bind(limit).fetch_all(pool).await
        })?;
        rows.into_iter().map(ChangeRow::into_change).collect()
    }
}

#[derive(sqlx_macros::FromRow)]
struct ChangeRow {
    revision: i64,
    recognition_id: String,
    item_id: String,
    application_id: String,
    account_id: Option<String>,
    task: String,
    model: String,
    dataset_id: Option<String>,
    subject: String,
    is_valid: i64,
    standing: String,
    rated_at: i64,
    items: String,
    vector: Option<Vec<u8>>,
    engine: String,
}

impl ChangeRow {
    fn into_change(self) -> Result<FeedbackChange, StoreError> {
        let function = Function::from_text(&self.task);
        let dataset = self.dataset_id.map(DatasetId::from_text);
        let source =
            |function, name: &str| dataset.clone().map_or_else(|| Source::from_text(function, name), Source::Dataset);
        Ok(FeedbackChange {
            revision: self.revision,
            recognition: self.recognition_id,
            item: some_item(self.item_id),
            application: AppId::from_text(self.application_id),
            owner: self.account_id.map(AccountId::from_text),
            of: function.map(|function| (function, source(function, &self.model))),
            model: self.model,
            subject: self.subject,
            verdict: verdict(self.is_valid),
            standing: standing(&self.standing)?,
            rated_at: Timestamp(self.rated_at),
            // One unreadable row must not keep a replica from reading the others.
            items: read_items(&self.items).unwrap_or_default(),
            engine: self.engine,
            vector: self.vector.as_deref().map(bytes_to_floats),
        })
    }
}
