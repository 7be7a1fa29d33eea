//! How good a drawing is, in figures that can be compared with other tools.

use kaisatsu_transit::Network;

use crate::{
    board::{back, turn},
    draft::Draft,
    geometry::Point,
    graph::Graph,
    labels::Written,
    plane::{Plane, Role},
    scene::Scene,
    verify::{self, Violations},
};

/// What bends count: a turn by 45 degrees 1, by 90 degrees 1.5, by 135 degrees 2 (the weights of LOOM).
const BENDS: [f64; 5] = [0.0, 1.0, 1.5, 2.0, 3.0];

/// The figures of a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// Stations that were drawn.
    pub stations: usize,
    /// Pairs of neighbouring stations.
    pub stretches: usize,
    /// Places where stretches cross without a station.
    pub crossings: usize,
    /// How the drawing differs from the network; nothing, or there would be no drawing.
    pub violations: Violations,
    /// Bends, each weighted by its angle and counted once for all lines side by side.
    pub bends: f64,
    /// The same, counted for every line.
    pub line_bends: f64,
    /// How often lines cross within a bundle.
    pub bundle_crossings: usize,
    /// The mean distance of stations from where they would be on an ordinary map, in mean distances of neighbours.
    pub displacement: f64,
    /// Stations without a name.
    pub unlabelled: usize,
    /// Bundles that touch beside each other, and marks on lines that do not stop there.
    pub touches: usize,
    /// Pairs of names, or of a name and a mark or a stroke, that overlap.
    pub overlaps: usize,
}

pub(crate) fn judge(
    network: &Network,
    graph: &Graph,
    plane: &Plane,
    draft: &Draft<'_>,
    scene: &Scene,
    written: &[Written],
) -> Quality {
    let (bends, line_bends) = count_bends(draft);
    Quality {
        stations: scene.stops.len(),
        stretches: graph.stretches.len(),
        crossings: plane.roles.iter().filter(|role| **role == Role::Crossing).count(),
        violations: verify::verify(graph, plane, draft),
        bends,
        line_bends,
        bundle_crossings: scene.bundle_crossings,
        displacement: displacement(graph, scene),
        unlabelled: network.stations.len() - written.len(),
        touches: crate::touch::touches(draft.skeleton, scene).len(),
        overlaps: crate::labels::overlaps(scene, written),
    }
}

#[expect(clippy::cast_precision_loss, reason = "lines are few")]
fn count_bends(draft: &Draft<'_>) -> (f64, f64) {
    let (mut once, mut each) = (0.0, 0.0);
    let mut add = |sharp: usize, lines: usize| {
        if lines > 0 {
            once += BENDS[sharp];
            each += BENDS[sharp] * lines as f64;
        }
    };
    for (link, path) in draft.skeleton.links.iter().zip(&draft.paths) {
        for three in path.iter().flat_map(|path| path.windows(3)) {
            add(turn(three[0].direction_to(three[1]), three[1].direction_to(three[2])), link.lines.len());
        }
    }
    for (at, joint) in draft.skeleton.joints.iter().enumerate() {
        for &(a, b, _) in &joint.through {
            let direction = |slot: usize| draft.chosen[at][slot].map(|port| draft.ports[at][port].direction);
            let (Some(from), Some(to)) = (direction(a), direction(b)) else { continue };
            let lines = |slot: usize| &draft.skeleton.links[joint.ends[slot].link].lines;
            let shared = lines(a).iter().filter(|line| lines(b).contains(line)).count();
            add(turn(back(from), to), shared);
        }
    }
    (once, each)
}

/// Fits the ground to the map by scale and shift, and measures what is left.
#[expect(clippy::cast_precision_loss, reason = "stations are few")]
fn displacement(graph: &Graph, scene: &Scene) -> f64 {
    let count = graph.places.len().max(1) as f64;
    let mean = |points: &[Point]| points.iter().fold(Point::default(), |sum, p| sum.plus(*p)).times(1.0 / count);
    let drawn: Vec<Point> = scene.stops.iter().map(crate::scene::Stop::middle).collect();
    let (from, to) = (mean(&graph.places), mean(&drawn));
    let pairs = || graph.places.iter().zip(&drawn).map(|(a, b)| (a.minus(from), b.minus(to)));
    let square: f64 = pairs().map(|(a, _)| a.dot(a)).sum();
    let scale = if square > 0.0 { pairs().map(|(a, b)| a.dot(b)).sum::<f64>() / square } else { 1.0 };
    let off = pairs().map(|(a, b)| a.times(scale).distance(b)).sum::<f64>() / count;
    let spaces: Vec<f64> = graph.stretches.iter().map(|s| drawn[s.a].distance(drawn[s.b])).collect();
    let space = spaces.iter().sum::<f64>() / spaces.len().max(1) as f64;
    if space > 0.0 { off / space } else { 0.0 }
}
