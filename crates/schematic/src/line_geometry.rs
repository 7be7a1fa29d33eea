//! Converts grid paths to line geometry in map units: parallel offsets, mitred bends, and joins at stations.

use std::collections::HashMap;

use crate::{
    dimensions::line_pitch,
    geometry::Point,
    grid_layout::GridLayout,
    routing_grid::GridNode,
    topology::{CorridorEnd, Topology},
};

/// Where a line bends at a station, its two sections are extended to their intersection if it is within this distance,
/// or twice their offset. A more distant corner would cut off the station.
const MIN_JOIN_DISTANCE: f64 = 16.0;

/// The centreline of each corridor, in map units.
pub(crate) fn centerlines(layout: &GridLayout<'_>, cell: f64, shift: Point) -> Vec<Vec<Point>> {
    let point = |node: &GridNode| Point::new(f64::from(node.x) * cell, f64::from(node.y) * cell).minus(shift);
    layout
        .paths
        .iter()
        .map(|path| path.as_deref().map(|path| corners(path).iter().map(point).collect()).unwrap_or_default())
        .collect()
}

/// Removes the nodes between collinear steps.
fn corners(path: &[GridNode]) -> Vec<GridNode> {
    let mut corners = Vec::new();
    for (at, node) in path.iter().enumerate() {
        let straight =
            at > 0 && at + 1 < path.len() && path[at - 1].direction_to(*node) == node.direction_to(path[at + 1]);
        if !straight {
            corners.push(*node);
        }
    }
    corners
}

/// The paths of every line.
pub(crate) fn line_paths(
    topology: &Topology,
    centerlines: &[Vec<Point>],
    orders: &[Vec<usize>],
    lines: usize,
) -> Vec<Vec<Vec<Point>>> {
    (0..lines).map(|line| paths_of_line(topology, centerlines, orders, line)).collect()
}

fn paths_of_line(
    topology: &Topology,
    centerlines: &[Vec<Point>],
    orders: &[Vec<usize>],
    line: usize,
) -> Vec<Vec<Point>> {
    let mut offset_paths: HashMap<usize, (f64, Vec<Point>)> = HashMap::new();
    for (at, order) in orders.iter().enumerate() {
        if let Some(rank) = order.iter().position(|other| *other == line) {
            #[expect(clippy::cast_precision_loss, reason = "bundles are small")]
            let off = (rank as f64 - (order.len() - 1) as f64 / 2.0) * line_pitch(order.len());
            offset_paths.insert(at, (off.abs(), offset(&centerlines[at], off)));
        }
    }
    let mut corridors: Vec<usize> = offset_paths.keys().copied().collect();
    corridors.sort_unstable();
    let mut used = vec![false; topology.corridors.len()];
    let mut line_paths = Vec::new();
    // Start at ends and branches. The remaining corridors form rings.
    let starts = corridors
        .iter()
        .flat_map(|&corridor| [CorridorEnd { corridor, first: true }, CorridorEnd { corridor, first: false }]);
    let open: Vec<CorridorEnd> =
        starts.clone().filter(|end| only_continuation(topology, *end, line).is_none()).collect();
    for start in open.into_iter().chain(starts) {
        if used[start.corridor] {
            continue;
        }
        let mut path: Vec<Point> = Vec::new();
        let (mut here, mut before) = (start, 0.0);
        loop {
            used[here.corridor] = true;
            let (off, mut section) = offset_paths[&here.corridor].clone();
            if !here.first {
                section.reverse();
            }
            append(&mut path, section, join_distance(off.max(before)));
            before = off;
            match only_continuation(topology, CorridorEnd { corridor: here.corridor, first: !here.first }, line) {
                Some(next) if !used[next.corridor] => here = next,
                Some(next) if next == start => {
                    close(&mut path, join_distance(off.max(offset_paths[&start.corridor].0)));
                    break;
                }
                _ => break,
            }
        }
        line_paths.push(path);
    }
    line_paths
}

/// The end at which a path continues through a junction. At a branch, paths end.
fn only_continuation(topology: &Topology, end: CorridorEnd, line: usize) -> Option<CorridorEnd> {
    match topology.next_ends(end, line)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Offsets a path to its right, with mitred corners.
pub(crate) fn offset(path: &[Point], off: f64) -> Vec<Point> {
    if path.len() < 2 || off == 0.0 {
        return path.to_vec();
    }
    let normal = |a: Point, b: Point| {
        let along = b.minus(a);
        let length = along.length().max(1e-9);
        Point::new(-along.y / length, along.x / length)
    };
    (0..path.len())
        .map(|at| {
            if at == 0 {
                return path[0].plus(normal(path[0], path[1]).times(off));
            }
            let before = normal(path[at - 1], path[at]);
            if at + 1 == path.len() {
                return path[at].plus(before.times(off));
            }
            let after = normal(path[at], path[at + 1]);
            let both = before.plus(after);
            let scale = 2.0 / both.dot(both).max(0.2);
            path[at].plus(both.times(off * scale))
        })
        .collect()
}

/// The largest distance at which sections with this offset are joined.
fn join_distance(off: f64) -> f64 {
    MIN_JOIN_DISTANCE.max(2.0 * off + 2.0)
}

/// Appends a section to a path. If the adjoining segments intersect nearby, they are joined there.
fn append(path: &mut Vec<Point>, section: Vec<Point>, max_distance: f64) {
    if path.len() < 2 || section.len() < 2 {
        path.extend(section);
        return;
    }
    let (a, b) = (path[path.len() - 2], path[path.len() - 1]);
    let (c, d) = (section[0], section[1]);
    match line_intersection(a, b, c, d) {
        Some(corner) if corner.distance(b) < max_distance && corner.distance(c) < max_distance => {
            let last = path.len() - 1;
            path[last] = corner;
            path.extend(section.into_iter().skip(1));
        }
        _ if b.distance(c) < 0.01 => path.extend(section.into_iter().skip(1)),
        _ => path.extend(section),
    }
}

fn close(path: &mut Vec<Point>, max_distance: f64) {
    if path.len() < 3 {
        return;
    }
    let last = path.len() - 1;
    if let Some(corner) = line_intersection(path[last - 1], path[last], path[0], path[1])
        && corner.distance(path[last]) < max_distance
        && corner.distance(path[0]) < max_distance
    {
        path[last] = corner;
        path[0] = corner;
    } else {
        let first = path[0];
        path.push(first);
    }
}

/// The intersection of the lines through two segments, unless they are nearly parallel.
fn line_intersection(a: Point, b: Point, c: Point, d: Point) -> Option<Point> {
    let (along, across) = (b.minus(a), d.minus(c));
    let turn = along.cross(across);
    if turn.abs() < 1e-6 * along.length() * across.length() + 1e-9 {
        return None;
    }
    Some(a.plus(along.times(c.minus(a).cross(across) / turn)))
}
