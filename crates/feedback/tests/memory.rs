//! What a memory promises: verdicts act near where they were given, within bounds, for whom they should, and leave no
//! trace when they are taken back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use kaisatsu_feedback::{Change, Example, Item, Memory, SpaceKey};
use kaisatsu_model::AppId;
use proptest::prelude::*;

const DIMS: usize = 48;
const QUORUM: usize = 3;

fn space() -> SpaceKey {
    SpaceKey { task: "classify".to_owned(), model: "general".to_owned(), engine: "e".to_owned(), part: String::new() }
}

fn app(number: u8) -> AppId {
    AppId::from_random([number; 10])
}

/// A picture of a kind: a direction for each kind, some noise that depends on the seed, and what all share.
fn look(kind: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from(u16::try_from(state >> 48).unwrap()) / 65_536.0 - 0.5
    };
    (0..DIMS).map(|at| noise() * 0.5 + if at % 8 == kind { 1.0 } else { 0.0 } + 0.3).collect()
}

/// A verdict on the first of three candidates.
fn change(by: u8, number: u64, kind: usize, subject: &str, valid: Option<bool>) -> Change {
    let item = |id: &str, subject: &str, base| Item { id: id.to_owned(), subject: subject.to_owned(), base };
    let exemplar = format!("r{by}-{number}");
    Change {
        space: space(),
        shared: true,
        application: app(by),
        owner: None,
        verdict: (exemplar.clone(), "1".to_owned()),
        exemplar,
        valid,
        items: vec![item("1", subject, 0.5), item("2", "other", 0.3), item("3", "third", 0.1)],
        look: look(kind, number + u64::from(by) * 1000),
    }
}

fn lean(memory: &Memory, by: u8, look: &[f32], subject: &str) -> Option<f32> {
    memory.ask(&space(), &app(by), look).map(|said| said.lean(subject))
}

/// The bits of all answers to many questions.
fn bits(memory: &Memory, by: u8) -> Vec<Option<u32>> {
    let subjects = ["a", "b", "other", "third"];
    (0..8)
        .flat_map(|kind| subjects.map(|subject| lean(memory, by, &look(kind, 77), subject).map(f32::to_bits)))
        .collect()
}

#[test]
fn a_verdict_acts_at_once_near_by_and_fades_with_distance() {
    let memory = Memory::new(QUORUM);
    assert!(memory.ask(&space(), &app(1), &look(0, 5)).is_none(), "nothing was said");
    memory.apply(&change(1, 5, 0, "a", Some(true)));
    let same = lean(&memory, 1, &look(0, 1005), "a").unwrap();
    let near = lean(&memory, 1, &look(0, 6), "a").unwrap();
    assert!(same > near && near > 0.05, "{same} {near}");
    assert_eq!(lean(&memory, 1, &look(3, 6), "a"), None, "far away nothing is heard, and nothing moves");
    assert!(same > 0.6, "the picture itself: {same}");
    let said = memory.ask(&space(), &app(1), &look(0, 1005)).unwrap().leaning("a").unwrap();
    assert_eq!(said.said[0].exemplar.as_deref(), Some("r1-5"));
    assert!((said.said.iter().map(|said| said.by).sum::<f32>() - said.lean).abs() < 1e-6);
    memory.apply(&change(1, 5, 0, "a", Some(false)));
    let turned = lean(&memory, 1, &look(0, 1005), "a").unwrap();
    assert_eq!(turned.to_bits(), (-same).to_bits(), "the last word replaces the earlier one exactly");
}

#[test]
fn no_number_of_verdicts_goes_beyond_the_bound() {
    let memory = Memory::new(QUORUM);
    for number in 0..3000 {
        memory.apply(&change(1, number, 0, "a", Some(true)));
    }
    let lean = lean(&memory, 1, &look(0, 9999), "a").unwrap();
    assert!(lean > 0.8 && lean < 1.0, "{lean}");
}

#[test]
fn one_application_never_moves_the_answers_of_another() {
    let memory = Memory::new(QUORUM);
    for number in 0..40 {
        let kind = usize::try_from(number % 8).unwrap();
        memory.apply(&change(2, number, kind, if kind % 2 == 0 { "a" } else { "b" }, Some(number % 3 != 0)));
    }
    let (quiet, active) = (bits(&memory, 3), bits(&memory, 2));
    assert!(quiet.iter().all(Option::is_none));
    for number in 0..10_000 {
        let kind = usize::try_from(number % 8).unwrap();
        memory.apply(&change(1, number, kind, ["a", "b"][kind % 2], Some(false)));
    }
    assert_eq!(bits(&memory, 3), quiet);
    assert_eq!(bits(&memory, 2), active);
    assert_ne!(bits(&memory, 1), active);
    assert!(memory.speaks_to(&app(1), "classify", "general") && memory.speaks_to(&app(2), "classify", "general"));
    assert!(!memory.speaks_to(&app(3), "classify", "general"), "not even more is looked at for its sake");
}

#[test]
fn what_enough_applications_say_near_by_acts_for_all() {
    let memory = Memory::new(QUORUM);
    memory.apply(&change(1, 1, 0, "a", Some(true)));
    memory.apply(&change(2, 1, 0, "a", Some(true)));
    memory.apply(&change(2, 2, 0, "a", Some(true)));
    memory.apply(&change(3, 1, 4, "a", Some(true)));
    memory.apply(&change(4, 1, 0, "a", Some(false)));
    assert!(
        memory.ask(&space(), &app(9), &look(0, 7)).is_none(),
        "two agree, one speaks of another place, one disagrees"
    );
    memory.apply(&change(3, 2, 0, "a", Some(true)));
    let said = memory.ask(&space(), &app(9), &look(0, 7)).unwrap().leaning("a").unwrap();
    assert!(said.lean > 0.1 && said.said.iter().all(|said| said.exemplar.is_none()), "{said:?}");
    // Who says it often is not heard more often.
    assert_eq!(said.said.len(), 3);
    for number in 10..60 {
        memory.apply(&change(3, number, 0, "a", Some(true)));
    }
    assert_eq!(memory.ask(&space(), &app(9), &look(0, 7)).unwrap().leaning("a").unwrap().said.len(), 3);
    for number in (2..3).chain(10..60) {
        memory.apply(&change(3, number, 0, "a", None));
    }
    assert!(memory.ask(&space(), &app(9), &look(0, 7)).is_none(), "taken back");
}

#[test]
fn the_whole_result_speaks_for_its_candidates() {
    let memory = Memory::new(QUORUM);
    let whole = |valid| Change { verdict: ("r1-5".to_owned(), String::new()), ..change(1, 5, 0, "a", valid) };
    memory.apply(&whole(Some(false)));
    let at = look(0, 1005);
    assert!(["a", "other", "third"].iter().all(|subject| lean(&memory, 1, &at, subject).unwrap() < -0.5));
    memory.apply(&change(1, 5, 0, "a", Some(true)));
    assert!(lean(&memory, 1, &at, "a").unwrap() > 0.5, "what is said of one goes before what is said of all");
    assert!(lean(&memory, 1, &at, "other").unwrap() < -0.5);
    memory.apply(&change(1, 5, 0, "a", None));
    memory.apply(&whole(Some(true)));
    assert!(lean(&memory, 1, &at, "a").unwrap() > 0.5 && lean(&memory, 1, &at, "other").unwrap() == 0.0);
}

#[test]
fn what_does_harm_is_found_and_what_helps_is_not() {
    let memory = Memory::new(QUORUM);
    let confirm = |kind: usize, number| {
        let subject = format!("s{kind}");
        Change {
            items: vec![
                Item { id: "1".to_owned(), subject: subject.clone(), base: 0.4 },
                Item { id: "2".to_owned(), subject: format!("s{}", (kind + 1) % 8), base: 0.35 },
            ],
            ..change(1, number, kind, &subject, Some(true))
        }
    };
    for number in 0..48 {
        memory.apply(&confirm(usize::try_from(number % 8).unwrap(), number));
    }
    assert!(memory.guard(&space(), Some(&app(1)), &[]).is_none(), "confirmations do no harm");
    for number in 100..116 {
        let wrong = confirm(usize::try_from(number % 8).unwrap(), number);
        memory.apply(&Change { valid: Some(false), ..wrong });
    }
    // Sixteen against forty-eight change little by themselves; many of them do.
    for number in 200..400 {
        let wrong = confirm(usize::try_from(number % 8).unwrap(), number);
        memory.apply(&Change { valid: Some(false), ..wrong });
    }
    let (held, judgement) = memory.guard(&space(), Some(&app(1)), &[]).unwrap();
    assert!(judgement.is_harmful() && judgement.worse >= 5, "{judgement:?}");
    assert_eq!(held.len(), 216);
    assert!(held.iter().all(|(recognition, item)| recognition.starts_with("r1-") && item == "1"));
    assert!(memory.guard(&space(), Some(&app(1)), &[]).is_none(), "it is said once");
}

#[test]
fn examples_from_elsewhere_are_judged_too() {
    let memory = Memory::new(QUORUM);
    for number in 0..64 {
        memory.apply(&change(1, number, 0, "a", Some(false)));
    }
    let example = |number| Example {
        look: look(0, number),
        right: "a".to_owned(),
        listed: vec![("a".to_owned(), 0.5), ("never named".to_owned(), 0.4)],
    };
    let others: Vec<Example> = (500..520).map(example).collect();
    let (held, judgement) = memory.guard(&space(), Some(&app(1)), &others).unwrap();
    assert_eq!((held.len(), judgement.judged), (64, 20));
    assert!(judgement.worse >= 10 && judgement.better == 0, "{judgement:?}");
}

#[test]
fn vectors_of_another_network_have_nothing_to_say() {
    let memory = Memory::new(QUORUM);
    memory.apply(&change(1, 5, 0, "a", Some(true)));
    memory.apply(&Change { look: vec![1.0, 0.0, 0.5], ..change(1, 6, 0, "a", Some(true)) });
    assert_eq!(lean(&memory, 1, &[1.0, 0.0, 0.5], "a"), None);
    memory.forget("general");
    assert!(memory.ask(&space(), &app(1), &look(0, 5)).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Whatever comes in whatever order, and whatever comes and goes again: the answers are those of what is in force.
    #[test]
    fn only_what_is_in_force_counts(
        kept in proptest::collection::vec((1u8..5, 0u64..30, 0usize..3, any::<bool>(), any::<bool>()), 1..60),
        gone in proptest::collection::vec((1u8..5, 100u64..130, 0usize..3, any::<bool>(), any::<bool>()), 0..60),
        lot in any::<u64>(),
    ) {
        let verdict = |&(by, number, kind, first, valid): &(u8, u64, usize, bool, bool)| {
            change(by, number * 8 + kind as u64, kind, if first { "a" } else { "b" }, Some(valid))
        };
        // The last word on each picture.
        let mut last: std::collections::BTreeMap<(AppId, String), Change> = std::collections::BTreeMap::new();
        for one in kept.iter().map(verdict) {
            let key = (one.application.clone(), one.exemplar.clone());
            // A picture is recognised once: its candidates do not change.
            let items = last.get(&key).map_or(one.items.clone(), |known| known.items.clone());
            last.insert(key, Change { items, ..one });
        }
        let plain = Memory::new(QUORUM);
        for one in last.values() {
            plain.apply(one);
        }
        let busy = Memory::new(QUORUM);
        let passing: Vec<Change> = gone.iter().map(verdict).collect();
        for one in &passing {
            busy.apply(one);
        }
        let mut shuffled: Vec<&Change> = last.values().collect();
        shuffled.sort_by_key(|one| one.exemplar.bytes().fold(lot, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)));
        for one in shuffled {
            busy.apply(&Change { valid: one.valid.map(|valid| !valid), ..one.clone() });
            busy.apply(one);
        }
        for one in &passing {
            busy.apply(&Change { valid: None, ..one.clone() });
        }
        for by in 1..6 {
            prop_assert_eq!(bits(&busy, by), bits(&plain, by));
        }
    }
}

#[test]
fn one_owner_of_many_applications_is_one_voice() {
    let memory = Memory::new(QUORUM);
    let owner = Some(kaisatsu_model::AccountId::from_random([1; 10]));
    let most = u8::try_from(QUORUM).unwrap() + 2;
    for by in 1..=most {
        memory.apply(&Change { owner: owner.clone(), ..change(by, 1, 0, "a", Some(true)) });
    }
    assert_eq!(lean(&memory, 99, &look(0, 77), "a"), None, "nobody else hears it");
    for by in most + 1..most + u8::try_from(QUORUM).unwrap() {
        memory.apply(&change(by, 1, 0, "a", Some(true)));
    }
    assert!(lean(&memory, 99, &look(0, 77), "a").is_some_and(|lean| lean > 0.0), "until others agree");
}
