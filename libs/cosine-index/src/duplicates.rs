//! Groups of slots whose codes are equal; only one of each, the head, takes part in the graph.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
    slice,
};

use super::kernels::CodeBlock;

/// A picture stored again and again would otherwise crowd the graph: its copies are all nearest to one another, fill
/// one another's lists of neighbours, and lead nowhere else.
#[derive(Clone, Debug, Default)]
pub(super) struct Duplicates {
    heads: HashMap<u64, u32>,
    /// Not for heads.
    head_of: HashMap<u32, u32>,
    /// The slots in use, for groups that have had more than one. A head that was removed is not among them, but stays
    /// in the graph to stand for the others.
    groups: HashMap<u32, Vec<u32>>,
}

/// What became of a slot taken out.
#[derive(Debug, PartialEq)]
pub(super) struct Departure {
    /// The head, if its group is empty now.
    pub(super) empty: Option<u32>,
    /// Whether the slot was none of the graph's.
    pub(super) free: bool,
}

impl Duplicates {
    /// The head of the group of this digest, if any; whether its code is the same is for the caller to check.
    pub(super) fn head(&self, digest: u64) -> Option<u32> {
        self.heads.get(&digest).copied()
    }

    pub(super) fn found(&mut self, digest: u64, head: u32) {
        self.heads.insert(digest, head);
    }

    pub(super) fn join(&mut self, head: u32, slot: u32) {
        self.head_of.insert(slot, head);
        self.groups.entry(head).or_insert_with(|| vec![head]).push(slot);
    }

    pub(super) fn members<'a>(&'a self, head: &'a u32) -> &'a [u32] {
        self.groups.get(head).map_or(slice::from_ref(head), Vec::as_slice)
    }

    pub(super) fn leave(&mut self, slot: u32) -> Departure {
        let head = self.head_of.remove(&slot).unwrap_or(slot);
        let left = self.groups.get_mut(&head).map_or(0, |group| {
            group.retain(|&member| member != slot);
            group.len()
        });
        if left == 0 {
            self.groups.remove(&head);
        }
        Departure { empty: (left == 0).then_some(head), free: slot != head }
    }

    /// Forgets the head of a group that is empty.
    pub(super) fn dissolve(&mut self, digest: u64, head: u32) {
        if self.head(digest) == Some(head) {
            self.heads.remove(&digest);
        }
    }

    /// Takes note of the heads anew, after their codes have changed. The groups stay: what had the same code before is
    /// as near as makes no difference.
    pub(super) fn with_heads(&self, heads: impl Iterator<Item = (u64, u32)>) -> Self {
        Self { heads: heads.collect(), ..self.clone() }
    }
}

/// `DefaultHasher::new` has fixed keys, unlike the hasher of a map.
pub(super) fn digest(code: &[CodeBlock]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for block in code {
        hasher.write(&block.0);
    }
    hasher.finish()
}
