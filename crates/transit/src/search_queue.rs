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

#[cfg(test)]
mod tests {
    use std::collections::BinaryHeap;

    use super::QueueEntry;

    #[test]
    fn the_shortest_distance_comes_first_and_then_the_smallest_node() {
        let mut heap: BinaryHeap<_> = [(2.0, 1), (0.5, 9), (1.0, 7), (3.0, 0), (1.0, 4), (0.1, 8)]
            .map(|(metres, node)| QueueEntry(metres, node))
            .into_iter()
            .collect();
        let nodes: Vec<_> = std::iter::from_fn(|| heap.pop()).map(|entry| entry.1).collect();
        assert_eq!(nodes, [8, 9, 4, 7, 1, 0]);
    }
}
