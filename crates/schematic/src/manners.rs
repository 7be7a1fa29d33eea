//! The manners in which a network can be laid out, and which result is the best.
//!
//! Where labels are dense, a small change decides which of them needs more room, and so what the map looks like. No
//! setting is the best for all networks. With more effort, several are tried.

use crate::{dimensions::GRID_UNIT, quality::Quality};

/// The most layouts that are tried.
pub const MAX_EFFORT: usize = 24;

/// How a layout is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Map units per grid step, at first.
    pub(crate) cell: f64,
    /// How many times room for a label or between two bundles is made by moving parts, before rows and columns are
    /// inserted.
    pub(crate) room_tries: usize,
    /// Whether edges that cross others are pulled together as a whole.
    pub(crate) pulls_whole_edges: bool,
}

const fn manner(cell: f64, room_tries: usize, pulls_whole_edges: bool) -> Manner {
    Manner { cell, room_tries, pulls_whole_edges }
}

/// The first is the fastest.
const MANNERS: [Manner; 6] = [
    manner(GRID_UNIT, 0, false),
    manner(GRID_UNIT, 0, true),
    manner(GRID_UNIT, 4, false),
    manner(14.0, 4, false),
    manner(GRID_UNIT, 4, true),
    manner(12.0, 4, true),
];
/// After these, other sizes of the grid are tried, with edges pulled as a whole and without.
const CELLS: [f64; 9] = [13.0, 15.0, 11.0, 14.5, 12.5, 15.5, 11.5, 13.5, 17.0];

/// The manners that are tried with an effort.
pub(crate) fn manners(effort: usize) -> impl Iterator<Item = Manner> {
    let others = [true, false].into_iter().flat_map(|pulls| CELLS.map(|cell| manner(cell, 4, pulls)));
    MANNERS.into_iter().chain(others).take(effort.clamp(1, MAX_EFFORT))
}

/// Edges up to this length, in map units, are not too long.
const LONGEST_EDGE: f64 = 300.0;
/// Distances between neighbours are even enough up to this ratio.
const SPACING: f64 = 4.0;
/// A map is dense enough if labels cover so much of it.
const LABEL_SHARE: f64 = 0.02;
/// What being far beyond one of the limits counts more than being far below it.
const BEYOND: f64 = 4.0;
/// The cost of a bend for each edge.
const BEND_COST: f64 = 0.5;
/// The cost of what a reader may misunderstand: bundles that touch, groups drawn apart, a line off its track.
const FAULT_COST: f64 = 0.1;

/// The layout with the lowest score, the first of equals. If all fail, the first one says why.
pub(crate) fn best<T, E>(
    layouts: impl IntoIterator<Item = Result<T, E>>,
    score: impl Fn(&T) -> f64,
) -> Option<Result<T, E>> {
    layouts.into_iter().reduce(|best, next| match (&best, &next) {
        (Ok(known), Ok(new)) if score(new) < score(known) => next,
        (Err(_), Ok(_)) => next,
        _ => best,
    })
}

/// How bad a map is: of several layouts, the one with the lowest score is kept.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn score(quality: &Quality) -> f64 {
    let cost = |ratio: f64| ratio.max(0.1).ln() + BEYOND * ratio.max(1.0).ln();
    let faults = quality.contacts + quality.misleading_labels;
    let grave = quality.groups_apart + quality.corridor_chords + quality.unlabelled;
    cost(quality.longest_edge / LONGEST_EDGE)
        + cost(quality.spacing / SPACING)
        + cost(LABEL_SHARE / quality.label_share.max(1e-6))
        + BEND_COST * quality.bends / (quality.edges.max(1) as f64)
        + FAULT_COST * (faults as f64)
        + 10.0 * FAULT_COST * (grave as f64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{MAX_EFFORT, best, manners};

    #[test]
    fn no_manner_is_tried_twice() {
        let tried = manners(usize::MAX).map(|manner| format!("{manner:?}"));
        assert_eq!(tried.collect::<HashSet<_>>().len(), MAX_EFFORT);
        assert_eq!((manners(0).count(), manners(3).count()), (1, 3));
    }

    #[test]
    fn the_layout_with_the_lowest_score_is_kept() {
        let best = |layouts: &[Result<f64, &'static str>]| best(layouts.iter().copied(), |layout| *layout);
        assert_eq!(best(&[Ok(3.0), Err("one"), Ok(-1.0), Ok(2.0)]), Some(Ok(-1.0)));
        assert_eq!(best(&[Err("one"), Ok(2.0), Err("two")]), Some(Ok(2.0)));
        assert_eq!(best(&[Err("one"), Err("two")]), Some(Err("one")));
        assert_eq!(best(&[]), None);
    }
}
