//! Labels: how much room a name takes, and where its letters stand in it.

use kaisatsu_model::Window;
use kaisatsu_railmap::Label;

use crate::{
    Typeface,
    area::Area,
    row::Row,
    typeface::{ASCENT, DESCENT, EM, Glyph},
};

/// The size of a name's letters, in map units.
pub const NAME_SIZE: f64 = 12.0;
/// The size of the letters of a second language.
pub const SMALL_SIZE: f64 = 8.0;

/// Between two rows of a name.
const NAME_GAP: f64 = 2.0;
/// Above a row of a second language, whose letters leave some room above them by themselves.
const SMALL_GAP: f64 = 1.0;

/// The room that a label takes, in map units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Extent to the right.
    pub width: i32,
    /// Extent downwards.
    pub height: i32,
}

/// The room that a label takes: all its ink is inside, and touches the ends of the longest row.
#[must_use]
pub fn measure(face: &Typeface, label: &Label) -> Placed {
    Block::of(face, label).room()
}

/// Glyphs of one size, on their places: a glyph at (gx, gy) stands on the map at `(x + gx × unit, y + gy × unit)`.
#[derive(Debug, Clone)]
pub(crate) struct Lettering {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Map units for a thousandth of the size.
    pub(crate) unit: f64,
    /// Of the second language.
    pub(crate) small: bool,
    pub(crate) glyphs: Vec<Glyph>,
}

/// Which ends of the rows are flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// The ends where the rows begin.
    Begin,
    Middle,
    End,
}

impl Flush {
    /// Rows begin, or end, at the mark that they name; above and below it they are in the middle. Rows that run downwards
    /// begin at the top unless the mark is below them.
    pub(crate) fn toward(mark: Option<&Window>, text: &Window, down: bool) -> Self {
        match mark {
            Some(mark) if down && mark.y >= text.bottom() => Self::End,
            _ if down => Self::Begin,
            Some(mark) if mark.right() <= text.x => Self::Begin,
            Some(mark) if mark.x >= text.right() => Self::End,
            _ => Self::Middle,
        }
    }

    /// How much of the spare room of a row comes before it.
    fn share(self) -> f64 {
        match self {
            Self::Begin => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

/// The letters of a label on their places: in the middle of the window, and smaller when it has too little room.
pub(crate) fn set(face: &Typeface, label: &Label, window: &Window, flush: Flush) -> Vec<Lettering> {
    let block = Block::of(face, label);
    let Placed { width, height } = block.room();
    let area = Area::of(window);
    let scale = (area.width() / f64::from(width)).min(area.height() / f64::from(height)).min(1.0);
    block.letter(area.middle(), scale, flush)
}

/// The rows of a label and how they are stacked: the first above the second, or to the right of it.
struct Block {
    rows: Vec<Stacked>,
    down: bool,
}

struct Stacked {
    row: Row,
    unit: f64,
    /// From the row's line (its baseline, or its middle) back to the row before it, and on to the next.
    before: f64,
    after: f64,
    gap: f64,
    small: bool,
}

impl Block {
    fn of(face: &Typeface, label: &Label) -> Self {
        let names = label.rows.iter().map(|row| (row, false));
        let small = label.small.iter().map(|row| (row, true));
        let rows = names.chain(small).enumerate().map(|(at, (text, small))| {
            let (size, gap) = if small { (SMALL_SIZE, SMALL_GAP) } else { (NAME_SIZE, NAME_GAP) };
            let gap = if at == 0 { 0.0 } else { gap };
            Stacked { gap, small, ..Stacked::of(face, text, size, label.down) }
        });
        Self { rows: rows.collect(), down: label.down }
    }

    fn room(&self) -> Placed {
        let (length, depth) = (up(self.length()).max(1), up(self.depth()).max(1));
        if self.down { Placed { width: depth, height: length } } else { Placed { width: length, height: depth } }
    }

    /// Along the rows, as long as the longest.
    fn length(&self) -> f64 {
        self.rows.iter().map(|row| row.length(self.down)).fold(0.0, f64::max)
    }

    /// From the first row to the last.
    fn depth(&self) -> f64 {
        self.rows.iter().map(|row| row.gap + row.before + row.after).sum()
    }

    fn letter(self, middle: (f64, f64), scale: f64, flush: Flush) -> Vec<Lettering> {
        let (length, depth, down) = (self.length(), self.depth(), self.down);
        let mut stack = 0.0;
        let lettering = self.rows.into_iter().map(|row| {
            stack += row.gap + row.before;
            let (line, unit) = ((stack - depth / 2.0) * scale, row.unit * scale);
            stack += row.after;
            let spare = (length - row.length(down)) * flush.share();
            let begin = (spare - length / 2.0) * scale;
            let ink = row.row.ink;
            let (x, y) = if down {
                (middle.0 - line, middle.1 + begin - f64::from(ink.top) * unit)
            } else {
                (middle.0 + begin - f64::from(ink.left) * unit, middle.1 + line)
            };
            Lettering { x, y, unit, small: row.small, glyphs: row.row.glyphs }
        });
        lettering.collect()
    }
}

impl Stacked {
    fn of(face: &Typeface, text: &str, size: f64, down: bool) -> Self {
        let row = if down { Row::down(face, text) } else { Row::across(face, text) };
        // The square of an ideograph is the least, so that labels of different names line up.
        let (before, after) = if down {
            (row.ink.right.max(EM / 2), (-row.ink.left).max(EM / 2))
        } else {
            ((-row.ink.top).max(ASCENT), row.ink.bottom.max(DESCENT))
        };
        let unit = size / f64::from(EM);
        Self { row, unit, before: f64::from(before) * unit, after: f64::from(after) * unit, gap: 0.0, small: false }
    }

    fn length(&self, down: bool) -> f64 {
        let ink = self.row.ink;
        f64::from(if down { ink.height() } else { ink.width() }) * self.unit
    }
}

/// Rounded up, but not for the dust of adding fractions.
#[expect(clippy::cast_possible_truncation, reason = "a label is some thousands of units long at the most")]
pub(crate) fn up(number: f64) -> i32 {
    (number - 1e-6).ceil() as i32
}
