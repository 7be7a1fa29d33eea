//! A written map document is read back as it was, and leaves out what is the default.

use kaisatsu_model::{
    Circle, MapId, MapLanguage, Position, Prefecture, Rect, Shape, StationCode, TransportKind, Window,
};
use kaisatsu_railmap::{Group, Label, Line, MapDocument, Mark, Station, check::check};

fn code(number: i64) -> StationCode {
    StationCode::new(number).unwrap()
}

/// A station whose every optional key has a value other than the default.
fn full_station() -> Station {
    Station {
        code: code(20),
        name: "三田 \"新\"".to_owned(),
        yomi: "みた".to_owned(),
        translation: "Mita\\New".to_owned(),
        kind: TransportKind::Ship,
        prefecture: Prefecture::from_code(28),
        position: Position::new(35.5, -139.25).unwrap(),
        formerly: vec!["旧".to_owned(), "古".to_owned()],
        numbers: vec!["G09".to_owned(), "H-08".to_owned()],
        numbers_at: Some(Window { x: 3, y: 4, width: 20, height: 7 }),
        label: Label {
            rows: vec!["三田".to_owned(), "新".to_owned()],
            small: vec!["Mita".to_owned(), "New".to_owned()],
            down: true,
            size: 15,
        },
        marks: vec![
            Mark { shape: Shape::Rect(Rect { x: 10, y: 20, width: 30, height: 40 }), chamfering: false, is_text: true },
            Mark { shape: Shape::Rect(Rect { x: 50, y: 20, width: 30, height: 8 }), chamfering: true, is_text: false },
        ],
    }
}

fn plain_station() -> Station {
    Station {
        code: code(10),
        name: "津".to_owned(),
        yomi: String::new(),
        translation: String::new(),
        kind: TransportKind::default(),
        prefecture: None,
        position: Position::new(0.0, 0.0).unwrap(),
        formerly: Vec::new(),
        numbers: Vec::new(),
        numbers_at: None,
        label: Label::plain("津"),
        marks: vec![Mark { shape: Shape::Circle(Circle { x: 90, y: 90, r: 7 }), chamfering: false, is_text: false }],
    }
}

fn document(stations: Vec<Station>, lines: Vec<Line>) -> MapDocument {
    MapDocument {
        id: MapId::new("m").unwrap(),
        language: MapLanguage::default(),
        name: "地図".to_owned(),
        translation: "Map".to_owned(),
        edition: "2026".to_owned(),
        credits: "©".to_owned(),
        width: 200,
        height: 100,
        centre: code(20),
        legend: Some(Window { x: 100, y: 1, width: 90, height: 50 }),
        lines,
        groups: vec![Group { stations: vec![code(10), code(20)], paths: vec![vec![(90.0, 90.0), (20.5, 30.0)]] }],
        stations,
    }
}

#[test]
fn everything_is_read_back_as_it_was_written() {
    let line = Line {
        code: 7,
        name: "線".to_owned(),
        translation: "Line".to_owned(),
        color: "#80c241".to_owned(),
        symbol: "JY".to_owned(),
        operator: "JR".to_owned(),
        bullets: vec![(10.5, 20.0), (30.0, 40.0)],
        runs: vec![vec![code(10), code(20)], vec![code(20), code(10), code(20)]],
        is_loop: true,
        paths: vec![vec![(0.5, 1.0), (2.0, -3.0), (4.0, 5.5)], vec![(6.0, 7.0), (8.0, 9.0)]],
    };
    let mut written = document(vec![plain_station(), full_station()], vec![line.clone()]);
    written.language = MapLanguage::Both;
    assert!(written.to_toml().contains("\nlat = 35.5\nlon = -139.25\n"), "a position is written as it was given");
    let map = check(&written.to_toml()).map.unwrap();
    assert_eq!(
        (map.id.as_str(), map.name.as_str(), map.edition.as_str(), map.credits.as_str()),
        ("m", "地図", "2026", "©")
    );
    assert_eq!((map.translation.as_str(), map.title()), ("Map", "地図"));
    written.language = MapLanguage::English;
    assert_eq!(check(&written.to_toml()).map.unwrap().title(), "Map");
    written.language = MapLanguage::Both;
    assert_eq!((map.extent.width, map.extent.height, map.legend), (200, 100, written.legend));
    assert_eq!(map.stations()[map.centre()].code, code(20), "the centre is not the first station");
    assert_eq!((map.language, &map.groups), (written.language, &written.groups));
    let read = &map.lines[0];
    assert_eq!((read.code, &read.name, &read.translation), (line.code, &line.name, &line.translation));
    assert_eq!((&read.symbol, &read.operator, &read.bullets), (&line.symbol, &line.operator, &line.bullets));
    assert_eq!((&read.color, &read.runs, read.is_loop, &read.paths), (&line.color, &line.runs, true, &line.paths));
    for (read, station) in map.stations().iter().zip([plain_station(), full_station()]) {
        assert_eq!((read.code, &read.name, &read.yomi), (station.code, &station.name, &station.yomi));
        assert_eq!(
            (&read.translation, read.kind, read.prefecture),
            (&station.translation, station.kind, station.prefecture)
        );
        assert_eq!(read.position, station.position);
        assert_eq!((&read.numbers, read.numbers_at), (&station.numbers, station.numbers_at));
        assert_eq!((&read.formerly, &read.label, &read.marks), (&station.formerly, &station.label, &station.marks));
    }
}

#[test]
fn defaults_are_left_out() {
    let mut plain = document(vec![plain_station()], Vec::new());
    plain.groups.clear();
    plain.translation.clear();
    (plain.edition, plain.credits, plain.legend, plain.centre) = (String::new(), String::new(), None, code(10));
    let expected = "format = 1\nid = \"m\"\nname = \"地図\"\nwidth = 200\nheight = 100\ncentre = 10\n\n\
        [[station]]\ncode = 10\nname = \"津\"\nlat = 0.0\nlon = 0.0\nmarks = [\n  \
        { shape = \"circle\", x = 90, y = 90, r = 7 },\n]\n";
    assert_eq!(plain.to_toml(), expected);
    plain.lines.push(Line {
        code: 1,
        name: "l".to_owned(),
        translation: String::new(),
        color: "#000000".to_owned(),
        symbol: String::new(),
        operator: String::new(),
        bullets: Vec::new(),
        runs: Vec::new(),
        is_loop: false,
        paths: Vec::new(),
    });
    assert!(plain.to_toml().contains("[[line]]\ncode = 1\nname = \"l\"\ncolor = \"#000000\"\nstations = []\n\n[["));
}

#[test]
fn a_label_is_written_unless_it_is_the_name_in_one_row() {
    let written = |label: Label| {
        let text = document(vec![Station { label, ..plain_station() }], Vec::new()).to_toml();
        text.lines().find(|line| line.starts_with("label")).map(str::to_owned)
    };
    let rows = |rows: &[&str]| rows.iter().map(ToString::to_string).collect::<Vec<_>>();
    let label = |names: &[&str], small: &[&str], down: bool| Label {
        rows: rows(names),
        small: rows(small),
        down,
        size: Label::SIZE,
    };
    assert_eq!(written(label(&["津"], &[], false)), None);
    assert_eq!(written(label(&["津"], &[], true)).unwrap(), "label = { rows = [\"津\"], down = true }");
    assert_eq!(written(label(&["津"], &["Tsu"], false)).unwrap(), "label = { rows = [\"津\"], small = [\"Tsu\"] }");
    assert_eq!(written(label(&["津", "市"], &[], false)).unwrap(), "label = { rows = [\"津\", \"市\"] }");
    assert_eq!(written(label(&["つ"], &[], false)).unwrap(), "label = { rows = [\"つ\"] }");
    let large = Label { size: 15, ..Label::plain("津") };
    assert_eq!(written(large).unwrap(), "label = { rows = [\"津\"], size = 15 }");
}
