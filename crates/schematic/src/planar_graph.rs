//! The planarised network: where two edges cross, the crossing becomes a vertex.
//!
//! From here on the rotation of every vertex, the cyclic order of its segments, is fixed. A drawing without crossings
//! that preserves all rotations preserves the embedding. [`crate::verify`] checks this.

use crate::{
    geometry::{Point, bounds, crossing},
    graph::{Edge, Graph},
    segment_index::SegmentIndex,
};

/// What a vertex represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VertexKind {
    /// A station, by its index in the network.
    Station(usize),
    /// A crossing of two edges without a station.
    Crossing,
}

impl VertexKind {
    /// The index of the station; `None` for a crossing.
    pub(crate) fn station(self) -> Option<usize> {
        match self {
            Self::Station(station) => Some(station),
            Self::Crossing => None,
        }
    }
}

/// The part of an edge between two vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Index into [`PlanarGraph::edges`].
    pub(crate) edge: usize,
}

impl Segment {
    pub(crate) fn other(&self, vertex: usize) -> usize {
        if self.a == vertex { self.b } else { self.a }
    }
}

/// A connected planar graph.
#[derive(Debug)]
pub(crate) struct PlanarGraph {
    pub(crate) points: Vec<Point>,
    pub(crate) kinds: Vec<VertexKind>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) edges: Vec<Edge>,
    /// The rotation of each vertex: its segments, ordered by angle.
    pub(crate) rotations: Vec<Vec<usize>>,
}

impl PlanarGraph {
    /// Planarises a graph. Edges without lines connect its components, so that the rotations describe the whole
    /// network.
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut edges = graph.edges.clone();
        let first = Self::planarise(&graph.positions, edges.clone());
        edges.extend(connectors(&graph.positions, &first));
        Self::planarise(&graph.positions, edges)
    }

    fn planarise(positions: &[Point], edges: Vec<Edge>) -> Self {
        let mut points = positions.to_vec();
        let mut kinds: Vec<VertexKind> = (0..positions.len()).map(VertexKind::Station).collect();
        let mut cuts: Vec<Vec<(f64, usize)>> = vec![Vec::new(); edges.len()];
        for (one, two) in crossing_pairs(positions, &edges) {
            let [a, b] = [edges[one].a, edges[one].b].map(|end| positions[end]);
            let [c, d] = [edges[two].a, edges[two].b].map(|end| positions[end]);
            let (Some(along), Some(across)) = (crossing(a, b, c, d), crossing(c, d, a, b)) else { continue };
            cuts[one].push((along, points.len()));
            cuts[two].push((across, points.len()));
            points.push(a.toward(b, along));
            kinds.push(VertexKind::Crossing);
        }
        let mut segments = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            cuts[at].sort_by(|x, y| x.0.total_cmp(&y.0));
            let mut from = edge.a;
            for to in cuts[at].iter().map(|(_, vertex)| *vertex).chain([edge.b]) {
                segments.push(Segment { a: from, b: to, edge: at });
                from = to;
            }
        }
        let rotations = rotation_system(&points, &segments);
        Self { points, kinds, segments, edges, rotations }
    }

    /// Whether the rotation of a vertex is unchanged when its segments are straight lines between these points.
    pub(crate) fn keeps_order(&self, points: &[Point], vertex: usize) -> bool {
        let rotations = &self.rotations[vertex];
        if rotations.len() < 3 {
            return true;
        }
        let angle = |segment: usize| points[self.segments[segment].other(vertex)].minus(points[vertex]).pseudo_angle();
        let mut before = angle(rotations[rotations.len() - 1]);
        let mut descents = 0;
        for &segment in rotations {
            let here = angle(segment);
            if here <= before {
                descents += 1;
            }
            before = here;
        }
        descents == 1
    }

    pub(crate) fn is_walk(&self, segment: usize) -> bool {
        self.edges[self.segments[segment].edge].is_walk
    }

    /// Whether a segment only connects two components. It is not drawn.
    pub(crate) fn is_invisible(&self, segment: usize) -> bool {
        self.lines(segment).is_empty() && !self.is_walk(segment)
    }

    pub(crate) fn lines(&self, segment: usize) -> &[usize] {
        &self.edges[self.segments[segment].edge].lines
    }
}

fn rotation_system(points: &[Point], segments: &[Segment]) -> Vec<Vec<usize>> {
    let mut rotations: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for (at, segment) in segments.iter().enumerate() {
        rotations[segment.a].push(at);
        rotations[segment.b].push(at);
    }
    for (vertex, rotations) in rotations.iter_mut().enumerate() {
        let angle = |at: &usize| points[segments[*at].other(vertex)].minus(points[vertex]).pseudo_angle();
        rotations.sort_by(|x, y| angle(x).total_cmp(&angle(y)));
    }
    rotations
}

fn crossing_pairs(positions: &[Point], edges: &[Edge]) -> Vec<(usize, usize)> {
    let Some((low, high)) = bounds(positions) else { return Vec::new() };
    let mut index = SegmentIndex::new(low, high, ((high.x - low.x) + (high.y - low.y)).max(0.1) / 400.0);
    let mut pairs = Vec::new();
    for (at, edge) in edges.iter().enumerate() {
        let (a, b) = (positions[edge.a], positions[edge.b]);
        index.query(a, b, 0.0, |number| {
            let other = &edges[number as usize];
            if crossing(a, b, positions[other.a], positions[other.b]).is_some() {
                pairs.push((number as usize, at));
            }
        });
        index.insert(u32::try_from(at).unwrap_or(u32::MAX), a, b);
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The shortest edges that connect all components. Each component but the largest is joined to its nearest station.
fn connectors(positions: &[Point], planar: &PlanarGraph) -> Vec<Edge> {
    let mut component: Vec<usize> = (0..planar.points.len()).collect();
    for segment in &planar.segments {
        union(&mut component, segment.a, segment.b);
    }
    let mut connectors = Vec::new();
    loop {
        let mut nearest: Vec<Option<(f64, usize, usize)>> = vec![None; component.len()];
        let roots: Vec<usize> = (0..positions.len()).map(|at| find(&mut component, at)).collect();
        let mut sizes = vec![0_usize; component.len()];
        for &find in &roots {
            sizes[find] += 1;
        }
        let Some(largest) = (0..sizes.len()).max_by_key(|&at| (sizes[at], usize::MAX - at)) else { return connectors };
        for a in (0..positions.len()).filter(|&a| roots[a] != largest) {
            for b in (0..positions.len()).filter(|&b| roots[b] != roots[a]) {
                let far = positions[a].distance(positions[b]);
                if nearest[roots[a]].is_none_or(|(best, _, _)| far < best) {
                    nearest[roots[a]] = Some((far, a, b));
                }
            }
        }
        let before = connectors.len();
        for (_, a, b) in nearest.into_iter().flatten() {
            if find(&mut component, a) != find(&mut component, b) {
                union(&mut component, a, b);
                connectors.push(Edge { a: a.min(b), b: a.max(b), lines: Vec::new(), is_walk: false });
            }
        }
        if connectors.len() == before {
            return connectors;
        }
    }
}

fn find(component: &mut [usize], mut at: usize) -> usize {
    while component[at] != at {
        component[at] = component[component[at]];
        at = component[at];
    }
    at
}

fn union(component: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(component, a), find(component, b));
    component[a.max(b)] = a.min(b);
}
