//! Trains a probe from labelled vectors: the better of two kinds, with its leave-one-out accuracy.

use super::{
    Kind, Probe,
    ridge::{Fitted, System},
};
use crate::{
    softmax::softmax,
    vector::{dot, normalise},
};

/// One labelled picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledVector<'a> {
    /// Its unit vector.
    pub vector: &'a [f32],
    /// Its class.
    pub class: usize,
}

/// The leave-one-out accuracy of a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The better kind.
    pub kind: Kind,
    /// How many of the judged pictures were classified right when left out.
    pub right: usize,
    /// How many pictures have another one of their class; the others cannot be left out.
    pub judged: usize,
    /// The class and score of each picture when it was left out; `None` when it could not be judged.
    pub left_out: Vec<Option<(usize, f32)>>,
}

impl Report {
    /// The share that was right, 0 to 1.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
    pub fn accuracy(&self) -> f64 {
        if self.judged == 0 { 0.0 } else { self.right as f64 / self.judged as f64 }
    }
}

/// Why a probe cannot be trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrainError {
    /// There are fewer than two classes.
    #[error("two classes or more are needed")]
    TooFewClasses,
    /// A class without a picture.
    #[error("class {0} has no picture")]
    EmptyClass(usize),
    /// The vectors differ in length, or hold a component that is not finite.
    #[error("the vectors do not fit together")]
    BadVectors,
}

/// Penalties to choose from, as shares of the mean squared length of a centred vector.
/// Smaller ones fit the training pictures better and others worse.
const PENALTIES: [f64; 4] = [1.0, 3.0, 10.0, 30.0];

/// Pictures that penalties are tried on.
const TRIED: usize = 1_000;

/// Temperatures to choose from.
const TEMPERATURES: [f32; 12] = [0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.11, 0.15, 0.2, 0.3, 0.5];

/// The temperature when no picture can be left out to choose one. It fits most sets within a factor of two.
pub const DEFAULT_TEMPERATURE: f32 = 0.05;

/// How much less familiar than the least familiar training picture a picture may be.
const SLACK: f32 = 0.9;

/// Pictures with a higher cosine are near-duplicates: they do not show how much pictures of a class differ.
const ONE_SHOT: f32 = 0.97;

/// With fewer pictures, no threshold of familiarity can be chosen.
const FEWEST: usize = 8;

/// Trains a probe for `classes` classes.
///
/// # Errors
/// Why it cannot be trained.
pub fn train(examples: &[LabelledVector<'_>], classes: usize) -> Result<(Probe, Report), TrainError> {
    if classes < 2 {
        return Err(TrainError::TooFewClasses);
    }
    let dims = examples.first().map_or(0, |example| example.vector.len());
    let sane = |example: &LabelledVector<'_>| {
        example.vector.len() == dims && example.class < classes && example.vector.iter().all(|value| value.is_finite())
    };
    if dims == 0 || !examples.iter().all(sane) {
        return Err(TrainError::BadVectors);
    }
    let sizes = sizes_of(examples, classes);
    if let Some(empty) = sizes.iter().position(|size| *size == 0) {
        return Err(TrainError::EmptyClass(empty));
    }

    let sums = sums(examples, classes, dims);
    let near = left_out_means(examples, &sums);
    let by_means = Judged::new(Kind::Means, examples, &sizes, &near);
    let by_ridge = by_ridge(examples, classes, &sizes);
    let means: Vec<f32> = sums.iter().flat_map(|sum| unit(sum)).collect();
    let familiar = familiar(&near, examples, &sizes);
    Ok(match by_ridge {
        Some((ridge, fitted, centre)) if ridge.report.judged > 0 && !by_means.is_better_than(&ridge) => {
            let weights = fitted.weights.iter().flat_map(|row| narrowed(row)).collect();
            let bias = vec![narrow(fitted.bias); classes];
            let temperature = ridge.temperature;
            (Probe { kind: Kind::Ridge, dims, centre, weights, bias, means, temperature, familiar }, ridge.report)
        }
        _ => {
            let (centre, bias, temperature) = (vec![0.0; dims], vec![0.0; classes], by_means.temperature);
            let weights = means.clone();
            (Probe { kind: Kind::Means, dims, centre, weights, bias, means, temperature, familiar }, by_means.report)
        }
    })
}

/// A kind of probe with its leave-one-out results.
struct Judged {
    report: Report,
    temperature: f32,
    /// Mean logarithm of the score of the right class, at the best temperature.
    fit: f32,
}

impl Judged {
    fn new(kind: Kind, examples: &[LabelledVector<'_>], sizes: &[usize], scores: &[Vec<f32>]) -> Self {
        let judged: Vec<(usize, &Vec<f32>)> = examples
            .iter()
            .zip(scores)
            .filter(|(example, _)| sizes[example.class] > 1)
            .map(|(example, row)| (example.class, row))
            .collect();
        #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
        let fit = |temperature: f32| {
            let sum: f32 = judged.iter().map(|(class, row)| softmax(row, temperature)[*class].max(1e-9).ln()).sum();
            sum / judged.len().max(1) as f32
        };
        let temperatures = TEMPERATURES.into_iter().filter(|_| !judged.is_empty());
        let temperature = temperatures.max_by(|a, b| fit(*a).total_cmp(&fit(*b))).unwrap_or(DEFAULT_TEMPERATURE);
        let answer = |example: &LabelledVector<'_>, row: &Vec<f32>| {
            let scores = softmax(row, temperature);
            let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
            best.filter(|_| sizes[example.class] > 1).map(|(class, score)| (class, *score))
        };
        let left_out: Vec<Option<(usize, f32)>> = examples.iter().zip(scores).map(|(l, row)| answer(l, row)).collect();
        let right = examples.iter().zip(&left_out).filter(|(l, out)| out.is_some_and(|(c, _)| c == l.class)).count();
        let (fit, count) = (fit(temperature), judged.len());
        Self { report: Report { kind, right, judged: count, left_out }, temperature, fit }
    }

    /// Whether this is better by every measure. With few pictures the number of right answers alone is mostly chance.
    fn is_better_than(&self, other: &Self) -> bool {
        self.report.judged > 0 && self.report.right > other.report.right && self.fit > other.fit
    }
}

/// Ridge regression with the penalty whose leave-one-out results are best.
fn by_ridge(examples: &[LabelledVector<'_>], classes: usize, sizes: &[usize]) -> Option<(Judged, Fitted, Vec<f32>)> {
    let tried = sample(examples, classes);
    let tried_sizes = sizes_of(&tried, classes);
    let small = system(&tried, classes)?;
    let mut best: Option<(Judged, Fitted, f64)> = None;
    for share in PENALTIES {
        let Some(fitted) = small.fit(share * small.spread.max(1e-9)) else { continue };
        let judged = judge(&tried, &tried_sizes, &fitted);
        if best.as_ref().is_none_or(|(known, _, _)| judged.fit > known.fit) {
            best = Some((judged, fitted, share));
        }
    }
    let (judged, fitted, share) = best?;
    if tried.len() == examples.len() {
        return Some((judged, fitted, narrowed(&small.centre)));
    }
    let whole = system(examples, classes)?;
    let fitted = whole.fit(share * whole.spread.max(1e-9))?;
    Some((judge(examples, sizes, &fitted), fitted, narrowed(&whole.centre)))
}

/// The pictures that penalties are tried on: all, or the first ones of every class when there are many. To try them all
/// would take minutes and choose the same.
fn sample<'a>(examples: &[LabelledVector<'a>], classes: usize) -> Vec<LabelledVector<'a>> {
    if examples.len() <= TRIED {
        return examples.to_vec();
    }
    let mut seen = vec![0; classes];
    let mut rank = |example: &LabelledVector<'a>| {
        seen[example.class] += 1;
        (seen[example.class], *example)
    };
    let mut ranked: Vec<(usize, LabelledVector<'a>)> = examples.iter().map(&mut rank).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().take(TRIED).map(|(_, example)| example).collect()
}

fn sizes_of(examples: &[LabelledVector<'_>], classes: usize) -> Vec<usize> {
    (0..classes).map(|class| examples.iter().filter(|example| example.class == class).count()).collect()
}

fn system<'a>(examples: &[LabelledVector<'a>], classes: usize) -> Option<System<'a>> {
    let vectors = examples.iter().map(|example| example.vector).collect();
    System::new(vectors, examples.iter().map(|example| example.class).collect(), classes)
}

fn judge(examples: &[LabelledVector<'_>], sizes: &[usize], fitted: &Fitted) -> Judged {
    let scores: Vec<Vec<f32>> = fitted.left_out.iter().map(|row| narrowed(row)).collect();
    Judged::new(Kind::Ridge, examples, sizes, &scores)
}

fn narrowed(values: &[f64]) -> Vec<f32> {
    values.iter().map(|value| narrow(*value)).collect()
}

fn sums(examples: &[LabelledVector<'_>], classes: usize, dims: usize) -> Vec<Vec<f32>> {
    let mut sums = vec![vec![0.0f32; dims]; classes];
    for example in examples {
        for (sum, value) in sums[example.class].iter_mut().zip(example.vector) {
            *sum += value;
        }
    }
    sums
}

/// For each picture its cosine with the mean of every class; the mean of its own class is computed without it.
fn left_out_means(examples: &[LabelledVector<'_>], sums: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let means: Vec<Vec<f32>> = sums.iter().map(|sum| unit(sum)).collect();
    let row = |example: &LabelledVector<'_>| {
        let own: Vec<f32> = sums[example.class].iter().zip(example.vector).map(|(sum, value)| sum - value).collect();
        let own = unit(&own);
        let cosine =
            |(class, mean): (usize, &Vec<f32>)| dot(if class == example.class { &own } else { mean }, example.vector);
        means.iter().enumerate().map(cosine).collect()
    };
    examples.iter().map(row).collect()
}

/// The threshold of familiarity: somewhat below the second percentile of the training pictures, and at most halfway
/// between it and the usual cosine with other classes.
///
/// It is -1, so that every picture is familiar, when there are few pictures or they are of few of the classes. Pictures
/// of one burst are alike, which would set the threshold too high; the halfway limit corrects that.
fn familiar(near: &[Vec<f32>], examples: &[LabelledVector<'_>], sizes: &[usize]) -> f32 {
    let telling: Vec<(&Vec<f32>, usize)> = near
        .iter()
        .zip(examples)
        .filter(|(row, example)| sizes[example.class] > 1 && row[example.class] < ONE_SHOT)
        .map(|(row, example)| (row, example.class))
        .collect();
    let mut classes: Vec<usize> = telling.iter().map(|(_, class)| *class).collect();
    classes.sort_unstable();
    classes.dedup();
    if telling.len() < FEWEST || classes.len() * 2 < sizes.len() {
        return -1.0;
    }
    let most = |row: &[f32], without: Option<usize>| {
        let counted = row.iter().enumerate().filter(|(class, _)| Some(*class) != without);
        counted.map(|(_, cosine)| *cosine).fold(-1.0, f32::max)
    };
    let known = sorted(telling.iter().map(|(row, _)| most(row, None)));
    let others = sorted(telling.iter().map(|(row, class)| most(row, Some(*class))));
    let (strangest, other) = (known[known.len() / 50], others[others.len() / 2]);
    (strangest * SLACK).min(f32::midpoint(strangest, other))
}

fn sorted(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let mut unit = vector.to_vec();
    normalise(&mut unit);
    unit
}

#[allow(clippy::cast_possible_truncation, reason = "the numbers of a probe are small")]
fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kind, LabelledVector, TrainError, train};
    use crate::{probe::Probe, vector::normalise};

    /// Pictures of three classes: a direction for each, some noise, and a direction that all share.
    fn pictures(each: usize, noise: f32) -> Vec<(Vec<f32>, usize)> {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f32::from(u16::try_from(state >> 48).unwrap_or(0)) / 65_536.0 - 0.5
        };
        (0..3 * each)
            .map(|number| {
                let class = number % 3;
                let mut vector: Vec<f32> = (0..16).map(|_| random() * noise).collect();
                vector[class] += 1.0;
                vector[15] += 1.0;
                normalise(&mut vector);
                (vector, class)
            })
            .collect()
    }

    fn examples(pictures: &[(Vec<f32>, usize)]) -> Vec<LabelledVector<'_>> {
        pictures.iter().map(|(vector, class)| LabelledVector { vector, class: *class }).collect()
    }

    #[test]
    fn what_can_be_told_apart_is() {
        for each in [2, 3, 10, 40, 400] {
            let pictures = pictures(each, 0.3);
            let examples = examples(&pictures);
            let Ok((probe, report)) = train(&examples, 3) else { unreachable!() };
            assert!(report.accuracy() > 0.99, "{each} {report:?}");
            for example in &examples {
                let found = probe.classify(example.vector, 5);
                assert_eq!(found.first().map(|best| best.class), Some(example.class));
                let sum: f32 = found.iter().map(|scored| scored.score).sum();
                assert!((sum - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn a_stranger_is_none_of_these() {
        let Ok((probe, _)) = train(&examples(&pictures(10, 0.3)), 3) else { unreachable!() };
        let mut stranger = vec![0.0; 16];
        stranger[9] = 1.0;
        assert!(probe.classify(&stranger, 5).is_empty());
        assert!(probe.classify(&[1.0], 5).is_empty(), "a vector of another model is none either");
        assert!(!probe.is_familiar(&stranger) && !probe.is_familiar(&[1.0]) && probe.scores(&[1.0]).is_empty());
        let scores = probe.scores(&stranger);
        assert_eq!(scores.len(), probe.classes(), "what is like nothing can be compared all the same");
        assert!((probe.shares(&scores).iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    /// Near-duplicates must not make all other pictures unfamiliar.
    #[test]
    fn doubles_do_not_say_what_is_strange() {
        let mut shots = pictures(12, 0.3);
        let burst: Vec<_> = pictures(1, 0.3).into_iter().cycle().take(12).collect();
        let mut unlike = vec![0.2; 16];
        unlike[0] = 1.0;
        normalise(&mut unlike);
        let familiar = |shots: &[(Vec<f32>, usize)]| {
            let Ok((probe, _)) = train(&examples(shots), 3) else { unreachable!() };
            probe.is_familiar(&unlike)
        };
        assert!(familiar(&burst), "four times the same shot of each");
        shots.truncate(6);
        assert!(familiar(&shots), "two of each");
    }

    #[test]
    fn one_picture_a_class_is_enough_to_begin_with() {
        let Ok((probe, report)) = train(&examples(&pictures(1, 0.1)), 3) else { unreachable!() };
        assert_eq!((probe.kind(), report.judged), (Kind::Means, 0));
        assert!((probe.temperature() - 0.05).abs() < 1e-6);
        assert_eq!(probe.classify(&pictures(1, 0.1)[2].0, 1)[0].class, 2);
    }

    #[test]
    fn what_cannot_be_trained_says_why() {
        let pictures = pictures(2, 0.1);
        let some = examples(&pictures);
        assert_eq!(train(&some, 1).err(), Some(TrainError::TooFewClasses));
        assert_eq!(train(&some, 4).err(), Some(TrainError::EmptyClass(3)));
        assert_eq!(train(&[], 2).err(), Some(TrainError::BadVectors));
        let broken = [LabelledVector { vector: &[f32::NAN], class: 0 }];
        assert_eq!(train(&broken, 2).err(), Some(TrainError::BadVectors));
    }

    proptest! {
        #[test]
        fn bytes_come_back_and_damage_is_refused(cut in 0usize..400) {
            let Ok((probe, _)) = train(&examples(&pictures(4, 0.3)), 3) else { unreachable!() };
            let bytes = probe.to_bytes();
            prop_assert_eq!(Probe::from_bytes(&bytes), Some(probe));
            let short = bytes.get(..bytes.len().saturating_sub(cut + 1)).unwrap_or_default();
            prop_assert_eq!(Probe::from_bytes(short), None);
        }
    }
}
