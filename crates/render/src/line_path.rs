//! The SVG path of a line within a window, with rounded corners.

use std::borrow::Cow;

use kaisatsu_model::{Shape, StationCode};
use kaisatsu_railmap::{Line, Mark, RouteMap};

use crate::{
    bounds::Bounds,
    xml::{Num, put},
};

/// The largest distance from a corner at which its rounding begins.
const MAX_CORNER_CUT: f64 = 8.0;

pub(crate) type Point = (f64, f64);

/// A straight segment, followed by a rounded corner if there is one.
struct PathSegment {
    from: Point,
    to: Point,
    /// The corner point, and the end of its rounding.
    rounded_corner: Option<(Point, Point)>,
}

impl PathSegment {
    fn bounds(&self) -> Bounds {
        let straight = Bounds::of_segment(self.from, self.to);
        self.rounded_corner.map_or(straight, |(corner, end)| straight.extended(corner).extended(end))
    }

    fn end(&self) -> Point {
        self.rounded_corner.map_or(self.to, |(_, end)| end)
    }
}

/// The polylines of a line: those of the map, or straight segments between its stations.
pub(crate) fn polylines<'a>(map: &'a RouteMap, line: &'a Line) -> Cow<'a, [Vec<Point>]> {
    if !line.paths.is_empty() {
        return Cow::Borrowed(&line.paths);
    }
    let polyline = |run: &Vec<StationCode>| {
        let mut polyline: Vec<Point> = run.iter().filter_map(|code| station_centre(map, *code)).collect();
        if line.is_loop {
            polyline.extend(polyline.first().copied());
        }
        polyline
    };
    Cow::Owned(line.runs.iter().map(polyline).collect())
}

/// The centre of a station's first mark that is not its label.
pub(crate) fn station_centre(map: &RouteMap, code: StationCode) -> Option<Point> {
    let at = map.stations().binary_search_by_key(&code, |station| station.code).ok()?;
    let marks = &map.stations()[at].marks;
    let mark = marks.iter().find(|mark| !mark.is_text).or(marks.first())?;
    Some(centre(mark))
}

fn centre(mark: &Mark) -> Point {
    match mark.shape {
        Shape::Circle(circle) => (circle.x.into(), circle.y.into()),
        Shape::Rect(_) => Bounds::of(&mark.shape.bounds()).centre(),
    }
}

/// The path data of a polyline within a rectangle; empty if it does not intersect the rectangle.
pub(crate) fn path(polyline: &[Point], bounds: &Bounds) -> String {
    let mut out = String::new();
    // Most polylines are far from most windows, and rounding stays within the corners.
    if !polyline.windows(2).any(|pair| Bounds::of_segment(pair[0], pair[1]).meets(bounds)) {
        return out;
    }
    let mut pen = None;
    for segment in segments(polyline).into_iter().filter(|segment| segment.bounds().meets(bounds)) {
        if pen != Some(segment.from) {
            put!(out, "M{} {}", Num(segment.from.0), Num(segment.from.1));
        }
        put!(out, "L{} {}", Num(segment.to.0), Num(segment.to.1));
        if let Some((corner, end)) = segment.rounded_corner {
            put!(out, "Q{} {} {} {}", Num(corner.0), Num(corner.1), Num(end.0), Num(end.1));
        }
        pen = Some(segment.end());
    }
    out
}

/// Splits a polyline at its corners. A closed polyline is also rounded where it closes.
fn segments(polyline: &[Point]) -> Vec<PathSegment> {
    let mut polyline = polyline.to_vec();
    polyline.dedup_by(|next, point| length(*point, *next) < 0.01);
    let [first, .., before_last, last] = polyline[..] else {
        return match polyline[..] {
            [from, to] => vec![PathSegment { from, to, rounded_corner: None }],
            _ => Vec::new(),
        };
    };
    let closing =
        (first == last && polyline.len() > 3).then(|| rounded_corner(before_last, last, polyline[1])).flatten();
    let mut from = closing.map_or(first, |(_, after)| after);
    let corners = polyline.windows(3).map(|three| (three[1], rounded_corner(three[0], three[1], three[2])));
    let mut out = Vec::with_capacity(polyline.len());
    for (corner, rounded_corner) in corners.chain([(last, closing)]) {
        let segment = match rounded_corner {
            Some((before, after)) => PathSegment { from, to: before, rounded_corner: Some((corner, after)) },
            None => PathSegment { from, to: corner, rounded_corner: None },
        };
        from = segment.end();
        out.push(segment);
    }
    out
}

/// Where a rounded corner begins and ends; `None` if the polyline is straight or turns back.
fn rounded_corner(before: Point, corner: Point, after: Point) -> Option<(Point, Point)> {
    let (coming, going) = (length(before, corner), length(corner, after));
    let cross = (corner.0 - before.0) * (after.1 - corner.1) - (corner.1 - before.1) * (after.0 - corner.0);
    if cross.abs() < 0.01 * coming * going {
        return None;
    }
    let cut = MAX_CORNER_CUT.min(coming / 2.0).min(going / 2.0);
    let toward = |point: Point, far: f64| {
        let share = cut / far;
        (corner.0 + (point.0 - corner.0) * share, corner.1 + (point.1 - corner.1) * share)
    };
    Some((toward(before, coming), toward(after, going)))
}

fn length(a: Point, b: Point) -> f64 {
    (b.0 - a.0).hypot(b.1 - a.1)
}

#[cfg(test)]
mod tests {
    use super::path;
    use crate::bounds::Bounds;

    const ALL: Bounds = Bounds { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

    #[test]
    fn corners_are_rounded_and_ends_are_not() {
        assert_eq!(path(&[(0.0, 0.0), (9.0, 0.0)], &ALL), "M0 0L9 0");
        assert_eq!(path(&[(0.0, 0.0), (50.0, 0.0), (50.0, 50.0)], &ALL), "M0 0L42 0Q50 0 50 8L50 50");
        assert_eq!(path(&[(0.0, 0.0), (50.0, 0.0), (50.0, 6.0)], &ALL), "M0 0L47 0Q50 0 50 3L50 6");
        assert_eq!(path(&[(0.0, 0.0), (50.0, 0.0), (90.0, 0.0)], &ALL), "M0 0L50 0L90 0");
        assert_eq!(path(&[(0.0, 0.0), (50.0, 0.0), (0.0, 0.0)], &ALL), "M0 0L50 0L0 0");
        assert_eq!(path(&[(0.0, 0.0), (0.0, 0.0)], &ALL), "");
    }

    #[test]
    fn a_loop_is_rounded_where_it_closes() {
        let square = [(0.0, 0.0), (50.0, 0.0), (50.0, 50.0), (0.0, 50.0), (0.0, 0.0)];
        let rounded = "M8 0L42 0Q50 0 50 8L50 42Q50 50 42 50L8 50Q0 50 0 42L0 8Q0 0 8 0";
        assert_eq!(path(&square, &ALL), rounded);
    }

    #[test]
    fn what_a_window_does_not_show_is_left_out() {
        let hook = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)];
        assert_eq!(
            path(&hook, &Bounds { left: -10.0, top: -10.0, right: 50.0, bottom: 110.0 }),
            "M0 0L92 0Q100 0 100 8M92 100L0 100"
        );
        assert_eq!(path(&hook, &Bounds { left: 10.0, top: 40.0, right: 50.0, bottom: 60.0 }), "");
    }
}
