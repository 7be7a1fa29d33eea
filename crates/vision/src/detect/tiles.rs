//! Which parts of a picture a detector looks at: the whole of it, and overlapping tiles where that is not enough.
//!
//! A network sees a few hundred pixels a side. What is small in a large picture is a few of them, and a strip is
//! squeezed beyond recognition. docs/decisions/0029-tiled-detection.md has the measurements behind the constants.

use crate::Picture;

/// How carefully a picture is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accuracy {
    /// The whole picture at once; long and very large ones also in tiles.
    #[default]
    Normal,
    /// Any picture also in tiles.
    High,
}

/// Neighbouring tiles share this part of a tile: what is smaller lies whole in one of them.
const OVERLAP: f64 = 1.0 / 3.0;

/// A picture this many times as long as wide is a strip.
const STRIP: f64 = 3.0;

/// A tile of a strip is this many times as long as wide.
const TILE_RATIO: f64 = 4.0 / 3.0;

/// A picture with more pixels is very large: photographs of telephones and cameras have less.
const LARGE: u64 = 30_000_000;

/// The most tiles of a picture. A longer strip has longer tiles.
const MOST: u32 = 16;

/// How many tiles a picture is divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    columns: u32,
    rows: u32,
}

/// A part of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Tile {
    /// The pixels of the tile.
    pub(super) fn of(self, picture: &Picture) -> Option<Picture> {
        let row = picture.width() as usize * 3;
        let (from, long) = (self.left as usize * 3, self.width as usize * 3);
        let rows = picture.rgb().chunks_exact(row).skip(self.top as usize).take(self.height as usize);
        let rgb = rows.filter_map(|row| row.get(from..from + long)).flatten().copied().collect();
        Picture::new(self.width, self.height, rgb)
    }
}

impl Tiles {
    /// No tiles: a picture is only looked at as a whole.
    pub const WHOLE: Self = Self { columns: 1, rows: 1 };

    /// The tiles for an image file of a size.
    #[must_use]
    pub fn of((width, height): (u32, u32), accuracy: Accuracy) -> Self {
        let fine = u32::from(accuracy == Accuracy::High) + u32::from(u64::from(width) * u64::from(height) > LARGE);
        let (long, short) = (f64::from(width.max(height)), f64::from(width.min(height).max(1)));
        let across = 1 + fine;
        let along = if long > STRIP * short { tiles_along(long / short * f64::from(across)) } else { across };
        let along = along.min(MOST / across);
        if width >= height { Self { columns: along, rows: across } } else { Self { columns: across, rows: along } }
    }

    /// How many times larger than a tile the picture is, along its shorter side: the detector needs as many times more
    /// pixels.
    #[must_use]
    pub fn magnification(self, (width, height): (u32, u32)) -> f64 {
        let (short, long) = if width >= height { (self.rows, self.columns) } else { (self.columns, self.rows) };
        // A tile of a strip is no shorter than the strip is wide.
        if short == 1 && long > 1 { 1.0 } else { 1.0 / share(short) }
    }

    /// The tiles of a picture; none where it is only looked at as a whole.
    pub(super) fn cut(self, picture: &Picture) -> Vec<Tile> {
        if self.columns * self.rows <= 1 {
            return Vec::new();
        }
        let columns = places(picture.width(), self.columns);
        let rows = places(picture.height(), self.rows);
        let row =
            |&(top, height): &(u32, u32)| columns.iter().map(move |&(left, width)| Tile { left, top, width, height });
        rows.iter().flat_map(row).collect()
    }
}

/// How many tiles cover a strip that is `ratio` times as long as a tile is wide.
fn tiles_along(ratio: f64) -> u32 {
    let tiles = ((ratio / TILE_RATIO - OVERLAP) / (1.0 - OVERLAP)).ceil();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a small range")]
    let tiles = tiles.clamp(1.0, f64::from(MOST)) as u32;
    tiles
}

/// The length of one of `count` tiles, as a part of the side.
fn share(count: u32) -> f64 {
    1.0 / (f64::from(count) * (1.0 - OVERLAP) + OVERLAP)
}

/// Where `count` tiles begin along a side, and how long they are. The first begins and the last ends with the side.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places within a picture")]
fn places(side: u32, count: u32) -> Vec<(u32, u32)> {
    let length = ((f64::from(side) * share(count)).ceil() as u32).clamp(1, side);
    let room = f64::from(side - length);
    let last = f64::from(count.saturating_sub(1).max(1));
    (0..count).map(|tile| ((room * f64::from(tile) / last).round() as u32, length)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Accuracy, MOST, Tile, Tiles};
    use crate::Picture;

    fn grid(size: (u32, u32), accuracy: Accuracy) -> (u32, u32) {
        let Tiles { columns, rows } = Tiles::of(size, accuracy);
        (columns, rows)
    }

    #[test]
    fn ordinary_pictures_are_tiled_only_for_accuracy() {
        for size in [(640, 480), (4032, 3024), (1920, 1080), (3440, 1440), (1, 1), (900, 300)] {
            assert_eq!(grid(size, Accuracy::Normal), (1, 1), "{size:?}");
            assert_eq!(grid(size, Accuracy::High), (2, 2), "{size:?}");
        }
    }

    #[test]
    fn strips_and_very_large_pictures_are_tiled_by_themselves() {
        assert_eq!(grid((6000, 400), Accuracy::Normal), (16, 1));
        assert_eq!(grid((400, 6000), Accuracy::Normal), (1, 16));
        assert_eq!(grid((2000, 500), Accuracy::Normal), (4, 1));
        assert_eq!(grid((2000, 500), Accuracy::High), (8, 2));
        assert_eq!(grid((8000, 6000), Accuracy::Normal), (2, 2));
        assert_eq!(grid((8000, 6000), Accuracy::High), (3, 3));
    }

    #[test]
    fn two_tiles_are_three_fifths_of_a_side_each() {
        let picture = Picture::new(100, 50, vec![0; 100 * 50 * 3]).unwrap();
        let tile = |left, top| Tile { left, top, width: 60, height: 30 };
        assert_eq!(Tiles { columns: 2, rows: 2 }.cut(&picture), [tile(0, 0), tile(40, 0), tile(0, 20), tile(40, 20)]);
        assert_eq!(Tiles::WHOLE.cut(&picture), []);
    }

    #[test]
    fn a_tile_has_its_pixels() {
        let picture = Picture::new(3, 2, (0..18).collect()).unwrap();
        let tile = Tile { left: 1, top: 1, width: 2, height: 1 }.of(&picture).unwrap();
        assert_eq!((tile.width(), tile.height(), tile.rgb()), (2, 1, &[12, 13, 14, 15, 16, 17][..]));
        assert_eq!(Tile { left: 2, top: 0, width: 2, height: 1 }.of(&picture), None, "beyond the edge");
    }

    proptest! {
        /// Whatever the size: few tiles, none beyond the edge, and every pixel in one of them.
        #[test]
        fn tiles_cover_the_picture(width in 1u32..400, height in 1u32..400, high: bool) {
            let accuracy = if high { Accuracy::High } else { Accuracy::Normal };
            let picture = Picture::new(width, height, vec![0; (width * height * 3) as usize]).unwrap();
            let tiles = Tiles::of((width, height), accuracy).cut(&picture);
            prop_assert!(tiles.len() <= MOST as usize);
            prop_assert!(tiles.iter().all(|tile| tile.left + tile.width <= width && tile.top + tile.height <= height));
            let holds = |from: u32, long: u32, place: u32| from <= place && place < from + long;
            for (x, y) in (0..width).step_by(7).flat_map(|x| (0..height).step_by(5).map(move |y| (x, y))) {
                let inside = |tile: &Tile| holds(tile.left, tile.width, x) && holds(tile.top, tile.height, y);
                prop_assert!(tiles.is_empty() || tiles.iter().any(inside));
            }
        }
    }
}
