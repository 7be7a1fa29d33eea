//! Lines that stop at each other's stations by turns: neither has all stations of the track, both together have.

use std::collections::{HashMap, HashSet};

use kaisatsu_model::StationCode;

use super::line_graph::LineGraph;
use crate::{Line, geo::LatLon};

/// The way past a station of the other line is at most this many times as long as without it. On two tracks it would
/// zigzag.
const MAX_DETOUR: f64 = 1.08;

/// For each skip-stop pair, a line that stops at the stations of both.
pub(super) fn merged_lines(
    lines: &[Line],
    index: &HashMap<StationCode, usize>,
    positions: &[LatLon],
) -> Vec<LineGraph> {
    let runs: Vec<Vec<Vec<usize>>> = lines
        .iter()
        .map(|line| line.runs.iter().map(|run| run.iter().filter_map(|code| index.get(code).copied()).collect()))
        .map(Iterator::collect)
        .collect();
    let stations: Vec<HashSet<usize>> = runs.iter().map(|runs| runs.iter().flatten().copied().collect()).collect();
    let mut merged = Vec::new();
    for one in 0..lines.len() {
        for other in one + 1..lines.len() {
            let common = stations[one].intersection(&stations[other]).count();
            // Two lines that meet here and there run on tracks of their own.
            if 2 * common < stations[one].len().min(stations[other].len()) {
                continue;
            }
            let mut graph = LineGraph::default();
            for (run, beside) in runs[one].iter().flat_map(|run| runs[other].iter().map(move |beside| (run, beside))) {
                for chain in chains(run, beside, &stations[one], &stations[other], positions) {
                    chain.windows(2).for_each(|pair| graph.join(pair[0], pair[1]));
                }
            }
            merged.push(graph);
        }
    }
    merged.retain(|graph| graph.stations().next().is_some());
    merged
}

/// The stations of both runs in order, for each stretch between common stops on which each has stops of its own.
fn chains(
    run: &[usize],
    beside: &[usize],
    of_run: &HashSet<usize>,
    of_beside: &HashSet<usize>,
    positions: &[LatLon],
) -> Vec<Vec<usize>> {
    let place: HashMap<usize, usize> = beside.iter().enumerate().map(|(at, &station)| (station, at)).collect();
    let common: Vec<usize> = (0..run.len()).filter(|&at| place.contains_key(&run[at])).collect();
    let mut found = Vec::new();
    for pair in common.windows(2) {
        let own = &run[pair[0]..=pair[1]];
        let (from, to) = (place[&run[pair[0]]], place[&run[pair[1]]]);
        let mut theirs = beside[from.min(to)..=from.max(to)].to_vec();
        if from > to {
            theirs.reverse();
        }
        let is_inner = |stops: &[usize], elsewhere: &HashSet<usize>| {
            stops.len() > 2 && !stops[1..stops.len() - 1].iter().any(|station| elsewhere.contains(station))
        };
        if is_inner(own, of_beside) && is_inner(&theirs, of_run) {
            let chain = shortest_merge(own, &theirs, positions);
            // Only where the lines alternate: a station between two others of its own line says nothing.
            let is_straight = |three: &[usize]| {
                let alternates = own.contains(&three[0]) != own.contains(&three[1])
                    || own.contains(&three[1]) != own.contains(&three[2]);
                !alternates || length(three, positions) <= length(&[three[0], three[2]], positions) * MAX_DETOUR
            };
            found.extend(Some(chain).filter(|chain| chain.windows(3).all(is_straight)));
        }
    }
    found
}

fn length(stops: &[usize], positions: &[LatLon]) -> f64 {
    stops.windows(2).map(|pair| positions[pair[0]].metres_to(positions[pair[1]])).sum()
}

/// Merges two lists of stops with the same ends, each in its order, so that the way through all is shortest.
fn shortest_merge(one: &[usize], other: &[usize], positions: &[LatLon]) -> Vec<usize> {
    let (rows, columns) = (one.len() - 1, other.len() - 1);
    let metres = |a: usize, b: usize| positions[a].metres_to(positions[b]);
    // The shortest way over the first stops of both that ends at one of `one`, or of `other`, with its predecessor.
    let mut best = vec![[(f64::MAX, false); 2]; rows * columns];
    best[0] = [(0.0, false); 2];
    for row in 0..rows {
        for column in 0..columns {
            for side in [0, 1] {
                let (steps, here) = if side == 0 { (row, one[row]) } else { (column, other[column]) };
                if steps == 0 {
                    continue;
                }
                let from = if side == 0 { (row - 1) * columns + column } else { row * columns + column - 1 };
                let (at_row, at_column) = if side == 0 { (row - 1, column) } else { (row, column - 1) };
                let ways = [one[at_row], other[at_column]].map(|before| metres(before, here));
                let [first, second] = [0, 1].map(|last| best[from][last].0 + ways[last]);
                best[row * columns + column][side] = if first <= second { (first, false) } else { (second, true) };
            }
        }
    }
    let (mut row, mut column) = (rows - 1, columns - 1);
    let ends = best[row * columns + column];
    let goal = one[rows];
    let mut side = usize::from(ends[1].0 + metres(other[column], goal) < ends[0].0 + metres(one[row], goal));
    let mut merged = vec![goal];
    while row + column > 0 {
        merged.push(if side == 0 { one[row] } else { other[column] });
        let (_, from_other) = best[row * columns + column][side];
        if side == 0 {
            row -= 1;
        } else {
            column -= 1;
        }
        side = usize::from(from_other);
    }
    merged.push(one[0]);
    merged.reverse();
    merged
}
