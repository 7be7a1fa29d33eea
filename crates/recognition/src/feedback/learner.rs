//! Learning from verdicts: following those in the database, so that what is learned is as they are, a moment later.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use kaisatsu_feedback::{Candidate, Change, ScopeKey};
use kaisatsu_model::{AppId, Clock, DatasetId, Function, Verdict};
use kaisatsu_store::{FeedbackChange, Standing, Store, StoreError, StoredCandidate};
use tokio::sync::Mutex;

use crate::{
    background::follow,
    context::Context,
    indexes::DatasetCache,
    learning::{LearnedFeedback, scope},
};

/// How many verdicts are read at once.
const PAGE: i64 = 500;

/// A replica that has not reached the database for so long may have missed revoked verdicts, whose rows are removed
/// some time after (`janitor::erase`). It reads all of them anew.
const CUT_OFF: Duration = Duration::from_mins(5);

/// How far the verdicts have been followed.
#[derive(Default)]
struct Position {
    revision: i64,
    last: (i64, String, String),
    /// When the database was last asked.
    asked: Option<Instant>,
    /// The revision at which the first load began, however often it was interrupted.
    began: Option<i64>,
}

/// The scopes in which something changed, whose verdict it was, and the dataset it belongs to.
pub(super) type Changed = BTreeMap<(ScopeKey, AppId), Option<DatasetId>>;

/// Follows the verdicts.
pub(crate) struct Learner {
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) learned: Arc<LearnedFeedback>,
    pub(super) datasets: Arc<DatasetCache>,
    loaded: AtomicBool,
    position: Mutex<Position>,
}

impl Learner {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            learned: Arc::clone(&context.learned),
            datasets: Arc::clone(&context.datasets),
            loaded: AtomicBool::new(false),
            position: Mutex::default(),
        }
    }

    /// Goes on learning as long as this lives. A loop of its own: the indexes of collections take longer.
    pub(crate) fn start(self: &Arc<Self>) {
        let failure = "feedback cannot be followed; what was learned stays in force";
        follow(self, failure, Arc::default(), |alive| async move { alive.learn_and_guard().await });
    }

    /// Whether the verdicts that there were at the start are learned.
    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded.load(Ordering::Acquire)
    }

    /// Learns what changed, and holds back verdicts that do harm.
    pub(super) async fn learn_and_guard(&self) -> Result<(), StoreError> {
        let changed = self.learn().await?;
        self.guard(changed).await
    }

    /// Learns the verdicts that were given, changed or revoked since the last time, and says where.
    ///
    /// # Errors
    /// When the database fails. The next call goes on from there.
    pub(crate) async fn learn(&self) -> Result<Changed, StoreError> {
        let mut position = self.position.lock().await;
        let mut changed = Changed::new();
        let revision = self.store.feedback_revision().await?;
        let cut_off = position.asked.is_some_and(|last| last.elapsed() > CUT_OFF);
        // A restored backup does not say which verdicts it lacks.
        if cut_off || revision < position.revision.max(position.last.0) {
            tracing::info!(cut_off, "the database was out of reach, or is older than before; feedback is read anew");
            self.loaded.store(false, Ordering::Release);
            self.learned.model.clear();
            *position = Position::default();
        }
        let first = !self.is_loaded();
        if revision <= position.revision && !first {
            position.asked = Some(Instant::now());
            return Ok(changed);
        }
        let began = *position.began.get_or_insert(revision);
        // A writer holds the revision until it commits, so every change up to it is visible now.
        loop {
            let page = self.store.changed_feedback(&position.last, PAGE).await?;
            let Some(last) = page.last() else { break };
            position.last = last.cursor();
            let mut changes = Vec::new();
            // The first load has nothing to unlearn, but for what was revoked since it began.
            let matters = |row: &&FeedbackChange| !first || row.revision > began || row.standing == Standing::Active;
            for row in page.iter().filter(matters) {
                for change in changes_of(row) {
                    changed.insert((change.scope.clone(), change.application.clone()), row.dataset().cloned());
                    changes.push(change);
                }
            }
            let learned = Arc::clone(&self.learned);
            let apply = move || {
                for change in &changes {
                    learned.model.apply(change);
                }
            };
            if tokio::task::spawn_blocking(apply).await.is_err() {
                tracing::error!("a verdict could not be learned");
            }
        }
        position.revision = revision;
        position.asked = Some(Instant::now());
        if first {
            // All of these were judged when they were given.
            self.learned.model.mark_all_judged();
            changed.clear();
            self.loaded.store(true, Ordering::Release);
        }
        Ok(changed)
    }
}

/// A verdict as changes of what is learned: one, or one for each candidate that has a vector of its own. Of verdicts on
/// text nothing is learned: that a line was misread says nothing about the next line.
fn changes_of(row: &FeedbackChange) -> Vec<Change> {
    let Some((function, source)) = row.of.as_ref().filter(|(function, _)| *function != Function::ReadText) else {
        return Vec::new();
    };
    let candidate = |item: &StoredCandidate| Candidate {
        id: item.id.clone(),
        subject: item.subject.clone(),
        base_score: item.base_score(),
    };
    let valid = (row.standing == Standing::Active).then_some(row.verdict == Verdict::Valid);
    let vector = row.vector.as_deref().unwrap_or_default();
    let change = |class: &str, exemplar: String, candidates: Vec<Candidate>, descriptor: &[f32]| Change {
        scope: scope(*function, source, &row.engine, class),
        // Feedback on a dataset acts for its own application only.
        shared: source.dataset().is_none(),
        application: row.application.clone(),
        owner: row.owner.clone(),
        exemplar,
        verdict: (row.recognition.clone(), row.item.clone().unwrap_or_default()),
        valid,
        candidates,
        named: row.named().map(str::to_owned),
        descriptor: descriptor.to_vec(),
    };
    if *function != Function::Detect {
        return vec![change("", row.recognition.clone(), row.items.iter().map(candidate).collect(), vector)];
    }
    let dims = vector.len() / row.items.len().max(1);
    let rated = row.items.iter().enumerate().filter(|(_, item)| row.item.as_ref().is_none_or(|id| *id == item.id));
    let own = |(index, item): (usize, &StoredCandidate)| {
        let descriptor = vector.get(index * dims..(index + 1) * dims).unwrap_or_default();
        change(&item.subject, format!("{}/{}", row.recognition, item.id), vec![candidate(item)], descriptor)
    };
    rated.map(own).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use kaisatsu_model::{AccountId, AppId, Function, Source, Timestamp, Verdict};
    use kaisatsu_store::{FeedbackChange, FeedbackFilter, Standing, StoredCandidate};

    use super::changes_of;
    use crate::fixture::Fixture;

    #[tokio::test]
    async fn what_is_revoked_during_the_first_load_is_not_learned() {
        let fixture = Fixture::new().await;
        fixture.rate(1).await;
        fixture.learner.learn().await.unwrap();
        assert!(fixture.has_learned());
        // The load was interrupted after that page.
        fixture.learner.loaded.store(false, Ordering::Release);
        fixture.store.revoke_feedback(&FeedbackFilter::default(), 10).await.unwrap();
        fixture.learner.learn().await.unwrap();
        assert!(fixture.learner.is_loaded() && !fixture.has_learned());
    }

    #[tokio::test]
    async fn an_older_database_is_read_anew() {
        let fixture = Fixture::new().await;
        fixture.rate(1).await;
        fixture.learner.learn().await.unwrap();
        assert!(fixture.has_learned());
        fixture.database.run("DELETE FROM feedback; UPDATE feedback_revision SET value = value - 1");
        fixture.learner.learn().await.unwrap();
        assert!(fixture.learner.is_loaded() && !fixture.has_learned());
    }

    #[tokio::test]
    async fn a_failing_database_is_an_error_and_what_was_learned_stays() {
        let fixture = Fixture::new().await;
        fixture.rate(1).await;
        fixture.learner.learn().await.unwrap();
        fixture.database.run("UPDATE feedback_revision SET value = value + 1; DROP TABLE exemplar");
        assert!(fixture.learner.learn().await.is_err());
        assert!(fixture.learner.is_loaded() && fixture.has_learned());
    }

    /// The quorum of the fixture is two: one application alone changes nothing for the others.
    #[tokio::test]
    async fn feedback_acts_for_all_when_a_quorum_of_applications_agrees() {
        let fixture = Fixture::new().await;
        let general = Source::Model("general".to_owned());
        let (second, third) = (fixture.application(2).await, fixture.application(3).await);
        fixture.rate(1).await;
        fixture.learner.learn().await.unwrap();
        assert!(fixture.score(&fixture.user.application, &general) > 0.6, "at once for who gave it");
        assert_eq!(fixture.score(&third, &general).to_bits(), 0.5_f32.to_bits());
        fixture.rate_as(&second, 2, general.clone()).await;
        fixture.learner.learn().await.unwrap();
        assert!(fixture.score(&third, &general) > 0.6, "two agree");
        assert_eq!(fixture.score(&third, &Source::Model("other".to_owned())).to_bits(), 0.5_f32.to_bits());
    }

    #[tokio::test]
    async fn feedback_on_a_dataset_acts_on_no_other_dataset_and_for_no_other_application() {
        let fixture = Fixture::new().await;
        let (own, other) = (fixture.user.clone(), fixture.other_user());
        let mine = Source::Dataset(fixture.dataset(&own, 1, Vec::new()).await);
        let theirs = Source::Dataset(fixture.dataset(&other, 2, Vec::new()).await);
        let strangers: Vec<AppId> = vec![fixture.application(2).await, fixture.application(3).await];
        // As many verdicts as the quorum and more: on a dataset no number of them acts for others.
        for number in 1..=4 {
            fixture.rate_as(&own.application, number, mine.clone()).await;
        }
        fixture.learner.learn().await.unwrap();
        assert!(fixture.score(&own.application, &mine) > 0.6);
        let unmoved = |application: &AppId, source: &Source| {
            assert_eq!(fixture.score(application, source).to_bits(), 0.5_f32.to_bits());
            assert!(!fixture.learned_by(application, source));
        };
        unmoved(&own.application, &theirs);
        unmoved(&own.application, &Source::Model("general".to_owned()));
        for stranger in &strangers {
            unmoved(stranger, &mine);
            unmoved(stranger, &theirs);
        }
    }

    fn row(of: Option<(Function, Source)>, item: Option<&str>, vector: Vec<f32>) -> FeedbackChange {
        let candidate = |id: &str| StoredCandidate {
            id: id.to_owned(),
            subject: format!("s-{id}"),
            name: id.to_owned(),
            score: 0.75,
            base: Some(0.5),
            moved: Vec::new(),
        };
        FeedbackChange {
            revision: 1,
            recognition: "r".to_owned(),
            item: item.map(str::to_owned),
            application: AppId::from_random([1; 10]),
            owner: Some(AccountId::from_random([1; 10])),
            of,
            subject: String::new(),
            verdict: Verdict::Invalid,
            standing: Standing::Active,
            rated_at: Timestamp(0),
            items: vec![candidate("a"), candidate("b")],
            engine: "w".to_owned(),
            vector: Some(vector),
        }
    }

    #[test]
    fn a_verdict_on_a_detection_changes_the_scope_of_its_class_with_its_own_vector() {
        let coco = Some((Function::Detect, Source::Model("coco".to_owned())));
        let changes = changes_of(&row(coco.clone(), Some("b"), vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].scope.class.as_str(), changes[0].exemplar.as_str()), ("s-b", "r/b"));
        assert_eq!((changes[0].descriptor.as_slice(), changes[0].valid), (&[3.0, 4.0][..], Some(false)));
        assert!(changes[0].shared);
        assert_eq!(changes_of(&row(coco, None, vec![1.0, 2.0, 3.0, 4.0])).len(), 2, "one for each detection");
    }

    #[test]
    fn a_verdict_on_another_function_is_one_change_with_scores_before_feedback() {
        let general = Some((Function::Classify, Source::Model("general".to_owned())));
        let changes = changes_of(&row(general.clone(), Some("a"), vec![1.0, 0.0]));
        assert_eq!((changes.len(), changes[0].candidates.len(), changes[0].exemplar.as_str()), (1, 2, "r"));
        assert!(changes[0].candidates.iter().all(|candidate| candidate.base_score.to_bits() == 0.5_f32.to_bits()));
        let revoked = FeedbackChange { standing: Standing::Revoked, ..row(general, Some("a"), vec![1.0, 0.0]) };
        assert_eq!(changes_of(&revoked)[0].valid, None);
        assert!(changes_of(&row(None, None, vec![1.0])).is_empty(), "a function of a newer version");
        let text = Some((Function::ReadText, Source::Model("text".to_owned())));
        assert!(changes_of(&row(text, Some("a"), Vec::new())).is_empty());
    }
}
