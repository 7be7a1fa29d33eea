//! Runs the steps from a network to a map document.

use std::cmp::Reverse;

use kaisatsu_model::{Circle, MapLanguage, Rect, Shape, Window};
use kaisatsu_railmap::{Label, MapDocument};
use kaisatsu_render::Typeface;
use kaisatsu_transit::Network;

use crate::{
    compaction::{Labelled, compact},
    contacts::{Contact, find_contacts},
    dimensions::GRID_UNIT,
    document::{self, Canvas, DrawnStation},
    error::LayoutError,
    expand::{Axis, expand},
    force_layout::relax,
    geometry::{Point, bounds},
    graph::Graph,
    grid_layout::GridLayout,
    initial_layout::{initial_layout, rip_up_and_reroute},
    labels::{self, LabelVariants, PlacedLabel},
    local_search::{optimise, optimise_around},
    map_geometry::{MapGeometry, Stop},
    planar_graph::{PlanarGraph, VertexKind},
    quality::{self, Quality},
    topology::Topology,
    verify,
};

/// Margin around the layout while labels are placed; the unused part is cropped at the end.
const LABEL_MARGIN: f64 = 240.0;
/// Margin around the finished map.
const MARGIN: f64 = 40.0;
/// Grid steps per station distance. The first value with which every corridor can be routed is used.
const GRID_STEPS: [f64; 5] = [4.0, 4.8, 5.8, 7.0, 9.0];
/// The most rounds of label placement.
const MAX_LABEL_ROUNDS: usize = 60;

/// After this many rounds, labels may also be placed farther from their marks.
const NEAR_LABEL_ROUNDS: usize = 10;

/// After this many rounds, the grid unit grows instead of the grid, while labels keep their size. In the end every
/// label fits.
const EXPANSION_ROUNDS: usize = 24;
/// In this many rounds, contacts between wide bundles also cause an expansion. Later ones are accepted. Walks that are
/// too long are not until the last expansion, because groups would be drawn apart.
const CONTACT_ROUNDS: usize = 20;
/// The largest crowding cost of a corridor. Three neighbours at a node must cost less than one missing step of length;
/// otherwise corridors would become too short.
const MAX_CROWDING_COST: f32 = 1.9;

/// The largest cost of each step of a walk.
const MAX_WALK_COST: f32 = 200.0;

/// Options of the layout.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The language of the labels, which decides how much space they need.
    pub language: MapLanguage,
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

/// Lays out a network. The result is deterministic.
///
/// # Errors
/// When there is nothing to draw, or no layout satisfies every constraint.
pub fn build(network: &Network, options: Options, progress: &mut dyn FnMut(Step)) -> Result<BuiltMap, LayoutError> {
    if network.stations.is_empty() {
        return Err(LayoutError::Empty);
    }
    let graph = Graph::of(network);
    let planar = PlanarGraph::of(&graph);
    progress(Step::Relaxing);
    let points = relax(&planar);
    let topology = Topology::of(&planar, &points, &graph.stopping);
    progress(Step::Routing);
    let mut layout = route_corridors(&topology)?;
    progress(Step::Optimising);
    optimise(&mut layout, 30);
    let face = Typeface::builtin();
    let measure = |label: &Label| {
        let size = kaisatsu_render::measure(face, label);
        (size.width, size.height)
    };
    let variants = LabelVariants::of(network, options.language, &measure);
    let (labelled, far, nudges) = place_labels(network, &mut layout, &variants, progress)?;
    // Labels are only taken at the size of the grid for which they were placed at last.
    let cell = labelled.cell;
    let contacts = find_contacts(&topology, &labelled.geometry).len();
    let walks = long_walks(&layout, &labelled.geometry).len();
    let mut label = |layout: &GridLayout<'_>| {
        let labelled = label_again(network, layout, &variants, (cell, far, &nudges))?;
        let is_no_worse = find_contacts(layout.topology, &labelled.geometry).len() <= contacts
            && long_walks(layout, &labelled.geometry).len() <= walks
            && verify::verify(&graph, &planar, layout).total() == 0;
        is_no_worse.then_some(labelled)
    };
    let Labelled { geometry, placed, .. } = compact(&mut layout, labelled, &mut label);
    let quality = quality::measure(network, &graph, &planar, &layout, &geometry, &placed);
    if quality.violations.total() > 0 || quality.overlaps > 0 {
        return Err(LayoutError::Inconsistent(quality.violations, quality.overlaps));
    }
    let stations = network.stations.iter().flat_map(|station| [&station.name, &station.translation]);
    let lines = network.lines.iter().flat_map(|line| [&line.name, &line.translation]);
    let head = [&network.name, &network.edition, &network.credits];
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
    for steps in GRID_STEPS {
        let Some((mut layout, mut missing)) = initial_layout(topology, steps) else { continue };
        for round in 0..8 {
            if missing.is_empty() && layout.faces.inverted(&layout.paths) == 0 {
                return Ok(layout);
            }
            if round % 2 == 0 {
                optimise(&mut layout, 2);
            } else {
                add_space_at(&mut layout, &missing);
            }
            missing = rip_up_and_reroute(&mut layout, missing);
        }
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

/// Places the labels, and expands the grid where one does not fit, until all are placed.
fn place_labels(
    network: &Network,
    layout: &mut GridLayout<'_>,
    variants: &LabelVariants,
    progress: &mut dyn FnMut(Step),
) -> Result<(Labelled, bool, Vec<f64>), LayoutError> {
    // The shape is final from here on. The displacement weight keeps it.
    layout.displacement_weight = 1.5;
    layout.reset_targets();
    let mut unplaced = Vec::new();
    let mut nudges = vec![0.0; network.stations.len()];
    let desired = layout.desired_lengths.clone();
    for round in 0..MAX_LABEL_ROUNDS {
        let low = layout.min_corner();
        #[expect(clippy::cast_precision_loss, reason = "rounds are few")]
        let cell = GRID_UNIT + 2.0 * round.saturating_sub(EXPANSION_ROUNDS) as f64;
        let shift = Point::new(f64::from(low.x) * cell - LABEL_MARGIN, f64::from(low.y) * cell - LABEL_MARGIN);
        let geometry = MapGeometry::of(layout, &nudges, network.lines.len(), cell, shift);
        let placed = labels::place_labels(&geometry, variants, round > NEAR_LABEL_ROUNDS);
        let overlapping_marks = geometry.overlapping_marks();
        // Marks overlap when a corridor is too short for its stations. Junctions never overlap.
        for (corridor, _) in overlapping_marks.iter().filter_map(|&station| geometry.stops[station].on_corridor) {
            layout.desired_lengths[corridor] += 0.3;
        }
        // A name that has found no place for long needs its neighbours farther away, whose names it would seem to be.
        if (NEAR_LABEL_ROUNDS..EXPANSION_ROUNDS).contains(&round) {
            for station in (0..placed.len()).filter(|&at| placed[at].is_none()) {
                for corridor in corridors_at(layout, &geometry, station) {
                    layout.desired_lengths[corridor] += 0.3;
                }
            }
        }
        unplaced = overlapping_marks;
        unplaced.extend((0..placed.len()).filter(|&at| placed[at].is_none()));
        unplaced.sort_unstable();
        unplaced.dedup();
        let contacts = find_contacts(layout.topology, &geometry);
        let long = long_walks(layout, &geometry);
        progress(Step::Labelling { missing: unplaced.len() + contacts.len() + long.len() });
        let is_settled =
            (contacts.is_empty() || round >= CONTACT_ROUNDS) && (long.is_empty() || round >= EXPANSION_ROUNDS);
        if unplaced.is_empty() && is_settled {
            let placed = placed.into_iter().flatten().collect();
            return Ok((Labelled { geometry, placed, cell, shift }, round > NEAR_LABEL_ROUNDS, nudges));
        }
        let sides = (cell, shift);
        let nudged = labels::nudge(&geometry, variants, layout, &unplaced, sides, &mut nudges);
        if (!nudged || round > 2) && round < EXPANSION_ROUNDS {
            let stations = unplaced.iter().map(|&station| Contact {
                at: geometry.stops[station].middle(),
                corridors: corridors_at(layout, &geometry, station),
            });
            let spots: Vec<Contact> = stations.chain(contacts).collect();
            add_space(layout, &spots, shift, round);
        }
        // Space for names must not keep the stations of a group apart.
        for &walk in &long {
            layout.desired_lengths[walk] = desired[walk];
        }
        shorten(layout, &long);
    }
    let names: Vec<&str> = unplaced.iter().take(10).map(|&at| network.stations[at].name.as_str()).collect();
    Err(LayoutError::UnplacedLabels(names.join(", ")))
}

/// Places the labels on a layout whose size is final; `None` if one does not fit.
fn label_again(
    network: &Network,
    layout: &GridLayout<'_>,
    variants: &LabelVariants,
    (cell, far, nudges): (f64, bool, &[f64]),
) -> Option<Labelled> {
    let low = layout.min_corner();
    let shift = Point::new(f64::from(low.x) * cell - LABEL_MARGIN, f64::from(low.y) * cell - LABEL_MARGIN);
    let geometry = MapGeometry::of(layout, nudges, network.lines.len(), cell, shift);
    if !geometry.overlapping_marks().is_empty() {
        return None;
    }
    let placed = labels::place_labels(&geometry, variants, far);
    let placed: Option<Vec<PlacedLabel>> = placed.into_iter().collect();
    Some(Labelled { geometry, placed: placed?, cell, shift })
}

/// The corridors of the walks that are too long.
fn long_walks(layout: &GridLayout<'_>, geometry: &MapGeometry) -> Vec<usize> {
    let long: Vec<usize> = geometry.long_connectors().map(|connector| connector.walk).collect();
    let is_long = |at: &usize| layout.topology.corridors[*at].walk.is_some_and(|walk| long.contains(&walk));
    (0..layout.topology.corridors.len()).filter(is_long).collect()
}

/// Makes long walks more expensive, and lets their stations move towards each other.
fn shorten(layout: &mut GridLayout<'_>, walks: &[usize]) {
    for &corridor in walks {
        layout.walk_costs[corridor] = (layout.walk_costs[corridor] * 1.6).min(MAX_WALK_COST);
    }
    if !walks.is_empty() {
        optimise_around(layout, walks, 6);
        layout.reset_targets();
    }
}

/// Expands the grid at some points, by rows and columns alternately, and raises the crowding cost of the corridors
/// there.
fn add_space(layout: &mut GridLayout<'_>, spots: &[Contact], shift: Point, round: usize) {
    let axis = if round.is_multiple_of(2) { Axis::Rows } else { Axis::Columns };
    let mut cuts = Vec::new();
    let mut corridors: Vec<usize> = Vec::new();
    for spot in spots {
        let at = spot.at.plus(shift).times(1.0 / GRID_UNIT);
        #[expect(clippy::cast_possible_truncation, reason = "the grid is small")]
        let cut = if axis == Axis::Rows { at.y.floor() as i32 } else { at.x.floor() as i32 };
        // After it in some rounds and before it in others: what is too near may be on either side.
        cuts.push(cut - i32::from(round % 4 > 1));
        corridors.extend(&spot.corridors);
    }
    corridors.sort_unstable();
    corridors.dedup();
    for &corridor in &corridors {
        layout.crowding_costs[corridor] = (layout.crowding_costs[corridor] * 1.6).min(MAX_CROWDING_COST);
    }
    cuts.sort_unstable();
    cuts.dedup_by(|later, earlier| *later - *earlier < 3);
    // Last cut first, so that the positions of earlier cuts stay valid.
    corridors.extend(cuts.into_iter().rev().flat_map(|cut| expand(layout, axis, cut, 2)));
    corridors.sort_unstable();
    corridors.dedup();
    optimise_around(layout, &corridors, 6);
    layout.reset_targets();
}

fn corridors_at(layout: &GridLayout<'_>, geometry: &MapGeometry, station: usize) -> Vec<usize> {
    if let Some((corridor, _)) = geometry.stops[station].on_corridor {
        return vec![corridor];
    }
    let junction = layout.topology.junctions.iter().position(|junction| junction.kind == VertexKind::Station(station));
    junction.map(|junction| layout.ends_at(junction).map(|end| end.corridor).collect()).unwrap_or_default()
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
