//! How much memory values take on the heap, estimated from their capacities.
//!
//! Allocators add a header to each allocation and round it up; hash tables are larger than their contents, and so are
//! the nodes of B-trees. The estimates include that, so that a bound in bytes is one of the process.

use std::{
    collections::{BTreeSet, HashMap},
    mem::size_of,
    sync::Arc,
};

/// What an allocation of this many bytes takes.
pub(crate) fn allocation(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

/// The elements of a vector, without what they refer to.
pub(crate) fn vector<T>(vector: &Vec<T>) -> usize {
    allocation(vector.capacity() * size_of::<T>())
}

/// The text behind a shared pointer, with its two counters.
pub(crate) fn shared_text(text: &str) -> usize {
    allocation(2 * size_of::<usize>() + text.len())
}

/// The buckets of a hash table, without what they refer to: a power of two, at most 7/8 full, with one byte of control
/// data each.
pub(crate) fn table<K, V>(table: &HashMap<K, V>) -> usize {
    let capacity = table.capacity();
    let buckets = if capacity == 0 { 0 } else { (capacity * 8 / 7).next_power_of_two() };
    allocation(buckets * (size_of::<(K, V)>() + 1))
}

/// The nodes of a B-tree with this many entries, without what they refer to. Nodes have room for eleven and are about
/// two thirds full; a small tree is one node.
pub(crate) fn tree(entries: usize, entry: usize) -> usize {
    let nodes = if entries <= 11 { entries.min(1) } else { entries.div_ceil(7) };
    nodes * allocation(11 * entry + 16)
}

/// The nodes of a set of shared keys. The keys belong to somebody else.
pub(crate) fn keys(set: &BTreeSet<Arc<str>>) -> usize {
    tree(set.len(), size_of::<Arc<str>>())
}
