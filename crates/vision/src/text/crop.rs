//! One line of text, cut out of a picture and laid flat.

use super::geometry::{Point, distance};
use crate::Picture;

/// A line at least this many times as high as wide runs downwards and is laid on its side.
const VERTICAL: f32 = 1.5;

/// Cuts out what lies between four corners, as wide and high as they are apart. Lines that run downwards are turned a
/// quarter to the left: so the reader has learnt them.
pub(super) fn cut_out(picture: &Picture, corners: [Point; 4]) -> Option<Picture> {
    let [a, b, c, d] = corners;
    let width = distance(a, b).max(distance(c, d)).floor().max(1.0);
    let height = distance(a, d).max(distance(b, c)).floor().max(1.0);
    let map = Projection::new(corners, (width, height));
    let mut rgb = Vec::with_capacity((width * height) as usize * 3);
    for y in 0..height as u32 {
        for x in 0..width as u32 {
            rgb.extend(cubic(picture, map.place((x as f32, y as f32))));
        }
    }
    let flat = Picture::new(width as u32, height as u32, rgb)?;
    Some(if height / width >= VERTICAL { flat.turned(3) } else { flat })
}

/// Whether a line runs downwards.
pub(super) fn is_vertical([a, b, c, d]: [Point; 4]) -> bool {
    let (width, height) = (distance(a, b).max(distance(c, d)), distance(a, d).max(distance(b, c)));
    height >= VERTICAL * width
}

/// The projective map from an upright rectangle to a quadrilateral (Heckbert, 1989).
struct Projection {
    terms: [f32; 8],
}

impl Projection {
    #[allow(clippy::many_single_char_names, reason = "terms of a projective map")]
    fn new([a, b, c, d]: [Point; 4], (width, height): (f32, f32)) -> Self {
        let (sum_x, sum_y) = (a.0 - b.0 + c.0 - d.0, a.1 - b.1 + c.1 - d.1);
        let (right, down) = ((b.0 - c.0, b.1 - c.1), (d.0 - c.0, d.1 - c.1));
        let area = right.0 * down.1 - down.0 * right.1;
        let (mut g, mut h) = (0.0, 0.0);
        if area.abs() > f32::EPSILON {
            g = (sum_x * down.1 - down.0 * sum_y) / area;
            h = (right.0 * sum_y - sum_x * right.1) / area;
        }
        let terms = [
            (b.0 - a.0 + g * b.0) / width,
            (d.0 - a.0 + h * d.0) / height,
            a.0,
            (b.1 - a.1 + g * b.1) / width,
            (d.1 - a.1 + h * d.1) / height,
            a.1,
            g / width,
            h / height,
        ];
        Self { terms }
    }

    #[allow(clippy::many_single_char_names, reason = "terms of a projective map")]
    fn place(&self, (x, y): Point) -> Point {
        let [p, q, r, s, t, u, g, h] = self.terms;
        let depth = g * x + h * y + 1.0;
        ((p * x + q * y + r) / depth, (s * x + t * y + u) / depth)
    }
}

/// A pixel between pixels, bicubic; beyond the edge the edge goes on.
fn cubic(picture: &Picture, (x, y): Point) -> [u8; 3] {
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (weights(x - left), weights(y - top));
    let (right_end, bottom_end) = (picture.width() as i32 - 1, picture.height() as i32 - 1);
    let mut sums = [0.0f32; 3];
    for (row, weight_y) in down.iter().enumerate() {
        let y = (top as i32 + row as i32 - 1).clamp(0, bottom_end) as usize;
        for (column, weight_x) in across.iter().enumerate() {
            let x = (left as i32 + column as i32 - 1).clamp(0, right_end) as usize;
            let at = (y * picture.width() as usize + x) * 3;
            let pixel = picture.rgb().get(at..at + 3).unwrap_or_default();
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += f32::from(*value) * weight_x * weight_y;
            }
        }
    }
    sums.map(|sum| sum.round().clamp(0.0, 255.0) as u8)
}

/// Cubic convolution with a = −0.75, which is what the reader's training pictures were cut with.
fn weights(part: f32) -> [f32; 4] {
    const A: f32 = -0.75;
    let near = |t: f32| ((A + 2.0) * t - (A + 3.0)) * t * t + 1.0;
    let far = |t: f32| ((A * t - 5.0 * A) * t + 8.0 * A) * t - 4.0 * A;
    [far(part + 1.0), near(part), near(1.0 - part), far(2.0 - part)]
}

#[cfg(test)]
mod tests {
    use super::cut_out;
    use crate::Picture;

    fn gradient() -> Picture {
        let pixel = |at: u8| [at % 20 * 10, at / 20 * 20, 7];
        Picture::new(20, 10, (0..200).flat_map(pixel).collect()).unwrap()
    }

    #[test]
    fn an_upright_cut_is_the_picture_itself() {
        let picture = gradient();
        let part = cut_out(&picture, [(4.0, 2.0), (16.0, 2.0), (16.0, 8.0), (4.0, 8.0)]).unwrap();
        assert_eq!((part.width(), part.height()), (12, 6));
        assert_eq!(&part.rgb()[..6], [40, 40, 7, 50, 40, 7]);
        assert_eq!(&part.rgb()[36..39], [40, 60, 7]);
    }

    #[test]
    fn a_column_is_laid_on_its_side() {
        let part = cut_out(&gradient(), [(4.0, 1.0), (8.0, 1.0), (8.0, 9.0), (4.0, 9.0)]).unwrap();
        assert_eq!((part.width(), part.height()), (8, 4));
        // Turned to the left: the upper right pixel comes to the upper left corner.
        assert_eq!(&part.rgb()[..3], [70, 20, 7]);
    }

    #[test]
    fn corners_that_fall_together_do_no_harm() {
        let point = cut_out(&gradient(), [(3.0, 3.0); 4]).unwrap();
        assert_eq!((point.width(), point.height()), (1, 1));
    }
}
