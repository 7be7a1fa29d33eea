//! Evens the network out before it is put on the grid: crowded centres open, stretches get one length, lines go straight and
//! turn towards the eight directions.
//!
//! Every step moves one vertex, and only as far as no edge crosses another and the order around every vertex stays. So
//! whatever the forces are, the result is the same map, bent.

use crate::{
    cells::Cells,
    gather::gather,
    geometry::{Point, nearest_on, segments_meet},
    plane::{Piece, Plane, Role, bounds},
};

/// How often every vertex is moved.
const ROUNDS: usize = 240;
/// The wanted distance of two neighbouring stations is 1; of a crossing from its neighbours it is less.
const TO_CROSSING: f64 = 0.8;
/// Vertices keep this far from others and from edges that are not theirs.
const APART: f64 = 0.85;
/// The longest step.
const STEP: f64 = 0.4;

struct Relaxing<'a> {
    plane: &'a Plane,
    points: Vec<Point>,
    anchors: Vec<Point>,
    wanted: Vec<f64>,
    /// For each vertex, the neighbours that a line joins through it.
    through: Vec<Vec<(usize, usize)>>,
    cells: Cells,
    seen: Vec<u32>,
    stamp: u32,
}

/// The points of the plane after evening out. Neighbouring stations are about 1 apart.
pub(crate) fn relax(plane: &Plane) -> Vec<Point> {
    let mut points = to_unit(plane);
    gather(plane, &mut points);
    let Some((low, high)) = bounds(&points) else { return points };
    let margin = Point::new((high.x - low.x) * 0.3 + 4.0, (high.y - low.y) * 0.3 + 4.0);
    let mut cells = Cells::new(low.minus(margin), high.plus(margin), 1.0);
    for (at, piece) in plane.pieces.iter().enumerate() {
        cells.insert(number(at), points[piece.a], points[piece.b]);
    }
    let wanted = plane.pieces.iter().map(|piece| wanted_length(plane, piece.a, piece.b)).collect();
    let through = (0..points.len()).map(|vertex| joined_through(plane, vertex)).collect();
    let seen = vec![0; plane.pieces.len()];
    let mut relaxing = Relaxing { plane, anchors: points.clone(), points, wanted, through, cells, seen, stamp: 0 };
    for round in 0..ROUNDS {
        #[expect(clippy::cast_precision_loss, reason = "rounds are few")]
        let progress = round as f64 / ROUNDS as f64;
        for vertex in 0..relaxing.points.len() {
            relaxing.step(vertex, progress);
        }
        if round % 4 == 3 {
            relaxing.deflate(progress);
        }
    }
    relaxing.points
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Scales the ground so that most stretches are longer than 1: what is pulled together stays smooth, what is pushed apart crumples.
fn to_unit(plane: &Plane) -> Vec<Point> {
    let mut lengths: Vec<f64> = plane
        .stretches
        .iter()
        .filter(|stretch| !stretch.lines.is_empty())
        .map(|stretch| plane.points[stretch.a].distance(plane.points[stretch.b]))
        .collect();
    lengths.sort_by(f64::total_cmp);
    let short = lengths.get(lengths.len() / 8).copied().filter(|length| *length > 0.0).unwrap_or(1.0);
    plane.points.iter().map(|p| p.times(1.0 / short)).collect()
}

pub(crate) fn wanted_length(plane: &Plane, a: usize, b: usize) -> f64 {
    let crossings = [a, b].iter().filter(|&&v| plane.roles[v] == Role::Crossing).count();
    let base = match crossings {
        0 => 1.0,
        1 => TO_CROSSING,
        _ => TO_CROSSING * 0.9,
    };
    // A hub needs room for its body and its many edges.
    let crowd = plane.around[a].len().max(plane.around[b].len());
    #[expect(clippy::cast_precision_loss, reason = "degrees are small")]
    let extra = crowd.saturating_sub(5) as f64 * 0.12;
    base + extra
}

/// The pairs of neighbours that are joined by a line through this vertex.
fn joined_through(plane: &Plane, vertex: usize) -> Vec<(usize, usize)> {
    let around = &plane.around[vertex];
    let mut pairs = Vec::new();
    for (at, &first) in around.iter().enumerate() {
        for &second in &around[at + 1..] {
            let same = match plane.roles[vertex] {
                Role::Crossing => plane.pieces[first].stretch == plane.pieces[second].stretch,
                Role::Station(_) => plane.lines(first).iter().any(|line| plane.lines(second).contains(line)),
            };
            if same {
                pairs.push((plane.pieces[first].other(vertex), plane.pieces[second].other(vertex)));
            }
        }
    }
    // At a hub many pairs share a line; they would fight each other.
    if pairs.len() > 3 { Vec::new() } else { pairs }
}

impl Relaxing<'_> {
    /// Shrinks everything a little while more than half of the stretches are longer than they should be: that crosses nothing.
    fn deflate(&mut self, progress: f64) {
        let long = |(piece, wanted): (&Piece, &f64)| self.points[piece.a].distance(self.points[piece.b]) / wanted;
        let mut lengths: Vec<f64> = self.plane.pieces.iter().zip(&self.wanted).map(long).collect();
        let middle = lengths.len() / 2;
        if lengths.is_empty() {
            return;
        }
        let (_, median, _) = lengths.select_nth_unstable_by(middle, f64::total_cmp);
        let factor = (1.08 / *median).clamp(0.9, 1.0 + 0.04 * (1.0 - progress));
        for (piece, at) in self.plane.pieces.iter().zip(0..) {
            self.cells.remove(at, self.points[piece.a], self.points[piece.b]);
        }
        self.points.iter_mut().chain(&mut self.anchors).for_each(|point| *point = point.times(factor));
        for (piece, at) in self.plane.pieces.iter().zip(0..) {
            self.cells.insert(at, self.points[piece.a], self.points[piece.b]);
        }
    }

    /// Moves a vertex as the forces want, or half or a quarter as far.
    fn step(&mut self, vertex: usize, progress: f64) {
        let mut way = self.force(vertex, progress);
        let far = way.length();
        if far < 1e-4 {
            return;
        }
        if far > STEP {
            way = way.times(STEP / far);
        }
        let from = self.points[vertex];
        for _ in 0..3 {
            if self.may_go(vertex, from.plus(way)) {
                self.go(vertex, from.plus(way));
                return;
            }
            way = way.times(0.5);
        }
    }

    fn force(&mut self, vertex: usize, progress: f64) -> Point {
        let here = self.points[vertex];
        let turning = (progress * 1.6 - 0.3).clamp(0.0, 0.8);
        let mut force = self.anchors[vertex].minus(here).times(0.001);
        #[expect(clippy::cast_precision_loss, reason = "degrees are small")]
        let share = 1.0 / (self.plane.around[vertex].len().max(1) as f64).sqrt();
        for &piece in &self.plane.around[vertex] {
            let tie = self.plane.lines(piece).is_empty();
            let other = self.points[self.plane.pieces[piece].other(vertex)];
            let away = here.minus(other);
            let far = away.length().max(1e-9);
            let lack = self.wanted[piece] - far;
            let strength = if lack > 0.0 { 0.6 } else { 0.04 };
            let strength = if tie && lack < 0.0 { 0.02 } else { strength };
            force = force.plus(away.times(lack.max(-2.0) / far * strength * share));
            if !tie {
                force = force.plus(other.plus(to_octant(away)).minus(here).times(0.45 * turning * share));
            }
        }
        for &(first, second) in &self.through[vertex] {
            let (a, b) = (self.points[first], self.points[second]);
            let middle = nearest_on(a, b, here).toward(a.toward(b, 0.5), 0.3);
            force = force.plus(middle.minus(here).times(0.25));
        }
        force.plus(self.push(vertex))
    }

    /// Away from edges and vertices that come too near.
    fn push(&mut self, vertex: usize) -> Point {
        let here = self.points[vertex];
        self.stamp += 1;
        let (stamp, plane, points, seen) = (self.stamp, self.plane, &self.points, &mut self.seen);
        let mut force = Point::default();
        self.cells.near(here, here, APART, |at| {
            let at = at as usize;
            if std::mem::replace(&mut seen[at], stamp) == stamp {
                return;
            }
            let piece = &plane.pieces[at];
            if piece.a == vertex || piece.b == vertex {
                return;
            }
            let near = nearest_on(points[piece.a], points[piece.b], here);
            let away = here.minus(near);
            let far = away.length();
            if far < APART && far > 1e-9 {
                force = force.plus(away.times((APART - far) / far * 0.22));
            }
        });
        force
    }

    fn may_go(&mut self, vertex: usize, to: Point) -> bool {
        let from = std::mem::replace(&mut self.points[vertex], to);
        let good = self.is_plane_at(vertex);
        self.points[vertex] = from;
        good
    }

    fn is_plane_at(&mut self, vertex: usize) -> bool {
        let (plane, points) = (self.plane, &self.points);
        if !plane.keeps_order(points, vertex) {
            return false;
        }
        for &piece in &plane.around[vertex] {
            let other = plane.pieces[piece].other(vertex);
            if !plane.keeps_order(points, other) {
                return false;
            }
            let (a, b) = (points[vertex], points[other]);
            self.stamp += 1;
            let (stamp, seen) = (self.stamp, &mut self.seen);
            let mut clear = true;
            self.cells.near(a, b, 0.0, |at| {
                let at = at as usize;
                if !clear || std::mem::replace(&mut seen[at], stamp) == stamp {
                    return;
                }
                let Some(near) = plane.pieces.get(at) else { return };
                let touching = [near.a, near.b].iter().any(|end| *end == vertex || *end == other);
                clear = touching || !segments_meet(a, b, points[near.a], points[near.b]);
            });
            if !clear {
                return false;
            }
        }
        true
    }

    fn go(&mut self, vertex: usize, to: Point) {
        let from = self.points[vertex];
        for &piece in &self.plane.around[vertex] {
            let other = self.points[self.plane.pieces[piece].other(vertex)];
            self.cells.remove(number(piece), from, other);
            self.cells.insert(number(piece), to, other);
        }
        self.points[vertex] = to;
    }
}

/// The same length in the nearest of the eight directions.
fn to_octant(way: Point) -> Point {
    let eighth = std::f64::consts::FRAC_PI_4;
    let angle = (way.y.atan2(way.x) / eighth).round() * eighth;
    Point::new(angle.cos(), angle.sin()).times(way.length())
}
