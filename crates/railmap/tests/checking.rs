//! The exact findings of the validator.

use kaisatsu_railmap::check::check;
use proptest::prelude::*;

const HEAD: &str = "format = 1\nid = \"m\"\nname = \"地図\"\nwidth = 200\nheight = 100\ncentre = 1\n";

/// A station that begins at line 7: a label of 28 by 16 to the right of a circle.
fn station(code: i64, x: i64, y: i64) -> String {
    format!(
        "[[station]]\ncode = {code}\nname = \"駅{code}\"\nyomi = \"えき\"\nprefecture = 13\nlat = 35.7\nlon = 139.7\n\
         marks = [\n  {{ shape = \"rect\", x = {}, y = {}, width = 28, height = 16, text = true }},\n  \
         {{ shape = \"circle\", x = {x}, y = {y}, r = 4 }},\n]\n",
        x + 7,
        y - 8
    )
}

fn findings(text: &str) -> Vec<String> {
    let checked = check(text);
    let blocking = checked.findings.iter().any(|f| f.to_string().contains(": error:"));
    assert_eq!(checked.map.is_none(), blocking, "an error, and nothing else, keeps a map from being used");
    checked.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_sound_file_has_no_findings() {
    let line = "[[line]]\ncode = 1\nname = \"線\"\ncolor = \"#00ff7F\"\nstations = [[1, 2]]\nloop = true\n";
    let text = format!("{HEAD}{}{}{line}", station(1, 20, 20), station(2, 20, 60));
    assert_eq!(findings(&text), [] as [&str; 0]);
    let map = check(&text).map.unwrap();
    assert_eq!((map.stations().len(), map.lines.len(), map.centre()), (2, 1, 0));
}

#[test]
fn lines_that_cannot_be_told_apart_are_warned_about() {
    let stations = format!("{HEAD}{}{}{}", station(1, 20, 20), station(2, 20, 60), station(3, 120, 60));
    let line = |code: i64, color: &str, more: &str, stops: &str| {
        format!("[[line]]\ncode = {code}\nname = \"線{code}\"\ncolor = \"{color}\"\n{more}stations = [[{stops}]]\n")
    };
    let warning = "46: warning: line 2 線2: it meets 線1, also #00FF7F, and has no symbol";
    let symbol = "symbol = \"A\"\n";
    for (second, expected) in [
        (line(2, "#00FF7F", "", "2, 3"), vec![warning]),
        (line(2, "#00FF7F", symbol, "2, 3"), vec![]),
        (line(2, "#00ff7e", "", "2, 3"), vec![]),
    ] {
        let text = format!("{stations}{}{second}", line(1, "#00ff7f", symbol, "1, 2"));
        assert_eq!(findings(&text), expected);
    }
    let long = line(1, "#00ff7f", "symbol = \"ABCDEFGHIJKLM\"\nbullets = [1.0]\n", "1, 2");
    assert_eq!(
        findings(&format!("{stations}{long}")),
        [
            "40: error: line 1 線1: its symbol has 13 characters; at most 12 are taken",
            "40: error: line 1 線1: bullets are x and y by turns, each on the map",
        ]
    );
}

#[test]
fn a_number_belongs_to_one_station_of_a_line() {
    let numbered = |code: i64, y: i64, numbers: &str| {
        station(code, 20, y).replace("lat = ", &format!("numbers = [{numbers}]\nlat = "))
    };
    let line = "[[line]]\ncode = 1\nname = \"線\"\ncolor = \"#00ff7F\"\nstations = [[1, 2]]\n";
    let text = |first: &str, second: &str| format!("{HEAD}{}{}{line}", numbered(1, 20, first), numbered(2, 60, second));
    assert_eq!(findings(&text("\"A01\", \"B01\"", "\"A02\"")), [] as [&str; 0]);
    assert_eq!(
        findings(&text("\"A01\"", "\"A01\", \"A\"")),
        [
            "19: warning: station 2 駅2: A01 is the number of station 1 駅1 too",
            "19: warning: station 2 駅2: 'A' is no number of a station",
        ]
    );
    let off = text("\"A01\"", "\"A02\"").replacen("numbers = [", "numbers_at = [190, 0, 20, 7]\nnumbers = [", 1);
    assert_eq!(findings(&off), ["7: error: station 1 駅1: its numbers are not on the map"]);
}

#[test]
fn facts_that_are_probably_wrong_are_warned_about() {
    let one = station(1, 20, 20);
    let line = |code: i64, name: &str| {
        format!("[[line]]\ncode = {code}\nname = \"{name}\"\ncolor = \"#00ff{code:02}\"\nstations = [[1, 2]]\n")
    };
    let far = station(2, 20, 60).replace("lat = 35.7", "lat = 35.9");
    let former = one.replace("lon = 139.7\n", "lon = 139.7\nformerly = [\"駅2\"]\n");
    let crowd: String = (2..7).map(|code| station(code, 20 * code, 60)).collect();
    let crowd = crowd.replace("width = 28", "width = 2").replace("r = 4", "r = 1");
    let cases: Vec<(String, Vec<&str>)> = vec![
        (
            format!("{HEAD}{}{}", one.replace("prefecture = 13\n", ""), station(2, 20, 60)),
            vec!["7: warning: station 1 駅1: it is in Japan, but its prefecture is missing"],
        ),
        // A map that does without prefectures, and a station abroad.
        (format!("{HEAD}{}", one.replace("prefecture = 13\n", "")), vec![]),
        (
            format!(
                "{HEAD}{}{}",
                one.replace("prefecture = 13\n", "").replace("35.7", "40.7").replace("139.7", "-74"),
                station(2, 20, 60)
            ),
            vec![],
        ),
        (
            format!("{HEAD}{}{crowd}", one.replace("prefecture = 13", "prefecture = 27")),
            vec!["7: warning: station 1 駅1: no other station nearby is in its prefecture, 大阪府"],
        ),
        (format!("{HEAD}{one}{crowd}"), vec![]),
        (
            format!("{HEAD}{former}{far}"),
            vec!["7: warning: station 1 駅1: formerly '駅2' is the name of another station, 2"],
        ),
        (format!("{HEAD}{former}{}", station(2, 20, 60)), vec![]),
        (
            format!("{HEAD}{one}{}{}{}", station(2, 20, 60), line(1, "線"), line(2, "線")),
            vec!["34: warning: line 2 線: another line has the same name, at line 29"],
        ),
        (
            format!("{HEAD}{one}{}{}", station(2, 20, 60), line(1, "本線(北～南)")),
            vec!["29: warning: line 1 本線(北～南): passengers do not call a line by its section"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(findings(&text), expected, "{text}");
    }
}

#[test]
fn each_fault_is_found_and_placed() {
    let one = station(1, 20, 20);
    let two = station(2, 20, 60);
    let cases: Vec<(String, Vec<&str>)> = vec![
        (
            format!("{HEAD}{one}{two}[[group]]\nstations = [1]\n[[group]]\nstations = [1, 9]\npaths = [[1, 2, 3]]\n"),
            vec![
                "29: error: a group has two stations or more",
                "31: error: station 1 is in a group before",
                "31: error: a group has 9, which is no station of this map",
                "31: error: a group: a path is x and y by turns, for two points or more",
            ],
        ),
        (
            format!("{HEAD}{one}{}", station(1, 20, 60)),
            vec!["18: error: station 1 駅1: the code is used before, at line 7"],
        ),
        (
            format!("{HEAD}{one}{}", station(2, 190, 60)),
            vec!["18: error: station 2 駅2: its rect at (197, 52) is off the map, which is 200 by 100"],
        ),
        (
            format!("{HEAD}{one}{}", two.replace("yomi = \"えき\"\n", "")),
            vec!["18: warning: station 2 駅2: the reading (yomi) is missing"],
        ),
        (
            format!("{HEAD}{one}{}", two.replace("えき", "eki")),
            vec!["18: warning: station 2 駅2: the reading 'eki' is not kana"],
        ),
        (
            format!("{HEAD}{one}{}", station(2, 40, 30)),
            vec![
                "18: warning: station 2 駅2: its mark overlaps the name of station 1 駅1 (line 7)",
                "18: warning: station 2 駅2: its name overlaps the name of station 1 駅1 (line 7)",
            ],
        ),
        (
            format!("{HEAD}{one}{}", two.replace("x = 27", "x = 22")),
            vec!["18: warning: station 2 駅2: two of its shapes overlap"],
        ),
        (
            format!("{HEAD}{one}{}", two.replace("prefecture = 13", "prefecture = 48")),
            vec!["18: error: station 2 駅2: prefecture is 48; the codes are 1 to 47"],
        ),
        (
            format!("{HEAD}{one}{}", two.replace("lat = 35.7", "lat = 135.7")),
            vec!["18: error: station 2 駅2: lat 135.7 and lon 139.7 are no place on the earth"],
        ),
        (
            format!("{HEAD}{one}{}", two.replace("\"circle\"", "\"star\"")),
            vec!["18: error: station 2 駅2: a mark's shape is rect or circle, not 'star'"],
        ),
        (format!("{HEAD}{one}{}", two.replace(", r = 4", "")), vec!["18: error: station 2 駅2: a circle needs r"]),
        (
            format!("{HEAD}{one}{}", two.replace("r = 4", "r = 0")),
            vec!["18: error: station 2 駅2: the r of a mark is 0; it is at least 1"],
        ),
        (
            format!("{HEAD}{one}[[station]]\ncode = 2\nname = \"駅\"\nyomi = \"えき\"\nlat = 0.0\nlon = 0.0\n"),
            vec!["18: error: station 2 駅: it has no mark, so it is nowhere on the map"],
        ),
        (
            format!("{HEAD}{one}{}", two.replace(", text = true", "")),
            vec!["18: warning: station 2 駅2: no mark carries its name (text = true)"],
        ),
        (
            format!("{HEAD}{one}[[line]]\ncode = 1\nname = \"線\"\ncolor = \"red\"\nstations = [[1, 3]]\n"),
            vec![
                "18: error: line 1 線: color is 'red'; it is written #rrggbb",
                "18: error: line 1 線: stops at 3, which is no station of this map",
            ],
        ),
        (
            format!("{}{one}", HEAD.replace("centre = 1", "centre = 9")),
            vec!["6: error: centre is 9, which is no station of this map"],
        ),
        (
            format!("{}{one}", HEAD.replace("id = \"m\"", "id = \"M\"")),
            vec!["2: error: a map id has 1 to 64 of a-z, 0-9, '-' and '_', and begins with a letter or digit"],
        ),
        (
            format!("{}{one}", HEAD.replace("format = 1", "format = 2")),
            vec!["1: error: format 2 is not known; this Kaisatsu reads format 1"],
        ),
        (
            HEAD.to_owned(),
            vec!["1: error: a map needs a station", "6: error: centre is 1, which is no station of this map"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(findings(&text), expected, "{text}");
    }
}

#[test]
fn a_legend_off_the_map_is_found_at_its_line() {
    let with = |place: &str| format!("{HEAD}legend = {{ {place} }}\n{}", station(1, 20, 20));
    assert_eq!(findings(&with("x = 100, y = 50, width = 100, height = 50")), [] as [&str; 0]);
    let most = i64::MAX;
    for place in [
        format!("x = 1, y = 0, width = {most}, height = 1"),
        format!("x = {most}, y = {most}, width = 1, height = 1"),
        format!("x = 0, y = {}, width = 1, height = {most}", i64::MIN),
        "x = -1, y = 0, width = 1, height = 1".to_owned(),
        "x = 0, y = 0, width = 0, height = 1".to_owned(),
        "x = 150, y = 0, width = 51, height = 1".to_owned(),
    ] {
        assert_eq!(findings(&with(&place)), ["7: error: the legend is not on the map"], "{place}");
    }
}

#[test]
fn texts_have_a_length() {
    let (full, long) = ("あ".repeat(200), "あ".repeat(201));
    let sound = |text: &str, rows: usize, credits: usize| {
        let row = format!("\"{text}\"");
        let extra = format!(
            "translation = {row}\nformerly = [\"い{}\"]\nlabel = {{ rows = [{row}], small = [{}] }}\nlat",
            &text["あ".len()..],
            vec![row.as_str(); rows - 1].join(",")
        );
        let one = station(1, 20, 20).replace("駅1", text).replace("えき", text).replacen("lat", &extra, 1);
        let line =
            format!("[[line]]\ncode = 1\nname = {row}\ntranslation = {row}\ncolor = \"#00ff7f\"\nstations = []\n");
        let head = HEAD.replace("地図", text);
        format!("{head}edition = {row}\ncredits = \"{}\"\n{line}{one}", "c".repeat(credits))
    };
    assert_eq!(findings(&sound(&full, 8, 2_000)), [] as [&str; 0]);
    let shown = format!("{}…", "あ".repeat(40));
    let (line, station) = (format!("9: error: line 1 {shown}"), format!("15: error: station 1 {shown}"));
    let has = "has 201 characters; at most 200 are taken";
    assert_eq!(
        findings(&sound(&long, 2, 2_001)),
        [
            format!("3: error: the name of the map {has}"),
            format!("7: error: the edition {has}"),
            "8: error: the text of the credits has 2001 characters; at most 2000 are taken".to_owned(),
            format!("{line}: its name {has}"),
            format!("{line}: its translation {has}"),
            format!("{station}: its name {has}"),
            format!("{station}: its reading {has}"),
            format!("{station}: its translation {has}"),
            format!("{station}: its former name {has}"),
            format!("{station}: its label's row {has}"),
            format!("{station}: its label's row {has}"),
        ]
    );
    assert_eq!(
        findings(&sound("あ", 9, 0)),
        ["15: error: station 1 あ: its label has 9 rows; at most 8 are taken, rows and small together"]
    );
}

/// Three stations, each at a latitude, and a line over all of them.
fn line_over(latitudes: [f64; 3], line: &str) -> String {
    let at = |code: i64, y: i64, lat: f64| station(code, 20, y).replace("lat = 35.7\n", &format!("lat = {lat}\n"));
    let [a, b, c] = latitudes;
    format!(
        "{HEAD}{}{}{}[[line]]\ncode = 1\nname = \"線\"\ncolor = \"#00ff7F\"\n{line}",
        at(1, 20, a),
        at(2, 50, b),
        at(3, 80, c)
    )
}

#[test]
fn a_station_that_makes_a_detour_is_warned_about() {
    let line = "stations = [[1, 2, 3]]\n";
    assert_eq!(findings(&line_over([35.70, 35.71, 35.72], line)), [] as [&str; 0]);
    assert_eq!(
        findings(&line_over([35.70, 35.73, 35.72], line)),
        ["18: warning: station 2 駅2: is it here? By way of it, line 1 線 goes 4448 m from 駅1 to 駅3, not 2224"]
    );
    // 1.5 times as far, and 300 m: a bend.
    assert_eq!(findings(&line_over([35.70, 35.725, 35.72], line)), [] as [&str; 0]);
    assert_eq!(findings(&line_over([35.70, 35.7013, 35.7], line)), [] as [&str; 0]);
}

#[test]
fn a_line_in_parts_is_warned_about() {
    let spread = [35.70, 35.71, 35.72];
    let fourth = station(4, 120, 80).replace("lat = 35.7\n", "lat = 35.73\n");
    let text = |runs: &str| format!("{}{fourth}", line_over(spread, &format!("stations = {runs}\n")));
    assert_eq!(findings(&text("[[1, 2], [3, 2], [3, 4]]")), [] as [&str; 0]);
    assert_eq!(
        findings(&text("[[1, 2], [3, 4]]")),
        ["40: warning: line 1 線: it has 2 parts that nothing joins: 駅1 to 駅2, 駅3 to 駅4"]
    );
}

#[test]
fn a_missing_stop_shows_in_the_numbers() {
    let numbered = |numbers: [&str; 3]| {
        let text = line_over([35.70, 35.71, 35.72], "symbol = \"JR-F\"\nstations = [[1, 2]]\n");
        (1..).zip(numbers).fold(text, |text, (code, number)| {
            text.replace(
                &format!("code = {code}\nname = \"駅"),
                &format!("code = {code}\nnumbers = [\"{number}\"]\nname = \"駅"),
            )
        })
    };
    assert_eq!(findings(&numbered(["JR-F08", "JR-F09", "JR-F10"])), [] as [&str; 0]);
    let warning = "43: warning: line 1 線: no station is JR-F09, between 駅1 and 駅2";
    assert_eq!(findings(&numbered(["JR-F08", "JR-F10", "JR-H40"])), [warning]);
    // The two stations at its beginning are those at its end too.
    let circle = numbered(["JR-F08", "JR-F10", "JR-H40"])
        .replace("stations = [[1, 2]]\n", "stations = [[1, 2, 3]]\nloop = true\n");
    assert_eq!(findings(&circle).iter().filter(|found| found.contains("no station is")).count(), 1, "{circle}");
    // An express passes a station, which has the number. Other lines have other numbers.
    assert_eq!(findings(&numbered(["JR-F08", "JR-F10", "JR-F09"])), [] as [&str; 0]);
    assert_eq!(findings(&numbered(["JR-H08", "JR-H10", "JR-F09"])), [] as [&str; 0]);
}

#[test]
fn a_name_broken_inside_a_word_is_warned_about() {
    let named = |rows: &str| {
        let label = format!("name = \"新大久保\"\nlabel = {{ rows = [{rows}] }}\n");
        let first = station(1, 20, 20).replace("name = \"駅1\"\n", &label);
        format!("{HEAD}{first}{}", station(2, 20, 60).replace("駅2", "大久保"))
    };
    for sound in ["\"新大久保\"", "\"新\", \"大久保\"", "\"新駅\", \"大久保\""] {
        assert_eq!(findings(&named(sound)), [] as [&str; 0]);
    }
    // Three characters are not broken by the layout, but may be.
    let osaka = named("\"新\", \"大阪\"").replace("新大久保", "新大阪").replace("\"大久保\"\n", "\"大阪\"\n");
    assert_eq!(findings(&osaka), [] as [&str; 0]);
    assert_eq!(
        findings(&named("\"新大\", \"久保\"")),
        ["7: warning: station 1 新大久保: its name is broken inside a word: 新大 / 久保"]
    );
    let english = |name: &str, rows: &str| {
        let label = format!("translation = \"{name}\"\nlabel = {{ rows = [{rows}] }}\nlat = ");
        let text = format!("{HEAD}{}", station(1, 20, 20).replace("lat = ", &label));
        findings(&text.replace("id = \"m\"\n", "id = \"m\"\nlanguage = \"en\"\n"))
    };
    for (name, sound) in [
        ("Finchley Road", "\"Finchley\", \"Road\""),
        ("La Défense", "\"La\", \"Défense\""),
        ("Malcolm X Plaza", "\"Malcolm\", \"X Plaza\""),
    ] {
        assert_eq!(english(name, sound), [] as [&str; 0]);
    }
    assert_eq!(
        english("Finchley Road", "\"Finch\", \"ley Road\""),
        ["8: warning: station 1 駅1: its name is broken inside a word: Finch / ley Road"]
    );
}

#[test]
fn a_name_beside_the_mark_of_another_station_is_warned_about() {
    // The name of the first ends at x 55. Its own mark is 3 away.
    let text = |x: i64| format!("{HEAD}{}{}", station(1, 20, 20), station(2, x, 20));
    assert_eq!(findings(&text(63)), [] as [&str; 0]);
    assert_eq!(findings(&text(61)), ["7: warning: station 1 駅1: its name is nearer to the mark of station 2 駅2"]);
}

#[test]
fn a_file_that_is_no_map_is_refused_with_its_line() {
    for (text, start) in [
        ("", "1: error: missing field `format`"),
        ("format = 1\nid = ", "2: error: "),
        ("format = 1\nsurprise = 2\n", "2: error: unknown field `surprise`"),
        ("format = \"one\"", "1: error: invalid type"),
    ] {
        let found = findings(text);
        assert!(found.len() == 1 && found[0].starts_with(start), "{text:?}: {found:?}");
    }
}

proptest! {
    /// Any text gives findings or a map, and never a panic.
    #[test]
    fn any_text_is_survived(text in "[a-z0-9=\\[\\]{}\",.\n -]{0,300}", cut in 0_usize..2_000, put in ".{0,12}") {
        let _ = check(&text);
        // A valid file with a random insertion.
        let sound = format!("{HEAD}{}{}", station(1, 20, 20), station(2, 20, 60));
        let at = (0..=cut % sound.len()).rev().find(|&at| sound.is_char_boundary(at)).unwrap_or(0);
        let _ = check(&format!("{}{put}{}", &sound[..at], &sound[at..]));
    }
}
