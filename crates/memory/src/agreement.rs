//! Who agrees with whom: a verdict acts for all when enough applications said the same of the same near by.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// The cosine from which two pictures are near enough to speak of the same thing. One unrelated pair in a hundred
/// reaches it, every second pair that shows the same does.
const NEAR: f32 = 0.55;

/// All verdicts by what they say.
#[derive(Debug, Default)]
pub(crate) struct Agreement(HashMap<(u32, bool), HashMap<Arc<str>, Vote>>);

#[derive(Debug)]
struct Vote {
    application: u32,
    /// How many near verdicts each other application gave that say the same.
    near: HashMap<u32, usize>,
}

impl Agreement {
    pub(crate) fn is_near(cosine: f32) -> bool {
        cosine >= NEAR
    }

    /// A verdict comes. Whose standing may have changed by it.
    pub(crate) fn join(
        &mut self,
        verdict: (u32, bool),
        key: &Arc<str>,
        application: u32,
        is_near: impl Fn(u32, &str) -> bool,
    ) -> BTreeSet<Arc<str>> {
        let votes = self.0.entry(verdict).or_default();
        let mut own = Vote { application, near: HashMap::new() };
        let mut touched = BTreeSet::new();
        for (name, vote) in votes.iter_mut().filter(|(_, vote)| vote.application != application) {
            if is_near(vote.application, name) {
                *vote.near.entry(application).or_default() += 1;
                *own.near.entry(vote.application).or_default() += 1;
                touched.insert(Arc::clone(name));
            }
        }
        votes.insert(Arc::clone(key), own);
        touched
    }

    /// A verdict goes. Whose standing may have changed by it.
    pub(crate) fn leave(
        &mut self,
        verdict: (u32, bool),
        key: &Arc<str>,
        application: u32,
        is_near: impl Fn(u32, &str) -> bool,
    ) -> BTreeSet<Arc<str>> {
        let Some(votes) = self.0.get_mut(&verdict) else { return BTreeSet::new() };
        votes.remove(key);
        let mut touched = BTreeSet::new();
        for (name, vote) in votes.iter_mut().filter(|(_, vote)| vote.application != application) {
            if is_near(vote.application, name) {
                if let Some(count) = vote.near.get_mut(&application) {
                    *count -= 1;
                    if *count == 0 {
                        vote.near.remove(&application);
                    }
                }
                touched.insert(Arc::clone(name));
            }
        }
        touched
    }

    /// Whether `quorum` applications say it, its own among them.
    pub(crate) fn is_agreed(&self, verdict: (u32, bool), key: &str, quorum: usize) -> bool {
        self.0.get(&verdict).and_then(|votes| votes.get(key)).is_some_and(|vote| vote.near.len() + 1 >= quorum)
    }
}
