//! The legend has the size that it reports.

use kaisatsu_model::Window;
use kaisatsu_render::{Legend, Style};

use crate::support::{DEMO, Pixels, TOKYO, read};

#[test]
fn the_legend_of_the_demo_is_as_measured() {
    let map = read(DEMO);
    let place = map.legend.expect("a legend");
    let room = Legend::of(&map).size_for(i32::try_from(place.width).unwrap());
    assert_eq!((place.width, place.height), (room.width.into(), room.height.into()));
}

#[test]
fn a_wider_legend_is_lower() {
    let map = read(TOKYO);
    let legend = Legend::of(&map);
    let mut height = i32::MAX;
    for width in [400, 700, 1000, 2000, 4000] {
        let room = legend.size_for(width);
        assert!(room.height <= height, "{width}");
        assert!(room.width <= width, "{room:?} of {width}");
        height = room.height;
    }
    assert!(height < 400, "{height}");
}

#[test]
fn in_a_place_that_is_too_small_it_is_smaller() {
    for (width, height) in [(300, 60), (40, 130), (12, 12), (800, 20)] {
        let place = format!("legend = {{ x = 20, y = 500, width = {width}, height = {height} }}\n");
        let text: String = DEMO.split_inclusive('\n').filter(|line| !line.starts_with("legend")).collect();
        let map = read(&text.replacen("centre = 6\n", &format!("centre = 6\n{place}"), 1));
        let window = Window { x: 0, y: 480, width: 860, height: 160 };
        let [left, top, right, bottom] = Pixels::draw(&map, window, 1, Style::Light).ink().expect("ink");
        assert_eq!([left, top, right, bottom], [20, 20, 20 + width, 20 + height]);
    }
}
