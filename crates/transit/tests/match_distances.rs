//! How far a station may have moved and still keep its code.

use kaisatsu_transit::{Network, Options};

use crate::common::{code_of, csv, folder, gtfs};

/// A shift to the north in degrees of latitude; a degree is 111,195 m.
fn north(metres: f64) -> f64 {
    metres / 111_195.0
}

fn network(stations: &str, lines: &str, previous: Option<&Network>) -> Network {
    let options = Options { id: Some("town"), previous, ..Options::default() };
    csv(&format!("name,lat,lon\n{stations}"), &format!("name,stations\n{lines}"), &options).unwrap().0
}

#[test]
fn a_station_with_the_same_name_keeps_its_code_within_1_000_metres() {
    let first = network("甲,35.0,139.0\n乙,36.0,139.0\n", "", None);
    let moved = |metres: f64| {
        let second = network(&format!("甲,{},139.0\n乙,36.0,139.0\n", 35.0 + north(metres)), "", Some(&first));
        code_of(&second, "甲") == code_of(&first, "甲")
    };
    assert_eq!((moved(0.0), moved(999.0), moved(1_001.0)), (true, true, false));
}

#[test]
fn a_renamed_station_keeps_its_code_within_300_metres_on_the_same_line() {
    let first = network("甲,35.0,139.0\n乙,36.0,139.0\n", "線,甲;乙\n", None);
    let renamed = |metres: f64, line: &str| {
        let stations = format!("丙,{},139.0\n乙,36.0,139.0\n", 35.0 + north(metres));
        let second = network(&stations, line, Some(&first));
        code_of(&second, "丙") == code_of(&first, "甲")
    };
    assert_eq!((renamed(299.0, "線,丙;乙\n"), renamed(301.0, "線,丙;乙\n")), (true, false));
    assert!(!renamed(10.0, "別線,丙;乙\n"), "on another line it is another station");
}

#[test]
fn a_station_with_the_same_key_keeps_its_code_within_2_000_metres_or_with_its_name() {
    let read = |name: &str, lat: f64, previous: Option<&Network>| {
        let stops = format!("stop_id,stop_name,stop_lat,stop_lon\na,{name},{lat},8.0\nb,B,40.0,8.0\n");
        let feed = folder(&[
            ("routes.txt", "route_id,route_type\nA,1\n"),
            ("stops.txt", &stops),
            ("trips.txt", "route_id,trip_id\nA,t\n"),
            ("stop_times.txt", "trip_id,stop_sequence,stop_id\nt,1,a\nt,2,b\n"),
        ]);
        gtfs(feed.path(), &Options { id: Some("city"), previous, ..Options::default() }).unwrap().0
    };
    let first = read("Old", 50.0, None);
    let keeps = |name: &str, metres: f64| {
        code_of(&read(name, 50.0 + north(metres), Some(&first)), name) == code_of(&first, "Old")
    };
    assert_eq!((keeps("New", 1_999.0), keeps("New", 2_001.0)), (true, false));
    assert!(keeps("Old", 5_000.0), "with its name it may move any distance");
}

#[test]
fn a_code_is_never_reused() {
    let first = network("甲,35.0,139.0\n乙,36.0,139.0\n", "", None);
    let second = network("乙,36.0,139.0\n", "", Some(&first));
    let third = network("乙,36.0,139.0\n丙,37.0,139.0\n", "", Some(&second));
    let codes = [code_of(&first, "甲"), code_of(&first, "乙"), code_of(&third, "丙")];
    assert!(codes[2] > codes[0] && codes[2] > codes[1], "{codes:?}");
    let fourth = network("甲,35.0,139.0\n乙,36.0,139.0\n丙,37.0,139.0\n", "", Some(&third));
    assert_eq!(code_of(&fourth, "甲"), codes[0], "a station that returns gets its old code");
}
