//! Following the verdicts in the database, so that what is in memory is as they are, a moment later.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use kaisatsu_feedback::ScopeKey;
use kaisatsu_model::{AppId, DatasetId};
use kaisatsu_store::{FeedbackChange, StoreError};

use super::{
    LearnedFeedback,
    changes::{changes_of, source_of},
    source::{LearnedSource, SourceKey},
};

/// How many verdicts are read at once.
pub(super) const PAGE: i64 = 500;

/// A replica that has not reached the database for so long may have missed revoked verdicts, whose rows are removed
/// some time after (`janitor::erase`). It drops all of them.
const CUT_OFF: Duration = Duration::from_mins(5);

/// Revision, recognition and candidate of a change.
pub(super) type Cursor = (i64, String, String);

/// The scopes in which something changed, whose verdict it was, and the dataset it belongs to.
pub(crate) type Changed = BTreeMap<(ScopeKey, AppId), Option<DatasetId>>;

/// How far the verdicts have been followed.
#[derive(Default)]
pub(super) struct Following {
    /// How often all sources were dropped. What was read before may be wrong.
    pub(super) epoch: u64,
    position: Option<Position>,
}

struct Position {
    /// The revision up to which everything was followed.
    revision: i64,
    /// The highest revision that was seen.
    seen: i64,
    last: Cursor,
    /// When the database was last asked.
    asked: Instant,
}

impl LearnedFeedback {
    /// Learns the verdicts that were given, changed or revoked since the last time, and says where. Those on sources
    /// that are not in memory are passed over.
    ///
    /// # Errors
    /// When the database fails. The next call goes on from there.
    pub(crate) async fn learn(&self) -> Result<Changed, StoreError> {
        let mut following = self.following.lock().await;
        let mut changed = Changed::new();
        let revision = self.store.feedback_revision().await?;
        let position = self.position(&mut following, revision);
        if revision > position.revision {
            // A writer holds the revision until it commits, so every change up to it is visible now.
            loop {
                let page = self.store.changed_feedback(&position.last, PAGE).await?;
                let Some(last) = page.last() else { break };
                (position.last, position.seen) = (last.cursor(), position.seen.max(last.revision));
                changed.extend(self.learn_page(page).await);
            }
            position.revision = revision;
        }
        position.asked = Instant::now();
        Ok(changed)
    }

    /// Where following is, for somebody who begins to read verdicts: everything after it is followed or is to be.
    pub(super) async fn begin(&self) -> Result<(u64, Cursor), StoreError> {
        let mut following = self.following.lock().await;
        let revision = self.store.feedback_revision().await?;
        let last = self.position(&mut following, revision).last.clone();
        Ok((following.epoch, last))
    }

    /// The position. At the start it is behind everything that there is, since nothing is in memory yet.
    fn position<'a>(&self, following: &'a mut Following, revision: i64) -> &'a mut Position {
        let Following { epoch, position } = following;
        let cut_off = position.as_ref().is_some_and(|position| position.asked.elapsed() > CUT_OFF);
        // A restored backup does not say which verdicts it lacks.
        if cut_off || position.as_ref().is_some_and(|position| revision < position.seen) {
            tracing::info!(cut_off, "the database was out of reach, or is older than before; feedback is read anew");
            self.residents.clear();
            *position = None;
            *epoch += 1;
        }
        self.is_following.store(true, Ordering::Release);
        let start = || Position {
            revision,
            seen: revision,
            last: (revision + 1, String::new(), String::new()),
            asked: Instant::now(),
        };
        position.get_or_insert_with(start)
    }

    /// Learns those of the verdicts whose sources are in memory.
    async fn learn_page(&self, mut page: Vec<FeedbackChange>) -> Changed {
        let resident = |row: &FeedbackChange| source_of(row).and_then(|key| self.residents.peek(&key)).is_some();
        page.retain(resident);
        let residents = Arc::clone(&self.residents);
        in_background(page, move |page| {
            let (mut changed, mut sources) = (Changed::new(), BTreeSet::new());
            for row in page {
                let Some(key) = source_of(&row) else { continue };
                let Some(source) = residents.peek(&key) else { continue };
                for change in changes_of(&row) {
                    source.model.apply(&change);
                    changed.insert((change.scope, change.application), row.dataset().cloned());
                }
                sources.insert(key);
            }
            for key in sources {
                residents.measure(&key);
            }
            changed
        })
        .await
    }

    /// Learns the verdicts on one source that changed after a cursor, and moves it.
    pub(super) async fn catch_up(
        &self,
        key: &SourceKey,
        source: &Arc<LearnedSource>,
        cursor: &mut Cursor,
    ) -> Result<(), StoreError> {
        loop {
            let mut page = self.store.changed_feedback(cursor, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            *cursor = last.cursor();
            page.retain(|row| source_of(row).as_ref() == Some(key));
            learn_into(source, page).await;
        }
    }
}

/// Learns verdicts on one source.
pub(super) async fn learn_into(source: &Arc<LearnedSource>, page: Vec<FeedbackChange>) {
    let source = Arc::clone(source);
    in_background(page, move |page| {
        for change in page.iter().flat_map(changes_of) {
            source.model.apply(&change);
        }
    })
    .await;
}

/// Learning takes too long for a thread that answers requests.
async fn in_background<T: Default + Send + 'static>(
    page: Vec<FeedbackChange>,
    learn: impl FnOnce(Vec<FeedbackChange>) -> T + Send + 'static,
) -> T {
    if page.is_empty() {
        return T::default();
    }
    tokio::task::spawn_blocking(move || learn(page)).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a verdict could not be learned");
        T::default()
    })
}
