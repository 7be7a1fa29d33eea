//! Runs the steps from a network to a map document.

use std::cmp::Reverse;

use kaisatsu_model::{Circle, MapLanguage, Rect, Shape, Window};
use kaisatsu_railmap::{Label, MapDocument};
use kaisatsu_render::Typeface;
use kaisatsu_transit::Network;

use crate::{
    compaction::{Labelled, compact},
    contacts::find_contacts,
    document::{self, Canvas, DrawnStation},
    error::LayoutError,
    expand::{Axis, expand},
    force_layout::relax,
    geometry::{Point, bounds},
    graph::Graph,
    grid_layout::GridLayout,
    initial_layout::{initial_layout, rip_up_and_reroute},
    label_rounds::{label_again, long_walks, place_labels},
    labels::{LabelVariants, PlacedLabel},
    local_search::optimise,
    manners::{MAX_EFFORT, Manner, best, manners, score},
    map_geometry::{MapGeometry, Stop},
    planar_graph::PlanarGraph,
    quality::{self, Quality},
    side_by_side::side_by_side,
    topology::Topology,
    verify,
};

/// Margin around the finished map.
const MARGIN: f64 = 40.0;
/// Grid steps per station distance. The first value with which every corridor can be routed is used.
const GRID_STEPS: [f64; 5] = [4.0, 4.8, 5.8, 7.0, 9.0];
/// The effort of routing all corridors, in states of searches: so much, and so much more for each corridor. Half a
/// second, and fifteen milliseconds for each. The maps of cities take a quarter of it. Dense networks, such as those in
/// which every two of eight stations have a line, would take minutes, because a corridor without a way is searched for
/// in the whole grid, which grows with each.
const ROUTING_EFFORT: u64 = 1_000_000;
const EFFORT_PER_CORRIDOR: u64 = 30_000;

/// Options of the layout.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The language of the labels, which decides how much space they need.
    pub language: MapLanguage,
    /// How many layouts are tried, of which the best is kept: from 1 to [`MAX_EFFORT`]. Each takes longer, too.
    pub effort: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { language: MapLanguage::default(), effort: 1 }
    }
}

/// The current step, for progress reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The force-directed layout is computed.
    Relaxing,
    /// Corridors are routed on the grid.
    Routing,
    /// The local search improves the layout.
    Optimising,
    /// Labels are placed.
    Labelling {
        /// How many labels and contacts are unresolved.
        missing: usize,
    },
    /// One of several layouts is made. They are made side by side, so the other steps are not told then.
    LaidOut {
        /// How many are made.
        done: usize,
        /// How many there will be.
        of: usize,
    },
}

/// A map, and the measures of its quality.
#[derive(Debug)]
pub struct BuiltMap {
    /// The contents of the map file.
    pub document: MapDocument,
    /// The measures of its quality.
    pub quality: Quality,
    /// Characters in texts that the typeface lacks.
    pub missing_characters: String,
}

/// Lays out a network, in several manners on all processors if `options.effort` asks for that. The result is
/// deterministic.
///
/// # Errors
/// When there is nothing to draw, or no layout satisfies every constraint.
pub fn build(
    network: &Network,
    options: Options,
    progress: &mut (dyn FnMut(Step) + Send),
) -> Result<BuiltMap, LayoutError> {
    if network.stations.is_empty() {
        return Err(LayoutError::Empty);
    }
    let graph = Graph::of(network);
    let planar = PlanarGraph::of(&graph);
    let effort = options.effort.clamp(1, MAX_EFFORT);
    let lay_out = |manner: &Manner, progress: &mut dyn FnMut(Step)| {
        lay_out(network, (&graph, &planar), Options { effort, ..options }, manner, progress)
    };
    let manners: Vec<Manner> = manners(effort).collect();
    if let [only] = &manners[..] {
        return lay_out(only, progress);
    }
    progress(Step::LaidOut { done: 0, of: effort });
    let layouts = side_by_side(
        &manners,
        |manner| lay_out(manner, &mut |_| ()),
        |done| {
            progress(Step::LaidOut { done, of: effort });
        },
    );
    best(layouts, |built| score(&built.quality)).unwrap_or(Err(LayoutError::Empty))
}

/// Lays out a network in one manner.
fn lay_out(
    network: &Network,
    (graph, planar): (&Graph, &PlanarGraph),
    options: Options,
    manner: &Manner,
    progress: &mut dyn FnMut(Step),
) -> Result<BuiltMap, LayoutError> {
    progress(Step::Relaxing);
    let points = relax(planar, manner.pulls_whole_edges);
    let topology = Topology::of(planar, &points, &graph.stopping, manner.cell);
    progress(Step::Routing);
    let mut layout = route_corridors(&topology)?;
    progress(Step::Optimising);
    optimise(&mut layout, 30);
    let face = Typeface::builtin();
    let measure = |label: &Label| {
        let size = kaisatsu_render::measure(face, label);
        (size.width, size.height)
    };
    let variants = LabelVariants::of(network, &topology.termini_and_interchanges(), options.language, &measure);
    let (labelled, far, nudges) = place_labels(network, &mut layout, &variants, manner, progress)?;
    // Labels are only taken at the size of the grid for which they were placed at last.
    let cell = labelled.cell;
    let contacts = find_contacts(&topology, &labelled.geometry).len();
    let walks = long_walks(&layout, &labelled.geometry).len();
    let mut label = |layout: &GridLayout<'_>| {
        let labelled = label_again(network, layout, &variants, (cell, far, &nudges))?;
        let is_no_worse = find_contacts(layout.topology, &labelled.geometry).len() <= contacts
            && long_walks(layout, &labelled.geometry).len() <= walks
            && verify::verify(graph, planar, layout).total() == 0;
        if is_no_worse { Ok(labelled) } else { Err(Vec::new()) }
    };
    let Labelled { geometry, placed, .. } = compact(&mut layout, labelled, &mut label, options.effort);
    let quality = quality::measure(network, graph, planar, &layout, &geometry, &placed);
    if quality.violations.total() > 0 || quality.overlaps > 0 {
        return Err(LayoutError::Inconsistent(quality.violations, quality.overlaps));
    }
    let stations = network.stations.iter().flat_map(|station| [&station.name, &station.translation]);
    let lines = network.lines.iter().flat_map(|line| [&line.name, &line.translation]);
    let head = [&network.name, &network.translation, &network.edition, &network.credits];
    let texts: Vec<&str> = stations.chain(lines).chain(head).map(String::as_str).collect();
    let document = document::assemble(network, options.language, canvas(&topology, &geometry, placed))?;
    let quality = Quality { label_share: label_share(&document), ..quality };
    Ok(BuiltMap { document, quality, missing_characters: face.missing(&texts.join(" ")) })
}

/// The share of a map that its labels cover.
#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn label_share(document: &MapDocument) -> f64 {
    let texts = document.stations.iter().flat_map(|station| station.marks.iter().filter(|mark| mark.is_text));
    let areas = texts.map(|mark| mark.shape.bounds()).map(|bounds| bounds.width as f64 * bounds.height as f64);
    areas.sum::<f64>() / (document.width as f64 * document.height as f64).max(1.0)
}

/// Routes every corridor, on a finer grid if necessary.
fn route_corridors(topology: &Topology) -> Result<GridLayout<'_>, LayoutError> {
    let mut left = None;
    let most = 2 * (ROUTING_EFFORT + EFFORT_PER_CORRIDOR * topology.corridors.len() as u64);
    let mut effort = 0;
    for steps in GRID_STEPS {
        // Half of what is left, so that a finer grid, which is often all that is needed, is tried too.
        let max_effort = effort + most.saturating_sub(effort) / 2;
        let Some((mut layout, mut missing)) = initial_layout(topology, steps, effort..max_effort) else { continue };
        for round in 0..8 {
            if missing.is_empty() && layout.faces.inverted(&layout.paths) == 0 {
                return Ok(layout);
            }
            if layout.router.effort >= max_effort {
                break;
            }
            if round % 2 == 0 {
                optimise(&mut layout, 2);
            } else {
                add_space_at(&mut layout, &missing);
            }
            missing = rip_up_and_reroute(&mut layout, missing, max_effort);
        }
        effort = layout.router.effort;
        left = Some((missing.len(), layout.faces.inverted(&layout.paths)));
    }
    Err(match left {
        Some((0, inverted)) => LayoutError::InvertedFaces(inverted),
        Some((missing, _)) => LayoutError::Unroutable(missing),
        None => {
            LayoutError::TooLarge("its parts are too far from each other for the distances of its stations".to_owned())
        }
    })
}

/// Expands the grid around both ends of corridors that could not be routed.
fn add_space_at(layout: &mut GridLayout<'_>, missing: &[usize]) {
    for &corridor in missing {
        for junction in layout.topology.corridors[corridor].junctions {
            for axis in [Axis::Columns, Axis::Rows] {
                let (at, footprint) = (layout.positions[junction], layout.footprints[junction]);
                let (low, high) = match axis {
                    Axis::Columns => (at.x - 1, at.x + footprint.width),
                    Axis::Rows => (at.y - 1, at.y + footprint.height),
                };
                expand(layout, axis, high, 2);
                expand(layout, axis, low, 2);
            }
        }
    }
}

/// Crops the map to everything that is drawn, with a margin.
fn canvas(topology: &Topology, geometry: &MapGeometry, placed: Vec<PlacedLabel>) -> Canvas {
    // The station where most corridors meet; in a tie, the first.
    let busiest =
        topology.junctions.iter().filter_map(|junction| Some((junction.ends.len(), junction.kind.station()?)));
    let centre = busiest.max_by_key(|(ends, station)| (*ends, Reverse(*station))).map_or(0, |(_, station)| station);
    let (low, high) = extent(geometry, &placed);
    #[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 32 bits")]
    let (left, top) = ((low.x - MARGIN).floor() as i32, (low.y - MARGIN).floor() as i32);
    let station = |(stop, placed): (&Stop, PlacedLabel)| DrawnStation {
        mark: translated(stop.mark, left, top),
        chamfering: stop.chamfering,
        label: placed.label,
        rect: Window { x: placed.rect.x - i64::from(left), y: placed.rect.y - i64::from(top), ..placed.rect },
    };
    let tenth = |value: f64, shift: i32| ((value - f64::from(shift)) * 10.0).round() / 10.0;
    let polyline = |polyline: &Vec<Point>| polyline.iter().map(|p| (tenth(p.x, left), tenth(p.y, top))).collect();
    #[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 64 bits")]
    let side = |low: i32, high: f64| (high + MARGIN).ceil() as i64 - i64::from(low);
    Canvas {
        width: side(left, high.x),
        height: side(top, high.y),
        stations: geometry.stops.iter().zip(placed).map(station).collect(),
        line_paths: geometry.line_paths.iter().map(|polylines| polylines.iter().map(polyline).collect()).collect(),
        connectors: geometry.connectors.iter().map(|connector| (connector.ends, polyline(&connector.path))).collect(),
        centre,
    }
}

fn translated(mark: Shape, left: i32, top: i32) -> Shape {
    match mark {
        Shape::Rect(rect) => Shape::Rect(Rect { x: rect.x - left, y: rect.y - top, ..rect }),
        Shape::Circle(circle) => Shape::Circle(Circle { x: circle.x - left, y: circle.y - top, ..circle }),
    }
}

/// The bounding box of labels, marks and lines.
#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn extent(geometry: &MapGeometry, placed: &[PlacedLabel]) -> (Point, Point) {
    let boxes = geometry.stops.iter().map(|stop| stop.mark.bounds()).chain(placed.iter().map(|placed| placed.rect));
    let corners =
        boxes.flat_map(|b| [(b.x, b.y), (b.right(), b.bottom())]).map(|(x, y)| Point::new(x as f64, y as f64));
    let points: Vec<Point> = corners.chain(geometry.line_paths.iter().flatten().flatten().copied()).collect();
    bounds(&points).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{StationCode, TransportKind};
    use kaisatsu_transit::{Line, Network, Station};

    use super::{EFFORT_PER_CORRIDOR, ROUTING_EFFORT, route_corridors};
    use crate::{force_layout::relax, graph::Graph, manners::manners, planar_graph::PlanarGraph, topology::Topology};

    /// A line between every two stations.
    fn complete(places: &[(f64, f64)]) -> Network {
        let code = |at: usize| StationCode::new(i64::try_from(at).unwrap() + 1).unwrap();
        let station = |(at, &(lat, lon)): (usize, &(f64, f64))| Station {
            code: code(at),
            name: format!("Station {at}"),
            yomi: String::new(),
            translation: String::new(),
            kind: TransportKind::Train,
            prefecture: None,
            lat,
            lon,
            formerly: Vec::new(),
            numbers: Vec::new(),
        };
        let pairs = (0..places.len()).flat_map(|a| (a + 1..places.len()).map(move |b| [a, b]));
        let line = |(at, pair): (usize, [usize; 2])| Line {
            code: i64::try_from(at).unwrap() + 1,
            name: format!("Line {at}"),
            translation: String::new(),
            color: "#204080".to_owned(),
            symbol: String::new(),
            operator: String::new(),
            runs: vec![pair.map(code).to_vec()],
            is_loop: false,
            direct: Vec::new(),
            along: Vec::new(),
        };
        Network {
            id: "test".to_owned(),
            stations: places.iter().enumerate().map(station).collect(),
            lines: pairs.enumerate().map(line).collect(),
            ..Network::default()
        }
    }

    #[test]
    fn a_dense_network_is_routed_with_a_limited_effort() {
        let places = [
            (35.054_376, 139.057_394),
            (35.001_311, 139.021_673),
            (35.027_948, 139.091_635),
            (35.076_573, 139.015_960),
            (35.079_715, 139.013_877),
            (35.061_745, 139.012_670),
            (35.000_177, 139.087_140),
            (35.020_946, 139.021_548),
        ];
        let network = complete(&places);
        let (graph, manner) = (Graph::of(&network), manners(1).next().unwrap());
        let planar = PlanarGraph::of(&graph);
        let topology = Topology::of(&planar, &relax(&planar, manner.pulls_whole_edges), &graph.stopping, manner.cell);
        let layout = route_corridors(&topology).unwrap();
        let most = 2 * (ROUTING_EFFORT + EFFORT_PER_CORRIDOR * topology.corridors.len() as u64);
        // It was 38 million.
        assert!(layout.router.effort < most && most < 10_000_000, "{} of {most}", layout.router.effort);
    }
}
