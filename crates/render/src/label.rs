//! Typesets labels: their size, and the positions of their glyphs.

use kaisatsu_model::Window;
use kaisatsu_railmap::Label;

use crate::{
    Typeface,
    bounds::Bounds,
    shaped_row::ShapedRow,
    typeface::{ASCENT, DESCENT, EM, Glyph},
};

/// The font size of most names, in map units.
pub const NAME_SIZE: f64 = Label::SIZE as f64;
/// The font size of the second language below a name of that size.
pub const SMALL_SIZE: f64 = small_size(NAME_SIZE);

/// The font size of the second language below a name.
const fn small_size(name: f64) -> f64 {
    name * 2.0 / 3.0
}

/// The gap between two rows of a name.
const NAME_GAP: f64 = 2.0;
/// The gap above a row of the second language, whose glyphs leave some space above them.
const SMALL_GAP: f64 = 1.0;

/// The size of a label, in map units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelSize {
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

/// Measures a label. All its ink is inside, and the longest row touches both edges.
#[must_use]
pub fn measure(face: &Typeface, label: &Label) -> LabelSize {
    TextBlock::of(face, label).size()
}

/// A glyph run: glyphs of one size. A glyph at (gx, gy) is drawn at `(x + gx × unit, y + gy × unit)`.
#[derive(Debug, Clone)]
pub(crate) struct GlyphRun {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Map units per thousandth of the font size.
    pub(crate) unit: f64,
    /// Whether the run is in the second language.
    pub(crate) small: bool,
    pub(crate) text: String,
    /// Whether it is set vertically.
    pub(crate) down: bool,
    pub(crate) glyphs: Vec<Glyph>,
}

/// The alignment of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    /// At the start of the rows.
    Start,
    Centre,
    End,
}

impl Alignment {
    /// Rows are aligned to the side of their mark, and centred above and below it. Vertical rows start at the top,
    /// unless the mark is below them.
    pub(crate) fn toward(mark: Option<&Window>, text: &Window, down: bool) -> Self {
        match mark {
            Some(mark) if down && mark.y >= text.bottom() => Self::End,
            _ if down => Self::Start,
            Some(mark) if mark.right() <= text.x => Self::Start,
            Some(mark) if mark.x >= text.right() => Self::End,
            _ => Self::Centre,
        }
    }

    /// The fraction of a row's spare length that precedes it.
    fn share(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Centre => 0.5,
            Self::End => 1.0,
        }
    }
}

/// The glyph runs of a label, centred in the window, and scaled down if the window is too small.
pub(crate) fn typeset(face: &Typeface, label: &Label, window: &Window, flush: Alignment) -> Vec<GlyphRun> {
    let block = TextBlock::of(face, label);
    let LabelSize { width, height } = block.size();
    let bounds = Bounds::of(window);
    let scale = (bounds.width() / f64::from(width)).min(bounds.height() / f64::from(height)).min(1.0);
    block.place_rows(bounds.centre(), scale, flush)
}

/// The rows of a label: stacked from top to bottom, or, if vertical, from right to left.
struct TextBlock {
    rows: Vec<BlockRow>,
    down: bool,
}

struct BlockRow {
    row: ShapedRow,
    unit: f64,
    /// The distances from the row's line (its baseline, or its centre) to the row before it and to the next.
    before: f64,
    after: f64,
    gap: f64,
    small: bool,
    text: String,
}

impl TextBlock {
    fn of(face: &Typeface, label: &Label) -> Self {
        let names = label.rows.iter().map(|row| (row, false));
        let small = label.small.iter().map(|row| (row, true));
        let rows = names.chain(small).enumerate().map(|(at, (text, small))| {
            let size = f64::from(label.size);
            let (size, gap) = if small { (small_size(size), SMALL_GAP) } else { (size, NAME_GAP) };
            let gap = if at == 0 { 0.0 } else { gap };
            BlockRow { gap, small, ..BlockRow::of(face, text, size, label.down) }
        });
        Self { rows: rows.collect(), down: label.down }
    }

    fn size(&self) -> LabelSize {
        let (length, depth) = (round_up(self.length()).max(1), round_up(self.depth()).max(1));
        if self.down { LabelSize { width: depth, height: length } } else { LabelSize { width: length, height: depth } }
    }

    /// The length of the longest row.
    fn length(&self) -> f64 {
        self.rows.iter().map(|row| row.length(self.down)).fold(0.0, f64::max)
    }

    /// The depth of all rows.
    fn depth(&self) -> f64 {
        self.rows.iter().map(|row| row.gap + row.before + row.after).sum()
    }

    fn place_rows(self, centre: (f64, f64), scale: f64, flush: Alignment) -> Vec<GlyphRun> {
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
                (centre.0 - line, centre.1 + begin - f64::from(ink.top) * unit)
            } else {
                (centre.0 + begin - f64::from(ink.left) * unit, centre.1 + line)
            };
            GlyphRun { x, y, unit, small: row.small, text: row.text, down, glyphs: row.row.glyphs }
        });
        lettering.collect()
    }
}

impl BlockRow {
    fn of(face: &Typeface, text: &str, size: f64, down: bool) -> Self {
        let row = if down { ShapedRow::vertical(face, text) } else { ShapedRow::horizontal(face, text) };
        // At least the square of an ideograph, so that different labels align.
        let (before, after) = if down {
            (row.ink.right.max(EM / 2), (-row.ink.left).max(EM / 2))
        } else {
            ((-row.ink.top).max(ASCENT), row.ink.bottom.max(DESCENT))
        };
        let unit = size / f64::from(EM);
        let (before, after) = (f64::from(before) * unit, f64::from(after) * unit);
        Self { row, unit, before, after, gap: 0.0, small: false, text: text.to_owned() }
    }

    fn length(&self, down: bool) -> f64 {
        let ink = self.row.ink;
        f64::from(if down { ink.height() } else { ink.width() }) * self.unit
    }
}

/// Rounds up, with a tolerance for floating-point errors.
#[expect(clippy::cast_possible_truncation, reason = "a label is some thousands of units long at the most")]
pub(crate) fn round_up(number: f64) -> i32 {
    (number - 1e-6).ceil() as i32
}
