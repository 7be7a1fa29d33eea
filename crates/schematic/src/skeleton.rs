//! What the grid has to carry: joints, where something happens, and links between them with the stations in between.
//!
//! A station with two neighbours and the same lines on both sides is no joint: it is put back evenly on its link at the end.
//! Where a long link winds, a few of its stations stay joints so that its shape is not lost.

use crate::{
    geometry::{Point, nearest_on},
    plane::{Plane, Role},
};

/// How far a winding link may leave the straight way between two joints, in wanted station distances.
const WINDING: f64 = 1.5;

/// A vertex that gets a place on the grid.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub(crate) role: Role,
    /// Where it would like to be, in wanted station distances.
    pub(crate) place: Point,
    /// The ends of links around it, clockwise as seen.
    pub(crate) ends: Vec<End>,
    /// Pairs of `ends` that lines run through, with a weight that grows with their number.
    pub(crate) through: Vec<(usize, usize, f32)>,
}

/// One end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) link: usize,
    /// Whether it is the link's first end.
    pub(crate) first: bool,
}

/// A chain of stretches without a branch.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) joints: [usize; 2],
    /// Where in the `ends` of its two joints it is.
    pub(crate) slots: [usize; 2],
    /// The stations on the way, from the first end, by their index in the network.
    pub(crate) inner: Vec<usize>,
    pub(crate) lines: Vec<usize>,
    /// How the evened-out network draws it.
    pub(crate) trace: Vec<Point>,
    /// How many station distances it should have room for; half a one to a crossing.
    pub(crate) wants: f64,
}

/// Joints and links.
#[derive(Debug)]
pub(crate) struct Skeleton {
    pub(crate) joints: Vec<Joint>,
    pub(crate) links: Vec<Link>,
}

impl Skeleton {
    pub(crate) fn of(plane: &Plane, points: &[Point]) -> Self {
        let mut kept: Vec<bool> = (0..points.len()).map(|vertex| !is_passed(plane, vertex)).collect();
        if !kept.iter().any(|kept| *kept) && !kept.is_empty() {
            kept[0] = true;
        }
        let chains = chains(plane, &kept);
        for chain in &chains {
            keep_shape(chain, points, &mut kept);
        }
        Self::assemble(plane, points, &kept)
    }

    /// Where a line can go on from an end through its joint: at a crossing straight over, at a station wherever it runs.
    pub(crate) fn onward(&self, end: End, line: usize) -> Vec<End> {
        let joint = &self.joints[self.links[end.link].joints[usize::from(!end.first)]];
        let slot = self.links[end.link].slots[usize::from(!end.first)];
        if joint.role == Role::Crossing {
            let pair = joint.through.iter().find(|(a, b, _)| *a == slot || *b == slot);
            return pair.map(|&(a, b, _)| joint.ends[if a == slot { b } else { a }]).into_iter().collect();
        }
        let runs_on = |other: &&End| **other != end && self.links[other.link].lines.contains(&line);
        joint.ends.iter().filter(runs_on).copied().collect()
    }

    fn assemble(plane: &Plane, points: &[Point], kept: &[bool]) -> Self {
        let mut joint_of = vec![usize::MAX; points.len()];
        let mut joints = Vec::new();
        for vertex in (0..points.len()).filter(|&vertex| kept[vertex]) {
            joint_of[vertex] = joints.len();
            joints.push(Joint {
                role: plane.roles[vertex],
                place: points[vertex],
                ends: Vec::new(),
                through: Vec::new(),
            });
        }
        let mut links = Vec::new();
        let mut end_of_piece = std::collections::HashMap::new();
        for chain in chains(plane, kept) {
            let (a, b) = (chain.vertices[0], chain.vertices[chain.vertices.len() - 1]);
            let at = links.len();
            end_of_piece.insert((a, chain.pieces[0]), End { link: at, first: true });
            end_of_piece.insert((b, chain.pieces[chain.pieces.len() - 1]), End { link: at, first: false });
            let inner: Vec<usize> = chain.vertices[1..chain.vertices.len() - 1]
                .iter()
                .filter_map(|&vertex| match plane.roles[vertex] {
                    Role::Station(station) => Some(station),
                    Role::Crossing => None,
                })
                .collect();
            let crossings = [a, b].iter().filter(|&&v| plane.roles[v] == Role::Crossing).count();
            #[expect(clippy::cast_precision_loss, reason = "stations of a link are few")]
            let wants = inner.len() as f64 + 1.0 - 0.4 * crossings as f64;
            links.push(Link {
                joints: [joint_of[a], joint_of[b]],
                slots: [0, 0],
                inner,
                lines: plane.lines(chain.pieces[0]).to_vec(),
                trace: chain.vertices.iter().map(|&vertex| points[vertex]).collect(),
                wants,
            });
        }
        for vertex in (0..points.len()).filter(|&vertex| kept[vertex]) {
            let joint = joint_of[vertex];
            joints[joint].ends =
                plane.around[vertex].iter().filter_map(|&piece| end_of_piece.get(&(vertex, piece)).copied()).collect();
            for (slot, end) in joints[joint].ends.iter().enumerate() {
                links[end.link].slots[usize::from(!end.first)] = slot;
            }
            joints[joint].through = through(plane, vertex);
        }
        Self { joints, links }
    }
}

/// Whether a vertex is only passed: two neighbours, the same lines before and after it.
fn is_passed(plane: &Plane, vertex: usize) -> bool {
    match plane.around[vertex][..] {
        [first, second] => {
            plane.roles[vertex] != Role::Crossing
                && plane.pieces[first].other(vertex) != plane.pieces[second].other(vertex)
                && plane.lines(first) == plane.lines(second)
        }
        _ => false,
    }
}

struct Chain {
    vertices: Vec<usize>,
    pieces: Vec<usize>,
}

/// The ways between kept vertices, each once.
fn chains(plane: &Plane, kept: &[bool]) -> Vec<Chain> {
    let mut used = vec![false; plane.pieces.len()];
    let mut chains = Vec::new();
    for start in (0..kept.len()).filter(|&vertex| kept[vertex]) {
        for &first in &plane.around[start] {
            if used[first] {
                continue;
            }
            let mut chain = Chain { vertices: vec![start], pieces: Vec::new() };
            let (mut vertex, mut piece) = (start, first);
            loop {
                used[piece] = true;
                chain.pieces.push(piece);
                vertex = plane.pieces[piece].other(vertex);
                chain.vertices.push(vertex);
                if kept[vertex] {
                    break;
                }
                match plane.around[vertex].iter().find(|&&next| !used[next]) {
                    Some(&next) => piece = next,
                    None => break,
                }
            }
            chains.push(chain);
        }
    }
    chains
}

/// Marks those vertices of a chain that must stay: the bends of a winding way, and two of a way back to where it began.
fn keep_shape(chain: &Chain, points: &[Point], kept: &mut [bool]) {
    let vertices = &chain.vertices;
    let last = vertices.len() - 1;
    if vertices[0] == vertices[last] {
        for at in [last / 3, 2 * last / 3] {
            if at > 0 && at < last {
                kept[vertices[at]] = true;
            }
        }
        return;
    }
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let (a, b) = (points[vertices[from]], points[vertices[to]]);
        let off = |at: usize| points[vertices[at]].distance(nearest_on(a, b, points[vertices[at]]));
        let Some(farthest) = (from + 1..to).max_by(|&x, &y| off(x).total_cmp(&off(y))) else { continue };
        if off(farthest) > WINDING {
            kept[vertices[farthest]] = true;
            open.push((from, farthest));
            open.push((farthest, to));
        }
    }
}

/// Which slots lines join at a vertex. A crossing joins the two halves of each stretch, whatever runs there.
fn through(plane: &Plane, vertex: usize) -> Vec<(usize, usize, f32)> {
    let around = &plane.around[vertex];
    let mut pairs = Vec::new();
    for (i, &first) in around.iter().enumerate() {
        for (j, &second) in around.iter().enumerate().skip(i + 1) {
            let shared = match plane.roles[vertex] {
                Role::Crossing if plane.pieces[first].stretch == plane.pieces[second].stretch => {
                    plane.lines(first).len().max(1)
                }
                Role::Crossing => 0,
                Role::Station(_) => plane.lines(first).iter().filter(|line| plane.lines(second).contains(line)).count(),
            };
            if shared > 0 {
                pairs.push((i, j, weight(shared)));
            }
        }
    }
    pairs
}

/// What a bend counts for that many lines side by side.
pub(crate) fn weight(lines: usize) -> f32 {
    match lines {
        0 => 0.5,
        1 => 1.0,
        2 => 1.5,
        3 => 1.8,
        _ => 2.0,
    }
}
