//! Following the verdicts of the database: the memory is as they are, a moment later.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use kaisatsu_memory::{Change, Item, SpaceKey};
use kaisatsu_model::{AppId, DataSetId, Verdict};
use kaisatsu_store::{FeedbackChange, Standing, StoreError};

use super::space;
use crate::{Recogniser, detect};

/// How many verdicts are read at once.
const PAGE: i64 = 500;

/// Whoever has not seen the database for so long may have missed that verdicts were taken back: their rows are removed some
/// time after (`erase.rs`).
const CUT_OFF: Duration = Duration::from_mins(5);

/// How far the database has been followed.
#[derive(Default)]
pub(super) struct Place {
    revision: i64,
    last: (i64, String, String),
    /// When that was.
    looked: Option<Instant>,
}

/// Where something changed, whose verdict it was, and the dataset it belongs to.
pub(crate) type Touched = BTreeMap<(SpaceKey, AppId), Option<DataSetId>>;

impl Recogniser {
    /// Takes up the verdicts that came, changed or went since the last time, and says where.
    ///
    /// # Errors
    /// When the database fails; the next call goes on from there.
    pub(crate) async fn learn(&self) -> Result<Touched, StoreError> {
        let (learning, store) = (&self.learning, &self.keeping.store);
        let mut place = learning.place.lock().await;
        let mut touched = Touched::new();
        let revision = store.feedback_revision().await?;
        if place.looked.is_some_and(|last| last.elapsed() > CUT_OFF) {
            tracing::info!("the database was out of reach for long; what feedback taught is read anew");
            learning.loaded.store(false, Ordering::Release);
            learning.memory.clear();
            *place = Place::default();
        }
        let first = !self.has_learned();
        if revision <= place.revision && !first {
            place.looked = Some(Instant::now());
            return Ok(touched);
        }
        // A writer holds the revision until it commits, so every change up to it is visible now.
        loop {
            let page = store.changed_feedback(&place.last, PAGE).await?;
            let Some(last) = page.last() else { break };
            place.last = last.place();
            let mut news = Vec::new();
            // At the start there is nothing yet that could be taken back.
            for row in page.iter().filter(|row| !first || row.standing == Standing::Active) {
                for change in changes(row) {
                    touched.insert((change.space.clone(), change.application.clone()), row.data_set.clone());
                    news.push(change);
                }
            }
            let learning = Arc::clone(learning);
            let apply = move || {
                for change in &news {
                    learning.memory.apply(change);
                }
            };
            if tokio::task::spawn_blocking(apply).await.is_err() {
                tracing::error!("a verdict could not be taken up");
            }
        }
        place.revision = revision;
        place.looked = Some(Instant::now());
        if first {
            // All of this was looked at when it came.
            learning.memory.settle();
            touched.clear();
            learning.loaded.store(true, Ordering::Release);
        }
        Ok(touched)
    }

    /// Goes on learning as long as the server runs. Apart from collections, whose indexes take their time.
    pub fn go_on_learning(self: &Arc<Self>) {
        let told = "feedback cannot be followed; what was learned stays in force";
        self.go_on(told, |alive| async move { alive.guard(alive.learn().await?).await });
    }

    /// Whether the verdicts there were at the start have been taken up.
    pub(crate) fn has_learned(&self) -> bool {
        self.learning.loaded.load(Ordering::Acquire)
    }

    /// Forgets what was learned of datasets that another replica deleted.
    pub(crate) async fn forget_deleted(&self) -> Result<(), StoreError> {
        let known = self.learning.memory.data_sets();
        let live = self.keeping.store.live_data_sets(&known).await?;
        for gone in known.iter().filter(|model| !live.contains(model)) {
            self.learning.forget(gone);
        }
        Ok(())
    }
}

/// What a verdict means to the memory: one change, or one for each candidate that has a vector of its own.
fn changes(row: &FeedbackChange) -> Vec<Change> {
    let item = |item: &kaisatsu_store::KeptItem| Item {
        id: item.id.clone(),
        subject: item.subject.clone(),
        base: item.base_score(),
    };
    let valid = (row.standing == Standing::Active).then_some(row.verdict == Verdict::Valid);
    let vector = row.vector.as_deref().unwrap_or_default();
    let change = |part: &str, exemplar: String, items: Vec<Item>, look: &[f32]| Change {
        space: space(&row.task, &row.model, &row.engine, part),
        // A dataset is its application's alone.
        shared: row.data_set.is_none(),
        application: row.application.clone(),
        owner: row.owner.clone(),
        exemplar,
        verdict: (row.recognition.clone(), row.item.clone().unwrap_or_default()),
        valid,
        items,
        look: look.to_vec(),
    };
    if row.task != detect::TASK {
        return vec![change("", row.recognition.clone(), row.items.iter().map(item).collect(), vector)];
    }
    let dims = vector.len() / row.items.len().max(1);
    let meant = row.items.iter().enumerate().filter(|(_, item)| row.item.as_ref().is_none_or(|id| *id == item.id));
    let own = |(at, kept): (usize, &kaisatsu_store::KeptItem)| {
        let look = vector.get(at * dims..(at + 1) * dims).unwrap_or_default();
        change(&kept.subject, format!("{}/{}", row.recognition, kept.id), vec![item(kept)], look)
    };
    meant.map(own).collect()
}
