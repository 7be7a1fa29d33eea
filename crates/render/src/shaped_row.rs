//! Shapes one row of a label, horizontally or vertically.

use crate::{
    Typeface,
    glyph_outline::InkBounds,
    typeface::{ASCENT, DESCENT, EM, Glyph, WritingMode},
};

/// A shaped row. The baseline of a horizontal row is y = 0; the centre of a vertical row is x = 0.
#[derive(Debug)]
pub(crate) struct ShapedRow {
    pub(crate) glyphs: Vec<Glyph>,
    /// The bounding box of its ink; empty if it has none.
    pub(crate) ink: InkBounds,
}

impl ShapedRow {
    pub(crate) fn horizontal(face: &Typeface, text: &str) -> Self {
        let (mut glyphs, mut pen) = (Vec::with_capacity(text.len()), 0);
        for (run, is_wide_run) in script_runs(text) {
            let first = glyphs.len();
            let length =
                face.shape(run, if is_wide_run { WritingMode::Horizontal } else { WritingMode::Latin }, &mut glyphs);
            glyphs[first..].iter_mut().for_each(|glyph| glyph.x += pen);
            pen += length;
        }
        Self::of(face, glyphs)
    }

    pub(crate) fn vertical(face: &Typeface, text: &str) -> Self {
        let (mut glyphs, mut pen) = (Vec::with_capacity(text.len()), 0);
        let has_wide = text.chars().any(is_wide);
        for (run, is_wide_run) in script_runs(text) {
            let first = glyphs.len();
            pen += match run {
                _ if is_wide_run => {
                    let length = face.shape(run, WritingMode::Vertical, &mut glyphs);
                    glyphs[first..].iter_mut().for_each(|glyph| glyph.y += pen);
                    length
                }
                // Tate-chu-yoko, as the "2" of 2丁目: upright in the square of one ideograph.
                _ if has_wide && is_tate_chu_yoko(run) => {
                    let length = face.shape(run, WritingMode::Latin, &mut glyphs);
                    for glyph in &mut glyphs[first..] {
                        glyph.x -= length / 2;
                        glyph.y += pen + ASCENT;
                    }
                    EM
                }
                _ => {
                    let length = face.shape(run, WritingMode::Latin, &mut glyphs);
                    for glyph in &mut glyphs[first..] {
                        let (along, above) = (glyph.x, -glyph.y);
                        *glyph =
                            Glyph { id: glyph.id, x: above - (ASCENT - DESCENT) / 2, y: pen + along, rotated: true };
                    }
                    length
                }
            };
        }
        Self::of(face, glyphs)
    }

    fn of(face: &Typeface, glyphs: Vec<Glyph>) -> Self {
        let ink = glyphs.iter().filter_map(|glyph| face.ink(glyph)).reduce(InkBounds::union);
        Self { glyphs, ink: ink.unwrap_or(InkBounds { left: 0, top: 0, right: 0, bottom: 0 }) }
    }
}

/// Alternating runs of full-width characters and of all others.
fn script_runs(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_wide_run = is_wide(rest.chars().next()?);
        let end = rest.find(|char| is_wide(char) != is_wide_run).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some((run, is_wide_run))
    })
}

/// Whether a run of one or two letters or digits is set upright in vertical text.
fn is_tate_chu_yoko(run: &str) -> bool {
    run.len() <= 2 && run.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a character is full-width, and upright in vertical text.
fn is_wide(char: char) -> bool {
    matches!(char,
        '\u{1100}'..='\u{11ff}' // Hangul
        | '\u{2460}'..='\u{24ff}' // numbers in circles
        | '\u{25a0}'..='\u{26ff}' // squares, circles, stars
        | '\u{2e80}'..='\u{a4cf}' // ideographs, kana, their punctuation
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff01}'..='\u{ff60}' // full-width forms
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3ffff}')
}
