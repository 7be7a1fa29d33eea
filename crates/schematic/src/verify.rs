//! Verifies that a layout preserves its network: all paths are octilinear and disjoint, and all rotations are
//! preserved.
//!
//! Only the finished paths are examined, so that a bug in the search cannot hide.

use std::collections::{HashMap, HashSet};

use crate::{
    faces::Faces,
    geometry::{Point, segments_meet},
    graph::Graph,
    grid_layout::GridLayout,
    planar_graph::PlanarGraph,
    routing_grid::GridNode,
    segment_index::SegmentIndex,
};

/// How a layout differs from its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Violations {
    /// Corridors without a path.
    pub unrouted: usize,
    /// Pairs of corridors that touch or cross outside a shared junction.
    pub crossings: usize,
    /// Junctions whose rotation has changed.
    pub rotations: usize,
    /// Paths with steps that are not octilinear, that do not end at their junctions, or that pass through a footprint.
    pub invalid_paths: usize,
    /// Stations or edges of the network that are not drawn exactly once.
    pub lost_elements: usize,
    /// Corridors beside an inverted face.
    pub inverted: usize,
}

impl Violations {
    /// The sum of all violations.
    #[must_use]
    pub fn total(&self) -> usize {
        self.unrouted + self.crossings + self.rotations + self.invalid_paths + self.lost_elements + self.inverted
    }
}

pub(crate) fn verify(graph: &Graph, planar: &PlanarGraph, layout: &GridLayout<'_>) -> Violations {
    let unrouted = layout.paths.iter().filter(|path| path.is_none()).count();
    let footprints = footprints(layout);
    Violations {
        unrouted,
        crossings: crossings(layout),
        rotations: (0..layout.topology.junctions.len()).filter(|&junction| !keeps_rotation(layout, junction)).count(),
        invalid_paths: (0..layout.paths.len())
            .filter(|&corridor| is_invalid_path(layout, corridor) || passes_body(layout, corridor, &footprints))
            .count()
            + overlapping_bodies(layout, &footprints),
        lost_elements: lost_elements(graph, planar, layout),
        inverted: Faces::of(layout.topology).inverted(&layout.paths),
    }
}

/// The junction that covers each node.
fn footprints(layout: &GridLayout<'_>) -> HashMap<GridNode, usize> {
    let covered = (0..layout.positions.len()).flat_map(|junction| {
        layout.footprints[junction].nodes(layout.positions[junction]).map(move |node| (node, junction))
    });
    covered.collect()
}

fn overlapping_bodies(layout: &GridLayout<'_>, footprints: &HashMap<GridNode, usize>) -> usize {
    let all: usize = (0..layout.positions.len())
        .map(|junction| layout.footprints[junction].nodes(layout.positions[junction]).count())
        .sum();
    all - footprints.len()
}

/// Whether a path passes through a footprint between its ends.
fn passes_body(layout: &GridLayout<'_>, corridor: usize, footprints: &HashMap<GridNode, usize>) -> bool {
    let Some(path) = &layout.paths[corridor] else { return false };
    path.len() > 2 && path[1..path.len() - 1].iter().any(|node| footprints.contains_key(node))
}

/// Counts stations that are not drawn exactly once, segments that no corridor contains, and false adjacencies.
fn lost_elements(graph: &Graph, planar: &PlanarGraph, layout: &GridLayout<'_>) -> usize {
    let mut seen = vec![0_usize; graph.positions.len()];
    let neighbours: HashSet<(usize, usize)> = planar.edges.iter().map(|s| (s.a.min(s.b), s.a.max(s.b))).collect();
    let station_of = |junction: usize| layout.topology.junctions[junction].kind.station();
    for station in (0..layout.topology.junctions.len()).filter_map(station_of) {
        seen[station] += 1;
    }
    let (mut segments, mut false_neighbours) = (0, 0);
    for corridor in &layout.topology.corridors {
        segments += corridor.intermediate.len() + 1;
        let [first, last] = corridor.junctions.map(station_of);
        let intermediate = corridor.intermediate.iter().copied().map(Some);
        let stops: Vec<Option<usize>> = [first].into_iter().chain(intermediate).chain([last]).collect();
        for pair in stops.windows(2) {
            if let [Some(a), Some(b)] = *pair {
                false_neighbours += usize::from(!neighbours.contains(&(a.min(b), a.max(b))));
            }
        }
        for &station in &corridor.intermediate {
            seen[station] += 1;
        }
    }
    seen.iter().filter(|count| **count != 1).count() + segments.abs_diff(planar.segments.len()) + false_neighbours
}

fn is_invalid_path(layout: &GridLayout<'_>, corridor: usize) -> bool {
    let Some(path) = &layout.paths[corridor] else { return false };
    let on_body = |side: usize, node| {
        let junction = layout.topology.corridors[corridor].junctions[side];
        layout.footprints[junction].nodes(layout.positions[junction]).any(|own| own == node)
    };
    path.len() < 2
        || !on_body(0, path[0])
        || !on_body(1, path[path.len() - 1])
        || path.windows(2).any(|pair| (pair[0].x - pair[1].x).abs().max((pair[0].y - pair[1].y).abs()) != 1)
}

/// Pairs of segments of different corridors that meet outside a footprint at which both end.
fn crossings(layout: &GridLayout<'_>) -> usize {
    let point = |node: GridNode| Point::new(f64::from(node.x), f64::from(node.y));
    let mut segments: Vec<(usize, Point, Point)> = Vec::new();
    for (corridor, path) in layout.paths.iter().enumerate() {
        let Some(path) = path else { continue };
        segments.extend(path.windows(2).map(|pair| (corridor, point(pair[0]), point(pair[1]))));
    }
    let high = Point::new(f64::from(layout.grid.width), f64::from(layout.grid.height));
    let mut index = SegmentIndex::new(Point::default(), high, 4.0);
    let mut count = 0;
    for (at, &(corridor, a, b)) in segments.iter().enumerate() {
        let mut met = Vec::new();
        index.query(a, b, 0.0, |other| {
            let (other_link, c, d) = segments[other as usize];
            if segments_meet(a, b, c, d)
                && !may_meet(layout, (corridor, a, b), (other_link, c, d))
                && !met.contains(&other)
            {
                met.push(other);
            }
        });
        count += met.len();
        index.insert(u32::try_from(at).unwrap_or(u32::MAX), a, b);
    }
    count
}

/// Whether two segments may meet: consecutive ones of a corridor, or those of two corridors at a shared footprint.
fn may_meet(layout: &GridLayout<'_>, one: (usize, Point, Point), two: (usize, Point, Point)) -> bool {
    let shared: Vec<Point> = [one.1, one.2].into_iter().filter(|p| *p == two.1 || *p == two.2).collect();
    let [common] = shared[..] else { return false };
    if one.0 == two.0 {
        return one.2 == two.1 || two.2 == one.1;
    }
    let junctions = |corridor: usize| layout.topology.corridors[corridor].junctions;
    junctions(one.0).iter().filter(|junction| junctions(two.0).contains(junction)).any(|&junction| {
        layout.footprints[junction]
            .nodes(layout.positions[junction])
            .any(|node| Point::new(f64::from(node.x), f64::from(node.y)) == common)
    })
}

/// Whether corridors leave a footprint in the order of its rotation, seen from its centre.
fn keeps_rotation(layout: &GridLayout<'_>, junction: usize) -> bool {
    let (at, footprint) = (layout.positions[junction], layout.footprints[junction]);
    let middle = Point::new(
        f64::from(at.x) + f64::from(footprint.width - 1) / 2.0,
        f64::from(at.y) + f64::from(footprint.height - 1) / 2.0,
    );
    let angles: Vec<f64> = layout.topology.junctions[junction]
        .ends
        .iter()
        .filter_map(|end| {
            let path = layout.paths[end.corridor].as_ref()?;
            let next = if end.first { path[1] } else { path[path.len() - 2] };
            Some(Point::new(f64::from(next.x), f64::from(next.y)).minus(middle).pseudo_angle())
        })
        .collect();
    let falls = (0..angles.len()).filter(|&at| angles[(at + 1) % angles.len()] <= angles[at]).count();
    angles.len() < 2 || falls == 1
}
