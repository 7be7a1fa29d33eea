//! From a map of probabilities to boxes around lines of text: differentiable binarisation, read back (Liao et al.,
//! 2020).

use super::geometry::{Point, Rectangle, clockwise, distance, smallest_rectangle, widened};
use crate::manifest::TextDetect;

/// The probability that a pixel is text, row by row.
pub(super) struct Map<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) values: &'a [f32],
}

/// The least shorter side of a box, in pixels of the map, before it is widened.
const LEAST_SIDE: f32 = 3.0;
/// And after.
const LEAST_WIDENED: f32 = 5.0;

/// The boxes in a map, in pixels of a picture of `size`.
///
/// Only outlines are boxed, not the holes in them: a hole's box is never text.
pub(super) fn boxes(map: &Map<'_>, rules: &TextDetect, size: (f32, f32)) -> Vec<[Point; 4]> {
    let mut found = pieces(&mask(map, rules), map.width);
    // From the bottom up, as outlines are usually listed, so that a full list is cut where others cut it.
    found.reverse();
    found.truncate(rules.candidates);
    let scale = (size.0 / map.width as f32, size.1 / map.height as f32);
    found.into_iter().filter_map(|points| to_box(map, rules, points, scale, size)).collect()
}

fn to_box(map: &Map<'_>, rules: &TextDetect, points: Vec<Point>, scale: Point, size: (f32, f32)) -> Option<[Point; 4]> {
    let tight = smallest_rectangle(points).filter(|rectangle| rectangle.short_side >= LEAST_SIDE)?;
    if score(map, &tight) < rules.box_floor {
        return None;
    }
    let wide = widened(&tight, rules.unclip).filter(|rectangle| rectangle.short_side >= LEAST_WIDENED)?;
    let place = |value: f32, scale: f32, end: f32| (value * scale).round_ties_even().clamp(0.0, end - 1.0);
    let corners = clockwise(wide.corners.map(|(x, y)| (place(x, scale.0, size.0), place(y, scale.1, size.1))));
    let large = |a: Point, b: Point| distance(a, b) >= 4.0;
    (large(corners[0], corners[1]) && large(corners[0], corners[3])).then_some(corners)
}

/// Which pixels are text; grown by one to the right and down where the rules say so.
fn mask(map: &Map<'_>, rules: &TextDetect) -> Vec<bool> {
    let above: Vec<bool> = map.values.iter().map(|value| *value > rules.threshold).collect();
    if !rules.dilate || map.width == 0 {
        return above;
    }
    let mut grown = above.clone();
    for (y, row) in above.chunks_exact(map.width).enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, text)| **text) {
            for (right, down) in [(1, 0), (0, 1), (1, 1)] {
                if let Some(pixel) = grown.get_mut((y + down) * map.width + x + right).filter(|_| x + right < map.width)
                {
                    *pixel = true;
                }
            }
        }
    }
    grown
}

/// A stretch of text in one row, and the piece it belongs to.
struct Stretch {
    y: usize,
    from: usize,
    to: usize,
}

/// The connected pieces of a mask (corners connect), each as the ends of its stretches.
fn pieces(mask: &[bool], width: usize) -> Vec<Vec<Point>> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut parent: Vec<usize> = Vec::new();
    let mut above = 0..0;
    for (y, row) in mask.chunks_exact(width.max(1)).enumerate() {
        let begin = stretches.len();
        let mut x = 0;
        while let Some(from) = (x..width).find(|x| row[*x]) {
            let to = (from..width).find(|x| !row[*x]).unwrap_or(width) - 1;
            let this = stretches.len();
            parent.push(this);
            for other in above.clone() {
                let there: &Stretch = &stretches[other];
                if there.from <= to + 1 && from <= there.to + 1 {
                    let (a, b) = (root(&mut parent, other), root(&mut parent, this));
                    parent[a.max(b)] = a.min(b);
                }
            }
            stretches.push(Stretch { y, from, to });
            x = to + 1;
        }
        above = begin..stretches.len();
    }
    let mut grouped: Vec<Vec<Point>> = Vec::new();
    let mut group = vec![usize::MAX; stretches.len()];
    for (at, stretch) in stretches.iter().enumerate() {
        let piece = root(&mut parent, at);
        if group[piece] == usize::MAX {
            group[piece] = grouped.len();
            grouped.push(Vec::new());
        }
        let y = stretch.y as f32;
        grouped[group[piece]].extend([(stretch.from as f32, y), (stretch.to as f32, y)]);
    }
    grouped
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// The mean probability inside a rectangle.
fn score(map: &Map<'_>, rectangle: &Rectangle) -> f32 {
    let corners = rectangle.corners.map(|(x, y)| (x.trunc(), y.trunc()));
    let (low, high) = corners.iter().fold((f32::MAX, f32::MIN), |(low, high), (_, y)| (low.min(*y), high.max(*y)));
    let (mut sum, mut many) = (0.0, 0.0);
    for y in low.max(0.0) as usize..=(high.max(0.0) as usize).min(map.height.saturating_sub(1)) {
        let Some((from, to)) = cut(&corners, y as f32) else { continue };
        let from = from.round().max(0.0) as usize;
        let to = (to.round().max(0.0) as usize).min(map.width.saturating_sub(1));
        for value in map.values.get(y * map.width + from..=y * map.width + to).unwrap_or_default() {
            sum += value;
            many += 1.0;
        }
    }
    if many > 0.0 { sum / many } else { 0.0 }
}

/// Where a row cuts a convex outline.
fn cut(corners: &[Point; 4], y: f32) -> Option<(f32, f32)> {
    let mut range: Option<(f32, f32)> = None;
    for at in 0..4 {
        let (a, b) = (corners[at], corners[(at + 1) % 4]);
        if y < a.1.min(b.1) || y > a.1.max(b.1) {
            continue;
        }
        let ends = if (a.1 - b.1).abs() < f32::EPSILON {
            [a.0, b.0]
        } else {
            [a.0 + (b.0 - a.0) * (y - a.1) / (b.1 - a.1); 2]
        };
        for x in ends {
            range = Some(range.map_or((x, x), |(low, high)| (low.min(x), high.max(x))));
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::{Map, boxes, pieces};
    use crate::manifest::TextDetect;

    fn rules() -> TextDetect {
        TextDetect {
            file: "detect.onnx".into(),
            sha256: String::new(),
            input: "x".to_owned(),
            output: "y".to_owned(),
            channels: crate::manifest::Channels::Bgr,
            mean: [127.5; 3],
            std: [127.5; 3],
            short_side: 736,
            multiple_of: 32,
            threshold: 0.3,
            box_floor: 0.5,
            candidates: 10,
            unclip: 1.6,
            dilate: false,
        }
    }

    fn drawn(lines: &[(usize, usize, usize, usize, f32)]) -> Vec<f32> {
        let mut values = vec![0.0; 200 * 100];
        for &(left, top, right, bottom, value) in lines {
            for y in top..bottom {
                values[y * 200 + left..y * 200 + right].fill(value);
            }
        }
        values
    }

    #[test]
    fn lines_become_widened_boxes_in_pixels_of_the_picture() {
        let values = drawn(&[(20, 20, 121, 31, 0.9)]);
        let found = boxes(&Map { width: 200, height: 100, values: &values }, &rules(), (400.0, 200.0));
        // 100 × 10 × 1.6 / 220 = 7.3 on every side, twice as many pixels in the picture.
        assert_eq!(found, [[(26.0, 26.0), (254.0, 26.0), (254.0, 74.0), (26.0, 74.0)]]);
    }

    #[test]
    fn faint_small_and_too_many_pieces_are_left_out() {
        let faint = drawn(&[(20, 20, 120, 30, 0.4), (20, 60, 22, 62, 0.9)]);
        assert!(boxes(&Map { width: 200, height: 100, values: &faint }, &rules(), (200.0, 100.0)).is_empty());
        let many = drawn(&[(20, 10, 120, 20, 0.9), (20, 40, 120, 50, 0.9), (20, 70, 120, 80, 0.9)]);
        let few = TextDetect { candidates: 2, ..rules() };
        assert_eq!(boxes(&Map { width: 200, height: 100, values: &many }, &few, (200.0, 100.0)).len(), 2);
    }

    #[test]
    fn pieces_that_touch_at_a_corner_are_one() {
        let mask = [true, false, false, false, true, false, true, false, false].map(|text| text);
        assert_eq!(pieces(&mask, 3).len(), 1);
        let apart = [true, false, true, true, false, true, true, false, true];
        assert_eq!(pieces(&apart, 3).len(), 2);
    }
}
