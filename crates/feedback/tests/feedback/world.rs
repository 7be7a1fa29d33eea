//! A world of many similar classes for the tests: a catalogue with one picture a class, and photographs that resemble
//! each other more than the catalogue.
//!
//! A class belongs to a family of similar ones. A photograph shows the class, the shop it was taken in, and noise.

use kaisatsu_feedback::{Candidate, Change, DEVIATIONS, FeedbackModel, SampledExemplar, ScoreRow, Standardiser};

use crate::support::{app, scope};

const CLASSES: usize = 24;
const FAMILIES: usize = 6;
const SHOPS: usize = 6;
const SHOPS_OF_A_CLASS: usize = 3;
const DIMS: usize = 48;
const SAMPLE: usize = 64;
const CANDIDATES: usize = 5;
const TEMPERATURE: f32 = 0.05;

/// A photograph, and the class that it shows.
pub(crate) struct Photo {
    pub(crate) vector: Vec<f32>,
    pub(crate) class: usize,
}

pub(crate) struct World {
    catalogue: Vec<Vec<f32>>,
    /// What photographs of a class in one of its shops have in common.
    places: Vec<Vec<Vec<f32>>>,
    chance: Chance,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance(seed);
        let families: Vec<Vec<f32>> = (0..FAMILIES).map(|_| chance.vector(1.5)).collect();
        let shops: Vec<Vec<f32>> = (0..SHOPS).map(|_| chance.vector(1.0)).collect();
        let (drawn, photographed) = (chance.vector(1.5), chance.vector(1.5));
        let (mut catalogue, mut places) = (Vec::new(), Vec::new());
        for class in 0..CLASSES {
            let thing = sum(&[&families[class % FAMILIES], &chance.vector(0.7)]);
            // Some items resemble every photograph.
            let resemblance: Vec<f32> = photographed.iter().map(|value| value * chance.next()).collect();
            catalogue.push(unit(&sum(&[&drawn, &thing, &resemblance, &chance.vector(1.0)])));
            let mut place = |_| sum(&[&photographed, &thing, &shops[chance.below(SHOPS)], &chance.vector(0.8)]);
            places.push((0..SHOPS_OF_A_CLASS).map(&mut place).collect());
        }
        Self { catalogue, places, chance }
    }

    pub(crate) fn photographs(&mut self, count: usize) -> Vec<Photo> {
        let photo = |_| {
            let (class, place) = (self.chance.below(CLASSES), self.chance.below(SHOPS_OF_A_CLASS));
            Photo { vector: unit(&sum(&[&self.places[class][place], &self.chance.vector(1.1)])), class }
        };
        (0..count).map(photo).collect()
    }

    /// Draws whether something with this chance happens.
    pub(crate) fn happens(&mut self, chance: f32) -> bool {
        self.chance.next() < chance
    }

    fn cosines(&self, vector: &[f32]) -> Vec<f32> {
        self.catalogue.iter().map(|item| dot(item, vector)).collect()
    }

    /// The classes, best first, as a dataset with one picture a class answers.
    pub(crate) fn answer(&self, model: &FeedbackModel, vector: &[f32]) -> Vec<usize> {
        self.answer_with(model, self.standardiser(model).as_ref(), vector)
    }

    fn standardiser(&self, model: &FeedbackModel) -> Option<Standardiser> {
        let row = |one: &SampledExemplar| {
            let confirmed = one.confirmed.as_deref().and_then(|subject| subject.parse().ok());
            (self.cosines(&one.vector.dequantise()), confirmed)
        };
        let rows: Vec<(Vec<f32>, Option<usize>)> = model.sample(&scope(), &app(1), SAMPLE).iter().map(row).collect();
        let rows: Vec<ScoreRow<'_>> =
            rows.iter().map(|(scores, confirmed)| ScoreRow { scores, confirmed: *confirmed }).collect();
        Standardiser::fit(&rows)
    }

    fn answer_with(&self, model: &FeedbackModel, standard: Option<&Standardiser>, vector: &[f32]) -> Vec<usize> {
        let scores = self.cosines(vector);
        let evidence = model.evidence(&scope(), &app(1), vector);
        let (Some(evidence), Some(standard)) = (evidence, standard) else { return best_first(&scores) };
        let moved = |(class, (score, standardised)): (usize, (&f32, f32))| {
            let estimate = evidence.value(&class.to_string());
            score + evidence.coverage() * (standardised - score) + DEVIATIONS * standard.deviation() * estimate
        };
        let moved: Vec<f32> = scores.iter().zip(standard.apply(&scores)).enumerate().map(moved).collect();
        best_first(&moved)
    }

    /// The share of photographs whose first answer is right.
    #[allow(clippy::cast_precision_loss, reason = "small counts")]
    pub(crate) fn accuracy(&self, model: &FeedbackModel, photos: &[Photo]) -> f32 {
        let standard = self.standardiser(model);
        let is_right = |photo: &&Photo| self.answer_with(model, standard.as_ref(), &photo.vector)[0] == photo.class;
        photos.iter().filter(is_right).count() as f32 / photos.len() as f32
    }

    /// A verdict on the candidate at `rank` of a photograph, which was answered with these classes.
    pub(crate) fn verdict(&self, number: usize, photo: &Photo, answer: &[usize], rank: usize, valid: bool) -> Change {
        let cosines = self.cosines(&photo.vector);
        let total: f32 = cosines.iter().map(|cosine| (cosine / TEMPERATURE).exp()).sum();
        let candidate = |(at, class): (usize, &usize)| Candidate {
            id: at.to_string(),
            subject: class.to_string(),
            base_score: (cosines[*class] / TEMPERATURE).exp() / total,
        };
        Change {
            scope: scope(),
            shared: false,
            application: app(1),
            owner: None,
            exemplar: format!("r{number}"),
            verdict: (format!("r{number}"), rank.to_string()),
            valid: Some(valid),
            candidates: answer.iter().take(CANDIDATES).enumerate().map(candidate).collect(),
            named: None,
            descriptor: photo.vector.clone(),
        }
    }
}

fn best_first(scores: &[f32]) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..scores.len()).collect();
    classes.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    classes
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn sum(vectors: &[&Vec<f32>]) -> Vec<f32> {
    (0..DIMS).map(|at| vectors.iter().map(|vector| vector[at]).sum()).collect()
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let norm = dot(vector, vector).sqrt();
    vector.iter().map(|value| value / norm).collect()
}

/// Pseudorandom numbers.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from(u16::try_from(self.0 >> 48).unwrap()) / 65_536.0
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    fn below(&mut self, end: usize) -> usize {
        (self.next() * end as f32) as usize
    }

    /// A vector in a random direction, of about this length.
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    fn vector(&mut self, length: f32) -> Vec<f32> {
        // The sum of twelve uniform numbers is almost normal.
        let mut normal = || (0..12).map(|_| self.next()).sum::<f32>() - 6.0;
        (0..DIMS).map(|_| normal() * length / (DIMS as f32).sqrt()).collect()
    }
}
