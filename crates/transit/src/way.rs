//! What a search for the shortest way keeps in its heap.

/// How far, and where. Shorter ways first, in a heap whose greatest comes first.
#[derive(PartialEq)]
pub(crate) struct Way(pub(crate) f64, pub(crate) usize);

impl Eq for Way {}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Way {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}
