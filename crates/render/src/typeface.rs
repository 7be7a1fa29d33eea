//! The typeface of all labels: its coverage, text shaping, and glyph outlines.

use std::{
    fmt,
    sync::{LazyLock, OnceLock},
};

use rustybuzz::{
    Direction, Face, Feature, Script, ShapePlan, UnicodeBuffer, script, shape_with_plan,
    ttf_parser::{GlyphId, Tag},
};

use crate::glyph_outline::{GlyphOutline, InkBounds};

/// The height of ideographs above the baseline, in thousandths of the font size.
pub(crate) const ASCENT: i32 = 880;
/// Their depth below the baseline.
pub(crate) const DESCENT: i32 = 120;
/// The units per em.
pub(crate) const EM: i32 = 1000;

static BYTES: &[u8] = include_bytes!("../fonts/map-sans.otf");

#[expect(clippy::expect_used, reason = "the bytes are part of the binary, and the tests read them")]
static BUILTIN: LazyLock<Typeface> = LazyLock::new(|| Typeface::read(BYTES).expect("the typeface of the binary"));

/// A typeface for measuring and drawing.
pub struct Typeface {
    face: Face<'static>,
    latin: ShapePlan,
    horizontal: ShapePlan,
    vertical: ShapePlan,
    /// The outlines, each read when it is first used.
    outlines: Vec<OnceLock<GlyphOutline>>,
}

/// A positioned glyph, in thousandths of the font size; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub(crate) id: u16,
    pub(crate) x: i32,
    pub(crate) y: i32,
    /// Whether it is rotated clockwise by 90 degrees around its position.
    pub(crate) rotated: bool,
}

/// How a run of text is shaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WritingMode {
    /// Horizontal, with kerning.
    Latin,
    /// Horizontal, full-width characters in squares. Their kerning is for proportional forms.
    Horizontal,
    /// Vertical, full-width characters in their vertical forms.
    Vertical,
}

impl Typeface {
    /// The typeface in the binary.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    fn read(bytes: &'static [u8]) -> Option<Self> {
        let face = Face::from_slice(bytes, 0).filter(|face| face.units_per_em() == EM)?;
        let no_kerning = Feature::new(Tag::from_bytes(b"kern"), 0, ..);
        // Brackets and dots fill half a square. The blank half is for running text.
        let half_width = |tag| Feature::new(Tag::from_bytes(tag), 1, ..);
        let plan = |mode, features: &[Feature]| ShapePlan::new(&face, direction(mode), Some(SCRIPT), None, features);
        Some(Self {
            latin: plan(WritingMode::Latin, &[]),
            horizontal: plan(WritingMode::Horizontal, &[no_kerning, half_width(b"halt")]),
            vertical: plan(WritingMode::Vertical, &[no_kerning, half_width(b"vhal")]),
            outlines: (0..face.number_of_glyphs()).map(|_| OnceLock::new()).collect(),
            face,
        })
    }

    /// Whether the typeface has a character.
    #[must_use]
    pub fn covers(&self, char: char) -> bool {
        self.missing(char.encode_utf8(&mut [0; 4])).is_empty()
    }

    /// The characters of a text that the typeface lacks, each once. They are drawn as crossed boxes.
    #[must_use]
    pub fn missing(&self, text: &str) -> String {
        let mut missing = String::new();
        // A combining accent may be missing while the composed letter exists, so only the shaped text tells.
        let shaped = shape_with_plan(&self.face, &self.latin, buffer(text, WritingMode::Latin));
        for info in shaped.glyph_infos().iter().filter(|info| info.glyph_id == 0) {
            let at = usize::try_from(info.cluster).unwrap_or(usize::MAX);
            let char = text.get(at..).and_then(|rest| rest.chars().next());
            missing.extend(char.filter(|char| !missing.contains(*char)));
        }
        missing
    }

    /// Shapes a run of text at (0, 0) and returns its advance. The baseline is y = 0, or the centre of the glyphs x =
    /// 0.
    pub(crate) fn shape(&self, text: &str, mode: WritingMode, out: &mut Vec<Glyph>) -> i32 {
        let plan = match mode {
            WritingMode::Latin => &self.latin,
            WritingMode::Horizontal => &self.horizontal,
            WritingMode::Vertical => &self.vertical,
        };
        let shaped = shape_with_plan(&self.face, plan, buffer(text, mode));
        let (mut x, mut y) = (0, 0);
        for (info, position) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
            // The typeface has fewer than 65536 glyphs. Any other id is drawn as a missing glyph.
            let id = u16::try_from(info.glyph_id).unwrap_or(0);
            out.push(Glyph { id, x: x + position.x_offset, y: y - position.y_offset, rotated: false });
            x += position.x_advance;
            y -= position.y_advance;
        }
        if mode == WritingMode::Vertical { y } else { x }
    }

    /// The outline of a glyph.
    pub(crate) fn outline(&self, id: u16) -> &GlyphOutline {
        static EMPTY: GlyphOutline = GlyphOutline::EMPTY;
        let read = || GlyphOutline::read(&self.face, GlyphId(id));
        self.outlines.get(usize::from(id)).map_or(&EMPTY, |known| known.get_or_init(read))
    }

    /// The bounding box of a positioned glyph; `None` if it has no ink.
    pub(crate) fn ink(&self, glyph: &Glyph) -> Option<InkBounds> {
        let ink = self.outline(glyph.id).ink?;
        let ink = if glyph.rotated { ink.rotated() } else { ink };
        Some(ink.translated(glyph.x, glyph.y))
    }
}

impl fmt::Debug for Typeface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typeface").field("glyphs", &self.outlines.len()).finish_non_exhaustive()
    }
}

/// The typeface has the same tables for all scripts, so one script is used for all plans.
const SCRIPT: Script = script::KATAKANA;

fn buffer(text: &str, mode: WritingMode) -> UnicodeBuffer {
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.set_direction(direction(mode));
    buffer.set_script(SCRIPT);
    buffer
}

fn direction(mode: WritingMode) -> Direction {
    match mode {
        WritingMode::Latin | WritingMode::Horizontal => Direction::LeftToRight,
        WritingMode::Vertical => Direction::TopToBottom,
    }
}
