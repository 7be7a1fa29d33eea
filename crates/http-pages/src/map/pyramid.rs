//! The tiles of a map: levels from one tile that shows it all, each twice as large as the one before, to the deepest.

use kaisatsu_model::Window;

/// The width and height of a tile in pixels.
pub(super) const TILE: u32 = 512;

/// Pixels per unit of the map on the deepest level: sharp on screens with two pixels per point.
pub(super) const DEEPEST: u8 = 2;

/// The tile pyramid of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pyramid {
    width: i64,
    height: i64,
    /// How many levels there are, at least one.
    pub(super) levels: u32,
}

/// One tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// The window that it shows. It may extend past the edges of the map.
    pub(super) window: Window,
    /// How many levels there are below its own.
    pub(super) below: u32,
}

impl Pyramid {
    /// The tiles of a map of that extent.
    pub(super) fn of(extent: &Window) -> Self {
        let side = extent.width.max(extent.height) * i64::from(DEEPEST);
        let mut levels = 1;
        while i64::from(TILE) << (levels - 1) < side && levels < 32 {
            levels += 1;
        }
        Self { width: extent.width, height: extent.height, levels }
    }

    /// The tile of that address, if the map has it.
    pub(super) fn tile(&self, z: i64, x: i64, y: i64) -> Option<Tile> {
        let z = u32::try_from(z).ok().filter(|z| *z < self.levels)?;
        let below = self.levels - 1 - z;
        let side = i64::from(TILE / u32::from(DEEPEST)) << below;
        let (left, top) = (x.checked_mul(side)?, y.checked_mul(side)?);
        let inside = (0..self.width).contains(&left) && (0..self.height).contains(&top);
        inside.then_some(Tile { window: Window { x: left, y: top, width: side, height: side }, below })
    }
}

/// A number in its canonical form, so that no tile has two addresses.
pub(super) fn number(text: &str) -> Option<i64> {
    let plain = text == "0" || !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Window;

    use super::{Pyramid, Tile, number};

    fn pyramid(width: i64, height: i64) -> Pyramid {
        Pyramid::of(&Window { x: 0, y: 0, width, height })
    }

    #[test]
    fn the_top_tile_shows_the_whole_map_and_the_deepest_level_covers_it_to_its_edges() {
        assert_eq!(pyramid(1, 1).levels, 1);
        assert_eq!(pyramid(256, 256).levels, 1);
        assert_eq!(pyramid(257, 1).levels, 2);
        assert_eq!(pyramid(1_000_000, 1).levels, 13);
        let tokyo = pyramid(4780, 3470);
        assert_eq!(tokyo.levels, 6);
        let top = tokyo.tile(0, 0, 0);
        assert_eq!(top, Some(Tile { window: Window { x: 0, y: 0, width: 8192, height: 8192 }, below: 5 }));
        assert_eq!(tokyo.tile(5, 18, 13).map(|tile| (tile.window.x, tile.window.y)), Some((4608, 3328)));
        for (z, x, y) in [(0, 1, 0), (5, 19, 0), (5, 0, 14), (6, 0, 0), (-1, 0, 0), (5, -1, 0), (5, i64::MAX, 0)] {
            assert_eq!(tokyo.tile(z, x, y), None, "{z} {x} {y}");
        }
    }

    #[test]
    fn only_the_canonical_form_of_a_number_is_accepted() {
        assert_eq!((number("0"), number("17")), (Some(0), Some(17)));
        for bad in ["", "01", "+1", "-1", "1 ", "１", "00", "99999999999999999999"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
