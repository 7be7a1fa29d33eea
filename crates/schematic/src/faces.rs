//! The faces between the links, and on which side of them a drawing has their insides.
//!
//! The order around every joint decides the faces, but on a plane one of them lies outside, and the order does not say which. A way
//! that is led around everything else would turn a part of the drawing inside out without changing any order.

use crate::{
    board::Node,
    geometry::Point,
    skeleton::{End, Skeleton},
};

/// The faces of a network.
#[derive(Debug)]
pub(crate) struct Faces {
    /// Each as a walk: the ends at which links are entered.
    walks: Vec<Vec<End>>,
    /// The faces on both sides of each link.
    beside: Vec<[usize; 2]>,
    /// Whether a walk goes clockwise on the ground. All do but the outer one's.
    clockwise: Vec<bool>,
}

impl Faces {
    /// Walks around every face of the evened-out network, which is the ground truth: it moved without crossing anything.
    pub(crate) fn of(skeleton: &Skeleton) -> Self {
        let links = skeleton.links.len();
        let mut beside = vec![[usize::MAX; 2]; links];
        let mut walks: Vec<Vec<End>> = Vec::new();
        for start in (0..links).flat_map(|link| [true, false].map(|first| End { link, first })) {
            let mut walk = Vec::new();
            let mut here = start;
            while beside[here.link][usize::from(here.first)] == usize::MAX {
                beside[here.link][usize::from(here.first)] = walks.len();
                walk.push(here);
                // Through the link to its other end, and there to the next end around the joint.
                let (link, side) = (&skeleton.links[here.link], usize::from(here.first));
                let ends = &skeleton.joints[link.joints[side]].ends;
                here = ends[(link.slots[side] + 1) % ends.len()];
            }
            if !walk.is_empty() {
                walks.push(walk);
            }
        }
        let ground = |link: usize| skeleton.links[link].trace.iter().copied();
        let clockwise = walks.iter().map(|walk| area(walk, ground) > 0.0).collect();
        Self { walks, beside, clockwise }
    }

    /// Whether the faces beside some links are on the side on which they are on the ground. A face of which a link is missing is
    /// not judged.
    pub(crate) fn are_kept(&self, links: &[usize], paths: &[Option<Vec<Node>>]) -> bool {
        // A tree has a single face, and nothing is inside or outside of it.
        if self.walks.len() < 2 {
            return true;
        }
        let mut faces: Vec<usize> = links.iter().flat_map(|&link| self.beside[link]).collect();
        faces.sort_unstable();
        faces.dedup();
        let point = |node: &Node| Point::new(f64::from(node.x), f64::from(node.y));
        faces.into_iter().all(|face| {
            let walk = &self.walks[face];
            walk.iter().any(|end| paths[end.link].is_none())
                || (area(walk, |link| paths[link].iter().flatten().map(point)) > 0.0) == self.clockwise[face]
        })
    }

    /// How many faces are on the wrong side.
    pub(crate) fn turned(&self, paths: &[Option<Vec<Node>>]) -> usize {
        let all: Vec<usize> = (0..self.beside.len()).collect();
        all.iter().filter(|&&link| !self.are_kept(&[link], paths)).count()
    }
}

/// Twice the area that a walk goes around, above nought when it goes clockwise as seen.
fn area<I: DoubleEndedIterator<Item = Point>>(walk: &[End], way: impl Fn(usize) -> I) -> f64 {
    let mut sum = 0.0;
    let mut ends: Option<(Point, Point)> = None;
    let mut go = |point: Point| {
        let (first, last) = *ends.get_or_insert((point, point));
        sum += last.cross(point);
        ends = Some((first, point));
    };
    for end in walk {
        if end.first {
            way(end.link).for_each(&mut go);
        } else {
            way(end.link).rev().for_each(&mut go);
        }
    }
    sum + ends.map_or(0.0, |(first, last)| last.cross(first))
}
