//! Loading the verdicts on a source when somebody first asks it.
//!
//! Nobody waits for it but those who ask that source: verdicts go on being given, changed and followed meanwhile. What
//! changes while it is read is read again before the source is made known. The last reading of a verdict counts, and
//! reading one twice changes nothing.

use std::{
    sync::{Arc, PoisonError},
    time::Instant,
};

use kaisatsu_store::StoreError;
use metrics::{counter, histogram};

use super::{
    LearnedFeedback,
    following::{Cursor, PAGE, learn_into},
    source::{LearnedSource, SourceKey},
};
use crate::engine::{FEEDBACK_LOADED, FEEDBACK_LOADING};

/// A source that is being loaded.
pub(super) struct Loading {
    key: SourceKey,
    source: Arc<LearnedSource>,
    /// The verdict that was read last.
    after: (String, String, String),
    epoch: u64,
    /// The change up to which all are known.
    cursor: Cursor,
}

impl LearnedFeedback {
    /// What is learned of a source. Those who ask for it at the same time share one load.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn source(self: &Arc<Self>, key: &SourceKey) -> Result<Arc<LearnedSource>, StoreError> {
        if let Some(resident) = self.residents.ask(key) {
            return Ok(resident);
        }
        // Everybody sees alone that the database is away, and nobody waits in line to see it.
        self.store.feedback_revision().await?;
        let (learned, key) = (Arc::clone(self), key.clone());
        // A task of its own: a caller who hangs up must not make the next one begin again.
        let loading = tokio::spawn(async move { learned.load_once(key).await });
        loading.await.unwrap_or(Err(StoreError::TimedOut))
    }

    async fn load_once(&self, key: SourceKey) -> Result<Arc<LearnedSource>, StoreError> {
        let turn = {
            let mut loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(loading.entry(key.clone()).or_default())
        };
        let _turn = turn.lock().await;
        let loaded = match self.residents.ask(&key) {
            Some(resident) => Ok(resident),
            None => self.load(&key).await,
        };
        // Those who wait for this turn find the source, or try in turn. Also after finding it: whoever came when the
        // load had ended has made a turn of its own.
        self.loading.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        loaded
    }

    async fn load(&self, key: &SourceKey) -> Result<Arc<LearnedSource>, StoreError> {
        let began = Instant::now();
        let source = loop {
            let mut loading = self.begin_loading(key).await?;
            while self.load_page(&mut loading).await? {}
            if let Some(source) = self.finish_loading(loading).await? {
                break source;
            }
        };
        counter!(FEEDBACK_LOADED).increment(1);
        histogram!(FEEDBACK_LOADING).record(began.elapsed());
        Ok(source)
    }

    pub(super) async fn begin_loading(&self, key: &SourceKey) -> Result<Loading, StoreError> {
        let (epoch, cursor) = self.begin().await?;
        let source = Arc::new(LearnedSource::new(self.quorum));
        Ok(Loading { key: key.clone(), source, after: Default::default(), epoch, cursor })
    }

    /// Learns the next verdicts; whether there were any.
    pub(super) async fn load_page(&self, loading: &mut Loading) -> Result<bool, StoreError> {
        let Loading { key, source, after, cursor, .. } = loading;
        let page = self.store.active_feedback(key.function, key.stored_name(), after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(false) };
        *after = last.cursor_on_source();
        learn_into(source, page).await;
        // Each time, since the rows of revoked verdicts are removed after a while.
        self.catch_up(key, source, cursor).await?;
        Ok(true)
    }

    /// Makes a source known. From then on its changes are followed; those up to now are known when this is done, since
    /// following waits. `None` if the database turned out to be another one meanwhile.
    pub(super) async fn finish_loading(&self, loading: Loading) -> Result<Option<Arc<LearnedSource>>, StoreError> {
        let Loading { key, source, mut cursor, epoch, .. } = loading;
        let following = self.following.lock().await;
        if following.epoch != epoch {
            return Ok(None);
        }
        self.catch_up(&key, &source, &mut cursor).await?;
        if !self.residents.insert(&key, &source) {
            tracing::warn!(
                task = key.function.as_str(),
                model = key.stored_name().unwrap_or("all of the catalogue"),
                "the verdicts on it take more memory than feedback_memory allows; it stays in memory while it is asked, \
                 alone"
            );
        }
        drop(following);
        self.residents.trim();
        Ok(Some(source))
    }
}
