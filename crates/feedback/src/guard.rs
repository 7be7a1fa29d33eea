//! The guard: whether recent verdicts make answers worse on examples whose right answer is known.
//!
//! Every earlier exemplar with one confirmed subject is an example. It is left out of the vote on itself. Recent ones
//! are no examples: false confirmations would testify for each other.

use std::{collections::BTreeSet, sync::Arc};

use kaisatsu_model::AppId;

use crate::{
    QuantisedVector, STRENGTH,
    kernel::Query,
    rescale::lift,
    scope::{Scope, ScopeKey},
    size,
};

/// The number of unjudged exemplars from which the guard judges them.
const MIN_UNJUDGED: usize = 16;

/// The most exemplars that serve as examples.
const MAX_EXAMPLES: usize = 128;

/// An estimate at or below this removes an answer that has no competitor.
const REJECTED: f32 = -0.5;

/// Fewer answers than this that turned wrong are considered chance.
const MIN_WORSE: u32 = 5;

/// A picture whose right answer is known, with the engine's scores without feedback.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its vector.
    pub descriptor: Vec<f32>,
    /// The right subject.
    pub right: String,
    /// All subjects with their scores.
    pub scores: Vec<(String, f32)>,
}

/// What the guard has not finished with: what is left to know of verdicts that are not in memory any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unjudged(pub(crate) Vec<(ScopeKey, Option<AppId>, Recent)>);

/// Exemplars of one application, or those that apply to all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recent {
    pub(crate) unjudged: BTreeSet<Arc<str>>,
    pub(crate) on_probation: BTreeSet<Arc<str>>,
}

impl Unjudged {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let keys =
            |set: &BTreeSet<Arc<str>>| size::keys(set) + set.iter().map(|key| size::shared_text(key)).sum::<usize>();
        let one = |(scope, application, recent): &(ScopeKey, Option<AppId>, Recent)| {
            let application = application.as_ref().map_or(0, |id| size::allocation(id.as_str().len()));
            scope.bytes() + application + keys(&recent.unjudged) + keys(&recent.on_probation)
        };
        size::vector(&self.0) + self.0.iter().map(one).sum::<usize>()
    }
}

/// How verdicts change the answers to the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judgement {
    /// The number of examples.
    pub judged: u32,
    /// The number of answers that turned from wrong to right.
    pub better: u32,
    /// The number of answers that turned from right to wrong.
    pub worse: u32,
}

impl Judgement {
    fn count(&mut self, before: bool, after: bool) {
        self.judged += 1;
        self.better += u32::from(after && !before);
        self.worse += u32::from(before && !after);
    }

    /// Whether the harm is significant, by `McNemar`'s test: under the null hypothesis a changed answer is equally
    /// likely to turn better or worse, and a difference above two standard deviations rejects it.
    #[must_use]
    pub fn is_harmful(&self) -> bool {
        let (better, worse) = (f64::from(self.better), f64::from(self.worse));
        self.worse >= MIN_WORSE && worse - better > 2.0 * (worse + better).sqrt()
    }
}

/// Judges the recent verdicts of an application, or those that apply to all. Returns them, the judgement, and whether
/// they are harmful; `None` while there are too few.
pub(crate) fn judge(
    scope: &Scope,
    application: Option<u32>,
    examples: &[Example],
) -> Option<(BTreeSet<Arc<str>>, Judgement, bool)> {
    let recent = scope.recent(application, MIN_UNJUDGED)?;
    let mut comparison = Comparison {
        scope,
        application,
        recent: &recent,
        with_earlier: Judgement::default(),
        with_none: Judgement::default(),
    };
    let (set, _) = scope.exemplars(application).into_iter().next()?;
    for (key, right) in set.confirmed(MAX_EXAMPLES, |key| !recent.contains(key)) {
        if let (Some(vector), Some(rated)) = (set.vector(key), scope.rated(key)) {
            comparison.add(vector, Some(key), right, &rated.scores());
        }
    }
    for example in examples {
        let rated = |(name, score): &(String, f32)| Some((scope.subject_id(name)?, *score));
        let unrated = example.scores.iter().filter(|(name, _)| scope.subject_id(name).is_none());
        // Feedback does not move a subject without verdicts, so of these only the best one can be the answer.
        let best = unrated.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, score)| (name == &example.right, *score));
        let right = scope.subject_id(&example.right).or(best.filter(|(is_right, _)| *is_right).map(|_| UNRATED));
        let scores: Vec<(u32, f32)> =
            example.scores.iter().filter_map(rated).chain(best.map(|(_, score)| (UNRATED, score))).collect();
        if let (Some(vector), Some(right)) = (QuantisedVector::new(&example.descriptor), right) {
            comparison.add(vector, None, right, &scores);
        }
    }
    let Comparison { with_earlier, with_none, .. } = comparison;
    // Recent verdicts that repair earlier harm are not held responsible for it.
    let adds_up = with_none.is_harmful() && with_earlier.worse > with_earlier.better;
    let judgement = if adds_up { with_none } else { with_earlier };
    Some((recent, judgement, judgement.is_harmful()))
}

/// The id that stands for the best subject without verdicts.
const UNRATED: u32 = u32::MAX;

/// Compares the answers with all verdicts to those with fewer.
struct Comparison<'a> {
    scope: &'a Scope,
    application: Option<u32>,
    recent: &'a BTreeSet<Arc<str>>,
    /// Compared to the answers without the recent verdicts.
    with_earlier: Judgement,
    /// Compared to the answers without any feedback, because harm in small steps can add up.
    with_none: Judgement,
}

impl Comparison<'_> {
    /// Adds an example. `own` is its key if it is an exemplar itself.
    fn add(&mut self, vector: QuantisedVector, own: Option<&Arc<str>>, right: u32, scores: &[(u32, f32)]) {
        let query = Query::new(vector);
        let is_itself = |key: &str| own.is_some_and(|own| **own == *key);
        let now = self.scope.vote(self.application, &query, is_itself);
        let exclude = |key: &str| is_itself(key) || self.recent.contains(key);
        let earlier = self.scope.vote(self.application, &query, exclude);
        let best = |value: &dyn Fn(u32) -> f32| {
            let moved = scores.iter().map(|(subject, base)| {
                let by = STRENGTH * value(*subject);
                (*subject, logit(lift(*base, by)) + by)
            });
            moved.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(subject, _)| subject)
        };
        // A single candidate cannot be overtaken, but with a low estimate it is no longer answered.
        let is_answered = |value: f32| scores.len() > 1 || value > REJECTED;
        let is_right = |value: &dyn Fn(u32) -> f32| best(value) == Some(right) && is_answered(value(right));
        let after = is_right(&|subject| now.value(subject));
        self.with_earlier.count(is_right(&|subject| earlier.value(subject)), after);
        self.with_none.count(is_right(&|_| 0.0), after);
    }
}

fn logit(share: f32) -> f32 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    (share / (1.0 - share)).ln()
}
