//! The order in which people read lines.

use super::{crop::is_vertical, geometry::Point};

/// Lines whose upper edges are less than this many pixels apart stand side by side.
const SAME: f32 = 10.0;

/// Sorts lines from top to bottom, and side by side from left to right; where most of them run downwards, columns from
/// right to left, and one below the other from the top.
pub(super) fn reading(quads: &mut [[Point; 4]]) {
    let vertical = quads.iter().filter(|quad| is_vertical(**quad)).count();
    if vertical * 2 > quads.len() {
        sort(quads, |quad| -quad[1].0, |quad| quad[0].1);
    } else {
        sort(quads, |quad| quad[0].1, |quad| quad[0].0);
    }
}

fn sort(quads: &mut [[Point; 4]], first: impl Fn(&[Point; 4]) -> f32, second: impl Fn(&[Point; 4]) -> f32) {
    quads.sort_by(|a, b| first(a).total_cmp(&first(b)));
    for group in quads.chunk_by_mut(|a, b| first(b) - first(a) < SAME) {
        group.sort_by(|a, b| second(a).total_cmp(&second(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::{Point, reading};

    fn line(x: f32, y: f32, width: f32, height: f32) -> [Point; 4] {
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    }

    #[test]
    fn rows_go_down_and_neighbours_to_the_right() {
        let mut lines = [line(100.0, 52.0, 80.0, 20.0), line(0.0, 55.0, 80.0, 20.0), line(0.0, 5.0, 200.0, 20.0)];
        reading(&mut lines);
        assert_eq!(lines.map(|quad| quad[0]), [(0.0, 5.0), (0.0, 55.0), (100.0, 52.0)]);
    }

    #[test]
    fn columns_go_to_the_left() {
        let mut lines = [line(10.0, 0.0, 20.0, 200.0), line(60.0, 0.0, 20.0, 90.0), line(62.0, 100.0, 20.0, 90.0)];
        reading(&mut lines);
        assert_eq!(lines.map(|quad| quad[0]), [(60.0, 0.0), (62.0, 100.0), (10.0, 0.0)]);
    }
}
