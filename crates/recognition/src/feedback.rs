//! Feedback on a recognition: on one candidate, or on the whole result.

use std::sync::Arc;
use std::time::Duration;

use kaisatsu_model::{AppId, Comment, ItemId, MOST_PER_CANDIDATE, RecognitionId, Verdict};
use kaisatsu_store::{NewVerdict, StoreError};

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

impl Recogniser {
    /// Keeps a verdict. The last one on a candidate counts.
    ///
    /// # Errors
    /// When the application has no such recognition, or the recognition no such candidate.
    pub async fn rate(&self, application: &AppId, rating: Rating) -> Result<(), StoreError> {
        let verdict = NewVerdict {
            application: application.clone(),
            recognition: rating.recognition,
            item: rating.item,
            verdict: rating.verdict,
            comment: rating.comment,
            rated_at: self.keeping.now(),
        };
        self.keeping.store.rate(&verdict, MOST_PER_CANDIDATE).await
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
                drop(alive);
                tokio::time::sleep(FORGET_EVERY).await;
            }
        });
    }
}
