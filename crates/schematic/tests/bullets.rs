//! Lines say who they are: bullets on their paths, and the numbers of stations beside their labels.

use kaisatsu_model::Window;
use kaisatsu_railmap::{MapDocument, check::check};
use kaisatsu_render::bullet_size;

use crate::common::{built, network};

/// Two long lines that cross, and a ring.
fn sample() -> MapDocument {
    let mut places: Vec<(f64, f64)> = (0..24).map(|at| (35.0, 139.0 + f64::from(at) * 0.01)).collect();
    places.extend((0..9).map(|at| (34.96 + f64::from(at) * 0.01 + 0.001, 139.115)));
    places.extend([(35.03, 139.03), (35.03, 139.05), (35.05, 139.04)]);
    let across: Vec<usize> = (0..24).collect();
    let down: Vec<usize> = (24..28).chain([11]).chain(28..33).collect();
    built(&network(&places, &[(&across, false), (&down, false), (&[33, 34, 35], true)])).document
}

fn overlaps(rect: &Window, (x, y): (f64, f64), (width, height): (f64, f64)) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    let [left, top, right, bottom] = [rect.x, rect.y, rect.right(), rect.bottom()].map(|side| side as f64);
    x - width / 2.0 < right && left < x + width / 2.0 && y - height / 2.0 < bottom && top < y + height / 2.0
}

#[test]
fn every_line_has_bullets_at_its_ends_and_in_long_gaps() {
    let document = sample();
    for line in &document.lines {
        assert!(!line.bullets.is_empty(), "{}", line.name);
        if !line.is_loop {
            for end in [line.paths[0][0], *line.paths[line.paths.len() - 1].last().unwrap()] {
                let near = line.bullets.iter().any(|(x, y)| (x - end.0).hypot(y - end.1) < 110.0);
                assert!(near, "{}: {end:?} {:?}", line.name, line.bullets);
            }
        }
    }
    assert!(document.lines[0].bullets.len() > 2, "{:?}", document.lines[0].bullets);
}

#[test]
fn bullets_and_numbers_are_beside_labels_and_marks() {
    let document = sample();
    let bullets: Vec<_> =
        document.lines.iter().flat_map(|line| line.bullets.iter().map(|at| (*at, bullet_size(&line.symbol)))).collect();
    let numbers: Vec<Window> = document.stations.iter().filter_map(|station| station.numbers_at).collect();
    assert!(numbers.len() * 10 >= document.stations.len() * 9, "{} numbers", numbers.len());
    for station in &document.stations {
        for shape in station.marks.iter().map(|mark| mark.shape.bounds()) {
            assert!(!bullets.iter().any(|(at, size)| overlaps(&shape, *at, *size)), "{}", station.name);
            let meets = |other: &&Window| {
                shape.x < other.right()
                    && other.x < shape.right()
                    && shape.y < other.bottom()
                    && other.y < shape.bottom()
            };
            assert_eq!(numbers.iter().find(meets), None, "{}", station.name);
        }
    }
    for (at, (point, size)) in bullets.iter().enumerate() {
        let others = || bullets[at + 1..].iter();
        let apart = |other: &(f64, f64)| (point.0 - other.0).abs() >= size.0 || (point.1 - other.1).abs() >= size.1;
        assert!(others().all(|(other, _)| apart(other)), "{point:?}");
    }
    let checked = check(&document.to_toml());
    assert!(checked.map.is_some(), "{:?}", checked.findings);
}

#[test]
fn a_bullet_is_on_its_line_or_touches_it_nearly() {
    // Twelve lines between two stations leave no room on any of them.
    let parallel: Vec<(&[usize], bool)> = vec![(&[0, 1], false); 12];
    let crowded = built(&network(&[(35.0, 139.0), (35.01, 139.0)], &parallel)).document;
    for line in sample().lines.iter().chain(&crowded.lines) {
        let (width, height) = bullet_size(&line.symbol);
        for &(x, y) in &line.bullets {
            let segments = || line.paths.iter().flat_map(|path| path.windows(2));
            let gaps = segments().map(|pair| {
                let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
                let along = ((x - pair[0].0) * dx + (y - pair[0].1) * dy) / dx.hypot(dy).powi(2).max(1.0);
                let (px, py) = (pair[0].0 + along.clamp(0.0, 1.0) * dx, pair[0].1 + along.clamp(0.0, 1.0) * dy);
                ((x - px).abs() - width / 2.0).max((y - py).abs() - height / 2.0)
            });
            // From the middle of the line.
            assert!(gaps.fold(f64::MAX, f64::min) < 16.0, "{}: {x} {y}", line.name);
        }
    }
}
