//! Scopes and samples.

use kaisatsu_feedback::{Change, ScopeKey};
use kaisatsu_model::Function;

use crate::support::{app, candidates, model_of, picture, scope, value, verdict, verdict_on};

#[test]
fn scopes_are_separate() {
    let model = model_of([verdict(1, 5, 0, "a", Some(true))]);
    let others = [
        ScopeKey { function: Function::Detect, ..scope() },
        ScopeKey { model: "another".to_owned(), ..scope() },
        ScopeKey { engine: "f".to_owned(), ..scope() },
        ScopeKey { class: "cat".to_owned(), ..scope() },
    ];
    for other in others {
        assert!(model.evidence(&other, &app(1), &picture(0, 1005)).is_none(), "{other:?}");
        assert!(model.sample(&other, &app(1), 10).is_empty());
    }
    assert!(model.has_feedback_for(&app(1)));
}

#[test]
fn a_sample_holds_own_and_common_exemplars_once_each() {
    let common = (1..=3).map(|by| verdict(by, 1, 0, "a", Some(true)));
    let own = (2..5).map(|number| verdict(1, number, number, "b", Some(number == 3)));
    let model = model_of(common.chain(own));
    let sample = |by, limit| {
        let sample = model.sample(&scope(), &app(by), limit);
        let named = |exemplar: &kaisatsu_feedback::SampledExemplar| {
            (exemplar.key.to_string(), exemplar.confirmed.as_deref().map(str::to_owned))
        };
        sample.iter().map(named).collect::<Vec<_>>()
    };
    let row = |key: &str, subject: Option<&str>| (key.to_owned(), subject.map(str::to_owned));
    let common = [row("r1-1", Some("a")), row("r2-1", Some("a")), row("r3-1", Some("a"))];
    assert_eq!(sample(9, 10), common);
    let [first, second, third] = common;
    let all = [first, row("r1-2", None), row("r1-3", Some("b")), row("r1-4", None), second, third];
    assert_eq!(sample(1, 10), all);
    assert_eq!(sample(9, 2).len(), 2);
    assert!(sample(1, 0).is_empty());
}

#[test]
fn a_sampled_vector_is_the_rated_one_within_rounding() {
    let model = model_of((0..5).map(|number| verdict(1, number, number, "a", Some(true))));
    model.apply(&verdict(1, 2, 2, "a", None));
    for exemplar in model.sample(&scope(), &app(1), 10) {
        let number: u64 = exemplar.key.trim_start_matches("r1-").parse().unwrap();
        let original = picture(number, number + 1000);
        let largest = original.iter().zip(exemplar.vector.dequantise()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest < 0.02, "{largest}");
    }
}

#[test]
fn a_vector_without_direction_is_ignored() {
    let model = model_of([verdict_on(1, 1, vec![0.5; 48], "a", Some(true))]);
    assert!(!model.has_feedback_for(&app(1)));
    model.apply(&verdict(1, 5, 0, "a", Some(true)));
    assert!(model.evidence(&scope(), &app(1), &[0.5; 48]).is_none());
    assert!(model.evidence(&scope(), &app(1), &[]).is_none());
}

#[test]
fn candidates_are_those_of_the_first_verdict_on_a_picture() {
    let renamed = Change { candidates: candidates(&[("b", 0.5)]), ..verdict(1, 5, 0, "a", Some(false)) };
    let model = model_of([verdict(1, 5, 0, "a", Some(true)), renamed]);
    assert!(value(&model, 1, &picture(0, 1005), "a").unwrap() < -0.6);
    assert_eq!(value(&model, 1, &picture(0, 1005), "b"), Some(0.0));
}
