//! A way over the lines of a map, which a picture emphasises: everything else is dimmed.

use std::collections::HashSet;

use kaisatsu_model::StationCode;
use kaisatsu_railmap::{Line, RouteMap};

use crate::{
    bounds::Bounds,
    line_path::{self, Point, station_centre},
    style::Palette,
    svg_document::LINE_WIDTH,
    xml::{Num, put},
};

/// How much of the map the background covers beside the way.
const DIMMED: f64 = 0.8;
/// The width of the way, and of its casing.
const WAY_WIDTH: f64 = 1.4 * LINE_WIDTH;
const WAY_CASING: f64 = WAY_WIDTH + 4.0;
/// How far a line may pass the centre of a station's mark, beside half of the mark. Bundles are that wide.
const REACH: f64 = 24.0;

/// A drawn stretch of a way.
#[derive(Debug, Clone, PartialEq)]
pub struct WayPart {
    /// The colour of its line; empty for a walk.
    pub color: String,
    /// Whether it is on foot.
    pub is_walk: bool,
    /// Its corners, in map units.
    pub points: Vec<(f64, f64)>,
}

/// How the way through these stations is drawn in a picture with this `course`, for pages that draw it themselves.
#[must_use]
pub fn way(map: &RouteMap, codes: &[StationCode]) -> Vec<WayPart> {
    let parts = Way::through(map, codes).parts.into_iter();
    let part = |part: Part<'_>| WayPart {
        color: part.line.map(|line| line.color.clone()).unwrap_or_default(),
        is_walk: part.line.is_none(),
        points: part.polyline,
    };
    parts.map(part).collect()
}

/// A way from station to station.
#[derive(Debug)]
pub(crate) struct Way<'a> {
    parts: Vec<Part<'a>>,
    /// All stations on it.
    pub(crate) stations: HashSet<StationCode>,
}

/// A part on one line, or on foot.
#[derive(Debug)]
struct Part<'a> {
    line: Option<&'a Line>,
    polyline: Vec<Point>,
}

impl<'a> Way<'a> {
    /// The way through these stations. Two that follow each other are joined by the line on which they are nearest to
    /// each other, with all stations between them; if no line has both, the way between them is on foot.
    pub(crate) fn through(map: &'a RouteMap, codes: &[StationCode]) -> Self {
        let mut way = Self { parts: Vec::new(), stations: codes.iter().copied().collect() };
        let mut line = None;
        for pair in codes.windows(2).filter(|pair| pair[0] != pair[1]) {
            if let Some((on, stops)) = ride(map, pair[0], pair[1], line) {
                line = Some(on.code);
                way.stations.extend(&stops);
                let polylines = line_path::polylines(map, on);
                for hop in stops.windows(2) {
                    way.push(Some(on), between(map, &polylines, hop[0], hop[1]));
                }
            } else {
                line = None;
                way.push(None, pair.iter().filter_map(|code| station_centre(map, *code)).collect());
            }
        }
        way
    }

    /// Adds a stretch, to the part before it if that ends where this one begins.
    fn push(&mut self, line: Option<&'a Line>, polyline: Vec<Point>) {
        if let Some(last) = self.parts.last_mut()
            && line.is_some_and(|line| last.line.is_some_and(|before| before.code == line.code))
            && let (Some(end), Some(start)) = (last.polyline.last(), polyline.first())
            && (end.0 - start.0).hypot(end.1 - start.1) < 0.5
        {
            last.polyline.extend(&polyline[1..]);
            return;
        }
        self.parts.push(Part { line, polyline });
    }

    /// Dims what is drawn so far, and draws the way over it.
    pub(crate) fn write(&self, out: &mut String, visible: &Bounds, palette: &Palette) {
        let (width, height) = (visible.width(), visible.height());
        put!(out, "<rect class=\"dim\" x=\"{}\" y=\"{}\"", Num(visible.left), Num(visible.top));
        put!(out, " width=\"{}\" height=\"{}\"", Num(width), Num(height));
        put!(out, " fill=\"{}\" fill-opacity=\"{DIMMED}\"/>", palette.ground);
        let near = visible.expanded(WAY_CASING);
        out.push_str("<g class=\"way\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">");
        for casing in [true, false] {
            for part in &self.parts {
                let path = line_path::path(&part.polyline, &near);
                if path.is_empty() {
                    continue;
                }
                let (color, width) = match (casing, part.line) {
                    (true, _) => (palette.ground, WAY_CASING),
                    (false, Some(line)) => (palette.paint(&line.color).outline(), WAY_WIDTH),
                    (false, None) => (palette.soft_ink, LINE_WIDTH / 2.0),
                };
                put!(out, "<path stroke=\"{color}\" stroke-width=\"{}\"", Num(width));
                if !casing && part.line.is_none() {
                    out.push_str(" stroke-dasharray=\"1 5\"");
                }
                put!(out, " d=\"{path}\"/>");
            }
        }
        out.push_str("</g>");
    }
}

/// The line that joins two stations with the fewest stops, or the line before if it is as good, and all its stations
/// on the way.
fn ride(map: &RouteMap, from: StationCode, to: StationCode, before: Option<i64>) -> Option<(&Line, Vec<StationCode>)> {
    let mut best: Option<((usize, bool), &Line, Vec<StationCode>)> = None;
    for line in &map.lines {
        for run in &line.runs {
            for stops in stops_between(run, line.is_loop, from, to) {
                let cost = (stops.len(), before != Some(line.code));
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, line, stops));
                }
            }
        }
    }
    best.map(|(_, line, stops)| (line, stops))
}

/// The stations of a run from one to another, both included, each way that there is.
fn stops_between(run: &[StationCode], is_loop: bool, from: StationCode, to: StationCode) -> Vec<Vec<StationCode>> {
    let at = |code: StationCode| run.iter().enumerate().filter(move |(_, stop)| **stop == code).map(|(at, _)| at);
    let mut found = Vec::new();
    for (start, end) in at(from).flat_map(|start| at(to).map(move |end| (start, end))) {
        let mut stops = run[start.min(end)..=start.max(end)].to_vec();
        if start > end {
            stops.reverse();
        }
        found.push(stops);
        if is_loop {
            let (low, high) = (start.min(end), start.max(end));
            let mut around: Vec<StationCode> = run[high..].iter().chain(&run[..=low]).copied().collect();
            if start < end {
                around.reverse();
            }
            found.push(around);
        }
    }
    found
}

/// A point on a polyline: the segment, the position, how far along the polyline and how far from a station it is.
#[derive(Clone, Copy)]
struct Foot {
    segment: usize,
    point: Point,
    along: f64,
    away: f64,
}

/// The part of a line's polylines between two neighbouring stations; a straight segment if the line does not pass both.
fn between(map: &RouteMap, polylines: &[Vec<Point>], from: StationCode, to: StationCode) -> Vec<Point> {
    let (Some(a), Some(b)) = (station_centre(map, from), station_centre(map, to)) else { return Vec::new() };
    let reaches = [from, to].map(|code| REACH + half_mark(map, code));
    let mut best: Option<(f64, Vec<Point>)> = None;
    for polyline in polylines {
        let length: f64 = polyline.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
        let is_closed = polyline.len() > 3 && polyline.first() == polyline.last();
        for start in feet(polyline, a, reaches[0]) {
            for end in feet(polyline, b, reaches[1]) {
                let direct = (start.along - end.along).abs();
                let away = 4.0 * (start.away + end.away);
                if best.as_ref().is_none_or(|(least, _)| direct + away < *least) {
                    best = Some((direct + away, part(polyline, start, end)));
                }
                if is_closed && best.as_ref().is_none_or(|(least, _)| length - direct + away < *least) {
                    best = Some((length - direct + away, around(polyline, start, end)));
                }
            }
        }
    }
    best.map_or_else(|| vec![a, b], |(_, part)| part)
}

/// The points of a polyline that are near a station, one for each segment.
fn feet(polyline: &[Point], station: Point, reach: f64) -> Vec<Foot> {
    let mut along = 0.0;
    let mut found = Vec::new();
    for (segment, pair) in polyline.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let length = distance(from, to);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let dot = (station.0 - from.0) * dx + (station.1 - from.1) * dy;
        let share = if length > 0.0 { (dot / (length * length)).clamp(0.0, 1.0) } else { 0.0 };
        let point = (from.0 + dx * share, from.1 + dy * share);
        let away = distance(point, station);
        if away <= reach {
            found.push(Foot { segment, point, along: along + length * share, away });
        }
        along += length;
    }
    found
}

fn part(polyline: &[Point], start: Foot, end: Foot) -> Vec<Point> {
    let (low, high) = if start.along <= end.along { (start, end) } else { (end, start) };
    let mut points = vec![low.point];
    points.extend(polyline.get(low.segment + 1..=high.segment).unwrap_or_default());
    points.push(high.point);
    if start.along > end.along {
        points.reverse();
    }
    points
}

/// The part of a closed polyline across the point where it closes.
fn around(polyline: &[Point], start: Foot, end: Foot) -> Vec<Point> {
    let (low, high) = if start.along <= end.along { (start, end) } else { (end, start) };
    let mut points = vec![high.point];
    points.extend(&polyline[high.segment + 1..]);
    points.extend(polyline.get(1..=low.segment).unwrap_or_default());
    points.push(low.point);
    if start.along <= end.along {
        points.reverse();
    }
    points
}

/// Half of the longer side of a station's mark.
fn half_mark(map: &RouteMap, code: StationCode) -> f64 {
    let stations = map.stations();
    let Ok(at) = stations.binary_search_by_key(&code, |station| station.code) else { return 0.0 };
    let mark = stations[at].marks.iter().find(|mark| !mark.is_text).map(|mark| Bounds::of(&mark.shape.bounds()));
    mark.map_or(0.0, |bounds| bounds.width().max(bounds.height()) / 2.0)
}

fn distance(a: Point, b: Point) -> f64 {
    (b.0 - a.0).hypot(b.1 - a.1)
}

#[cfg(test)]
mod tests {
    use super::{around, feet, part};

    #[test]
    fn a_part_of_a_closed_polyline_may_cross_the_point_where_it_closes() {
        let square = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0), (0.0, 0.0)];
        let foot = |at| feet(&square, at, 1.0)[0];
        let (top, left, right) = (foot((50.0, 0.0)), foot((0.0, 50.0)), foot((100.0, 50.0)));
        assert_eq!(part(&square, top, right), [(50.0, 0.0), (100.0, 0.0), (100.0, 50.0)]);
        assert_eq!(part(&square, right, top), [(100.0, 50.0), (100.0, 0.0), (50.0, 0.0)]);
        assert_eq!(around(&square, top, left), [(50.0, 0.0), (0.0, 0.0), (0.0, 50.0)]);
        assert_eq!(around(&square, left, top), [(0.0, 50.0), (0.0, 0.0), (50.0, 0.0)]);
    }
}
