//! What a detector saw at a box, as a vector.
//!
//! A network scores every class at every box, and two photographs of the same thing give nearly the same scores for all of
//! them, also for those far too low to be an answer. So the scores of a row tell near from far without another network.
//! Shape and place say a little more: a camera that always looks the same way makes the same mistake at the same place.

use crate::{Area, vector::normalise};

/// Scores are kept this far from 0 and 1, where the smallest difference would move a logit by any amount.
const LEAST: f32 = 1e-4;

/// A side shorter than this part of the picture counts as so long: its logarithm must end somewhere.
const SHORTEST: f32 = 1e-3;

/// The most that shape and place weigh beside classes of weight one: a fifth of the squared length.
const SHAPE: f32 = 0.5;

/// The descriptor of a box by the scores of all classes there and its area: a unit vector, the classes first, then four numbers
/// of shape and place.
pub(super) fn descriptor(scores: &[f32], area: Area) -> Vec<f32> {
    let mut descriptor = classes(scores);
    // Each of the four is within -1 and 1, so that half of them is a vector no longer than one.
    descriptor.extend(shape(area).map(|number| number / 2.0 * SHAPE));
    normalise(&mut descriptor);
    descriptor
}

/// The logits without their mean, because a dim photograph lowers all alike, at length one.
#[allow(clippy::cast_precision_loss, reason = "counts of classes")]
fn classes(scores: &[f32]) -> Vec<f32> {
    let mut logits: Vec<f32> = scores.iter().map(|score| logit(*score)).collect();
    let mean = logits.iter().sum::<f32>() / scores.len().max(1) as f32;
    for logit in &mut logits {
        *logit -= mean;
    }
    // Where no class stands out, as where there is only one, all are the same: a direction that no other row has.
    if logits.iter().all(|logit| logit.abs() < LEAST) {
        logits.fill(1.0);
    }
    normalise(&mut logits);
    logits
}

fn logit(score: f32) -> f32 {
    let score = if score.is_nan() { LEAST } else { score.clamp(LEAST, 1.0 - LEAST) };
    (score / (1.0 - score)).ln()
}

/// Width, height and centre, each from -1 to 1; the sides by their logarithms, because twice as wide is as far from wide
/// as half as wide.
fn shape(area: Area) -> [f32; 4] {
    let side = |from: f32, to: f32| 1.0 - 2.0 * (to - from).clamp(SHORTEST, 1.0).ln() / SHORTEST.ln();
    let centre = |from: f32, to: f32| (from + to).clamp(0.0, 2.0) - 1.0;
    [
        side(area.x_min, area.x_max),
        side(area.y_min, area.y_max),
        centre(area.x_min, area.x_max),
        centre(area.y_min, area.y_max),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::descriptor;
    use crate::{Area, vector::dot};

    const MIDDLE: Area = Area { x_min: 0.4, y_min: 0.4, x_max: 0.6, y_max: 0.6 };

    #[test]
    fn the_same_row_has_the_same_look() {
        assert_eq!(descriptor(&[0.9, 0.1, 0.02], MIDDLE), descriptor(&[0.9, 0.1, 0.02], MIDDLE));
    }

    #[test]
    fn scores_that_are_alike_look_more_alike_than_places() {
        let here = descriptor(&[0.9, 0.1, 0.02, 0.01], MIDDLE);
        let dimmer = descriptor(&[0.8, 0.06, 0.01, 0.005], MIDDLE);
        let corner = Area { x_min: 0.0, y_min: 0.0, x_max: 0.1, y_max: 0.2 };
        let elsewhere = descriptor(&[0.9, 0.1, 0.02, 0.01], corner);
        let other = descriptor(&[0.1, 0.02, 0.01, 0.9], MIDDLE);
        assert!(dot(&here, &dimmer) > 0.99);
        assert!(dot(&here, &elsewhere) < dot(&here, &dimmer));
        assert!(dot(&here, &other) < dot(&here, &elsewhere));
    }

    #[test]
    fn what_is_no_number_does_no_harm() {
        let nowhere = Area { x_min: 1.0, y_min: 1.0, x_max: 0.0, y_max: 1.0 };
        for scores in [&[f32::NAN, 0.5][..], &[0.0, 1.0], &[0.7], &[0.3, 0.3]] {
            let descriptor = descriptor(scores, nowhere);
            assert_eq!(descriptor.len(), scores.len() + 4);
            assert!((dot(&descriptor, &descriptor) - 1.0).abs() < 1e-5, "{scores:?}: {descriptor:?}");
        }
    }

    proptest! {
        #[test]
        fn a_look_is_one_long_and_mostly_of_classes(
            scores in proptest::collection::vec(0.0f32..=1.0, 1..90),
            (x_min, y_min, x_max, y_max) in (0.0f32..=1.0, 0.0f32..=1.0, 0.0f32..=1.0, 0.0f32..=1.0),
        ) {
            let descriptor = descriptor(&scores, Area { x_min, y_min, x_max, y_max });
            prop_assert!((dot(&descriptor, &descriptor) - 1.0).abs() < 1e-5);
            let shape = &descriptor[scores.len()..];
            prop_assert_eq!(shape.len(), 4);
            prop_assert!(dot(shape, shape) <= 0.2 + 1e-5);
        }
    }
}
