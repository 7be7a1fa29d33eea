//! Lines that pass stations without stopping: they are drawn beside the line that stops, and nobody gets off there.

use kaisatsu_model::Shape;
use kaisatsu_railmap::{
    check,
    journey::{self, Order},
};
use kaisatsu_schematic::BuiltMap;

use crate::common::{built, network};

/// Stations from west to east on a curved track.
fn track(count: u32) -> Vec<(f64, f64)> {
    (0..count).map(|at| (35.0 + 0.004 * (f64::from(at) * 0.7).sin(), 139.0 + f64::from(at) * 0.01)).collect()
}

/// The distance of a line from the centre of a station's mark.
fn distance(built: &BuiltMap, line: usize, station: usize) -> f64 {
    let bounds = built.document.stations[station].marks[1].shape.bounds();
    #[expect(clippy::cast_precision_loss, reason = "a map is small")]
    let (x, y) = (bounds.x as f64 + bounds.width as f64 / 2.0, bounds.y as f64 + bounds.height as f64 / 2.0);
    let segments = built.document.lines[line].paths.iter().flat_map(|path| path.windows(2));
    let to_segment = |pair: &[(f64, f64)]| {
        let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
        let (dx, dy) = (bx - ax, by - ay);
        let along = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy).max(1e-9)).clamp(0.0, 1.0);
        (ax + along * dx - x).hypot(ay + along * dy - y)
    };
    segments.map(to_segment).fold(f64::MAX, f64::min)
}

/// How far the mark of a station reaches from its centre.
fn reach(built: &BuiltMap, station: usize) -> f64 {
    match built.document.stations[station].marks[1].shape {
        Shape::Circle(circle) => f64::from(circle.r),
        Shape::Rect(rect) => f64::from(rect.width.min(rect.height)) / 2.0,
    }
}

#[test]
fn an_express_runs_beside_its_local_line_and_no_mark_covers_it() {
    let built = built(&network(&track(9), &[(&[0, 1, 2, 3, 4, 5, 6, 7, 8], false), (&[0, 4, 8], false)]));
    assert_eq!((built.quality.corridor_chords, built.quality.covered_passes), (0, 0));
    for station in [1, 2, 3, 5, 6, 7] {
        let (local, express) = (distance(&built, 0, station), distance(&built, 1, station));
        assert!(local < reach(&built, station), "the local line runs through the mark of {station}: {local}");
        assert!((4.0..12.0).contains(&express), "the express is the next line at {station}: {express}");
        assert!(express > reach(&built, station), "the mark of {station} leaves the express out");
    }
    for station in [0, 4, 8] {
        assert!(distance(&built, 1, station) < reach(&built, station), "the express stops at {station}");
    }
}

#[test]
fn two_lines_that_stop_by_turns_are_one_corridor() {
    let built = built(&network(&track(10), &[(&[0, 1, 3, 4, 6, 7, 9], false), (&[0, 2, 3, 5, 6, 8, 9], false)]));
    assert_eq!((built.quality.corridor_chords, built.quality.covered_passes), (0, 0));
    for station in 1..9 {
        for line in [0, 1] {
            let away = distance(&built, line, station);
            assert!(away < 12.0, "line {line} is {away} from station {station}");
        }
    }
}

#[test]
fn lines_on_two_tracks_between_the_same_stations_stay_apart() {
    let mut places = track(5);
    places.extend([(35.02, 139.015), (35.02, 139.025)]);
    let built = built(&network(&places, &[(&[0, 1, 2, 3, 4], false), (&[0, 5, 6, 4], false)]));
    for station in [1, 2, 3] {
        assert!(distance(&built, 1, station) > 20.0);
    }
}

#[test]
fn nobody_gets_off_at_a_station_that_is_passed() {
    let built = built(&network(&track(9), &[(&[0, 1, 2, 3, 4, 5, 6, 7, 8], false), (&[0, 4, 8], false)]));
    let map = check::check(&built.document.to_toml()).map.unwrap();
    let lines_at = |station: usize| {
        let code = map.stations()[station].code;
        map.lines.iter().filter(|line| line.runs.iter().flatten().any(|stop| *stop == code)).count()
    };
    assert_eq!((lines_at(3), lines_at(4)), (1, 2), "a line that passes does not serve a station");
    let network = journey::Network::of(&map);
    let course = network.courses(&[0, 5], Order::Time, 1).remove(0);
    for leg in &course.legs {
        let stops = |station: usize| {
            let code = map.stations()[station].code;
            leg.line.is_none_or(|line| map.lines[line].runs.iter().flatten().any(|stop| *stop == code))
        };
        assert!(leg.stations.iter().all(|&station| stops(station)), "{course:?}");
    }
    let legs: Vec<_> = course.legs.iter().map(|leg| leg.line).collect();
    assert_eq!(legs.last(), Some(&Some(0)), "only the local line stops at 5");
}
