//! Which stops are one station, what is kept of it over imports, and what the summary says of that.

use std::fmt::Write as _;

use kaisatsu_model::Prefecture;
use kaisatsu_transit::{Network, Options, Station, Summary, file};

use crate::common::{code_of, csv, export, folder, gtfs, runs, train_data};

fn station<'a>(network: &'a Network, name: &str) -> &'a Station {
    network.stations.iter().find(|station| station.name == name).unwrap()
}

fn with_summary(stations: &str, lines: &str, previous: Option<&Network>) -> (Network, Summary) {
    let options = Options { id: Some("town"), previous, ..Options::default() };
    csv(&format!("name,lat,lon,formerly\n{stations}"), &format!("name,stations\n{lines}"), &options).unwrap()
}

fn network(stations: &str, lines: &str, previous: Option<&Network>) -> Network {
    with_summary(stations, lines, previous).0
}

/// A feed with one trip on each route.
fn feed(routes: &str, previous: Option<&Network>) -> (Network, Summary) {
    let stops = "stop_id,stop_name,stop_lat,stop_lon\na,A,50.0,8.0\nb,B,50.1,8.0\n";
    let (mut trips, mut times) = (String::new(), String::new());
    for id in routes.lines().filter_map(|row| row.split(',').next()) {
        writeln!(trips, "{id},t{id}").unwrap();
        writeln!(times, "t{id},1,a\nt{id},2,b").unwrap();
    }
    let folder = folder(&[
        ("routes.txt", &format!("route_id,route_long_name,route_type\n{routes}")),
        ("stops.txt", stops),
        ("trips.txt", &format!("route_id,trip_id\n{trips}")),
        ("stop_times.txt", &format!("trip_id,stop_sequence,stop_id\n{times}")),
    ]);
    gtfs(folder.path(), &Options { id: Some("city"), previous, ..Options::default() }).unwrap()
}

#[test]
fn a_group_has_the_name_of_the_stop_with_its_code_and_the_prefecture_of_most_stops() {
    let json = export(&[
        (1, "線", &[(21, 22, "旧館", 35.0, 139.0), (30, 30, "次", 35.02, 139.0)]),
        (2, "別線", &[(22, 22, "本館", 35.0, 139.0), (31, 31, "前", 34.98, 139.0)]),
        (3, "新線", &[(23, 22, "新館", 35.0, 139.0), (32, 32, "端", 35.0, 139.02)]),
    ]);
    let prefectures = json.replacen("東京都", "千葉県", 3).replacen("千葉県", "埼玉県", 1);
    let (network, _) = train_data(&prefectures, "format = 1\n").unwrap();
    assert_eq!((network.stations.len(), code_of(&network, "本館")), (4, 22));
    // The stops of the group are in 埼玉県, 千葉県 and 東京都: in a tie the first wins.
    assert_eq!(station(&network, "本館").prefecture.map(Prefecture::name), Some("埼玉県"));
    let most = json.replacen("東京都", "埼玉県", 1);
    let (network, _) = train_data(&most, "format = 1\n").unwrap();
    assert_eq!(station(&network, "本館").prefecture.map(Prefecture::name), Some("東京都"));
}

#[test]
fn a_group_of_at_most_300_metres_is_in_the_middle_of_its_stops() {
    let lat = |metres: f64| {
        let other = 35.0 + metres / 111_195.0;
        let json = export(&[
            (1, "線", &[(2, 1, "甲", other, 139.0), (3, 3, "乙", 35.02, 139.0)]),
            (2, "別線", &[(1, 1, "甲", 35.0, 139.0), (3, 3, "乙", 35.02, 139.0)]),
        ]);
        let json = json.replacen("\"id\":3,", "\"id\":4,", 1);
        let (network, _) = train_data(&json, "format = 1\n").unwrap();
        station(&network, "甲").lat
    };
    assert!((lat(299.0) - (35.0 + 149.5 / 111_195.0)).abs() < 1e-6, "{}", lat(299.0));
    assert!((lat(301.0) - 35.0).abs() < 1e-6, "the stop with the group's code decides: {}", lat(301.0));
}

#[test]
fn a_renamed_group_has_its_former_name_once_and_after_those_of_the_corrections() {
    let json = export(&[
        (1, "線", &[(1, 1, "乙", 35.0, 139.0), (3, 3, "丙", 35.02, 139.0)]),
        (2, "別線", &[(2, 1, "乙", 35.0, 139.0), (4, 4, "丁", 34.98, 139.0)]),
    ]);
    let formerly = |more: &str| {
        let (network, _) = train_data(&json, &format!("format = 1\n[renamed]\n\"乙\" = \"新乙\"\n{more}")).unwrap();
        station(&network, "新乙").formerly.clone()
    };
    assert_eq!(formerly(""), ["乙"]);
    assert_eq!(formerly("[formerly]\n\"新乙\" = [\"古乙\"]\n"), ["古乙", "乙"]);
    assert_eq!(formerly("[formerly]\n\"新乙\" = [\"乙\", \"古乙\"]\n"), ["乙", "古乙"]);
}

#[test]
fn every_former_name_is_kept_and_a_current_name_is_none() {
    let rows = |name: &str| format!("{name},35.0,139.0,\n端,35.1,139.0,\n");
    let line = |name: &str| format!("線,{name};端\n");
    let mut known: Option<Network> = None;
    for (name, formerly) in [("甲", &[][..]), ("乙", &["甲"]), ("丙", &["甲", "乙"]), ("甲", &["乙", "丙"])] {
        let next = network(&rows(name), &line(name), known.as_ref());
        assert_eq!(station(&next, name).formerly, formerly, "{name}");
        known = Some(next);
    }
}

#[test]
fn a_station_whose_former_name_is_known_keeps_its_code() {
    let first = network("甲,35.0,139.0,\n乙,36.0,139.0,\n", "", None);
    let code = |formerly: &str| {
        code_of(&network(&format!("新甲,35.007,139.0,{formerly}\n乙,36.0,139.0,\n"), "", Some(&first)), "新甲")
    };
    assert_eq!(code("甲"), code_of(&first, "甲"));
    assert!(code("丙") > 2);
}

#[test]
fn of_two_known_stations_with_one_name_the_nearer_one_matches() {
    let first = network("甲,35.0,139.0,\n甲,35.005,139.0,\n乙,36.0,139.0,\n", "", None);
    let second = network("甲,35.001,139.0,\n乙,36.0,139.0,\n", "", Some(&first));
    assert_eq!(code_of(&second, "甲"), first.stations.iter().find(|station| station.lat < 35.001).unwrap().code.get());
    assert_eq!(second.history.retired_stations.len(), 1);
}

#[test]
fn a_code_that_somebody_wrote_identifies_a_station_wherever_it_is() {
    let read = |row: &str, previous: Option<&Network>| {
        let stations = format!("code,name,lat,lon\n{row}\n9,端,35.1,139.0\n");
        csv(&stations, "name,stations\n", &Options { id: Some("town"), previous, ..Options::default() }).unwrap().0
    };
    let first = read("1,甲,35.0,139.0", None);
    assert_eq!(station(&read("1,乙,43.0,141.0", Some(&first)), "乙").formerly, ["甲"]);
}

#[test]
fn the_summary_counts_what_is_new_or_renamed_from_the_second_import_on() {
    let (first, summary) = with_summary("甲,35.0,139.0,\n乙,35.1,139.0,\n", "線,甲;乙\n", None);
    assert!(!summary.to_string().contains("new ") && !summary.to_string().contains("renamed"), "{summary}");
    let stations = "丙,35.0,139.0,\n丁,35.1,139.0,\n戊,35.2,139.0,\n";
    let (_, summary) = with_summary(stations, "線,丙;丁\n別線,丁;戊\n", Some(&first));
    for part in ["        1 new lines\n", "        1 new stations\n", "        2 renamed stations\n"] {
        assert!(summary.to_string().contains(part), "{part}: {summary}");
    }
}

#[test]
fn a_line_that_returns_has_its_code_by_its_key_and_its_code_is_never_reused() {
    let (first, _) = feed("A,Alpha,1\nB,Beta,1\n", None);
    let codes = |network: &Network| -> Vec<(String, i64)> {
        network.lines.iter().map(|line| (line.name.clone(), line.code)).collect()
    };
    assert_eq!(codes(&first), [("Alpha".to_owned(), 1), ("Beta".to_owned(), 2)]);
    let (second, _) = feed("A,Alpha,1\n", Some(&first));
    let gone = &second.history.retired_lines;
    assert_eq!((gone.len(), gone[0].code, gone[0].name.as_str(), gone[0].key.as_str()), (1, 2, "Beta", "gtfs:B"));
    let second = file::read(&file::write(&second)).unwrap();
    let (third, _) = feed("A,Alpha,1\nB,Renamed,1\nC,Gamma,1\n", Some(&second));
    assert_eq!(
        codes(&third),
        [("Alpha".to_owned(), 1), ("Renamed".to_owned(), 2), ("Gamma".to_owned(), 3)],
        "a new line does not get the code of one that is gone"
    );
}

#[test]
fn codes_of_gone_stations_and_lines_are_reserved() {
    let text = "format = 1\nid = \"x\"\nname = \"X\"\n\n[[station]]\ncode = 1\nname = \"甲\"\nlat = 35.0\nlon = 139.0\n\n\
        [[station]]\ncode = 2\nname = \"乙\"\nlat = 35.1\nlon = 139.0\n\n\
        [[line]]\ncode = 7\nname = \"線\"\ncolor = \"#000000\"\nstations = [[1, 2]]\n";
    let told = |more: &str| file::read(&format!("{text}{more}")).map_err(|error| error.to_string());
    let gone = |code: i64| format!("\n[[gone_station]]\ncode = {code}\nname = \"丙\"\nlat = 35.0\nlon = 139.0\n");
    let line = |code: i64| format!("\n[[gone_line]]\ncode = {code}\nname = \"旧線\"\n");
    assert_eq!(told(&gone(3)).unwrap().history.retired_stations.len(), 1);
    assert_eq!(told(&line(8)).unwrap().history.retired_lines.len(), 1);
    assert_eq!(told(&gone(2)).unwrap_err(), "line 23: gone station 2 丙: the code is used");
    assert_eq!(told(&line(7)).unwrap_err(), "line 23: gone line 7 旧線: the code is used");
}

/// The runs of the only line of a feed with these stops and trips.
fn runs_of_trips(stops: &str, calls: &[&str]) -> Vec<String> {
    runs(&network_of_trips(stops, calls).0)["Line"].clone()
}

/// The network of a feed with these stops, and one line with these trips.
fn network_of_trips(stops: &str, calls: &[&str]) -> (Network, Summary) {
    let (mut trips, mut times) = (String::new(), String::new());
    for (trip, calls) in calls.iter().enumerate() {
        writeln!(trips, "R,t{trip}").unwrap();
        for (at, stop) in calls.split_whitespace().enumerate() {
            writeln!(times, "t{trip},{at},{stop}").unwrap();
        }
    }
    let folder = folder(&[
        ("routes.txt", "route_id,route_long_name,route_type\nR,Line,0\n"),
        ("stops.txt", &format!("stop_id,stop_name,stop_lat,stop_lon,parent_station\n{stops}")),
        ("trips.txt", &format!("route_id,trip_id\n{trips}")),
        ("stop_times.txt", &format!("trip_id,stop_sequence,stop_id\n{times}")),
    ]);
    gtfs(folder.path(), &Options { id: Some("city"), ..Options::default() }).unwrap()
}

#[test]
fn stops_at_which_a_trip_calls_one_after_the_other_are_different_stations() {
    // 90 m apart, with names that differ in a number.
    let stops = "a,Terminal 1,52.5,13.4,\nb,Terminal 2,52.5,13.40133,\nc,Pier,52.5,13.42,\n";
    assert_eq!(runs_of_trips(stops, &["a b c"]), ["Terminal 1 Terminal 2 Pier"]);
    // 250 m apart, with one name. The first and the last are 150 m apart, and the trip calls between them at another.
    let stops = "a,Plaza,52.5,13.4,\nb,Plaza,52.5,13.403693,\nc,Plaza,52.5,13.402216,\nd,Elm,52.5,13.42,\n";
    assert_eq!(runs_of_trips(stops, &["a b c d"]), ["Plaza Plaza Plaza Elm"]);
}

#[test]
fn stations_in_a_row_with_one_name_have_both_directions() {
    // Each pair of stops is 20 m apart, and the pairs are 250 m apart.
    let stops = "an,Plaza,52.5,13.4,\nas,Plaza,52.5002,13.4,\nbn,Plaza,52.5,13.403693,\n\
        bs,Plaza,52.5002,13.403693,\nc,Elm,52.5,13.42,\n";
    for calls in [["an bn c", "c bs as"], ["c bs as", "an bn c"]] {
        assert_eq!(runs_of_trips(stops, &calls), ["Plaza Plaza Elm"]);
    }
}

#[test]
fn a_station_with_a_parent_and_platforms_at_which_a_trip_turns_stay_one() {
    let parent = "p,Hub,52.5,13.4,\na,Hub 1,52.5,13.4,p\nb,Hub 2,52.5,13.4013,p\nc,Elm,52.5,13.42,\n";
    assert_eq!(runs_of_trips(parent, &["a b c"]), ["Elm Hub"]);
    let bays = "a,Hub Bay A,52.5,13.4,\nb,Hub Bay B,52.5,13.4005,\nc,Elm,52.5,13.42,\n";
    assert_eq!(runs_of_trips(bays, &["c a b c"]), ["Elm Hub"]);
    // The stops of the two directions are not called at one after the other.
    let directions = "a,Hub,52.5,13.4,\nb,Hub,52.5,13.4005,\nc,Elm,52.5,13.42,\n";
    assert_eq!(runs_of_trips(directions, &["c a", "b c"]), ["Hub Elm"]);
}

#[test]
fn the_stops_on_both_sides_of_a_street_are_one_station_whatever_they_are_called() {
    // 20 m apart, and 677 m to the next ones.
    let east = "a1,Mill Rd S9,52.5,13.40,\na2,Oak St,52.5,13.41,\na3,School,52.5,13.42,\n";
    let west = "b1,Mill Rd S218,52.50018,13.40,\nb2,Park,52.50018,13.41,\nb3,Depot,52.50018,13.42,\n";
    let both = [east, west].concat();
    assert_eq!(runs_of_trips(&both, &["a1 a2 a3", "b3 b2 b1"]), ["Mill Rd Oak St School"]);
    let (network, _) = network_of_trips(&both, &["a1 a2 a3", "b3 b2 b1"]);
    let formerly = |name: &str| station(&network, name).formerly.clone();
    assert_eq!(
        (formerly("Mill Rd"), formerly("Oak St"), formerly("School")),
        (vec!["Mill Rd S218".to_owned()], vec!["Park".to_owned()], vec!["Depot".to_owned()])
    );
    // One trip there and back.
    assert_eq!(runs_of_trips(&both, &["a1 a2 a3 b3 b2 b1"]), ["Mill Rd Oak St Depot School"]);
    // The nearer of two is the opposite stop.
    let third = format!("{both}b4,Corner,52.50045,13.41,\n");
    let runs = runs_of_trips(&third, &["a1 a2 a3", "b3 b2 b1", "b3 b4 b1"]);
    assert_eq!(runs, ["Mill Rd Oak St School", "Mill Rd Corner School"]);
}

#[test]
fn stops_near_each_other_that_are_not_opposite_stay_stations_of_their_own() {
    // Two branches leave in one direction.
    let fork = "a,Fork,52.5,13.40,\nb,North,52.50018,13.41,\nc,South,52.5,13.41,\nd,D,52.51,13.43,\ne,E,52.49,13.43,\n";
    assert_eq!(runs_of_trips(fork, &["a b d", "a c e"]), ["Fork North D", "Fork South E"]);
    // Stops of both directions, and one more beside them.
    let shared = "a,A,52.5,13.40,\nb,B,52.5,13.41,\nc,C,52.50018,13.41,\nd,D,52.5,13.42,\n";
    assert_eq!(runs_of_trips(shared, &["a b d", "d b a", "d c a"]).len(), 2);
    // Farther than half the way to the next stop: 50 m, of 90 m.
    let dense = "a1,A,52.5,13.40,\na2,B,52.5,13.40133,\na3,C,52.5,13.40266,\n\
        b1,D,52.50045,13.40,\nb2,E,52.50045,13.40133,\nb3,F,52.50045,13.40266,\n";
    assert_eq!(runs_of_trips(dense, &["a1 a2 a3", "b3 b2 b1"]).len(), 2);
    // A one-way loop around a block of 80 m.
    let block = "a,A,52.5,13.40,\nb,B,52.5,13.41,\nc,C,52.50072,13.41,\nd,D,52.50072,13.40,\n";
    let stops = [block, "e,E,52.5,13.42,\nf,F,52.50072,13.42,\n"].concat();
    assert_eq!(runs_of_trips(&stops, &["d a b e f c d"])[0].split(' ').count(), 6);
    // Farther than 100 m.
    let far = "a1,A,52.5,13.40,\na2,B,52.5,13.41,\nb1,C,52.50108,13.40,\nb2,D,52.50108,13.41,\n";
    assert_eq!(runs_of_trips(far, &["a1 a2", "b2 b1"]).len(), 2);
}
