//! Letters in a drawing: every glyph is defined once and then used.

use std::collections::BTreeSet;

use crate::{
    Typeface,
    color::Color,
    label::Lettering,
    xml::{Num, put},
};

/// How far the halo reaches around a letter, in map units.
pub(crate) const HALO: f64 = 1.25;

/// The glyphs that a drawing uses.
#[derive(Debug, Default)]
pub(crate) struct Letters {
    used: BTreeSet<u16>,
}

impl Letters {
    /// Writes letters on their places. With a halo they stand out from what lies under them.
    pub(crate) fn write(&mut self, out: &mut String, lettering: &Lettering, fill: Option<Color>, halo: bool) {
        let Lettering { x, y, unit, glyphs, .. } = lettering;
        put!(out, "<g transform=\"translate({} {})scale({})\"", Num(*x), Num(*y), Unit(*unit));
        if halo {
            put!(out, " stroke-width=\"{}\"", Num(2.0 * HALO / unit));
        }
        if let Some(fill) = fill {
            put!(out, " fill=\"{fill}\"");
        }
        out.push('>');
        for run in glyphs.chunk_by(|a, b| a.turned == b.turned) {
            let turned = run.first().is_some_and(|glyph| glyph.turned);
            if turned {
                out.push_str("<g transform=\"rotate(90)\">");
            }
            for glyph in run {
                // A turned glyph stands in a turned plane, where right is down and down is left.
                let (x, y) = if turned { (glyph.y, -glyph.x) } else { (glyph.x, glyph.y) };
                self.write_glyph(out, glyph.id, x, y);
            }
            if turned {
                out.push_str("</g>");
            }
        }
        out.push_str("</g>");
    }

    fn write_glyph(&mut self, out: &mut String, id: u16, x: i32, y: i32) {
        if Typeface::builtin().outline(id).ink.is_none() {
            return;
        }
        self.used.insert(id);
        put!(out, "<use href=\"#g{id}\"");
        for (name, at) in [("x", x), ("y", y)] {
            if at != 0 {
                put!(out, " {name}=\"{at}\"");
            }
        }
        out.push_str("/>");
    }

    /// The definitions of all glyphs that were written.
    pub(crate) fn define(&self, out: &mut String) {
        let face = Typeface::builtin();
        for id in &self.used {
            put!(out, "<path id=\"g{id}\" d=\"{}\"/>", face.outline(*id).path);
        }
    }
}

/// A scale of letters: small, and multiplied by a thousand, so it needs more digits than a place.
struct Unit(f64);

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.6}", self.0);
        f.write_str(text.trim_end_matches('0'))
    }
}
