//! Who agrees with whom: a verdict acts for all when applications of enough owners said the same of the same near by.
//! Whoever owns several applications has one vote: they are easily made.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::Arc,
};

/// The cosine from which two pictures are near enough to speak of the same thing. One unrelated pair in a hundred
/// reaches it, every second pair that shows the same does.
const NEAR: f32 = 0.55;

/// All verdicts by what they say.
#[derive(Debug, Default)]
pub(crate) struct Agreement(HashMap<(u32, bool), HashMap<Arc<str>, Vote>>);

/// Who votes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voter {
    /// In whose book the verdict is.
    pub(crate) application: u32,
    /// Who counts.
    pub(crate) owner: u32,
}

#[derive(Debug)]
struct Vote {
    by: Voter,
    /// How many near verdicts each other owner's applications gave that say the same.
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
        by: Voter,
        is_near: impl Fn(u32, &str) -> bool,
    ) -> BTreeSet<Arc<str>> {
        let mut own = Vote { by, near: HashMap::new() };
        let touched = self.meet(verdict, by, is_near, |vote| {
            *vote.near.entry(by.owner).or_default() += 1;
            *own.near.entry(vote.by.owner).or_default() += 1;
        });
        self.0.entry(verdict).or_default().insert(Arc::clone(key), own);
        touched
    }

    /// A verdict goes. Whose standing may have changed by it.
    pub(crate) fn leave(
        &mut self,
        verdict: (u32, bool),
        key: &Arc<str>,
        by: Voter,
        is_near: impl Fn(u32, &str) -> bool,
    ) -> BTreeSet<Arc<str>> {
        self.0.entry(verdict).or_default().remove(key);
        self.meet(verdict, by, is_near, |vote| {
            if let Entry::Occupied(mut count) = vote.near.entry(by.owner) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
        })
    }

    /// Lets every near vote of another owner that says the same know, and names them.
    fn meet(
        &mut self,
        verdict: (u32, bool),
        by: Voter,
        is_near: impl Fn(u32, &str) -> bool,
        mut tell: impl FnMut(&mut Vote),
    ) -> BTreeSet<Arc<str>> {
        let votes = self.0.entry(verdict).or_default().iter_mut();
        let others = votes.filter(|(name, vote)| vote.by.owner != by.owner && is_near(vote.by.application, name));
        let told = |(name, vote): (&Arc<str>, &mut Vote)| {
            tell(vote);
            Arc::clone(name)
        };
        others.map(told).collect()
    }

    /// Whether applications of `quorum` owners say it, its own among them.
    pub(crate) fn is_agreed(&self, verdict: (u32, bool), key: &str, quorum: usize) -> bool {
        self.0.get(&verdict).and_then(|votes| votes.get(key)).is_some_and(|vote| vote.near.len() + 1 >= quorum)
    }
}
