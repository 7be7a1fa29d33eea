//! Decomposes a graph of adjacent stations into runs, so that each edge is in exactly one run.

use std::collections::{BTreeMap, BTreeSet};

use crate::geo::LatLon;

/// The runs, and whether they are one ring. A run starts at an end of the line and goes straight on where the line
/// branches.
pub(crate) fn decompose(
    edges: &BTreeSet<(usize, usize)>,
    position: impl Fn(usize) -> LatLon,
) -> (Vec<Vec<usize>>, bool) {
    let mut remaining: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        remaining.entry(a).or_default().insert(b);
        remaining.entry(b).or_default().insert(a);
    }
    let mut runs = Vec::new();
    while let Some(trail_start) = trail_start(&remaining) {
        let mut run = vec![trail_start];
        let mut here = trail_start;
        while let Some(next) = straightest(&remaining, &run, here, &position) {
            for (a, b) in [(here, next), (next, here)] {
                if let Some(left) = remaining.get_mut(&a) {
                    left.remove(&b);
                    if left.is_empty() {
                        remaining.remove(&a);
                    }
                }
            }
            run.push(next);
            here = next;
        }
        runs.push(run);
    }
    let is_ring = matches!(runs.as_slice(), [one] if one.len() > 3 && one.first() == one.last());
    if is_ring && let Some(ring) = runs.first_mut() {
        ring.pop();
    }
    (runs, is_ring)
}

/// A station of degree one, else one of odd degree, else any station with remaining edges.
fn trail_start(remaining: &BTreeMap<usize, BTreeSet<usize>>) -> Option<usize> {
    let with = |wanted: fn(usize) -> bool| remaining.iter().find(|(_, next)| wanted(next.len())).map(|(at, _)| *at);
    with(|degree| degree == 1).or_else(|| with(|degree| degree % 2 == 1)).or_else(|| with(|_| true))
}

fn straightest(
    remaining: &BTreeMap<usize, BTreeSet<usize>>,
    run: &[usize],
    here: usize,
    position: &impl Fn(usize) -> LatLon,
) -> Option<usize> {
    let candidates = remaining.get(&here)?;
    let Some(&before) = run.len().checked_sub(2).and_then(|at| run.get(at)) else { return candidates.first().copied() };
    let turn = |next: usize| {
        let (into, out) = (heading(position(before), position(here)), heading(position(here), position(next)));
        let angle = (out - into).abs();
        angle.min(std::f64::consts::TAU - angle)
    };
    candidates.iter().copied().min_by(|&a, &b| turn(a).total_cmp(&turn(b)))
}

fn heading(from: LatLon, to: LatLon) -> f64 {
    (to.lat - from.lat).atan2((to.lon - from.lon) * from.lat.to_radians().cos())
}

#[cfg(test)]
mod tests {
    use super::decompose;
    use crate::geo::LatLon;

    /// Decomposes a graph whose stations have these latitudes and longitudes.
    fn runs(edges: &[(usize, usize)], positions: &[(f64, f64)]) -> (Vec<Vec<usize>>, bool) {
        decompose(&edges.iter().copied().collect(), |at| LatLon { lat: positions[at].0, lon: positions[at].1 })
    }

    #[test]
    fn a_line_is_one_run_from_end_to_end() {
        let positions = [(0.0, 1.0), (0.0, 0.0), (0.0, 2.0)];
        assert_eq!(runs(&[(0, 1), (0, 2)], &positions), (vec![vec![1, 0, 2]], false));
        assert_eq!(runs(&[(0, 0), (0, 1)], &positions), (vec![vec![0, 1]], false), "no edge leads to its own station");
        assert_eq!(runs(&[], &positions), (Vec::new(), false));
    }

    #[test]
    fn a_run_goes_straight_on_where_the_line_branches() {
        let branched = [(0, 1), (1, 2), (1, 3)];
        let straight = (vec![vec![0, 1, 3], vec![1, 2]], false);
        // Eastwards, and westwards, where the heading changes its sign.
        assert_eq!(runs(&branched, &[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 2.0)]), straight);
        assert_eq!(runs(&branched, &[(0.0, 2.0), (0.0, 1.0), (0.5, 0.1), (-0.01, 0.0)]), straight);
        // Far in the north, degrees of longitude are short: this line leads to the north, not to the north-east.
        assert_eq!(runs(&branched, &[(74.0, 0.0), (75.0, 1.0), (75.0, 2.0), (76.0, 0.8)]), straight);
    }

    #[test]
    fn a_ring_does_not_repeat_its_first_station() {
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
        assert_eq!(runs(&[(0, 1), (1, 2), (2, 3), (0, 3)], &corners), (vec![vec![0, 1, 2, 3]], true));
        assert_eq!(runs(&[(0, 1), (1, 2), (0, 2)], &corners), (vec![vec![0, 1, 2]], true));
    }

    #[test]
    fn a_ring_with_a_branch_is_one_run_that_is_not_closed() {
        let positions = [(0.0, -1.0), (0.0, 0.0), (0.5, 1.0), (-0.6, 1.0)];
        assert_eq!(runs(&[(0, 1), (1, 2), (2, 3), (1, 3)], &positions), (vec![vec![0, 1, 2, 3, 1]], false));
    }

    #[test]
    fn without_ends_a_run_starts_where_an_odd_number_of_edges_meet() {
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
        let (runs, is_ring) = runs(&[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], &corners);
        assert_eq!((runs.len(), runs[0].len(), runs[0][0], runs[0][5], is_ring), (1, 6, 1, 2, false));
    }
}
