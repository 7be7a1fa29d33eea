//! One row of a label: its glyphs, set across or downwards.

use crate::{
    Typeface,
    outline::Ink,
    typeface::{ASCENT, DESCENT, EM, Glyph, Way},
};

/// A row that has been set. Across, its baseline is y = 0; downwards, its middle is x = 0.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) glyphs: Vec<Glyph>,
    /// What it covers; nothing where it has no ink.
    pub(crate) ink: Ink,
}

impl Row {
    pub(crate) fn across(face: &Typeface, text: &str) -> Self {
        let (mut glyphs, mut pen) = (Vec::with_capacity(text.len()), 0);
        for (piece, wide) in pieces(text) {
            let first = glyphs.len();
            let length = face.shape(piece, if wide { Way::Across } else { Way::Western }, &mut glyphs);
            glyphs[first..].iter_mut().for_each(|glyph| glyph.x += pen);
            pen += length;
        }
        Self::of(face, glyphs)
    }

    pub(crate) fn down(face: &Typeface, text: &str) -> Self {
        let (mut glyphs, mut pen) = (Vec::with_capacity(text.len()), 0);
        let has_wide = text.chars().any(is_wide);
        for (piece, wide) in pieces(text) {
            let first = glyphs.len();
            pen += match piece {
                _ if wide => {
                    let length = face.shape(piece, Way::Down, &mut glyphs);
                    glyphs[first..].iter_mut().for_each(|glyph| glyph.y += pen);
                    length
                }
                // As the "2" of 2丁目: it stands upright in the square of one ideograph.
                _ if has_wide && stands(piece) => {
                    let length = face.shape(piece, Way::Western, &mut glyphs);
                    for glyph in &mut glyphs[first..] {
                        glyph.x -= length / 2;
                        glyph.y += pen + ASCENT;
                    }
                    EM
                }
                _ => {
                    let length = face.shape(piece, Way::Western, &mut glyphs);
                    for glyph in &mut glyphs[first..] {
                        let (along, above) = (glyph.x, -glyph.y);
                        *glyph =
                            Glyph { id: glyph.id, x: above - (ASCENT - DESCENT) / 2, y: pen + along, turned: true };
                    }
                    length
                }
            };
        }
        Self::of(face, glyphs)
    }

    fn of(face: &Typeface, glyphs: Vec<Glyph>) -> Self {
        let ink = glyphs.iter().filter_map(|glyph| face.ink(glyph)).reduce(Ink::union);
        Self { glyphs, ink: ink.unwrap_or(Ink { left: 0, top: 0, right: 0, bottom: 0 }) }
    }
}

/// Runs of characters that stand in squares, and runs of all others, by turns.
fn pieces(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let wide = is_wide(rest.chars().next()?);
        let end = rest.find(|char| is_wide(char) != wide).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some((piece, wide))
    })
}

/// One or two letters or digits may stand upright.
fn stands(piece: &str) -> bool {
    piece.len() <= 2 && piece.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a character stands in a square, and upright when the text runs downwards.
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
