//! The typeface of every label: which characters it has, how a row of them is set, and the outlines of its glyphs.

use std::{
    fmt,
    sync::{LazyLock, OnceLock},
};

use rustybuzz::{
    Direction, Face, Feature, Script, ShapePlan, UnicodeBuffer, script, shape_with_plan,
    ttf_parser::{GlyphId, Tag},
};

use crate::outline::{Ink, Outline};

/// How high the ideographs stand above the baseline, in thousandths of the size.
pub(crate) const ASCENT: i32 = 880;
/// How deep they reach below it.
pub(crate) const DESCENT: i32 = 120;
/// The units of all glyphs: so many make the size of a letter.
pub(crate) const EM: i32 = 1000;

static BYTES: &[u8] = include_bytes!("../fonts/map-sans.otf");

#[expect(clippy::expect_used, reason = "the bytes are part of the binary, and the tests read them")]
static BUILTIN: LazyLock<Typeface> = LazyLock::new(|| Typeface::read(BYTES).expect("the typeface of the binary"));

/// A typeface that measures and draws.
pub struct Typeface {
    face: Face<'static>,
    western: ShapePlan,
    across: ShapePlan,
    down: ShapePlan,
    /// Every outline is read once, when it is first needed.
    outlines: Vec<OnceLock<Outline>>,
}

/// A glyph on its place; the place is in thousandths of the size, y growing downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub(crate) id: u16,
    pub(crate) x: i32,
    pub(crate) y: i32,
    /// Turned clockwise by a right angle around its place.
    pub(crate) turned: bool,
}

/// In which way a piece of text is shaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// To the right, with kerning.
    Western,
    /// Ideographs and kana to the right, each in its square: their kerning is meant for proportional forms.
    Across,
    /// Ideographs and kana downwards, in their vertical forms.
    Down,
}

impl Typeface {
    /// The one that comes with the binary.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    fn read(bytes: &'static [u8]) -> Option<Self> {
        let face = Face::from_slice(bytes, 0).filter(|face| face.units_per_em() == EM)?;
        let still = Feature::new(Tag::from_bytes(b"kern"), 0, ..);
        // Brackets and dots fill half a square: the blank of the other half is for running text.
        let narrow = |tag| Feature::new(Tag::from_bytes(tag), 1, ..);
        let plan = |way, features: &[Feature]| ShapePlan::new(&face, direction(way), Some(SCRIPT), None, features);
        Some(Self {
            western: plan(Way::Western, &[]),
            across: plan(Way::Across, &[still, narrow(b"halt")]),
            down: plan(Way::Down, &[still, narrow(b"vhal")]),
            outlines: (0..face.number_of_glyphs()).map(|_| OnceLock::new()).collect(),
            face,
        })
    }

    /// Whether a character can be drawn.
    #[must_use]
    pub fn covers(&self, char: char) -> bool {
        self.missing(char.encode_utf8(&mut [0; 4])).is_empty()
    }

    /// The characters of a text that cannot be drawn, each once; a crossed box stands in their places.
    #[must_use]
    pub fn missing(&self, text: &str) -> String {
        let mut missing = String::new();
        // An accent by itself may be missing and yet be part of a letter that is there: only the shaped text tells.
        let shaped = shape_with_plan(&self.face, &self.western, buffer(text, Way::Western));
        for info in shaped.glyph_infos().iter().filter(|info| info.glyph_id == 0) {
            let at = usize::try_from(info.cluster).unwrap_or(usize::MAX);
            let char = text.get(at..).and_then(|rest| rest.chars().next());
            missing.extend(char.filter(|char| !missing.contains(*char)));
        }
        missing
    }

    /// Sets a piece of text from (0, 0) and returns how far it goes: the baseline runs through y = 0, or the centres of
    /// the glyphs through x = 0.
    pub(crate) fn shape(&self, text: &str, way: Way, out: &mut Vec<Glyph>) -> i32 {
        let plan = match way {
            Way::Western => &self.western,
            Way::Across => &self.across,
            Way::Down => &self.down,
        };
        let shaped = shape_with_plan(&self.face, plan, buffer(text, way));
        let (mut x, mut y) = (0, 0);
        for (info, place) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
            // The typeface has fewer glyphs than 16 bits count; a stray one is drawn as a missing one.
            let id = u16::try_from(info.glyph_id).unwrap_or(0);
            out.push(Glyph { id, x: x + place.x_offset, y: y - place.y_offset, turned: false });
            x += place.x_advance;
            y -= place.y_advance;
        }
        if way == Way::Down { y } else { x }
    }

    /// The outline of a glyph, and what it covers.
    pub(crate) fn outline(&self, id: u16) -> &Outline {
        static NOTHING: Outline = Outline::NOTHING;
        let read = || Outline::read(&self.face, GlyphId(id));
        self.outlines.get(usize::from(id)).map_or(&NOTHING, |known| known.get_or_init(read))
    }

    /// What a glyph on its place covers; `None` when it leaves no ink.
    pub(crate) fn ink(&self, glyph: &Glyph) -> Option<Ink> {
        let ink = self.outline(glyph.id).ink?;
        let ink = if glyph.turned { ink.turned() } else { ink };
        Some(ink.moved(glyph.x, glyph.y))
    }
}

impl fmt::Debug for Typeface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typeface").field("glyphs", &self.outlines.len()).finish_non_exhaustive()
    }
}

/// The tables of the typeface are the same for all its scripts, so one stands for all and a plan is made once.
const SCRIPT: Script = script::KATAKANA;

fn buffer(text: &str, way: Way) -> UnicodeBuffer {
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.set_direction(direction(way));
    buffer.set_script(SCRIPT);
    buffer
}

fn direction(way: Way) -> Direction {
    match way {
        Way::Western | Way::Across => Direction::LeftToRight,
        Way::Down => Direction::TopToBottom,
    }
}
