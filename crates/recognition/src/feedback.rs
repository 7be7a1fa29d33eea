//! Feedback on a recognition: on one candidate, or on the whole result.

use std::sync::Arc;
use std::time::Duration;

use kaisatsu_model::{AppId, Comment, ItemId, MOST_PER_CANDIDATE, RecognitionId, Timestamp, Verdict};
use kaisatsu_store::{FeedbackFilter, FeedbackRow, NewVerdict, RecognitionRecord, StoreError, Total};

use crate::Recogniser;

/// How often recognitions over their time are looked for.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// What a caller says of a recognition.
#[derive(Debug, Clone)]
pub struct Rating {
    /// The recognition.
    pub recognition: RecognitionId,
    /// The candidate; `None` for the whole result.
    pub item: Option<ItemId>,
    /// Whether it was right.
    pub verdict: Verdict,
    /// A comment beside it.
    pub comment: Option<Comment>,
}

/// Which verdicts are to be summed up.
#[derive(Debug, Clone)]
pub struct TotalsAsk {
    /// Whose.
    pub application: AppId,
    /// Of one model, dataset or collection; `None` for all.
    pub model: Option<String>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Until this time.
    pub until: Option<Timestamp>,
    /// How long each stretch of time is.
    pub span: Duration,
}

impl Recogniser {
    /// Keeps a verdict, and learns from it before this returns. The last one on a candidate counts.
    ///
    /// # Errors
    /// When the application has no such recognition, or the recognition no such candidate.
    pub async fn rate(self: &Arc<Self>, application: &AppId, rating: Rating) -> Result<(), StoreError> {
        let verdict = NewVerdict {
            application: application.clone(),
            recognition: rating.recognition,
            item: rating.item,
            verdict: rating.verdict,
            comment: rating.comment,
            rated_at: self.keeping.now(),
        };
        let rated = self.keeping.store.rate(&verdict, MOST_PER_CANDIDATE).await?;
        self.tally.count(rated, verdict.verdict);
        self.learn_now().await;
        Ok(())
    }

    /// What was recognised, and which verdicts moved it.
    ///
    /// # Errors
    /// When the application has no such recognition.
    pub async fn explain(&self, application: &AppId, id: &RecognitionId) -> Result<RecognitionRecord, StoreError> {
        self.keeping.store.recognition_record(Some(application), id, self.keeping.now()).await
    }

    /// The newest verdicts that a filter means, before a place (time, recognition, candidate), newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn newest_feedback(
        &self,
        filter: &FeedbackFilter,
        before: Option<&(i64, String, String)>,
        most: i64,
    ) -> Result<Vec<FeedbackRow>, StoreError> {
        self.keeping.store.newest_feedback(filter, before, most).await
    }

    /// Takes verdicts back, and unlearns them before this returns; how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke(self: &Arc<Self>, filter: &FeedbackFilter) -> Result<u64, StoreError> {
        let revoked = self.keeping.store.revoke_feedback(filter, MOST_PER_CANDIDATE).await?;
        self.learn_now().await;
        Ok(revoked)
    }

    /// Learns what has changed. A task of its own: a caller who hangs up must not stop it half way. What was said is kept; should
    /// the database fail now, it is learned a moment later, as on every other replica.
    async fn learn_now(self: &Arc<Self>) {
        let me = Arc::clone(self);
        let learned = tokio::spawn(async move { me.guard(me.learn().await?).await }).await;
        if let Ok(Err(error)) = learned {
            tracing::warn!(%error, "feedback is kept and could not be learned at once");
        }
    }

    /// How many verdicts that a filter means said what of each candidate, in stretches of time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn totals(&self, filter: &FeedbackFilter, span: Duration) -> Result<Vec<Total>, StoreError> {
        let span = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        self.keeping.store.feedback_totals(filter, span).await
    }

    /// How many verdicts of an application said what of each candidate, in stretches of time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn feedback_totals(&self, asked: &TotalsAsk) -> Result<Vec<Total>, StoreError> {
        let filter = FeedbackFilter {
            application: Some(asked.application.clone()),
            model: asked.model.clone(),
            since: asked.since,
            until: asked.until,
            ..FeedbackFilter::default()
        };
        self.totals(&filter, asked.span).await
    }

    /// Forgets recognitions whose time is over, now and then, as long as the server runs.
    pub fn forget_in_time(self: &Arc<Self>) {
        let recogniser = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Some(alive) = recogniser.upgrade() else { return };
                match alive.keeping.forget().await {
                    Ok(0) => {}
                    Ok(gone) => tracing::info!(gone, "recognitions over their time are forgotten"),
                    Err(error) => tracing::warn!(%error, "recognitions over their time cannot be forgotten"),
                }
                if let Err(error) = alive.forget_deleted().await {
                    tracing::warn!(%error, "what was learned of deleted datasets cannot be forgotten yet");
                }
                drop(alive);
                tokio::time::sleep(FORGET_EVERY).await;
            }
        });
    }
}
