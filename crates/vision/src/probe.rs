//! Linear probes: classifiers trained on the vectors of a frozen network from a few labelled pictures.
//!
//! Training fits two kinds, the mean vector of each class and ridge regression with several penalties, and keeps what
//! is best on pictures that were left out, near-duplicates together.

mod bytes;
mod cholesky;
mod familiar;
mod folds;
mod groups;
mod judged;
mod means;
mod ridge;
mod train;

use std::path::Path;

pub use train::{DEFAULT_TEMPERATURE, LabelledVector, LeftOut, Report, TrainError, train};

use crate::{
    classify::{ClassScore, best},
    manifest::Fault,
    softmax::softmax,
    vector::dot,
};

/// The kind of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The cosine with the mean vector of the class, both around the mean of all classes.
    Means,
    /// A linear function fitted by ridge regression.
    Ridge,
}

/// A trained classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    kind: Kind,
    dims: usize,
    /// Subtracted from a vector first.
    centre: Vec<f32>,
    /// One row a class.
    weights: Vec<f32>,
    bias: Vec<f32>,
    /// The unit mean vector of each class, by which [`Probe::is_familiar`] decides.
    means: Vec<f32>,
    temperature: f32,
    /// A picture whose cosine with every mean is below this belongs to none of the classes.
    familiar: f32,
}

impl Probe {
    /// The number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.bias.len()
    }

    /// The number of components of its input.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The temperature of the softmax.
    #[must_use]
    pub fn temperature(&self) -> f32 {
        self.temperature
    }

    /// Reads a probe from its file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(path).map_err(|error| Fault(format!("{name} cannot be read: {error}")))?;
        Self::from_bytes(&bytes).ok_or_else(|| Fault(format!("{name} is not a probe, or of another version")))
    }

    /// The `most` best classes of a unit vector; none when it is not familiar.
    #[must_use]
    pub fn classify(&self, vector: &[f32], most: usize) -> Vec<ClassScore> {
        if !self.is_familiar(vector) {
            return Vec::new();
        }
        best(&self.shares(&self.scores(vector)), most, 0.0)
    }

    /// A score for each class, the larger the likelier, on an arbitrary scale. Empty for a vector of another length.
    #[must_use]
    pub fn scores(&self, vector: &[f32]) -> Vec<f32> {
        if vector.len() != self.dims {
            return Vec::new();
        }
        let centred: Vec<f32> = vector.iter().zip(&self.centre).map(|(value, centre)| value - centre).collect();
        self.weights.chunks_exact(self.dims).zip(&self.bias).map(|(row, bias)| dot(row, &centred) + bias).collect()
    }

    /// The softmax of [`Probe::scores`], at the temperature that fits the training pictures best.
    #[must_use]
    pub fn shares(&self, scores: &[f32]) -> Vec<f32> {
        softmax(scores, self.temperature)
    }

    /// Whether a unit vector is near any class; one of another length is not.
    #[must_use]
    pub fn is_familiar(&self, vector: &[f32]) -> bool {
        vector.len() == self.dims && self.familiarity(vector) >= self.familiar
    }

    /// How likely a unit vector is of one of the classes rather than of anything else: a half at the threshold of
    /// familiarity, 19 of 20 for a vector as familiar as the usual picture of a class.
    #[must_use]
    pub fn ownership(&self, vector: &[f32], typical: f32) -> f32 {
        if vector.len() != self.dims {
            return 0.0;
        }
        let certainty = (self.familiarity(vector) - self.familiar) / (typical - self.familiar).max(f32::EPSILON);
        1.0 / (1.0 + 19f32.powf(-certainty))
    }

    /// A probe to which all vectors are alike.
    fn blank(dims: usize, classes: usize) -> Self {
        let (none, bias) = (Vec::new, vec![0.0; classes]);
        let (centre, weights, means) = (none(), none(), none());
        Self { kind: Kind::Ridge, dims, centre, weights, bias, means, temperature: 1.0, familiar: -1.0 }
    }

    fn familiarity(&self, vector: &[f32]) -> f32 {
        self.means.chunks_exact(self.dims).map(|mean| dot(mean, vector)).fold(-1.0, f32::max)
    }
}
