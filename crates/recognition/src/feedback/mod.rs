//! Feedback on recognitions: verdicts on one candidate or on a whole result, and learning from them.

mod counters;
mod guard;
mod learner;
mod named_tag;

use std::{sync::Arc, time::Duration};

use counters::VerdictCounters;
use kaisatsu_model::{
    AppId, Clock, Comment, Function, ItemId, MOST_PER_CANDIDATE, RecognitionId, Source, Timestamp, Verdict,
};
use kaisatsu_store::{FeedbackFilter, FeedbackRow, FeedbackTotal, NewVerdict, RecognitionRecord, Store, StoreError};
pub(crate) use learner::Learner;

use crate::{
    RecognitionError,
    context::Context,
    engine::Models,
    learning::{LearnedFeedback, SourceKey},
};

/// A verdict as a caller gives it.
#[derive(Debug, Clone)]
pub struct Rating {
    /// The recognition.
    pub recognition: RecognitionId,
    /// The candidate; `None` for the whole result.
    pub item: Option<ItemId>,
    /// What the picture shows: the id of a tag, or its name in any language.
    pub tag: Option<String>,
    /// Whether it was right.
    pub verdict: Verdict,
    /// A comment beside it.
    pub comment: Option<Comment>,
}

/// Which verdicts to sum up.
#[derive(Debug, Clone)]
pub struct TotalsRequest {
    /// Whose.
    pub application: AppId,
    /// On one model, dataset or collection; `None` for all.
    pub model: Option<String>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Until this time.
    pub until: Option<Timestamp>,
    /// The length of each interval.
    pub span: Duration,
}

/// Verdicts on recognitions.
pub struct Feedback {
    store: Store,
    clock: Arc<dyn Clock>,
    learner: Arc<Learner>,
    learned: Arc<LearnedFeedback>,
    models: Models,
    counters: VerdictCounters,
}

impl Feedback {
    pub(crate) fn new(context: &Context, learner: &Arc<Learner>) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            learner: Arc::clone(learner),
            learned: Arc::clone(&context.learned),
            models: context.models.clone(),
            counters: VerdictCounters::default(),
        }
    }

    /// Saves a verdict, and learns from it before this returns. The last one on a candidate counts.
    ///
    /// What was learned of its source is in memory before: the guard judges verdicts as they come, and those that are
    /// loaded count as judged.
    ///
    /// # Errors
    /// When the application has no such recognition, the recognition no such candidate, or what answered no such tag.
    pub async fn rate(&self, application: &AppId, rating: Rating) -> Result<(), RecognitionError> {
        let record = self.store.recognition_record(Some(application), &rating.recognition, self.clock.now()).await?;
        let function = Function::from_text(&record.task)
            .ok_or_else(|| RecognitionError::Failed(format!("the function '{}' of a recognition", record.task)))?;
        let source = Source::from_text(function, &record.model);
        let verdict = NewVerdict {
            rated: self.rated(&record, (function, &source), &rating).await?,
            application: application.clone(),
            recognition: rating.recognition,
            verdict: rating.verdict,
            comment: rating.comment,
            rated_at: self.clock.now(),
        };
        let _learned =
            if function.learns() { Some(self.learned.source(&SourceKey::new(function, &source)).await?) } else { None };
        let rated = self.store.rate(&verdict, MOST_PER_CANDIDATE).await?;
        self.counters.count(rated, verdict.verdict);
        self.learn_now().await;
        Ok(())
    }

    /// A recognition with its candidates, and the verdicts that changed their scores.
    ///
    /// # Errors
    /// When the application has no such recognition.
    pub async fn explain(&self, application: &AppId, id: &RecognitionId) -> Result<RecognitionRecord, StoreError> {
        self.store.recognition_record(Some(application), id, self.clock.now()).await
    }

    /// The newest verdicts that match a filter, before a position (time, recognition, candidate), newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn newest(
        &self,
        filter: &FeedbackFilter,
        before: Option<&(i64, String, String)>,
        most: i64,
    ) -> Result<Vec<FeedbackRow>, StoreError> {
        self.store.newest_feedback(filter, before, most).await
    }

    /// Revokes verdicts, and unlearns them before this returns; how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke(&self, filter: &FeedbackFilter) -> Result<u64, StoreError> {
        let revoked = self.store.revoke_feedback(filter, MOST_PER_CANDIDATE).await?;
        self.learn_now().await;
        Ok(revoked)
    }

    /// Learns what has changed. A task of its own: a caller who hangs up must not stop it half way. The verdict is
    /// saved; should the database fail now, it is learned a moment later, as on every other replica.
    async fn learn_now(&self) {
        let learner = Arc::clone(&self.learner);
        let learned = tokio::spawn(async move { learner.learn_and_guard().await }).await;
        if let Ok(Err(error)) = learned {
            tracing::warn!(%error, "a verdict is saved and could not be learned at once");
        }
    }

    /// How many verdicts that match a filter said what of each candidate, by intervals.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn totals(&self, filter: &FeedbackFilter, span: Duration) -> Result<Vec<FeedbackTotal>, StoreError> {
        let span = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        self.store.feedback_totals(filter, span).await
    }

    /// How many verdicts of an application said what of each candidate, by intervals.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn application_totals(&self, request: &TotalsRequest) -> Result<Vec<FeedbackTotal>, StoreError> {
        let filter = FeedbackFilter {
            application: Some(request.application.clone()),
            model: request.model.clone(),
            since: request.since,
            until: request.until,
            ..FeedbackFilter::default()
        };
        self.totals(&filter, request.span).await
    }
}
