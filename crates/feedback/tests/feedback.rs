//! Verdicts apply near where they were given, within bounds, to the right applications, and leave no trace when they
//! are withdrawn.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use kaisatsu_feedback::{Candidate, Change, Example, FeedbackModel, ScopeKey};
use kaisatsu_model::AppId;
use proptest::prelude::*;

const DIMS: usize = 48;
const QUORUM: usize = 3;

fn scope() -> ScopeKey {
    ScopeKey { task: "classify".to_owned(), model: "general".to_owned(), engine: "e".to_owned(), class: String::new() }
}

fn app(number: u8) -> AppId {
    AppId::from_random([number; 10])
}

/// A picture of a kind: a direction for each kind, some noise that depends on the seed, and what all share.
fn picture(kind: usize, seed: u64) -> Vec<f32> {
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
    let candidate =
        |id: &str, subject: &str, base_score| Candidate { id: id.to_owned(), subject: subject.to_owned(), base_score };
    let exemplar = format!("r{by}-{number}");
    Change {
        scope: scope(),
        shared: true,
        application: app(by),
        owner: None,
        verdict: (exemplar.clone(), "1".to_owned()),
        exemplar,
        valid,
        candidates: vec![candidate("1", subject, 0.5), candidate("2", "other", 0.3), candidate("3", "third", 0.1)],
        descriptor: picture(kind, number + u64::from(by) * 1000),
    }
}

fn value(model: &FeedbackModel, by: u8, picture: &[f32], subject: &str) -> Option<f32> {
    model.evidence(&scope(), &app(by), picture).map(|evidence| evidence.value(subject))
}

/// The bits of all answers to many questions.
fn bits(model: &FeedbackModel, by: u8) -> Vec<Option<u32>> {
    let subjects = ["a", "b", "other", "third"];
    (0..8)
        .flat_map(|kind| subjects.map(|subject| value(model, by, &picture(kind, 77), subject).map(f32::to_bits)))
        .collect()
}

#[test]
fn a_verdict_acts_at_once_near_by_and_fades_with_distance() {
    let model = FeedbackModel::new(QUORUM);
    assert!(model.evidence(&scope(), &app(1), &picture(0, 5)).is_none(), "nothing was said");
    model.apply(&change(1, 5, 0, "a", Some(true)));
    let same = value(&model, 1, &picture(0, 1005), "a").unwrap();
    let near = value(&model, 1, &picture(0, 6), "a").unwrap();
    assert!(same > near && near > 0.05, "{same} {near}");
    assert_eq!(value(&model, 1, &picture(3, 6), "a"), None, "far away nothing is heard, and nothing moves");
    assert!(same > 0.6, "the picture itself: {same}");
    let estimate = model.evidence(&scope(), &app(1), &picture(0, 1005)).unwrap().estimate("a").unwrap();
    assert_eq!(estimate.contributions[0].exemplar.as_deref(), Some("r1-5"));
    assert!((estimate.contributions.iter().map(|one| one.amount).sum::<f32>() - estimate.value).abs() < 1e-6);
    model.apply(&change(1, 5, 0, "a", Some(false)));
    let turned = value(&model, 1, &picture(0, 1005), "a").unwrap();
    assert_eq!(turned.to_bits(), (-same).to_bits(), "the last word replaces the earlier one exactly");
}

#[test]
fn no_number_of_verdicts_goes_beyond_the_bound() {
    let model = FeedbackModel::new(QUORUM);
    for number in 0..3000 {
        model.apply(&change(1, number, 0, "a", Some(true)));
    }
    let value = value(&model, 1, &picture(0, 9999), "a").unwrap();
    assert!(value > 0.8 && value < 1.0, "{value}");
}

#[test]
fn one_application_never_moves_the_answers_of_another() {
    let model = FeedbackModel::new(QUORUM);
    for number in 0..40 {
        let kind = usize::try_from(number % 8).unwrap();
        model.apply(&change(2, number, kind, if kind % 2 == 0 { "a" } else { "b" }, Some(number % 3 != 0)));
    }
    let (quiet, active) = (bits(&model, 3), bits(&model, 2));
    assert!(quiet.iter().all(Option::is_none));
    for number in 0..10_000 {
        let kind = usize::try_from(number % 8).unwrap();
        model.apply(&change(1, number, kind, ["a", "b"][kind % 2], Some(false)));
    }
    assert_eq!(bits(&model, 3), quiet);
    assert_eq!(bits(&model, 2), active);
    assert_ne!(bits(&model, 1), active);
    assert!(
        model.has_feedback_for(&app(1), "classify", "general")
            && model.has_feedback_for(&app(2), "classify", "general")
    );
    assert!(!model.has_feedback_for(&app(3), "classify", "general"), "not even more is looked at for its sake");
}

#[test]
fn what_enough_applications_say_near_by_acts_for_all() {
    let model = FeedbackModel::new(QUORUM);
    model.apply(&change(1, 1, 0, "a", Some(true)));
    model.apply(&change(2, 1, 0, "a", Some(true)));
    model.apply(&change(2, 2, 0, "a", Some(true)));
    model.apply(&change(3, 1, 4, "a", Some(true)));
    model.apply(&change(4, 1, 0, "a", Some(false)));
    assert!(
        model.evidence(&scope(), &app(9), &picture(0, 7)).is_none(),
        "two agree, one speaks of another place, one disagrees"
    );
    model.apply(&change(3, 2, 0, "a", Some(true)));
    let estimate = model.evidence(&scope(), &app(9), &picture(0, 7)).unwrap().estimate("a").unwrap();
    assert!(estimate.value > 0.1 && estimate.contributions.iter().all(|one| one.exemplar.is_none()), "{estimate:?}");
    // Who says it often is not heard more often.
    assert_eq!(estimate.contributions.len(), 3);
    for number in 10..60 {
        model.apply(&change(3, number, 0, "a", Some(true)));
    }
    assert_eq!(
        model.evidence(&scope(), &app(9), &picture(0, 7)).unwrap().estimate("a").unwrap().contributions.len(),
        3
    );
    for number in (2..3).chain(10..60) {
        model.apply(&change(3, number, 0, "a", None));
    }
    assert!(model.evidence(&scope(), &app(9), &picture(0, 7)).is_none(), "taken back");
}

#[test]
fn the_whole_result_speaks_for_its_candidates() {
    let model = FeedbackModel::new(QUORUM);
    let whole = |valid| Change { verdict: ("r1-5".to_owned(), String::new()), ..change(1, 5, 0, "a", valid) };
    model.apply(&whole(Some(false)));
    let at = picture(0, 1005);
    assert!(["a", "other", "third"].iter().all(|subject| value(&model, 1, &at, subject).unwrap() < -0.5));
    model.apply(&change(1, 5, 0, "a", Some(true)));
    assert!(value(&model, 1, &at, "a").unwrap() > 0.5, "what is said of one goes before what is said of all");
    assert!(value(&model, 1, &at, "other").unwrap() < -0.5);
    model.apply(&change(1, 5, 0, "a", None));
    model.apply(&whole(Some(true)));
    assert!(value(&model, 1, &at, "a").unwrap() > 0.5 && value(&model, 1, &at, "other").unwrap() == 0.0);
}

#[test]
fn what_does_harm_is_found_and_what_helps_is_not() {
    let model = FeedbackModel::new(QUORUM);
    let confirm = |kind: usize, number| {
        let subject = format!("s{kind}");
        Change {
            candidates: vec![
                Candidate { id: "1".to_owned(), subject: subject.clone(), base_score: 0.4 },
                Candidate { id: "2".to_owned(), subject: format!("s{}", (kind + 1) % 8), base_score: 0.35 },
            ],
            ..change(1, number, kind, &subject, Some(true))
        }
    };
    for number in 0..48 {
        model.apply(&confirm(usize::try_from(number % 8).unwrap(), number));
    }
    assert!(model.find_harmful(&scope(), Some(&app(1)), &[]).is_none(), "confirmations do no harm");
    for number in 100..116 {
        let wrong = confirm(usize::try_from(number % 8).unwrap(), number);
        model.apply(&Change { valid: Some(false), ..wrong });
    }
    // Sixteen against forty-eight change little by themselves; many of them do.
    for number in 200..400 {
        let wrong = confirm(usize::try_from(number % 8).unwrap(), number);
        model.apply(&Change { valid: Some(false), ..wrong });
    }
    let (held, judgement) = model.find_harmful(&scope(), Some(&app(1)), &[]).unwrap();
    assert!(judgement.is_harmful() && judgement.worse >= 5, "{judgement:?}");
    assert_eq!(held.len(), 216);
    assert!(held.iter().all(|(recognition, item)| recognition.starts_with("r1-") && item == "1"));
    assert!(model.find_harmful(&scope(), Some(&app(1)), &[]).is_none(), "it is said once");
}

#[test]
fn examples_from_elsewhere_are_judged_too() {
    let model = FeedbackModel::new(QUORUM);
    for number in 0..64 {
        model.apply(&change(1, number, 0, "a", Some(false)));
    }
    let example = |number| Example {
        descriptor: picture(0, number),
        right: "a".to_owned(),
        scores: vec![("a".to_owned(), 0.5), ("never named".to_owned(), 0.4)],
    };
    let others: Vec<Example> = (500..520).map(example).collect();
    let (held, judgement) = model.find_harmful(&scope(), Some(&app(1)), &others).unwrap();
    assert_eq!((held.len(), judgement.judged), (64, 20));
    assert!(judgement.worse >= 10 && judgement.better == 0, "{judgement:?}");
}

#[test]
fn vectors_of_another_network_have_nothing_to_say() {
    let model = FeedbackModel::new(QUORUM);
    model.apply(&change(1, 5, 0, "a", Some(true)));
    model.apply(&Change { descriptor: vec![1.0, 0.0, 0.5], ..change(1, 6, 0, "a", Some(true)) });
    assert_eq!(value(&model, 1, &[1.0, 0.0, 0.5], "a"), None);
    model.forget("general");
    assert!(model.evidence(&scope(), &app(1), &picture(0, 5)).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Whatever comes in whatever order, and whatever comes and goes again: the answers are those of what is in force.
    #[test]
    fn only_what_is_in_force_counts(
        kept in proptest::collection::vec((1u8..5, 0u64..30, 0usize..3, any::<bool>(), any::<bool>()), 1..60),
        gone in proptest::collection::vec((1u8..5, 100u64..130, 0usize..3, any::<bool>(), any::<bool>()), 0..60),
        seed in any::<u64>(),
    ) {
        let verdict = |&(by, number, kind, first, valid): &(u8, u64, usize, bool, bool)| {
            change(by, number * 8 + kind as u64, kind, if first { "a" } else { "b" }, Some(valid))
        };
        // The last word on each picture.
        let mut last: std::collections::BTreeMap<(AppId, String), Change> = std::collections::BTreeMap::new();
        for one in kept.iter().map(verdict) {
            let key = (one.application.clone(), one.exemplar.clone());
            // A picture is recognised once: its candidates do not change.
            let candidates = last.get(&key).map_or(one.candidates.clone(), |known| known.candidates.clone());
            last.insert(key, Change { candidates, ..one });
        }
        let plain = FeedbackModel::new(QUORUM);
        for one in last.values() {
            plain.apply(one);
        }
        let busy = FeedbackModel::new(QUORUM);
        let passing: Vec<Change> = gone.iter().map(verdict).collect();
        for one in &passing {
            busy.apply(one);
        }
        let mut shuffled: Vec<&Change> = last.values().collect();
        let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        shuffled.sort_by_key(|one| one.exemplar.bytes().fold(seed, fnv));
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
    let model = FeedbackModel::new(QUORUM);
    let owner = Some(kaisatsu_model::AccountId::from_random([1; 10]));
    let most = u8::try_from(QUORUM).unwrap() + 2;
    for by in 1..=most {
        model.apply(&Change { owner: owner.clone(), ..change(by, 1, 0, "a", Some(true)) });
    }
    assert_eq!(value(&model, 99, &picture(0, 77), "a"), None, "nobody else hears it");
    for by in most + 1..most + u8::try_from(QUORUM).unwrap() {
        model.apply(&change(by, 1, 0, "a", Some(true)));
    }
    assert!(value(&model, 99, &picture(0, 77), "a").is_some_and(|value| value > 0.0), "until others agree");
}
