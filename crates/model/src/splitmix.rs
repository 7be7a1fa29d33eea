//! The `SplitMix64` generator, which gives the same numbers on every machine.

/// The increment of the generator's state at each step.
pub const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output of the `SplitMix64` generator (Steele, Lea and Flood, 2014) for a state. Also a good hash of an integer.
#[must_use]
pub const fn splitmix64(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(INCREMENT);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{INCREMENT, splitmix64};

    /// The first numbers of the published generator from the seed 1234567. Stored data depends on them.
    #[test]
    fn the_numbers_are_the_published_ones() {
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|at| splitmix64(INCREMENT.wrapping_mul(at).wrapping_add(1_234_567))), published);
    }
}
