//! Relaxes the planar graph with forces: dense centres expand, edges approach the same length, and lines become
//! straight and turn towards the eight directions.
//!
//! Each step moves one vertex, and only as far as no edge crosses another and all rotations stay the same. The
//! embedding is therefore preserved, whatever the forces are.

use crate::{
    components::compact_components,
    geometry::{Point, bounds, nearest_on, segments_meet},
    planar_graph::{PlanarGraph, Segment, VertexKind},
    segment_index::SegmentIndex,
};

/// How many times every vertex is moved.
const ROUNDS: usize = 240;
/// The desired distance between a crossing and its neighbours. Between adjacent stations it is 1.
const CROSSING_DISTANCE: f64 = 0.8;
/// Vertices keep this distance from other vertices and from edges that do not end at them.
const MIN_DISTANCE: f64 = 0.85;
/// The desired length of a walk between two stations, as a share of that of an edge.
const WALK_LENGTH: f64 = 0.6;
/// How strongly the ends of a long walk attract each other.
const WALK_STRENGTH: f64 = 0.5;
/// How near a station of a group may be to the edges of the others, as a share of the distance from other edges.
const GROUP_DISTANCE: f64 = 0.6;
/// Edges that are longer than so many desired lengths are pulled together more strongly than others.
const LONG_EDGE: f64 = 2.0;
/// How strongly the ends of a long edge attract each other.
const LONG_EDGE_STRENGTH: f64 = 0.3;
/// The largest excess of length that counts.
const MAX_EXCESS: f64 = 2.0;
/// The longest step of a vertex.
const MAX_STEP: f64 = 0.4;

struct ForceLayout<'a> {
    planar: &'a PlanarGraph,
    points: Vec<Point>,
    anchors: Vec<Point>,
    desired_lengths: Vec<f64>,
    /// For each vertex, the pairs of neighbours that a line connects through it.
    straight_pairs: Vec<Vec<(usize, usize)>>,
    /// For each vertex, the other ends of its walks.
    partners: Vec<Vec<usize>>,
    /// The segments of each edge.
    parts: Vec<Vec<usize>>,
    pulls_whole_edges: bool,
    index: SegmentIndex,
    seen: Vec<u32>,
    stamp: u32,
}

/// The relaxed positions of the vertices. Adjacent stations are about 1 apart.
///
/// An edge that crosses others has several segments, none of which is long by itself. With `pulls_whole_edges`, all of
/// them are pulled together when the edge is long.
pub(crate) fn relax(planar: &PlanarGraph, pulls_whole_edges: bool) -> Vec<Point> {
    let mut points = normalise_scale(planar);
    compact_components(planar, &mut points);
    let Some((low, high)) = bounds(&points) else { return points };
    let margin = Point::new((high.x - low.x) * 0.3 + 4.0, (high.y - low.y) * 0.3 + 4.0);
    let mut index = SegmentIndex::new(low.minus(margin), high.plus(margin), 1.0);
    for (at, segment) in planar.segments.iter().enumerate() {
        index.insert(segment_id(at), points[segment.a], points[segment.b]);
    }
    let desired_lengths = (0..planar.segments.len()).map(|segment| desired_length(planar, segment)).collect();
    let straight_pairs = (0..points.len()).map(|vertex| straight_pairs(planar, vertex)).collect();
    let seen = vec![0; planar.segments.len()];
    let partners = (0..points.len()).map(|vertex| partners(planar, vertex)).collect();
    let mut parts = vec![Vec::new(); planar.edges.len()];
    for (at, segment) in planar.segments.iter().enumerate() {
        parts[segment.edge].push(at);
    }
    let mut forces = ForceLayout {
        planar,
        anchors: points.clone(),
        points,
        desired_lengths,
        straight_pairs,
        partners,
        parts,
        pulls_whole_edges,
        index,
        seen,
        stamp: 0,
    };
    for round in 0..ROUNDS {
        #[expect(clippy::cast_precision_loss, reason = "rounds are few")]
        let progress = round as f64 / ROUNDS as f64;
        for vertex in 0..forces.points.len() {
            forces.step(vertex, progress);
        }
        if round % 4 == 3 {
            forces.rescale(progress);
        }
    }
    // The network has grown around its components; what lies between them is empty paper.
    compact_components(planar, &mut forces.points);
    forces.points
}

fn segment_id(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Scales the positions so that most edges are longer than 1. Contraction keeps the shape smooth; expansion would
/// crumple it.
fn normalise_scale(planar: &PlanarGraph) -> Vec<Point> {
    let mut lengths: Vec<f64> = planar
        .edges
        .iter()
        .filter(|edge| !edge.lines.is_empty())
        .map(|edge| planar.points[edge.a].distance(planar.points[edge.b]))
        .collect();
    lengths.sort_by(f64::total_cmp);
    let short = lengths.get(lengths.len() / 8).copied().filter(|length| *length > 0.0).unwrap_or(1.0);
    planar.points.iter().map(|p| p.times(1.0 / short)).collect()
}

pub(crate) fn desired_length(planar: &PlanarGraph, segment: usize) -> f64 {
    let Segment { a, b, .. } = planar.segments[segment];
    let crossings = [a, b].iter().filter(|&&v| planar.kinds[v] == VertexKind::Crossing).count();
    let base = match crossings {
        0 => 1.0,
        1 => CROSSING_DISTANCE,
        _ => CROSSING_DISTANCE * 0.9,
    };
    if planar.is_walk(segment) {
        return base * WALK_LENGTH;
    }
    // A hub needs space for its footprint and its many edges.
    let crowd = planar.rotations[a].len().max(planar.rotations[b].len());
    #[expect(clippy::cast_precision_loss, reason = "degrees are small")]
    let node_cost = crowd.saturating_sub(5) as f64 * 0.12;
    base + node_cost
}

/// The pairs of neighbours that a line connects through this vertex.
fn straight_pairs(planar: &PlanarGraph, vertex: usize) -> Vec<(usize, usize)> {
    let rotations = &planar.rotations[vertex];
    let mut pairs = Vec::new();
    for (at, &first) in rotations.iter().enumerate() {
        for &second in &rotations[at + 1..] {
            let same = match planar.kinds[vertex] {
                VertexKind::Crossing => planar.segments[first].edge == planar.segments[second].edge,
                VertexKind::Station(_) => planar.lines(first).iter().any(|line| planar.lines(second).contains(line)),
            };
            if same {
                pairs.push((planar.segments[first].other(vertex), planar.segments[second].other(vertex)));
            }
        }
    }
    // At a hub, many pairs share a line. Their forces would oppose each other.
    if pairs.len() > 3 { Vec::new() } else { pairs }
}

/// The other ends of the walks at a vertex.
fn partners(planar: &PlanarGraph, vertex: usize) -> Vec<usize> {
    let walks = planar.rotations[vertex].iter().filter(|segment| planar.is_walk(**segment));
    walks.map(|&segment| planar.segments[segment].other(vertex)).collect()
}

impl ForceLayout<'_> {
    /// Scales everything towards the desired median edge length. Scaling creates no crossings.
    fn rescale(&mut self, progress: f64) {
        let long = |(segment, desired_lengths): (&Segment, &f64)| {
            self.points[segment.a].distance(self.points[segment.b]) / desired_lengths
        };
        let mut lengths: Vec<f64> = self.planar.segments.iter().zip(&self.desired_lengths).map(long).collect();
        let middle = lengths.len() / 2;
        if lengths.is_empty() {
            return;
        }
        let (_, median, _) = lengths.select_nth_unstable_by(middle, f64::total_cmp);
        let factor = (1.08 / *median).clamp(0.9, 1.0 + 0.04 * (1.0 - progress));
        for (segment, at) in self.planar.segments.iter().zip(0..) {
            self.index.remove(at, self.points[segment.a], self.points[segment.b]);
        }
        self.points.iter_mut().chain(&mut self.anchors).for_each(|point| *point = point.times(factor));
        for (segment, at) in self.planar.segments.iter().zip(0..) {
            self.index.insert(at, self.points[segment.a], self.points[segment.b]);
        }
    }

    /// Moves a vertex along its force, or by a half or a quarter of it.
    fn step(&mut self, vertex: usize, progress: f64) {
        let mut step_vector = self.force(vertex, progress);
        let far = step_vector.length();
        if far < 1e-4 {
            return;
        }
        if far > MAX_STEP {
            step_vector = step_vector.times(MAX_STEP / far);
        }
        let from = self.points[vertex];
        for _ in 0..3 {
            if self.can_move(vertex, from.plus(step_vector)) {
                self.move_to(vertex, from.plus(step_vector));
                return;
            }
            step_vector = step_vector.times(0.5);
        }
    }

    fn force(&mut self, vertex: usize, progress: f64) -> Point {
        let here = self.points[vertex];
        let turning = (progress * 1.6 - 0.3).clamp(0.0, 0.8);
        let mut force = self.anchors[vertex].minus(here).times(0.001);
        #[expect(clippy::cast_precision_loss, reason = "degrees are small")]
        let share = 1.0 / (self.planar.rotations[vertex].len().max(1) as f64).sqrt();
        for &segment in &self.planar.rotations[vertex] {
            let connector = self.planar.is_invisible(segment);
            let other = self.points[self.planar.segments[segment].other(vertex)];
            let away = here.minus(other);
            let far = away.length().max(1e-9);
            let lack = self.desired_lengths[segment] - far;
            let strength = if lack > 0.0 { 0.6 } else { 0.04 };
            let is_long = far > LONG_EDGE * self.desired_lengths[segment]
                || (self.pulls_whole_edges && self.whole_length(segment) > LONG_EDGE);
            let strength = match lack < 0.0 {
                true if connector => 0.02,
                true if self.planar.is_walk(segment) => WALK_STRENGTH,
                true if is_long => LONG_EDGE_STRENGTH,
                _ => strength,
            };
            force = force.plus(away.times(lack.max(-MAX_EXCESS) / far * strength * share));
            if !connector {
                force = force.plus(other.plus(snap_to_octant(away)).minus(here).times(0.45 * turning * share));
            }
        }
        for &(first, second) in &self.straight_pairs[vertex] {
            let (a, b) = (self.points[first], self.points[second]);
            let middle = nearest_on(a, b, here).toward(a.toward(b, 0.5), 0.3);
            force = force.plus(middle.minus(here).times(0.25));
        }
        force.plus(self.repulsion(vertex))
    }

    /// The length of the edge that a segment is a part of.
    fn whole_length(&self, segment: usize) -> f64 {
        let parts = &self.parts[self.planar.segments[segment].edge];
        let ends = parts.iter().map(|&part| &self.planar.segments[part]);
        ends.map(|part| self.points[part.a].distance(self.points[part.b])).sum()
    }

    /// The force away from segments that are too close.
    fn repulsion(&mut self, vertex: usize) -> Point {
        let here = self.points[vertex];
        self.stamp += 1;
        let (stamp, planar, points, seen) = (self.stamp, self.planar, &self.points, &mut self.seen);
        let partners = &self.partners[vertex];
        let mut force = Point::default();
        self.index.query(here, here, MIN_DISTANCE, |at| {
            let at = at as usize;
            if std::mem::replace(&mut seen[at], stamp) == stamp {
                return;
            }
            let segment = &planar.segments[at];
            if segment.a == vertex || segment.b == vertex {
                return;
            }
            let query = nearest_on(points[segment.a], points[segment.b], here);
            let away = here.minus(query);
            let far = away.length();
            let of_group = partners.contains(&segment.a) || partners.contains(&segment.b);
            let least = if of_group { MIN_DISTANCE * GROUP_DISTANCE } else { MIN_DISTANCE };
            if far < least && far > 1e-9 {
                force = force.plus(away.times((least - far) / far * 0.22));
            }
        });
        force
    }

    fn can_move(&mut self, vertex: usize, to: Point) -> bool {
        let from = std::mem::replace(&mut self.points[vertex], to);
        let good = self.is_planar_at(vertex);
        self.points[vertex] = from;
        good
    }

    fn is_planar_at(&mut self, vertex: usize) -> bool {
        let (planar, points) = (self.planar, &self.points);
        if !planar.keeps_order(points, vertex) {
            return false;
        }
        for &segment in &planar.rotations[vertex] {
            let other = planar.segments[segment].other(vertex);
            if !planar.keeps_order(points, other) {
                return false;
            }
            let (a, b) = (points[vertex], points[other]);
            self.stamp += 1;
            let (stamp, seen) = (self.stamp, &mut self.seen);
            let mut clear = true;
            self.index.query(a, b, 0.0, |at| {
                let at = at as usize;
                if !clear || std::mem::replace(&mut seen[at], stamp) == stamp {
                    return;
                }
                let Some(query) = planar.segments.get(at) else { return };
                let touching = [query.a, query.b].iter().any(|end| *end == vertex || *end == other);
                clear = touching || !segments_meet(a, b, points[query.a], points[query.b]);
            });
            if !clear {
                return false;
            }
        }
        true
    }

    fn move_to(&mut self, vertex: usize, to: Point) {
        let from = self.points[vertex];
        for &segment in &self.planar.rotations[vertex] {
            let other = self.points[self.planar.segments[segment].other(vertex)];
            self.index.remove(segment_id(segment), from, other);
            self.index.insert(segment_id(segment), to, other);
        }
        self.points[vertex] = to;
    }
}

/// A vector of the same length in the nearest of the eight directions.
fn snap_to_octant(step_vector: Point) -> Point {
    let eighth = std::f64::consts::FRAC_PI_4;
    let angle = (step_vector.y.atan2(step_vector.x) / eighth).round() * eighth;
    Point::new(angle.cos(), angle.sin()).times(step_vector.length())
}
