//! The faces of the planar graph, and whether a drawing preserves their orientation.
//!
//! The rotations determine the faces, but not which of them is the outer face. A path around everything else would turn
//! a part of the drawing inside out without changing any rotation.

use crate::{
    geometry::Point,
    routing_grid::GridNode,
    topology::{CorridorEnd, Topology},
};

/// The faces of a topology.
#[derive(Debug)]
pub(crate) struct Faces {
    /// The boundary of each face, as the ends at which corridors are entered.
    boundaries: Vec<Vec<CorridorEnd>>,
    /// The faces on both sides of each corridor.
    adjacent: Vec<[usize; 2]>,
    /// Whether each boundary is clockwise in the relaxed layout. All are, except that of the outer face.
    clockwise: Vec<bool>,
}

impl Faces {
    /// Finds the faces and their orientation in the relaxed layout, which preserves the embedding of the network.
    pub(crate) fn of(topology: &Topology) -> Self {
        let corridors = topology.corridors.len();
        let mut adjacent = vec![[usize::MAX; 2]; corridors];
        let mut boundaries: Vec<Vec<CorridorEnd>> = Vec::new();
        for start in (0..corridors).flat_map(|corridor| [true, false].map(|first| CorridorEnd { corridor, first })) {
            let mut boundary = Vec::new();
            let mut here = start;
            while adjacent[here.corridor][usize::from(here.first)] == usize::MAX {
                adjacent[here.corridor][usize::from(here.first)] = boundaries.len();
                boundary.push(here);
                // Along the corridor to its other end, and there to the next end in the rotation.
                let (corridor, side) = (&topology.corridors[here.corridor], usize::from(here.first));
                let ends = &topology.junctions[corridor.junctions[side]].ends;
                here = ends[(corridor.slots[side] + 1) % ends.len()];
            }
            if !boundary.is_empty() {
                boundaries.push(boundary);
            }
        }
        let relaxed = |corridor: usize| topology.corridors[corridor].relaxed_path.iter().copied();
        let clockwise = boundaries.iter().map(|boundary| signed_area(boundary, relaxed) > 0.0).collect();
        Self { boundaries, adjacent, clockwise }
    }

    /// Whether the faces beside some corridors keep their orientation. A face with an unrouted corridor is skipped.
    pub(crate) fn are_preserved(&self, corridors: &[usize], paths: &[Option<Vec<GridNode>>]) -> bool {
        // A tree has a single face, which has no inside.
        if self.boundaries.len() < 2 {
            return true;
        }
        let mut faces: Vec<usize> = corridors.iter().flat_map(|&corridor| self.adjacent[corridor]).collect();
        faces.sort_unstable();
        faces.dedup();
        let point = |node: &GridNode| Point::new(f64::from(node.x), f64::from(node.y));
        faces.into_iter().all(|face| {
            let boundary = &self.boundaries[face];
            boundary.iter().any(|end| paths[end.corridor].is_none())
                || (signed_area(boundary, |corridor| paths[corridor].iter().flatten().map(point)) > 0.0)
                    == self.clockwise[face]
        })
    }

    /// How many corridors are beside an inverted face.
    pub(crate) fn inverted(&self, paths: &[Option<Vec<GridNode>>]) -> usize {
        let all: Vec<usize> = (0..self.adjacent.len()).collect();
        all.iter().filter(|&&corridor| !self.are_preserved(&[corridor], paths)).count()
    }
}

/// Twice the signed area inside a boundary, positive if it is clockwise on the map.
fn signed_area<I: DoubleEndedIterator<Item = Point>>(boundary: &[CorridorEnd], path_of: impl Fn(usize) -> I) -> f64 {
    let mut sum = 0.0;
    let mut ends: Option<(Point, Point)> = None;
    let mut go = |point: Point| {
        let (first, last) = *ends.get_or_insert((point, point));
        sum += last.cross(point);
        ends = Some((first, point));
    };
    for end in boundary {
        if end.first {
            path_of(end.corridor).for_each(&mut go);
        } else {
            path_of(end.corridor).rev().for_each(&mut go);
        }
    }
    sum + ends.map_or(0.0, |(first, last)| last.cross(first))
}
