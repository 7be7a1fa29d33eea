//! From ways on the grid to strokes in map units: lines side by side, mitred at bends, joined through stations.

use std::collections::HashMap;

use kaisatsu_render::LINE_PITCH;

use crate::{
    board::Node,
    draft::Draft,
    geometry::Point,
    skeleton::{End, Skeleton},
};

/// A bundle is not wider than this, however many lines it has. Up to six stand beside each other in full; in New York so
/// many do.
pub(crate) const WIDEST: f64 = 30.0;
/// Where a line turns at a station its two parts are drawn on to where they meet, if that is no farther than this, or than twice
/// what they lie off the middles: farther away, the corner would cut the station off.
const JOINED: f64 = 16.0;

/// The distance of neighbouring lines in a bundle of so many.
#[expect(clippy::cast_precision_loss, reason = "bundles are small")]
pub(crate) fn pitch(lines: usize) -> f64 {
    if lines < 2 { LINE_PITCH } else { LINE_PITCH.min(WIDEST / (lines - 1) as f64) }
}

/// How wide the middles of a bundle's outer lines lie apart.
#[expect(clippy::cast_precision_loss, reason = "bundles are small")]
pub(crate) fn spread(lines: usize) -> f64 {
    pitch(lines) * lines.saturating_sub(1) as f64
}

/// The corners of each link's way, in map units.
pub(crate) fn middles(draft: &Draft<'_>, cell: f64, shift: Point) -> Vec<Vec<Point>> {
    let point = |node: &Node| Point::new(f64::from(node.x) * cell, f64::from(node.y) * cell).minus(shift);
    draft
        .paths
        .iter()
        .map(|path| path.as_deref().map(|path| corners(path).iter().map(point).collect()).unwrap_or_default())
        .collect()
}

/// Leaves out what lies on a straight way.
fn corners(path: &[Node]) -> Vec<Node> {
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

/// The strokes of every line.
pub(crate) fn strokes(
    skeleton: &Skeleton,
    middles: &[Vec<Point>],
    orders: &[Vec<usize>],
    lines: usize,
) -> Vec<Vec<Vec<Point>>> {
    (0..lines).map(|line| line_strokes(skeleton, middles, orders, line)).collect()
}

fn line_strokes(skeleton: &Skeleton, middles: &[Vec<Point>], orders: &[Vec<usize>], line: usize) -> Vec<Vec<Point>> {
    let mut own: HashMap<usize, (f64, Vec<Point>)> = HashMap::new();
    for (at, order) in orders.iter().enumerate() {
        if let Some(rank) = order.iter().position(|other| *other == line) {
            #[expect(clippy::cast_precision_loss, reason = "bundles are small")]
            let off = (rank as f64 - (order.len() - 1) as f64 / 2.0) * pitch(order.len());
            own.insert(at, (off.abs(), offset(&middles[at], off)));
        }
    }
    let mut links: Vec<usize> = own.keys().copied().collect();
    links.sort_unstable();
    let mut used = vec![false; skeleton.links.len()];
    let mut strokes = Vec::new();
    // From the ends and branches first; what is left over are rings.
    let starts = links.iter().flat_map(|&link| [End { link, first: true }, End { link, first: false }]);
    let open: Vec<End> = starts.clone().filter(|end| partner(skeleton, *end, line).is_none()).collect();
    for start in open.into_iter().chain(starts) {
        if used[start.link] {
            continue;
        }
        let mut stroke: Vec<Point> = Vec::new();
        let (mut here, mut before) = (start, 0.0);
        loop {
            used[here.link] = true;
            let (off, mut part) = own[&here.link].clone();
            if !here.first {
                part.reverse();
            }
            append(&mut stroke, part, joined(off.max(before)));
            before = off;
            match partner(skeleton, End { link: here.link, first: !here.first }, line) {
                Some(next) if !used[next.link] => here = next,
                Some(next) if next == start => {
                    close(&mut stroke, joined(off.max(own[&start.link].0)));
                    break;
                }
                _ => break,
            }
        }
        strokes.push(stroke);
    }
    strokes
}

/// Where a stroke goes on through a joint: only where there is one way, since at a branch strokes begin and end.
fn partner(skeleton: &Skeleton, end: End, line: usize) -> Option<End> {
    match skeleton.onward(end, line)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Moves a way to its right by `off`, corners mitred.
pub(crate) fn offset(way: &[Point], off: f64) -> Vec<Point> {
    if way.len() < 2 || off == 0.0 {
        return way.to_vec();
    }
    let normal = |a: Point, b: Point| {
        let along = b.minus(a);
        let length = along.length().max(1e-9);
        Point::new(-along.y / length, along.x / length)
    };
    (0..way.len())
        .map(|at| {
            if at == 0 {
                return way[0].plus(normal(way[0], way[1]).times(off));
            }
            let before = normal(way[at - 1], way[at]);
            if at + 1 == way.len() {
                return way[at].plus(before.times(off));
            }
            let after = normal(way[at], way[at + 1]);
            let both = before.plus(after);
            let scale = 2.0 / both.dot(both).max(0.2);
            way[at].plus(both.times(off * scale))
        })
        .collect()
}

/// How far away parts that lie so far off the middles may meet.
fn joined(off: f64) -> f64 {
    JOINED.max(2.0 * off + 2.0)
}

/// Joins the next part to a stroke: at the corner of their last and first segments where these meet near by.
fn append(stroke: &mut Vec<Point>, part: Vec<Point>, near: f64) {
    if stroke.len() < 2 || part.len() < 2 {
        stroke.extend(part);
        return;
    }
    let (a, b) = (stroke[stroke.len() - 2], stroke[stroke.len() - 1]);
    let (c, d) = (part[0], part[1]);
    match meeting(a, b, c, d) {
        Some(corner) if corner.distance(b) < near && corner.distance(c) < near => {
            let last = stroke.len() - 1;
            stroke[last] = corner;
            stroke.extend(part.into_iter().skip(1));
        }
        _ if b.distance(c) < 0.01 => stroke.extend(part.into_iter().skip(1)),
        _ => stroke.extend(part),
    }
}

fn close(stroke: &mut Vec<Point>, near: f64) {
    if stroke.len() < 3 {
        return;
    }
    let last = stroke.len() - 1;
    if let Some(corner) = meeting(stroke[last - 1], stroke[last], stroke[0], stroke[1])
        && corner.distance(stroke[last]) < near
        && corner.distance(stroke[0]) < near
    {
        stroke[last] = corner;
        stroke[0] = corner;
    } else {
        let first = stroke[0];
        stroke.push(first);
    }
}

/// Where the lines through two segments meet, unless they are nearly parallel.
fn meeting(a: Point, b: Point, c: Point, d: Point) -> Option<Point> {
    let (along, across) = (b.minus(a), d.minus(c));
    let turn = along.cross(across);
    if turn.abs() < 1e-6 * along.length() * across.length() + 1e-9 {
        return None;
    }
    Some(a.plus(along.times(c.minus(a).cross(across) / turn)))
}
