//! The legend has its natural size, however narrow the map is.

use kaisatsu_model::{Shape, Window};
use kaisatsu_railmap::check::check;
use kaisatsu_render::Legend;
use kaisatsu_transit::Network;

use crate::common::{built, network};

/// Stations on one meridian.
fn column(count: u32) -> Vec<(f64, f64)> {
    (0..count).map(|at| (35.0 + f64::from(at) * 0.01, 139.0)).collect()
}

/// Builds a map and checks its legend. Returns the bounds of the legend and of the map.
fn legend_of(network: &Network) -> (Window, Window) {
    let document = built(network).document;
    let map = check(&document.to_toml()).map.unwrap();
    let bounds = document.legend.unwrap();
    let needed = Legend::of(&map).size_for(i32::try_from(bounds.width).unwrap());
    let size = (i64::from(needed.width), i64::from(needed.height));
    assert_eq!((bounds.width, bounds.height), size, "neither scaled down nor half empty");
    assert!(map.extent.contains(&bounds), "{bounds:?} {:?}", map.extent);
    // Everything else is above the legend, or beside it.
    for station in &document.stations {
        assert!(!station.marks.iter().any(|mark| mark.shape.touches(&bounds)), "{}", station.name);
    }
    let points = || document.lines.iter().flat_map(|line| line.paths.iter().flatten().chain(&line.bullets));
    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    let is_on_map = |(x, y): &(f64, f64)| (0.0..map.extent.width as f64).contains(x) && *y < map.extent.height as f64;
    assert!(points().all(is_on_map));
    // The stations are in the middle: as far from the left edge as from the right one, with what surrounds them.
    let xs = || document.stations.iter().flat_map(|station| station.marks.iter().map(|mark| mark.shape.bounds()));
    let (left, right) = (xs().map(|b| b.x).min().unwrap(), map.extent.width - xs().map(|b| b.right()).max().unwrap());
    assert!(left.abs_diff(right) < 60, "{left} {right}");
    // Lines go through the marks of their stations.
    for (line, shown) in document.lines.iter().zip(&network.lines) {
        let first = document.stations.iter().find(|station| station.code == shown.runs[0][0]).unwrap();
        let mark = first.marks.iter().find(|mark| !mark.is_text).unwrap().shape.bounds();
        let ends = [line.paths[0][0], *line.paths[0].last().unwrap()];
        #[expect(clippy::cast_precision_loss, reason = "map units are small")]
        let is_at = |(x, y): &(f64, f64)| {
            (mark.x as f64 - 1.0..=mark.right() as f64 + 1.0).contains(x)
                && (mark.y as f64 - 1.0..=mark.bottom() as f64 + 1.0).contains(y)
        };
        assert!(ends.iter().any(is_at), "{}: {ends:?} {mark:?}", line.name);
    }
    (bounds, map.extent)
}

#[test]
fn a_map_is_as_wide_as_its_legend_needs() {
    let mut narrow = network(&column(3), &[(&[0, 1, 2], false)]);
    narrow.name = "Three Stations on One Meridian of the City".to_owned();
    let (legend, extent) = legend_of(&narrow);
    assert_eq!(extent.width, legend.width + 80);

    let mut pair = network(&column(2), &[(&[0, 1], false)]);
    pair.lines[0].name = "A line with a long name between two stations".to_owned();
    pair.edition = "2026-11".to_owned();
    pair.credits = "Open data of the City Transit Authority, under its licence; stations by their operators".to_owned();
    let (legend, _) = legend_of(&pair);
    assert!(legend.width >= 352 && legend.height < 160, "the credits are in a few rows: {legend:?}");

    let parallel: Vec<(&[usize], bool)> = vec![(&[0, 1], false); 12];
    legend_of(&network(&column(2), &parallel));

    let all: Vec<usize> = (0..30).collect();
    let lines: Vec<(&[usize], bool)> = (0..29).map(|at| (&all[at..at + 2], false)).collect();
    let mut many = network(&column(30), &lines);
    many.lines.iter_mut().for_each(|line| line.color = "#204080".to_owned());
    let (legend, extent) = legend_of(&many);
    assert!(legend.height < extent.height);
}

#[test]
fn a_map_with_room_for_its_legend_is_as_wide_as_without_one() {
    let row: Vec<(f64, f64)> = (0..12).map(|at| (35.0, 139.0 + f64::from(at) * 0.01)).collect();
    let stops: Vec<usize> = (0..12).collect();
    let wide = network(&row, &[(&stops, false)]);
    let mut without = wide.clone();
    without.lines.clear();
    let (document, without) = (built(&wide).document, built(&without).document);
    let legend = document.legend.unwrap();
    assert!(legend.right() < document.width && without.legend.is_none());
    let Shape::Rect(rect) = document.stations[0].marks[0].shape else { panic!("names are in rects") };
    assert!(rect.x >= 40);
}
