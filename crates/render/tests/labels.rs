//! A label fills its rect: no ink is outside, and every edge is close to the ink.

use kaisatsu_model::Window;
use kaisatsu_railmap::Label;
use kaisatsu_render::Style;

use crate::support::{DEMO, Pixels, alone, fitting, label, read};

fn labels() -> Vec<Label> {
    let mut labels = Vec::new();
    for down in [false, true] {
        labels.extend([
            label(&["東京"], &[], down),
            label(&["東京"], &["Tōkyō"], down),
            label(&["高輪", "ゲートウェイ"], &["Takanawa Gateway"], down),
            label(&["押上", "〈スカイツリー前〉"], &["Oshiage", "(Skytree)"], down),
            label(&["新宿3丁目"], &["Shinjuku-sanchōme"], down),
            label(&["空港第12ビル", "JR線・A1出口"], &[], down),
            label(&["Ångström", "Ğğ Ője ĵ"], &["Źródła gjpqy|{}"], down),
            label(&["Ệ"], &["Įįj"], down),
            label(&["ー「・」ー"], &["—"], down),
            label(&["\u{1f686}"], &["ب"], down),
            label(&["一"], &[], down),
            label(&["WAVE AVATAR To. Ty,"], &["Ĵ"], down),
        ]);
    }
    labels
}

#[test]
fn all_ink_is_inside_and_reaches_the_ends() {
    for label in labels() {
        let rect = fitting(&label, 40, 40);
        let map = alone(&label, &rect);
        for scale in [1, 2, 3] {
            let window = Window { x: 0, y: 0, width: rect.right() + 40, height: rect.bottom() + 40 };
            let [left, top, right, bottom] = Pixels::draw(&map, window, scale, Style::Light).ink().expect("some ink");
            let place = |edge: i64| usize::try_from(edge).unwrap() * usize::from(scale);
            let inside = left >= place(rect.x)
                && top >= place(rect.y)
                && right <= place(rect.right())
                && bottom <= place(rect.bottom());
            assert!(inside, "{label:?} at {scale}: {:?} is not in {rect:?}", [left, top, right, bottom]);
            let (begin, end, room) = if label.down { (top, bottom, rect.height) } else { (left, right, rect.width) };
            let slack = room * i64::from(scale) - i64::try_from(end - begin).unwrap();
            assert!(slack <= 2 * i64::from(scale), "{label:?} at {scale}: {slack} pixels of the length are empty");
        }
    }
}

#[test]
fn in_a_rect_that_is_too_small_the_letters_are_smaller() {
    for label in labels() {
        let full = fitting(&label, 40, 40);
        let rect = Window { width: (full.width * 2 / 3).max(1), height: (full.height / 2).max(1), ..full };
        let window = Window { x: 0, y: 0, width: rect.right() + 60, height: rect.bottom() + 60 };
        let ink = Pixels::draw(&alone(&label, &rect), window, 3, Style::Light).ink().expect("some ink");
        let [left, top, right, bottom] = ink.map(|edge| i64::try_from(edge).unwrap());
        assert!(left >= 3 * rect.x && top >= 3 * rect.y, "{label:?}");
        assert!(right <= 3 * rect.right() && bottom <= 3 * rect.bottom(), "{label:?}");
    }
}

#[test]
fn in_a_large_rect_the_letters_are_in_the_middle() {
    let label = label(&["東京"], &[], false);
    let rect = Window { x: 40, y: 40, width: 100, height: 60 };
    let window = Window { x: 0, y: 0, width: 180, height: 140 };
    let [left, top, right, bottom] = Pixels::draw(&alone(&label, &rect), window, 1, Style::Light).ink().expect("ink");
    assert!((left + right).abs_diff(180) <= 2 && (top + bottom).abs_diff(140) <= 3, "{left} {top} {right} {bottom}");
    assert!(right - left <= 24);
}

#[test]
fn rows_are_flush_with_the_mark_that_they_name() {
    let map = read(DEMO);
    // The empty space before and after the name, without the second language below it.
    let empty = |name: &str| {
        let station = map.stations().iter().find(|station| station.name == name).expect("it is there");
        let rect = station.marks.iter().find(|mark| mark.is_text).expect("a name").shape.bounds();
        let pixels = Pixels::draw(&map, Window { height: 12, ..rect }, 3, Style::Light);
        let [left, _, right, _] = pixels.ink().expect("ink");
        (left, pixels.width - right)
    };
    let (before, after) = empty("桜");
    assert!(before <= 3 && after > 30, "to the right of its mark: {before} {after}");
    let (before, after) = empty("南町");
    assert!(before > 30 && after <= 3, "to the left: {before} {after}");
    let (before, after) = empty("北");
    assert!(before.abs_diff(after) <= 3, "above: {before} {after}");
}

#[test]
fn the_rects_of_the_demo_are_as_measured() {
    for station in read(DEMO).stations() {
        let rect = station.marks.iter().find(|mark| mark.is_text).expect("a name").shape.bounds();
        assert_eq!(rect, fitting(&station.label, rect.x, rect.y), "{}", station.name);
    }
}
