//! The model of the scopes of one source, shared between threads.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use kaisatsu_model::AppId;

use crate::{
    QuantisedVector,
    guard::{Example, Judgement, Unjudged, judge},
    kernel::Query,
    scope::{Change, Scope, ScopeKey},
    size,
    vote::{Estimate, Tally},
};

/// The estimate above which a subject counts as confirmed for a picture.
const CONFIRMED: f32 = 0.3;

/// The verdicts in force, ready to be asked for the evidence on a picture.
#[derive(Debug)]
pub struct FeedbackModel {
    scopes: RwLock<HashMap<ScopeKey, Arc<RwLock<Scope>>>>,
    quorum: usize,
}

/// What the exemplars near a picture say about its candidates.
pub struct Evidence {
    tally: Tally,
    /// The subjects with at least one vote.
    subjects: HashMap<Arc<str>, u32>,
}

/// An exemplar of the sample with which scores are standardised.
#[derive(Debug, Clone)]
pub struct SampledExemplar {
    /// Its key.
    pub key: Arc<str>,
    /// Its vector.
    pub vector: QuantisedVector,
    /// The subject that was confirmed for it.
    pub confirmed: Option<Arc<str>>,
}

impl Evidence {
    /// The estimate for a subject, between -1 (wrong) and 1 (right); 0 without votes.
    #[must_use]
    pub fn value(&self, subject: &str) -> f32 {
        self.subjects.get(subject).map_or(0.0, |id| self.tally.value(*id))
    }

    /// The estimate for a subject with the verdicts behind it; `None` without votes.
    #[must_use]
    pub fn estimate(&self, subject: &str) -> Option<Estimate> {
        self.subjects.get(subject).map(|id| self.tally.estimate(*id))
    }

    /// Whether some subject was confirmed near by, so that the picture belongs to what the model knows.
    #[must_use]
    pub fn confirms_any(&self) -> bool {
        self.best() > CONFIRMED
    }

    /// The highest estimate for any subject; at least 0.
    #[must_use]
    pub fn best(&self) -> f32 {
        self.subjects.values().map(|subject| self.tally.value(*subject)).fold(0.0, f32::max)
    }

    /// How well exemplars cover the picture, from 0 to 1: close to 0 if the nearest one is almost out of reach.
    #[must_use]
    pub fn coverage(&self) -> f32 {
        self.tally.coverage()
    }
}

impl FeedbackModel {
    /// An empty model. A verdict applies to its own application at once, and to all others once `quorum` owners agree.
    #[must_use]
    pub fn new(quorum: usize) -> Self {
        Self { scopes: RwLock::default(), quorum }
    }

    /// Applies a verdict that was given, changed or withdrawn.
    pub fn apply(&self, change: &Change) {
        let known = self.scope(&change.scope);
        let scope = known.unwrap_or_else(|| {
            let mut scopes = self.scopes.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(scopes.entry(change.scope.clone()).or_default())
        });
        scope.write().unwrap_or_else(PoisonError::into_inner).apply(change, self.quorum);
    }

    /// Whether any verdict applies to an application. Callers search wider if so; verdicts of other applications must
    /// not have even that effect.
    #[must_use]
    pub fn has_feedback_for(&self, application: &AppId) -> bool {
        let scopes: Vec<Arc<RwLock<Scope>>> = {
            let scopes = self.scopes.read().unwrap_or_else(PoisonError::into_inner);
            scopes.values().cloned().collect()
        };
        let applies = |scope: &Arc<RwLock<Scope>>| {
            let scope = read(scope);
            !scope.exemplars(scope.application_id(application)).is_empty()
        };
        scopes.iter().any(applies)
    }

    /// The memory that the model takes, estimated from what it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lock = size_of::<RwLock<Scope>>() + 2 * size_of::<usize>();
        let one =
            |(key, scope): &(ScopeKey, Arc<RwLock<Scope>>)| key.bytes() + size::allocation(lock) + read(scope).bytes();
        let table = size::table(&*self.scopes.read().unwrap_or_else(PoisonError::into_inner));
        table + self.all().iter().map(one).sum::<usize>()
    }

    /// Marks all current verdicts as judged by the guard.
    pub fn mark_all_judged(&self) {
        for scope in self.scopes.read().unwrap_or_else(PoisonError::into_inner).values() {
            scope.write().unwrap_or_else(PoisonError::into_inner).mark_all_judged();
        }
    }

    /// What the guard has not finished with.
    #[must_use]
    pub fn unjudged(&self) -> Unjudged {
        let named = |(key, scope): (ScopeKey, Arc<RwLock<Scope>>)| {
            let unjudged = read(&scope).unjudged();
            unjudged.into_iter().map(move |(application, recent)| (key.clone(), application, recent))
        };
        let mut unjudged: Vec<_> = self.all().into_iter().flat_map(named).collect();
        unjudged.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        Unjudged(unjudged)
    }

    /// Puts back what the guard had not finished with when another model of the same verdicts was dropped.
    pub fn restore_unjudged(&self, unjudged: &Unjudged) {
        for (key, application, recent) in &unjudged.0 {
            if let Some(scope) = self.scope(key) {
                let mut scope = scope.write().unwrap_or_else(PoisonError::into_inner);
                scope.restore_unjudged(application.as_ref(), recent);
            }
        }
    }

    /// The evidence on a picture; `None` if no exemplar is within reach, and scores must not be changed at all.
    #[must_use]
    pub fn evidence(&self, key: &ScopeKey, application: &AppId, descriptor: &[f32]) -> Option<Evidence> {
        let scope = self.scope(key)?;
        let scope = read(&scope);
        let own = scope.application_id(application);
        if scope.exemplars(own).is_empty() {
            return None;
        }
        let tally = scope.vote(own, &Query::new(QuantisedVector::new(descriptor)?), |_| false);
        if tally.coverage() == 0.0 {
            return None;
        }
        let subjects = tally.subjects().map(|id| (scope.subject_name(id), id)).collect();
        Some(Evidence { tally, subjects })
    }

    /// A sample of the exemplars that apply to an application, sorted by key: at most `limit` of its own and as many of
    /// the common ones. Scores are standardised with it.
    #[must_use]
    pub fn sample(&self, key: &ScopeKey, application: &AppId, limit: usize) -> Vec<SampledExemplar> {
        let Some(scope) = self.scope(key) else { return Vec::new() };
        let scope = read(&scope);
        let sets = scope.exemplars(scope.application_id(application));
        let sampled = |(key, vector, confirmed): (&Arc<str>, QuantisedVector, Option<u32>)| SampledExemplar {
            key: Arc::clone(key),
            vector,
            confirmed: confirmed.map(|subject| scope.subject_name(subject)),
        };
        let mut sample: Vec<SampledExemplar> =
            sets.iter().flat_map(|(set, _)| set.sample(limit)).map(sampled).collect();
        sample.sort_by(|a, b| a.key.cmp(&b.key));
        sample.dedup_by(|a, b| a.key == b.key);
        sample
    }

    /// Judges the verdicts that the guard has not judged yet, once there are enough. If they do harm, returns them as
    /// recognition and candidate, together with the judgement. If they seem to do harm and it may be chance, they stay
    /// on probation and are judged again with the next ones.
    ///
    /// `application` gave the verdicts; `None` judges those that apply to all. `examples` are further pictures whose
    /// right answer is known.
    #[must_use]
    pub fn find_harmful(
        &self,
        key: &ScopeKey,
        application: Option<&AppId>,
        examples: &[Example],
    ) -> Option<(Vec<(String, String)>, Judgement)> {
        let lock = self.scope(key)?;
        let scope = read(&lock);
        let application = match application {
            Some(application) => Some(scope.application_id(application)?),
            None => None,
        };
        let (recent, judgement, is_harmful) = judge(&scope, application, examples)?;
        let harmful = is_harmful.then(|| (scope.verdicts(&recent), judgement));
        drop(scope);
        let on_probation = !is_harmful && judgement.worse > judgement.better;
        lock.write().unwrap_or_else(PoisonError::into_inner).mark_judged(application, recent, on_probation);
        harmful
    }

    fn all(&self) -> Vec<(ScopeKey, Arc<RwLock<Scope>>)> {
        let scopes = self.scopes.read().unwrap_or_else(PoisonError::into_inner);
        scopes.iter().map(|(key, scope)| (key.clone(), Arc::clone(scope))).collect()
    }

    fn scope(&self, key: &ScopeKey) -> Option<Arc<RwLock<Scope>>> {
        self.scopes.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }
}

// A panic while one verdict is applied loses that verdict. The others stay usable, so a poisoned lock is opened.
fn read(scope: &RwLock<Scope>) -> std::sync::RwLockReadGuard<'_, Scope> {
    scope.read().unwrap_or_else(PoisonError::into_inner)
}
