//! The SVG document of a window, painted in this order: background, lines, connectors, marks, labels and legend.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use kaisatsu_model::{StationCode, Window};
use kaisatsu_railmap::{Line, Mark, RouteMap, Station};

use crate::{
    Lettering, Picture, Typeface,
    bounds::Bounds,
    bullets, connectors,
    glyph_defs::{GlyphDefs, HALO},
    label::{self, Alignment, GlyphRun},
    legend::Legend,
    line_path::{self, Point},
    marks,
    style::{Paint, Palette},
    way::Way,
    xml::{Num, Text, put},
};

/// The width of a line, in map units.
pub const LINE_WIDTH: f64 = 5.0;
/// The distance between parallel lines, which leaves a thin gap.
pub const LINE_PITCH: f64 = 6.0;

/// The width of a line with its casing. Where two lines cross, the casing shows which one is above.
const CASING_WIDTH: f64 = 2.0 * LINE_PITCH - LINE_WIDTH;
/// How much of a pale line's width its two darker edges take.
pub(crate) const EDGE_WIDTH: f64 = 1.2;

/// The fonts for letters that are written as text: those that look most like the outlines.
const FONTS: &str = "'Noto Sans JP','Noto Sans CJK JP','Hiragino Sans','Yu Gothic',sans-serif";

/// The zoom level in pixels per map unit. Details that are too small are left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zoom(pub(crate) f64);

impl Zoom {
    /// Full detail.
    pub(crate) const FULL: Self = Self(1.0);

    /// The line width, which has a minimum in pixels.
    fn line_width(self) -> f64 {
        LINE_WIDTH.max(1.8 / self.0)
    }

    fn shows_names(self) -> bool {
        self.0 >= 0.45
    }

    /// A connector is shown with the marks of interchanges.
    fn shows_connectors(self) -> bool {
        self.0 >= 0.15
    }

    fn shows_bullets(self) -> bool {
        self.0 >= 0.45
    }

    /// Numbers are about half as large as names.
    fn shows_numbers(self) -> bool {
        self.0 >= 1.4
    }

    fn shows_legend(self) -> bool {
        self.0 >= 0.2
    }

    fn shows(self, mark: &Mark) -> bool {
        !mark.is_text && self.0 >= if marks::is_interchange(mark) { 0.15 } else { 0.4 }
    }
}

/// Writes the document.
pub(crate) fn write(picture: &Picture<'_>, zoom: Zoom) -> String {
    let Picture { map, window, style, course, lettering, .. } = *picture;
    let palette = style.palette();
    let visible = Bounds::of(&window);
    let drawn_lines = drawn_lines(map, &palette);
    let mut defs = GlyphDefs::new(lettering);
    let mut body = String::with_capacity(64 * 1024);
    write_ground(&mut body, &window, &palette);
    write_lines(&mut body, &drawn_lines, &visible, &palette, zoom.line_width());
    if zoom.shows_connectors() {
        connectors::write_below(&mut body, map, &visible, &palette);
    }
    write_marks(&mut body, map, &drawn_lines, &visible, &palette, zoom, None);
    if zoom.shows_connectors() {
        connectors::write_above(&mut body, map, &visible, &palette);
    }
    if zoom.shows_bullets() {
        bullets::write(&mut body, &mut defs, map, &visible, &palette);
    }
    if zoom.shows_names() {
        write_names(&mut body, &mut defs, map, &drawn_lines, &visible, &palette, None);
    }
    if zoom.shows_numbers() {
        bullets::write_numbers(&mut body, &mut defs, map, &visible, &palette);
    }
    if zoom.shows_legend() {
        write_legend(&mut body, &mut defs, map, &visible, &palette);
    }
    if !course.is_empty() {
        let way = Way::through(map, course);
        way.write(&mut body, &visible, &palette);
        write_marks(&mut body, map, &drawn_lines, &visible, &palette, zoom, Some(&way));
        if zoom.shows_names() {
            write_names(&mut body, &mut defs, map, &drawn_lines, &visible, &palette, Some(&way));
        }
    }

    let Window { x, y, width, height } = window;
    let scale = picture.clamped_scale();
    let mut out = String::with_capacity(body.len() + 64 * 1024);
    #[expect(clippy::cast_precision_loss, reason = "a map is far smaller than the limit of exact floats")]
    let (wide, high) = (Num(width as f64 * scale), Num(height as f64 * scale));
    put!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\"");
    put!(out, " viewBox=\"{x} {y} {width} {height}\" role=\"img\"");
    if lettering == Lettering::Text {
        put!(out, " font-family=\"{FONTS}\"");
    }
    put!(out, "><title>{}</title><defs>", Text(map.title()));
    defs.define(&mut out);
    out.push_str("</defs>");
    out.push_str(&body);
    out.push_str("</svg>\n");
    out
}

/// A line to draw: its stations, its polylines and its colours.
struct DrawnLine<'a> {
    codes: &'a [Vec<StationCode>],
    polylines: Cow<'a, [Vec<Point>]>,
    paint: Paint,
}

fn drawn_lines<'a>(map: &'a RouteMap, palette: &Palette) -> Vec<DrawnLine<'a>> {
    let drawn_line = |line: &'a Line| DrawnLine {
        codes: &line.runs,
        polylines: line_path::polylines(map, line),
        paint: palette.paint(&line.color),
    };
    map.lines.iter().map(drawn_line).collect()
}

fn write_ground(out: &mut String, window: &Window, palette: &Palette) {
    let Window { x, y, width, height } = window;
    put!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", palette.ground);
}

fn write_lines(out: &mut String, drawn_lines: &[DrawnLine<'_>], visible: &Bounds, palette: &Palette, line_width: f64) {
    let margin_bounds = visible.expanded(CASING_WIDTH.max(line_width));
    out.push_str("<g class=\"lines\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">");
    for drawn_line in drawn_lines {
        let path: String =
            drawn_line.polylines.iter().map(|polyline| line_path::path(polyline, &margin_bounds)).collect();
        if path.is_empty() {
            continue;
        }
        let mut stroke = |color, width| {
            put!(out, "<path stroke=\"{color}\" stroke-width=\"{}\" d=\"{path}\"/>", Num(width));
        };
        // Widened lines have no gaps between them. A casing would hide the adjacent line.
        if line_width <= LINE_WIDTH {
            stroke(palette.ground, CASING_WIDTH);
        }
        match drawn_line.paint.edge {
            Some(edge) => {
                stroke(edge, line_width);
                stroke(drawn_line.paint.fill, line_width - EDGE_WIDTH);
            }
            None => stroke(drawn_line.paint.fill, line_width),
        }
    }
    out.push_str("</g>");
}

fn write_marks(
    out: &mut String,
    map: &RouteMap,
    drawn_lines: &[DrawnLine<'_>],
    visible: &Bounds,
    palette: &Palette,
    zoom: Zoom,
    way: Option<&Way<'_>>,
) {
    let margin_bounds = visible.expanded(1.0);
    let on_way = |station: &&Station| way.is_none_or(|way| way.stations.contains(&station.code));
    let drawn = |mark: &&Mark| zoom.shows(mark) && Bounds::of(&mark.shape.bounds()).meets(&margin_bounds);
    let stations: Vec<&Station> =
        map.stations().iter().filter(on_way).filter(|station| station.marks.iter().any(|mark| drawn(&mark))).collect();
    let single_line = single_lines(&stations, drawn_lines);
    put!(out, "<g class=\"marks\" fill=\"{}\">", palette.mark);
    for station in stations {
        let color = single_line.get(&station.code).map(|at| drawn_lines[*at].paint.outline());
        for mark in station.marks.iter().filter(drawn) {
            marks::write(out, mark, color, palette);
        }
    }
    out.push_str("</g>");
}

/// The line of each station that is on only one.
fn single_lines(stations: &[&Station], drawn_lines: &[DrawnLine<'_>]) -> HashMap<StationCode, usize> {
    let wanted: HashSet<StationCode> = stations.iter().map(|station| station.code).collect();
    let mut on: HashMap<StationCode, Option<usize>> = HashMap::new();
    for (at, drawn_line) in drawn_lines.iter().enumerate() {
        for code in drawn_line.codes.iter().flatten().filter(|code| wanted.contains(code)) {
            on.entry(*code).and_modify(|sole| *sole = sole.filter(|sole| *sole == at)).or_insert(Some(at));
        }
    }
    on.into_iter().filter_map(|(code, sole)| Some((code, sole?))).collect()
}

fn write_names(
    out: &mut String,
    defs: &mut GlyphDefs,
    map: &RouteMap,
    drawn_lines: &[DrawnLine<'_>],
    visible: &Bounds,
    palette: &Palette,
    way: Option<&Way<'_>>,
) {
    let margin_bounds = visible.expanded(HALO + 1.0);
    let on_way = |station: &&Station| way.is_none_or(|way| way.stations.contains(&station.code));
    let texts = map.stations().iter().filter(on_way).flat_map(|station| {
        let texts = station.marks.iter().filter(|mark| mark.is_text);
        texts.map(move |mark| (station, mark.shape.bounds()))
    });
    let texts: Vec<_> = texts.filter(|(_, rect)| Bounds::of(rect).meets(&margin_bounds)).collect();
    let under = LinesUnderLabels::of(&texts, drawn_lines);
    put!(out, "<g class=\"names\" fill=\"{}\" stroke-linejoin=\"bevel\">", palette.ink);
    for (station, rect) in &texts {
        let mark = station.marks.iter().find(|mark| !mark.is_text).map(|mark| mark.shape.bounds());
        let flush = Alignment::toward(mark.as_ref(), rect, station.label.down);
        let rows = label::typeset(Typeface::builtin(), &station.label, rect, flush);
        let name = Text(station.name_in(map.language));
        put!(out, "<g class=\"label\" data-code=\"{}\" aria-label=\"{name}\"><title>{name}</title>", station.code);
        if under.cross(&Bounds::of(rect)) {
            put!(out, "<g stroke=\"{}\">", palette.ground);
            for row in &rows {
                defs.write(out, row, None, true);
            }
            out.push_str("</g>");
        }
        for row in &rows {
            defs.write(out, row, row.small.then_some(palette.soft_ink), false);
        }
        out.push_str("</g>");
    }
    out.push_str("</g>");
}

/// The lines under labels. A halo costs more than the glyphs themselves, so only labels on a line get one.
struct LinesUnderLabels {
    segments: Vec<(Point, Point)>,
}

impl LinesUnderLabels {
    /// Includes lines outside the window, so that a label at its edge looks the same in the adjacent window.
    fn of(texts: &[(&Station, Window)], drawn_lines: &[DrawnLine<'_>]) -> Self {
        let near_labels = texts.iter().map(|(_, rect)| Bounds::of(rect)).reduce(Bounds::union);
        let Some(near_labels) = near_labels.map(|area| area.expanded(LINE_WIDTH)) else {
            return Self { segments: Vec::new() };
        };
        let segments = drawn_lines
            .iter()
            .flat_map(|drawn_line| drawn_line.polylines.iter())
            .flat_map(|polyline| polyline.windows(2));
        let segments =
            segments.map(|pair| (pair[0], pair[1])).filter(|(from, to)| near_labels.intersects_segment(*from, *to));
        Self { segments: segments.collect() }
    }

    fn cross(&self, text: &Bounds) -> bool {
        let text = text.expanded(LINE_WIDTH / 2.0);
        self.segments.iter().any(|(from, to)| text.intersects_segment(*from, *to))
    }
}

fn write_legend(out: &mut String, defs: &mut GlyphDefs, map: &RouteMap, visible: &Bounds, palette: &Palette) {
    let Some(bounds) = map.legend.filter(|bounds| Bounds::of(bounds).meets(visible)) else { return };
    Legend::of(map).place_in(&Bounds::of(&bounds)).write(out, defs, palette, visible);
}

impl GlyphRun {
    /// Writes the run in the inherited colour.
    pub(crate) fn write(&self, out: &mut String, defs: &mut GlyphDefs) {
        defs.write(out, self, None, false);
    }
}
