//! Global descriptors: one vector for a picture, from its visual words or from the digits of its barcode.

use kaisatsu_model::splitmix::splitmix64;

use super::{
    random::Random,
    vocabulary::{PROBES, QueryFeature},
};
use crate::vector::normalise;

/// Components of a global descriptor.
pub const GLOBAL_DIMENSIONS: usize = 512;

/// The weight of a word by its rank among the candidates of a feature, a tenth less from each to the next. In a
/// photograph from another viewpoint the likeliest word of a feature changes, but mostly to one that was near before.
const COUNTS: [i32; PROBES] = [256, 230, 207, 187, 168, 151, 136, 122, 110, 99, 89, 80, 72, 65, 59, 53];

/// The descriptor of a picture from the candidate words of its features.
///
/// Words are hashed to components with a sign, so that chance collisions cancel out. Square roots reduce the weight of
/// repeated patterns.
pub(super) fn global_descriptor(features: &[QueryFeature]) -> Vec<f32> {
    let mut counts = [0i32; GLOBAL_DIMENSIONS];
    for (word, count) in features.iter().flat_map(|feature| feature.words.iter().zip(COUNTS)) {
        let mixed = splitmix64(u64::from(*word));
        let place = usize::try_from(mixed % GLOBAL_DIMENSIONS as u64).unwrap_or(0);
        counts[place] += if mixed >> 63 == 0 { count } else { -count };
    }
    #[allow(clippy::cast_precision_loss, reason = "a few thousand features")]
    let root = |count: &i32| (*count as f32).signum() * (*count as f32).abs().sqrt();
    let mut descriptor: Vec<f32> = counts.iter().map(|count| if *count == 0 { 0.0 } else { root(count) }).collect();
    normalise(&mut descriptor);
    descriptor
}

/// The descriptor of a barcode: equal for equal digits, and nearly orthogonal to that of any other barcode or picture.
#[must_use]
pub fn barcode_descriptor(digits: &str) -> Vec<f32> {
    let seed = digits.bytes().fold(0, |seed, byte| splitmix64(seed ^ u64::from(byte)));
    let mut random = Random::new(seed);
    let mut descriptor: Vec<f32> =
        (0..GLOBAL_DIMENSIONS).map(|_| if random.next() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
    normalise(&mut descriptor);
    descriptor
}

#[cfg(test)]
mod tests {
    use super::{GLOBAL_DIMENSIONS, barcode_descriptor, global_descriptor};
    use crate::{
        object::vocabulary::{PROBES, QueryFeature},
        vector::dot,
    };

    fn features(words: impl IntoIterator<Item = u16>) -> Vec<QueryFeature> {
        words.into_iter().map(|word| QueryFeature { words: [word; PROBES], signature: 0 }).collect()
    }

    #[test]
    fn a_descriptor_has_length_one_and_does_not_depend_on_an_order() {
        let here = global_descriptor(&features(0..700));
        assert_eq!(here.len(), GLOBAL_DIMENSIONS);
        assert!((dot(&here, &here) - 1.0).abs() < 1e-5);
        assert_eq!(here, global_descriptor(&features((0..700).rev())));
    }

    #[test]
    fn pictures_with_words_in_common_have_similar_descriptors() {
        let here = global_descriptor(&features(0..400));
        let half = dot(&here, &global_descriptor(&features(200..600)));
        let none = dot(&here, &global_descriptor(&features(10_000..10_400)));
        assert!((0.3..0.7).contains(&half), "{half}");
        assert!(none.abs() < 0.2, "{none}");
    }

    #[test]
    fn a_picture_without_features_has_a_descriptor_of_zeros() {
        assert_eq!(global_descriptor(&[]), vec![0.0; GLOBAL_DIMENSIONS]);
    }

    #[test]
    fn the_descriptor_of_a_barcode_is_near_to_no_other() {
        let here = barcode_descriptor("9784101010014");
        assert_eq!(here, barcode_descriptor("9784101010014"));
        assert_eq!(here.len(), GLOBAL_DIMENSIONS);
        assert!((dot(&here, &here) - 1.0).abs() < 1e-5);
        for other in [
            barcode_descriptor("9784101010021"),
            barcode_descriptor("4101010014"),
            barcode_descriptor(""),
            global_descriptor(&features(0..700)),
        ] {
            let cosine = dot(&here, &other);
            assert!(cosine.abs() < 0.2, "{cosine}");
        }
    }

    /// Descriptors are stored: when this fails, stored ones are no longer comparable.
    #[test]
    fn descriptors_never_change() {
        let places = |descriptor: &[f32]| {
            descriptor.iter().enumerate().filter(|(_, n)| **n > 0.0).map(|(at, _)| at).sum::<usize>()
        };
        assert_eq!(
            (places(&global_descriptor(&features(0..100))), places(&barcode_descriptor("9784101010014"))),
            (8052, 65535)
        );
    }
}
