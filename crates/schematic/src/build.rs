//! The way from a network to a map, step by step.

use std::cmp::Reverse;

use kaisatsu_model::{Circle, Rect, Shape, Window};
use kaisatsu_railmap::{Label, Sheet};
use kaisatsu_render::Typeface;
use kaisatsu_transit::Network;

use crate::{
    draft::Draft,
    geometry::Point,
    graph::Graph,
    improve::{improve, improve_around},
    labels::{self, Measure, Written},
    place::{place, push_in},
    plane::{Plane, Role, bounds},
    quality::{self, Quality},
    relax::relax,
    scene::{Scene, Stop},
    sheet::{self, Canvas},
    skeleton::Skeleton,
    stretch::{Axis, stretch},
    touch::{Touch, touches},
    verify::Violations,
};

/// Map units for one step of the grid.
const CELL: f64 = 16.0;
/// Room around the drawing while names look for places; what is not needed is cut off in the end.
const EDGE: f64 = 240.0;
/// Free room around the finished map.
const MARGIN: f64 = 40.0;
/// Steps of the grid for one station distance: the first that gives every link a way is taken.
const STEPS: [f64; 5] = [4.0, 4.8, 5.8, 7.0, 9.0];
/// How often the drawing is stretched for the sake of names.
const STRETCHES: usize = 60;

/// After so many of them a name may also stand farther away from its mark.
const PATIENCE: usize = 10;

/// After so many the whole map grows instead, step by step, while the letters keep their size: that gives every name a place in the end.
const GROWING: usize = 24;
/// How many of them are also for the sake of wide bundles that touch; after that a touch is let be.
const TIDYING: usize = 20;
/// The most that a link may mind company. Three neighbours at a node must still cost less than a step of missing room, or else links
/// would rather be too short.
const MOST_ROOM: f32 = 1.9;

/// What can be chosen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether the names in the second language are written too.
    pub second_language: bool,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The network is evened out.
    Relaxing,
    /// The links look for their ways.
    Placing,
    /// Joints look for better places.
    Improving,
    /// Names are written; so many found no place yet.
    Writing {
        /// How many found no place.
        missing: usize,
    },
}

/// What helps where there is no room. The rules are the same for every network.
const REMEDY: &str = "Draw a smaller area or fewer lines";

/// Why there is no map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unbuildable {
    /// There is nothing to draw.
    #[error("the network has no station")]
    Empty,
    /// The id is not good for a map.
    #[error("{0}")]
    Id(String),
    /// A station is nowhere on the earth.
    #[error("station {0} is no place on the earth")]
    Nowhere(String),
    /// Some links found no way even on the finest grid.
    #[error("no drawing without crossings was found: {0} stretches between stations have no way. {REMEDY}")]
    NoWay(usize),
    /// Every link found a way, but some parts of the map lie on the wrong side of their lines.
    #[error("no drawing was found that keeps what lies on which side of a line: {0} stretches are turned. {REMEDY}")]
    Turned(usize),
    /// The finished drawing was not the network any more, or names overlapped: a fault of ours.
    #[error("the drawing is not right, which is a fault of the layout: {0:?}, {1} overlaps of names")]
    Wrong(Violations, usize),
    /// The network is too large for a grid, or for a map.
    #[error("the network is too large to be drawn: {0}")]
    TooLarge(String),
    /// Some names found no place, however far the drawing was stretched.
    #[error("no place was found for the names of these stations: {0}. {REMEDY}, or build without --second-language")]
    NoPlace(String),
}

/// A drawn station.
#[derive(Debug, Clone)]
pub(crate) struct DrawnStation {
    pub(crate) mark: Shape,
    pub(crate) chamfering: bool,
    pub(crate) label: Label,
    pub(crate) rect: Window,
}

/// A map, and how good it is.
#[derive(Debug)]
pub struct Built {
    /// What to write into the map file.
    pub sheet: Sheet,
    /// The figures.
    pub quality: Quality,
    /// Characters of names that the typeface cannot draw.
    pub missing_characters: String,
}

/// Lays a network out. There is no chance in it: the same network gives the same map.
///
/// # Errors
/// When there is nothing to draw, or no drawing was found that keeps every rule.
pub fn build(network: &Network, options: Options, progress: &mut dyn FnMut(Step)) -> Result<Built, Unbuildable> {
    if network.stations.is_empty() {
        return Err(Unbuildable::Empty);
    }
    let graph = Graph::of(network);
    let plane = Plane::of(&graph);
    progress(Step::Relaxing);
    let points = relax(&plane);
    let skeleton = Skeleton::of(&plane, &points);
    progress(Step::Placing);
    let mut draft = placed(&skeleton)?;
    progress(Step::Improving);
    improve(&mut draft, 30);
    let face = Typeface::builtin();
    let measure = |label: &Label| {
        let placed = kaisatsu_render::measure(face, label);
        (placed.width, placed.height)
    };
    let (scene, written) = write(network, &mut draft, options, &measure, progress)?;
    let quality = quality::judge(network, &graph, &plane, &draft, &scene, &written);
    if quality.violations.total() > 0 || quality.overlaps > 0 {
        return Err(Unbuildable::Wrong(quality.violations, quality.overlaps));
    }
    let stations = network.stations.iter().flat_map(|station| [&station.name, &station.translation]);
    let lines = network.lines.iter().flat_map(|line| [&line.name, &line.translation]);
    let head = [&network.name, &network.edition, &network.credits];
    let texts: Vec<&str> = stations.chain(lines).chain(head).map(String::as_str).collect();
    let sheet = sheet::sheet(network, canvas(&skeleton, &scene, written))?;
    Ok(Built { sheet, quality, missing_characters: face.missing(&texts.join(" ")) })
}

/// A drawing in which every link has its way.
fn placed(skeleton: &Skeleton) -> Result<Draft<'_>, Unbuildable> {
    let mut left = None;
    for steps in STEPS {
        let Some((mut draft, mut missing)) = place(skeleton, steps) else { continue };
        for round in 0..8 {
            if missing.is_empty() && draft.faces.turned(&draft.paths) == 0 {
                return Ok(draft);
            }
            if round % 2 == 0 {
                improve(&mut draft, 2);
            } else {
                make_way(&mut draft, &missing);
            }
            missing = push_in(&mut draft, missing);
        }
        left = Some((missing.len(), draft.faces.turned(&draft.paths)));
    }
    Err(match left {
        Some((0, turned)) => Unbuildable::Turned(turned),
        Some((missing, _)) => Unbuildable::NoWay(missing),
        None => {
            Unbuildable::TooLarge("its parts are too far from each other for the distances of its stations".to_owned())
        }
    })
}

/// Adds room around both ends of links that found no way.
fn make_way(draft: &mut Draft<'_>, missing: &[usize]) {
    for &link in missing {
        for joint in draft.skeleton.links[link].joints {
            for axis in [Axis::Columns, Axis::Rows] {
                let (at, body) = (draft.at[joint], draft.bodies[joint]);
                let (low, high) = match axis {
                    Axis::Columns => (at.x - 1, at.x + body.width),
                    Axis::Rows => (at.y - 1, at.y + body.height),
                };
                stretch(draft, axis, high, 2);
                stretch(draft, axis, low, 2);
            }
        }
    }
}

/// Writes the names, and stretches the drawing where one finds no place, until all have one.
fn write(
    network: &Network,
    draft: &mut Draft<'_>,
    options: Options,
    measure: &Measure<'_>,
    progress: &mut dyn FnMut(Step),
) -> Result<(Scene, Vec<Written>), Unbuildable> {
    // From here on the shape is good: what moves should have a reason.
    draft.stay = 1.5;
    draft.settle_here();
    let mut troubled = Vec::new();
    let mut nudges = vec![0.0; network.stations.len()];
    for round in 0..STRETCHES {
        let low = draft.corner();
        #[expect(clippy::cast_precision_loss, reason = "rounds are few")]
        let cell = CELL + 2.0 * round.saturating_sub(GROWING) as f64;
        let shift = Point::new(f64::from(low.x) * cell - EDGE, f64::from(low.y) * cell - EDGE);
        let scene = Scene::of(draft, &nudges, network.lines.len(), cell, shift);
        let written = labels::write(network, &scene, options.second_language, round > PATIENCE, measure);
        let crowded = scene.crowded();
        // Marks touch when a link is too short for its stations; joints always keep apart.
        for (link, _) in crowded.iter().filter_map(|&station| scene.stops[station].on) {
            draft.wants[link] += 0.3;
        }
        troubled = crowded;
        troubled.extend((0..written.len()).filter(|&at| written[at].is_none()));
        troubled.sort_unstable();
        troubled.dedup();
        let touches = touches(draft.skeleton, &scene);
        progress(Step::Writing { missing: troubled.len() + touches.len() });
        if troubled.is_empty() && (touches.is_empty() || round >= TIDYING) {
            return Ok((scene, written.into_iter().flatten().collect()));
        }
        let sides = (cell, shift);
        let moved =
            labels::nudge(network, &scene, draft, &troubled, sides, measure, options.second_language, &mut nudges);
        if (!moved || round > 2) && round < GROWING {
            let stations = troubled
                .iter()
                .map(|&station| Touch { at: scene.stops[station].middle(), links: links_at(draft, &scene, station) });
            let spots: Vec<Touch> = stations.chain(touches).collect();
            give_room(draft, &spots, shift, round);
        }
    }
    let names: Vec<&str> = troubled.iter().take(10).map(|&at| network.stations[at].name.as_str()).collect();
    Err(Unbuildable::NoPlace(names.join(", ")))
}

/// Stretches the drawing at some spots, by rows and by columns in turn, and lets the links there mind company more.
fn give_room(draft: &mut Draft<'_>, spots: &[Touch], shift: Point, round: usize) {
    let axis = if round.is_multiple_of(2) { Axis::Rows } else { Axis::Columns };
    let mut cuts = Vec::new();
    let mut links: Vec<usize> = Vec::new();
    for spot in spots {
        let at = spot.at.plus(shift).times(1.0 / CELL);
        #[expect(clippy::cast_possible_truncation, reason = "the grid is small")]
        cuts.push(if axis == Axis::Rows { at.y.floor() as i32 } else { at.x.floor() as i32 });
        links.extend(&spot.links);
    }
    links.sort_unstable();
    links.dedup();
    for &link in &links {
        draft.room[link] = (draft.room[link] * 1.6).min(MOST_ROOM);
    }
    cuts.sort_unstable();
    cuts.dedup_by(|later, earlier| *later - *earlier < 3);
    // From the far end, so that the earlier cuts stay where they were.
    links.extend(cuts.into_iter().rev().flat_map(|cut| stretch(draft, axis, cut, 2)));
    links.sort_unstable();
    links.dedup();
    improve_around(draft, &links, 6);
    draft.settle_here();
}

fn links_at(draft: &Draft<'_>, scene: &Scene, station: usize) -> Vec<usize> {
    if let Some((link, _)) = scene.stops[station].on {
        return vec![link];
    }
    let joint = draft.skeleton.joints.iter().position(|joint| joint.role == Role::Station(station));
    joint.map(|joint| draft.links_of(joint).map(|end| end.link).collect()).unwrap_or_default()
}

/// Cuts the drawing out, with a margin around everything that is drawn.
fn canvas(skeleton: &Skeleton, scene: &Scene, written: Vec<Written>) -> Canvas {
    // The station where most links meet; of equals the first.
    let busiest = skeleton.joints.iter().filter_map(|joint| Some((joint.ends.len(), station_of(joint.role)?)));
    let centre = busiest.max_by_key(|(ends, station)| (*ends, Reverse(*station))).map_or(0, |(_, station)| station);
    let (low, high) = extent(scene, &written);
    #[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 32 bits")]
    let (left, top) = ((low.x - MARGIN).floor() as i32, (low.y - MARGIN).floor() as i32);
    let station = |(stop, written): (&Stop, Written)| DrawnStation {
        mark: moved(stop.mark, left, top),
        chamfering: stop.chamfering,
        label: written.label,
        rect: Window { x: written.rect.x - i64::from(left), y: written.rect.y - i64::from(top), ..written.rect },
    };
    let tenth = |value: f64, shift: i32| ((value - f64::from(shift)) * 10.0).round() / 10.0;
    let way = |way: &Vec<Point>| way.iter().map(|p| (tenth(p.x, left), tenth(p.y, top))).collect();
    #[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 64 bits")]
    let side = |low: i32, high: f64| (high + MARGIN).ceil() as i64 - i64::from(low);
    Canvas {
        width: side(left, high.x),
        height: side(top, high.y),
        stations: scene.stops.iter().zip(written).map(station).collect(),
        strokes: scene.strokes.iter().map(|ways| ways.iter().map(way).collect()).collect(),
        centre,
    }
}

fn moved(mark: Shape, left: i32, top: i32) -> Shape {
    match mark {
        Shape::Rect(rect) => Shape::Rect(Rect { x: rect.x - left, y: rect.y - top, ..rect }),
        Shape::Circle(circle) => Shape::Circle(Circle { x: circle.x - left, y: circle.y - top, ..circle }),
    }
}

/// The corners of the box around names, marks and strokes.
#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn extent(scene: &Scene, written: &[Written]) -> (Point, Point) {
    let boxes = scene.stops.iter().map(|stop| stop.mark.bounds()).chain(written.iter().map(|written| written.rect));
    let corners =
        boxes.flat_map(|b| [(b.x, b.y), (b.right(), b.bottom())]).map(|(x, y)| Point::new(x as f64, y as f64));
    let points: Vec<Point> = corners.chain(scene.strokes.iter().flatten().flatten().copied()).collect();
    bounds(&points).unwrap_or_default()
}

fn station_of(role: Role) -> Option<usize> {
    match role {
        Role::Station(station) => Some(station),
        Role::Crossing => None,
    }
}
