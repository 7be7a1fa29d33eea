//! The legend: the map's name, every line with its colour and its names, and where the facts come from.

use kaisatsu_railmap::{Line, RouteMap};

use crate::{
    LINE_WIDTH, NAME_SIZE, Placed, SMALL_SIZE, Typeface,
    area::Area,
    document::EDGES,
    label::{Lettering, up},
    letters::Letters,
    style::{Paint, Palette},
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
/// From one entry to the next, with and without a second name.
const PITCH: f64 = 19.0;
const PITCH_WITH_SMALL: f64 = 28.0;
const FOOT_GAP: f64 = 12.0;
const FOOT_PITCH: f64 = 12.0;
/// A foot is not broken narrower than this as long as there is room.
const FOOT_WIDTH: f64 = 320.0;

/// The room that a legend takes is rounded up, and so is never missed by this much.
const SLACK: f64 = 0.001;
/// The smallest scale; 0.9 to the power of 60 or so.
const SMALLEST: f64 = 0.002;

/// What a legend says.
#[derive(Debug, Clone)]
pub struct Legend<'a> {
    heading: Lettering,
    foot: String,
    entries: Vec<Entry<'a>>,
    /// Both names of each entry.
    names: Vec<[Lettering; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry<'a> {
    name: &'a str,
    translation: &'a str,
    color: &'a str,
}

impl<'a> Legend<'a> {
    /// A legend of its own making: lines that share name and colour are one entry.
    #[must_use]
    pub fn new(name: &str, edition: &str, credits: &str, lines: &'a [Line]) -> Self {
        let mut entries = Vec::with_capacity(lines.len());
        for line in lines {
            let entry = Entry { name: &line.name, translation: &line.translation, color: &line.color };
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        let between = if edition.is_empty() || credits.is_empty() { "" } else { " — " };
        let face = Typeface::builtin();
        Self {
            heading: Lettering::line(face, name, HEADING_SIZE, 0.0, 0.0),
            foot: format!("{edition}{between}{credits}"),
            names: entries.iter().map(|entry| names(face, entry)).collect(),
            entries,
        }
    }

    /// The legend of a map.
    #[must_use]
    pub fn of(map: &'a RouteMap) -> Self {
        Self::new(&map.name, &map.edition, &map.credits, &map.lines)
    }

    /// The room that it takes when it should be this wide: more when the longest name needs more.
    #[must_use]
    pub fn room(&self, width: i32) -> Placed {
        let laid = self.lay(f64::from(width));
        Placed { width: up(laid.width), height: up(laid.height) }
    }

    /// Lays the legend out in a place, smaller when the place is too small for it.
    pub(crate) fn settle(&self, place: &Area) -> Settled<'_> {
        let fits = |scale: &f64| {
            let laid = self.lay(place.width() / scale);
            laid.height * scale <= place.height() + SLACK && laid.width * scale <= place.width() + SLACK
        };
        let scale = (0..60).map(|step| 0.9_f64.powi(step)).find(fits).unwrap_or(SMALLEST);
        Settled { laid: self.lay(place.width() / scale), place: *place, scale }
    }

    fn lay(&self, width: f64) -> Laid<'_> {
        let face = Typeface::builtin();
        let (heading, names) = (self.heading.clone(), self.names.clone());
        let column = names.iter().flatten().map(|row| row.end(face)).fold(SWATCH, f64::max);
        let room = width - 2.0 * MARGIN;
        let columns = count((room + COLUMN_GAP) / (column + COLUMN_GAP)).clamp(1, names.len().max(1));
        let per_column = names.len().div_ceil(columns);
        let columns = names.len().div_ceil(per_column.max(1)).max(1);
        let all = float(columns) * (column + COLUMN_GAP) - COLUMN_GAP;
        let inner = all.max(heading.end(face)).max(FOOT_WIDTH.min(room));
        let foot = wrap(face, &self.foot, inner);

        let has_small = self.entries.iter().any(|entry| !entry.translation.is_empty());
        let pitch = if has_small { PITCH_WITH_SMALL } else { PITCH };
        let top = MARGIN + HEADING_SIZE + HEADING_GAP;
        let entries = names.into_iter().zip(&self.entries).enumerate().map(|(at, (names, entry))| {
            let (across, down) = (at / per_column.max(1), at % per_column.max(1));
            let x = MARGIN + float(across) * (column + COLUMN_GAP);
            let y = top + float(down) * pitch;
            Swatch { x, y: y + NAME_SIZE / 2.0, color: entry.color, names: names.map(|row| row.moved(x, y)) }
        });
        let entries: Vec<_> = entries.collect();
        let below =
            top + float(per_column) * pitch - (pitch - NAME_SIZE) + if has_small { SMALL_SIZE + 1.0 } else { 0.0 };
        let mut y = below + FOOT_GAP;
        let foot: Vec<_> = foot
            .into_iter()
            .map(|row| {
                y += FOOT_PITCH;
                Lettering::line(face, &row, SMALL_SIZE, MARGIN, y)
            })
            .collect();
        let end = if foot.is_empty() { below } else { y };
        Laid {
            heading: heading.moved(MARGIN, MARGIN + HEADING_SIZE * 0.9),
            entries,
            foot,
            column,
            width: inner + 2.0 * MARGIN,
            height: end + MARGIN,
        }
    }
}

/// Both names of a line, to the right of a swatch whose top is at (0, 0).
fn names(face: &Typeface, entry: &Entry<'_>) -> [Lettering; 2] {
    let x = SWATCH + SWATCH_GAP;
    let small = Lettering::line(face, entry.translation, SMALL_SIZE, x, 1.88 * NAME_SIZE - 1.5);
    [Lettering::line(face, entry.name, NAME_SIZE, x, 0.88 * NAME_SIZE), Lettering { small: true, ..small }]
}

/// Everything of a legend on its place, from the top-left corner of the legend.
struct Laid<'a> {
    heading: Lettering,
    entries: Vec<Swatch<'a>>,
    foot: Vec<Lettering>,
    column: f64,
    width: f64,
    height: f64,
}

struct Swatch<'a> {
    x: f64,
    y: f64,
    color: &'a str,
    names: [Lettering; 2],
}

/// A legend in its place on the map.
pub(crate) struct Settled<'a> {
    laid: Laid<'a>,
    place: Area,
    scale: f64,
}

impl Settled<'_> {
    /// Writes as much of it as the area shows.
    pub(crate) fn write(&self, out: &mut String, letters: &mut Letters, palette: &Palette, shown: &Area) {
        let (place, laid) = (&self.place, &self.laid);
        let at = |x: f64, y: f64| (place.left + x * self.scale, place.top + y * self.scale);
        let is_shown = |swatch: &&Swatch<'_>| {
            let (left, right) = (swatch.x, swatch.x + laid.column);
            Area::around(at(left, swatch.y - PITCH), at(right, swatch.y + PITCH)).meets(shown)
        };
        let frame = place.grown(-0.5);
        put!(out, "<g class=\"legend\"><rect x=\"{}\" y=\"{}\"", Num(frame.left), Num(frame.top));
        put!(out, " width=\"{}\" height=\"{}\" rx=\"6\"", Num(frame.width()), Num(frame.height()));
        put!(out, " fill=\"{}\" stroke=\"{}\"/>", palette.ground, palette.frame);
        put!(out, "<g transform=\"translate({} {})", Num(place.left), Num(place.top));
        if self.scale < 1.0 {
            put!(out, "scale({:.4})", self.scale);
        }
        put!(out, "\" fill=\"{}\">", palette.ink);
        laid.heading.write(out, letters);
        for swatch in laid.entries.iter().filter(is_shown) {
            swatch.write(out, letters, palette);
        }
        put!(out, "<g fill=\"{}\">", palette.soft_ink);
        laid.foot.iter().for_each(|row| row.write(out, letters));
        out.push_str("</g></g></g>");
    }
}

impl Swatch<'_> {
    fn write(&self, out: &mut String, letters: &mut Letters, palette: &Palette) {
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
        stroke(fill, if edge.is_some() { LINE_WIDTH - EDGES } else { LINE_WIDTH });
        let [name, translation] = &self.names;
        name.write(out, letters);
        letters.write(out, translation, Some(palette.soft_ink), false);
    }
}

/// Breaks a text into rows that are not wider than this, between words or between ideographs.
fn wrap(face: &Typeface, text: &str, width: f64) -> Vec<String> {
    let mut rows = Vec::new();
    let (mut row, mut length) = (String::new(), 0.0);
    for word in words(text) {
        let long = Lettering::line(face, word, SMALL_SIZE, 0.0, 0.0).end(face);
        if length + long > width && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
            length = 0.0;
        }
        row.push_str(word);
        // A blank at the end leaves no ink; a quarter of the size is about as wide.
        length += long + if word.ends_with(' ') { SMALL_SIZE / 4.0 } else { SMALL_SIZE / 16.0 };
    }
    if !row.trim().is_empty() {
        rows.push(row);
    }
    rows
}

/// The pieces of a text between which a row may end.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|char: char| char == ' ' || char >= '\u{3000}')
}

impl Lettering {
    /// One row across, its baseline at this place.
    fn line(face: &Typeface, text: &str, size: f64, x: f64, y: f64) -> Self {
        let unit = size / f64::from(EM);
        Self { x, y, unit, small: false, glyphs: crate::row::Row::across(face, text).glyphs }
    }

    fn moved(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }

    /// How far to the right its ink reaches.
    fn end(&self, face: &Typeface) -> f64 {
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
