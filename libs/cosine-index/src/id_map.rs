//! Maps ids to slots and slots to ids.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
};

use super::{
    kernels::FloatBlock,
    rows::{Rows, index},
};

/// Both directions of the map, and the free slots.
#[derive(Clone, Debug, Default)]
pub(super) struct IdMap {
    slot_of: HashMap<u64, u32>,
    id_of: Vec<Option<u64>>,
    free: Vec<u32>,
}

impl IdMap {
    /// Number of ids.
    pub(super) fn len(&self) -> usize {
        self.slot_of.len()
    }

    pub(super) fn slot_of(&self, id: u64) -> Option<u32> {
        self.slot_of.get(&id).copied()
    }

    pub(super) fn id_of(&self, slot: u32) -> Option<u64> {
        self.id_of[slot as usize]
    }

    /// The ids, in ascending order.
    pub(super) fn ids(&self) -> Vec<u64> {
        let mut ids: Vec<u64> = self.slot_of.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// The slots with a vector, in ascending order.
    pub(super) fn in_use(&self) -> Vec<u32> {
        (0..self.id_of.len()).map(index).filter(|&slot| self.id_of(slot).is_some()).collect()
    }

    /// Whether one more vector fits; `u32::MAX` is not a slot.
    pub(super) fn has_room(&self) -> bool {
        !self.free.is_empty() || self.id_of.len() < u32::MAX as usize
    }

    /// Writes the vector of a new id, and returns its slot.
    pub(super) fn add(&mut self, id: u64, vector: &[FloatBlock], vectors: &mut Rows<FloatBlock>) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| index(self.id_of.len()));
        vectors.set(slot, vector);
        match self.id_of.get_mut(slot as usize) {
            Some(place) => *place = Some(id),
            None => self.id_of.push(Some(id)),
        }
        self.slot_of.insert(id, slot);
        slot
    }

    /// Removes an id and returns its slot, which stays taken until it is released.
    pub(super) fn remove(&mut self, id: u64) -> Option<u32> {
        let slot = self.slot_of.remove(&id)?;
        self.id_of[slot as usize] = None;
        Some(slot)
    }

    /// Makes slots free.
    pub(super) fn release(&mut self, slots: impl IntoIterator<Item = u32>) {
        self.free.extend(slots);
    }

    /// Makes every slot without a vector free.
    pub(super) fn release_all(&mut self) {
        self.free = (0..self.id_of.len()).rev().map(index).filter(|&slot| self.id_of(slot).is_none()).collect();
    }

    /// Shuffles the vectors by a hash of their ids. The order in which they were given then does not shape the graph,
    /// nor does their meaning: consecutive ids often belong to similar vectors.
    pub(super) fn shuffle(&mut self, vectors: &mut Rows<FloatBlock>) {
        let mut order: Vec<u32> = (0..self.id_of.len()).map(index).collect();
        order.sort_by_key(|&slot| self.id_of(slot).map(|id| (hash_of(id), id)));
        vectors.rearrange(&order);
        self.id_of = order.iter().map(|&slot| self.id_of(slot)).collect();
        self.slot_of = (0..).zip(&self.id_of).filter_map(|(slot, id)| id.map(|id| (id, slot))).collect();
        self.release_all();
    }
}

/// A hash of an id. `DefaultHasher::new` has fixed keys, unlike the hasher of a map.
fn hash_of(id: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(id);
    hasher.finish()
}
