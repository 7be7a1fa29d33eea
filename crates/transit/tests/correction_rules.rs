//! What each entry of a corrections file does, also together with the files that it extends.

use std::path::Path;

use kaisatsu_model::Prefecture;
use kaisatsu_transit::{Corrections, Error, Network, Options, Source, Summary, import, no_progress};
use tempfile::TempDir;

use crate::common::{code_of, export, folder, imported, runs, train_data};

/// Two lines far from each other, whose stations have the same names.
fn twins() -> String {
    export(&[
        (1, "東線", &[(11, 11, "甲", 35.00, 139.0), (12, 12, "乙", 35.02, 139.0), (13, 13, "丙", 35.04, 139.0)]),
        (2, "西線", &[(21, 21, "甲", 34.00, 135.0), (22, 22, "乙", 34.02, 135.0), (23, 23, "丁", 34.04, 135.0)]),
    ])
}

fn network(corrections: &str) -> Network {
    train_data(&twins(), &format!("format = 1\n{corrections}")).unwrap().0
}

fn error(corrections: &str) -> String {
    train_data(&twins(), &format!("format = 1\n{corrections}")).unwrap_err().to_string()
}

fn names(network: &Network) -> Vec<&str> {
    network.stations.iter().map(|station| station.name.as_str()).collect()
}

fn lines(network: &Network) -> Vec<&str> {
    network.lines.iter().map(|line| line.name.as_str()).collect()
}

/// A folder with the twins, a base and a file that extends it.
fn layered(base: &str, top: &str) -> TempDir {
    let base = format!("format = 1\n{base}");
    let top = format!("format = 1\nid = \"top\"\nbase = [\"base.toml\"]\n{top}");
    folder(&[("export.json", &twins()), ("base.toml", &base), ("top.toml", &top)])
}

fn with_base(base: &str, top: &str) -> Result<(Network, Summary), Error> {
    let folder = layered(base, top);
    let corrections = Corrections::open(&folder.path().join("top.toml"))?;
    let options = Options { corrections: Some(&corrections), ..Options::default() };
    imported(Source::TrainData(&folder.path().join("export.json")), &options)
}

#[test]
fn a_line_may_spell_and_rename_its_own_stations_only() {
    let network = network("[[line]]\ncode = 1\nspelling = { \"甲\" = \"東甲\" }\nrenamed = { \"乙\" = \"東乙\" }\n");
    assert_eq!(names(&network), ["東甲", "東乙", "丙", "甲", "乙", "丁"]);
    let formerly: Vec<_> = network.stations.iter().map(|station| station.formerly.join(" ")).collect();
    assert_eq!(formerly, ["", "乙", "", "", "", ""], "a spelling leaves no former name");
    for table in ["spelling", "renamed"] {
        let told = error(&format!("[[line]]\ncode = 1\n{table} = {{ \"丁\" = \"戊\" }}\n"));
        assert_eq!(told, "corrections.toml:2: line 東線: there is no station 丁 to be called 戊");
    }
}

#[test]
fn a_base_may_correct_what_is_not_on_the_map() {
    let base = "[[line]]\ncode = 1\nspelling = { \"無\" = \"有\" }\nskip = [\"無\"]\ncut = [[\"無\", \"甲\"]]\n\
        keep = [[\"甲\", \"無\"]]\nbranch = [{ after = \"無\", from = \"甲\" }]\n\
        insert = [{ new = \"無\", between = [\"甲\", \"乙\"] }, { new = \"丙\", between = [\"甲\", \"丁\"] }]\n\
        more = [[\"甲\", \"無\", \"乙\", \"丙\"]]\n";
    assert_eq!(runs(&with_base(base, "").unwrap().0)["東線"], ["甲 乙 丙", "乙 丙"]);
    for own in ["skip = [\"無\"]", "cut = [[\"無\", \"甲\"]]", "more = [[\"甲\", \"無\"]]"] {
        let told = error(&format!("[[line]]\ncode = 1\n{own}\n"));
        assert_eq!(told, "corrections.toml:2: line 東線: there is no station 無 on the map", "{own}");
    }
}

#[test]
fn a_dropped_line_is_left_out_with_its_reason_unless_the_reason_is_empty() {
    let (dropped, summary) = train_data(&twins(), "format = 1\n[[line]]\ncode = 2\ndrop = \"closed\"\n").unwrap();
    assert_eq!(lines(&dropped), ["東線"]);
    assert!(summary.to_string().contains("1 left out: lines left out by hand: 西線 (closed)"), "{summary}");
    let base = "[[line]]\ncode = 2\ndrop = \"closed\"\n";
    assert_eq!(lines(&with_base(base, "").unwrap().0), ["東線"]);
    assert_eq!(lines(&with_base(base, "[[line]]\ncode = 2\ndrop = \"\"\n").unwrap().0), ["東線", "西線"]);
}

#[test]
fn lines_that_the_file_does_not_list_are_kept_dropped_or_refused() {
    let listed = "[[line]]\ncode = 1\ncolor = \"#111111\"\n";
    assert_eq!(lines(&network(listed)), ["東線", "西線"]);
    assert_eq!(lines(&network(&format!("other_lines = \"drop\"\n{listed}"))), ["東線"]);
    assert_eq!(
        error(&format!("other_lines = \"refuse\"\n{listed}")),
        "corrections.toml: line 2 西線 is on the map but not in the file"
    );
    // A line that only a base lists is not listed.
    let (network, _) =
        with_base("[[line]]\ncode = 2\ncolor = \"#222222\"\n", &format!("other_lines = \"drop\"\n{listed}")).unwrap();
    assert_eq!(lines(&network), ["東線"]);
}

#[test]
fn a_line_is_refused_from_two_stations_on_the_map_on() {
    let refuse = |north: f64| {
        let area = format!("area = [134.9, 33.9, 139.1, {north}]\n");
        let listed = "other_lines = \"refuse\"\n[[line]]\ncode = 1\nwhole = true\n";
        train_data(&twins(), &format!("format = 1\n{area}{listed}")).map(|(network, _)| network.stations.len())
    };
    assert_eq!(refuse(34.01).unwrap(), 3, "one station of the other line is on the map");
    assert!(refuse(34.03).unwrap_err().to_string().ends_with("line 2 西線 is on the map but not in the file"));
}

#[test]
fn bases_may_be_nested_eight_deep() {
    let open = |depth: usize| {
        let folder = folder(&[("0.toml", "format = 1\n")]);
        for at in 1..=depth {
            let text = format!("format = 1\nbase = [\"{}.toml\"]\n", at - 1);
            std::fs::write(folder.path().join(format!("{at}.toml")), text).unwrap();
        }
        Corrections::open(&folder.path().join(format!("{depth}.toml"))).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(open(8), Ok(()));
    assert!(open(9).unwrap_err().ends_with("0.toml: its bases form a cycle"));
    let circle = folder(&[("a.toml", "format = 1\nbase = [\"a.toml\"]\n")]);
    assert!(Corrections::open(&circle.path().join("a.toml")).is_err());
    assert!(Corrections::open(Path::new("/nonexistent/a.toml")).is_err());
}

#[test]
fn an_opened_station_has_a_code_and_a_position() {
    let opened =
        |code: i64, lat: f64| error(&format!("[[opened]]\ncode = {code}\nname = \"開\"\nlat = {lat}\nlon = 139.0\n"));
    let rule = "corrections.toml:2: an opened station has a code and a place on the earth";
    assert_eq!((opened(0, 35.0).as_str(), opened(9, 91.0).as_str()), (rule, rule));
    let wrong = "[position]\n\"甲\" = [91.0, 139.0]\n[prefecture]\n\"甲\" = 48\n";
    let told = error(wrong);
    assert!(told.contains("corrections.toml:5: the codes of prefectures are 1 to 47"), "{told}");
    assert!(told.contains("corrections.toml:3: a position is latitude, longitude in degrees"), "{told}");
}

#[test]
fn an_opened_station_that_no_line_reaches_is_an_error_and_not_an_omission() {
    let station =
        |code: i64, name: &str| format!("[[opened]]\ncode = {code}\nname = \"{name}\"\nlat = 35.01\nlon = 139.0\n");
    let insert = "[[line]]\ncode = 1\ninsert = [{ new = \"開\", between = [\"甲\", \"乙\"] }]\n";
    let text = format!("format = 1\n{}{}{insert}", station(91, "開"), station(92, "閉"));
    let folder = folder(&[("export.json", &twins())]);
    let corrections = Corrections::read("corrections.toml", &text).unwrap();
    let options = Options { corrections: Some(&corrections), id: Some("test"), ..Options::default() };
    let (path, mut summary) = (folder.path().join("export.json"), Summary::default());
    let told = import(Source::TrainData(&path), &options, &no_progress, &mut summary).unwrap_err().to_string();
    assert_eq!(told, "corrections.toml:7: opened: 閉 corrects nothing on this map");
    assert!(!summary.to_string().contains("without a neighbour"), "{summary}");
}

#[test]
fn a_station_without_a_neighbour_is_left_out_and_listed() {
    let cut = "[[line]]\ncode = 1\ncut = [[\"甲\", \"乙\"]]\n";
    let (network, summary) = train_data(&twins(), &format!("format = 1\n{cut}")).unwrap();
    assert_eq!(names(&network), ["乙", "丙", "甲", "乙", "丁"]);
    assert!(summary.to_string().contains("1 left out: stations without a neighbour: 甲\n"), "{summary}");
    assert!(summary.to_string().contains("1 left out: edges cut by hand: 東線: 甲–乙\n"), "{summary}");
}

#[test]
fn the_file_says_how_long_an_edge_may_be() {
    let json =
        export(&[(1, "線", &[(1, 1, "甲", 35.0, 139.0), (2, 2, "乙", 35.2, 139.0), (3, 3, "丙", 35.21, 139.0)])]);
    let edges = |corrections: &str| train_data(&json, &format!("format = 1\n{corrections}")).unwrap().0.edge_count();
    // 甲–乙 has 22.2 km; without an entry the limit is 15 km.
    assert_eq!((edges(""), edges("longest_edge_km = 22"), edges("longest_edge_km = 23")), (1, 1, 2));
    let (_, summary) = train_data(&json, "format = 1\n").unwrap();
    assert!(summary.to_string().contains("edges longer than the limit: 線: 甲–乙 (22 km)"), "{summary}");
    assert_eq!(edges("[[line]]\ncode = 1\nkeep = [[\"乙\", \"甲\"]]\n"), 2);
}

#[test]
fn prefectures_and_translations_can_be_corrected() {
    let network = network(
        "[prefecture]\n\"甲@21\" = 27\n\"丁\" = 28\n[translation]\n\"丁@兵庫県\" = \"D\"\n\"甲@11\" = \"A\"\n\
         [reading]\n\"甲@大阪府\" = \"にしこう\"\n",
    );
    let station = |code: u32| network.stations.iter().find(|station| station.code.get() == code).unwrap();
    assert_eq!(station(21).prefecture.map(Prefecture::code), Some(27));
    assert_eq!((station(11).translation.as_str(), station(21).translation.as_str()), ("A", ""));
    assert_eq!((station(23).prefecture.map(Prefecture::code), station(23).translation.as_str()), (Some(28), "D"));
    assert_eq!((station(21).yomi.as_str(), station(11).yomi.as_str()), ("にしこう", ""));
}

#[test]
fn a_file_may_set_the_id_of_the_map() {
    assert!(Corrections::read("f", "format = 1\nid = \"map\"\n").unwrap().has_id());
    assert!(!Corrections::read("f", "format = 1\n").unwrap().has_id());
    assert_eq!(Corrections::read("f", "format = 2\n").unwrap_err().to_string(), "f: format 2 is not known; it is 1");
}

#[test]
fn a_name_that_several_stations_have_needs_a_code() {
    let insert = |new: &str| format!("[[line]]\ncode = 1\nmore = [[\"丙\", \"{new}\"]]\n");
    assert_eq!(runs(&network(&insert("乙")))["東線"], ["甲 乙 丙", "丙 乙"], "a station of the line comes first");
    assert_eq!(runs(&network(&insert("丁")))["東線"], ["甲 乙 丙", "丙 丁"]);
    let line = "[[line]]\ncode = 3\nname = \"新線\"\nruns = [[\"丙\", \"甲\"]]\n";
    assert_eq!(error(line), "corrections.toml:2: line 新線: several stations are called 甲: say which (甲@11, 甲@21)");
    assert_eq!(code_of(&network(&line.replace("\"甲\"", "\"甲@21\"")), "丁"), 23);
    let near = export(&[(1, "線", &[(1, 1, "霞ケ関", 35.0, 139.0), (2, 2, "銀座", 35.02, 139.0)])]);
    let told = train_data(&near, "format = 1\n[[line]]\ncode = 1\nskip = [\"霞ヶ関\"]\n").unwrap_err().to_string();
    assert_eq!(told, "corrections.toml:2: line 線: there is no station 霞ヶ関 on the map (but 霞ケ関)");
}

#[test]
fn a_line_is_listed_once_by_code_or_by_key() {
    assert_eq!(error("[[line]]\nname = \"線\"\n"), "corrections.toml:2: a line is named by its code or by its key");
    let both = "[[line]]\ncode = 1\nkey = \"k\"\n";
    assert_eq!(error(both), "corrections.toml:2: a line is named by its code or by its key");
    assert_eq!(error("[[line]]\ncode = 1\n[[line]]\ncode = 1\n"), "corrections.toml:4: line 1 is listed twice");
    let color = "[[line]]\ncode = 1\nname = \"東\"\ncolor = \"red\"\n";
    assert_eq!(error(color), "corrections.toml:2: line 1 東: color is 'red'; it is written #rrggbb");
    let key = "[[line]]\nkey = \"k\"\ncolor = \"red\"\n";
    assert_eq!(error(key), "corrections.toml:2: line k: color is 'red'; it is written #rrggbb");
}

#[test]
fn names_in_the_latin_alphabet_are_made_of_readings_where_a_file_says_so() {
    let readings = "[reading]\n\"甲\" = \"しんばし\"\n\"丙\" = \"とうきょう\"\n[translation]\n\"丙\" = \"Tokyo\"\n";
    let latin = |more: &str| {
        let network = network(&format!("{more}{readings}"));
        network.stations.iter().map(|station| station.translation.clone()).collect::<Vec<_>>()
    };
    assert_eq!(latin("romaji = true\n"), ["Shimbashi", "", "Tokyo", "Shimbashi", "", ""]);
    assert_eq!(latin(""), ["", "", "Tokyo", "", "", ""]);
}
