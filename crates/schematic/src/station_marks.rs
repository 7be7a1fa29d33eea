//! The marks of stations. A mark covers the lines that stop there, and as far as possible none that pass.

use kaisatsu_model::{Circle, Rect, Shape};

use crate::{
    dimensions::{INTERCHANGE_RADIUS, STATION_RADIUS, bundle_width, line_pitch},
    geometry::{Point, bounds},
    grid_layout::GridLayout,
    map_geometry::Stop,
    routing_grid::GridNode,
    topology::Topology,
};

/// The smallest radius of a mark beyond the lines that it covers, in map units.
const MIN_RIM: f64 = 2.5;

/// The mark of a station between two junctions: its corridor and index there, its position, and the direction of its
/// corridor.
pub(crate) fn intermediate_stop(
    topology: &Topology,
    on_corridor: (usize, usize),
    position: Point,
    along: Point,
) -> Stop {
    let station = topology.corridors[on_corridor.0].intermediate[on_corridor.1];
    let order = &topology.orders[on_corridor.0];
    let lines = order.len();
    let half = bundle_width(lines) / 2.0;
    let whole = across(position, along, [-half - STATION_RADIUS, half + STATION_RADIUS], lines);
    let stops = |rank: &usize| topology.stops(order[*rank], station);
    let (mark, chamfering) = match (0..lines).find(stops).zip((0..lines).rfind(stops)) {
        Some((low, high)) if high - low + 1 < lines => {
            let pitch = line_pitch(lines);
            #[expect(clippy::cast_precision_loss, reason = "bundles are small")]
            let offset = |rank: usize| rank as f64 * pitch - half;
            let left = offset(low) - if low == 0 { STATION_RADIUS } else { pitch / 2.0 };
            let right = offset(high) + if high + 1 == lines { STATION_RADIUS } else { pitch / 2.0 };
            across(position, along, [left, right], high - low + 1)
        }
        _ => whole,
    };
    Stop { mark, chamfering, extent: whole.0.bounds(), on_corridor: Some(on_corridor) }
}

/// A mark from one distance to the right of a corridor's centre to another, and whether its corners are chamfered.
fn across(position: Point, along: Point, [left, right]: [f64; 2], lines: usize) -> (Shape, bool) {
    let normal = Point::new(-along.y, along.x);
    let (centre, half) = (position.plus(normal.times(f64::midpoint(left, right))), (right - left) / 2.0);
    let diagonal = along.x.abs() > 0.1 && along.y.abs() > 0.1;
    if lines < 2 || diagonal {
        return (circle(centre, half), false);
    }
    let (half_width, half_height) =
        if along.x.abs() > along.y.abs() { (STATION_RADIUS, half) } else { (half, STATION_RADIUS) };
    (rect(centre, centre, half_width, half_height), true)
}

/// The mark of a station at a junction.
pub(crate) fn junction_stop(layout: &GridLayout<'_>, junction: usize, station: usize, cell: f64, shift: Point) -> Stop {
    let (at, footprint) = (layout.positions[junction], layout.footprints[junction]);
    let point = |x: i32, y: i32| Point::new(f64::from(x) * cell, f64::from(y) * cell).minus(shift);
    let (low, high) = (point(at.x, at.y), point(at.x + footprint.width - 1, at.y + footprint.height - 1));
    let corridors = layout.ends_at(junction).filter(|end| !layout.topology.corridors[end.corridor].lines.is_empty());
    let (count, widest) = corridors.fold((0, 0.0_f64), |(count, widest), end| {
        (count + 1, widest.max(bundle_width(layout.topology.corridors[end.corridor].lines.len())))
    });
    let is_grouped = layout.ends_at(junction).any(|end| layout.topology.corridors[end.corridor].walk.is_some());
    let rim = if count > 2 || is_grouped { INTERCHANGE_RADIUS } else { STATION_RADIUS };
    let radius = rim + widest / 2.0;
    if footprint.width + footprint.height > 2 {
        let mark = rect(low, high, radius, radius);
        return Stop { mark, chamfering: true, extent: mark.bounds(), on_corridor: None };
    }
    let whole = circle(low, radius);
    let (stopping, passing) = lines_through(layout, junction, station, |node| point(node.x, node.y));
    let mark = mark_beside(&stopping, &passing, rim).unwrap_or(whole);
    Stop { mark, chamfering: false, extent: whole.bounds(), on_corridor: None }
}

/// Where the lines that stop at a junction enter it, and those that pass.
fn lines_through(
    layout: &GridLayout<'_>,
    junction: usize,
    station: usize,
    point: impl Fn(GridNode) -> Point,
) -> (Vec<Point>, Vec<Point>) {
    let topology = layout.topology;
    let (mut stopping, mut passing) = (Vec::new(), Vec::new());
    for end in layout.ends_at(junction) {
        let Some(path) = layout.paths[end.corridor].as_deref().filter(|path| path.len() > 1) else { continue };
        let [here, next] = if end.first { [path[0], path[1]] } else { [path[path.len() - 1], path[path.len() - 2]] };
        let out = point(next).minus(point(here));
        let along = out.times(if end.first { 1.0 } else { -1.0 } / out.length().max(1e-9));
        let order = &topology.orders[end.corridor];
        for (rank, &line) in order.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "bundles are small")]
            let off = rank as f64 * line_pitch(order.len()) - bundle_width(order.len()) / 2.0;
            let at = point(here).plus(Point::new(-along.y, along.x).times(off));
            if topology.stops(line, station) { &mut stopping } else { &mut passing }.push(at);
        }
    }
    (stopping, passing)
}

/// A circle around the lines that stop; `None` if no line passes, or if it would cover one that does.
fn mark_beside(stopping: &[Point], passing: &[Point], rim: f64) -> Option<Shape> {
    let (low, high) = bounds(stopping)?;
    let centre = low.toward(high, 0.5);
    let reach = stopping.iter().map(|point| point.distance(centre)).fold(0.0, f64::max);
    let nearest = passing.iter().map(|point| point.distance(centre)).reduce(f64::min)?;
    let free = (nearest - reach) / 2.0;
    (free >= MIN_RIM).then(|| circle(centre, reach + rim.min(free)))
}

#[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 32 bits")]
pub(crate) fn rounded(value: f64) -> i32 {
    value.round() as i32
}

pub(crate) fn circle(at: Point, radius: f64) -> Shape {
    Shape::Circle(Circle { x: rounded(at.x), y: rounded(at.y), r: rounded(radius) })
}

fn rect(low: Point, high: Point, half_width: f64, half_height: f64) -> Shape {
    let (left, top) = (rounded(low.x - half_width), rounded(low.y - half_height));
    let (right, bottom) = (rounded(high.x + half_width), rounded(high.y + half_height));
    Shape::Rect(Rect { x: left, y: top, width: right - left, height: bottom - top })
}
