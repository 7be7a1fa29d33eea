//! Non-maximum suppression: of overlapping boxes of a class, the surest stays.

use super::Detection;

/// Non-maximum suppression, class by class; of each class only the `per_class` surest are compared.
pub(super) fn suppress(mut found: Vec<Detection>, most_overlap: f32, per_class: usize) -> Vec<Detection> {
    found.sort_by(|a, b| a.class.cmp(&b.class).then(surest(a, b)));
    let mut kept: Vec<Detection> = Vec::new();
    for class in found.chunk_by(|a, b| a.class == b.class) {
        let first = kept.len();
        for candidate in class.iter().take(per_class) {
            if kept[first..].iter().all(|better| better.area.overlap(candidate.area) <= most_overlap) {
                kept.push(*candidate);
            }
        }
    }
    kept
}

/// The `most` surest, surest first.
pub(super) fn strongest(mut found: Vec<Detection>, most: usize) -> Vec<Detection> {
    found.sort_by(surest);
    found.truncate(most);
    found
}

/// Equal scores are ordered by class and place, so that an answer is always the same.
pub(super) fn surest(a: &Detection, b: &Detection) -> std::cmp::Ordering {
    b.score
        .total_cmp(&a.score)
        .then(a.class.cmp(&b.class))
        .then(a.area.x_min.total_cmp(&b.area.x_min))
        .then(a.area.y_min.total_cmp(&b.area.y_min))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{strongest, suppress};
    use crate::{Area, Detection};

    fn found(class: usize, score: f32, x_min: f32, width: f32) -> Detection {
        Detection { class, score, area: Area { x_min, y_min: 0.0, x_max: x_min + width, y_max: 1.0 }, row: 0 }
    }

    #[test]
    fn of_two_that_overlap_the_surer_stays_and_other_classes_do_not_care() {
        let boxes = vec![found(0, 0.5, 0.0, 0.5), found(0, 0.9, 0.05, 0.5), found(1, 0.4, 0.0, 0.5)];
        let kept = strongest(suppress(boxes, 0.6, 100), 10);
        let scores: Vec<f32> = kept.iter().map(|found| found.score).collect();
        assert_eq!(scores, [0.9, 0.4]);
    }

    #[test]
    fn boxes_of_nothing_overlap_with_nothing() {
        let point = Area { x_min: 0.5, y_min: 0.5, x_max: 0.5, y_max: 0.5 };
        assert!(point.overlap(point).abs() < f32::EPSILON);
    }

    proptest! {
        /// Whatever goes in: no two of one class that stay overlap too much, and the surest of all stays.
        #[test]
        fn what_stays_does_not_overlap(
            boxes in proptest::collection::vec((0usize..3, 0.0f32..1.0, 0.0f32..0.9, 0.01f32..0.5), 1..40),
        ) {
            let all: Vec<Detection> = boxes.iter().map(|&(c, s, x, w)| found(c, s, x, w)).collect();
            let best = all.iter().map(|found| found.score).fold(0.0, f32::max);
            let kept = strongest(suppress(all, 0.5, 100), 100);
            prop_assert!((kept[0].score - best).abs() < f32::EPSILON);
            for (at, a) in kept.iter().enumerate() {
                for b in kept[at + 1..].iter().filter(|b| b.class == a.class) {
                    prop_assert!(a.area.overlap(b.area) <= 0.5);
                }
            }
        }
    }
}
