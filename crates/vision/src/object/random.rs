//! Pseudo-random numbers, the same on every machine and in every run.

use kaisatsu_model::splitmix::{INCREMENT, splitmix64};

/// `SplitMix64` (Steele, Lea and Flood, 2014): small, and good enough for sampling.
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn next(&mut self) -> u64 {
        let number = splitmix64(self.0);
        self.0 = self.0.wrapping_add(INCREMENT);
        number
    }

    /// A number below `limit`; 0 when the limit is 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let wide = u128::from(self.next()) * limit as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}
