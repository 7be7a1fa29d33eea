//! Verdicts that name what a picture shows, where that is none of its candidates.

use kaisatsu_feedback::{Change, rescale_shares};
use proptest::prelude::*;

use crate::support::{QUORUM, app, bits, direction, model_of, picture, scope, value, verdict, verdict_on};

/// "It is actually …": the picture's candidates are "a", "other" and "third".
fn actually(by: u8, number: u64, kind: u64, subject: &str, valid: Option<bool>) -> Change {
    let plain = verdict(by, number, kind, "a", valid);
    let verdict = (plain.verdict.0.clone(), format!("tag:{subject}"));
    Change { verdict, named: Some(subject.to_owned()), ..plain }
}

#[test]
fn what_is_named_is_confirmed_like_a_candidate_and_no_candidate_with_it() {
    let named = model_of([actually(1, 5, 0, "b", Some(true))]);
    let answered = model_of([verdict(1, 5, 0, "b", Some(true))]);
    let seen = picture(0, 1005);
    assert_eq!(value(&named, 1, &seen, "b"), value(&answered, 1, &seen, "b"));
    assert_eq!(value(&named, 1, &seen, "a"), Some(0.0));
    assert!(named.evidence(&scope(), &app(1), &seen).unwrap().best() > 0.6);
    assert_eq!(named.sample(&scope(), &app(1), 1)[0].confirmed.as_deref(), Some("b"));
}

#[test]
fn a_rejected_result_and_a_named_subject_are_one_picture() {
    let whole = Change { verdict: ("r1-5".to_owned(), String::new()), ..verdict(1, 5, 0, "a", Some(false)) };
    let model = model_of([actually(1, 5, 0, "b", Some(true)), whole]);
    let seen = picture(0, 1005);
    assert!(value(&model, 1, &seen, "a").unwrap() < -0.6 && value(&model, 1, &seen, "b").unwrap() > 0.6);
    let evidence = model.evidence(&scope(), &app(1), &seen).unwrap();
    let subjects = ["a", "b", "c"];
    let after =
        rescale_shares(&[0.98, 1e-9, 0.01999], |class| kaisatsu_feedback::STRENGTH * evidence.value(subjects[class]));
    assert!(after[1] > 0.5, "the network gave it nothing: {after:?}");
}

#[test]
fn what_is_named_acts_for_others_with_a_quorum() {
    let seen = picture(0, 1005);
    let by = |count: u8| {
        model_of((1..=count).map(|by| Change { descriptor: seen.clone(), ..actually(by, 5, 0, "b", Some(true)) }))
    };
    let quorum = u8::try_from(QUORUM).unwrap();
    assert_eq!(value(&by(quorum - 1), 9, &seen, "b"), None);
    assert!(value(&by(quorum), 9, &seen, "b").unwrap() > 0.6);
}

#[test]
fn false_names_are_held() {
    // Pictures of two kinds that have nothing in common, confirmed long ago.
    let seen = |kind: usize| direction(&[f32::from(u8::from(kind == 0)), f32::from(u8::from(kind == 1))]);
    let confirmed = |number: u64| verdict_on(1, number, seen(usize::try_from(number % 2).unwrap()), "a", Some(true));
    let model = model_of((0..20).map(confirmed));
    model.mark_all_judged();
    for number in 100..140 {
        let plain = verdict_on(1, number, seen(0), "a", Some(true));
        let verdict = (plain.verdict.0.clone(), "tag:b".to_owned());
        model.apply(&Change { verdict, named: Some("b".to_owned()), ..plain });
        // And what was answered is rejected.
        model.apply(&verdict_on(1, number, seen(0), "a", Some(false)));
    }
    let (held, judgement) = model.find_harmful(&scope(), Some(&app(1)), &[]).unwrap();
    assert!(judgement.worse >= 5, "{judgement:?}");
    assert!(held.contains(&("r1-100".to_owned(), "tag:b".to_owned())), "{held:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn named_subjects_leave_no_trace_and_their_order_does_not_matter(
        kept in proptest::collection::btree_set((1u8..5, 0u64..20, 0usize..4), 1..40),
        withdrawn in proptest::collection::btree_set((1u8..5, 0u64..20, 0usize..4), 0..40),
    ) {
        // Two names and two candidates of the same pictures.
        let change = |&(by, number, which): &(u8, u64, usize), valid| match which {
            0 => actually(by, number, number % 3, "b", valid),
            1 => actually(by, number, number % 3, "c", valid),
            2 => verdict(by, number, number % 3, "a", valid),
            _ => {
                let first = verdict(by, number, number % 3, "a", valid);
                Change { verdict: (first.verdict.0.clone(), "2".to_owned()), ..first }
            }
        };
        let plain = model_of(kept.iter().map(|one| change(one, Some(true))));
        let busy = model_of(withdrawn.iter().map(|one| change(one, Some(false))));
        for one in kept.iter().rev() {
            busy.apply(&change(one, Some(false)));
            busy.apply(&change(one, Some(true)));
        }
        for one in withdrawn.difference(&kept) {
            busy.apply(&change(one, None));
        }
        for by in 1..6 {
            prop_assert_eq!(bits(&busy, by), bits(&plain, by));
        }
    }
}
