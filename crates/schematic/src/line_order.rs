//! Orders the lines within each corridor so that they cross as little as possible.
//!
//! Two lines that share corridors are ordered as they diverge at the far end. If they enter in the other order, they
//! must cross once; they do so where they meet. A line that passes a station should not run between two that stop
//! there, because their mark would cover it.

use crate::{
    planar_graph::VertexKind,
    topology::{CorridorEnd, Topology},
};

/// The lines of each corridor from left to right, seen from its first end.
pub(crate) fn order_lines(topology: &Topology) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = topology.corridors.iter().map(|corridor| corridor.lines.clone()).collect();
    for (at, order) in orders.iter_mut().enumerate().filter(|(_, order)| order.len() > 1) {
        let lines = topology.corridors[at].lines.clone();
        let wins =
            |line: usize| lines.iter().filter(|&&other| other != line && is_left(topology, at, line, other)).count();
        order.sort_by_key(|&line| (usize::MAX - wins(line), line));
    }
    reduce_crossings(topology, &mut orders);
    orders
}

/// Whether a line should be left of another in a corridor, seen from its first end.
fn is_left(topology: &Topology, at: usize, line: usize, other: usize) -> bool {
    divergence(topology, at, true, line, other)
        .or_else(|| divergence(topology, at, false, line, other).map(|left| !left))
        .unwrap_or(line < other)
}

/// Follows two lines from a corridor until they diverge, and returns whether the first goes left of the second.
fn divergence(topology: &Topology, start: usize, forward: bool, line: usize, other: usize) -> Option<bool> {
    let mut here = CorridorEnd { corridor: start, first: !forward };
    for _ in 0..topology.corridors.len() {
        match (next_end(topology, here, line)?, next_end(topology, here, other)?) {
            (one, two) if one == two => {
                here = CorridorEnd { corridor: one.corridor, first: !one.first };
            }
            (one, two) => {
                return Some(clockwise_distance(topology, here, one) < clockwise_distance(topology, here, two));
            }
        }
        if here.corridor == start {
            return None;
        }
    }
    None
}

/// The end at the same junction where a line continues; at a branch, the first one.
fn next_end(topology: &Topology, end: CorridorEnd, line: usize) -> Option<CorridorEnd> {
    topology.next_ends(end, line).first().copied()
}

/// The number of slots clockwise from one end to another. The smallest number is the leftmost direction.
fn clockwise_distance(topology: &Topology, from: CorridorEnd, to: CorridorEnd) -> usize {
    let slot = |end: CorridorEnd| topology.corridors[end.corridor].slots[usize::from(!end.first)];
    let junction = topology.corridors[from.corridor].junctions[usize::from(!from.first)];
    let slots = topology.junctions[junction].ends.len();
    (slot(to) + slots - slot(from)) % slots
}

/// Swaps adjacent lines while that reduces crossings and covered lines.
fn reduce_crossings(topology: &Topology, orders: &mut [Vec<usize>]) {
    for _ in 0..8 {
        let mut better = false;
        for corridor in 0..orders.len() {
            for at in 1..orders[corridor].len() {
                let before = faults_at(topology, orders, corridor);
                orders[corridor].swap(at - 1, at);
                if faults_at(topology, orders, corridor) < before {
                    better = true;
                } else {
                    orders[corridor].swap(at - 1, at);
                }
            }
        }
        if !better {
            return;
        }
    }
}

fn faults_at(topology: &Topology, orders: &[Vec<usize>], corridor: usize) -> usize {
    let ends = [true, false].map(|first| crossings_at_end(topology, orders, CorridorEnd { corridor, first }));
    ends.into_iter().sum::<usize>() + covered_lines(topology, orders, corridor)
}

/// How many times a line of a corridor passes a station between two lines that stop there.
pub(crate) fn covered_lines(topology: &Topology, orders: &[Vec<usize>], corridor: usize) -> usize {
    let [first, last] = topology.corridors[corridor].junctions.map(|junction| topology.junctions[junction].kind);
    let ends = [first, last].into_iter().filter_map(VertexKind::station);
    let stations = topology.corridors[corridor].intermediate.iter().copied().chain(ends);
    let covered = |station: usize| {
        let stops: Vec<bool> = orders[corridor].iter().map(|&line| topology.stops(line, station)).collect();
        let (low, high) = (stops.iter().position(|stops| *stops), stops.iter().rposition(|stops| *stops));
        low.zip(high).map_or(0, |(low, high)| stops[low..=high].iter().filter(|stops| !**stops).count())
    };
    stations.map(covered).sum()
}

/// How many pairs of lines of a corridor cross at one of its ends.
pub(crate) fn crossings_at_end(topology: &Topology, orders: &[Vec<usize>], end: CorridorEnd) -> usize {
    let order = &orders[end.corridor];
    let mut count = 0;
    for (at, &left) in order.iter().enumerate() {
        for &right in &order[at + 1..] {
            let (Some(one), Some(two)) = (next_end(topology, end, left), next_end(topology, end, right)) else {
                continue;
            };
            // `order` is seen from the first end. Towards the first end, left and right are swapped.
            let left_first = if one == two {
                let rank = |line: usize| orders[one.corridor].iter().position(|other| *other == line);
                (rank(left) < rank(right)) == one.first
            } else {
                clockwise_distance(topology, end, one) < clockwise_distance(topology, end, two)
            };
            if left_first == end.first {
                count += 1;
            }
        }
    }
    count
}
