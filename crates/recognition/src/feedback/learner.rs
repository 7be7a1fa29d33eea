//! Learning from verdicts as long as the server runs, and judging them.

use std::sync::Arc;

use kaisatsu_model::Clock;
use kaisatsu_store::{Store, StoreError};

use super::guard::Harmful;
use crate::{background::follow, context::Context, indexes::DatasetCache, learning::LearnedFeedback};

/// Follows the verdicts.
pub(crate) struct Learner {
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) learned: Arc<LearnedFeedback>,
    pub(super) datasets: Arc<DatasetCache>,
    /// What the guard found and could not hold back, because the database failed.
    pub(super) not_held: tokio::sync::Mutex<Vec<Harmful>>,
}

impl Learner {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            learned: Arc::clone(&context.learned),
            datasets: Arc::clone(&context.datasets),
            not_held: tokio::sync::Mutex::default(),
        }
    }

    /// Goes on learning as long as this lives. A loop of its own: the indexes of collections take longer.
    pub(crate) fn start(self: &Arc<Self>) {
        let failure = "feedback cannot be followed; what was learned stays in force";
        follow(self, failure, Arc::default(), |alive| async move { alive.learn_and_guard().await });
    }

    /// Whether verdicts are followed.
    pub(crate) fn is_following(&self) -> bool {
        self.learned.is_following()
    }

    /// Learns what changed, and holds back verdicts that do harm.
    pub(super) async fn learn_and_guard(&self) -> Result<(), StoreError> {
        let changed = self.learned.learn().await?;
        self.guard(changed).await?;
        // Not before: what the guard judges is in memory.
        self.learned.trim();
        Ok(())
    }
}
