//! Where the drawing would mislead: a bundle that touches another beside it, or a mark on a line that does not stop there.
//!
//! On the grid nothing meets, but bundles are wide and cells are narrow.

use kaisatsu_model::Shape;

use crate::{
    cells::Cells,
    geometry::{Point, nearest_between},
    labels::passes,
    plane::{Role, bounds},
    scene::{HALF_STROKE, Scene},
    skeleton::Skeleton,
    strokes::{WIDEST, spread},
};

/// A place where something touches what it should not, and the links that should make room.
#[derive(Debug)]
pub(crate) struct Touch {
    pub(crate) at: Point,
    pub(crate) links: Vec<usize>,
}

/// Half of what a link's lines cover.
fn half(skeleton: &Skeleton, link: usize) -> f64 {
    spread(skeleton.links[link].lines.len()) / 2.0 + HALF_STROKE
}

/// All touches, each pair of links once.
pub(crate) fn touches(skeleton: &Skeleton, scene: &Scene) -> Vec<Touch> {
    let mut segments: Vec<(usize, Point, Point)> = Vec::new();
    for (link, middle) in scene.middles.iter().enumerate().filter(|(link, _)| !skeleton.links[*link].lines.is_empty()) {
        segments.extend(middle.windows(2).map(|pair| (link, pair[0], pair[1])));
    }
    let ends: Vec<Point> = segments.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
    let Some((low, high)) = bounds(&ends) else { return Vec::new() };
    let mut cells = Cells::new(low, high, 32.0);
    let mut found: Vec<Touch> = Vec::new();
    let mut pairs = std::collections::HashSet::new();
    for (&(link, a, b), number) in segments.iter().zip(0..) {
        cells.near(a, b, WIDEST + 2.0 * HALF_STROKE, |other| {
            let (beside, c, d) = segments[other as usize];
            if link == beside || pairs.contains(&(beside, link)) {
                return;
            }
            let (p, q) = nearest_between(a, b, c, d);
            let reach = half(skeleton, link) + half(skeleton, beside);
            if p.distance(q) < reach && !at_common_joint(skeleton, scene, [link, beside], p, reach) {
                pairs.insert((beside, link));
                found.push(Touch { at: p.toward(q, 0.5), links: vec![link, beside] });
            }
        });
        cells.insert(number, a, b);
    }
    found.extend(marks_on_lines(skeleton, scene, &segments, &cells));
    found
}

/// Links that meet in a joint are together around it: the farther, the wider they are.
fn at_common_joint(skeleton: &Skeleton, scene: &Scene, links: [usize; 2], at: Point, reach: f64) -> bool {
    let [one, two] = links.map(|link| skeleton.links[link].joints);
    one.iter().filter(|joint| two.contains(joint)).any(|&joint| {
        let (middle, size) = match skeleton.joints[joint].role {
            Role::Station(station) => {
                let bounds = scene.stops[station].mark.bounds();
                #[expect(clippy::cast_precision_loss, reason = "marks are small")]
                let size = bounds.width.max(bounds.height) as f64 / 2.0;
                (scene.stops[station].middle(), size)
            }
            Role::Crossing => {
                let way = &scene.middles[links[0]];
                let end = if skeleton.links[links[0]].joints[0] == joint { way.first() } else { way.last() };
                (end.copied().unwrap_or_default(), 0.0)
            }
        };
        middle.distance(at) < size + reach * 1.6 + 16.0
    })
}

fn marks_on_lines(skeleton: &Skeleton, scene: &Scene, segments: &[(usize, Point, Point)], cells: &Cells) -> Vec<Touch> {
    let mut found = Vec::new();
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); scene.stops.len()];
    for (at, link) in skeleton.links.iter().enumerate() {
        let ends = link.joints.iter().filter_map(|&joint| match skeleton.joints[joint].role {
            Role::Station(station) => Some(station),
            Role::Crossing => None,
        });
        for station in ends.chain(link.inner.iter().copied()) {
            own[station].push(at);
        }
    }
    for (station, stop) in scene.stops.iter().enumerate() {
        let middle = stop.middle();
        cells.near(middle, middle, 64.0, |number| {
            let (link, a, b) = segments[number as usize];
            if !own[station].contains(&link) && is_on(&stop.mark, a, b, half(skeleton, link)) {
                let mut links = own[station].clone();
                links.push(link);
                found.push(Touch { at: middle, links });
            }
        });
    }
    found
}

/// Whether a mark lies on a stroke of that half width.
fn is_on(mark: &Shape, a: Point, b: Point, half: f64) -> bool {
    match mark {
        Shape::Circle(circle) => {
            let middle = Point::new(f64::from(circle.x), f64::from(circle.y));
            crate::geometry::nearest_on(a, b, middle).distance(middle) < f64::from(circle.r) + half
        }
        Shape::Rect(rect) => {
            let low = Point::new(f64::from(rect.x) - half, f64::from(rect.y) - half);
            let size = Point::new(f64::from(rect.width) + 2.0 * half, f64::from(rect.height) + 2.0 * half);
            passes(a, b, low, low.plus(size))
        }
    }
}
