//! Answers depend on the verdicts in force alone, and not on how they came about.

use std::collections::BTreeMap;

use kaisatsu_feedback::Change;
use kaisatsu_model::AppId;
use proptest::prelude::*;

use crate::support::{app, bits, direction, estimate, model_of, scope, value, verdict, verdict_on};

/// The position of a verdict in an order that depends on the seed.
fn shuffle(changes: &mut [Change], seed: u64) {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    changes.sort_by_key(|change| change.exemplar.bytes().fold(seed, fnv).rotate_left(32));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn changed_and_withdrawn_verdicts_leave_no_trace(
        kept in proptest::collection::vec((1u8..5, 0u64..30, 0u64..3, any::<bool>(), any::<bool>()), 1..60),
        withdrawn in proptest::collection::vec((1u8..5, 100u64..130, 0u64..3, any::<bool>(), any::<bool>()), 0..60),
        seed in any::<u64>(),
    ) {
        let change = |&(by, number, kind, first, valid): &(u8, u64, u64, bool, bool)| {
            verdict(by, number * 8 + kind, kind, if first { "a" } else { "b" }, Some(valid))
        };
        // The last verdict on each picture. A picture is recognised once: its candidates do not change.
        let mut last: BTreeMap<(AppId, String), Change> = BTreeMap::new();
        for one in kept.iter().map(change) {
            let key = (one.application.clone(), one.exemplar.clone());
            let candidates = last.get(&key).map_or(one.candidates.clone(), |known| known.candidates.clone());
            last.insert(key, Change { candidates, ..one });
        }
        let plain = model_of(last.values().cloned());
        let withdrawn: Vec<Change> = withdrawn.iter().map(change).collect();
        let busy = model_of(withdrawn.clone());
        let mut shuffled: Vec<Change> = last.into_values().collect();
        shuffle(&mut shuffled, seed);
        for one in shuffled {
            busy.apply(&Change { valid: one.valid.map(|valid| !valid), ..one.clone() });
            busy.apply(&one);
        }
        for one in withdrawn {
            busy.apply(&Change { valid: None, ..one });
        }
        for by in 1..6 {
            prop_assert_eq!(bits(&busy, by), bits(&plain, by));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// Above 512 exemplars only some are compared with a picture. Which ones must not depend on the order either, even
    /// where many are equally far away.
    #[test]
    fn the_order_of_more_than_512_exemplars_does_not_matter(
        count in 513u64..900,
        distinct in 1u64..40,
        withdrawn in 0u64..200,
        seed in any::<u64>(),
    ) {
        // Few distinct pictures, so that there are many ties; the verdicts on a picture differ.
        let change = |number: u64| {
            let kind = number % distinct % 3;
            let descriptor = verdict(1, number % distinct, kind, "a", None).descriptor;
            verdict_on(1, number, descriptor, "a", Some(number % 7 < 4))
        };
        let kept: Vec<Change> = (0..count).map(change).collect();
        let plain = model_of(kept.clone());
        let passing: Vec<Change> = (count..count + withdrawn).map(change).collect();
        let busy = model_of(passing.clone());
        let mut shuffled = kept;
        shuffle(&mut shuffled, seed);
        for one in shuffled {
            busy.apply(&one);
        }
        for one in passing {
            busy.apply(&Change { valid: None, ..one });
        }
        prop_assert_eq!(bits(&busy, 1), bits(&plain, 1));
    }
}

/// Identical pictures, `count` of them, with verdicts that differ.
fn identical(count: u64) -> impl DoubleEndedIterator<Item = Change> {
    (0..count).map(|number| verdict_on(1, number, direction(&[1.0, 0.5, 0.0]), "a", Some(number % 3 == 0)))
}

#[test]
fn up_to_512_exemplars_are_all_compared_and_of_more_256() {
    let compared = |count| estimate(&model_of(identical(count)), 1, &direction(&[1.0, 0.5, 0.0]), "a").contributions;
    assert_eq!(compared(512).len(), 512);
    assert_eq!(compared(513).len(), 256);
    assert_eq!(compared(5000).len(), 256);
}

#[test]
fn ties_beyond_512_exemplars_are_broken_by_key() {
    let names = |changes: &mut dyn Iterator<Item = Change>| -> Vec<Option<String>> {
        let found = estimate(&model_of(changes), 1, &direction(&[1.0, 0.5, 0.0]), "a").contributions;
        found.into_iter().map(|one| one.exemplar.map(|key| key.to_string())).collect()
    };
    let forward = names(&mut identical(900));
    assert_eq!(forward, names(&mut identical(900).rev()));
    let first: Vec<Option<String>> = identical(256).map(|change| Some(change.exemplar)).collect();
    assert!(!forward.iter().all(|name| first.contains(name)), "not simply those that came first");
}

#[test]
fn the_nearest_exemplars_are_preferred_to_ties() {
    // 200 pictures like the query, and 600 of another kind that is within reach but further away.
    let (near, far) = (direction(&[1.0, 0.5, 0.1, -0.2]), direction(&[1.0, -0.5, 0.4, 0.6]));
    let rated = |number: u64| {
        let vector = if number.is_multiple_of(4) { near.clone() } else { far.clone() };
        verdict_on(1, number, vector, "a", Some(number.is_multiple_of(4)))
    };
    let model = model_of((0..800).map(rated));
    let found = estimate(&model, 1, &near, "a").contributions;
    assert_eq!(found.iter().filter(|one| one.valid).count(), 200);
    assert!(value(&model, 1, &near, "a").unwrap() > 0.5);
}

#[test]
fn a_sample_depends_on_the_keys_alone() {
    let keys = |changes: &mut dyn Iterator<Item = Change>| -> Vec<String> {
        let sample = model_of(changes).sample(&scope(), &app(1), 20);
        sample.iter().map(|exemplar| exemplar.key.to_string()).collect()
    };
    let all = || (0..100).map(|number| verdict(1, number, number % 8, "a", Some(true)));
    let sample = keys(&mut all());
    assert_eq!(sample.len(), 20);
    assert!(sample.is_sorted());
    assert_eq!(keys(&mut all().rev()), sample);
    let busy = (0..100).map(|number| verdict(1, number + 200, 0, "a", Some(true)));
    let gone = (0..100).map(|number| verdict(1, number + 200, 0, "a", None));
    assert_eq!(keys(&mut busy.chain(all()).chain(gone)), sample);
}
