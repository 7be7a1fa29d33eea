//! Draws the bullets of lines, and the numbers of stations.

use kaisatsu_model::Window;
use kaisatsu_railmap::{Label, Line, RouteMap, Station};

use crate::{
    LabelSize, Typeface,
    bounds::Bounds,
    color::Color,
    glyph_defs::GlyphDefs,
    label::{self, Alignment, GlyphRun, round_up},
    style::Palette,
    xml::{Num, put},
};

/// The height of a bullet, in map units. It is wider than a line, so that its symbol is as readable as small print.
const BULLET_HEIGHT: f64 = 11.0;
/// The font size of symbols.
const SYMBOL_SIZE: f64 = 7.6;
/// The height of capital letters and digits, in font sizes.
const CAPITALS: f64 = 0.73;
/// The space to the left and to the right of a symbol.
const BULLET_PADDING: f64 = 2.6;
/// The gap around a bullet, in which lines are not drawn.
const BULLET_GAP: f64 = 1.0;
/// The size of station numbers in relation to names.
const NUMBER_SCALE: f64 = 0.55;
/// The most numbers in a row.
const NUMBERS_PER_ROW: usize = 3;
/// White letters need this contrast; otherwise they are dark.
const LETTER_CONTRAST: f64 = 2.6;

/// The size of a line's bullet.
#[must_use]
pub fn bullet_size(symbol: &str) -> (f64, f64) {
    let width = symbol_run(symbol).map_or(0.0, |run| run.end(Typeface::builtin()));
    ((width + 2.0 * BULLET_PADDING).max(BULLET_HEIGHT), BULLET_HEIGHT)
}

/// The size of a station's numbers; `None` if it has none.
#[must_use]
pub fn measure_numbers(numbers: &[String]) -> Option<LabelSize> {
    if numbers.is_empty() {
        return None;
    }
    let LabelSize { width, height } = label::measure(Typeface::builtin(), &numbers_label(numbers));
    let scaled = |side: i32| round_up(f64::from(side) * NUMBER_SCALE);
    Some(LabelSize { width: scaled(width), height: scaled(height) })
}

fn numbers_label(numbers: &[String]) -> Label {
    let rows = numbers.chunks(NUMBERS_PER_ROW).map(|row| row.join(" ")).collect();
    Label { rows, ..Label::plain("") }
}

fn symbol_run(symbol: &str) -> Option<GlyphRun> {
    (!symbol.is_empty()).then(|| GlyphRun::line(Typeface::builtin(), symbol, SYMBOL_SIZE, 0.0, 0.0))
}

/// Writes the bullets of all lines.
pub(crate) fn write(out: &mut String, defs: &mut GlyphDefs, map: &RouteMap, visible: &Bounds, palette: &Palette) {
    let near = visible.expanded(2.0 * BULLET_HEIGHT);
    out.push_str("<g class=\"bullets\">");
    for line in map.lines.iter().filter(|line| !line.symbol.is_empty()) {
        for &(x, y) in line.bullets.iter().filter(|point| near.intersects_segment(**point, **point)) {
            write_bullet(out, defs, line, (x, y), palette);
        }
    }
    out.push_str("</g>");
}

fn write_bullet(out: &mut String, defs: &mut GlyphDefs, line: &Line, (x, y): (f64, f64), palette: &Palette) {
    put!(out, "<g class=\"bullet\" data-line=\"{}\">", line.code);
    write_symbol(out, defs, (&line.symbol, &line.color), (x, y), palette);
    out.push_str("</g>");
}

/// Writes a symbol on the colour of its line, around a point.
pub(crate) fn write_symbol(
    out: &mut String,
    defs: &mut GlyphDefs,
    (symbol, color): (&str, &str),
    (x, y): (f64, f64),
    palette: &Palette,
) {
    let Some(run) = symbol_run(symbol) else { return };
    let (width, height) = bullet_size(symbol);
    let paint = palette.paint(color);
    put!(out, "<rect x=\"{}\" y=\"{}\"", Num(x - width / 2.0), Num(y - height / 2.0));
    put!(out, " width=\"{}\" height=\"{}\" rx=\"{}\"", Num(width), Num(height), Num(height / 2.0));
    put!(out, " fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>", paint.fill, palette.ground, Num(BULLET_GAP));
    let end = run.end(Typeface::builtin());
    let run = run.translated(x - end / 2.0, y + SYMBOL_SIZE * CAPITALS / 2.0);
    defs.write(out, &run, Some(letter_color(paint.fill)), false);
}

/// White, or nearly black on light colours.
fn letter_color(fill: Color) -> Color {
    const WHITE: Color = Color(0xff, 0xff, 0xff);
    const DARK: Color = Color(0x1a, 0x21, 0x2b);
    if WHITE.contrast(fill) >= LETTER_CONTRAST { WHITE } else { DARK }
}

/// Writes the numbers of all stations.
pub(crate) fn write_numbers(
    out: &mut String,
    defs: &mut GlyphDefs,
    map: &RouteMap,
    visible: &Bounds,
    palette: &Palette,
) {
    put!(out, "<g class=\"numbers\" fill=\"{}\">", palette.soft_ink);
    for (station, rect) in map.stations().iter().filter_map(|station| Some((station, station.numbers_at?))) {
        if Bounds::of(&rect).meets(visible) && !station.numbers.is_empty() {
            write_numbers_of(out, defs, station, &rect);
        }
    }
    out.push_str("</g>");
}

fn write_numbers_of(out: &mut String, defs: &mut GlyphDefs, station: &Station, rect: &Window) {
    let mark = station.marks.iter().find(|mark| !mark.is_text).map(|mark| mark.shape.bounds());
    let flush = Alignment::toward(mark.as_ref(), rect, false);
    for row in label::typeset(Typeface::builtin(), &numbers_label(&station.numbers), rect, flush) {
        row.write(out, defs);
    }
}

#[cfg(test)]
mod tests {
    use super::{bullet_size, letter_color, measure_numbers};
    use crate::color::Color;

    #[test]
    fn a_bullet_is_round_unless_its_symbol_is_long() {
        let (width, height) = bullet_size("G");
        assert!((width - height).abs() < 0.01, "{width} {height}");
        assert!(bullet_size("JY").0 > height);
        assert!(bullet_size("OsMR").0 > bullet_size("JY").0);
    }

    #[test]
    fn letters_are_dark_on_light_colours() {
        assert_eq!(letter_color(Color(0xff, 0xd4, 0x00)), Color(0x1a, 0x21, 0x2b));
        assert_eq!(letter_color(Color(0xe6, 0x00, 0x12)), Color(0xff, 0xff, 0xff));
    }

    #[test]
    fn numbers_are_set_in_rows_of_three() {
        let numbers = |count: usize| vec!["G09".to_owned(); count];
        let size = |count| measure_numbers(&numbers(count)).unwrap();
        assert!(size(3).width > 2 * size(1).width);
        assert_eq!(size(4).width, size(3).width);
        assert!(size(4).height > size(3).height);
        assert_eq!(measure_numbers(&[]), None);
    }
}
