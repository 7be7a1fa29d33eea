//! The typeface has the characters of the maps, and reports those that it lacks.

use kaisatsu_railmap::{Label, check};
use kaisatsu_render::{LabelSize, Typeface, measure};

const TOKYO: &str = include_str!("../../railmap/maps/tokyo.toml");

#[test]
fn the_built_in_map_can_be_written() {
    let map = check::check(TOKYO).map.expect("the built-in map");
    let face = Typeface::builtin();
    for station in map.stations() {
        assert_eq!(face.missing(&station.name), "", "{}", station.name);
        assert_eq!(face.missing(&station.translation), "", "{}", station.translation);
    }
    for line in &map.lines {
        assert_eq!(face.missing(&line.name), "", "{}", line.name);
    }
}

#[test]
fn what_is_missing_is_said_once_each() {
    let face = Typeface::builtin();
    assert_eq!(face.missing("東京 Tōkyō Ōtsu Łódź Škoda Ağrı Αθήνα Київ Đồng Hới"), "");
    assert_eq!(face.missing("To\u{304}kyo\u{304}"), "");
    assert_eq!(face.missing("ابا ب"), "اب");
    assert_eq!(face.missing("a\u{7}"), "\u{7}");
    assert!(face.covers('駅'));
    assert!(!face.covers('\u{1f686}'));
}

#[test]
fn a_label_takes_as_much_room_as_its_rows() {
    let label = |rows: &[&str], small: &[&str], down| Label {
        rows: rows.iter().map(ToString::to_string).collect(),
        small: small.iter().map(ToString::to_string).collect(),
        down,
        size: Label::SIZE,
    };
    let room = |rows: &[&str], small: &[&str], down| {
        let LabelSize { width, height } = measure(Typeface::builtin(), &label(rows, small, down));
        (width, height)
    };
    assert_eq!(room(&["東京"], &[], false), (24, 12));
    assert_eq!(room(&["東京"], &["Tōkyō"], false), (24, 22));
    assert_eq!(room(&["高輪", "ゲートウェイ"], &[], false), (70, 26));
    assert_eq!(room(&["東京"], &[], true), (12, 24));
    assert_eq!(room(&["東京", "駅"], &[], true), (26, 24));
    assert_eq!(room(&["2丁目"], &[], true), (12, 34));
    assert_eq!(room(&[""], &[], true), (12, 1));
    let large = Label { size: 18, ..label(&["東京"], &["Tōkyō"], false) };
    assert_eq!(measure(Typeface::builtin(), &large), LabelSize { width: 35, height: 33 }, "half as large again");
}

#[test]
fn any_character_can_be_set() {
    let every = (0..=u32::from(char::MAX)).step_by(97).filter_map(char::from_u32);
    for piece in every.collect::<Vec<_>>().chunks(16) {
        let row: String = piece.iter().collect();
        for down in [false, true] {
            let LabelSize { width, height } =
                measure(Typeface::builtin(), &Label { small: vec![row.clone()], down, ..Label::plain(&row) });
            assert!((1..2000).contains(&width) && (1..2000).contains(&height), "{row:?}");
        }
    }
}
