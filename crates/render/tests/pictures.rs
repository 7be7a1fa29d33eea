//! The pixels of a window: its size, its contents, and that they do not depend on where the window is cut.

use kaisatsu_model::Window;
use kaisatsu_railmap::RouteMap;
use kaisatsu_render::{MAX_PIXELS, Picture, PictureError, Style, overview, png, svg};

use crate::support::{DEMO, HEAD, Pixels, TOKYO, furthest, quoted, read};

fn picture(map: &RouteMap, window: Window) -> Picture<'_> {
    Picture::new(map, window)
}

fn window(x: i64, y: i64, width: i64, height: i64) -> Window {
    Window { x, y, width, height }
}

#[test]
fn a_window_is_a_piece_of_the_larger_one() {
    let tokyo = read(TOKYO);
    let demo = read(DEMO);
    let cases = [
        (&tokyo, window(2500, 1500, 600, 600), window(2650, 1701, 217, 189)),
        (&demo, window(0, 0, 900, 640), window(71, 150, 333, 200)),
        (&demo, window(0, 0, 900, 640), window(570, 470, 330, 170)),
    ];
    for (map, large, small) in cases {
        for (scale, style) in [(1, Style::Light), (2, Style::Dark)] {
            let (whole, piece) = (Pixels::draw(map, large, scale, style), Pixels::draw(map, small, scale, style));
            let shift = |from: i64, to: i64| usize::try_from(to - from).unwrap() * usize::from(scale);
            let (right, down) = (shift(large.x, small.x), shift(large.y, small.y));
            let apart = |(x, y): (usize, usize)| furthest(piece.at(x, y), whole.at(x + right, y + down));
            // Shapes are clipped to the window before they are filled, which changes the rounding of their edges: near
            // the cut, of curves by some sixteenths of a pixel's coverage, and of long slanting lines by one in places.
            let margin = 20 * usize::from(scale);
            let mut strays = 0;
            for place in piece.places() {
                let (x, y) = place;
                let near_edge = x.min(y).min(piece.width - 1 - x).min(piece.height - 1 - y) < margin;
                let differs = apart(place);
                assert!(differs <= if near_edge { 48 } else { 16 }, "{place:?} of {small:?} at {scale}: {differs}");
                strays += usize::from(!near_edge && differs > 1);
            }
            assert!(strays * 1000 <= piece.width * piece.height, "{small:?} at {scale}: {strays} pixels differ");
        }
    }
}

#[test]
fn a_picture_has_exactly_the_pixels_of_its_window() {
    let map = read(DEMO);
    for scale in 1..=3 {
        let drawn = Pixels::draw(&map, window(10, 20, 123, 45), scale, Style::Light);
        assert_eq!((drawn.width, drawn.height), (123 * usize::from(scale), 45 * usize::from(scale)));
        let document = svg(&Picture { scale: scale.into(), ..picture(&map, window(10, 20, 123, 45)) });
        let (width, height) = (123 * u32::from(scale), 45 * u32::from(scale));
        assert!(document.starts_with(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"10 20 123 45\" role=\"img\">"
        )));
    }
}

#[test]
fn a_picture_has_a_limit() {
    let map = read(DEMO);
    let side = 4096;
    assert_eq!(side * side, MAX_PIXELS);
    for (width, height, scale) in
        [(side, side + 1, 1.0), (side, side, 2.0), (i64::MAX / 4, 1, 3.0), (1 << 40, 1 << 40, 1.0)]
    {
        let large = Picture { scale, ..picture(&map, window(0, 0, width, height)) };
        assert_eq!(png(&large), Err(PictureError::TooLarge), "{width} {height}");
    }
    assert_eq!(overview(&picture(&map, map.extent), 5000, 5000), Err(PictureError::TooLarge));
    assert_eq!(overview(&picture(&map, map.extent), 0, 5), Err(PictureError::TooLarge));
}

#[test]
fn the_ends_of_the_number_range_are_survived() {
    let map = read(DEMO);
    for far in [window(i64::MAX, 0, 1, 1), window(i64::MIN, i64::MAX, i64::MAX, i64::MAX)] {
        let drawn = svg(&Picture { scale: 3.0, ..picture(&map, far) });
        roxmltree::Document::parse(&drawn).expect("well-formed");
        let _ = png(&picture(&map, far));
    }
}

#[test]
fn beside_the_map_and_between_its_parts_is_the_ground() {
    let map = read(DEMO);
    for empty in [window(20, 400, 50, 50), window(5000, 5000, 40, 30), window(899, 0, 400, 60)] {
        assert_eq!(Pixels::draw(&map, empty, 1, Style::Light).ink(), None, "{empty:?}");
        let document = svg(&picture(&map, empty));
        assert!(!document.contains("<use") && !document.contains("<circle"), "{document}");
        roxmltree::Document::parse(&document).expect("well-formed");
    }
    let nothing = png(&picture(&map, window(10, 10, 0, 0)));
    assert!(matches!(nothing, Err(PictureError::Unrenderable(_))), "{nothing:?}");
    roxmltree::Document::parse(&svg(&picture(&map, window(10, 10, 0, 0)))).expect("well-formed");
}

#[test]
fn only_what_the_window_shows_is_written() {
    let map = read(TOKYO);
    let labels = |window| svg(&picture(&map, window)).matches("class=\"label\"").count();
    assert_eq!(labels(map.extent), map.stations().len());
    let few = labels(window(1400, 1400, 300, 300));
    assert!((3..40).contains(&few), "{few}");
    let document = svg(&picture(&map, window(1400, 1400, 300, 300)));
    assert!(document.len() < 80_000, "{}", document.len());
}

#[test]
fn the_same_picture_is_the_same_bytes() {
    let (one, other) = (read(TOKYO), read(TOKYO));
    let place = window(1300, 1400, 400, 400);
    assert_eq!(svg(&picture(&one, place)), svg(&picture(&other, place)));
    assert_eq!(png(&picture(&one, place)), png(&picture(&other, place)));
}

#[test]
fn marks_cover_exactly_their_shapes() {
    let marks = [
        ("{ shape = \"circle\", x = 60, y = 60, r = 4 }", [56, 56, 64, 64]),
        ("{ shape = \"circle\", x = 60, y = 60, r = 9 }", [51, 51, 69, 69]),
        ("{ shape = \"circle\", x = 60, y = 60, r = 1 }", [59, 59, 61, 61]),
        ("{ shape = \"rect\", x = 40, y = 50, width = 40, height = 16, chamfering = true }", [40, 50, 80, 66]),
        ("{ shape = \"rect\", x = 40, y = 50, width = 9, height = 31 }", [40, 50, 49, 81]),
        ("{ shape = \"rect\", x = 40, y = 50, width = 1, height = 1 }", [40, 50, 41, 51]),
    ];
    for (mark, shape) in marks {
        let text = format!(
            "{HEAD}name = \"x\"\n[[station]]\ncode = 1\nname = \"x\"\nlat = 35.0\nlon = 139.0\nmarks = [{mark}]\n"
        );
        let map = read(&text);
        for (scale, style) in [(1, Style::Light), (3, Style::Dark)] {
            let ink = Pixels::draw(&map, window(0, 0, 120, 120), scale, style).ink();
            assert_eq!(ink, Some(shape.map(|edge| edge * usize::from(scale))), "{mark} {style:?}");
        }
    }
}

#[test]
fn no_name_breaks_out_of_the_document() {
    let hostile = "\"/><script>alert('x')</script>&amp;]]><!--\u{0}\u{8}\u{b}\u{1f}\t\n\u{7f}\u{85}\u{fffe}東";
    let name = quoted(hostile);
    let text = format!(
        "{HEAD}name = {name}\nedition = {name}\ncredits = {name}\n\
         legend = {{ x = 10, y = 10, width = 400, height = 200 }}\n\
         [[line]]\ncode = 1\nname = {name}\ntranslation = {name}\ncolor = \"#80c241\"\nstations = [[1, 2]]\n\
         [[station]]\ncode = 1\nname = {name}\nlat = 35.0\nlon = 139.0\ntranslation = {name}\n\
         label = {{ rows = [{name}], small = [{name}], down = true }}\n\
         marks = [{{ shape = \"rect\", x = 500, y = 300, width = 60, height = 200, text = true }},\n\
         {{ shape = \"circle\", x = 600, y = 300, r = 5 }}]\n\
         [[station]]\ncode = 2\nname = {name}\nlat = 35.0\nlon = 139.0\n\
         marks = [{{ shape = \"rect\", x = 500, y = 40, width = 90, height = 20, text = true }},\n\
         {{ shape = \"circle\", x = 600, y = 40, r = 5 }}]\n"
    );
    let map = read(&text);
    for style in [Style::Light, Style::Dark] {
        let drawn = Picture { style, ..picture(&map, map.extent) };
        let document = svg(&drawn);
        let tree = roxmltree::Document::parse(&document).expect("well-formed");
        let known = ["svg", "title", "defs", "g", "path", "use", "rect", "circle"];
        for element in tree.descendants().filter(roxmltree::Node::is_element) {
            assert!(known.contains(&element.tag_name().name()), "{element:?}");
            let local = |value: &str| !value.contains("://") || value == "http://www.w3.org/2000/svg";
            assert!(element.attribute("href").is_none_or(|to| to.starts_with("#g") && local(to)), "{element:?}");
        }
        let title = tree.root_element().first_element_child().and_then(|title| title.text().map(str::to_owned));
        assert!(title.is_some_and(|title| title.contains("<script>alert('x')</script>&amp;]]>")));
        png(&drawn).expect("it can be drawn");
    }
}

#[test]
fn every_glyph_is_defined_once() {
    let map = read(DEMO);
    let document = svg(&picture(&map, map.extent));
    let tree = roxmltree::Document::parse(&document).expect("well-formed");
    let mut defined: Vec<_> = tree.descendants().filter_map(|node| node.attribute("id")).collect();
    let count = defined.len();
    defined.sort_unstable();
    defined.dedup();
    assert_eq!(defined.len(), count);
    for used in tree.descendants().filter_map(|node| node.attribute("href")) {
        assert!(defined.contains(&used.trim_start_matches('#')), "{used}");
    }
}

#[test]
fn an_overview_has_the_size_that_was_asked_for() {
    let map = read(TOKYO);
    for (width, height) in [(512, 371), (64, 64), (3, 900)] {
        let drawn = Pixels::decode(&overview(&picture(&map, map.extent), width, height).expect("not too large"));
        assert_eq!((drawn.width, drawn.height), (width as usize, height as usize));
    }
}

#[test]
fn a_connector_joins_the_marks_of_a_group() {
    let station = |code: i64, x: i64| {
        format!(
            "[[station]]\ncode = {code}\nname = \"s{code}\"\nlat = 1.0\nlon = 2.0\n\
             marks = [{{ shape = \"circle\", x = {x}, y = 20, r = 8 }}]\n"
        )
    };
    let head = "format = 1\nid = \"m\"\nname = \"m\"\nwidth = 100\nheight = 40\ncentre = 1\n";
    let group = "[[group]]\nstations = [1, 2]\npaths = [[20, 20, 70, 20]]\n";
    let drawn = |group: &str| {
        let map = read(&format!("{head}{group}{}{}", station(1, 20), station(2, 70)));
        Pixels::draw(&map, window(0, 0, 100, 40), 1, Style::Light)
    };
    let (apart, joined) = (drawn(""), drawn(group));
    let ground = apart.at(45, 20);
    assert_eq!(apart.at(45, 17), ground, "nothing between the marks");
    assert_eq!(joined.at(45, 20), joined.at(20, 20), "the inside of marks and connector is one");
    assert!(furthest(joined.at(45, 16), ground) > 150 && furthest(joined.at(45, 23), ground) > 150, "with an outline");
    assert_eq!(joined.at(45, 10), ground);
    assert!(furthest(apart.at(27, 20), ground) > 100, "a mark is closed");
    assert_eq!(joined.at(27, 20), joined.at(20, 20), "and open towards the connector");
}

#[test]
fn a_way_is_drawn_over_what_is_dimmed() {
    let map = read(TOKYO);
    let code = |number| kaisatsu_model::StationCode::new(number).unwrap();
    // 新宿 and 原宿 on the Yamanote line, with the station between them left out.
    let course = [code(1_130_208), code(1_130_206)];
    let drawn = svg(&Picture { course: &course, ..picture(&map, map.extent) });
    roxmltree::Document::parse(&drawn).expect("well-formed");
    let way = drawn[drawn.find("class=\"way\"").unwrap()..].split("</g>").next().unwrap();
    assert!(way.contains("#80c241"), "in the colour of the line: {way}");
    let labels = |text: &str| text.matches("class=\"label\"").count();
    assert_eq!(labels(&drawn), map.stations().len() + 3, "代々木 is on the way");
    // Two stations that no line joins are joined on foot.
    let on_foot = kaisatsu_render::way(&map, &[code(1_130_208), code(1_130_104)]);
    assert!(on_foot.iter().all(|part| part.is_walk) && on_foot.len() == 1, "{on_foot:?}");
    // A loop is ridden the shorter way, across the point where its path closes.
    let line = map.lines.iter().find(|line| line.code == 11302).unwrap();
    let round: Vec<_> = line.runs[0].iter().copied().chain([line.runs[0][0]]).collect();
    let length = |points: &[(f64, f64)]| -> f64 {
        points.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).sum()
    };
    let ridden: f64 = kaisatsu_render::way(&map, &round).iter().map(|part| length(&part.points)).sum();
    let whole: f64 = line.paths.iter().map(|path| length(path)).sum();
    assert!((ridden - whole).abs() < whole / 20.0, "{ridden} of {whole}");
}

#[test]
fn a_picture_may_be_smaller_than_its_window() {
    let map = read(TOKYO);
    for scale in [0.1, 0.5] {
        let small = Pixels::decode(&png(&Picture { scale, ..picture(&map, map.extent) }).unwrap());
        let (width, height) = kaisatsu_render::pixel_sides(&map.extent, scale);
        assert_eq!((small.width, small.height), (usize::try_from(width).unwrap(), usize::try_from(height).unwrap()));
        assert!(small.ink().is_some(), "{scale}");
    }
}

#[test]
fn letters_of_a_document_may_be_text() {
    let map = read(TOKYO);
    let drawn = svg(&Picture { lettering: kaisatsu_render::Lettering::Text, ..picture(&map, map.extent) });
    let document = roxmltree::Document::parse(&drawn).expect("well-formed");
    let texts: Vec<_> = document.descendants().filter(|node| node.has_tag_name("text")).collect();
    assert!(!drawn.contains("<use ") && texts.iter().any(|node| node.text() == Some("高円寺")));
    assert!(texts.iter().all(|node| node.attribute("textLength").is_some()));
    assert!(document.root_element().attribute("font-family").is_some());
}

#[test]
fn a_page_for_printing_has_the_size_of_the_map() {
    let map = read(DEMO);
    let bytes = kaisatsu_render::pdf(&picture(&map, map.extent)).unwrap();
    assert!(bytes.starts_with(b"%PDF-") && bytes.ends_with(b"%%EOF"));
    let text = String::from_utf8_lossy(&bytes);
    // Three quarters of a point for each map unit.
    assert_eq!((map.extent.width, map.extent.height), (900, 640));
    assert!(text.contains("/MediaBox [0 0 675 480]"), "{text}");
    assert!(kaisatsu_render::pdf(&picture(&map, window(10, 10, 0, 0))).is_err());
}
