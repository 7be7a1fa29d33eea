//! Plane geometry for lines of text: hulls, the smallest rectangle around points, and how a rectangle is widened.

/// A point in pixels.
pub(super) type Point = (f32, f32);

/// A rectangle that may be turned: corners from the upper left, clockwise, and the length of its shorter side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rectangle {
    pub(super) corners: [Point; 4],
    pub(super) short_side: f32,
}

pub(super) fn distance(a: Point, b: Point) -> f32 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// Corners from the upper left one, clockwise: the two leftmost are the left side.
pub(super) fn clockwise(mut corners: [Point; 4]) -> [Point; 4] {
    corners.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [a, b, c, d] = corners;
    let (upper_left, lower_left) = if b.1 > a.1 { (a, b) } else { (b, a) };
    let (upper_right, lower_right) = if d.1 > c.1 { (c, d) } else { (d, c) };
    [upper_left, upper_right, lower_right, lower_left]
}

/// The convex hull, by Andrew's monotone chain.
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = chain.as_slice() {
                let turn = (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0);
                if turn > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        // The last point begins the other half.
        chain.pop();
        chain
    };
    let mut around = half(&mut points.iter().copied());
    around.extend(half(&mut points.iter().rev().copied()));
    around
}

/// The smallest rectangle around some points; one of its sides lies on a side of their hull.
pub(super) fn smallest_rectangle(points: Vec<Point>) -> Option<Rectangle> {
    let hull = hull(points);
    let mut best: Option<(f32, Rectangle)> = None;
    for (at, &from) in hull.iter().enumerate() {
        let to = hull.get(at + 1).or(hull.first()).copied()?;
        let length = distance(from, to);
        if length <= 0.0 {
            continue;
        }
        let along = ((to.0 - from.0) / length, (to.1 - from.1) / length);
        let across = (-along.1, along.0);
        let range = |axis: Point| {
            let places = hull.iter().map(|point| point.0 * axis.0 + point.1 * axis.1);
            places.fold((f32::MAX, f32::MIN), |(low, high), place| (low.min(place), high.max(place)))
        };
        let ((left, right), (top, bottom)) = (range(along), range(across));
        let (width, height) = (right - left, bottom - top);
        if best.as_ref().is_none_or(|(area, _)| width * height < *area) {
            let corner = |u: f32, v: f32| (along.0 * u + across.0 * v, along.1 * u + across.1 * v);
            let corners = [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)];
            best = Some((width * height, Rectangle { corners: clockwise(corners), short_side: width.min(height) }));
        }
    }
    best.map(|(_, rectangle)| rectangle)
}

/// Into how many pieces the round of a grown corner is cut.
const ARC: usize = 6;

/// A rectangle grown on all sides by `ratio` times its area over its perimeter: text detectors learn lines without
/// their edges. The growth is that of the published method, which works on whole pixels and rounds the corners.
pub(super) fn widened(rectangle: &Rectangle, ratio: f32) -> Option<Rectangle> {
    let [a, b, c, d] = rectangle.corners;
    let perimeter = distance(a, b) + distance(b, c) + distance(c, d) + distance(d, a);
    let area = distance(a, b) * distance(b, c);
    if perimeter <= 0.0 {
        return None;
    }
    let by = area * ratio / perimeter;
    // A corner that is whole but for a rounding error is whole.
    let whole = rectangle.corners.map(|(x, y)| ((x + 1e-3).trunc(), (y + 1e-3).trunc()));
    let mut points = Vec::with_capacity(4 * (ARC + 1));
    for at in 0..4 {
        let (before, corner, after) = (whole[(at + 3) % 4], whole[at], whole[(at + 1) % 4]);
        // Clockwise with y downwards: outside is to the left of the direction.
        let outside = |from: Point, to: Point| (from.0 - to.0).atan2(to.1 - from.1);
        let (first, last) = (outside(before, corner), outside(corner, after));
        let turn = (last - first).rem_euclid(std::f32::consts::TAU);
        for part in 0..=ARC {
            let (sin, cos) = (first + turn * part as f32 / ARC as f32).sin_cos();
            points.push(((corner.0 + cos * by).round(), (corner.1 + sin * by).round()));
        }
    }
    smallest_rectangle(points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Rectangle, clockwise, smallest_rectangle, widened};

    fn turned(width: f32, height: f32, degrees: f32) -> [(f32, f32); 4] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
            .map(|(x, y)| (200.0 + x * cos - y * sin, 200.0 + x * sin + y * cos))
    }

    proptest! {
        #[test]
        fn a_turned_rectangle_is_found_again(
            width in 20.0f32..150.0, height in 5.0f32..15.0, degrees in -40.0f32..40.0,
        ) {
            let corners = turned(width, height, degrees);
            let mut points = corners.to_vec();
            for at in 0..4 {
                let ((x, y), (to_x, to_y)) = (corners[at], corners[(at + 1) % 4]);
                let parts = (1..10u8).map(|part| f32::from(part) / 10.0);
                points.extend(parts.map(|part| (x + (to_x - x) * part, y + (to_y - y) * part)));
            }
            let found = smallest_rectangle(points).unwrap();
            prop_assert!((found.short_side - height).abs() < 0.1, "{found:?}");
            for (found, wanted) in found.corners.iter().zip(corners) {
                let off = (found.0 - wanted.0).abs().max((found.1 - wanted.1).abs());
                prop_assert!(off < 0.2, "{found:?} {wanted:?}");
            }
        }

        #[test]
        fn whatever_the_points_all_lie_inside(points in prop::collection::vec((0i16..90, 0i16..90), 0..40)) {
            let points: Vec<_> = points.iter().map(|(x, y)| (f32::from(*x), f32::from(*y))).collect();
            if let Some(Rectangle { corners, .. }) = smallest_rectangle(points.clone()) {
                for at in 0..4 {
                    let ((x, y), (to_x, to_y)) = (corners[at], corners[(at + 1) % 4]);
                    for (p, q) in &points {
                        prop_assert!((to_x - x) * (q - y) - (to_y - y) * (p - x) > -0.5);
                    }
                }
            }
        }
    }

    #[test]
    fn corners_begin_at_the_upper_left() {
        let shuffled = [(9.0, 9.0), (0.0, 0.0), (0.0, 9.0), (9.0, 0.0)];
        assert_eq!(clockwise(shuffled), [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)]);
    }

    #[test]
    fn a_line_grows_on_all_sides() {
        let line = Rectangle { corners: [(10.0, 10.0), (110.0, 10.0), (110.0, 30.0), (10.0, 30.0)], short_side: 20.0 };
        // 100 × 20 × 1.6 / 240 = 13.3
        let grown = widened(&line, 1.6).unwrap();
        assert_eq!(grown.corners, [(-3.0, -3.0), (123.0, -3.0), (123.0, 43.0), (-3.0, 43.0)]);
    }
}
