//! The railway data of the land ministry: the order of stations along the track, branches, rings and groups.

use kaisatsu_transit::{Options, Source};

use crate::common::{folder, imported, runs};

fn section(line: &str, points: &[(f64, f64)]) -> String {
    let points: Vec<_> = points.iter().map(|(lon, lat)| format!("[{lon},{lat}]")).collect();
    format!(
        r#"{{"type":"Feature","properties":{{"N02_001":"11","N02_002":"4","N02_003":"{line}","N02_004":"架空鉄道"}},"geometry":{{"type":"LineString","coordinates":[{}]}}}}"#,
        points.join(",")
    )
}

fn station(line: &str, name: &str, code: u32, group: u32, (lon, lat): (f64, f64)) -> String {
    format!(
        r#"{{"type":"Feature","properties":{{"N02_001":"11","N02_002":"4","N02_003":"{line}","N02_004":"架空鉄道","N02_005":"{name}","N02_005c":"{code:06}","N02_005g":"{group:06}"}},"geometry":{{"type":"LineString","coordinates":[[{},{lat}],[{},{lat}]]}}}}"#,
        lon - 0.0005,
        lon + 0.0005
    )
}

fn collection(features: &[String]) -> String {
    format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{}\n]}}", features.join(",\n"))
}

/// 本線 from west to east with a branch to the north at 中; 環状線 around a square, which shares 東 with it.
fn sample() -> (String, String) {
    let sections = [
        section("本線", &[(135.02, 35.0), (135.04, 35.0)]),
        section("本線", &[(135.0, 35.0), (135.02, 35.0)]),
        section("本線", &[(135.02, 35.0), (135.02, 35.03)]),
        section("環状線", &[(135.04, 35.0), (135.06, 35.0), (135.06, 35.02)]),
        section("環状線", &[(135.06, 35.02), (135.04, 35.02), (135.04, 35.0)]),
    ];
    let stations = [
        station("本線", "中", 3, 3, (135.02, 35.0)),
        station("本線", "東", 4, 4, (135.04, 35.0)),
        station("本線", "西", 1, 1, (135.0, 35.0)),
        station("本線", "西の次", 2, 2, (135.01, 35.0)),
        station("本線", "北", 5, 5, (135.02, 35.03)),
        station("環状線", "角", 7, 7, (135.06, 35.0)),
        station("環状線", "東", 6, 4, (135.04, 35.0)),
        station("環状線", "奥", 8, 8, (135.06, 35.02)),
        station("環状線", "隅", 9, 9, (135.04, 35.02)),
    ];
    (collection(&sections), collection(&stations))
}

fn read(sections: &str, stations: &str) -> Result<kaisatsu_transit::Network, String> {
    let folder = folder(&[("sections.geojson", sections), ("stations.geojson", stations)]);
    let (sections, stations) = (folder.path().join("sections.geojson"), folder.path().join("stations.geojson"));
    let options = Options { id: Some("test"), ..Options::default() };
    let source = Source::N02 { sections: &sections, stations: &stations };
    imported(source, &options).map(|(network, _)| network).map_err(|error| error.to_string())
}

#[test]
fn the_order_is_found_along_the_track() {
    let (sections, stations) = sample();
    let network = read(&sections, &stations).unwrap();
    let runs = runs(&network);
    assert_eq!(runs["本線"], ["東 中 西の次 西", "中 北"]);
    assert_eq!(network.lines.iter().map(|line| line.is_loop).collect::<Vec<_>>(), [false, true]);
    assert_eq!(runs["環状線"].len(), 1);
    // 東 is one station of two lines, with the code of its group.
    assert_eq!(network.stations.len(), 8);
    let codes: Vec<u32> = network.stations.iter().map(|station| station.code.get()).collect();
    assert_eq!(codes, [1, 2, 3, 4, 5, 7, 8, 9]);
}

#[test]
fn what_is_wrong_is_told_with_file_and_line() {
    let (sections, stations) = sample();
    let nameless = stations.replace(r#""N02_005":"角","#, "");
    assert!(read(&sections, &nameless).unwrap_err().ends_with("stations.geojson:7: there is no N02_005 (the station)"));
    let point = sections.replacen("LineString", "Point", 1);
    assert!(read(&point, &stations).unwrap_err().contains("sections.geojson:2: "));
    let broken = sections.replacen("]]", "]", 1);
    assert!(read(&broken, &stations).unwrap_err().contains("sections.geojson:"));
}

#[test]
fn a_position_of_one_number_is_told() {
    let (sections, stations) = sample();
    let short = sections.replacen("[135,35]", "[135]", 1);
    assert_ne!(short, sections);
    assert!(read(&short, &stations).unwrap_err().ends_with("sections.geojson:3: a position is not two numbers"));
}

#[test]
fn there_is_no_track_between_the_parts_of_a_section() {
    let far = section("本線", &[(135.0, 35.0), (135.02, 35.0)]);
    let parts = far
        .replace("LineString", "MultiLineString")
        .replace("[[135,35],[135.02,35]]", "[[[135,35],[135.02,35]],[[135.06,35],[135.08,35]]]");
    let stations = [
        station("本線", "一", 1, 1, (135.0, 35.0)),
        station("本線", "二", 2, 2, (135.02, 35.0)),
        station("本線", "三", 3, 3, (135.06, 35.0)),
        station("本線", "四", 4, 4, (135.08, 35.0)),
    ];
    let network = read(&collection(&[parts]), &collection(&stations)).unwrap();
    assert_eq!(runs(&network)["本線"], ["一 二", "三 四"]);
}

#[test]
fn stations_close_to_each_other_do_not_sever_a_line() {
    // 上り and 下り are thirty metres apart, each on its own track to 終点. Neither path is much longer than the other, and
    // one of them must stay.
    let sections = [
        section("本線", &[(135.0, 35.0), (135.0, 35.0003)]),
        section("本線", &[(135.0, 35.0), (135.02, 35.00015)]),
        section("本線", &[(135.0, 35.0003), (135.01, 35.0004), (135.02, 35.00015)]),
    ];
    let stations = [
        station("本線", "上り", 1, 1, (135.0, 35.0)),
        station("本線", "下り", 2, 2, (135.0, 35.0003)),
        station("本線", "終点", 3, 3, (135.02, 35.00015)),
    ];
    let network = read(&collection(&sections), &collection(&stations)).unwrap();
    assert_eq!(runs(&network)["本線"], ["下り 上り 終点"]);
}
