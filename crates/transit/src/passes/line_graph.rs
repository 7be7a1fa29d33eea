//! The stops of one line as a graph.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use kaisatsu_model::StationCode;

use super::Pair;
use crate::{Line, geo::LatLon, search_queue::QueueEntry};

/// The neighbours of each station of a line, as indices.
#[derive(Debug, Default)]
pub(super) struct LineGraph(BTreeMap<usize, BTreeSet<usize>>);

impl LineGraph {
    pub(super) fn of(line: &Line, index: &HashMap<StationCode, usize>) -> Self {
        let mut graph = Self::default();
        for (a, b) in line.edges().filter_map(|(a, b)| index.get(&a).copied().zip(index.get(&b).copied())) {
            graph.join(a, b);
        }
        graph
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        if a != b {
            self.0.entry(a).or_default().insert(b);
            self.0.entry(b).or_default().insert(a);
        }
    }

    pub(super) fn stations(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.keys().copied()
    }

    /// Its pairs of adjacent stations.
    pub(super) fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        self.0.iter().flat_map(|(&a, next)| next.iter().filter(move |b| a < **b).map(move |&b| (a, b)))
    }

    /// How many stations both lines stop at.
    pub(super) fn common_stops(&self, other: &Self) -> usize {
        self.0.keys().filter(|station| other.0.contains_key(station)).count()
    }

    pub(super) fn has(&self, (a, b): Pair) -> bool {
        self.0.get(&a).is_some_and(|next| next.contains(&b))
    }

    /// The shortest way between two stations of steps that are shorter than the straight line, and its length.
    pub(super) fn way_beside(&self, (from, to): Pair, longest: f64, positions: &[LatLon]) -> Option<(f64, Vec<usize>)> {
        let straight = positions[from].metres_to(positions[to]);
        let mut reached: HashMap<usize, (f64, usize)> = HashMap::from([(from, (0.0, from))]);
        let mut queue = BinaryHeap::from([QueueEntry(0.0, from)]);
        while let Some(QueueEntry(metres, here)) = queue.pop() {
            if here == to {
                let before = |at: &usize| reached.get(at).map(|(_, before)| *before).filter(|_| *at != from);
                let mut way: Vec<usize> = std::iter::successors(Some(to), before).collect();
                way.reverse();
                return Some((metres, way));
            }
            for &next in self.0.get(&here).into_iter().flatten() {
                let step = positions[here].metres_to(positions[next]);
                let there = metres + step;
                // What is left is at least the straight line to the goal.
                let fits = step < straight && there + positions[next].metres_to(positions[to]) <= longest;
                if fits && reached.get(&next).is_none_or(|(known, _)| there < *known) {
                    reached.insert(next, (there, here));
                    queue.push(QueueEntry(there, next));
                }
            }
        }
        None
    }
}
