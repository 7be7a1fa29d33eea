//! Beam search in the graph: expands the nearest candidate to its neighbours until none of them is nearer.

use super::{graph::Graph, quantise::Code, slot_set::SlotSet};

/// A slot and its squared distance to the query; ordered by distance, then slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) distance: u32,
    pub(super) slot: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    candidate: Candidate,
    /// Removed slots are still expanded, but do not count towards the beam.
    live: bool,
    expanded: bool,
}

/// The buffers of a search, which the next search uses again.
#[derive(Debug, Default)]
pub(super) struct BeamSearch {
    beam: usize,
    /// Nearest first.
    entries: Vec<Entry>,
    live_entries: usize,
    /// Every entry before this one is expanded.
    next: usize,
    seen: SlotSet,
    fresh: Vec<u32>,
    distances: Vec<u32>,
}

impl BeamSearch {
    /// The nearest live slots that the search finds, nearest first, at most `beam`.
    pub(super) fn towards(&mut self, graph: &Graph, query: Code<'_>, beam: usize) -> impl Iterator<Item = Candidate> {
        self.beam = beam.max(1);
        self.entries.clear();
        self.live_entries = 0;
        self.next = 0;
        self.seen.reset(graph.slots());
        self.visit(graph, query, graph.entry_points());
        while let Some(slot) = self.take_next() {
            self.visit(graph, query, graph.neighbours(slot));
        }
        self.entries.iter().filter(|entry| entry.live).map(|entry| entry.candidate)
    }

    fn take_next(&mut self) -> Option<u32> {
        while let Some(entry) = self.entries.get_mut(self.next) {
            self.next += 1;
            if !entry.expanded {
                entry.expanded = true;
                return Some(entry.candidate.slot);
            }
        }
        None
    }

    fn visit(&mut self, graph: &Graph, query: Code<'_>, slots: &[u32]) {
        self.fresh.clear();
        self.fresh.extend(slots.iter().copied().filter(|&slot| self.seen.insert(slot)));
        graph.codes().distances(query, &self.fresh, &mut self.distances);
        for at in 0..self.fresh.len() {
            let candidate = Candidate { distance: self.distances[at], slot: self.fresh[at] };
            self.offer(candidate, graph.is_live(candidate.slot));
        }
    }

    fn offer(&mut self, candidate: Candidate, live: bool) {
        let full = self.live_entries >= self.beam;
        if full && self.entries.last().is_some_and(|last| last.candidate < candidate) {
            return;
        }
        let at = self.entries.partition_point(|entry| entry.candidate < candidate);
        self.entries.insert(at, Entry { candidate, live, expanded: false });
        self.next = self.next.min(at);
        self.live_entries += usize::from(live);
        // Entries behind the end of the beam can no longer matter, whether live or removed.
        while self.live_entries > self.beam
            || (self.live_entries == self.beam && self.entries.last().is_some_and(|last| !last.live))
        {
            if let Some(dropped) = self.entries.pop() {
                self.live_entries -= usize::from(dropped.live);
            }
        }
    }
}
