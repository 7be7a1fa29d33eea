//! Replaces links to removed vectors, a few slots at each removal, so that the graph is never rebuilt.

use super::{graph::Graph, neighbours::Links, rows::index};

/// Slots looked at for each removal. A round then takes one removal per sixteen slots, so that removed vectors are at
/// most an eighth of the graph: those of one round being swept and of one waiting.
const STEP: usize = 16;

/// The progress of the current round, and the removed slots that it is for.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    cursor: usize,
    /// Removed before this round began; no live slot links to them when it ends.
    leaving: Vec<u32>,
    /// Removed since; they wait for the next round.
    waiting: Vec<u32>,
}

/// New links for some slots of the graph that computed them.
#[derive(Debug)]
pub(super) struct Repairs {
    links: Vec<(u32, Links)>,
    end: usize,
}

impl Graph {
    /// Removes a slot from the graph; true if another vector may use it at once.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let departure = self.duplicates.leave(slot);
        if let Some(representative) = departure.empty {
            self.retire(representative);
            self.sweep.waiting.push(representative);
        }
        departure.free
    }

    /// Computes the next step of the sweep. Apart from [`Graph::apply`], because searches can run meanwhile.
    pub(super) fn plan_repairs(&self) -> Repairs {
        let end = (self.sweep.cursor + STEP).min(self.slots());
        let touches_removed =
            |&slot: &u32| self.is_live(slot) && self.neighbours(slot).iter().any(|&neighbour| !self.is_live(neighbour));
        let links = (self.sweep.cursor..end)
            .map(index)
            .filter(touches_removed)
            .map(|slot| (slot, self.chosen(slot, &self.live_around(slot))))
            .collect();
        Repairs { links, end }
    }

    /// Applies a step and returns the slots that are free now.
    pub(super) fn apply(&mut self, repairs: Repairs) -> Vec<u32> {
        for (slot, links) in repairs.links {
            self.set_links(slot, links);
        }
        for slot in (self.sweep.cursor..repairs.end).map(index) {
            if self.is_live(slot) {
                self.add_entry_point(slot);
            }
        }
        self.sweep.cursor = repairs.end;
        if self.sweep.cursor < self.slots() {
            return Vec::new();
        }
        self.sweep.cursor = 0;
        let waiting = std::mem::take(&mut self.sweep.waiting);
        let left = std::mem::replace(&mut self.sweep.leaving, waiting);
        for &slot in &left {
            self.forget(slot);
        }
        left
    }
}
