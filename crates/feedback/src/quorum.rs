//! Counts, for every verdict, how many owners gave the same verdict on a similar picture.
//!
//! A verdict applies to all callers when it has a quorum of owners. An owner with several applications counts once,
//! because applications are easy to create.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::Arc,
};

use crate::size;

/// The cosine from which two pictures count as similar. About 1 in 100 unrelated pairs reaches it, and about half of
/// the pairs that show the same thing.
const MIN_COSINE: f32 = 0.55;

/// All shared verdicts, by subject and value, then by the exemplar they were given on.
#[derive(Debug, Default)]
pub(crate) struct QuorumIndex {
    ballots: HashMap<(u32, bool), HashMap<Arc<str>, Ballot>>,
    /// What the counts of all ballots take on the heap.
    count_bytes: usize,
}

/// The source of a verdict.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voter {
    /// The application whose exemplars hold the verdict.
    pub(crate) application: u32,
    /// The owner of that application, who counts towards the quorum.
    pub(crate) owner: u32,
}

#[derive(Debug)]
struct Ballot {
    voter: Voter,
    /// For each other owner, the number of similar exemplars with the same verdict.
    similar: HashMap<u32, usize>,
}

impl QuorumIndex {
    pub(crate) fn is_similar(cosine: f32) -> bool {
        cosine >= MIN_COSINE
    }

    /// Adds a verdict. Returns the exemplars whose quorum may have changed.
    pub(crate) fn insert(
        &mut self,
        verdict: (u32, bool),
        key: &Arc<str>,
        voter: Voter,
        is_similar: impl Fn(u32, &str) -> bool,
    ) -> BTreeSet<Arc<str>> {
        let mut own = Ballot { voter, similar: HashMap::new() };
        let changed = self.for_each_similar(verdict, voter, is_similar, |ballot| {
            *ballot.similar.entry(voter.owner).or_default() += 1;
            *own.similar.entry(ballot.voter.owner).or_default() += 1;
        });
        self.count_bytes += size::table(&own.similar);
        let replaced = self.ballots.entry(verdict).or_default().insert(Arc::clone(key), own);
        self.count_bytes -= replaced.map_or(0, |ballot| size::table(&ballot.similar));
        changed
    }

    /// Removes a verdict. Returns the exemplars whose quorum may have changed.
    pub(crate) fn remove(
        &mut self,
        verdict: (u32, bool),
        key: &Arc<str>,
        voter: Voter,
        is_similar: impl Fn(u32, &str) -> bool,
    ) -> BTreeSet<Arc<str>> {
        let removed = self.ballots.entry(verdict).or_default().remove(key);
        self.count_bytes -= removed.map_or(0, |ballot| size::table(&ballot.similar));
        self.for_each_similar(verdict, voter, is_similar, |ballot| {
            if let Entry::Occupied(mut count) = ballot.similar.entry(voter.owner) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
        })
    }

    /// Calls `update` for the same verdict of every other owner on a similar picture, and returns their exemplars.
    fn for_each_similar(
        &mut self,
        verdict: (u32, bool),
        voter: Voter,
        is_similar: impl Fn(u32, &str) -> bool,
        mut update: impl FnMut(&mut Ballot),
    ) -> BTreeSet<Arc<str>> {
        let (ballots, bytes) = (self.ballots.entry(verdict).or_default().iter_mut(), &mut self.count_bytes);
        let others = ballots
            .filter(|(key, ballot)| ballot.voter.owner != voter.owner && is_similar(ballot.voter.application, key));
        let updated = |(key, ballot): (&Arc<str>, &mut Ballot)| {
            let before = size::table(&ballot.similar);
            update(ballot);
            *bytes = *bytes + size::table(&ballot.similar) - before;
            Arc::clone(key)
        };
        others.map(updated).collect()
    }

    /// Whether `quorum` owners, including the verdict's own, gave this verdict on a similar picture.
    pub(crate) fn has_quorum(&self, verdict: (u32, bool), key: &str, quorum: usize) -> bool {
        let ballot = self.ballots.get(&verdict).and_then(|ballots| ballots.get(key));
        ballot.is_some_and(|ballot| ballot.similar.len() + 1 >= quorum)
    }

    /// The memory that the index takes, without the keys of the exemplars.
    pub(crate) fn bytes(&self) -> usize {
        size::table(&self.ballots) + self.ballots.values().map(size::table).sum::<usize>() + self.count_bytes
    }
}
