//! The SVG document of a window: the ground, then lines, marks, names and the legend, each above the one before.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use kaisatsu_model::{StationCode, Window};
use kaisatsu_railmap::{Line, Mark, RouteMap, Station};

use crate::{
    Picture, Typeface,
    area::Area,
    label::{self, Flush, Lettering},
    legend::Legend,
    letters::{HALO, Letters},
    marks,
    style::{Paint, Palette},
    track::{self, Point},
    xml::{Num, Text, put},
};

/// How wide a line is drawn, in map units.
pub const LINE_WIDTH: f64 = 5.0;
/// How far apart two lines run that lie side by side: a thin gap of the ground stays between them.
pub const LINE_PITCH: f64 = 6.0;

/// A line with its casing: where two cross, the casing shows which is above.
const CASING_WIDTH: f64 = 2.0 * LINE_PITCH - LINE_WIDTH;
/// How much of a pale line its two darker edges take.
pub(crate) const EDGES: f64 = 1.2;

/// From how far away a map is drawn: pixels for one map unit. What would be dust is left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zoom(pub(crate) f64);

impl Zoom {
    /// Near enough to show everything.
    pub(crate) const FULL: Self = Self(1.0);

    /// Lines do not become hairs.
    fn line_width(self) -> f64 {
        LINE_WIDTH.max(1.8 / self.0)
    }

    fn shows_names(self) -> bool {
        self.0 >= 0.45
    }

    fn shows_legend(self) -> bool {
        self.0 >= 0.2
    }

    fn shows(self, mark: &Mark) -> bool {
        !mark.is_text && self.0 >= if marks::is_interchange(mark) { 0.15 } else { 0.4 }
    }
}

/// Writes the whole document.
pub(crate) fn write(picture: &Picture<'_>, zoom: Zoom) -> String {
    let Picture { map, window, scale, style } = *picture;
    let palette = style.palette();
    let shown = Area::of(&window);
    let tracks = tracks(map, &palette);
    let mut letters = Letters::default();
    let mut body = String::with_capacity(64 * 1024);
    write_ground(&mut body, &window, &palette);
    write_tracks(&mut body, &tracks, &shown, &palette, zoom.line_width());
    write_marks(&mut body, map, &tracks, &shown, &palette, zoom);
    if zoom.shows_names() {
        write_names(&mut body, &mut letters, map, &tracks, &shown, &palette);
    }
    if zoom.shows_legend() {
        write_legend(&mut body, &mut letters, map, &shown, &palette);
    }

    let Window { x, y, width, height } = window;
    let scale = i64::from(scale.clamp(1, 3));
    let mut out = String::with_capacity(body.len() + 64 * 1024);
    let (wide, high) = (width.saturating_mul(scale), height.saturating_mul(scale));
    put!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\"");
    put!(out, " viewBox=\"{x} {y} {width} {height}\" role=\"img\"><title>{}</title><defs>", Text(&map.name));
    letters.define(&mut out);
    out.push_str("</defs>");
    out.push_str(&body);
    out.push_str("</svg>\n");
    out
}

/// A line on its way over the map.
struct Track<'a> {
    codes: &'a [Vec<StationCode>],
    ways: Cow<'a, [Vec<Point>]>,
    paint: Paint,
}

fn tracks<'a>(map: &'a RouteMap, palette: &Palette) -> Vec<Track<'a>> {
    let track =
        |line: &'a Line| Track { codes: &line.runs, ways: track::ways(map, line), paint: palette.paint(&line.color) };
    map.lines.iter().map(track).collect()
}

fn write_ground(out: &mut String, window: &Window, palette: &Palette) {
    let Window { x, y, width, height } = window;
    put!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", palette.ground);
}

fn write_tracks(out: &mut String, tracks: &[Track<'_>], shown: &Area, palette: &Palette, line_width: f64) {
    let near = shown.grown(CASING_WIDTH.max(line_width));
    out.push_str("<g class=\"lines\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">");
    for track in tracks {
        let path: String = track.ways.iter().map(|way| track::path(way, &near)).collect();
        if path.is_empty() {
            continue;
        }
        let mut stroke = |color, width| {
            put!(out, "<path stroke=\"{color}\" stroke-width=\"{}\" d=\"{path}\"/>", Num(width));
        };
        // Lines that were widened have no gaps between them that a casing could fill: it would hide its neighbour.
        if line_width <= LINE_WIDTH {
            stroke(palette.ground, CASING_WIDTH);
        }
        match track.paint.edge {
            Some(edge) => {
                stroke(edge, line_width);
                stroke(track.paint.fill, line_width - EDGES);
            }
            None => stroke(track.paint.fill, line_width),
        }
    }
    out.push_str("</g>");
}

fn write_marks(out: &mut String, map: &RouteMap, tracks: &[Track<'_>], shown: &Area, palette: &Palette, zoom: Zoom) {
    let near = shown.grown(1.0);
    let drawn = |mark: &&Mark| zoom.shows(mark) && Area::of(&mark.shape.bounds()).meets(&near);
    let stations: Vec<&Station> =
        map.stations().iter().filter(|station| station.marks.iter().any(|mark| drawn(&mark))).collect();
    let own = sole_tracks(&stations, tracks);
    put!(out, "<g class=\"marks\" fill=\"{}\">", palette.mark);
    for station in stations {
        let color = own.get(&station.code).map(|at| tracks[*at].paint.outline());
        for mark in station.marks.iter().filter(drawn) {
            marks::write(out, mark, color, palette);
        }
    }
    out.push_str("</g>");
}

/// For each of the stations that is on one line only, which one that is.
fn sole_tracks(stations: &[&Station], tracks: &[Track<'_>]) -> HashMap<StationCode, usize> {
    let wanted: HashSet<StationCode> = stations.iter().map(|station| station.code).collect();
    let mut on: HashMap<StationCode, Option<usize>> = HashMap::new();
    for (at, track) in tracks.iter().enumerate() {
        for code in track.codes.iter().flatten().filter(|code| wanted.contains(code)) {
            on.entry(*code).and_modify(|sole| *sole = sole.filter(|sole| *sole == at)).or_insert(Some(at));
        }
    }
    on.into_iter().filter_map(|(code, sole)| Some((code, sole?))).collect()
}

fn write_names(
    out: &mut String,
    letters: &mut Letters,
    map: &RouteMap,
    tracks: &[Track<'_>],
    shown: &Area,
    palette: &Palette,
) {
    let near = shown.grown(HALO + 1.0);
    let texts = map.stations().iter().flat_map(|station| {
        let texts = station.marks.iter().filter(|mark| mark.is_text);
        texts.map(move |mark| (station, mark.shape.bounds()))
    });
    let texts: Vec<_> = texts.filter(|(_, rect)| Area::of(rect).meets(&near)).collect();
    let under = Under::of(&texts, tracks);
    put!(out, "<g class=\"names\" fill=\"{}\" stroke-linejoin=\"bevel\">", palette.ink);
    for (station, rect) in &texts {
        let mark = station.marks.iter().find(|mark| !mark.is_text).map(|mark| mark.shape.bounds());
        let flush = Flush::toward(mark.as_ref(), rect, station.label.down);
        let rows = label::set(Typeface::builtin(), &station.label, rect, flush);
        let name = Text(&station.name);
        put!(out, "<g class=\"label\" data-code=\"{}\" aria-label=\"{name}\"><title>{name}</title>", station.code);
        if under.runs_under(&Area::of(rect)) {
            put!(out, "<g stroke=\"{}\">", palette.ground);
            for row in &rows {
                letters.write(out, row, None, true);
            }
            out.push_str("</g>");
        }
        for row in &rows {
            letters.write(out, row, row.small.then_some(palette.soft_ink), false);
        }
        out.push_str("</g>");
    }
    out.push_str("</g>");
}

/// The lines that names may stand on: a halo costs more than the letters themselves, so only names on a line get one.
struct Under {
    stretches: Vec<(Point, Point)>,
}

impl Under {
    /// Every line near the names, in the window or not: a name cut by the edge looks the same in the next window.
    fn of(texts: &[(&Station, Window)], tracks: &[Track<'_>]) -> Self {
        let around = texts.iter().map(|(_, rect)| Area::of(rect)).reduce(Area::union);
        let Some(around) = around.map(|area| area.grown(LINE_WIDTH)) else {
            return Self { stretches: Vec::new() };
        };
        let stretches = tracks.iter().flat_map(|track| track.ways.iter()).flat_map(|way| way.windows(2));
        let stretches = stretches.map(|pair| (pair[0], pair[1])).filter(|(from, to)| around.is_crossed(*from, *to));
        Self { stretches: stretches.collect() }
    }

    fn runs_under(&self, text: &Area) -> bool {
        let text = text.grown(LINE_WIDTH / 2.0);
        self.stretches.iter().any(|(from, to)| text.is_crossed(*from, *to))
    }
}

fn write_legend(out: &mut String, letters: &mut Letters, map: &RouteMap, shown: &Area, palette: &Palette) {
    let Some(place) = map.legend.filter(|place| Area::of(place).meets(shown)) else { return };
    Legend::of(map).settle(&Area::of(&place)).write(out, letters, palette, shown);
}

impl Lettering {
    /// Writes these letters alone, in the colour of what is around them.
    pub(crate) fn write(&self, out: &mut String, letters: &mut Letters) {
        letters.write(out, self, None, false);
    }
}
