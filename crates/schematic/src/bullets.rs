//! Places the bullets of lines on their paths: at their ends, at interchanges and in long gaps.

use std::collections::HashMap;

use kaisatsu_model::StationCode;
use kaisatsu_render::bullet_size;
use kaisatsu_transit::{Line, Network};

use crate::{dimensions::HALF_LINE_WIDTH, document::DrawnStation, free_space::FreeSpace, geometry::Point};

/// The distance between two points of a path that are tried.
const STEP: f64 = 3.0;
/// How far from the end of a line, or from an interchange, its bullet may be.
const REACH: f64 = 96.0;
/// No bullet at an interchange if the line has one within this distance.
const NEAR: f64 = 150.0;
/// A longer stretch between two bullets gets one in its middle.
const LONG_GAP: f64 = 480.0;
/// A bullet that covers another line is only taken if one beside it is so much farther away.
const COVER_COST: f64 = 30.0;
/// How far beside its path the bullet of a line may be that has no room on it: hardly more than its own height. One
/// that is farther away says nothing about the line.
const BESIDE: f64 = 12.0;

/// The centres of the bullets of each line. Their rects are taken from the free space.
pub(crate) fn place(
    network: &Network,
    paths: &[Vec<Vec<(f64, f64)>>],
    stations: &[DrawnStation],
    space: &mut FreeSpace,
) -> Vec<Vec<(f64, f64)>> {
    let index: HashMap<StationCode, usize> = (0..).zip(&network.stations).map(|(at, s)| (s.code, at)).collect();
    let mut lines_at: HashMap<StationCode, usize> = HashMap::new();
    for line in &network.lines {
        let mut stops: Vec<StationCode> = line.runs.iter().flatten().copied().collect();
        stops.sort_unstable();
        stops.dedup();
        for stop in stops {
            *lines_at.entry(stop).or_default() += 1;
        }
    }
    let is_interchange = |code: &StationCode| lines_at.get(code).is_some_and(|lines| *lines > 1);
    let centre = |code: &StationCode| Some(stations[*index.get(code)?].centre());
    let mut bullets = Vec::with_capacity(network.lines.len());
    for (at, (line, paths)) in network.lines.iter().zip(paths).enumerate() {
        let interchanges: Vec<Point> =
            line.runs.iter().flatten().filter(|code| is_interchange(code)).filter_map(centre).collect();
        bullets.push(of_line(at, line, paths, &interchanges, space));
    }
    bullets
}

fn of_line(
    at: usize,
    line: &Line,
    paths: &[Vec<(f64, f64)>],
    interchanges: &[Point],
    space: &mut FreeSpace,
) -> Vec<(f64, f64)> {
    if line.symbol.is_empty() {
        return Vec::new();
    }
    let mut placed: Vec<Point> = Vec::new();
    let size = bullet_size(&line.symbol);
    let tracks: Vec<Track> = paths.iter().filter_map(|path| Track::of(path)).collect();
    // The ends of all stretches first: a line that begins in a bundle has little room there.
    for track in tracks.iter().filter(|track| !track.is_closed()) {
        for end in [0.0, track.length()] {
            if !track.has_near(&placed, end, size.0) {
                placed.extend(track.take(at, size, end, REACH, space));
            }
        }
    }
    for track in &tracks {
        for &interchange in interchanges {
            let Some(along) = track.foot(interchange) else { continue };
            if !track.has_near(&placed, along, NEAR) {
                placed.extend(track.take(at, size, along, REACH, space));
            }
        }
        for _ in 0..placed.len() + track.points.len() {
            let Some((middle, gap)) = track.longest_gap(&placed).filter(|(_, gap)| *gap > LONG_GAP) else { break };
            let Some(point) = track.take(at, size, middle, gap / 3.0, space) else { break };
            placed.push(point);
        }
    }
    // However crowded the map is, a line says once who it is, unless nobody would see that it is this line.
    if placed.is_empty()
        && let Some(longest) = tracks.iter().max_by(|a, b| a.length().total_cmp(&b.length()))
    {
        let middle = longest.length() / 2.0;
        let on_path = longest.take(at, size, middle, longest.length(), space);
        placed.extend(on_path.or_else(|| longest.take_beside(at, size, space)));
    }
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    placed.into_iter().map(|point| (tenth(point.x), tenth(point.y))).collect()
}

/// A path as points at equal distances.
struct Track {
    points: Vec<Point>,
}

impl Track {
    fn of(path: &[(f64, f64)]) -> Option<Self> {
        let corners: Vec<Point> = path.iter().map(|&(x, y)| Point::new(x, y)).collect();
        let mut points = vec![*corners.first()?];
        let mut rest = STEP;
        for pair in corners.windows(2) {
            let length = pair[0].distance(pair[1]);
            let mut along = rest;
            while along <= length {
                points.push(pair[0].toward(pair[1], along / length));
                along += STEP;
            }
            rest = along - length;
        }
        (points.len() > 1).then_some(Self { points })
    }

    #[expect(clippy::cast_precision_loss, reason = "points are few")]
    fn length(&self) -> f64 {
        (self.points.len() - 1) as f64 * STEP
    }

    fn is_closed(&self) -> bool {
        self.length() > REACH && self.points[0].distance(self.points[self.points.len() - 1]) < 2.0 * STEP
    }

    /// How far along it the nearest point to a station is, if it passes there.
    #[expect(clippy::cast_precision_loss, reason = "points are few")]
    fn foot(&self, station: Point) -> Option<f64> {
        let nearest = (0..self.points.len())
            .min_by(|&a, &b| self.points[a].distance(station).total_cmp(&self.points[b].distance(station)))?;
        (self.points[nearest].distance(station) < 24.0).then_some(nearest as f64 * STEP)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the points")]
    fn point(&self, along: f64) -> Point {
        self.points[((along / STEP).round().max(0.0) as usize).min(self.points.len() - 1)]
    }

    fn has_near(&self, placed: &[Point], along: f64, reach: f64) -> bool {
        let here = self.point(along);
        placed.iter().any(|point| point.distance(here) < reach)
    }

    /// The middle and the length of the longest stretch without a bullet.
    #[expect(clippy::cast_precision_loss, reason = "points are few")]
    fn longest_gap(&self, placed: &[Point]) -> Option<(f64, f64)> {
        let is_bullet = |point: &Point| placed.iter().any(|bullet| bullet.distance(*point) < STEP);
        let mut cuts = vec![0.0];
        cuts.extend((0..self.points.len()).filter(|&at| is_bullet(&self.points[at])).map(|at| at as f64 * STEP));
        cuts.push(self.length());
        let gaps = cuts.windows(2).map(|pair| (f64::midpoint(pair[0], pair[1]), pair[1] - pair[0]));
        gaps.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Takes the best free place for a bullet within reach of a point.
    #[expect(clippy::cast_precision_loss, reason = "points are few")]
    fn take(&self, line: usize, size: (f64, f64), along: f64, reach: f64, space: &mut FreeSpace) -> Option<Point> {
        let mut best: Option<(f64, Point)> = None;
        for (at, &point) in self.points.iter().enumerate() {
            let away = (at as f64 * STEP - along).abs();
            if away > reach || best.is_some_and(|(least, _)| away >= least) || !space.is_free(point, size) {
                continue;
            }
            let cost = away + COVER_COST * space.covered_lines(point, size, line);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, point));
            }
        }
        let (_, point) = best?;
        space.take(point, size);
        Some(point)
    }

    /// Takes the free place for a bullet nearest to the path: a line of two stations may be under names all the way.
    fn take_beside(&self, line: usize, size: (f64, f64), space: &mut FreeSpace) -> Option<Point> {
        let sides = [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];
        let mut best: Option<(f64, Point)> = None;
        let mut gap = 0.0;
        while gap <= BESIDE && best.is_none_or(|(least, _)| gap < least) {
            for (x, y) in sides {
                let reach = (size.0 / 2.0 + HALF_LINE_WIDTH + gap, size.1 / 2.0 + HALF_LINE_WIDTH + gap);
                let away = Point::new(x * reach.0, y * reach.1);
                for point in self.points.iter().map(|point| point.plus(away)) {
                    let cost = gap + COVER_COST * space.covered_lines(point, size, line);
                    if best.is_none_or(|(least, _)| cost < least) && space.is_free(point, size) {
                        best = Some((cost, point));
                    }
                }
            }
            gap += STEP;
        }
        let (_, point) = best?;
        space.take(point, size);
        Some(point)
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_render::bullet_size;
    use kaisatsu_transit::Line;

    use super::{BESIDE, of_line};
    use crate::{dimensions::HALF_LINE_WIDTH, free_space::FreeSpace, geometry::Point};

    /// The bullets of a line of 60 map units in a space of which `taken` is taken.
    fn bullets(taken: &[(Point, (f64, f64))]) -> Vec<(f64, f64)> {
        let line = Line {
            code: 1,
            name: "Short".to_owned(),
            translation: String::new(),
            color: "#7a5aa6".to_owned(),
            symbol: "V".to_owned(),
            operator: String::new(),
            runs: Vec::new(),
            is_loop: false,
            direct: Vec::new(),
            along: Vec::new(),
        };
        let path = vec![(100.0, 100.0), (160.0, 100.0)];
        let paths = [vec![path.clone()]];
        let mut space = FreeSpace::new((300, 300), &[], &paths, &[]);
        for (middle, size) in taken {
            space.take(*middle, *size);
        }
        of_line(0, &line, &paths[0], &[], &mut space)
    }

    #[test]
    fn a_line_under_names_from_end_to_end_has_its_bullet_beside_it() {
        assert!(bullets(&[]).iter().all(|(_, y)| (y - 100.0).abs() < 0.1), "free: on the path");
        let name = (Point::new(130.0, 98.0), (100.0, 20.0));
        let (width, height) = bullet_size("V");
        let [(x, y)] = bullets(&[name])[..] else { panic!("one bullet: {:?}", bullets(&[name])) };
        // Below the name, which reaches farther up, and nearer than one more bullet.
        assert!(y - height / 2.0 > 108.0 && y - height / 2.0 < 108.0 + height, "{x} {y}");
        assert!((100.0 - width..160.0 + width).contains(&x), "{x} {y}");
        // Beside a name that is higher, it would touch nothing.
        let touching = bullet_size("V").1 / 2.0 + HALF_LINE_WIDTH + BESIDE;
        for (reach, count) in [(touching - height / 2.0 - 4.0, 1), (touching, 0)] {
            let name = (Point::new(130.0, 100.0), (60.0 + 2.0 * reach + 2.0 * width, 2.0 * reach));
            assert_eq!(bullets(&[name]).len(), count, "a name that reaches {reach} above and below the line");
        }
        let all = (Point::new(150.0, 150.0), (300.0, 300.0));
        assert_eq!(bullets(&[all]), [], "no room at all");
    }
}
