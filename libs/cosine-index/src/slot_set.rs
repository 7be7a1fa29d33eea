//! A set of slots, one bit each.

/// A growing bit set.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotSet {
    words: Vec<u64>,
}

impl SlotSet {
    /// Makes the set empty, with room for slots below `len`.
    pub(super) fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
    }

    #[inline]
    pub(super) fn contains(&self, slot: u32) -> bool {
        let (word, bit) = place(slot);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Adds a slot; true if it was not there.
    #[inline]
    pub(super) fn insert(&mut self, slot: u32) -> bool {
        let (word, bit) = place(slot);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & bit == 0;
        self.words[word] |= bit;
        fresh
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let (word, bit) = place(slot);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }
}

#[inline]
fn place(slot: u32) -> (usize, u64) {
    (slot as usize / 64, 1 << (slot % 64))
}
