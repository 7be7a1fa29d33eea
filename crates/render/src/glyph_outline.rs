//! The outline of a glyph as SVG path data.

use std::fmt::Write;

use rustybuzz::{
    Face,
    ttf_parser::{GlyphId, OutlineBuilder},
};

/// An outline as SVG path data, in thousandths of the font size; y grows downwards from the baseline.
#[derive(Debug)]
pub(crate) struct GlyphOutline {
    pub(crate) path: String,
    /// Its bounding box; `None` for a space.
    pub(crate) ink: Option<InkBounds>,
}

/// The bounding box of ink, edges included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InkBounds {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl InkBounds {
    pub(crate) fn translated(self, x: i32, y: i32) -> Self {
        Self { left: self.left + x, top: self.top + y, right: self.right + x, bottom: self.bottom + y }
    }

    /// Rotated clockwise around (0, 0): right becomes down.
    pub(crate) fn rotated(self) -> Self {
        Self { left: -self.bottom, top: self.left, right: -self.top, bottom: self.right }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(crate) fn width(self) -> i32 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> i32 {
        self.bottom - self.top
    }
}

impl GlyphOutline {
    pub(crate) const EMPTY: Self = Self { path: String::new(), ink: None };

    pub(crate) fn read(face: &Face<'_>, id: GlyphId) -> Self {
        let mut pen = Pen::default();
        let Some(bounds) = face.outline_glyph(id, &mut pen) else { return Self::EMPTY };
        let ink = InkBounds {
            left: bounds.x_min.into(),
            top: -i32::from(bounds.y_max),
            right: bounds.x_max.into(),
            bottom: -i32::from(bounds.y_min),
        };
        Self { path: pen.path, ink: Some(ink) }
    }
}

/// Writes relative commands with whole numbers, which take half the bytes of absolute ones.
#[derive(Default)]
struct Pen {
    path: String,
    at: (i32, i32),
    start: (i32, i32),
}

impl Pen {
    fn command(&mut self, letter: char, points: &[(f32, f32)]) {
        self.path.push(letter);
        let (mut to, mut first) = (self.at, true);
        for &(x, y) in points {
            to = (whole(x), whole(-y));
            for number in [to.0 - self.at.0, to.1 - self.at.1] {
                if !first && number >= 0 {
                    self.path.push(' ');
                }
                first = false;
                // Writing to a string does not fail.
                let _ = write!(self.path, "{number}");
            }
        }
        self.at = to;
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('m', &[(x, y)]);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command('l', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.command('q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command('c', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('z');
        self.at = self.start;
    }
}

#[expect(clippy::cast_possible_truncation, reason = "glyph coordinates have 16 bits")]
fn whole(number: f32) -> i32 {
    number.round() as i32
}
