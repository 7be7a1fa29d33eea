//! Corrections, and japan-train-data, which needs them most.

use kaisatsu_transit::{Corrections, Options, Readings, Source};

use crate::common::{code_of, export, folder, imported, runs, train_data};

/// A line followed by its branch, a line with a second name, and a ring.
fn sample() -> String {
    export(&[
        (
            1,
            "本線",
            &[
                (11, 11, "甲（こう）", 35.00, 139.0),
                (12, 12, "乙", 35.02, 139.0),
                (13, 13, "丙", 35.04, 139.0),
                (14, 14, "支線の端", 35.02, 139.05),
                (15, 15, "飛地", 35.40, 139.0),
                (16, 16, "飛地の次", 35.41, 139.0),
            ],
        ),
        (
            2,
            "支線",
            &[(21, 12, "乙", 35.0202, 139.0002), (22, 12, "新乙", 35.021, 139.001), (23, 23, "第２丁", 35.03, 139.02)],
        ),
        (11302, "環状線", &[(31, 11, "甲", 35.0, 139.0), (32, 32, "戊", 35.01, 139.01), (33, 33, "己", 35.0, 139.02)]),
    ])
}

#[test]
fn loops_are_closed_and_false_edges_cut() {
    let (network, summary) = train_data(&sample(), "format = 1\n").unwrap();
    let runs = runs(&network);
    assert_eq!(runs["本線"], ["甲 乙 丙 支線の端", "飛地 飛地の次"]);
    // 乙 and 新乙 are one group, so the line begins there.
    assert_eq!(runs["支線"], ["乙 第2丁"]);
    assert!(network.lines.iter().any(|line| line.name == "環状線" && line.is_loop));
    assert!(summary.to_string().contains("edges longer than the limit: 本線: 支線の端–飛地 (42 km)"), "{summary}");
    assert_eq!(network.stations[0].prefecture.map(kaisatsu_model::Prefecture::code), Some(13));
}

#[test]
fn corrections_are_applied() {
    let text = r##"
format = 1
name = "試"
merge = "group-and-name"
[spelling]
"第2丁" = "丁"
[renamed]
"丙" = "新丙"
[formerly]
"甲" = ["古甲"]
[position]
"甲" = [35.001, 139.001]
[reading]
"甲" = "こう"
[[opened]]
code = 9000001
name = "開業"
lat = 35.01
lon = 139.0
prefecture = 13
[[line]]
code = 1
name = "大本線"
color = "#ABCDEF"
branch = [{ after = "新丙", from = "乙" }]
insert = [{ new = "開業", between = ["甲", "乙"] }]
keep = [["支線の端", "飛地"]]
skip = ["飛地の次"]
[[line]]
code = 11302
drop = "no reason"
[[line]]
code = 900001
name = "連絡線"
runs = [["丁", "支線の端"]]
"##;
    let (network, _) = train_data(&sample(), text).unwrap();
    let runs = runs(&network);
    assert_eq!(runs["大本線"], ["甲 開業 乙 新丙", "乙 支線の端 飛地"]);
    assert_eq!(runs["支線"], ["乙 新乙 丁"]);
    assert_eq!(runs["連絡線"], ["丁 支線の端"]);
    assert_eq!(network.lines[0].color, "#abcdef");
    let station = |name: &str| network.stations.iter().find(|station| station.name == name).unwrap();
    assert_eq!(station("新丙").formerly, ["丙"]);
    assert_eq!((station("甲").formerly.as_slice(), station("甲").yomi.as_str()), (&["古甲".to_owned()][..], "こう"));
    assert!((station("甲").lat - 35.001).abs() < 1e-9);
    // If a group has two names, each name has its own code.
    assert_eq!((code_of(&network, "乙"), code_of(&network, "新乙")), (12, 22));
}

#[test]
fn a_correction_that_corrects_nothing_is_an_error() {
    let text = "format = 1\n[spelling]\n\"無\" = \"有\"\n[reading]\n\"無\" = \"む\"\n[[line]]\ncode = 1\nskip = [\"己\"]\n[[line]]\ncode = 7\n";
    let told = train_data(&sample(), text).unwrap_err().to_string();
    assert_eq!(
        told.lines().collect::<Vec<_>>(),
        [
            "corrections.toml:6: line 本線: skip: the 1. of them corrects nothing",
            "corrections.toml:3: spelling: 無 corrects nothing on this map",
            "corrections.toml:5: reading: 無 corrects nothing on this map",
            "corrections.toml:9: line: 7 corrects nothing on this map",
        ]
    );
    let told = |text: &str| train_data(&sample(), text).unwrap_err().to_string();
    assert!(told("format = 1\nareas = 3\n").starts_with("corrections.toml:2: unknown field `areas`"));
    assert!(told("format = 1\narea = [1, 2, 0, 3]\n").starts_with("corrections.toml:2: an area is west, south"));
    assert!(told("format = 1\nother_lines = \"refuse\"\n").contains("line 1 本線 is on the map but not in the file"));
}

#[test]
fn an_area_cuts_lines_where_they_leave_it() {
    let text =
        "format = 1\narea = [138.9, 34.9, 139.015, 35.1]\nother_lines = \"keep\"\n[[line]]\ncode = 2\nwhole = true\n";
    let (network, _) = train_data(&sample(), text).unwrap();
    let runs = runs(&network);
    assert_eq!(runs["本線"], ["甲 乙 丙"]);
    assert_eq!(runs["支線"], ["乙 第2丁"]);
    // The ring is open where it leaves the map.
    assert_eq!(runs["環状線"], ["甲 戊"]);
    assert!(!network.lines.iter().any(|line| line.is_loop));
}

#[test]
fn what_a_base_says_of_stations_holds_in_its_area() {
    let folder = folder(&[
        ("export.json", &sample()),
        (
            "base.toml",
            "format = 1\narea = [138, 34, 139.5, 35.2]\n[reading]\n\"甲\" = \"こう\"\n\"飛地\" = \"とびち\"\n[[line]]\ncode = 1\nname = \"基本線\"\ncut = [[\"無\", \"有\"]]\n",
        ),
        ("top.toml", "format = 1\nid = \"top\"\nbase = [\"base.toml\"]\n[[line]]\ncode = 1\ncolor = \"#111111\"\n"),
    ]);
    let corrections = Corrections::open(&folder.path().join("top.toml")).unwrap();
    let options = Options { corrections: Some(&corrections), ..Options::default() };
    let (network, _) = imported(Source::TrainData(&folder.path().join("export.json")), &options).unwrap();
    let yomi = |name: &str| network.stations.iter().find(|station| station.name == name).unwrap().yomi.clone();
    assert_eq!((yomi("甲").as_str(), yomi("飛地").as_str()), ("こう", ""));
    assert_eq!((network.lines[0].name.as_str(), network.lines[0].color.as_str()), ("基本線", "#111111"));
}

#[test]
fn readings_come_from_dictionaries() {
    let (mut network, _) = train_data(&sample(), "format = 1\n").unwrap();
    let mut readings = Readings::default();
    let text = ";; okuri-nasi entries.\nこう /甲;a line/\nおつえき /乙駅/\nきのと /乙/\nだいにちょう /第二丁/\n";
    let (bytes, _, _) = encoding_rs::EUC_JP.encode(text);
    readings.add("dictionary", &bytes).unwrap();
    let unresolved = readings.fill_missing(&mut network);
    let yomi = |name: &str| network.stations.iter().find(|station| station.name == name).unwrap().yomi.clone();
    assert_eq!((yomi("甲").as_str(), yomi("第2丁").as_str(), yomi("乙").as_str()), ("こう", "だいにちょう", ""));
    let listed = unresolved.iter().find(|unresolved| unresolved.name == "乙@東京都").unwrap();
    assert_eq!(listed.candidates, ["きのと", "おつ"]);
    assert_eq!(readings.candidates("ゆりが丘"), Vec::<String>::new());
    assert_eq!(readings.candidates("スカイ・ツリー"), ["すかいつりー"]);
    assert!(readings.add("other", b"nothing").unwrap_err().to_string().contains("is it an SKK dictionary?"));
}

/// A ring 甲 乙 丙 丁 戊.
fn ring(positions: [(f64, f64); 5]) -> String {
    let names = ["甲", "乙", "丙", "丁", "戊"];
    let stations: Vec<_> =
        (1..).zip(names).zip(positions).map(|((id, name), (lat, lon))| (id, id, name, lat, lon)).collect();
    export(&[(11302, "環状線", &stations)])
}

#[test]
fn a_parted_ring_goes_on_where_its_list_begins() {
    let near = [(35.0, 139.0), (35.0, 139.02), (35.02, 139.03), (35.03, 139.01), (35.02, 138.99)];
    let read = |json: &str, correction: &str| {
        let text = format!("format = 1\n[[line]]\ncode = 11302\n{correction}\n");
        let (network, _) = train_data(json, &text).unwrap();
        (runs(&network)["環状線"].clone(), network.lines[0].is_loop)
    };
    let parted = |runs: &[&str]| (runs.iter().map(ToString::to_string).collect::<Vec<_>>(), false);
    assert!(read(&ring(near), "").1);
    assert_eq!(read(&ring(near), "cut = [[\"丙\", \"丁\"]]"), parted(&["丁 戊 甲 乙 丙"]));
    // The closing edge of a ring can be cut like any other.
    assert_eq!(read(&ring(near), "cut = [[\"甲\", \"戊\"]]"), parted(&["甲 乙 丙 丁 戊"]));
    assert_eq!(read(&ring(near), "cut = [[\"甲\", \"乙\"], [\"丙\", \"丁\"]]"), parted(&["丁 戊 甲", "乙 丙"]));
    let mut far = near;
    far[2..].iter_mut().for_each(|position| position.0 += 1.0);
    // 乙–丙 and 戊–甲 are longer than the limit.
    assert_eq!(read(&ring(far), ""), parted(&["甲 乙", "丙 丁 戊"]));
    // A cut on a branch does not open the ring.
    let branch = "branch = [{ after = \"丙\", from = \"乙\" }]\ncut = [[\"丁\", \"戊\"]]";
    assert_eq!(read(&ring(near), branch), parted(&["甲 乙 丙 甲", "乙 丁"]));
}
