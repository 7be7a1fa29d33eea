//! Trims the plain margins of catalogue pictures, such as the white around a book.

use kaisatsu_resize::Part;

use crate::Picture;

/// How far a channel may be from the colour of the margin: files with losses are not quite plain.
const TOLERANCE: u8 = 14;
/// How many of a thousand pixels in a row of margin may differ from it.
const STRAYS: usize = 5;
/// At least this share of each side stays: what is left of less is a speck, and the margin was the picture.
const LEAST_LEFT: f64 = 0.2;

/// The picture without its margins, when all four corners are of one colour; else the whole of it.
pub(crate) fn trim(picture: &Picture) -> Part {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let pixel = |x: usize, y: usize| &picture.rgb()[(y * width + x) * 3..][..3];
    let colour = pixel(0, 0);
    let like = |other: &[u8]| colour.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= TOLERANCE);
    let whole = Part { left: 0.0, top: 0.0, width: f64::from(picture.width()), height: f64::from(picture.height()) };
    if ![pixel(width - 1, 0), pixel(0, height - 1), pixel(width - 1, height - 1)].into_iter().all(like) {
        return whole;
    }
    let plain = |strays: usize, of: usize| strays * 1000 <= of * STRAYS;
    let plain_row = |y: &usize| plain((0..width).filter(|x| !like(pixel(*x, *y))).count(), width);
    let top = (0..height).take_while(plain_row).count();
    let bottom = height - (top..height).rev().take_while(plain_row).count();
    let plain_column = |x: &usize| plain((top..bottom).filter(|y| !like(pixel(*x, *y))).count(), bottom - top);
    let left = (0..width).take_while(plain_column).count();
    let right = width - (left..width).rev().take_while(plain_column).count();
    #[allow(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^52")]
    let part = Part {
        left: left as f64,
        top: top as f64,
        width: right.saturating_sub(left) as f64,
        height: bottom.saturating_sub(top) as f64,
    };
    let enough = part.width >= whole.width * LEAST_LEFT && part.height >= whole.height * LEAST_LEFT;
    if enough { part } else { whole }
}

#[cfg(test)]
mod tests {
    use super::{Part, trim};
    use crate::Picture;

    /// A picture of one colour with a chequered rectangle in it.
    fn framed(width: usize, height: usize, [left, top, right, bottom]: [usize; 4]) -> Picture {
        let pixel = |x: usize, y: usize| {
            let inside = (left..right).contains(&x) && (top..bottom).contains(&y);
            if inside {
                [20, (x * 37 % 200).to_le_bytes()[0], (y * 53 % 200).to_le_bytes()[0]]
            } else {
                [250, 251, 249]
            }
        };
        let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
        Picture::new(width.try_into().unwrap(), height.try_into().unwrap(), rgb).unwrap()
    }

    #[test]
    fn plain_margins_go() {
        let part = trim(&framed(100, 80, [10, 20, 70, 75]));
        assert_eq!(part, Part { left: 10.0, top: 20.0, width: 60.0, height: 55.0 });
    }

    #[test]
    fn a_full_picture_a_speck_and_nothing_at_all_stay_whole() {
        let whole = Part { left: 0.0, top: 0.0, width: 100.0, height: 80.0 };
        assert_eq!(trim(&framed(100, 80, [0, 0, 100, 80])), whole);
        assert_eq!(trim(&framed(100, 80, [50, 40, 52, 42])), whole);
        assert_eq!(trim(&framed(100, 80, [0, 0, 0, 0])), whole);
    }

    #[test]
    fn a_picture_of_one_pixel_is_no_trouble() {
        assert_eq!(trim(&framed(1, 1, [0, 0, 0, 0])), Part { left: 0.0, top: 0.0, width: 1.0, height: 1.0 });
    }
}
