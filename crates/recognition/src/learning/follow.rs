//! Following the verdicts of the database: the memory is as they are, a moment later.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use kaisatsu_feedback::{Candidate, Change, ScopeKey};
use kaisatsu_model::{AppId, DataSetId, Verdict};
use kaisatsu_store::{FeedbackChange, Standing, StoreError};

use super::scope;
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
    /// The revision at which the first load began, however often it was broken off.
    began: Option<i64>,
}

/// Where something changed, whose verdict it was, and the dataset it belongs to.
pub(crate) type Touched = BTreeMap<(ScopeKey, AppId), Option<DataSetId>>;

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
        let cut_off = place.looked.is_some_and(|last| last.elapsed() > CUT_OFF);
        // Of a backup that was restored nobody knows what it has not.
        if cut_off || revision < place.revision.max(place.last.0) {
            tracing::info!(cut_off, "the database was out of reach, or is older than it was; feedback is read anew");
            learning.loaded.store(false, Ordering::Release);
            learning.model.clear();
            *place = Place::default();
        }
        let first = !self.has_learned();
        if revision <= place.revision && !first {
            place.looked = Some(Instant::now());
            return Ok(touched);
        }
        let began = *place.began.get_or_insert(revision);
        // A writer holds the revision until it commits, so every change up to it is visible now.
        loop {
            let page = store.changed_feedback(&place.last, PAGE).await?;
            let Some(last) = page.last() else { break };
            place.last = last.place();
            let mut news = Vec::new();
            // At the start there is nothing yet that could be taken back, but for what is taken back meanwhile.
            let matters = |row: &&FeedbackChange| !first || row.revision > began || row.standing == Standing::Active;
            for row in page.iter().filter(matters) {
                for change in changes(row) {
                    touched.insert((change.scope.clone(), change.application.clone()), row.data_set.clone());
                    news.push(change);
                }
            }
            let learning = Arc::clone(learning);
            let apply = move || {
                for change in &news {
                    learning.model.apply(change);
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
            learning.model.mark_all_judged();
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

    /// Forgets datasets that another replica deleted, and what was learned of them.
    pub(crate) async fn forget_deleted(&self) -> Result<(), StoreError> {
        let known: BTreeSet<String> =
            self.learning.model.datasets().into_iter().chain(self.users.shelf.ids()).collect();
        let known: Vec<String> = known.into_iter().collect();
        let live: HashSet<String> = self.keeping.store.live_data_sets(&known).await?.into_iter().collect();
        for gone in known.iter().filter(|id| !live.contains(*id)) {
            self.users.shelf.drop(&DataSetId::from_text(gone.as_str()));
            self.learning.forget(gone);
        }
        Ok(())
    }
}

/// What a verdict means to the memory: one change, or one for each candidate that has a vector of its own.
fn changes(row: &FeedbackChange) -> Vec<Change> {
    let item = |item: &kaisatsu_store::KeptItem| Candidate {
        id: item.id.clone(),
        subject: item.subject.clone(),
        base_score: item.base_score(),
    };
    let valid = (row.standing == Standing::Active).then_some(row.verdict == Verdict::Valid);
    let vector = row.vector.as_deref().unwrap_or_default();
    let change = |part: &str, exemplar: String, candidates: Vec<Candidate>, descriptor: &[f32]| Change {
        scope: scope(&row.task, &row.model, &row.engine, part),
        // A dataset is its application's alone.
        shared: row.data_set.is_none(),
        application: row.application.clone(),
        owner: row.owner.clone(),
        exemplar,
        verdict: (row.recognition.clone(), row.item.clone().unwrap_or_default()),
        valid,
        candidates,
        descriptor: descriptor.to_vec(),
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use kaisatsu_model::{DataSetId, DataSetName, Timestamp};
    use kaisatsu_store::{DataSetLimits, FeedbackFilter, NewDataSet};

    use crate::sweep::stage::Stage;

    #[tokio::test]
    async fn what_is_taken_back_during_the_first_load_is_not_learned() {
        let stage = Stage::set().await;
        stage.rate(1).await;
        stage.recogniser.learn().await.unwrap();
        assert!(stage.has_learned_something());
        // The load was broken off after that page.
        stage.recogniser.learning.loaded.store(false, Ordering::Release);
        stage.store.revoke_feedback(&FeedbackFilter::default(), 10).await.unwrap();
        stage.recogniser.learn().await.unwrap();
        assert!(stage.recogniser.has_learned() && !stage.has_learned_something());
    }

    #[tokio::test]
    async fn an_older_database_is_read_anew() {
        let stage = Stage::set().await;
        stage.rate(1).await;
        stage.recogniser.learn().await.unwrap();
        assert!(stage.has_learned_something());
        stage.database.run("DELETE FROM feedback; UPDATE feedback_revision SET value = value - 1");
        stage.recogniser.learn().await.unwrap();
        assert!(stage.recogniser.has_learned() && !stage.has_learned_something());
    }

    #[tokio::test]
    async fn a_dataset_that_another_replica_deleted_leaves_memory() {
        let stage = Stage::set().await;
        let (store, user) = (&stage.store, &stage.user);
        let id = DataSetId::from_random([1; 20]);
        let new = NewDataSet {
            id: id.clone(),
            application: user.application.clone(),
            user: user.id.clone(),
            name: DataSetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: Timestamp(0),
            images: Vec::new(),
        };
        store.create_data_set(&new, DataSetLimits { data_sets: 1, tags: 1 }).await.unwrap();
        let facts = store.data_set(&user.application, &user.id, &id).await.unwrap().unwrap();
        let shelf = &stage.recogniser.users.shelf;
        shelf.get(store, &facts).await.unwrap();
        stage.recogniser.forget_deleted().await.unwrap();
        assert_eq!(shelf.ids(), [id.as_str()]);
        store.delete_data_set(&user.application, &user.id, &id, Timestamp(1)).await.unwrap();
        stage.recogniser.forget_deleted().await.unwrap();
        assert!(shelf.ids().is_empty());
    }
}
