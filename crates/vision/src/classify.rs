//! Image classification: a score for every class, and the embedding.

use std::{path::Path, sync::Arc};

use kaisatsu_resize::Resizer;

use crate::{
    Picture,
    labels::Labels,
    manifest::{Decode, Fault, Fit, Input, Output, PictureParts},
    prepare::{prepare, short_side},
    runtime::{Feed, Network, Runtime, RuntimeError, Tensor},
    softmax::softmax,
    vector,
};

/// A class and how sure the model is of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassScore {
    /// Its position among the labels.
    pub class: usize,
    /// 0 to 1.
    pub score: f32,
}

/// The result of classifying a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// 0 to 1 for every class, in the order of the labels; [`best`] selects from them.
    pub scores: Vec<f32>,
    /// The embedding, of length one, if the model has one.
    pub embedding: Option<Vec<f32>>,
}

/// A classifier on one thread.
pub struct Classifier {
    network: Network,
    input: Input,
    output: Output,
    labels: Arc<Labels>,
}

impl Classifier {
    /// Loads the network of a manifest, and runs it once to see that it fits.
    ///
    /// # Errors
    /// What does not fit.
    pub fn load(runtime: &Runtime, folder: &Path, parts: &PictureParts, labels: Arc<Labels>) -> Result<Self, Fault> {
        let PictureParts { weights, input, output, .. } = parts;
        let told = |error: RuntimeError| Fault(error.to_string());
        let network = runtime.network(&folder.join(&weights.file), parts.runtime).map_err(told)?;
        let mut classifier = Self { network, input: input.clone(), output: output.clone(), labels };
        let blank = vec![0.0; input.width as usize * input.height as usize * 3];
        let (logits, _) = classifier.infer(&blank).map_err(told)?;
        if logits.values.len() != classifier.labels.len() {
            let (outputs, names) = (logits.values.len(), classifier.labels.len());
            return Err(Fault(format!("the network has {outputs} classes and the labels are {names}")));
        }
        Ok(classifier)
    }

    /// The name of what its network runs on.
    #[must_use]
    pub fn runs_on(&self) -> &'static str {
        self.network.runs_on()
    }

    /// The shorter side that it needs of a picture.
    #[must_use]
    pub fn short_side(&self) -> u32 {
        short_side(&self.input)
    }

    /// Whether the scores sum to one, because a picture belongs to exactly one class.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.output.decode == Decode::Softmax
    }

    /// The names of its classes.
    #[must_use]
    pub fn labels(&self) -> &Arc<Labels> {
        &self.labels
    }

    /// A picture whose best score is below this belongs to none of the classes.
    #[must_use]
    pub fn none_below(&self) -> f32 {
        self.output.none_below
    }

    /// Scores every class of a picture.
    ///
    /// # Errors
    /// When the network fails.
    pub fn classify(&mut self, resizer: &mut Resizer, picture: &Picture) -> Result<Classification, RuntimeError> {
        let (logits, embedding) = self.run(resizer, picture, None)?;
        Ok(Classification { scores: probabilities(&logits.values, &self.output), embedding })
    }

    /// Computes only the embedding of a picture. `fit` replaces that of the manifest.
    ///
    /// # Errors
    /// When the network fails, or gives no vector.
    pub fn embed(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        fit: Option<Fit>,
    ) -> Result<Vec<f32>, RuntimeError> {
        let (_, embedding) = self.run(resizer, picture, fit)?;
        embedding.ok_or_else(|| RuntimeError::Run("the model has no embedding output".to_owned()))
    }

    fn run(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        fit: Option<Fit>,
    ) -> Result<(Tensor, Option<Vec<f32>>), RuntimeError> {
        let prepared = prepare(resizer, picture, &self.input, fit)
            .ok_or_else(|| RuntimeError::Run("the picture cannot be resized".to_owned()))?;
        self.infer(&prepared.tensor)
    }

    fn infer(&mut self, tensor: &[f32]) -> Result<(Tensor, Option<Vec<f32>>), RuntimeError> {
        let shape = crate::prepare::shape(&self.input);
        let feeds = [(self.input.name.as_str(), Feed::Floats(&shape, tensor))];
        match &self.output.embedding {
            None => {
                let [logits] = self.network.run(&feeds, [&self.output.scores])?;
                Ok((logits, None))
            }
            Some(name) => {
                let [logits, mut embedding] = self.network.run(&feeds, [self.output.scores.as_str(), name])?;
                vector::normalise(&mut embedding.values);
                Ok((logits, Some(embedding.values)))
            }
        }
    }
}

/// Logits to probabilities, as the manifest says.
fn probabilities(logits: &[f32], output: &Output) -> Vec<f32> {
    match output.decode {
        Decode::Softmax => softmax(logits, output.temperature),
        Decode::Sigmoid => logits.iter().map(|logit| 1.0 / (1.0 + (-logit / output.temperature).exp())).collect(),
        _ => logits.to_vec(),
    }
}

/// The `most` best classes, by score and then by position; none if even the best is below `none_below`.
#[must_use]
pub fn best(scores: &[f32], most: usize, none_below: f32) -> Vec<ClassScore> {
    let mut order: Vec<ClassScore> =
        scores.iter().enumerate().map(|(class, &score)| ClassScore { class, score }).collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.class.cmp(&b.class)));
    if order.first().is_none_or(|first| first.score < none_below) {
        return Vec::new();
    }
    order.truncate(most);
    order
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn the_best_come_first_and_ties_keep_their_places() {
        let classes: Vec<usize> = best(&[0.1, 0.4, 0.1, 0.4], 3, 0.2).iter().map(|scored| scored.class).collect();
        assert_eq!(classes, [1, 3, 0]);
    }

    #[test]
    fn a_weak_best_is_none_of_these() {
        assert!(best(&[0.1, 0.15], 5, 0.2).is_empty());
        assert!(best(&[], 5, 0.0).is_empty());
    }
}
