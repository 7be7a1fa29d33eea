//! Glyphs in an SVG document: each is defined once and then referenced.

use std::collections::BTreeSet;

use crate::{
    Lettering, Typeface,
    color::Color,
    label::GlyphRun,
    typeface::EM,
    xml::{Num, Text, put},
};

/// The width of the halo around glyphs, in map units.
pub(crate) const HALO: f64 = 1.25;

/// The glyphs that a document references.
#[derive(Debug)]
pub(crate) struct GlyphDefs {
    lettering: Lettering,
    used: BTreeSet<u16>,
}

impl GlyphDefs {
    pub(crate) fn new(lettering: Lettering) -> Self {
        Self { lettering, used: BTreeSet::new() }
    }

    /// Writes a glyph run, optionally with a halo that separates it from the lines under it.
    pub(crate) fn write(&mut self, out: &mut String, lettering: &GlyphRun, fill: Option<Color>, halo: bool) {
        if self.lettering == Lettering::Text {
            write_text(out, lettering, fill, halo);
            return;
        }
        let GlyphRun { x, y, unit, glyphs, .. } = lettering;
        put!(out, "<g transform=\"translate({} {})scale({})\"", Num(*x), Num(*y), Unit(*unit));
        if halo {
            put!(out, " stroke-width=\"{}\"", Num(2.0 * HALO / unit));
        }
        if let Some(fill) = fill {
            put!(out, " fill=\"{fill}\"");
        }
        out.push('>');
        for run in glyphs.chunk_by(|a, b| a.rotated == b.rotated) {
            let rotated = run.first().is_some_and(|glyph| glyph.rotated);
            if rotated {
                out.push_str("<g transform=\"rotate(90)\">");
            }
            for glyph in run {
                // In the rotated coordinate system, right is down and down is left.
                let (x, y) = if rotated { (glyph.y, -glyph.x) } else { (glyph.x, glyph.y) };
                self.write_glyph(out, glyph.id, x, y);
            }
            if rotated {
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

    /// Writes the definitions of all referenced glyphs.
    pub(crate) fn define(&self, out: &mut String) {
        let face = Typeface::builtin();
        for id in &self.used {
            put!(out, "<path id=\"g{id}\" d=\"{}\"/>", face.outline(*id).path);
        }
    }
}

/// Writes a run as text, as long as its outlines would be.
fn write_text(out: &mut String, run: &GlyphRun, fill: Option<Color>, halo: bool) {
    if run.text.trim().is_empty() {
        return;
    }
    let face = Typeface::builtin();
    let ink = run.glyphs.iter().filter_map(|glyph| face.ink(glyph)).reduce(crate::glyph_outline::InkBounds::union);
    let Some(ink) = ink else { return };
    put!(out, "<text x=\"{}\" y=\"{}\" font-size=\"{}\"", Num(run.x), Num(run.y), Num(run.unit * f64::from(EM)));
    // The space before the first glyph is about that after the last one.
    let length = if run.down { ink.top + ink.bottom } else { ink.left + ink.right };
    put!(out, " textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", Num(f64::from(length) * run.unit));
    if run.down {
        out.push_str(" writing-mode=\"vertical-rl\"");
    }
    if halo {
        put!(out, " stroke-width=\"{}\"", Num(2.0 * HALO));
    }
    if let Some(fill) = fill {
        put!(out, " fill=\"{fill}\"");
    }
    put!(out, ">{}</text>", Text(&run.text));
}

/// A scale factor. It is small and multiplied by a thousand, so it needs more digits than a coordinate.
struct Unit(f64);

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.6}", self.0);
        f.write_str(text.trim_end_matches('0'))
    }
}
