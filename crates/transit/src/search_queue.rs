//! The priority queue entry of shortest-path searches.

/// A distance and a node. The order is reversed, so that a max-heap returns the shortest distance first.
#[derive(PartialEq)]
pub(crate) struct QueueEntry(pub(crate) f64, pub(crate) usize);

impl Eq for QueueEntry {}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueueEntry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}
