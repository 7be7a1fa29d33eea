//! The CSV tables for networks that are written by hand.

use kaisatsu_transit::Options;

use crate::common::{csv, runs};

const OPTIONS: Options<'static> = Options {
    id: Some("hand"),
    name: Some("手描き"),
    edition: None,
    credits: None,
    area: None,
    corrections: None,
    readings: None,
    previous: None,
};

#[test]
fn columns_come_in_any_order_and_codes_may_be_missing() {
    let stations = "name,lon,lat,yomi,formerly\n上野,139.77,35.71,うえの,\n\"大島\",139.83,35.69,おおじま,\"古名; 旧名\"\n東京,139.76,35.68,とうきょう,\n";
    let lines =
        "stations,name,color,loop\n上野 東京,甲線,80C241,\n東京;大島,甲線,80C241,\n上野 大島 東京,環状線,,true\n";
    let (network, _) = csv(stations, lines, &OPTIONS).unwrap();
    assert_eq!(network.name, "手描き");
    assert_eq!(runs(&network)["甲線"], ["上野 東京", "東京 大島"]);
    assert_eq!(network.lines[1].color, "#80c241");
    assert!(network.lines[0].is_loop);
    let old = network.stations.iter().find(|station| station.name == "大島").unwrap();
    assert_eq!(old.formerly, ["古名", "旧名"]);
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let stations = "code,name,lat,lon,type,prefecture\n1,甲,35,139,,13\n1,乙,35,139,,\n3,,35,139,,\n4,丁,95,139,,\n5,戊,35,x,,\n6,己,35,139,rocket,\n7,庚,35,139,,99\n";
    let lines = "code,name,color,stations\n1,線,red,1 1\n2,線,#000000,1 9\n3,線,,1\n";
    let told = csv(stations, lines, &OPTIONS).unwrap_err().to_string();
    assert_eq!(
        told.lines().collect::<Vec<_>>(),
        [
            "stations.csv:3: code 1 is used before, at line 2",
            "stations.csv:4: a station needs a name",
            "stations.csv:5: lat 95 and lon 139 are no place on the earth",
            "stations.csv:6: lon is 'x', which is no number",
            "stations.csv:7: type is 'rocket'; it is one of train, plane, ship, bus, walk, strange",
            "stations.csv:8: prefecture is 99; the codes are 1 to 47",
            "lines.csv:2: color is 'red'; it is written #rrggbb",
            "lines.csv:3: stops at 9, which is not in stations.csv",
            "lines.csv:4: a run joins two stations or more",
        ]
    );
    let told = csv("name,lat,lon,yomu\n", "name,stations\n", &OPTIONS).unwrap_err().to_string();
    assert!(told.starts_with("stations.csv:1: column 'yomu' is not known"), "{told}");
}

#[test]
fn every_run_of_a_loop_is_closed() {
    let stations =
        "name,lat,lon\n甲,35.0,139.0\n乙,35.0,139.1\n丙,35.1,139.0\n丁,35.2,139.0\n戊,35.2,139.1\n己,35.3,139.0\n";
    let lines = "name,loop,stations\n環,true,甲 乙 丙\n環,true,丁 戊 己\n";
    let (network, _) = csv(stations, lines, &OPTIONS).unwrap();
    assert_eq!(runs(&network)["環"], ["甲 乙 丙", "丁 戊 己"]);
    assert!(network.lines[0].is_loop);
    assert_eq!(network.edge_count(), 6);
    // A part of one run is outside the map. Only the other is a ring, which is closed by repeating its first station.
    let area = kaisatsu_transit::BoundingBox::new([138.0, 34.0, 140.0, 35.25]).ok();
    let (network, _) = csv(stations, lines, &Options { area, ..OPTIONS }).unwrap();
    assert_eq!(runs(&network)["環"], ["甲 乙 丙 甲", "丁 戊"]);
    assert!(!network.lines[0].is_loop);
}

#[test]
fn a_line_for_which_no_code_is_left_is_an_error() {
    let stations = "name,lat,lon\n甲,35.0,139.0\n乙,35.0,139.1\n";
    let lines = format!("code,name,stations\n{},甲線,甲 乙\n,乙線,甲 乙\n", i64::MAX);
    let told = csv(stations, &lines, &OPTIONS).unwrap_err().to_string();
    assert!(told.contains("no code is left for the line 乙線"), "{told}");
}

#[test]
fn a_code_is_a_code_although_another_station_is_called_so() {
    let rows = ["1,2,35.0,139.0", "2,乙,35.0,139.1", "3,丙,35.1,139.0"];
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
        let stations = format!("code,name,lat,lon\n{}\n", order.map(|at| rows[at]).join("\n"));
        let (network, _) = csv(&stations, "name,stations\n線,1 2 3\n", &OPTIONS).unwrap();
        assert_eq!(runs(&network)["線"], ["2 乙 丙"], "{stations}");
    }
    // Without codes, a number is a name like any other.
    let (network, _) = csv("name,lat,lon\n2,35.0,139.0\n1,35.0,139.1\n", "name,stations\n線,1 2\n", &OPTIONS).unwrap();
    assert_eq!(runs(&network)["線"], ["1 2"]);
}

#[test]
fn a_file_that_is_too_large_is_told() {
    let empty_rows = format!("{}\n", " ".repeat(60_000)).repeat(1_200);
    let told = csv(&format!("name,lat,lon\n{empty_rows}"), "name,stations\n", &OPTIONS).unwrap_err().to_string();
    assert!(told.starts_with("stations.csv:11"), "{told}");
    assert!(told.ends_with(": the file has more than 67108864 bytes; so much is not read"), "{told}");
}

#[test]
fn a_stop_at_a_station_with_a_mistake_is_no_second_mistake() {
    let stations = "code,name,lat,lon\n1,甲,95,139\n2,乙,35,139.1\n03,丙,35,x\n";
    let lines = "name,stations\n線,1 2 3\n線,甲;乙\n線,1;丁\n";
    let told = csv(stations, lines, &OPTIONS).unwrap_err().to_string();
    let expected = [
        "stations.csv:2: lat 95 and lon 139 are no place on the earth",
        "stations.csv:4: lon is 'x', which is no number",
        "lines.csv:4: stops at 丁, which is not in stations.csv",
    ];
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
}
