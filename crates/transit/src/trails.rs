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
