//! Whether a drawing is the network it was made of: every link drawn in the eight directions, none touching another, and the order
//! around every joint as on the ground.
//!
//! This looks only at the finished ways, not at how they came about, so that a fault of the search cannot hide here.

use std::collections::{HashMap, HashSet};

use crate::{
    board::Node,
    cells::Cells,
    draft::Draft,
    faces::Faces,
    geometry::{Point, segments_meet},
    graph::Graph,
    plane::{Plane, Role},
};

/// How a drawing differs from its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Violations {
    /// Links without a way.
    pub missing: usize,
    /// Pairs of links that touch or cross outside of a common joint.
    pub crossings: usize,
    /// Joints around which the links have another order than on the ground.
    pub orders: usize,
    /// Steps in none of the eight directions, ways that do not end at their joints, or that pass through another station's body.
    pub astray: usize,
    /// Stations or stretches of the network that are not drawn once.
    pub lost: usize,
    /// Links beside a face that lies on another side than on the ground: something was turned inside out.
    pub turned: usize,
}

impl Violations {
    /// All of them together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.missing + self.crossings + self.orders + self.astray + self.lost + self.turned
    }
}

pub(crate) fn verify(graph: &Graph, plane: &Plane, draft: &Draft<'_>) -> Violations {
    let missing = draft.paths.iter().filter(|path| path.is_none()).count();
    let bodies = bodies(draft);
    Violations {
        missing,
        crossings: crossings(draft),
        orders: (0..draft.skeleton.joints.len()).filter(|&joint| !keeps_order(draft, joint)).count(),
        astray: (0..draft.paths.len())
            .filter(|&link| is_astray(draft, link) || passes_body(draft, link, &bodies))
            .count()
            + overlapping_bodies(draft, &bodies),
        lost: lost(graph, plane, draft),
        turned: Faces::of(draft.skeleton).turned(&draft.paths),
    }
}

/// Which joint covers a node.
fn bodies(draft: &Draft<'_>) -> HashMap<Node, usize> {
    let covered =
        (0..draft.at.len()).flat_map(|joint| draft.bodies[joint].nodes(draft.at[joint]).map(move |node| (node, joint)));
    covered.collect()
}

fn overlapping_bodies(draft: &Draft<'_>, bodies: &HashMap<Node, usize>) -> usize {
    let all: usize = (0..draft.at.len()).map(|joint| draft.bodies[joint].nodes(draft.at[joint]).count()).sum();
    all - bodies.len()
}

/// Whether a way goes over a node of a body between its ends.
fn passes_body(draft: &Draft<'_>, link: usize, bodies: &HashMap<Node, usize>) -> bool {
    let Some(path) = &draft.paths[link] else { return false };
    path.len() > 2 && path[1..path.len() - 1].iter().any(|node| bodies.contains_key(node))
}

/// Stations that are not on the drawing exactly once, pieces of stretches that no link has, neighbours that are none.
fn lost(graph: &Graph, plane: &Plane, draft: &Draft<'_>) -> usize {
    let mut seen = vec![0_usize; graph.places.len()];
    let neighbours: HashSet<(usize, usize)> = plane.stretches.iter().map(|s| (s.a.min(s.b), s.a.max(s.b))).collect();
    let station_of = |joint: usize| match draft.skeleton.joints[joint].role {
        Role::Station(station) => Some(station),
        Role::Crossing => None,
    };
    for station in (0..draft.skeleton.joints.len()).filter_map(station_of) {
        seen[station] += 1;
    }
    let (mut pieces, mut strangers) = (0, 0);
    for link in &draft.skeleton.links {
        pieces += link.inner.len() + 1;
        let [first, last] = link.joints.map(station_of);
        let inner = link.inner.iter().copied().map(Some);
        let stops: Vec<Option<usize>> = [first].into_iter().chain(inner).chain([last]).collect();
        for pair in stops.windows(2) {
            if let [Some(a), Some(b)] = *pair {
                strangers += usize::from(!neighbours.contains(&(a.min(b), a.max(b))));
            }
        }
        for &station in &link.inner {
            seen[station] += 1;
        }
    }
    seen.iter().filter(|count| **count != 1).count() + pieces.abs_diff(plane.pieces.len()) + strangers
}

fn is_astray(draft: &Draft<'_>, link: usize) -> bool {
    let Some(path) = &draft.paths[link] else { return false };
    let on_body = |side: usize, node| {
        let joint = draft.skeleton.links[link].joints[side];
        draft.bodies[joint].nodes(draft.at[joint]).any(|own| own == node)
    };
    path.len() < 2
        || !on_body(0, path[0])
        || !on_body(1, path[path.len() - 1])
        || path.windows(2).any(|pair| (pair[0].x - pair[1].x).abs().max((pair[0].y - pair[1].y).abs()) != 1)
}

/// Pairs of segments of different links that meet anywhere but in the body of a joint that both end at.
fn crossings(draft: &Draft<'_>) -> usize {
    let point = |node: Node| Point::new(f64::from(node.x), f64::from(node.y));
    let mut segments: Vec<(usize, Point, Point)> = Vec::new();
    for (link, path) in draft.paths.iter().enumerate() {
        let Some(path) = path else { continue };
        segments.extend(path.windows(2).map(|pair| (link, point(pair[0]), point(pair[1]))));
    }
    let high = Point::new(f64::from(draft.board.width), f64::from(draft.board.height));
    let mut cells = Cells::new(Point::default(), high, 4.0);
    let mut count = 0;
    for (at, &(link, a, b)) in segments.iter().enumerate() {
        let mut met = Vec::new();
        cells.near(a, b, 0.0, |other| {
            let (other_link, c, d) = segments[other as usize];
            if segments_meet(a, b, c, d)
                && !meet_rightly(draft, (link, a, b), (other_link, c, d))
                && !met.contains(&other)
            {
                met.push(other);
            }
        });
        count += met.len();
        cells.insert(u32::try_from(at).unwrap_or(u32::MAX), a, b);
    }
    count
}

/// Segments of one link may meet where they follow each other; those of two links in a node of a body that both end at.
fn meet_rightly(draft: &Draft<'_>, one: (usize, Point, Point), two: (usize, Point, Point)) -> bool {
    let shared: Vec<Point> = [one.1, one.2].into_iter().filter(|p| *p == two.1 || *p == two.2).collect();
    let [common] = shared[..] else { return false };
    if one.0 == two.0 {
        return one.2 == two.1 || two.2 == one.1;
    }
    let joints = |link: usize| draft.skeleton.links[link].joints;
    joints(one.0).iter().filter(|joint| joints(two.0).contains(joint)).any(|&joint| {
        draft.bodies[joint]
            .nodes(draft.at[joint])
            .any(|node| Point::new(f64::from(node.x), f64::from(node.y)) == common)
    })
}

/// The links leave a body in the order of its slots, seen from its middle.
fn keeps_order(draft: &Draft<'_>, joint: usize) -> bool {
    let (at, body) = (draft.at[joint], draft.bodies[joint]);
    let middle = Point::new(
        f64::from(at.x) + f64::from(body.width - 1) / 2.0,
        f64::from(at.y) + f64::from(body.height - 1) / 2.0,
    );
    let angles: Vec<f64> = draft.skeleton.joints[joint]
        .ends
        .iter()
        .filter_map(|end| {
            let path = draft.paths[end.link].as_ref()?;
            let next = if end.first { path[1] } else { path[path.len() - 2] };
            Some(Point::new(f64::from(next.x), f64::from(next.y)).minus(middle).pseudo_angle())
        })
        .collect();
    let falls = (0..angles.len()).filter(|&at| angles[(at + 1) % angles.len()] <= angles[at]).count();
    angles.len() < 2 || falls == 1
}
