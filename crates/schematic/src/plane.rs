//! The network as a plane graph: where two stretches cross on the ground, a crossing becomes a vertex of its own.
//!
//! From here on the order of edges around every vertex is fixed. A drawing without crossings in which each vertex keeps
//! this order is the same map, only bent: that is what "the embedding is kept" means, and what [`crate::verify`] checks.

use crate::{
    cells::Cells,
    geometry::{Point, crossing},
    graph::{Graph, Stretch},
};

/// What a vertex stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A station, by its index in the network.
    Station(usize),
    /// Two stretches that cross without a station.
    Crossing,
}

/// A piece of a stretch between two vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Index into [`Plane::stretches`].
    pub(crate) stretch: usize,
}

impl Piece {
    pub(crate) fn other(&self, vertex: usize) -> usize {
        if self.a == vertex { self.b } else { self.a }
    }
}

/// A connected plane graph.
#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) points: Vec<Point>,
    pub(crate) roles: Vec<Role>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) stretches: Vec<Stretch>,
    /// The pieces around each vertex, in the order of their angles.
    pub(crate) around: Vec<Vec<usize>>,
}

impl Plane {
    /// Parts without a connection are tied together by stretches without a line, so that everything has a place in the order.
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut stretches = graph.stretches.clone();
        let first = Self::cut(&graph.places, stretches.clone());
        stretches.extend(ties(&graph.places, &first));
        Self::cut(&graph.places, stretches)
    }

    fn cut(places: &[Point], stretches: Vec<Stretch>) -> Self {
        let mut points = places.to_vec();
        let mut roles: Vec<Role> = (0..places.len()).map(Role::Station).collect();
        let mut cuts: Vec<Vec<(f64, usize)>> = vec![Vec::new(); stretches.len()];
        for (one, two) in crossing_pairs(places, &stretches) {
            let [a, b] = [stretches[one].a, stretches[one].b].map(|end| places[end]);
            let [c, d] = [stretches[two].a, stretches[two].b].map(|end| places[end]);
            let (Some(along), Some(across)) = (crossing(a, b, c, d), crossing(c, d, a, b)) else { continue };
            cuts[one].push((along, points.len()));
            cuts[two].push((across, points.len()));
            points.push(a.toward(b, along));
            roles.push(Role::Crossing);
        }
        let mut pieces = Vec::new();
        for (at, stretch) in stretches.iter().enumerate() {
            cuts[at].sort_by(|x, y| x.0.total_cmp(&y.0));
            let mut from = stretch.a;
            for to in cuts[at].iter().map(|(_, vertex)| *vertex).chain([stretch.b]) {
                pieces.push(Piece { a: from, b: to, stretch: at });
                from = to;
            }
        }
        let around = order_around(&points, &pieces);
        Self { points, roles, pieces, stretches, around }
    }

    /// Whether the pieces around the vertex still have their order when drawn straight between these points.
    pub(crate) fn keeps_order(&self, points: &[Point], vertex: usize) -> bool {
        let around = &self.around[vertex];
        if around.len() < 3 {
            return true;
        }
        let angle = |piece: usize| points[self.pieces[piece].other(vertex)].minus(points[vertex]).pseudo_angle();
        let mut before = angle(around[around.len() - 1]);
        let mut falls = 0;
        for &piece in around {
            let here = angle(piece);
            if here <= before {
                falls += 1;
            }
            before = here;
        }
        falls == 1
    }

    pub(crate) fn lines(&self, piece: usize) -> &[usize] {
        &self.stretches[self.pieces[piece].stretch].lines
    }
}

fn order_around(points: &[Point], pieces: &[Piece]) -> Vec<Vec<usize>> {
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for (at, piece) in pieces.iter().enumerate() {
        around[piece.a].push(at);
        around[piece.b].push(at);
    }
    for (vertex, around) in around.iter_mut().enumerate() {
        let angle = |at: &usize| points[pieces[*at].other(vertex)].minus(points[vertex]).pseudo_angle();
        around.sort_by(|x, y| angle(x).total_cmp(&angle(y)));
    }
    around
}

fn crossing_pairs(places: &[Point], stretches: &[Stretch]) -> Vec<(usize, usize)> {
    let Some((low, high)) = bounds(places) else { return Vec::new() };
    let mut cells = Cells::new(low, high, ((high.x - low.x) + (high.y - low.y)).max(0.1) / 400.0);
    let mut pairs = Vec::new();
    for (at, stretch) in stretches.iter().enumerate() {
        let (a, b) = (places[stretch.a], places[stretch.b]);
        cells.near(a, b, 0.0, |number| {
            let other = &stretches[number as usize];
            if crossing(a, b, places[other.a], places[other.b]).is_some() {
                pairs.push((number as usize, at));
            }
        });
        cells.insert(u32::try_from(at).unwrap_or(u32::MAX), a, b);
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The corners of the box around some points.
pub(crate) fn bounds(points: &[Point]) -> Option<(Point, Point)> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(low, high), p| {
        (Point::new(low.x.min(p.x), low.y.min(p.y)), Point::new(high.x.max(p.x), high.y.max(p.y)))
    }))
}

/// The shortest stretches that join all parts: each part that is not the largest is tied to its nearest station elsewhere.
fn ties(places: &[Point], plane: &Plane) -> Vec<Stretch> {
    let mut part: Vec<usize> = (0..plane.points.len()).collect();
    for piece in &plane.pieces {
        join(&mut part, piece.a, piece.b);
    }
    let mut ties = Vec::new();
    loop {
        let mut nearest: Vec<Option<(f64, usize, usize)>> = vec![None; part.len()];
        let roots: Vec<usize> = (0..places.len()).map(|at| root(&mut part, at)).collect();
        let mut sizes = vec![0_usize; part.len()];
        for &root in &roots {
            sizes[root] += 1;
        }
        let Some(largest) = (0..sizes.len()).max_by_key(|&at| (sizes[at], usize::MAX - at)) else { return ties };
        for a in (0..places.len()).filter(|&a| roots[a] != largest) {
            for b in (0..places.len()).filter(|&b| roots[b] != roots[a]) {
                let far = places[a].distance(places[b]);
                if nearest[roots[a]].is_none_or(|(best, _, _)| far < best) {
                    nearest[roots[a]] = Some((far, a, b));
                }
            }
        }
        let before = ties.len();
        for (_, a, b) in nearest.into_iter().flatten() {
            if root(&mut part, a) != root(&mut part, b) {
                join(&mut part, a, b);
                ties.push(Stretch { a: a.min(b), b: a.max(b), lines: Vec::new() });
            }
        }
        if ties.len() == before {
            return ties;
        }
    }
}

fn root(part: &mut [usize], mut at: usize) -> usize {
    while part[at] != at {
        part[at] = part[part[at]];
        at = part[at];
    }
    at
}

fn join(part: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(part, a), root(part, b));
    part[a.max(b)] = a.min(b);
}
