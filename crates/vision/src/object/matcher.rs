//! Pairs of like features by a network of the `LightGlue` kind, which looks at all features of both pictures together.
//!
//! It finds the pairs where descriptors alone do not: seen at another size, at a slant, or blurred. A run takes fifty
//! times as long as comparing descriptors, so it is for the few reference pictures that are worth it.

use std::path::Path;

use super::{
    features::{Features, UNITY},
    matching::Pair,
};
use crate::{
    manifest::{Backend, Manifest, Parts},
    runtime::{Feed, Network, Runtime, RuntimeError},
};

/// The strongest features of a reference picture and of a query that are compared. The time grows with their product:
/// these take a third of that of all, and find half as many pairs.
pub(crate) const REFERENCE_FEATURES: usize = 300;
const QUERY_FEATURES: usize = 500;

/// Pairs below this probability are none, as published.
const LEAST_SCORE: f32 = 0.1;

/// Matches features, on one thread.
pub struct Matcher {
    network: Network,
}

impl Matcher {
    /// Loads the matcher that belongs to a network for local features, if its manifest names one, and runs it once to
    /// see that it fits.
    ///
    /// # Errors
    /// When it cannot be loaded, or its inputs and outputs are others.
    pub fn load(runtime: &Runtime, folder: &Path, manifest: &Manifest) -> Result<Option<Self>, RuntimeError> {
        let Parts::LocalFeatures(parts) = &manifest.parts else { return Ok(None) };
        let Some(file) = &parts.matcher else { return Ok(None) };
        let network = runtime.network(&folder.join(&file.file), Backend::Onnxruntime)?;
        let mut matcher = Self { network };
        matcher.scores(&[0.0; 4], &[0.0; 128], &[0.0; 2], &[0.0; 64])?;
        Ok(Some(matcher))
    }

    /// The pairs of features that are each other's likeliest partner, the likeliest first.
    pub(crate) fn pairs(&mut self, reference: &Features, query: &Features) -> Result<Vec<Pair>, RuntimeError> {
        if reference.is_empty() || query.is_empty() {
            return Ok(Vec::new());
        }
        let (first, second) = (Input::new(reference, REFERENCE_FEATURES), Input::new(query, QUERY_FEATURES));
        let scores = self.scores(&first.places, &first.descriptors, &second.places, &second.descriptors)?;
        Ok(mutual(&scores, second.places.len() / 2))
    }

    /// For each feature of the reference the probabilities that it is each of the query.
    fn scores(
        &mut self,
        places_0: &[f32],
        descriptors_0: &[f32],
        places_1: &[f32],
        descriptors_1: &[f32],
    ) -> Result<Vec<f32>, RuntimeError> {
        let counts = (places_0.len() / 2, places_1.len() / 2);
        let feeds = [
            ("places0", Feed::Floats(&[counts.0, 2], places_0)),
            ("descriptors0", Feed::Floats(&[counts.0, 64], descriptors_0)),
            ("places1", Feed::Floats(&[counts.1, 2], places_1)),
            ("descriptors1", Feed::Floats(&[counts.1, 64], descriptors_1)),
        ];
        let [scores] = self.network.run(&feeds, ["scores"])?;
        if scores.shape != [counts.0, counts.1] {
            return Err(RuntimeError::Run("its outputs are not those of a matcher".to_owned()));
        }
        Ok(scores.values)
    }
}

/// The strongest features as the network takes them.
struct Input {
    places: Vec<f32>,
    descriptors: Vec<f32>,
}

impl Input {
    fn new(features: &Features, most: usize) -> Self {
        let (width, height) = (f32::from(features.width()), f32::from(features.height()));
        let half = width.max(height) / 2.0;
        let place = |x: f32, y: f32| [(x - width / 2.0) / half, (y - height / 2.0) / half];
        let points = features.points().iter().take(most);
        Self {
            places: points.flat_map(|point| place(f32::from(point.x), f32::from(point.y))).collect(),
            descriptors: features.descriptors().iter().take(most).flatten().map(|n| f32::from(*n) / 127.0).collect(),
        }
    }
}

/// The pairs that choose each other in a table with `columns` columns, the likeliest first.
fn mutual(scores: &[f32], columns: usize) -> Vec<Pair> {
    let mut best_of_column = vec![(0.0, usize::MAX); columns];
    for (row, values) in scores.chunks_exact(columns).enumerate() {
        for (best, value) in best_of_column.iter_mut().zip(values) {
            if *value > best.0 {
                *best = (*value, row);
            }
        }
    }
    let mut pairs = Vec::new();
    for (row, values) in scores.chunks_exact(columns).enumerate() {
        let best = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((column, value)) = best
            && *value > LEAST_SCORE
            && best_of_column.get(column).is_some_and(|back| back.1 == row)
        {
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a share of 16129")]
            let alike = (value * UNITY as f32) as i32;
            pairs.push(Pair { reference: row, query: column, alike });
        }
    }
    pairs.sort_by(|a, b| b.alike.cmp(&a.alike).then(a.query.cmp(&b.query)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::{Input, mutual};
    use crate::object::features::{DIMENSIONS, Features, Point};

    #[test]
    fn those_that_choose_each_other_are_pairs() {
        // The first row and the last choose the first column, which chooses the last; the second row is not sure.
        let pairs = mutual(&[0.5, 0.0, 0.2, 0.0, 0.05, 0.0, 0.9, 0.3, 0.0], 3);
        let found: Vec<(usize, usize)> = pairs.iter().map(|pair| (pair.reference, pair.query)).collect();
        assert_eq!(found, [(2, 0)]);
        assert!(mutual(&[f32::NAN; 4], 2).is_empty());
    }

    #[test]
    fn places_are_measured_from_the_middle_and_the_weakest_are_left_out() {
        let at = |x, y| (Point { x, y }, [127; DIMENSIONS]);
        let features = Features::new(400, 200, vec![at(200, 100), at(0, 0), at(399, 199)]).unwrap();
        let input = Input::new(&features, 2);
        assert_eq!(input.places, [0.0, 0.0, -1.0, -0.5]);
        assert_eq!(input.descriptors, [1.0; 2 * DIMENSIONS]);
    }
}
