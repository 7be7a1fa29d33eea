//! When a verdict applies to applications that did not give it.

use kaisatsu_feedback::Change;
use kaisatsu_model::AccountId;

use crate::support::{
    QUORUM, app, at_cosine, direction, estimate, model_of, picture, scope, value, verdict, verdict_on,
};

const OBSERVER: u8 = 99;

fn account(number: u8) -> AccountId {
    AccountId::from_random([number; 10])
}

/// A verdict on the same picture by another application.
fn agreeing(by: u8, valid: Option<bool>) -> Change {
    verdict_on(by, 1, at_cosine(0, 1, 1.0), "a", valid)
}

fn seen(model: &kaisatsu_feedback::FeedbackModel) -> Option<f32> {
    value(model, OBSERVER, &at_cosine(0, 1, 1.0), "a")
}

#[test]
fn one_less_than_the_quorum_is_not_enough() {
    let quorum = u8::try_from(QUORUM).unwrap();
    let model = model_of((1..quorum).map(|by| agreeing(by, Some(true))));
    assert_eq!(seen(&model), None);
    assert!(!model.has_feedback_for(&app(OBSERVER)));
    model.apply(&agreeing(quorum, Some(true)));
    let reached = seen(&model).unwrap();
    assert!((reached - 3.0 / 3.6).abs() < 1e-3, "three votes of weight 1 and a prior of 0.6: {reached}");
    assert!(model.has_feedback_for(&app(OBSERVER)));
    model.apply(&agreeing(1, None));
    assert_eq!(seen(&model), None, "one withdraws it");
}

#[test]
fn the_applications_of_one_owner_count_once() {
    let owned = |by, owner| Change { owner, ..agreeing(by, Some(true)) };
    let model = model_of((1..=10).map(|by| owned(by, Some(account(1)))));
    assert_eq!(seen(&model), None, "ten applications of one owner");
    model.apply(&owned(11, Some(account(2))));
    assert_eq!(seen(&model), None, "two owners");
    model.apply(&owned(12, None));
    assert!(seen(&model).unwrap() > 0.5, "an application without an owner is its own");
}

#[test]
fn an_application_keeps_the_owner_of_its_first_verdict() {
    let owned = |by, number, owner| Change { owner, ..verdict_on(by, number, at_cosine(0, 1, 1.0), "a", Some(true)) };
    let model = model_of([owned(1, 1, Some(account(1))), owned(2, 1, Some(account(2))), owned(2, 2, Some(account(3)))]);
    assert_eq!(seen(&model), None, "a new owner is no third one");
    model.apply(&Change { valid: None, ..owned(2, 1, Some(account(4))) });
    model.apply(&Change { valid: None, ..owned(2, 2, Some(account(4))) });
    model.apply(&owned(3, 1, Some(account(3))));
    assert_eq!(seen(&model), None, "both verdicts of the second application are withdrawn");
}

#[test]
fn verdicts_agree_only_on_similar_pictures() {
    // The cosines of the third picture with the first two.
    let third = |cosine| {
        let model = model_of([agreeing(1, Some(true)), agreeing(2, Some(true))]);
        model.apply(&verdict_on(3, 1, at_cosine(0, 1, cosine), "a", Some(true)));
        seen(&model).is_some()
    };
    assert!(!third(0.53) && third(0.57));
}

#[test]
fn verdicts_agree_only_on_the_same_subject_and_value() {
    let model = model_of([agreeing(1, Some(true)), agreeing(2, Some(true)), agreeing(3, Some(false))]);
    assert_eq!(seen(&model), None, "the third disagrees");
    model.apply(&verdict_on(4, 1, at_cosine(0, 1, 1.0), "b", Some(true)));
    assert_eq!(seen(&model), None, "the fourth is about another subject");
    model.apply(&agreeing(3, Some(true)));
    assert!(seen(&model).unwrap() > 0.5, "the third has changed its verdict");
    assert_eq!(value(&model, OBSERVER, &at_cosine(0, 1, 1.0), "b"), Some(0.0));
}

#[test]
fn repeating_a_verdict_adds_no_weight() {
    let model = model_of((1..=3).map(|by| agreeing(by, Some(true))));
    let once = seen(&model).unwrap();
    for number in 10..60 {
        model.apply(&verdict_on(3, number, at_cosine(0, 1, 1.0), "a", Some(true)));
    }
    let repeated = estimate(&model, OBSERVER, &at_cosine(0, 1, 1.0), "a");
    assert!((repeated.value - once).abs() < 1e-3, "{once} {}", repeated.value);
    assert_eq!(repeated.contributions.len(), 3);
    assert!(repeated.contributions.iter().all(|one| one.exemplar.is_none()), "the pictures of others are not named");
    for number in 10..60 {
        model.apply(&verdict_on(3, number, at_cosine(0, 1, 1.0), "a", None));
    }
    assert_eq!(seen(&model).map(f32::to_bits), Some(once.to_bits()));
}

#[test]
fn of_repeated_verdicts_the_nearest_counts() {
    let others = [agreeing(1, Some(true)), agreeing(2, Some(true))];
    let at = |number, cosine| verdict_on(3, number, at_cosine(0, 1, cosine), "a", Some(true));
    for order in [[at(1, 0.7), at(2, 0.9)], [at(1, 0.9), at(2, 0.7)]] {
        let model = model_of(others.iter().cloned().chain(order));
        let found = estimate(&model, OBSERVER, &at_cosine(0, 1, 1.0), "a").contributions;
        let amounts: Vec<f32> = found.iter().map(|one| one.amount).collect();
        assert_eq!(amounts.len(), 3);
        assert!(amounts[2] > 0.3 * amounts[0], "the weight at a cosine of 0.9, not of 0.7: {amounts:?}");
    }
}

#[test]
fn a_repeated_contradiction_counts_once_for_each_value() {
    // The first three confirm it and the next three reject it; the fourth does so fifty times.
    let verdicts = (1..=3).map(|by| agreeing(by, Some(true))).chain((4..=6).map(|by| agreeing(by, Some(false))));
    let model = model_of(verdicts);
    for number in 10..60 {
        model.apply(&verdict_on(4, number, at_cosine(0, 1, 1.0), "a", Some(false)));
    }
    assert!(seen(&model).unwrap().abs() < 1e-3, "three against three: {:?}", seen(&model));
}

#[test]
fn an_own_verdict_with_a_quorum_counts_once() {
    let model = model_of((1..=3).map(|by| agreeing(by, Some(true))));
    let own = estimate(&model, 1, &at_cosine(0, 1, 1.0), "a");
    let named: Vec<Option<&str>> = own.contributions.iter().map(|one| one.exemplar.as_deref()).collect();
    assert_eq!(named.len(), 3, "{own:?}");
    assert_eq!(named.iter().flatten().collect::<Vec<_>>(), [&"r1-1"], "only the own picture is named");
    assert!((own.value - 3.0 / 3.6).abs() < 1e-3, "{own:?}");
}

#[test]
fn only_the_verdicts_with_a_quorum_apply_to_others() {
    let whole = |by: u8| Change { verdict: (format!("r{by}-1"), String::new()), ..agreeing(by, Some(false)) };
    // Three reject "a"; one of them rejects the whole result.
    let model = model_of([agreeing(1, Some(false)), agreeing(2, Some(false)), whole(3)]);
    assert!(seen(&model).unwrap() < -0.5);
    assert_eq!(value(&model, OBSERVER, &at_cosine(0, 1, 1.0), "other"), Some(0.0));
    assert!(value(&model, 3, &at_cosine(0, 1, 1.0), "other").unwrap() < -0.2, "it applies to who gave it");
}

#[test]
fn a_withdrawn_verdict_leaves_those_that_still_have_a_quorum() {
    let model = model_of((1..=4).map(|by| agreeing(by, Some(true))));
    model.apply(&verdict_on(4, 2, at_cosine(0, 1, 1.0), "a", Some(true)));
    model.apply(&agreeing(4, None));
    assert_eq!(estimate(&model, OBSERVER, &at_cosine(0, 1, 1.0), "a").contributions.len(), 4, "it was said twice");
    model.apply(&verdict_on(4, 2, at_cosine(0, 1, 1.0), "a", None));
    assert_eq!(estimate(&model, OBSERVER, &at_cosine(0, 1, 1.0), "a").contributions.len(), 3);
}

#[test]
fn disagreeing_and_distant_verdicts_do_not_add_to_a_quorum() {
    let model = model_of([
        verdict(1, 1, 0, "a", Some(true)),
        verdict(2, 1, 0, "a", Some(true)),
        verdict(2, 2, 0, "a", Some(true)),
        verdict(3, 1, 4, "a", Some(true)),
        verdict(4, 1, 0, "a", Some(false)),
    ]);
    assert!(model.evidence(&scope(), &app(9), &picture(0, 7)).is_none());
    model.apply(&verdict(3, 2, 0, "a", Some(true)));
    assert!(estimate(&model, 9, &picture(0, 7), "a").value > 0.1);
}

#[test]
fn a_quorum_of_one_makes_every_verdict_common() {
    let model = kaisatsu_feedback::FeedbackModel::new(1);
    model.apply(&verdict_on(1, 1, direction(&[1.0, 0.0]), "a", Some(true)));
    assert!(value(&model, OBSERVER, &direction(&[1.0, 0.0]), "a").unwrap() > 0.6);
}
