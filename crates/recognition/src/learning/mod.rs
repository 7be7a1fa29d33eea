//! What feedback has taught, and what that does to scores.
//!
//! Verdicts are in the database. Those on a source are in memory from its first question or verdict here until it is
//! the least recently asked one and the memory is needed; while they are, every change is followed. What is learned
//! depends on the verdicts in force alone and not on their order, so a source that was dropped and loaded again gives
//! the same answers to the bit.
//!
//! A recognition holds its source from before the engine on, and asks it on the thread that made the image's
//! descriptor. Where no verdict is in force for the caller nothing changes: the answer has the bits that it would have
//! without feedback.

mod adjust;
mod changes;
mod following;
mod loading;
mod residents;
mod score_cache;
mod source;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

pub(crate) use adjust::Adjustment;
pub(crate) use following::Changed;
use following::Following;
use kaisatsu_feedback::ScopeKey;
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_store::{Store, StoreError};
use residents::Residents;
use source::LearnedSource;
pub(crate) use source::{SourceKey, scope, scope_source};

use crate::log::RecognitionLog;

/// The verdicts in force, as far as they are in memory.
pub(crate) struct LearnedFeedback {
    store: Store,
    quorum: usize,
    residents: Arc<Residents>,
    following: tokio::sync::Mutex<Following>,
    is_following: AtomicBool,
    /// The sources that are being loaded. Whoever wants one of them too waits.
    loading: Mutex<HashMap<SourceKey, Arc<tokio::sync::Mutex<()>>>>,
}

impl LearnedFeedback {
    /// Verdicts act for all when `quorum` owners agree. `bound` is the most memory, in bytes.
    pub(crate) fn new(store: Store, quorum: usize, bound: usize) -> Self {
        Self {
            store,
            quorum,
            residents: Arc::new(Residents::new(bound)),
            following: tokio::sync::Mutex::default(),
            is_following: AtomicBool::new(false),
            loading: Mutex::default(),
        }
    }

    /// What an application's recognition asks for feedback. Loads the source if it is not in memory.
    ///
    /// # Errors
    /// When it is not, and the database fails.
    pub(crate) async fn query(
        self: &Arc<Self>,
        application: &AppId,
        function: Function,
        source: &Source,
        weights: &str,
    ) -> Result<FeedbackQuery, StoreError> {
        let learned = self.source(&SourceKey::new(function, source)).await?;
        Ok(FeedbackQuery::new(application, scope(function, source, weights, ""), Some(learned)))
    }

    /// The same for a recognition that needs nothing else of the database. While that is away, and where the operator
    /// allows it, it is answered without feedback if the source is not in memory.
    ///
    /// # Errors
    /// When the source is not in memory, the database fails, and such an answer is not allowed.
    pub(crate) async fn query_if_possible(
        self: &Arc<Self>,
        log: &RecognitionLog,
        application: &AppId,
        function: Function,
        source: &Source,
        weights: &str,
    ) -> Result<FeedbackQuery, StoreError> {
        let key = SourceKey::new(function, source);
        let learned = match self.residents.ask(&key) {
            Some(resident) => Some(resident),
            None => log.unless_away(self.source(&key)).await?,
        };
        Ok(FeedbackQuery::new(application, scope(function, source, weights, ""), learned))
    }

    /// Whether changes are followed, so that what is loaded stays as the database has it.
    pub(crate) fn is_following(&self) -> bool {
        self.is_following.load(Ordering::Acquire)
    }

    /// What is learned of a source, if it is in memory.
    pub(crate) fn resident(&self, key: &SourceKey) -> Option<Arc<LearnedSource>> {
        self.residents.peek(key)
    }

    /// The datasets of which something is in memory.
    pub(crate) fn datasets(&self) -> Vec<String> {
        self.residents.datasets()
    }

    /// Forgets what was learned of a dataset.
    pub(crate) fn forget(&self, dataset: &str) {
        self.residents.forget(dataset);
    }

    /// Drops sources until the others are within the bound.
    pub(crate) fn trim(&self) {
        self.residents.trim();
    }

    /// The number of sources in memory, and the bytes that they take.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        self.residents.size()
    }
}

/// Who asks for feedback, on which source, and with whose vectors.
#[derive(Clone)]
pub(crate) struct FeedbackQuery {
    application: AppId,
    scope: ScopeKey,
    /// What is learned of the source; `None` where it is not known, because the database is away.
    learned: Option<Arc<LearnedSource>>,
}

impl FeedbackQuery {
    fn new(application: &AppId, scope: ScopeKey, learned: Option<Arc<LearnedSource>>) -> Self {
        Self { application: application.clone(), scope, learned }
    }

    /// Whether any verdict on the source is in force for the application.
    pub(crate) fn has_verdicts(&self) -> bool {
        self.learned.as_ref().is_some_and(|learned| learned.model.has_feedback_for(&self.application))
    }
}
