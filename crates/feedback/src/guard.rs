//! The guard: whether what came lately makes the engine worse on examples whose right answer is known.
//!
//! Every confirmed picture is an example, and is left out of the memory while it is judged itself.

use std::{collections::BTreeSet, sync::Arc};

use crate::{Code, STRENGTH, hearing::Query, space::Space};

/// Verdicts after which the guard looks again.
const EVERY: usize = 16;

/// Confirmed pictures that are judged at most.
const JUDGED: usize = 128;

/// A right answer without rivals that is pushed down this far is lost.
const LOST: f32 = -0.5;

/// Fewer answers than this that went wrong are chance.
const LEAST: u32 = 5;

/// A picture whose right answer is known, and what the engine says of it without any feedback.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its vector.
    pub look: Vec<f32>,
    /// The right subject.
    pub right: String,
    /// All subjects with their scores.
    pub listed: Vec<(String, f32)>,
}

/// What a change does to the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judgement {
    /// How many were judged.
    pub judged: u32,
    /// How many are right now and were not.
    pub better: u32,
    /// How many were right and are not.
    pub worse: u32,
}

impl Judgement {
    fn count(&mut self, before: bool, after: bool) {
        self.judged += 1;
        self.better += u32::from(after && !before);
        self.worse += u32::from(before && !after);
    }

    /// Whether it does harm beyond chance. Of answers that changed, half would go either way by chance, as in the
    /// test of `McNemar`; two deviations of that are beyond it.
    #[must_use]
    pub fn is_harmful(&self) -> bool {
        let (better, worse) = (f64::from(self.better), f64::from(self.worse));
        self.worse >= LEAST && worse - better > 2.0 * (worse + better).sqrt()
    }
}

/// Judges what came lately in a scope; `None` when it is not yet time to.
pub(crate) fn judge(space: &Space, scope: Option<u32>, others: &[Example]) -> Option<(Judgement, bool)> {
    let fresh = space.fresh(scope, EVERY)?;
    let mut bench = Bench { space, scope, fresh, lately: Judgement::default(), at_all: Judgement::default() };
    let (book, _) = space.books(scope).into_iter().next()?;
    for (key, right) in book.confirmed(JUDGED) {
        if let (Some(code), Some(rated)) = (book.code(key), space.rated(key)) {
            bench.see(code, Some(key), right, &rated.listed);
        }
    }
    for example in others {
        let listed = |(name, base): &(String, f32)| Some((space.subject(name)?, *base));
        let unnamed = example.listed.iter().filter(|(name, _)| space.subject(name).is_none());
        // A subject that nothing was said of stays where it is: the best of them stands for all.
        let still = unnamed.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, base)| (name == &example.right, *base));
        let right = space.subject(&example.right).or(still.filter(|(is_right, _)| *is_right).map(|_| STILL));
        let all: Vec<(u32, f32)> =
            example.listed.iter().filter_map(listed).chain(still.map(|(_, base)| (STILL, base))).collect();
        if let (Some(code), Some(right)) = (Code::of(&example.look), right) {
            bench.see(code, None, right, &all);
        }
    }
    // What came lately is not to blame for older harm that it mends.
    let adds_up = bench.at_all.is_harmful() && bench.lately.worse > bench.lately.better;
    Some((if adds_up { bench.at_all } else { bench.lately }, adds_up || bench.lately.is_harmful()))
}

/// The number of no subject.
const STILL: u32 = u32::MAX;

struct Bench<'a> {
    space: &'a Space,
    scope: Option<u32>,
    fresh: &'a BTreeSet<Arc<str>>,
    /// Against the memory before what came lately, and against no memory at all: small steps may add up.
    lately: Judgement,
    at_all: Judgement,
}

impl Bench<'_> {
    fn see(&mut self, code: Code, own: Option<&Arc<str>>, right: u32, listed: &[(u32, f32)]) {
        let query = Query::new(code);
        let itself = |key: &str| own.is_some_and(|own| **own == *key);
        let now = self.space.hear(self.scope, &query, itself);
        let former = self.space.hear(self.scope, &query, |key| itself(key) || self.fresh.contains(key));
        let best = |lean: &dyn Fn(u32) -> f32| {
            let scored = listed.iter().map(|(subject, base)| (*subject, logit(*base) + STRENGTH * lean(*subject)));
            scored.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(subject, _)| subject)
        };
        // Where nothing else can take its place, it may not be answered at all once it is pushed down this far.
        let answered = |lean: f32| listed.len() > 1 || lean > LOST;
        let is_right = |lean: &dyn Fn(u32) -> f32| best(lean) == Some(right) && answered(lean(right));
        let after = is_right(&|subject| now.lean(subject));
        self.lately.count(is_right(&|subject| former.lean(subject)), after);
        self.at_all.count(is_right(&|_| 0.0), after);
    }
}

fn logit(share: f32) -> f32 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    (share / (1.0 - share)).ln()
}
