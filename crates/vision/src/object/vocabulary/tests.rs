use fearless_simd::dispatch;
use proptest::prelude::*;

use super::{ENTRIES, PROBES, Vocabulary, doubled_dots_with};
use crate::object::{
    encoded::FeatureCode,
    features::{DIMENSIONS, Descriptor, Features, Point, dot},
    instruction_sets::levels,
};

fn descriptor() -> impl Strategy<Value = Descriptor> {
    proptest::collection::vec(any::<i8>(), DIMENSIONS).prop_map(|numbers| {
        let mut descriptor = [0; DIMENSIONS];
        descriptor.copy_from_slice(&numbers);
        descriptor
    })
}

proptest! {
    #[test]
    fn the_first_word_asked_for_is_the_word_itself(descriptor in descriptor()) {
        let vocabulary = Vocabulary::default();
        let query = Features::new(1, 1, vec![(Point { x: 0, y: 0 }, descriptor)]).expect("inside");
        let (asked, code) = (vocabulary.encode_query(&query), vocabulary.code(&descriptor));
        prop_assert_eq!(asked[0].signature, code.signature);
        prop_assert_eq!(asked[0].words[0], code.word);
        let mut once = asked[0].words.to_vec();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), PROBES);
    }

    #[test]
    fn like_descriptors_have_like_signatures(descriptor in descriptor(), at in 0..DIMENSIONS) {
        let vocabulary = Vocabulary::default();
        let mut like = descriptor;
        like[at] = like[at].saturating_add(3);
        let bits = vocabulary.code(&descriptor).signature ^ vocabulary.code(&like).signature;
        prop_assert!(bits.count_ones() < 8);
    }
}

#[test]
fn a_sum_of_two_entries_is_its_own_word() {
    let vocabulary = Vocabulary::default();
    let mut right = 0;
    for word in (0..=u16::MAX).step_by(257) {
        let (a, b) =
            (vocabulary.first.entries[usize::from(word >> 8)], vocabulary.second.entries[usize::from(word & 255)]);
        let sum: Descriptor = std::array::from_fn(|at| i8::try_from(a[at] + b[at]).unwrap_or(i8::MAX));
        right += u32::from(vocabulary.code(&sum).word == word);
    }
    // An entry far from the first table's nearest ones is not tried with it.
    assert!(right > 240, "{right} of 256");
}

/// Stored words outlive the program that wrote them: when this fails, the version of sketches must change with it.
#[test]
fn the_vocabulary_never_changes() {
    let descriptor: Descriptor = std::array::from_fn(|at| i8::try_from(at * 29 % 61).unwrap() - 30);
    assert_eq!(
        Vocabulary::default().code(&descriptor),
        FeatureCode { word: 10431, signature: 9_605_921_530_837_578_118 }
    );
}

#[test]
fn every_instruction_set_gives_the_products_of_a_plain_computation() {
    let vocabulary = Vocabulary::default();
    let descriptor: Descriptor = std::array::from_fn(|at| i8::try_from(at * 83 % 255).map_or(-1, |value| value - 90));
    let (wide, doubled) = (descriptor.map(i16::from), descriptor.map(|value| 2.0 * f32::from(value)));
    for table in [&vocabulary.first, &vocabulary.second] {
        let expected: Vec<i32> = table.entries.iter().map(|entry| 2 * dot(entry, &wide)).collect();
        for level in levels() {
            let mut found = [0; ENTRIES];
            dispatch!(level, _ => doubled_dots_with(&table.columns, &doubled, &mut found));
            assert_eq!(found.as_slice(), expected, "{level:?}");
        }
    }
}
