//! Networks with one difficulty each.

use kaisatsu_model::{MapLanguage, Shape, StationCode};
use kaisatsu_render::Legend;
use kaisatsu_schematic::{LayoutError, Options, build};

use crate::common::{built, network};

/// The directions of all segments, in eighths of a circle; `None` if a segment is not octilinear.
fn directions(paths: &[Vec<(f64, f64)>]) -> Vec<Option<i64>> {
    let segments = paths.iter().flat_map(|path| path.windows(2));
    segments
        .filter(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1) > 20.0)
        .map(|pair| {
            let eighths = (pair[1].1 - pair[0].1).atan2(pair[1].0 - pair[0].0) / std::f64::consts::FRAC_PI_4;
            #[expect(clippy::cast_possible_truncation, reason = "eight")]
            ((eighths - eighths.round()).abs() < 0.02).then_some(eighths.round() as i64)
        })
        .collect()
}

#[test]
fn a_line_that_is_straight_on_the_ground_is_straight_on_the_map() {
    let places: Vec<(f64, f64)> = (0..9).map(|at| (35.0, 139.0 + f64::from(at) * 0.01)).collect();
    let stops: Vec<usize> = (0..9).collect();
    let built = built(&network(&places, &[(&stops, false)]));
    assert_eq!(built.quality.bends.to_string(), "0");
    assert_eq!(built.document.lines[0].paths.len(), 1);
    assert_eq!(directions(&built.document.lines[0].paths), [Some(0)]);
}

#[test]
fn a_ring_is_closed_and_a_line_across_it_crosses_where_it_did() {
    let round = |at: usize, of: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let angle = at as f64 / of as f64 * std::f64::consts::TAU;
        (35.0 + 0.05 * angle.sin(), 139.0 + 0.06 * angle.cos())
    };
    let mut places: Vec<(f64, f64)> = (0..12).map(|at| round(at, 12)).collect();
    places.extend([(35.003, 138.9), (35.001, 139.0), (35.002, 139.1)]);
    let ring: Vec<usize> = (0..12).collect();
    let built = built(&network(&places, &[(&ring, true), (&[12, 13, 14], false)]));
    assert_eq!(built.quality.crossings, 2, "the line enters and leaves the ring without a station");
    let path = &built.document.lines[0].paths[0];
    assert_eq!(path.first(), path.last(), "the ring is closed");
}

#[test]
fn a_hub_with_fourteen_neighbours_gets_a_wide_mark() {
    let mut places = vec![(35.0, 139.0)];
    for at in 0..14 {
        let angle = f64::from(at) / 14.0 * std::f64::consts::TAU;
        places.push((35.0 + 0.05 * angle.sin(), 139.0 + 0.06 * angle.cos()));
    }
    let lines: Vec<[usize; 3]> = (0..7).map(|at| [at + 1, 0, at + 8]).collect();
    let lines: Vec<(&[usize], bool)> = lines.iter().map(|stops| (&stops[..], false)).collect();
    let built = built(&network(&places, &lines));
    let Shape::Rect(body) = &built.document.stations[0].marks[1].shape else { panic!("a wide body is a rect") };
    assert!(body.width.max(body.height) >= 2 * body.width.min(body.height), "{body:?}");
}

#[test]
fn lines_that_share_edges_run_side_by_side() {
    let places: Vec<(f64, f64)> = (0..6).map(|at| (35.0, 139.0 + f64::from(at) * 0.01)).collect();
    let built = built(&network(&places, &[(&[0, 1, 2, 3, 4, 5], false), (&[1, 2, 3, 4], false)]));
    let heights = |line: usize| built.document.lines[line].paths[0].iter().map(|point| point.1).collect::<Vec<_>>();
    let middle = heights(0)[heights(0).len() / 2];
    assert!(heights(1).iter().all(|height| (height - middle).abs() >= 5.9), "{:?} {:?}", heights(0), heights(1));
}

/// Lines are five units wide with a gap of one between them. Closer together, a line would be covered by its
/// neighbours.
#[test]
fn six_lines_on_one_edge_do_not_cover_each_other() {
    let places: Vec<(f64, f64)> = (0..4).map(|at| (35.0, 139.0 + f64::from(at) * 0.01)).collect();
    let stops: &[usize] = &[0, 1, 2, 3];
    let built = built(&network(&places, &[(stops, false); 6]));
    let mut heights: Vec<f64> = built.document.lines.iter().map(|line| line.paths[0][0].1).collect();
    heights.sort_by(f64::total_cmp);
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 5.9), "{heights:?}");
}

#[test]
fn disconnected_components_and_stations_without_a_line_are_drawn() {
    let places = [(35.0, 139.0), (35.0, 139.02), (35.02, 139.0), (35.03, 139.04), (35.1, 139.1)];
    let built = built(&network(&places, &[(&[0, 1], false), (&[2, 3], false)]));
    assert_eq!(built.document.stations.len(), 5);
}

#[test]
fn coincident_stations_get_separate_marks() {
    let places = [(35.0, 139.0), (35.0, 139.0), (35.0, 139.01), (35.0, 139.01)];
    built(&network(&places, &[(&[0, 2], false), (&[1, 3], false), (&[0, 1], false)]));
}

#[test]
fn the_same_network_gives_the_same_map() {
    let places: Vec<(f64, f64)> =
        (0..30).map(|at| (35.0 + f64::from(at * 37 % 11) * 0.01, 139.0 + f64::from(at * 53 % 13) * 0.01)).collect();
    let stops: Vec<usize> = (0..30).collect();
    let network = network(&places, &[(&stops[..12], false), (&stops[10..20], false), (&stops[18..], false)]);
    let text = || build(&network, Options::default(), &mut |_| ()).unwrap().document.to_toml();
    assert_eq!(text(), text());
}

#[test]
fn the_second_language_is_written_when_it_is_asked_for() {
    let network = network(&[(35.0, 139.0), (35.0, 139.02)], &[(&[0, 1], false)]);
    let built = build(&network, Options { language: MapLanguage::Both, ..Options::default() }, &mut |_| ()).unwrap();
    assert!(built.document.stations.iter().all(|station| !station.label.small.is_empty()));
    assert!(built.document.to_toml().contains("Station 1"));
}

#[test]
fn a_layout_for_a_language_has_labels_in_it_and_room_for_them() {
    let mut network = network(&[(35.0, 139.0), (35.0, 139.02)], &[(&[0, 1], false)]);
    for station in &mut network.stations {
        station.name = "駅".to_owned();
        station.translation = "A station with a long name".to_owned();
    }
    let [ja, en] = [MapLanguage::Japanese, MapLanguage::English]
        .map(|language| build(&network, Options { language, ..Options::default() }, &mut |_| ()).unwrap().document);
    let width = |document: &kaisatsu_railmap::MapDocument| {
        let text = document.stations[0].marks.iter().find(|mark| mark.is_text).unwrap();
        text.shape.bounds().width
    };
    assert_eq!((width(&ja), ja.stations[0].label.rows.concat()), (15, "駅".to_owned()));
    assert!(width(&en) > 60, "{}", width(&en));
    let station = &en.stations[0];
    assert_eq!(station.label.rows.concat().replace(' ', ""), "Astationwithalongname");
    assert_eq!((station.name.as_str(), station.label.small.len()), ("駅", 0), "it is still found by its own name");
    assert!(en.to_toml().contains("language = \"en\"") && !ja.to_toml().contains("language"));
}

/// Two lines that cross at station 4. A third one ends at station 3, on the track of the first.
#[test]
fn the_names_of_termini_and_interchanges_are_larger() {
    let east = [0.0, 1.0, 4.0, 3.0, 2.0, 5.0];
    let mut places: Vec<(f64, f64)> = east.iter().map(|at| (35.0, 139.0 + at * 0.02)).collect();
    places.extend([(35.02, 139.04), (34.98, 139.04)]);
    let built = built(&network(&places, &[(&[0, 1, 4, 3, 2, 5], false), (&[6, 4, 7], false), (&[0, 1, 4, 3], false)]));
    let sizes: Vec<u8> = built.document.stations.iter().map(|station| station.label.size).collect();
    assert_eq!(sizes, [15, 12, 12, 15, 15, 15, 15, 15]);
}

#[test]
fn an_empty_network_is_an_error() {
    let error = build(&network(&[], &[]), Options::default(), &mut |_| ()).unwrap_err();
    assert_eq!(error, LayoutError::Empty);
}

#[test]
fn a_network_across_the_antimeridian_is_laid_out_like_any_other() {
    let drawn = |lons: [f64; 4]| {
        let places = lons.map(|lon| (-16.8, lon));
        let document = built(&network(&places, &[(&[0, 1, 2, 3], false)])).document;
        (document.width, document.height, document.lines[0].paths.clone())
    };
    assert_eq!(drawn([179.985, 179.995, -179.995, -179.985]), drawn([10.0, 10.01, 10.02, 10.03]));
}

#[test]
fn the_legend_keeps_its_size_where_a_larger_corner_is_free() {
    let places: Vec<(f64, f64)> =
        (0..30).map(|at| (35.0 + f64::from(at) * 0.01, 139.0 + f64::from(at) * 0.012)).collect();
    let stops: Vec<usize> = (0..30).collect();
    let mut network = network(&places, &[(&stops, false)]);
    network.lines[0].name = "東京国際クルーズターミナル線".repeat(2);
    let document = built(&network).document;
    let place = document.legend.unwrap();
    let legend = Legend::new(&document.name, &document.edition, &document.credits, &document.lines, document.language);
    assert!(i64::from(legend.size_for(1).width) <= place.width, "{place:?}");
    assert!(place.width > document.width / 5, "the smallest corner would do: {place:?} of {}", document.width);
    assert!(place.x > 40, "it lies in the corner beside the line, not below the map: {place:?}");
}

#[test]
fn missing_characters_are_reported_for_every_text() {
    let mut network = network(&[(35.0, 139.0), (35.0, 139.02)], &[(&[0, 1], false)]);
    network.edition = "2026\u{e000}".to_owned();
    network.credits = "©\u{e001}".to_owned();
    let missing = built(&network).missing_characters;
    assert!(missing.contains('\u{e000}') && missing.contains('\u{e001}'), "{missing:?}");
}

#[test]
fn error_messages_include_advice() {
    let remedy = "Draw a smaller area or fewer lines";
    let inverted = LayoutError::InvertedFaces(2).to_string();
    assert!(inverted.ends_with(&format!("2 edges are beside an inverted face. {remedy}")), "{inverted}");
    assert!(LayoutError::Unroutable(3).to_string().ends_with(&format!("3 edges could not be routed. {remedy}")));
    let no_place = LayoutError::UnplacedLabels("甲".to_owned()).to_string();
    assert!(no_place.ends_with(&format!("甲. {remedy}, or build without --second-language")), "{no_place}");
}

/// Two lines that cross the map side by side, and a third one across, each with a station near the middle.
fn three_lines_with_a_group() -> kaisatsu_transit::Network {
    let mut places = Vec::new();
    for (lat, lon) in [(35.0, 139.0), (35.004, 139.001)] {
        places.extend((-3..=3).map(|at| (lat, lon + f64::from(at) * 0.012)));
    }
    places.extend((-3..=3).map(|at| (35.008 + f64::from(at) * 0.011, 139.003)));
    let lines: Vec<Vec<usize>> = (0..3).map(|line| (line * 7..line * 7 + 7).collect()).collect();
    let lines: Vec<(&[usize], bool)> = lines.iter().map(|stops| (&stops[..], false)).collect();
    let mut network = network(&places, &lines);
    let code = |at: i64| StationCode::new(at).unwrap();
    network.groups = vec![vec![code(4), code(11), code(18)]];
    network
}

#[test]
fn the_stations_of_a_group_are_joined_and_nearer_than_neighbours() {
    let network = three_lines_with_a_group();
    let built = built(&network);
    let edges = network.edge_count();
    assert_eq!((built.quality.edges, built.document.lines.len()), (edges, 3), "a walk is no line");
    let [group] = &built.document.groups[..] else { panic!("one group") };
    assert_eq!((group.stations.len(), group.paths.len()), (3, 2), "two connectors join three stations");
    let mark = |code: StationCode| {
        let station = built.document.stations.iter().find(|station| station.code == code).unwrap();
        station.marks[1].shape
    };
    for path in &group.paths {
        for (x, y) in [path[0], path[path.len() - 1]] {
            #[expect(clippy::cast_possible_truncation, reason = "a small map")]
            let here = kaisatsu_model::Window { x: x as i64, y: y as i64, width: 1, height: 1 };
            assert!(
                group.stations.iter().any(|&code| mark(code).touches(&here)),
                "a connector ends in marks: {path:?}"
            );
        }
        let length: f64 = path.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).sum();
        assert!(length < 90.0, "{length}");
        assert!(directions(std::slice::from_ref(path)).iter().all(Option::is_some), "{path:?}");
    }
    assert!(
        built
            .document
            .stations
            .iter()
            .filter(|station| group.stations.contains(&station.code))
            .all(|station| { matches!(station.marks[1].shape, Shape::Circle(circle) if circle.r >= 7) }),
        "each looks like an interchange"
    );
}

/// Four streets and four across, turned by an angle in degrees.
fn street_grid(degrees: f64) -> Vec<(f64, f64)> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let turned = |x: f64, y: f64| (35.0 + 0.01 * (x * sin + y * cos), 139.0 + 0.0122 * (x * cos - y * sin));
    (0..16).map(|at| turned(f64::from(at % 4), f64::from(at / 4))).collect()
}

#[test]
fn a_network_on_slanting_streets_is_turned_upright() {
    let lines: Vec<[usize; 4]> =
        (0..4).flat_map(|at| [[at * 4, at * 4 + 1, at * 4 + 2, at * 4 + 3], [at, at + 4, at + 8, at + 12]]).collect();
    let lines: Vec<(&[usize], bool)> = lines.iter().map(|stops| (&stops[..], false)).collect();
    for degrees in [0.0, 29.0, -24.0] {
        let built = built(&network(&street_grid(degrees), &lines));
        assert_eq!(built.quality.bends.to_string(), "0", "{degrees} degrees");
        let upright = |line: &kaisatsu_railmap::Line| {
            directions(&line.paths).iter().all(|one| one.is_some_and(|eighths| eighths % 2 == 0))
        };
        assert!(built.document.lines.iter().all(upright), "{degrees} degrees");
    }
}

#[test]
fn more_effort_keeps_the_best_of_several_layouts() {
    let places: Vec<(f64, f64)> =
        (0..24).map(|at| (35.0 + f64::from(at * 7 % 11) * 0.011, 139.0 + f64::from(at * 5 % 13) * 0.013)).collect();
    let stops: Vec<usize> = (0..24).collect();
    let network = network(&places, &[(&stops[..9], false), (&stops[7..16], false), (&stops[14..], false)]);
    let with = |effort: usize| build(&network, Options { effort, ..Options::default() }, &mut |_| ()).unwrap();
    let (one, more) = (with(1), with(4));
    assert_eq!(more.quality.violations.total() + more.quality.overlaps + more.quality.unlabelled, 0);
    let score = |map: &kaisatsu_schematic::BuiltMap| kaisatsu_schematic::score(&map.quality);
    assert!(score(&more) < score(&one), "{} and {}", score(&more), score(&one));
    // A number out of range is the nearest one.
    assert_eq!(with(0).document.to_toml(), one.document.to_toml());
}
