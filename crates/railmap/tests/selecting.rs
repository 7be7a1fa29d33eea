//! Selections on random maps, compared with a naive scan, and selections by name, code and window on a fixed map.

use std::fmt::Write as _;

use kaisatsu_model::{Side, StationCode, Window};
use kaisatsu_railmap::{RouteMap, Selected, Selection, check::check};
use proptest::prelude::*;

const WIDE: i64 = 900;
const HIGH: i64 = 700;

/// A station of a random map: a rect and a circle at any position.
#[derive(Debug, Clone)]
struct Spot {
    rect: (i64, i64, i64, i64),
    circle: (i64, i64, i64),
}

fn spots() -> impl Strategy<Value = Vec<Spot>> {
    let rect = (0..WIDE - 60, 0..HIGH - 30, 1_i64..=60, 1_i64..=30);
    let circle = (20..WIDE - 20, 20..HIGH - 20, 1_i64..=20);
    prop::collection::vec((rect, circle).prop_map(|(rect, circle)| Spot { rect, circle }), 1..60)
}

fn map_of(spots: &[Spot]) -> RouteMap {
    let mut text = format!("format = 1\nid = \"m\"\nname = \"m\"\nwidth = {WIDE}\nheight = {HIGH}\ncentre = 1\n");
    for (at, Spot { rect: (x, y, width, height), circle: (cx, cy, r) }) in spots.iter().enumerate().rev() {
        let code = at + 1;
        writeln!(
            text,
            "[[station]]\ncode = {code}\nname = \"s{code}\"\nyomi = \"え\"\nlat = 35.0\nlon = 139.0\nmarks = [\
             {{ shape = \"rect\", x = {x}, y = {y}, width = {width}, height = {height}, text = true }},\
             {{ shape = \"circle\", x = {cx}, y = {cy}, r = {r} }}]"
        )
        .unwrap();
    }
    check(&text).map.unwrap()
}

/// The definition of a selection: a point of a shape lies in the window.
fn naive(spots: &[Spot], window: &Window) -> Vec<usize> {
    let inside = |spot: &&Spot| {
        let (x, y, width, height) = spot.rect;
        let rect = x <= window.right() && x + width >= window.x && y <= window.bottom() && y + height >= window.y;
        let (cx, cy, r) = spot.circle;
        let dx = (window.x - cx).max(0).max(cx - window.right());
        let dy = (window.y - cy).max(0).max(cy - window.bottom());
        rect || dx * dx + dy * dy <= r * r
    };
    spots.iter().enumerate().filter(|(_, spot)| inside(spot)).map(|(at, _)| at).collect()
}

proptest! {
    #[test]
    fn a_window_holds_what_a_naive_scan_finds(
        spots in spots(),
        x in -600_i32..1_500, y in -600_i32..1_300,
        width in 1_i64..=500, height in 1_i64..=500,
    ) {
        let map = map_of(&spots);
        let (wide, high) = (Side::new(width).unwrap(), Side::new(height).unwrap());
        let selection = Selection::Window { x, y, width: wide, height: high };
        let window = Window { x: x.into(), y: y.into(), width, height };
        let expected = Selected { stations: naive(&spots, &window), window };
        prop_assert_eq!(selection.window(&map.extent), Some(window));
        prop_assert_eq!(map.select(&selection), Some(expected));
    }

    #[test]
    fn from_a_point_reaches_to_the_far_edges(spots in spots(), x in -600_i32..1_500, y in -600_i32..1_300) {
        let map = map_of(&spots);
        let (left, top) = (i64::from(x), i64::from(y));
        let window = Window { x: left, y: top, width: (WIDE - left).max(0), height: (HIGH - top).max(0) };
        let expected = Selected { stations: naive(&spots, &window), window };
        prop_assert_eq!(Selection::From(x, y).window(&map.extent), Some(window));
        prop_assert_eq!(map.select(&Selection::From(x, y)), Some(expected));
    }
}

#[test]
fn the_ends_of_the_number_range_are_windows_like_any_other() {
    let map = map_of(&[Spot { rect: (0, 0, 10, 10), circle: (30, 30, 5) }]);
    for (x, y) in [(i32::MIN, i32::MIN), (i32::MAX, i32::MAX), (i32::MIN, i32::MAX)] {
        let side = Side::new(500).unwrap();
        let far = map.select(&Selection::Window { x, y, width: side, height: side }).unwrap();
        assert!(far.stations.is_empty());
        let from = map.select(&Selection::From(x, y)).unwrap();
        assert_eq!(from.stations.len(), usize::from(x < 0 && y < 0));
    }
}

#[test]
fn shapes_as_wide_as_the_map_are_found_and_take_no_more_room_than_others() {
    let mut text = "format = 1\nid = \"m\"\nname = \"m\"\nwidth = 1000000\nheight = 1000000\ncentre = 1\n".to_owned();
    for code in 1..=3_000 {
        writeln!(
            text,
            "[[station]]\ncode = {code}\nname = \"n{code}\"\nlat = 35.0\nlon = 139.0\nmarks = [\
             {{ shape = \"rect\", x = 0, y = 0, width = 999999, height = 999999, text = true }},\
             {{ shape = \"circle\", x = {}, y = 15, r = 5 }}]",
            code + 10
        )
        .unwrap();
    }
    let map = check(&text).map.unwrap();
    let (side, at) = (Side::new(1).unwrap(), 500_000);
    assert_eq!(
        map.select(&Selection::Window { x: at, y: at, width: side, height: side }).unwrap().stations.len(),
        3_000
    );
}

/// Two stations with one name, a renamed one, and one whose former name is the current name of another.
fn named_map() -> RouteMap {
    let mut text = "format = 1\nid = \"m\"\nname = \"m\"\nwidth = 500\nheight = 100\ncentre = 10\n".to_owned();
    for (code, name, old, x) in [
        (30, "浅草", "", 10),
        (10, "浅草", "", 110),
        (20, "とうきょうスカイツリー", "業平橋", 210),
        (40, "新宿", "浅草", 310),
        (50, "三国ヶ丘", "", 410),
        (60, "三国ケ丘", "", 440),
    ] {
        let formerly = if old.is_empty() { String::new() } else { format!("formerly = [\"{old}\"]\n") };
        writeln!(
            text,
            "[[station]]\ncode = {code}\nname = \"{name}\"\nyomi = \"え\"\nlat = 35.0\nlon = 139.0\n{formerly}marks = [\
             {{ shape = \"rect\", x = {}, y = 10, width = 20, height = 10, text = true }},\
             {{ shape = \"circle\", x = {x}, y = 15, r = 5 }}]",
            x + 6
        )
        .unwrap();
    }
    check(&text).map.unwrap()
}

fn codes(map: &RouteMap, selection: &Selection) -> Option<Vec<u32>> {
    Some(map.select(selection)?.stations.iter().map(|&at| map.stations()[at].code.get()).collect())
}

#[test]
fn names_find_current_bearers_first_and_old_names_after() {
    let map = named_map();
    let by = |name: &str| codes(&map, &Selection::Name(name.to_owned()));
    assert_eq!(by("浅草"), Some(vec![10, 30]), "both bearers, by code, and not the one that had the name before");
    assert_eq!(by("業平橋"), Some(vec![20]));
    assert_eq!((by("三国ヶ丘"), by("三国ケ丘")), (Some(vec![50]), Some(vec![60])), "each as it is written");
    assert_eq!(by("三国ヶ丘 "), Some(vec![50, 60]), "neither, letter by letter");
    assert_eq!(by("とうきょうスカイツリー"), Some(vec![20]));
    assert_eq!(by("大崎"), None);
    assert_eq!(codes(&map, &Selection::Code(StationCode::new(20).unwrap())), Some(vec![20]));
    assert_eq!(codes(&map, &Selection::Code(StationCode::new(21).unwrap())), None);
}

#[test]
fn a_station_is_framed_by_its_shapes() {
    let map = named_map();
    let one = map.select(&Selection::Code(StationCode::new(20).unwrap())).unwrap();
    assert_eq!(one.window, Window { x: 205, y: 10, width: 31, height: 10 });
    let both = map.select(&Selection::Name("浅草".to_owned())).unwrap();
    assert_eq!(both.window, Window { x: 5, y: 10, width: 131, height: 10 });
}

#[test]
fn a_window_includes_the_shapes_that_touch_it() {
    let map = map_of(&[Spot { rect: (100, 100, 20, 10), circle: (300, 300, 5) }]);
    let found = |x: i32, y: i32| {
        let side = Side::new(10).unwrap();
        map.select(&Selection::Window { x, y, width: side, height: side }).unwrap().stations.len()
    };
    for (x, y) in
        [(90, 100), (120, 100), (100, 90), (100, 110), (90, 90), (120, 110), (285, 295), (305, 295), (295, 305)]
    {
        assert_eq!(found(x, y), 1, "{x} {y}");
    }
    // One unit away, and in the corner of the circle's bounding box.
    for (x, y) in
        [(89, 100), (121, 100), (100, 89), (100, 111), (284, 295), (306, 295), (295, 306), (305, 305), (285, 285)]
    {
        assert_eq!(found(x, y), 0, "{x} {y}");
    }
}

#[test]
fn more_stations_than_one_word_has_bits_are_selected_in_order() {
    let spots: Vec<Spot> = (0..130).map(|at| Spot { rect: (at * 6, 10, 5, 5), circle: (at * 6 + 2, 40, 2) }).collect();
    let map = map_of(&spots);
    let all = map.select(&Selection::From(0, 0)).unwrap();
    assert_eq!(all.stations, (0..130).collect::<Vec<_>>());
    let side = Side::new(1).unwrap();
    for at in [0, 63, 64, 65, 127, 128, 129] {
        let x = i32::try_from(at * 6 + 2).unwrap();
        let one = map.select(&Selection::Window { x, y: 12, width: side, height: side }).unwrap();
        assert_eq!(one.stations, [at]);
    }
}

#[test]
fn a_former_name_finds_each_of_its_stations_once() {
    let mut text = "format = 1\nid = \"m\"\nname = \"m\"\nwidth = 500\nheight = 100\ncentre = 1\n".to_owned();
    for (code, formerly) in [(1, "\"旧\", \"旧\""), (2, "\"古\", \"旧\""), (3, "\"ＯＬＤ\"")] {
        writeln!(
            text,
            "[[station]]\ncode = {code}\nname = \"s{code}\"\nlat = 35.0\nlon = 139.0\nformerly = [{formerly}]\n\
             marks = [{{ shape = \"circle\", x = {}, y = 15, r = 5 }}]",
            code * 20
        )
        .unwrap();
    }
    let map = check(&text).map.unwrap();
    let by = |name: &str| codes(&map, &Selection::Name(name.to_owned()));
    assert_eq!((by("旧"), by("古"), by("old")), (Some(vec![1, 2]), Some(vec![2]), Some(vec![3])));
}

#[test]
fn a_name_that_no_station_has_is_sought_in_other_scripts_and_spellings() {
    let registry = kaisatsu_railmap::MapRegistry::open(None, |_| ()).unwrap();
    let tokyo = registry.get("tokyo").unwrap();
    let by = |name: &str| -> Vec<String> {
        let found = tokyo.map.select(&Selection::Name(name.to_owned()));
        let stations = found.map(|found| found.stations).unwrap_or_default();
        stations.into_iter().map(|at| tokyo.map.stations()[at].name.clone()).collect()
    };
    for (written, name) in [
        ("shinjuku", "新宿"),
        ("しんじゅく", "新宿"),
        ("新宿駅", "新宿"),
        ("東京駅", "東京"),
        ("四谷", "四ツ谷"),
        ("御茶の水", "御茶ノ水"),
        ("お茶の水", "御茶ノ水"),
        ("霞が関", "霞ケ関"),
        ("自由ヶ丘", "自由が丘"),
        ("虎の門", "虎ノ門"),
        ("shinbashi", "新橋"),
    ] {
        assert_eq!(by(written), [name], "{written}");
    }
    let line = by("山手線");
    assert_eq!(line.len(), 30, "{line:?}");
    assert!(line.contains(&"渋谷".to_owned()) && by("JR山手線") == line);
    for none in ["線", "shinj", "新", "駅", "手線駅", ""] {
        assert!(by(none).is_empty(), "{none}");
    }
}
