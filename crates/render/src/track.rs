//! The way of a line over the map, with rounded corners, as far as a window shows it.

use std::borrow::Cow;

use kaisatsu_model::{Shape, StationCode};
use kaisatsu_railmap::{Line, Mark, RouteMap};

use crate::{
    area::Area,
    xml::{Num, put},
};

/// How much of a corner is rounded at the most, from the corner along each side.
const CORNER: f64 = 8.0;

pub(crate) type Point = (f64, f64);

/// One stretch of a way: straight on, then around the corner if there is one.
struct Stretch {
    from: Point,
    to: Point,
    /// The corner, and where it has been left behind.
    bend: Option<(Point, Point)>,
}

impl Stretch {
    fn area(&self) -> Area {
        let straight = Area::around(self.from, self.to);
        self.bend.map_or(straight, |(corner, end)| straight.with(corner).with(end))
    }

    fn end(&self) -> Point {
        self.bend.map_or(self.to, |(_, end)| end)
    }
}

/// The ways of a line: as the map says, or straight from station to station.
pub(crate) fn ways<'a>(map: &'a RouteMap, line: &'a Line) -> Cow<'a, [Vec<Point>]> {
    if !line.paths.is_empty() {
        return Cow::Borrowed(&line.paths);
    }
    let way = |run: &Vec<StationCode>| {
        let mut way: Vec<Point> = run.iter().filter_map(|code| place(map, *code)).collect();
        if line.is_loop {
            way.extend(way.first().copied());
        }
        way
    };
    Cow::Owned(line.runs.iter().map(way).collect())
}

/// The middle of a station's mark: the first that is no name.
fn place(map: &RouteMap, code: StationCode) -> Option<Point> {
    let at = map.stations().binary_search_by_key(&code, |station| station.code).ok()?;
    let marks = &map.stations()[at].marks;
    let mark = marks.iter().find(|mark| !mark.is_text).or(marks.first())?;
    Some(middle(mark))
}

fn middle(mark: &Mark) -> Point {
    match mark.shape {
        Shape::Circle(circle) => (circle.x.into(), circle.y.into()),
        Shape::Rect(_) => Area::of(&mark.shape.bounds()).middle(),
    }
}

/// The path data of a way, as far as it comes into an area; empty when it does not.
pub(crate) fn path(way: &[Point], area: &Area) -> String {
    let mut out = String::new();
    // Most ways are far from most windows, and a rounded one stays within its corners.
    if !way.windows(2).any(|pair| Area::around(pair[0], pair[1]).meets(area)) {
        return out;
    }
    let mut pen = None;
    for stretch in stretches(way).into_iter().filter(|stretch| stretch.area().meets(area)) {
        if pen != Some(stretch.from) {
            put!(out, "M{} {}", Num(stretch.from.0), Num(stretch.from.1));
        }
        put!(out, "L{} {}", Num(stretch.to.0), Num(stretch.to.1));
        if let Some((corner, end)) = stretch.bend {
            put!(out, "Q{} {} {} {}", Num(corner.0), Num(corner.1), Num(end.0), Num(end.1));
        }
        pen = Some(stretch.end());
    }
    out
}

/// Cuts a way at its corners. A loop is rounded where it closes, too.
fn stretches(way: &[Point]) -> Vec<Stretch> {
    let mut way = way.to_vec();
    way.dedup_by(|next, point| length(*point, *next) < 0.01);
    let [first, .., before_last, last] = way[..] else {
        return match way[..] {
            [from, to] => vec![Stretch { from, to, bend: None }],
            _ => Vec::new(),
        };
    };
    let closing = (first == last && way.len() > 3).then(|| bend(before_last, last, way[1])).flatten();
    let mut from = closing.map_or(first, |(_, after)| after);
    let corners = way.windows(3).map(|three| (three[1], bend(three[0], three[1], three[2])));
    let mut out = Vec::with_capacity(way.len());
    for (corner, bend) in corners.chain([(last, closing)]) {
        let stretch = match bend {
            Some((before, after)) => Stretch { from, to: before, bend: Some((corner, after)) },
            None => Stretch { from, to: corner, bend: None },
        };
        from = stretch.end();
        out.push(stretch);
    }
    out
}

/// Where a rounded corner begins and ends; `None` where there is no corner, or where the way turns back.
fn bend(before: Point, corner: Point, after: Point) -> Option<(Point, Point)> {
    let (coming, going) = (length(before, corner), length(corner, after));
    let cross = (corner.0 - before.0) * (after.1 - corner.1) - (corner.1 - before.1) * (after.0 - corner.0);
    if cross.abs() < 0.01 * coming * going {
        return None;
    }
    let cut = CORNER.min(coming / 2.0).min(going / 2.0);
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
    use crate::area::Area;

    const ALL: Area = Area { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

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
            path(&hook, &Area { left: -10.0, top: -10.0, right: 50.0, bottom: 110.0 }),
            "M0 0L92 0Q100 0 100 8M92 100L0 100"
        );
        assert_eq!(path(&hook, &Area { left: 10.0, top: 40.0, right: 50.0, bottom: 60.0 }), "");
    }
}
