//! Every limit of a map file, at the limit and one past it.

use std::fmt::Write as _;

use kaisatsu_railmap::{
    Severity,
    check::{MAX_SIDE, check},
    file::MAX_BYTES,
};

/// The errors of a file, without its warnings.
fn errors(text: &str) -> Vec<String> {
    let checked = check(text);
    let errors: Vec<String> =
        checked.findings.iter().filter(|f| f.severity == Severity::Error).map(ToString::to_string).collect();
    assert_eq!(checked.map.is_none(), !errors.is_empty(), "a map is used if and only if it has no error");
    errors
}

/// A number as findings write it.
fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

fn head(width: i64, height: i64) -> String {
    format!("format = 1\nid = \"m\"\nname = \"m\"\nwidth = {width}\nheight = {height}\ncentre = 1\n")
}

/// A station with code 1 whose only mark is given, with `extra` keys before it.
fn station(extra: &str, mark: &str) -> String {
    format!("[[station]]\ncode = 1\nname = \"s\"\n{extra}lat = 35.0\nlon = 139.0\nmarks = [{{ {mark} }}]\n")
}

const DOT: &str = "shape = \"rect\", x = 0, y = 0, width = 1, height = 1, text = true";

#[test]
fn a_side_is_1_to_1_000_000() {
    for side in [1, MAX_SIDE] {
        assert_eq!(errors(&(head(side, side) + &station("", DOT))), [] as [&str; 0], "{side}");
    }
    let wide = errors(&(head(MAX_SIDE + 1, 10) + &station("", DOT)));
    assert_eq!(wide, ["4: error: width is 1000001; a map's side is 1 to 1000000"]);
    let tall = errors(&(head(10, MAX_SIDE + 1) + &station("", DOT)));
    assert_eq!(tall, ["5: error: height is 1000001; a map's side is 1 to 1000000"]);
    for (width, height, finding) in [
        (0, 10, "4: error: width is 0; a map's side is 1 to 1000000"),
        (10, 0, "5: error: height is 0; a map's side is 1 to 1000000"),
    ] {
        assert!(errors(&(head(width, height) + &station("", DOT))).contains(&finding.to_owned()), "{finding}");
    }
}

#[test]
fn a_mark_lies_within_the_map_edges_included() {
    let off = |shape: &str, x: i64, y: i64| {
        vec![format!("7: error: station 1 s: its {shape} at ({x}, {y}) is off the map, which is 100 by 50")]
    };
    let rect = |x: i64, y: i64| format!("shape = \"rect\", x = {x}, y = {y}, width = 20, height = 10");
    let circle = |x: i64, y: i64| format!("shape = \"circle\", x = {x}, y = {y}, r = 4");
    for (x, y) in [(0, 0), (80, 0), (0, 40), (80, 40)] {
        assert_eq!(errors(&(head(100, 50) + &station("", &rect(x, y)))), [] as [&str; 0], "{x} {y}");
    }
    for (x, y) in [(-1, 0), (0, -1), (81, 0), (0, 41)] {
        assert_eq!(errors(&(head(100, 50) + &station("", &rect(x, y)))), off("rect", x, y));
    }
    for (x, y) in [(4, 4), (96, 4), (4, 46), (96, 46)] {
        assert_eq!(errors(&(head(100, 50) + &station("", &circle(x, y)))), [] as [&str; 0], "{x} {y}");
    }
    for (x, y) in [(3, 4), (4, 3), (97, 4), (4, 47)] {
        assert_eq!(errors(&(head(100, 50) + &station("", &circle(x, y)))), off("circle", x, y));
    }
}

#[test]
fn the_numbers_of_a_mark_are_positive_sizes_and_32_bit_coordinates() {
    let found = |mark: &str| errors(&(head(100, 50) + &station("", mark)));
    let past = i64::from(i32::MAX) + 1;
    for (mark, message) in [
        (
            "shape = \"rect\", x = 0, y = 0, width = 0, height = 1",
            "the width of a mark is 0; it is at least 1".to_owned(),
        ),
        (
            "shape = \"rect\", x = 0, y = 0, width = 1, height = 0",
            "the height of a mark is 0; it is at least 1".to_owned(),
        ),
        ("shape = \"circle\", x = 9, y = 9, r = -1", "the r of a mark is -1; it is at least 1".to_owned()),
        ("shape = \"rect\", x = 0, y = 0, width = 1", "a rect needs height".to_owned()),
        ("shape = \"rect\", x = 0, y = 0, height = 1", "a rect needs width".to_owned()),
        ("shape = \"rect\", x = 0, y = 0, width = 1, height = 1, r = 1", "a rect has no r".to_owned()),
        ("shape = \"circle\", x = 9, y = 9, r = 1, width = 1", "a circle has no width or height".to_owned()),
        ("shape = \"circle\", x = 9, y = 9, r = 1, height = 1", "a circle has no width or height".to_owned()),
        (
            "shape = \"rect\", x = 2147483648, y = 0, width = 1, height = 1",
            format!("the x of a mark is {past}, which is off every map"),
        ),
        (
            "shape = \"rect\", x = 0, y = -2147483649, width = 1, height = 1",
            format!("the y of a mark is {}, which is off every map", -past - 1),
        ),
        (
            "shape = \"rect\", x = 0, y = 0, width = 2147483648, height = 1",
            format!("the width of a mark is {past}, which is off every map"),
        ),
    ] {
        assert_eq!(found(mark), [format!("7: error: station 1 s: {message}")], "{mark}");
    }
    // The largest 32-bit numbers are read, and found to be off the map.
    for mark in [
        "shape = \"rect\", x = 2147483647, y = 2147483647, width = 2147483647, height = 2147483647",
        "shape = \"rect\", x = -2147483648, y = -2147483648, width = 1, height = 1",
        "shape = \"circle\", x = 2147483647, y = 2147483647, r = 2147483647",
    ] {
        assert!(found(mark).len() == 1 && found(mark)[0].contains("is off the map"), "{:?}", found(mark));
    }
}

#[test]
fn codes_prefectures_and_positions_have_ranges() {
    let text = |from: &str, to: &str| head(100, 50) + &station("prefecture = 13\n", DOT).replacen(from, to, 1);
    for prefecture in [1, 47] {
        assert_eq!(errors(&text("prefecture = 13", &format!("prefecture = {prefecture}"))), [] as [&str; 0]);
    }
    for prefecture in [0, 48] {
        let found = errors(&text("prefecture = 13", &format!("prefecture = {prefecture}")));
        assert_eq!(found, [format!("7: error: station 1 s: prefecture is {prefecture}; the codes are 1 to 47")]);
    }
    for (lat, lon) in [("90.0", "180.0"), ("-90.0", "-180.0")] {
        let text = text("lat = 35.0\nlon = 139.0", &format!("lat = {lat}\nlon = {lon}"));
        assert_eq!(errors(&text), [] as [&str; 0]);
    }
    for (lat, lon) in
        [("90.000001", "0.0"), ("-90.000001", "0.0"), ("0.0", "180.000001"), ("0.0", "-180.000001"), ("nan", "0.0")]
    {
        let text = text("lat = 35.0\nlon = 139.0", &format!("lat = {lat}\nlon = {lon}"));
        let found = errors(&text);
        let expected =
            format!("7: error: station 1 s: lat {} and lon {} are no place on the earth", number(lat), number(lon));
        assert!(found.contains(&expected), "{found:?}");
    }
    let last = text("code = 1", "code = 4294967295").replace("centre = 1", "centre = 4294967295");
    assert_eq!(errors(&last), [] as [&str; 0]);
    for code in ["0", "-1", "4294967296"] {
        let found = errors(&text("code = 1", &format!("code = {code}")));
        assert!(found.iter().any(|finding| finding.starts_with(&format!("7: error: station {code} s: "))), "{found:?}");
    }
}

#[test]
fn a_path_has_two_points_or_more_on_some_map() {
    let line = |path: &str| {
        let line = "[[line]]\ncode = 1\nname = \"l\"\ncolor = \"#000000\"\nstations = []\n";
        format!("{}{}{line}paths = [[{path}]]\n", head(100, 50), station("", DOT))
    };
    for path in ["0, 0, 1, 1", "-1000000, -1000000, 1000000, 1000000.0", "0, 0, 1, 1, 2, 2"] {
        assert_eq!(errors(&line(path)), [] as [&str; 0], "{path}");
    }
    for path in ["", "0, 0", "0, 0, 1", "0, 0, 1, 1, 2"] {
        let expected = "13: error: line 1 l: a path is x and y by turns, for two points or more";
        assert_eq!(errors(&line(path)), [expected], "{path}");
    }
    for stray in ["1000000.5", "-1000000.5", "inf", "nan"] {
        let found = errors(&line(&format!("0, 0, 1, {stray}")));
        assert!(found.len() == 1 && found[0].ends_with("which is off every map"), "{found:?}");
    }
}

#[test]
fn a_run_joins_two_different_stations() {
    let two = station("", DOT)
        + &station("", "shape = \"rect\", x = 5, y = 5, width = 1, height = 1").replace("code = 1", "code = 2");
    let line = |runs: &str| {
        format!("{}{two}[[line]]\ncode = 1\nname = \"l\"\ncolor = \"#000000\"\nstations = {runs}\n", head(100, 50))
    };
    for runs in ["[]", "[[1, 2]]", "[[1, 2, 1], [2, 1]]"] {
        assert_eq!(errors(&line(runs)), [] as [&str; 0], "{runs}");
    }
    assert_eq!(errors(&line("[[1]]")), ["19: error: line 1 l: a run joins two stations or more"]);
    assert_eq!(errors(&line("[[1, 2, 2]]")), ["19: error: line 1 l: a station follows itself"]);
}

#[test]
fn colours_have_six_digits() {
    let line = |color: &str| {
        let line = format!("[[line]]\ncode = 1\nname = \"l\"\ncolor = \"{color}\"\nstations = []\n");
        head(100, 50) + &station("", DOT) + &line
    };
    assert_eq!(errors(&line("#09afAF")), [] as [&str; 0]);
    for color in ["#09afA", "#09afAFF", "#09afAg", "09afAF", ""] {
        let expected = format!("13: error: line 1 l: color is '{color}'; it is written #rrggbb");
        assert_eq!(errors(&line(color)), [expected]);
    }
}

#[test]
fn line_codes_are_unique_and_lines_have_names() {
    let line = |code: i64, name: &str| {
        format!("[[line]]\ncode = {code}\nname = \"{name}\"\ncolor = \"#000000\"\nstations = []\n")
    };
    let text = head(100, 50) + &station("", DOT) + &line(7, "a") + &line(7, "b") + &line(8, " ");
    assert_eq!(
        errors(&text),
        ["18: error: line 7 b: the code is used before, at line 13", "23: error: line 8  : a line needs a name"]
    );
}

#[test]
fn of_1_000_overlapping_pairs_all_are_listed_and_of_more_the_first_1_000() {
    // Each station adds one mark that overlaps those of all others; `alone` marks overlap nothing.
    let overlaps = |together: usize, pairs_of_one: usize| {
        let mut text = head(1_000_000, 100);
        for at in 0..together + pairs_of_one {
            let rect =
                |x: usize, y: usize| format!("{{ shape = \"rect\", x = {x}, y = {y}, width = 10, height = 10 }}");
            let marks = if at < together {
                rect(0, 0)
            } else {
                let x = 100 * (at - together + 1);
                format!("{}, {}", rect(x, 0), rect(x + 5, 0))
            };
            let code = at + 1;
            writeln!(text, "[[station]]\ncode = {code}\nname = \"s\"\nlat = 0.0\nlon = 0.0\nmarks = [{marks}]")
                .unwrap();
        }
        let findings = check(&text).findings;
        let pairs = findings.iter().filter(|f| f.message.contains("overlap")).count();
        let is_cut =
            findings.iter().any(|f| f.message == "more than 1000 pairs of shapes overlap; the rest is not listed");
        (pairs, is_cut)
    };
    // 45 stations at one point are 990 pairs.
    assert_eq!(overlaps(45, 10), (1_000, false));
    assert_eq!(overlaps(45, 11), (1_001, true), "the last finding says that the list is cut");
}

#[test]
fn marks_that_touch_do_not_overlap() {
    let rect = |x: i64| format!("shape = \"rect\", x = {x}, y = 0, width = 10, height = 10");
    let overlaps = |x: i64| {
        let text = head(100, 50) + &station("", &format!("{} }}, {{ {}", rect(0), rect(x)));
        check(&text).findings.iter().filter(|f| f.message.contains("overlap")).count()
    };
    assert_eq!((overlaps(9), overlaps(10)), (1, 0));
}

#[test]
fn a_file_has_at_most_64_mib() {
    let mut text = head(100, 50) + &station("", DOT) + "#";
    text.push_str(&" ".repeat(MAX_BYTES - text.len()));
    assert_eq!(errors(&text), [] as [&str; 0]);
    text.push(' ');
    assert_eq!(errors(&text), ["1: error: a map file has at most 67108864 bytes"]);
}

#[test]
fn a_former_name_is_another_name() {
    let with = |formerly: &str| head(100, 50) + &station(&format!("formerly = [{formerly}]\n"), DOT);
    assert_eq!(errors(&with("\"t\", \"u\"")), [] as [&str; 0]);
    for same in ["s", "Ｓ", " s ", ""] {
        let found = errors(&with(&format!("\"{same}\"")));
        assert_eq!(found, [format!("7: error: station 1 s: formerly '{same}' is no other name")], "{same:?}");
    }
}

#[test]
fn a_legend_has_at_least_one_unit_each_way() {
    let with = |width: i64, height: i64| {
        let legend = format!("legend = {{ x = 0, y = 0, width = {width}, height = {height} }}\n");
        errors(&(head(100, 50) + &legend + &station("", DOT)))
    };
    for (width, height) in [(1, 1), (100, 50)] {
        assert_eq!(with(width, height), [] as [&str; 0], "{width} {height}");
    }
    for (width, height) in [(0, 1), (1, 0), (101, 1), (1, 51)] {
        assert_eq!(with(width, height), ["7: error: the legend is not on the map"], "{width} {height}");
    }
}

#[test]
fn maps_stations_and_labels_have_texts() {
    let nameless = (head(100, 50) + &station("", DOT)).replace("name = \"m\"", "name = \" \"");
    assert_eq!(errors(&nameless), ["3: error: a map needs a name"]);
    let nameless = head(100, 50) + &station("", DOT).replace("name = \"s\"", "name = \" \"");
    assert_eq!(errors(&nameless), ["7: error: station 1  : a station needs a name"]);
    let label = |rows: &str| errors(&(head(100, 50) + &station(&format!("label = {{ rows = [{rows}] }}\n"), DOT)));
    assert_eq!(label("\" \", \"s\""), [] as [&str; 0]);
    for rows in ["", "\"\"", "\" \", \"\""] {
        assert_eq!(label(rows), ["7: error: station 1 s: its label has no row"], "{rows}");
    }
    assert_eq!((label("\"s\"], size = 6, small = ["), label("\"s\"], size = 48, small = [")), (vec![], vec![]));
    for size in [0, 5, 49] {
        let found = label(&format!("\"s\"], size = {size}, small = ["));
        assert_eq!(found, [format!("7: error: station 1 s: the size of its label is {size}; sizes are 6 to 48")]);
    }
}

#[test]
fn japanese_names_need_a_reading_in_kana() {
    let warnings = |name: &str, yomi: &str| {
        let text = head(100, 50) + &station(yomi, DOT).replace("name = \"s\"", &format!("name = \"{name}\""));
        let findings = check(&text).findings;
        findings.iter().filter(|f| f.message.contains("reading")).map(|f| f.message.clone()).collect::<Vec<_>>()
    };
    for (name, yomi) in
        [("Tsu", ""), ("Tsu", "yomi = \"\"\n"), ("津", "yomi = \"つ\"\n"), ("津", "yomi = \"ツー・ヺゖ\"\n")]
    {
        assert_eq!(warnings(name, yomi), [] as [&str; 0], "{name} {yomi}");
    }
    for name in ["津", "つ", "ツ", "A津"] {
        assert_eq!(warnings(name, ""), [format!("station 1 {name}: the reading (yomi) is missing")]);
        assert_eq!(warnings(name, "yomi = \"\"\n"), [format!("station 1 {name}: the reading (yomi) is missing")]);
    }
    assert_eq!(warnings("津", "yomi = \"つu\"\n"), ["station 1 津: the reading 'つu' is not kana"]);
}

#[test]
fn what_refers_to_a_station_with_a_mistake_is_no_second_mistake() {
    let wrong = station("", DOT).replace("lat = 35.0", "lat = 95.0");
    let other = station("", DOT).replace("code = 1", "code = 2").replace("x = 0", "x = 5");
    let line = "[[line]]\ncode = 1\nname = \"l\"\ncolor = \"#000000\"\nstations = [[1, 2]]\n";
    let group = "[[group]]\nstations = [1, 2]\n";
    let text = format!("{}{wrong}{other}{line}{group}", head(100, 50));
    assert_eq!(errors(&text), ["7: error: station 1 s: lat 95 and lon 139 are no place on the earth"]);
    // A code that no station has is told.
    let unknown = errors(&text.replace("[[1, 2]]", "[[1, 3]]").replace("95.0", "35.0"));
    assert_eq!(unknown, ["19: error: line 1 l: stops at 3, which is no station of this map"]);
}

#[test]
fn characters_that_are_not_seen_in_a_name_are_warned_about() {
    let line =
        "[[line]]\ncode = 1\nname = \"l\\u202E\"\ncolor = \"#000000\"\nsymbol = \"A\\u200B\"\nstations = [[1, 2]]\n";
    let other = station("", DOT).replace("code = 1", "code = 2").replace("x = 0", "x = 5");
    let text = head(100, 50).replace("\"m\"\nwidth", "\"m\\n\"\nwidth")
        + &station("formerly = [\"o\\u2067\"]\n", DOT).replace("\"s\"", "\"s\\t\\u0007\"")
        + &other.replace("\"s\"", "\"\u{645}\u{6cc}\u{200c}\u{631}\"")
        + line;
    let checked = check(&text);
    let findings: Vec<String> = checked.findings.iter().map(|finding| finding.message.clone()).collect();
    let hidden: Vec<&String> = findings.iter().filter(|message| message.contains("that is not seen")).collect();
    assert_eq!(
        hidden,
        [
            "the name of the map contains U+000A, a character that is not seen",
            "station 1 s: its name contains U+0009, a character that is not seen",
            "station 1 s: its former name contains U+2067, a character that is not seen",
            "line 1 l: its name contains U+202E, a character that is not seen",
            "line 1 l: its symbol contains U+200B, a character that is not seen",
        ]
    );
    assert!(checked.map.is_some(), "warnings only: {findings:?}");
    // The credits may have several lines.
    let text = head(100, 50) + "credits = \"a\\nb\"\n" + &station("", DOT);
    assert!(check(&text).findings.iter().all(|finding| !finding.message.contains("that is not seen")));
}
