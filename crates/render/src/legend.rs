//! The legend: the map's name, every line with its colour and names, the edition and the credits.

use kaisatsu_model::MapLanguage;
use kaisatsu_railmap::{Line, RouteMap};

use crate::{
    LINE_WIDTH, LabelSize, NAME_SIZE, SMALL_SIZE, Typeface,
    bounds::Bounds,
    bullets,
    glyph_defs::GlyphDefs,
    label::{GlyphRun, round_up},
    style::{Paint, Palette},
    svg_document::EDGE_WIDTH,
    typeface::EM,
    xml::{Num, put},
};

const MARGIN: f64 = 16.0;
const HEADING_SIZE: f64 = 22.0;
/// From the heading's baseline to the first entry.
const HEADING_GAP: f64 = 16.0;
const SWATCH: f64 = 26.0;
const SWATCH_GAP: f64 = 8.0;
const COLUMN_GAP: f64 = 26.0;
/// The distance between entries, with and without a second name.
const PITCH: f64 = 19.0;
const PITCH_WITH_SMALL: f64 = 28.0;
const FOOTER_GAP: f64 = 12.0;
const FOOTER_PITCH: f64 = 12.0;
/// The footer is not wrapped at a smaller width if there is more space.
const MIN_FOOTER_WIDTH: f64 = 320.0;

/// Sizes are rounded up, so they are never too small by more than this.
const TOLERANCE: f64 = 0.001;
/// The smallest scale, about 0.9 to the power of 60.
const MIN_SCALE: f64 = 0.002;

/// The contents of a legend.
#[derive(Debug, Clone)]
pub struct Legend<'a> {
    heading: GlyphRun,
    footer: String,
    entries: Vec<LineEntry<'a>>,
    /// Both names of each entry.
    names: Vec<[GlyphRun; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct LineEntry<'a> {
    name: &'a str,
    translation: &'a str,
    color: &'a str,
    symbol: &'a str,
    operator: &'a str,
}

impl<'a> Legend<'a> {
    /// Creates a legend. Lines with the same names and colour are one entry.
    #[must_use]
    pub fn new(name: &str, edition: &str, credits: &str, lines: &'a [Line], language: MapLanguage) -> Self {
        let mut entries = Vec::with_capacity(lines.len());
        for line in lines {
            let translation = if language == MapLanguage::English { "" } else { line.translation.as_str() };
            let (symbol, operator) = (line.symbol.as_str(), line.operator.as_str());
            let entry = LineEntry { name: line.name_in(language), translation, color: &line.color, symbol, operator };
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        sort_by_operator(&mut entries);
        let between = if edition.is_empty() || credits.is_empty() { "" } else { " — " };
        let face = Typeface::builtin();
        Self {
            heading: GlyphRun::line(face, name, HEADING_SIZE, 0.0, 0.0),
            footer: format!("{edition}{between}{credits}"),
            names: entries.iter().map(|entry| names(face, entry)).collect(),
            entries,
        }
    }

    /// The legend of a map.
    #[must_use]
    pub fn of(map: &'a RouteMap) -> Self {
        Self::new(map.title(), &map.edition, &map.credits, &map.lines, map.language)
    }

    /// The size of the legend for a width. It is wider if the longest name needs more space.
    #[must_use]
    pub fn size_for(&self, width: i32) -> LabelSize {
        let layout = self.layout(f64::from(width));
        LabelSize { width: round_up(layout.width), height: round_up(layout.height) }
    }

    /// Lays out the legend in a rectangle, scaled down if the rectangle is too small.
    pub(crate) fn place_in(&self, bounds: &Bounds) -> PlacedLegend<'_> {
        let fits = |scale: &f64| {
            let layout = self.layout(bounds.width() / scale);
            layout.height * scale <= bounds.height() + TOLERANCE && layout.width * scale <= bounds.width() + TOLERANCE
        };
        let scale = (0..60).map(|step| 0.9_f64.powi(step)).find(fits).unwrap_or(MIN_SCALE);
        PlacedLegend { layout: self.layout(bounds.width() / scale), bounds: *bounds, scale }
    }

    fn layout(&self, width: f64) -> LegendLayout<'_> {
        let face = Typeface::builtin();
        let (heading, names) = (self.heading.clone(), self.names.clone());
        let column = names.iter().flatten().map(|row| row.end(face)).fold(SWATCH, f64::max);
        let size_for = width - 2.0 * MARGIN;
        let columns = count((size_for + COLUMN_GAP) / (column + COLUMN_GAP)).clamp(1, names.len().max(1));
        let per_column = names.len().div_ceil(columns);
        let columns = names.len().div_ceil(per_column.max(1)).max(1);
        let all = float(columns) * (column + COLUMN_GAP) - COLUMN_GAP;
        let inner = all.max(heading.end(face)).max(MIN_FOOTER_WIDTH.min(size_for));
        let footer = wrap(face, &self.footer, inner);

        let has_small = self.entries.iter().any(|entry| !entry.translation.is_empty());
        let pitch = if has_small { PITCH_WITH_SMALL } else { PITCH };
        let top = MARGIN + HEADING_SIZE + HEADING_GAP;
        let entries = names.into_iter().zip(&self.entries).enumerate().map(|(at, (names, entry))| {
            let (across, down) = (at / per_column.max(1), at % per_column.max(1));
            let x = MARGIN + float(across) * (column + COLUMN_GAP);
            let y = top + float(down) * pitch;
            let names = names.map(|row| row.translated(x, y));
            LegendEntry { x, y: y + NAME_SIZE / 2.0, color: entry.color, symbol: entry.symbol, names }
        });
        let entries: Vec<_> = entries.collect();
        let below =
            top + float(per_column) * pitch - (pitch - NAME_SIZE) + if has_small { SMALL_SIZE + 1.0 } else { 0.0 };
        let mut y = below + FOOTER_GAP;
        let footer: Vec<_> = footer
            .into_iter()
            .map(|row| {
                y += FOOTER_PITCH;
                GlyphRun::line(face, &row, SMALL_SIZE, MARGIN, y)
            })
            .collect();
        let end = if footer.is_empty() { below } else { y };
        LegendLayout {
            heading: heading.translated(MARGIN, MARGIN + HEADING_SIZE * 0.9),
            entries,
            footer,
            column,
            width: inner + 2.0 * MARGIN,
            height: end + MARGIN,
        }
    }
}

/// Puts the lines of each operator together, in the order of their first lines.
fn sort_by_operator(entries: &mut [LineEntry<'_>]) {
    let mut operators: Vec<&str> = Vec::new();
    for entry in entries.iter() {
        if !operators.contains(&entry.operator) {
            operators.push(entry.operator);
        }
    }
    entries.sort_by_key(|entry| operators.iter().position(|operator| *operator == entry.operator));
}

/// Both names of a line, to the right of a swatch whose top is at (0, 0).
fn names(face: &Typeface, entry: &LineEntry<'_>) -> [GlyphRun; 2] {
    let x = SWATCH + SWATCH_GAP;
    let small = GlyphRun::line(face, entry.translation, SMALL_SIZE, x, 1.88 * NAME_SIZE - 1.5);
    [GlyphRun::line(face, entry.name, NAME_SIZE, x, 0.88 * NAME_SIZE), GlyphRun { small: true, ..small }]
}

/// The layout of a legend, relative to its top left corner.
struct LegendLayout<'a> {
    heading: GlyphRun,
    entries: Vec<LegendEntry<'a>>,
    footer: Vec<GlyphRun>,
    column: f64,
    width: f64,
    height: f64,
}

struct LegendEntry<'a> {
    x: f64,
    y: f64,
    color: &'a str,
    symbol: &'a str,
    names: [GlyphRun; 2],
}

/// A legend with its bounds on the map.
pub(crate) struct PlacedLegend<'a> {
    layout: LegendLayout<'a>,
    bounds: Bounds,
    scale: f64,
}

impl PlacedLegend<'_> {
    /// Writes the entries that are visible.
    pub(crate) fn write(&self, out: &mut String, defs: &mut GlyphDefs, palette: &Palette, visible: &Bounds) {
        let (bounds, layout) = (&self.bounds, &self.layout);
        let at = |x: f64, y: f64| (bounds.left + x * self.scale, bounds.top + y * self.scale);
        let is_shown = |entry: &&LegendEntry<'_>| {
            let (left, right) = (entry.x, entry.x + layout.column);
            Bounds::of_segment(at(left, entry.y - PITCH), at(right, entry.y + PITCH)).meets(visible)
        };
        let frame = bounds.expanded(-0.5);
        put!(out, "<g class=\"legend\"><rect x=\"{}\" y=\"{}\"", Num(frame.left), Num(frame.top));
        put!(out, " width=\"{}\" height=\"{}\" rx=\"6\"", Num(frame.width()), Num(frame.height()));
        put!(out, " fill=\"{}\" stroke=\"{}\"/>", palette.ground, palette.frame);
        put!(out, "<g transform=\"translate({} {})", Num(bounds.left), Num(bounds.top));
        if self.scale < 1.0 {
            put!(out, "scale({:.4})", self.scale);
        }
        put!(out, "\" fill=\"{}\">", palette.ink);
        layout.heading.write(out, defs);
        for entry in layout.entries.iter().filter(is_shown) {
            entry.write(out, defs, palette);
        }
        put!(out, "<g fill=\"{}\">", palette.soft_ink);
        layout.footer.iter().for_each(|row| row.write(out, defs));
        out.push_str("</g></g></g>");
    }
}

impl LegendEntry<'_> {
    fn write(&self, out: &mut String, defs: &mut GlyphDefs, palette: &Palette) {
        let Paint { fill, edge } = palette.paint(self.color);
        let (x, y) = (self.x + LINE_WIDTH / 2.0, self.y);
        let length = SWATCH - LINE_WIDTH;
        let mut stroke = |color, width| {
            put!(out, "<path d=\"M{} {}h{}\" stroke-linecap=\"round\"", Num(x), Num(y), Num(length));
            put!(out, " stroke=\"{color}\" stroke-width=\"{}\"/>", Num(width));
        };
        if let Some(edge) = edge {
            stroke(edge, LINE_WIDTH);
        }
        stroke(fill, if edge.is_some() { LINE_WIDTH - EDGE_WIDTH } else { LINE_WIDTH });
        let middle = (self.x + SWATCH / 2.0, self.y);
        bullets::write_symbol(out, defs, (self.symbol, self.color), middle, palette);
        let [name, translation] = &self.names;
        name.write(out, defs);
        defs.write(out, translation, Some(palette.soft_ink), false);
    }
}

/// Wraps a text into rows of at most this width, between words or between ideographs.
fn wrap(face: &Typeface, text: &str, width: f64) -> Vec<String> {
    let mut rows = Vec::new();
    let (mut row, mut length) = (String::new(), 0.0);
    for word in words(text) {
        let long = GlyphRun::line(face, word, SMALL_SIZE, 0.0, 0.0).end(face);
        if length + long > width && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
            length = 0.0;
        }
        row.push_str(word);
        // A space at the end has no ink. It is about a quarter of the size wide.
        length += long + if word.ends_with(' ') { SMALL_SIZE / 4.0 } else { SMALL_SIZE / 16.0 };
    }
    if !row.trim().is_empty() {
        rows.push(row);
    }
    rows
}

/// The parts of a text between which a row may break.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|char: char| char == ' ' || char >= '\u{3000}')
}

impl GlyphRun {
    /// One horizontal row with its baseline at (x, y).
    pub(crate) fn line(face: &Typeface, text: &str, size: f64, x: f64, y: f64) -> Self {
        let unit = size / f64::from(EM);
        let glyphs = crate::shaped_row::ShapedRow::horizontal(face, text).glyphs;
        Self { x, y, unit, small: false, text: text.to_owned(), down: false, glyphs }
    }

    pub(crate) fn translated(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }

    /// The right edge of its ink.
    pub(crate) fn end(&self, face: &Typeface) -> f64 {
        let right = self.glyphs.iter().filter_map(|glyph| face.ink(glyph)).map(|ink| ink.right).max();
        self.x + f64::from(right.unwrap_or(0)) * self.unit
    }
}

#[expect(clippy::cast_precision_loss, reason = "a legend has some hundreds of lines")]
fn float(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "never negative: floats saturate")]
fn count(number: f64) -> usize {
    number.max(0.0) as usize
}
