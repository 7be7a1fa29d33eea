//! A picture as one vector: a bag of its visual words, or only the digits of its barcode.

use kaisatsu_model::mix::scatter;

use super::{
    random::Random,
    words::{Asked, PROBES},
};
use crate::vector::normalise;

/// Numbers in a look.
pub const LOOK_NUMBERS: usize = 512;

/// What a word counts by its rank among those a feature may have: a tenth less from each to the next. A photograph from
/// another place gives a feature another likeliest word, but mostly one that was near before.
const COUNTS: [i32; PROBES] = [256, 230, 207, 187, 168, 151, 136, 122, 110, 99, 89, 80, 72, 65, 59, 53];

/// The look of a picture by the words that its features may have.
///
/// There are more words than a picture has features, so they share places; each counts up or down at its place, and
/// what meets there by chance cancels out. Roots are taken because a pattern that repeats says little each time.
pub(super) fn look(features: &[Asked]) -> Vec<f32> {
    let mut counts = [0i32; LOOK_NUMBERS];
    for (word, count) in features.iter().flat_map(|feature| feature.words.iter().zip(COUNTS)) {
        let mixed = scatter(u64::from(*word));
        let place = usize::try_from(mixed % LOOK_NUMBERS as u64).unwrap_or(0);
        counts[place] += if mixed >> 63 == 0 { count } else { -count };
    }
    #[allow(clippy::cast_precision_loss, reason = "a few thousand features")]
    let root = |count: &i32| (*count as f32).signum() * (*count as f32).abs().sqrt();
    let mut look: Vec<f32> = counts.iter().map(|count| if *count == 0 { 0.0 } else { root(count) }).collect();
    normalise(&mut look);
    look
}

/// The look of a barcode: the same digits always look the same, and others, like any picture, have nothing to do with it.
#[must_use]
pub fn digits_look(digits: &str) -> Vec<f32> {
    let seed = digits.bytes().fold(0, |seed, byte| scatter(seed ^ u64::from(byte)));
    let mut random = Random::new(seed);
    let mut look: Vec<f32> = (0..LOOK_NUMBERS).map(|_| if random.next() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
    normalise(&mut look);
    look
}

#[cfg(test)]
mod tests {
    use super::{LOOK_NUMBERS, digits_look, look};
    use crate::{
        object::words::{Asked, PROBES},
        vector::dot,
    };

    fn features(words: impl IntoIterator<Item = u16>) -> Vec<Asked> {
        words.into_iter().map(|word| Asked { words: [word; PROBES], signature: 0 }).collect()
    }

    #[test]
    fn a_look_is_one_long_and_does_not_depend_on_an_order() {
        let here = look(&features(0..700));
        assert_eq!(here.len(), LOOK_NUMBERS);
        assert!((dot(&here, &here) - 1.0).abs() < 1e-5);
        assert_eq!(here, look(&features((0..700).rev())));
    }

    #[test]
    fn pictures_with_words_in_common_look_alike() {
        let here = look(&features(0..400));
        let half = dot(&here, &look(&features(200..600)));
        let none = dot(&here, &look(&features(10_000..10_400)));
        assert!((0.3..0.7).contains(&half), "{half}");
        assert!(none.abs() < 0.2, "{none}");
    }

    #[test]
    fn nothing_looks_like_nothing() {
        assert_eq!(look(&[]), vec![0.0; LOOK_NUMBERS]);
    }

    #[test]
    fn a_barcode_looks_like_itself_only() {
        let here = digits_look("9784101010014");
        assert_eq!(here, digits_look("9784101010014"));
        assert_eq!(here.len(), LOOK_NUMBERS);
        assert!((dot(&here, &here) - 1.0).abs() < 1e-5);
        for other in [digits_look("9784101010021"), digits_look("4101010014"), digits_look(""), look(&features(0..700))]
        {
            let cosine = dot(&here, &other);
            assert!(cosine.abs() < 0.2, "{cosine}");
        }
    }

    /// What is kept outlives the program that made it: when this fails, kept looks mean nothing any more.
    #[test]
    fn looks_never_change() {
        let places = |look: &[f32]| look.iter().enumerate().filter(|(_, n)| **n > 0.0).map(|(at, _)| at).sum::<usize>();
        assert_eq!((places(&look(&features(0..100))), places(&digits_look("9784101010014"))), (8052, 65535));
    }
}
