//! Whether a drawing is the network it was made of: every link drawn in the eight directions, none touching another, and the order
//! around every joint as on the ground.
//!
//! This looks only at the finished ways, not at how they came about, so that a fault of the search cannot hide here.

use crate::{
    cells::Cells,
    draft::Draft,
    geometry::{Point, segments_meet},
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
    /// Steps in none of the eight directions, or ways that do not end at their joints.
    pub astray: usize,
}

impl Violations {
    /// All of them together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.missing + self.crossings + self.orders + self.astray
    }
}

pub(crate) fn verify(draft: &Draft<'_>) -> Violations {
    let mut violations =
        Violations { missing: draft.paths.iter().filter(|path| path.is_none()).count(), ..Violations::default() };
    violations.astray = (0..draft.paths.len()).filter(|&link| is_astray(draft, link)).count();
    violations.crossings = crossings(draft);
    violations.orders = (0..draft.skeleton.joints.len()).filter(|&joint| !keeps_order(draft, joint)).count();
    violations
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

/// Pairs of segments of different links that meet anywhere but in the body of a joint that both end at, and of links with bodies of others.
fn crossings(draft: &Draft<'_>) -> usize {
    let point = |node: crate::board::Node| Point::new(f64::from(node.x), f64::from(node.y));
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
