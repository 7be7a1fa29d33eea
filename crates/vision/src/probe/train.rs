//! Trains a probe from labelled vectors: the kind and the penalty that tell pictures apart which they were not trained
//! on.

use super::{
    Kind, Probe,
    familiar::threshold,
    folds::Folds,
    judged::{Judged, Row, deviation, first},
    means::Means,
    ridge::{Function, Products, Selection, fit_many},
};
use crate::softmax::softmax;

/// One labelled picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledVector<'a> {
    /// Its unit vector.
    pub vector: &'a [f32],
    /// Its class.
    pub class: usize,
}

/// What a probe says of pictures that it was not trained on. Near-duplicates are left out together.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The chosen kind.
    pub kind: Kind,
    /// How many of the judged pictures were classified right when left out.
    pub right: usize,
    /// How many pictures could be left out: their class has others that are no near-duplicates of them.
    pub judged: usize,
    /// The answer to each picture when it was left out; `None` when it could not be judged.
    pub left_out: Vec<Option<LeftOut>>,
    /// The cosine of the usual left-out picture with the mean of its class; `None` when there are too few to say what
    /// belongs to none of the classes.
    pub typical: Option<f32>,
}

/// The answer to a picture that was left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// The best class.
    pub class: usize,
    /// Its score.
    pub score: f32,
    /// By how much the class that the picture is labelled with is ahead of the best other one, before the softmax;
    /// negative when the answer is wrong.
    pub margin: f32,
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

/// Penalties to choose from, as shares of the mean squared length of a centred vector. Smaller ones fit the training
/// pictures better and others worse.
const PENALTIES: [f64; 6] = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Which of them is taken unless another one is better beyond chance: 1.0, the best on average over sets and sizes.
const USUAL: usize = 3;

/// Two classifiers that differ on a tenth of the pictures differ by chance by this much in accuracy, divided by the
/// root of the number of pictures: one standard error.
const CHANCE: f32 = 0.3;

/// Pictures that penalties are tried on.
const TRIED: usize = 1_000;

/// The most pictures that are divided for judging. Beyond, the others are judged by what was trained on these.
const DIVIDED: usize = 2_500;

/// The temperature of cosines with plain means when no picture can be left out to choose one.
pub const DEFAULT_TEMPERATURE: f32 = 0.05;

/// The temperature when no picture can be left out, times the logarithm of the number of classes, as a multiple of the
/// deviation of the scores of the training pictures for other classes than their own. The more classes there are, the
/// more of them come near by chance.
const ONE_SHOT_SOFTNESS: f32 = 2.0;

/// Trains a probe for `classes` classes.
///
/// # Errors
/// Why it cannot be trained.
pub fn train(examples: &[LabelledVector<'_>], classes: usize) -> Result<(Probe, Report), TrainError> {
    train_dividing(examples, classes, DIVIDED)
}

fn train_dividing(examples: &[LabelledVector<'_>], classes: usize, most: usize) -> Result<(Probe, Report), TrainError> {
    let set = Set::checked(examples, classes)?;
    let folds = Folds::new(&set.vectors, &set.labels, classes, most);
    let means = Means::new(set.pictures(), classes, set.dims);
    let (centred, cosines) = set.judge_means(&folds);
    let (familiar, typical) = threshold(&cosines, classes);
    let (kind, function, judged) = match set.best_ridge(&folds, centred.value) {
        Some((function, judged)) if !judged.rows.is_empty() => (Kind::Ridge, function, judged),
        _ => {
            let weights = means.around.concat();
            (Kind::Means, Function { weights, centre: means.centre.clone(), bias: 0.0 }, centred)
        }
    };
    let temperature = judged.temperature.unwrap_or_else(|| set.one_shot_temperature(&means));
    let report = set.report(kind, &judged, temperature, typical);
    let Function { weights, centre, bias } = function;
    let (bias, means) = (vec![bias; classes], means.plain.concat());
    Ok((Probe { kind, dims: set.dims, centre, weights, bias, means, temperature, familiar }, report))
}

/// Labelled vectors that fit together.
struct Set<'a> {
    vectors: Vec<&'a [f32]>,
    labels: Vec<usize>,
    classes: usize,
    dims: usize,
}

impl<'a> Set<'a> {
    fn checked(examples: &[LabelledVector<'a>], classes: usize) -> Result<Self, TrainError> {
        if classes < 2 {
            return Err(TrainError::TooFewClasses);
        }
        let dims = examples.first().map_or(0, |example| example.vector.len());
        let sane = |example: &LabelledVector<'_>| {
            let finite = example.vector.iter().all(|value| value.is_finite());
            example.vector.len() == dims && example.class < classes && finite
        };
        if dims == 0 || !examples.iter().all(sane) {
            return Err(TrainError::BadVectors);
        }
        let (vectors, labels) = examples.iter().map(|example| (example.vector, example.class)).unzip();
        let set = Self { vectors, labels, classes, dims };
        let mut empty = vec![true; classes];
        for label in &set.labels {
            empty[*label] = false;
        }
        empty.iter().position(|empty| *empty).map_or(Ok(set), |class| Err(TrainError::EmptyClass(class)))
    }

    fn pictures(&self) -> impl Iterator<Item = (&'a [f32], usize)> {
        self.vectors.iter().copied().zip(self.labels.iter().copied())
    }

    fn row(&self, picture: usize, scores: Vec<f32>) -> Row {
        Row { picture, class: self.labels[picture], scores }
    }

    /// The means of some pictures.
    fn means(&self, pictures: impl Iterator<Item = usize>) -> Means {
        Means::new(pictures.map(|at| (self.vectors[at], self.labels[at])), self.classes, self.dims)
    }

    /// What class means say of pictures that were left out, and the cosines of these with plain means.
    fn judge_means(&self, folds: &Folds) -> (Judged, Vec<(usize, Vec<f32>)>) {
        let (mut rows, mut cosines) = (Vec::new(), Vec::new());
        let mut judge = |means: &Means, picture: usize| {
            rows.push(self.row(picture, means.scores(self.vectors[picture])));
            cosines.push((self.labels[picture], means.cosines(self.vectors[picture])));
        };
        for (taught, judged) in folds.splits(usize::MAX) {
            let means = self.means(taught.into_iter().map(|at| folds.divided[at]));
            for at in judged {
                judge(&means, folds.divided[at]);
            }
        }
        if !folds.others.is_empty() {
            let means = self.means(folds.divided.iter().copied());
            for picture in &folds.others {
                judge(&means, *picture);
            }
        }
        (Judged::new(rows), cosines)
    }

    /// Ridge regression with the best penalty, unless class means, of that value, are better beyond chance.
    fn best_ridge(&self, folds: &Folds, means: f32) -> Option<(Function, Judged)> {
        let vectors: Vec<&[f32]> = folds.divided.iter().map(|at| self.vectors[*at]).collect();
        let labels: Vec<usize> = folds.divided.iter().map(|at| self.labels[*at]).collect();
        let products = Products::new(&vectors);
        let left_out = |shares: &[f64], most: usize| -> Option<Vec<Judged>> {
            let mut rows: Vec<Vec<Row>> = shares.iter().map(|_| Vec::new()).collect();
            for (taught, judged) in folds.splits(most) {
                let selection = Selection::new(&products, taught, &labels, self.classes);
                for (share, rows) in shares.iter().zip(&mut rows) {
                    let fitted = selection.fit(*share)?;
                    let row = |at: &usize| self.row(folds.divided[*at], selection.scores(&fitted, *at));
                    rows.extend(judged.iter().map(row));
                }
            }
            Some(rows.into_iter().map(Judged::new).collect())
        };
        let tried = left_out(&PENALTIES, TRIED)?;
        let count = tried.first().map_or(0, |judged| judged.rows.len());
        let value = |at: usize| tried[at].value - if at == USUAL { 0.0 } else { chance(count) };
        let best = (0..PENALTIES.len()).max_by(|a, b| value(*a).total_cmp(&value(*b)))?;
        let share = PENALTIES[best];
        let all = Selection::new(&products, (0..labels.len()).collect(), &labels, self.classes);
        let fitted = all.fit(share)?;
        let mut judged =
            if labels.len() <= TRIED { tried.into_iter().nth(best)? } else { left_out(&[share], usize::MAX)?.pop()? };
        if means - chance(judged.rows.len()) > judged.value {
            return None;
        }
        let function = all.function(&fitted, &vectors);
        if labels.len() == self.labels.len() {
            return Some((function, judged));
        }
        let few = Probe { weights: function.weights, centre: function.centre, ..Probe::blank(self.dims, self.classes) };
        let others = folds.others.iter().map(|at| self.row(*at, few.scores(self.vectors[*at])));
        judged.rows.extend(others);
        Some((fit_many(&self.vectors, &self.labels, self.classes, share)?, Judged::new(judged.rows)))
    }

    /// A temperature for classes with one picture each, from how much these are like each other.
    fn one_shot_temperature(&self, means: &Means) -> f32 {
        let others = |(vector, class): (&[f32], usize)| {
            let scores = means.scores(vector).into_iter().enumerate();
            scores.filter(|(other, _)| *other != class).map(|(_, score)| score).collect::<Vec<f32>>()
        };
        let rows: Vec<Vec<f32>> = self.pictures().take(TRIED).map(others).collect();
        let deviation = deviation(rows.iter().map(Vec::as_slice));
        #[allow(clippy::cast_precision_loss, reason = "a number of classes")]
        let softness = (ONE_SHOT_SOFTNESS / (self.classes as f32).ln()).min(1.0);
        if deviation > 1e-3 { softness * deviation } else { DEFAULT_TEMPERATURE }
    }

    fn report(&self, kind: Kind, judged: &Judged, temperature: f32, typical: Option<f32>) -> Report {
        let mut left_out = vec![None; self.labels.len()];
        let mut right = 0;
        for row in &judged.rows {
            let scores = softmax(&row.scores, temperature);
            let Some(class) = first(&scores) else { continue };
            right += usize::from(class == row.class);
            let others = row.scores.iter().enumerate().filter(|(other, _)| *other != row.class);
            let margin = row.scores[row.class] - others.map(|(_, score)| *score).fold(f32::NEG_INFINITY, f32::max);
            left_out[row.picture] = Some(LeftOut { class, score: scores[class], margin });
        }
        Report { kind, right, judged: judged.rows.len(), left_out, typical }
    }
}

/// By how much a classifier has to be better than the usual one.
#[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
fn chance(judged: usize) -> f32 {
    CHANCE / (judged.max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kind, LabelledVector, TrainError, train, train_dividing};
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
        for (each, most) in [(2, 100), (3, 100), (10, 100), (40, 200), (40, 60)] {
            let pictures = pictures(each, 0.6);
            let examples = examples(&pictures);
            let Ok((probe, report)) = train_dividing(&examples, 3, most) else { unreachable!() };
            assert!(report.accuracy() > if each < 10 { 0.6 } else { 0.97 }, "{each} {report:?}");
            assert!(report.judged > each, "{each} {}", report.judged);
            for example in &examples {
                let found = probe.classify(example.vector, 5);
                let sum: f32 = found.iter().map(|scored| scored.score).sum();
                assert!((sum - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn a_stranger_is_none_of_these() {
        let Ok((probe, _)) = train(&examples(&pictures(10, 0.6)), 3) else { unreachable!() };
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
        assert!(probe.temperature() > 0.0);
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

    /// Every picture four times, lightly changed: what is said of fresh pictures must not count the copies.
    #[test]
    fn copies_do_not_raise_the_accuracy() {
        let mut bursts = Vec::new();
        for (at, (vector, class)) in pictures(6, 2.5).into_iter().enumerate() {
            for copy in 0..4u8 {
                let mut copied = vector.clone();
                copied[(at + usize::from(copy)) % 16] += 0.05;
                normalise(&mut copied);
                bursts.push((copied, class));
            }
        }
        let Ok((_, report)) = train(&examples(&bursts), 3) else { unreachable!() };
        assert!(report.judged > 0 && report.accuracy() < 0.9, "{} of {}", report.right, report.judged);
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
