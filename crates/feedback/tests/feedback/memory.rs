//! What a model takes, and what is kept of one that is dropped.

use kaisatsu_feedback::{Change, FeedbackModel};

use crate::support::{app, bits, model_of, scope, scope_of, verdict};

/// Verdicts of three applications on pictures of all kinds.
fn given(numbers: std::ops::Range<u64>) -> impl Iterator<Item = Change> {
    numbers.map(|number| {
        let by = u8::try_from(number % 3 + 1).unwrap();
        verdict(by, number, number % 8, if number % 2 == 0 { "a" } else { "b" }, Some(number % 5 != 0))
    })
}

#[test]
fn a_model_takes_more_with_every_verdict_and_gives_back_what_is_withdrawn() {
    let model = model_of(given(0..50));
    let few = model.bytes();
    // A vector of 48 bytes, its sketch of 64, the texts of three candidates, and tables around them.
    assert!((50 * 500..50 * 4_000).contains(&few), "{few}");
    for change in given(50..600) {
        model.apply(&change);
    }
    let many = model.bytes();
    assert!((550 * 500..550 * 10_000).contains(&(many - few)), "{many} after {few}");
    for change in given(0..600) {
        model.apply(&Change { valid: None, ..change });
    }
    let none = model.bytes();
    // Tables stay as large as they were; what the pictures had of their own is gone.
    assert!(none < many, "{none} after {many}");
    assert!(FeedbackModel::new(3).bytes() < 100);
}

#[test]
fn verdicts_that_are_applied_again_change_nothing() {
    let model = model_of(given(0..200));
    let (before, bytes) = ([1, 2, 3, 9].map(|by| bits(&model, by)), model.bytes());
    let unjudged = model.unjudged();
    for change in given(0..200) {
        model.apply(&change);
        model.apply(&change);
    }
    assert_eq!([1, 2, 3, 9].map(|by| bits(&model, by)), before);
    assert_eq!((model.bytes(), model.unjudged()), (bytes, unjudged));
}

#[test]
fn what_the_guard_has_not_judged_is_put_back_into_a_model_of_the_same_verdicts() {
    let model = model_of(given(0..40));
    model.apply(&Change { scope: scope_of("another"), ..verdict(1, 5, 0, "a", Some(true)) });
    model.mark_all_judged();
    assert!(model.unjudged().is_empty());
    // Not enough to be judged, of two applications and in force for all.
    let recent: Vec<Change> = given(40..60).collect();
    for change in &recent {
        model.apply(change);
    }
    let unjudged = model.unjudged();
    assert!(!unjudged.is_empty());
    assert!(unjudged.bytes() > 20 * 16);
    let again = model_of(given(0..60));
    again.mark_all_judged();
    again.restore_unjudged(&unjudged);
    assert_eq!(again.unjudged(), unjudged);
    // The guard goes on where it was.
    for number in 60..80 {
        for model in [&model, &again] {
            model.apply(&verdict(1, number, number % 8, "a", Some(true)));
        }
    }
    for whose in [Some(&app(1)), None] {
        assert_eq!(
            model.find_harmful(&scope(), whose, &[]).map(|(_, judgement)| judgement),
            again.find_harmful(&scope(), whose, &[]).map(|(_, judgement)| judgement)
        );
    }
    assert_eq!(again.unjudged(), model.unjudged());
    // What was deleted meanwhile is left out.
    let empty = FeedbackModel::new(3);
    empty.restore_unjudged(&unjudged);
    assert!(empty.unjudged().is_empty());
}
