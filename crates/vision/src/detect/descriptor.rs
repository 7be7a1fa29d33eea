//! The descriptor of a detected box.
//!
//! A network scores every class at every box, and two photographs of the same thing give nearly the same scores for all
//! of them, including the low ones. The scores of a row therefore serve as a descriptor without another network. Shape
//! and position add a little: a fixed camera makes the same mistake at the same position.

use crate::{Area, vector::normalise};

/// Scores are clamped this far from 0 and 1, where logits are unbounded.
const LEAST: f32 = 1e-4;

/// Shorter sides count as this part of the picture, to bound the logarithm.
const SHORTEST: f32 = 1e-3;

/// The most that shape and position weigh beside classes of weight one: a fifth of the squared length.
const SHAPE: f32 = 0.5;

/// The descriptor of a box by the scores of all classes there and its area: a unit vector, the classes first, then four
/// components for shape and position.
pub(super) fn descriptor(scores: &[f32], area: Area) -> Vec<f32> {
    let mut descriptor = classes(scores);
    // Each of the four is within -1 and 1, so that half of them is a vector no longer than one.
    descriptor.extend(shape(area).map(|number| number / 2.0 * SHAPE));
    normalise(&mut descriptor);
    descriptor
}

/// The logits at length one, without their mean, because a dim photograph lowers all of them alike.
#[allow(clippy::cast_precision_loss, reason = "counts of classes")]
fn classes(scores: &[f32]) -> Vec<f32> {
    let mut logits: Vec<f32> = scores.iter().map(|score| logit(*score)).collect();
    let mean = logits.iter().sum::<f32>() / scores.len().max(1) as f32;
    for logit in &mut logits {
        *logit -= mean;
    }
    // If no class stands out, or there is only one, all components are equal, which no other row has.
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

/// Width, height and centre, each from -1 to 1; the sides by their logarithms, because twice as wide is as far from
/// wide as half as wide.
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
    fn the_same_row_has_the_same_descriptor() {
        assert_eq!(descriptor(&[0.9, 0.1, 0.02], MIDDLE), descriptor(&[0.9, 0.1, 0.02], MIDDLE));
    }

    #[test]
    fn scores_weigh_more_than_positions() {
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
        fn a_descriptor_has_length_one_and_consists_mostly_of_classes(
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
