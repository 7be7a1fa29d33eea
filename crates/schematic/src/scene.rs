//! The drawing in map units: where every station's mark is, and the strokes of the lines.

use kaisatsu_model::{Circle, Rect, Shape};
use kaisatsu_render::LINE_WIDTH;

use crate::{
    bundle,
    draft::Draft,
    geometry::Point,
    plane::Role,
    skeleton::Skeleton,
    strokes::{self, spread},
};

/// Radius of a plain station's mark, and of an interchange's.
const PLAIN: f64 = 5.0;
const INTERCHANGE: f64 = 7.0;
/// Half of a line's stroke.
pub(crate) const HALF_STROKE: f64 = LINE_WIDTH / 2.0;

/// A station on the map.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    pub(crate) mark: Shape,
    pub(crate) chamfering: bool,
    /// The link on which it lies, and its place there: neighbours there like their names on the same side.
    pub(crate) on: Option<(usize, usize)>,
}

impl Stop {
    /// The middle of its mark.
    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    pub(crate) fn middle(&self) -> Point {
        let bounds = self.mark.bounds();
        Point::new(bounds.x as f64 + bounds.width as f64 / 2.0, bounds.y as f64 + bounds.height as f64 / 2.0)
    }
}

/// Everything but the labels.
#[derive(Debug)]
pub(crate) struct Scene {
    /// By station.
    pub(crate) stops: Vec<Stop>,
    /// By line.
    pub(crate) strokes: Vec<Vec<Vec<Point>>>,
    /// The middle of each link.
    pub(crate) middles: Vec<Vec<Point>>,
    /// How often lines cross within bundles.
    pub(crate) bundle_crossings: usize,
}

impl Scene {
    /// Draws a draft with `cell` map units a step, its upper left corner at `shift`. Stations between joints are put evenly on
    /// their link, or moved from there by a part of their distance: `nudges`, by station.
    pub(crate) fn of(draft: &Draft<'_>, nudges: &[f64], lines: usize, cell: f64, shift: Point) -> Self {
        let skeleton = draft.skeleton;
        let orders = bundle::order_lines(skeleton);
        let middles = strokes::middles(draft, cell, shift);
        let blank = Stop { mark: circle(Point::default(), PLAIN), chamfering: false, on: None };
        let mut stops = vec![blank; nudges.len()];
        for (at, joint) in skeleton.joints.iter().enumerate() {
            if let Role::Station(station) = joint.role {
                stops[station] = joint_stop(draft, at, cell, shift);
            }
        }
        for (at, link) in skeleton.links.iter().enumerate() {
            for (order, &station) in link.inner.iter().enumerate() {
                stops[station] = stop_on(skeleton, at, order, nudges[station], &middles[at]);
            }
        }
        let bundle_crossings = (0..skeleton.links.len())
            .flat_map(|link| [true, false].map(|first| crate::skeleton::End { link, first }))
            .map(|end| bundle::crossings_at_end(skeleton, &orders, end))
            .sum::<usize>();
        let strokes = strokes::strokes(skeleton, &middles, &orders, lines);
        Self { stops, strokes, middles, bundle_crossings }
    }
}

/// A station on a link, its place moved by `nudge` station distances.
pub(crate) fn stop_on(skeleton: &Skeleton, at: usize, order: usize, nudge: f64, middle: &[Point]) -> Stop {
    let link = &skeleton.links[at];
    let ends = link.joints.map(|joint| if skeleton.joints[joint].role == Role::Crossing { 0.6 } else { 1.0 });
    #[expect(clippy::cast_precision_loss, reason = "stations of a link are few")]
    let part = (ends[0] + order as f64 + nudge) / (ends[0] + ends[1] + (link.inner.len() - 1) as f64);
    let (place, along) = at_part(middle, part);
    inner_stop(place, along, link.lines.len(), (at, order))
}

impl Scene {
    /// Stations whose marks lie on each other.
    pub(crate) fn crowded(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.stops.len()).collect();
        let bounds = |at: usize| self.stops[at].mark.bounds();
        order.sort_by_key(|&at| (bounds(at).x, at));
        let mut crowded = Vec::new();
        for (at, &one) in order.iter().enumerate() {
            let here = bounds(one);
            for &two in &order[at + 1..] {
                let there = bounds(two);
                if there.x > here.right() {
                    break;
                }
                if self.stops[one].mark.overlaps(&self.stops[two].mark) {
                    crowded.extend([one, two]);
                }
            }
        }
        crowded
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 32 bits")]
fn whole(value: f64) -> i32 {
    value.round() as i32
}

fn circle(at: Point, radius: f64) -> Shape {
    Shape::Circle(Circle { x: whole(at.x), y: whole(at.y), r: whole(radius) })
}

fn inner_stop(place: Point, along: Point, lines: usize, on: (usize, usize)) -> Stop {
    let across = spread(lines) / 2.0 + PLAIN;
    let diagonal = along.x.abs() > 0.1 && along.y.abs() > 0.1;
    if lines < 2 || diagonal {
        return Stop { mark: circle(place, across), chamfering: false, on: Some(on) };
    }
    let (half_width, half_height) = if along.x.abs() > along.y.abs() { (PLAIN, across) } else { (across, PLAIN) };
    Stop { mark: rect(place, place, half_width, half_height), chamfering: true, on: Some(on) }
}

fn rect(low: Point, high: Point, half_width: f64, half_height: f64) -> Shape {
    let (left, top) = (whole(low.x - half_width), whole(low.y - half_height));
    let (right, bottom) = (whole(high.x + half_width), whole(high.y + half_height));
    Shape::Rect(Rect { x: left, y: top, width: right - left, height: bottom - top })
}

fn joint_stop(draft: &Draft<'_>, joint: usize, cell: f64, shift: Point) -> Stop {
    let (at, body) = (draft.at[joint], draft.bodies[joint]);
    let point = |x: i32, y: i32| Point::new(f64::from(x) * cell, f64::from(y) * cell).minus(shift);
    let (low, high) = (point(at.x, at.y), point(at.x + body.width - 1, at.y + body.height - 1));
    let links = draft.links_of(joint).filter(|end| !draft.skeleton.links[end.link].lines.is_empty());
    let (count, widest) = links.fold((0, 0.0_f64), |(count, widest), end| {
        (count + 1, widest.max(spread(draft.skeleton.links[end.link].lines.len())))
    });
    let radius = if count > 2 { INTERCHANGE } else { PLAIN } + widest / 2.0;
    if body.width + body.height > 2 {
        return Stop { mark: rect(low, high, radius, radius), chamfering: true, on: None };
    }
    Stop { mark: circle(low, radius), chamfering: false, on: None }
}

/// The place at a part of a way's length, and the direction there.
fn at_part(way: &[Point], part: f64) -> (Point, Point) {
    let total: f64 = way.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut left = total * part;
    for pair in way.windows(2) {
        let far = pair[0].distance(pair[1]);
        if left <= far || far == 0.0 {
            let t = if far > 0.0 { left / far } else { 0.0 };
            return (pair[0].toward(pair[1], t), pair[1].minus(pair[0]).times(1.0 / far.max(1e-9)));
        }
        left -= far;
    }
    (way.last().copied().unwrap_or_default(), Point::new(1.0, 0.0))
}
