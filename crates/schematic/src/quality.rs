//! Measures the quality of a map, with figures that can be compared with other tools.

use std::collections::BTreeSet;

use kaisatsu_transit::Network;

use crate::{
    contacts::mark_overlaps,
    dimensions::{MAX_BUNDLE_WIDTH, MAX_CONNECTOR},
    geometry::{Point, nearest_on},
    graph::Graph,
    grid_layout::GridLayout,
    labels::PlacedLabel,
    map_geometry::{Connector, MapGeometry},
    planar_graph::{PlanarGraph, VertexKind},
    routing_grid::{opposite, turn_angle},
    verify::{self, Violations},
};

/// The weight of a bend by its angle: 1 for 45 degrees, 1.5 for 90, 2 for 135 (as in LOOM).
const BEND_WEIGHTS: [f64; 5] = [0.0, 1.0, 1.5, 2.0, 3.0];

/// The measures of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// Number of stations.
    pub stations: usize,
    /// Number of groups of stations between which passengers change on foot.
    pub groups: usize,
    /// Groups whose marks are not joined by connectors, or only by long ones.
    pub groups_apart: usize,
    /// The longest visible part of a connector, in map units.
    pub longest_connector: f64,
    /// Number of pairs of adjacent stations.
    pub edges: usize,
    /// Stretches on which a line passes stations of another line away from its track.
    pub corridor_chords: usize,
    /// Marks that cover a line that passes.
    pub covered_passes: usize,
    /// The longest distance between neighbours on a line, in map units.
    pub longest_edge: f64,
    /// The ninth decile of the distances between neighbours, divided by the first.
    pub spacing: f64,
    /// The share of the map that its labels cover.
    pub label_share: f64,
    /// Number of crossings of edges without a station.
    pub crossings: usize,
    /// How the layout differs from the network. A finished map has no violations.
    pub violations: Violations,
    /// Bends, weighted by angle, counted once for parallel lines.
    pub bends: f64,
    /// Bends, weighted by angle, counted for each line.
    pub line_bends: f64,
    /// How many times lines cross within a bundle.
    pub bundle_crossings: usize,
    /// The mean distance of stations from their geographic positions, in mean distances of adjacent stations.
    pub displacement: f64,
    /// Stations without a label.
    pub unlabelled: usize,
    /// Bundles that touch, and marks on lines that do not stop there.
    pub contacts: usize,
    /// Labels that overlap another label, a mark or a line.
    pub overlaps: usize,
    /// Labels that are nearer to the mark of another station than to their own.
    pub misleading_labels: usize,
}

pub(crate) fn measure(
    network: &Network,
    graph: &Graph,
    planar: &PlanarGraph,
    layout: &GridLayout<'_>,
    geometry: &MapGeometry,
    placed: &[PlacedLabel],
) -> Quality {
    let (bends, line_bends) = count_bends(layout);
    let (longest_edge, spacing) = edge_lengths(graph, geometry);
    Quality {
        stations: geometry.stops.len(),
        groups: graph.groups.len(),
        groups_apart: groups_apart(graph, geometry),
        longest_connector: geometry.connectors.iter().map(|one| geometry.visible_length(one)).fold(0.0, f64::max),
        edges: graph.line_edges(),
        corridor_chords: corridor_chords(graph, geometry),
        covered_passes: covered_passes(graph, geometry),
        longest_edge,
        spacing,
        label_share: 0.0,
        crossings: line_crossings(planar),
        violations: verify::verify(graph, planar, layout),
        bends,
        line_bends,
        bundle_crossings: geometry.bundle_crossings,
        displacement: displacement(graph, geometry),
        unlabelled: network.stations.len() - placed.len(),
        contacts: crate::contacts::find_contacts(layout.topology, geometry).len(),
        overlaps: crate::labels::overlaps(geometry, placed),
        misleading_labels: crate::labels::misleading(geometry, placed),
    }
}

/// How far a line may be from the centre of a mark that it passes, beyond the size of the mark.
const MAX_PASS_DISTANCE: f64 = MAX_BUNDLE_WIDTH + 8.0;

/// The stations that each line passes on each of its ways.
fn passed(graph: &Graph) -> impl Iterator<Item = (usize, &[usize])> {
    graph.passes.iter().map(|(line, way)| (*line, &way[1..way.len() - 1]))
}

fn corridor_chords(graph: &Graph, geometry: &MapGeometry) -> usize {
    let is_away = |line: usize, station: usize| {
        let stop = &geometry.stops[station];
        #[expect(clippy::cast_precision_loss, reason = "marks are small")]
        let size = stop.extent.width.max(stop.extent.height) as f64 / 2.0;
        let mut segments = geometry.line_paths[line].iter().flat_map(|path| path.windows(2));
        let middle = stop.middle();
        !segments.any(|pair| nearest_on(pair[0], pair[1], middle).distance(middle) <= size + MAX_PASS_DISTANCE)
    };
    passed(graph).filter(|(line, stations)| stations.iter().any(|&station| is_away(*line, station))).count()
}

fn covered_passes(graph: &Graph, geometry: &MapGeometry) -> usize {
    let is_covered = |line: usize, station: usize| {
        let mut segments = geometry.line_paths[line].iter().flat_map(|path| path.windows(2));
        segments.any(|pair| mark_overlaps(&geometry.stops[station].mark, pair[0], pair[1], 0.0))
    };
    let pairs: BTreeSet<(usize, usize)> =
        passed(graph).flat_map(|(line, stations)| stations.iter().map(move |&station| (line, station))).collect();
    pairs.into_iter().filter(|&(line, station)| is_covered(line, station)).count()
}

/// The longest distance between neighbours, and the ratio of the ninth decile to the first.
fn edge_lengths(graph: &Graph, geometry: &MapGeometry) -> (f64, f64) {
    let middle = |station: usize| geometry.stops[station].middle();
    let edges = graph.edges.iter().filter(|edge| !edge.is_walk);
    let mut lengths: Vec<f64> = edges.map(|edge| middle(edge.a).distance(middle(edge.b))).collect();
    lengths.sort_by(f64::total_cmp);
    let decile = |tenths: usize| lengths.get(lengths.len() * tenths / 10).copied().unwrap_or(0.0);
    (lengths.last().copied().unwrap_or(0.0), decile(9) / decile(1).max(1.0))
}

/// The crossings of two edges with lines.
fn line_crossings(planar: &PlanarGraph) -> usize {
    let is_line = |segment: &usize| !planar.lines(*segment).is_empty();
    let vertices = planar.kinds.iter().zip(&planar.rotations);
    vertices.filter(|(kind, around)| **kind == VertexKind::Crossing && around.iter().all(is_line)).count()
}

/// The groups whose stations are not all joined by short connectors, or by being neighbours on a line.
fn groups_apart(graph: &Graph, geometry: &MapGeometry) -> usize {
    let mut tree_of: Vec<usize> = (0..graph.positions.len()).collect();
    let is_short = |connector: &&Connector| geometry.visible_length(connector) <= MAX_CONNECTOR;
    let short = geometry.connectors.iter().filter(is_short).map(|connector| connector.ends);
    let neighbours = graph.edges.iter().filter(|edge| !edge.is_walk).map(|edge| [edge.a, edge.b]);
    let group_of = |station: usize| graph.groups.iter().position(|group| group.contains(&station));
    let within = neighbours.filter(|[a, b]| group_of(*a).is_some() && group_of(*a) == group_of(*b));
    for [a, b] in short.chain(within) {
        let (one, two) = (tree_of[a], tree_of[b]);
        tree_of.iter_mut().filter(|tree| **tree == two).for_each(|tree| *tree = one);
    }
    graph.groups.iter().filter(|group| group.iter().any(|&station| tree_of[station] != tree_of[group[0]])).count()
}

#[expect(clippy::cast_precision_loss, reason = "lines are few")]
fn count_bends(layout: &GridLayout<'_>) -> (f64, f64) {
    let (mut once, mut each) = (0.0, 0.0);
    let mut add = |angle: usize, lines: usize| {
        if lines > 0 {
            once += BEND_WEIGHTS[angle];
            each += BEND_WEIGHTS[angle] * lines as f64;
        }
    };
    for (corridor, path) in layout.topology.corridors.iter().zip(&layout.paths) {
        for three in path.iter().flat_map(|path| path.windows(3)) {
            add(turn_angle(three[0].direction_to(three[1]), three[1].direction_to(three[2])), corridor.lines.len());
        }
    }
    for (at, junction) in layout.topology.junctions.iter().enumerate() {
        for &(a, b, _) in &junction.continuations {
            let direction = |slot: usize| layout.assigned_ports[at][slot].map(|port| layout.ports[at][port].direction);
            let (Some(from), Some(to)) = (direction(a), direction(b)) else { continue };
            let lines = |slot: usize| &layout.topology.corridors[junction.ends[slot].corridor].lines;
            let shared = lines(a).iter().filter(|line| lines(b).contains(line)).count();
            add(turn_angle(opposite(from), to), shared);
        }
    }
    (once, each)
}

/// Fits the geographic positions to the map by scale and translation, and measures the mean residual.
#[expect(clippy::cast_precision_loss, reason = "stations are few")]
fn displacement(graph: &Graph, geometry: &MapGeometry) -> f64 {
    let count = graph.positions.len().max(1) as f64;
    let mean = |points: &[Point]| points.iter().fold(Point::default(), |sum, p| sum.plus(*p)).times(1.0 / count);
    let drawn: Vec<Point> = geometry.stops.iter().map(crate::map_geometry::Stop::middle).collect();
    let (from, to) = (mean(&graph.positions), mean(&drawn));
    let pairs = || graph.positions.iter().zip(&drawn).map(|(a, b)| (a.minus(from), b.minus(to)));
    let square: f64 = pairs().map(|(a, _)| a.dot(a)).sum();
    let scale = if square > 0.0 { pairs().map(|(a, b)| a.dot(b)).sum::<f64>() / square } else { 1.0 };
    let off = pairs().map(|(a, b)| a.times(scale).distance(b)).sum::<f64>() / count;
    let spaces: Vec<f64> = graph.edges.iter().map(|s| drawn[s.a].distance(drawn[s.b])).collect();
    let space = spaces.iter().sum::<f64>() / spaces.len().max(1) as f64;
    if space > 0.0 { off / space } else { 0.0 }
}
