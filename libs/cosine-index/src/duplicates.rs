//! Groups of slots with equal codes; only one slot of each group, its representative, is a node of the graph.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
    slice,
};

use super::kernels::CodeBlock;

/// Copies of one vector are all nearest to one another. As nodes of the graph they would fill one another's lists of
/// neighbours and lead nowhere else.
#[derive(Clone, Debug, Default)]
pub(super) struct Duplicates {
    representatives: HashMap<u64, u32>,
    /// Without the representatives themselves.
    representative_of: HashMap<u32, u32>,
    /// The members of groups that have had more than one. A removed representative is no member, but stays in the graph
    /// for the others.
    groups: HashMap<u32, Vec<u32>>,
}

/// What [`Duplicates::leave`] did.
#[derive(Debug, PartialEq)]
pub(super) struct Departure {
    /// The representative, if its group is empty now.
    pub(super) empty: Option<u32>,
    /// Whether the slot was not a node of the graph.
    pub(super) free: bool,
}

impl Duplicates {
    /// The representative of the group with this digest; the caller checks that the codes are equal.
    pub(super) fn representative(&self, digest: u64) -> Option<u32> {
        self.representatives.get(&digest).copied()
    }

    pub(super) fn add_group(&mut self, digest: u64, representative: u32) {
        self.representatives.insert(digest, representative);
    }

    pub(super) fn add_member(&mut self, representative: u32, slot: u32) {
        self.representative_of.insert(slot, representative);
        self.groups.entry(representative).or_insert_with(|| vec![representative]).push(slot);
    }

    pub(super) fn members<'a>(&'a self, representative: &'a u32) -> &'a [u32] {
        self.groups.get(representative).map_or(slice::from_ref(representative), Vec::as_slice)
    }

    pub(super) fn leave(&mut self, slot: u32) -> Departure {
        let representative = self.representative_of.remove(&slot).unwrap_or(slot);
        let left = self.groups.get_mut(&representative).map_or(0, |group| {
            group.retain(|&member| member != slot);
            group.len()
        });
        if left == 0 {
            self.groups.remove(&representative);
        }
        Departure { empty: (left == 0).then_some(representative), free: slot != representative }
    }

    /// Removes the representative of an empty group.
    pub(super) fn dissolve(&mut self, digest: u64, representative: u32) {
        if self.representative(digest) == Some(representative) {
            self.representatives.remove(&digest);
        }
    }

    /// Sets the representatives after their codes have changed. The groups stay: vectors that had equal codes are so
    /// near one another that it makes no difference.
    pub(super) fn with_representatives(&self, representatives: impl Iterator<Item = (u64, u32)>) -> Self {
        Self { representatives: representatives.collect(), ..self.clone() }
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
