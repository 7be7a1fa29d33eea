//! Models that answer with a part of a vocabulary, and classifiers that need another model's opinion.

use serde::{Deserialize, Serialize};

use super::{Fault, File, fault};

/// A part of the vocabulary of another classifier, as a model of its own.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    kind: Kind,
    /// The classifier.
    pub of: String,
    /// The ids of the classes that it answers with, one a line.
    pub classes: File,
}

/// The only kind of classifier that has to be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    View,
}

/// Whether a picture shows anything that a classifier knows, by what another classifier sees in it. For a network that
/// has no notion of "none of these".
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The other classifier.
    pub model: String,
    /// The ids of its classes that speak for the picture, one a line.
    pub classes: File,
    /// The probability is the logistic function of `offset` + `slope` · ln(s / (1 - s)), `s` being the sum of the
    /// scores of these classes.
    pub offset: f32,
    /// See `offset`.
    pub slope: f32,
}

/// Groups of classes, such as genera and families, for pictures whose class is uncertain and whose group is not.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Taxonomy {
    /// The groups with their names, the narrowest first.
    pub groups: File,
    /// For each class its id and the ids of its groups.
    pub members: File,
    /// A name with this score or more is sure.
    pub sure: f32,
}

impl Gate {
    /// The probability that the picture shows what the classifier knows, `sum` being the sum of the scores.
    #[must_use]
    pub fn probability(&self, sum: f32) -> f32 {
        let sum = sum.clamp(1e-6, 1.0 - 1e-6);
        1.0 / (1.0 + (-(self.offset + self.slope * (sum / (1.0 - sum)).ln())).exp())
    }

    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.slope > 0.0 && self.slope.is_finite() && self.offset.is_finite() {
            return Ok(());
        }
        Err(fault("[gate] slope must be above 0, and offset a number"))
    }
}

impl Taxonomy {
    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.sure > 0.0 && self.sure <= 1.0 {
            return Ok(());
        }
        Err(fault("[taxonomy] sure must be above 0 and at most 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::File, Gate};

    #[test]
    fn a_gate_opens_with_the_sum_of_the_scores() {
        let classes = File { file: "gate.txt".into(), sha256: String::new() };
        let gate = Gate { model: "general".to_owned(), classes, offset: 1.0, slope: 2.0 };
        let odds = |sum: f32| gate.probability(sum) / (1.0 - gate.probability(sum));
        assert!((odds(0.5) - 1f32.exp()).abs() < 1e-4, "{}", odds(0.5));
        assert!((odds(0.75) / odds(0.5) - 9.0).abs() < 1e-3, "three to one, squared");
        assert!(gate.probability(0.0) > 0.0 && gate.probability(0.0) < 1e-6 && gate.probability(1.0) <= 1.0);
    }
}
