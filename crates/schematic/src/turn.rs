//! Turns a network whose lines mostly run across the eight directions, so that they run along them.
//!
//! Where streets form a grid, as in New York, its lines share two directions. If these are far from the eight of the
//! map, every line has to choose a side, and parallel ones choose different sides. The whole network is turned instead.

use std::f64::consts::FRAC_PI_4;

use crate::geometry::Point;

/// How much better the directions must fit. Networks without a common direction stay as they are, with north above.
const MIN_GAIN: f64 = 0.2;
/// What upright and level lines count more than slanting ones.
const UPRIGHT: f64 = 0.25;
/// The angles that are tried, in degrees.
const MAX_ANGLE: i32 = 44;

/// Turns the positions if the edges between them fit the eight directions much better then.
pub(crate) fn turn(positions: &mut [Point], edges: impl Iterator<Item = (usize, usize)>) {
    let edges: Vec<Point> = edges.map(|(a, b)| positions[b].minus(positions[a])).collect();
    let total: f64 = edges.iter().map(|edge| edge.length()).sum();
    if total <= 0.0 {
        return;
    }
    // 1 if all edges have one of the eight directions, 0 for random ones.
    let fit = |angle: f64, directions: f64| {
        let of = |edge: &Point| edge.length() * (directions * (edge.y.atan2(edge.x) + angle)).cos();
        edges.iter().map(of).sum::<f64>() / total
    };
    let angles = (-MAX_ANGLE..=MAX_ANGLE).map(|degrees| f64::from(degrees).to_radians());
    let score = |angle: f64| fit(angle, 8.0) + UPRIGHT * fit(angle, 4.0);
    let best = angles.max_by(|a, b| score(*a).total_cmp(&score(*b)));
    let Some(angle) = best.filter(|angle| fit(*angle, 8.0) > fit(0.0, 8.0) + MIN_GAIN) else { return };
    debug_assert!(angle.abs() < FRAC_PI_4, "a turn of less than an eighth");
    let (sin, cos) = angle.sin_cos();
    for point in positions {
        *point = Point::new(point.x * cos - point.y * sin, point.x * sin + point.y * cos);
    }
}
