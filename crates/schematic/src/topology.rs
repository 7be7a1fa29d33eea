//! The contracted graph that is laid out on the grid: junctions, and corridors with the stations between them.
//!
//! A station of degree two with the same lines on both sides is contracted. It is placed evenly on its corridor at the
//! end. Some stations of a long, winding corridor stay junctions, so that its shape is kept.

use std::collections::HashSet;

use crate::{
    dimensions::{HALF_LINE_WIDTH, INTERCHANGE_RADIUS, MIN_CONNECTOR, STEPS_PER_STATION, bundle_width},
    geometry::{Point, nearest_on},
    line_order,
    planar_graph::{PlanarGraph, VertexKind},
};

/// How far a corridor may deviate from the straight line between two junctions, in station distances.
const MAX_DEVIATION: f64 = 1.5;

/// A vertex that is placed on the grid.
#[derive(Debug, Clone)]
pub(crate) struct Junction {
    pub(crate) kind: VertexKind,
    /// Its relaxed position, in station distances.
    pub(crate) position: Point,
    /// Its rotation: the ends of corridors around it, in clockwise order.
    pub(crate) ends: Vec<CorridorEnd>,
    /// Pairs of `ends` that lines continue through, with a weight that grows with the number of lines.
    pub(crate) continuations: Vec<(usize, usize, f32)>,
}

/// One end of a corridor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CorridorEnd {
    pub(crate) corridor: usize,
    /// Whether it is the corridor's first end.
    pub(crate) first: bool,
}

/// A chain of edges without a branch.
#[derive(Debug, Clone)]
pub(crate) struct Corridor {
    pub(crate) junctions: [usize; 2],
    /// Its indices in the `ends` of its two junctions.
    pub(crate) slots: [usize; 2],
    /// The stations between its junctions, from the first end, as indices into the network.
    pub(crate) intermediate: Vec<usize>,
    pub(crate) lines: Vec<usize>,
    /// The edge of the graph if it is a walk, or the part of one between crossings.
    pub(crate) walk: Option<usize>,
    /// Its path in the relaxed layout.
    pub(crate) relaxed_path: Vec<Point>,
    /// Its desired length in station distances; shorter next to a crossing.
    pub(crate) desired_length: f64,
}

/// Junctions and corridors.
#[derive(Debug)]
pub(crate) struct Topology {
    pub(crate) junctions: Vec<Junction>,
    pub(crate) corridors: Vec<Corridor>,
    /// The lines that stop at each station, ascending. Other lines there pass.
    pub(crate) stopping: Vec<Vec<usize>>,
    /// The lines of each corridor from left to right, seen from its first end.
    pub(crate) orders: Vec<Vec<usize>>,
}

impl Topology {
    /// `cell` are the map units of a grid step, on which the length of walks between marks depends.
    pub(crate) fn of(planar: &PlanarGraph, points: &[Point], stopping: &[Vec<usize>], cell: f64) -> Self {
        let mut kept: Vec<bool> = (0..points.len()).map(|vertex| !is_contractible(planar, vertex)).collect();
        if !kept.iter().any(|kept| *kept) && !kept.is_empty() {
            kept[0] = true;
        }
        let chains = chains(planar, &kept);
        for chain in &chains {
            keep_bends(chain, points, &mut kept);
        }
        let mut topology = Self::assemble(planar, points, &kept, cell);
        topology.stopping = stopping.to_vec();
        topology.orders = line_order::order_lines(&topology);
        topology
    }

    /// Whether a line stops at a station.
    pub(crate) fn stops(&self, line: usize, station: usize) -> bool {
        self.stopping[station].binary_search(&line).is_ok()
    }

    /// The stations where passengers change on foot or lines end, part or meet.
    pub(crate) fn termini_and_interchanges(&self) -> HashSet<usize> {
        let is_one = |junction: &Junction| {
            let ends_here = |end: &CorridorEnd| {
                let corridor = &self.corridors[end.corridor];
                corridor.walk.is_some() || corridor.lines.iter().any(|line| self.next_ends(*end, *line).is_empty())
            };
            junction.ends.len() != 2 || junction.ends.iter().any(ends_here)
        };
        self.junctions.iter().filter(|junction| is_one(junction)).filter_map(|one| one.kind.station()).collect()
    }

    /// The ends at which a line continues from an end through its junction; at a crossing, the opposite end.
    pub(crate) fn next_ends(&self, end: CorridorEnd, line: usize) -> Vec<CorridorEnd> {
        let junction = &self.junctions[self.corridors[end.corridor].junctions[usize::from(!end.first)]];
        let slot = self.corridors[end.corridor].slots[usize::from(!end.first)];
        if junction.kind == VertexKind::Crossing {
            let pair = junction.continuations.iter().find(|(a, b, _)| *a == slot || *b == slot);
            return pair.map(|&(a, b, _)| junction.ends[if a == slot { b } else { a }]).into_iter().collect();
        }
        let runs_on = |other: &&CorridorEnd| **other != end && self.corridors[other.corridor].lines.contains(&line);
        junction.ends.iter().filter(runs_on).copied().collect()
    }

    fn assemble(planar: &PlanarGraph, points: &[Point], kept: &[bool], cell: f64) -> Self {
        let mut junction_of = vec![usize::MAX; points.len()];
        let mut junctions = Vec::new();
        for vertex in (0..points.len()).filter(|&vertex| kept[vertex]) {
            junction_of[vertex] = junctions.len();
            junctions.push(Junction {
                kind: planar.kinds[vertex],
                position: points[vertex],
                ends: Vec::new(),
                continuations: Vec::new(),
            });
        }
        let mut corridors = Vec::new();
        let mut end_of_segment = std::collections::HashMap::new();
        for chain in chains(planar, kept) {
            let (a, b) = (chain.vertices[0], chain.vertices[chain.vertices.len() - 1]);
            let at = corridors.len();
            end_of_segment.insert((a, chain.segments[0]), CorridorEnd { corridor: at, first: true });
            end_of_segment
                .insert((b, chain.segments[chain.segments.len() - 1]), CorridorEnd { corridor: at, first: false });
            let intermediate: Vec<usize> = chain.vertices[1..chain.vertices.len() - 1]
                .iter()
                .filter_map(|&vertex| planar.kinds[vertex].station())
                .collect();
            let crossings = [a, b].iter().filter(|&&v| planar.kinds[v] == VertexKind::Crossing).count();
            #[expect(clippy::cast_precision_loss, reason = "a corridor has few stations")]
            let desired_length = intermediate.len() as f64 + 1.0 - 0.4 * crossings as f64;
            corridors.push(Corridor {
                junctions: [junction_of[a], junction_of[b]],
                slots: [0, 0],
                intermediate,
                lines: planar.lines(chain.segments[0]).to_vec(),
                walk: planar.is_walk(chain.segments[0]).then(|| planar.segments[chain.segments[0]].edge),
                relaxed_path: chain.vertices.iter().map(|&vertex| points[vertex]).collect(),
                desired_length,
            });
        }
        for vertex in (0..points.len()).filter(|&vertex| kept[vertex]) {
            let junction = junction_of[vertex];
            junctions[junction].ends = planar.rotations[vertex]
                .iter()
                .filter_map(|&segment| end_of_segment.get(&(vertex, segment)).copied())
                .collect();
            for (slot, end) in junctions[junction].ends.iter().enumerate() {
                corridors[end.corridor].slots[usize::from(!end.first)] = slot;
            }
            junctions[junction].continuations = continuations(planar, vertex);
        }
        let mut topology = Self { junctions, corridors, stopping: Vec::new(), orders: Vec::new() };
        for at in 0..topology.corridors.len() {
            if topology.corridors[at].walk.is_some() {
                topology.corridors[at].desired_length = topology.walk_length(at, cell);
            }
        }
        topology
    }

    /// The number of lines in the widest bundle at a junction.
    pub(crate) fn widest(&self, junction: usize) -> usize {
        self.junctions[junction].ends.iter().map(|end| self.corridors[end.corridor].lines.len()).max().unwrap_or(0)
    }

    /// The length of a walk between whose ends a connector can be seen, in station distances.
    fn walk_length(&self, corridor: usize, cell: f64) -> f64 {
        let radius = |junction: usize| match self.junctions[junction].kind {
            VertexKind::Station(_) => INTERCHANGE_RADIUS + bundle_width(self.widest(junction)) / 2.0,
            VertexKind::Crossing => HALF_LINE_WIDTH + bundle_width(self.widest(junction)) / 2.0,
        };
        let units: f64 = self.corridors[corridor].junctions.into_iter().map(radius).sum::<f64>() + MIN_CONNECTOR;
        units / cell / f64::from(STEPS_PER_STATION)
    }
}

/// Whether a vertex can be contracted: two neighbours, and the same lines on both sides.
fn is_contractible(planar: &PlanarGraph, vertex: usize) -> bool {
    match planar.rotations[vertex][..] {
        [first, second] => {
            planar.kinds[vertex] != VertexKind::Crossing
                && planar.segments[first].other(vertex) != planar.segments[second].other(vertex)
                && planar.lines(first) == planar.lines(second)
        }
        _ => false,
    }
}

struct Chain {
    vertices: Vec<usize>,
    segments: Vec<usize>,
}

/// The chains between kept vertices, each once.
fn chains(planar: &PlanarGraph, kept: &[bool]) -> Vec<Chain> {
    let mut used = vec![false; planar.segments.len()];
    let mut chains = Vec::new();
    for start in (0..kept.len()).filter(|&vertex| kept[vertex]) {
        for &first in &planar.rotations[start] {
            if used[first] {
                continue;
            }
            let mut chain = Chain { vertices: vec![start], segments: Vec::new() };
            let (mut vertex, mut segment) = (start, first);
            loop {
                used[segment] = true;
                chain.segments.push(segment);
                vertex = planar.segments[segment].other(vertex);
                chain.vertices.push(vertex);
                if kept[vertex] {
                    break;
                }
                match planar.rotations[vertex].iter().find(|&&next| !used[next]) {
                    Some(&next) => segment = next,
                    None => break,
                }
            }
            chains.push(chain);
        }
    }
    chains
}

/// Keeps the vertices that preserve the shape of a chain (Ramer–Douglas–Peucker), or two vertices of a closed chain.
fn keep_bends(chain: &Chain, points: &[Point], kept: &mut [bool]) {
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
        if off(farthest) > MAX_DEVIATION {
            kept[vertices[farthest]] = true;
            open.push((from, farthest));
            open.push((farthest, to));
        }
    }
}

/// Pairs of slots that lines connect at a vertex. A crossing connects the two halves of each edge.
fn continuations(planar: &PlanarGraph, vertex: usize) -> Vec<(usize, usize, f32)> {
    let rotations = &planar.rotations[vertex];
    let mut pairs = Vec::new();
    for (i, &first) in rotations.iter().enumerate() {
        for (j, &second) in rotations.iter().enumerate().skip(i + 1) {
            let shared = match planar.kinds[vertex] {
                VertexKind::Crossing if planar.segments[first].edge == planar.segments[second].edge => {
                    planar.lines(first).len().max(1)
                }
                VertexKind::Crossing => 0,
                VertexKind::Station(_) => {
                    planar.lines(first).iter().filter(|line| planar.lines(second).contains(line)).count()
                }
            };
            if shared > 0 {
                pairs.push((i, j, bend_weight(shared)));
            }
        }
    }
    pairs
}

/// The weight of a bend of so many parallel lines.
pub(crate) fn bend_weight(lines: usize) -> f32 {
    match lines {
        0 => 0.5,
        1 => 1.0,
        2 => 1.5,
        3 => 1.8,
        _ => 2.0,
    }
}
