//! Whose answers a verdict must not change.

use kaisatsu_feedback::{Change, FeedbackModel};

use crate::support::{QUORUM, app, bits, model_of, picture, scope, scope_of, verdict};

const OBSERVER: u8 = 99;

#[test]
fn one_application_alone_changes_no_bit_of_another() {
    let own = (0..40).map(|number| {
        let kind = number % 8;
        verdict(2, number, kind, if kind % 2 == 0 { "a" } else { "b" }, Some(number % 3 != 0))
    });
    let model = model_of(own);
    let (silent, active) = (bits(&model, 3), bits(&model, 2));
    assert!(silent.iter().all(Option::is_none));
    for number in 0..3000 {
        let kind = number % 8;
        model.apply(&verdict(1, number, kind, if kind % 2 == 0 { "a" } else { "b" }, Some(false)));
    }
    assert_eq!(bits(&model, 3), silent);
    assert_eq!(bits(&model, 2), active);
    assert_ne!(bits(&model, 1), active);
    for by in [1, 2] {
        assert!(model.has_feedback_for(&app(by)));
    }
    assert!(!model.has_feedback_for(&app(3)), "nor is the search widened for it");
}

/// A verdict on an image of a dataset.
fn private(by: u8, dataset: &str, number: u64, valid: Option<bool>) -> Change {
    Change { scope: scope_of(dataset), shared: false, ..verdict(by, number, 0, "a", valid) }
}

/// Whether any verdict on a dataset reaches an application.
fn is_reached(model: &FeedbackModel, by: u8, dataset: &str) -> bool {
    let key = scope_of(dataset);
    let evidence = model.evidence(&key, &app(by), &picture(0, 1001));
    let sample = model.sample(&key, &app(by), 10);
    assert_eq!(evidence.is_some(), !sample.is_empty());
    evidence.is_some()
}

#[test]
fn feedback_on_a_dataset_never_leaves_it() {
    let model = FeedbackModel::new(QUORUM);
    // More than a quorum of applications say the same; a dataset belongs to one application, so this cannot happen
    // today, but it must be harmless.
    for by in 1..=6 {
        for number in 1..20 {
            model.apply(&private(by, "dts_1", number, Some(true)));
        }
    }
    assert!(is_reached(&model, 1, "dts_1"), "it applies to its own application");
    assert!(!is_reached(&model, OBSERVER, "dts_1"), "no quorum makes it common");
    for other in ["dts_2", "general"] {
        assert!(!is_reached(&model, 1, other) && !is_reached(&model, OBSERVER, other), "{other}");
    }
}

#[test]
fn feedback_on_a_dataset_does_not_help_a_quorum_elsewhere() {
    let model = model_of((1..=2).map(|by| verdict(by, 1, 0, "a", Some(true))));
    model.apply(&private(3, "dts_1", 1, Some(true)));
    assert!(model.evidence(&scope(), &app(OBSERVER), &picture(0, 1001)).is_none());
}

#[test]
fn a_dataset_is_not_affected_by_what_applies_to_all() {
    let model = model_of((1..=3).map(|by| verdict(by, 1, 0, "a", Some(true))));
    model.apply(&private(7, "dts_1", 1, Some(false)));
    let evidence = model.evidence(&scope_of("dts_1"), &app(7), &picture(0, 7001)).unwrap();
    assert!((evidence.value("a") + 1.0 / 1.6).abs() < 1e-3, "{}", evidence.value("a"));
}
