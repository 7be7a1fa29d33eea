//! A picture to try a network on when the operator names none.

use crate::Picture;

const SIDE: u32 = 320;

/// A disc on a coloured slope: enough for a network to see something. What it is called does not matter.
pub(super) fn drawn() -> Option<Picture> {
    let mut rgb = Vec::with_capacity((SIDE * SIDE * 3) as usize);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (across, down) = (x.abs_diff(SIDE / 2), y.abs_diff(SIDE / 2));
            let inside = across * across + down * down < SIDE * SIDE / 9;
            let slope = |value: u32| u8::try_from(value * 255 / (2 * SIDE)).unwrap_or(u8::MAX);
            rgb.extend(if inside { [230, 120, 20] } else { [slope(x), slope(x + y), 160] });
        }
    }
    Picture::new(SIDE, SIDE, rgb)
}
