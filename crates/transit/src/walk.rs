//! From neighbours to runs: walks through a graph of stations so that each edge is in exactly one run.

use std::collections::{BTreeMap, BTreeSet};

use crate::geo::Place;

/// Runs that hold every edge once, and whether they are one ring. A walk begins at an end of the line and goes
/// straight on where the line branches.
pub(crate) fn runs(edges: &BTreeSet<(usize, usize)>, place: impl Fn(usize) -> Place) -> (Vec<Vec<usize>>, bool) {
    let mut open: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        open.entry(a).or_default().insert(b);
        open.entry(b).or_default().insert(a);
    }
    let mut runs = Vec::new();
    while let Some(start) = start(&open) {
        let mut run = vec![start];
        let mut here = start;
        while let Some(next) = straight_on(&open, &run, here, &place) {
            for (a, b) in [(here, next), (next, here)] {
                if let Some(left) = open.get_mut(&a) {
                    left.remove(&b);
                    if left.is_empty() {
                        open.remove(&a);
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

/// An end of a line, else a station where an odd number of edges is left, else any.
fn start(open: &BTreeMap<usize, BTreeSet<usize>>) -> Option<usize> {
    let with = |wanted: fn(usize) -> bool| open.iter().find(|(_, next)| wanted(next.len())).map(|(at, _)| *at);
    with(|degree| degree == 1).or_else(|| with(|degree| degree % 2 == 1)).or_else(|| with(|_| true))
}

fn straight_on(
    open: &BTreeMap<usize, BTreeSet<usize>>,
    run: &[usize],
    here: usize,
    place: &impl Fn(usize) -> Place,
) -> Option<usize> {
    let candidates = open.get(&here)?;
    let Some(&before) = run.len().checked_sub(2).and_then(|at| run.get(at)) else { return candidates.first().copied() };
    let turn = |next: usize| {
        let (into, out) = (heading(place(before), place(here)), heading(place(here), place(next)));
        let angle = (out - into).abs();
        angle.min(std::f64::consts::TAU - angle)
    };
    candidates.iter().copied().min_by(|&a, &b| turn(a).total_cmp(&turn(b)))
}

fn heading(from: Place, to: Place) -> f64 {
    (to.lat - from.lat).atan2((to.lon - from.lon) * from.lat.to_radians().cos())
}
