//! Verdicts and pictures for the tests.

use kaisatsu_feedback::{Candidate, Change, Estimate, FeedbackModel, ScopeKey};
use kaisatsu_model::{AppId, Function};

pub(crate) const DIMS: u64 = 48;

/// The number of owners whose agreement is needed in the tests.
pub(crate) const QUORUM: usize = 3;

pub(crate) fn scope() -> ScopeKey {
    scope_of("general")
}

pub(crate) fn scope_of(model: &str) -> ScopeKey {
    ScopeKey { function: Function::Classify, model: model.to_owned(), engine: "e".to_owned(), class: String::new() }
}

pub(crate) fn app(number: u8) -> AppId {
    AppId::from_random([number; 10])
}

/// The vector of a picture of one of eight kinds: a direction for each kind, noise that depends on the seed, and a part
/// that all pictures share.
pub(crate) fn picture(kind: u64, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from(u16::try_from(state >> 48).unwrap()) / 65_536.0 - 0.5
    };
    (0..DIMS).map(|at| noise() * 0.5 + if at % 8 == kind { 1.0 } else { 0.0 } + 0.3).collect()
}

/// A vector with a mean of zero, so that its direction is kept exactly: the components, and their negatives.
pub(crate) fn direction(components: &[f32]) -> Vec<f32> {
    components.iter().copied().chain(components.iter().map(|component| -component)).collect()
}

/// A direction of eight dimensions that has this cosine with the axis. `turn` selects one of the other axes.
pub(crate) fn at_cosine(axis: usize, turn: usize, cosine: f32) -> Vec<f32> {
    let mut components = [0.0; 8];
    components[(axis + turn) % 8] = (1.0 - cosine * cosine).sqrt();
    components[axis] = cosine;
    direction(&components)
}

/// A verdict on the first of three candidates of a picture.
pub(crate) fn verdict(by: u8, number: u64, kind: u64, subject: &str, valid: Option<bool>) -> Change {
    let descriptor = picture(kind, number + u64::from(by) * 1000);
    Change { descriptor, ..named_verdict(by, &format!("r{by}-{number}"), subject, valid) }
}

/// A verdict on the first of three candidates of a picture with this vector.
pub(crate) fn verdict_on(by: u8, number: u64, descriptor: Vec<f32>, subject: &str, valid: Option<bool>) -> Change {
    Change { descriptor, ..named_verdict(by, &format!("r{by}-{number}"), subject, valid) }
}

fn named_verdict(by: u8, exemplar: &str, subject: &str, valid: Option<bool>) -> Change {
    Change {
        scope: scope(),
        shared: true,
        application: app(by),
        owner: None,
        verdict: (exemplar.to_owned(), "1".to_owned()),
        exemplar: exemplar.to_owned(),
        valid,
        candidates: candidates(&[(subject, 0.5), ("other", 0.3), ("third", 0.1)]),
        named: None,
        descriptor: Vec::new(),
    }
}

/// Candidates with the ids 1, 2, ….
pub(crate) fn candidates(scores: &[(&str, f32)]) -> Vec<Candidate> {
    let candidate = |(at, (subject, base_score)): (usize, &(&str, f32))| Candidate {
        id: (at + 1).to_string(),
        subject: (*subject).to_owned(),
        base_score: *base_score,
    };
    scores.iter().enumerate().map(candidate).collect()
}

pub(crate) fn model_of(changes: impl IntoIterator<Item = Change>) -> FeedbackModel {
    let model = FeedbackModel::new(QUORUM);
    for change in changes {
        model.apply(&change);
    }
    model
}

/// The estimate for a subject that an application sees; `None` if there is no evidence at all.
pub(crate) fn value(model: &FeedbackModel, by: u8, picture: &[f32], subject: &str) -> Option<f32> {
    model.evidence(&scope(), &app(by), picture).map(|evidence| evidence.value(subject))
}

pub(crate) fn estimate(model: &FeedbackModel, by: u8, picture: &[f32], subject: &str) -> Estimate {
    model.evidence(&scope(), &app(by), picture).unwrap().estimate(subject).unwrap()
}

/// The bits of everything that an application sees for one picture of each kind, and of its sample.
pub(crate) fn bits(model: &FeedbackModel, by: u8) -> Vec<Option<u32>> {
    let subjects = ["a", "b", "other", "third"];
    let of_kind = |kind| {
        let evidence = model.evidence(&scope(), &app(by), &picture(kind, 77));
        let values = subjects.map(|subject| evidence.as_ref().map(|evidence| evidence.value(subject).to_bits()));
        values.into_iter().chain([evidence.as_ref().map(|evidence| evidence.coverage().to_bits())])
    };
    let sample = model.sample(&scope(), &app(by), 16);
    let sample = sample.iter().flat_map(|exemplar| exemplar.vector.dequantise()).map(|value| Some(value.to_bits()));
    (0..8).flat_map(of_kind).chain(sample).collect()
}
