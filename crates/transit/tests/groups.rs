//! Groups of stations between which passengers change on foot, and stops that are platforms of one place.

use std::fmt::Write as _;

use kaisatsu_transit::{Network, Options, file};

use crate::common::{csv, export, folder, gtfs, train_data};

/// The names of each group, separated by slashes.
fn groups(network: &Network) -> Vec<String> {
    let name = |code| network.stations.iter().find(|station| station.code == code).unwrap().name.as_str();
    network.groups.iter().map(|group| group.iter().map(|&code| name(code)).collect::<Vec<_>>().join("/")).collect()
}

/// Two lines: one from west to east on the equator, the other from south to north through `lon`, with a stop at `lat`.
/// The stops of both are `spacing` degrees apart. A degree has 111 km.
fn crossing(names: [&str; 2], lat: f64, lon: f64, spacing: f64) -> Network {
    let mut stations = "code,name,lat,lon\n".to_owned();
    for (code, name, lat, lon) in [
        (1, "West", 0.0, -spacing),
        (2, names[0], 0.0, 0.0),
        (3, "East", 0.0, spacing),
        (4, "South", lat - spacing, lon),
        (5, names[1], lat, lon),
        (6, "North", lat + spacing, lon),
    ] {
        writeln!(stations, "{code},{name},{lat},{lon}").unwrap();
    }
    let lines = "code,name,stations\n1,Across,1 2 3\n2,Up,4 5 6\n";
    csv(&stations, lines, &Options { id: Some("test"), ..Options::default() }).unwrap().0
}

#[test]
fn stations_of_two_lines_near_each_other_are_a_group() {
    assert_eq!(groups(&crossing(["Park", "Queen"], 0.0020, 0.0, 0.01)), ["Park/Queen"], "222 m");
    assert_eq!(groups(&crossing(["Park", "Queen"], 0.0030, 0.0, 0.01)), [] as [&str; 0], "334 m");
    assert_eq!(groups(&crossing(["Park", "Queen"], 0.0015, 0.0015, 0.003)), [] as [&str; 0], "trams stop every 334 m");
    assert_eq!(groups(&crossing(["Park", "Park St"], 0.0035, 0.0, 0.01)), ["Park/Park St"], "related names, 389 m");
    assert_eq!(groups(&crossing(["中津", "中津"], 0.0035, 0.0, 0.01)), ["中津/中津"]);
    assert_eq!(groups(&crossing(["Park", "Park St"], 0.0045, 0.0, 0.02)), [] as [&str; 0], "500 m");
}

#[test]
fn neighbours_on_a_line_are_no_group_and_a_centre_is_no_chain() {
    let stations = "code,name,lat,lon\n1,A,0,0\n2,B,0.002,0\n3,C,0.02,0\n";
    let lines = "code,name,stations\n1,L,1 2 3\n";
    let options = Options { id: Some("test"), ..Options::default() };
    assert_eq!(groups(&csv(stations, lines, &options).unwrap().0), [] as [&str; 0]);
    // Four lines whose stations are 222 m from each other in a row: three of them fit into 500 m.
    let mut stations = "code,name,lat,lon\n".to_owned();
    let mut lines = "code,name,stations\n".to_owned();
    for at in 0..4 {
        let lon = f64::from(at) * 0.002;
        writeln!(stations, "{at}1,South{at},-0.02,{lon}\n{at}2,Mid{at},0,{lon}\n{at}3,North{at},0.02,{lon}").unwrap();
        writeln!(lines, "{},Line {at},{at}1 {at}2 {at}3", at + 1).unwrap();
    }
    let stations = stations.replace("\n01", "\n91").replace("\n02", "\n92").replace("\n03", "\n93");
    let lines = lines.replace("01 02 03", "91 92 93");
    let network = csv(&stations, &lines, &options).unwrap().0;
    let largest = network.groups.iter().map(Vec::len).max();
    assert_eq!(largest, Some(3), "{:?}", groups(&network));
}

/// 赤坂見附 and 永田町 are one group of the source with two names.
fn two_names() -> String {
    export(&[
        (1, "甲線", &[(11, 11, "甲", 35.00, 139.0), (12, 12, "赤坂見附", 35.02, 139.0), (13, 13, "丙", 35.04, 139.0)]),
        (
            2,
            "乙線",
            &[(21, 21, "丁", 35.02, 138.98), (22, 12, "永田町", 35.022, 139.003), (23, 23, "戊", 35.02, 139.03)],
        ),
    ])
}

#[test]
fn groups_of_the_source_with_several_names_stay_groups() {
    let import = |more: &str| train_data(&two_names(), &format!("format = 1\nmerge = \"group-and-name\"\n{more}"));
    assert_eq!(groups(&import("").unwrap().0), ["赤坂見附/永田町"]);
    assert_eq!(groups(&import("apart = [[\"赤坂見附\", \"永田町\"]]\n").unwrap().0), [] as [&str; 0]);
    let network = import("group = [[\"甲\", \"丁\"], [\"丁@21\", \"永田町\"]]\n").unwrap().0;
    assert_eq!(groups(&network), ["甲/赤坂見附/丁/永田町"]);
    let told = import("group = [[\"甲\", \"己\"]]\n").unwrap_err().to_string();
    assert_eq!(told, "corrections.toml:3: there is no station 己");
    assert_eq!(groups(&train_data(&two_names(), "format = 1\n").unwrap().0), [] as [&str; 0], "merged by default");
}

const ROUTES: &str = "route_id,route_short_name,route_type\nA,A,1\nB,B,1\n";

/// Imports a feed of two routes, A through the first stops and B through the others.
fn feed(stops: &str, calls: [&[&str]; 2], more: &[(&str, &str)]) -> Network {
    let (mut trips, mut times) = ("route_id,trip_id\n".to_owned(), "trip_id,stop_sequence,stop_id\n".to_owned());
    for (route, runs) in ["A", "B"].iter().zip(calls) {
        for run in runs {
            let trip = format!("{route}{run}").replace(' ', "");
            writeln!(trips, "{route},{trip}").unwrap();
            for (at, stop) in run.split(' ').enumerate() {
                writeln!(times, "{trip},{at},{stop}").unwrap();
            }
        }
    }
    let stops = format!("stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\n{stops}");
    let mut files =
        vec![("routes.txt", ROUTES), ("stops.txt", &stops), ("trips.txt", &trips), ("stop_times.txt", &times)];
    files.extend(more);
    gtfs(folder(&files).path(), &Options { id: Some("city"), ..Options::default() }).unwrap().0
}

const TWO_LINES: &str = "a1,Elm,0,0.0001,,\na2,Oak,0.02,0,,\na3,Ash,0.04,0,,\n\
    b1,Fir,0.02,-0.02,,\nb2,Lime,0.02,0.005,,\nb3,Yew,0.02,0.03,,\n\
    door,Way in,0.02,0.002,2,a2\n";

#[test]
fn transfers_and_pathways_of_a_feed_are_groups() {
    let import = |more: &[(&str, &str)]| groups(&feed(TWO_LINES, [&["a1 a2 a3"], &["b1 b2 b3"]], more));
    assert_eq!(import(&[]), [] as [&str; 0], "557 m are too far without a word of the feed");
    let head = "from_stop_id,to_stop_id,transfer_type,min_transfer_time\n";
    let transfers = |rows: &str| import(&[("transfers.txt", &format!("{head}{rows}"))]);
    assert_eq!(transfers("a2,b2,2,300\nb2,a2,2,300\n"), ["Oak/Lime"]);
    assert_eq!(transfers("a2,b2,3,\n"), [] as [&str; 0], "no transfer is possible");
    assert_eq!(transfers("a2,b2,4,\n"), [] as [&str; 0], "the train goes on");
    assert_eq!(transfers("a1,b3,2,\n"), [] as [&str; 0], "4 km are no walk");
    let pathways = "pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional\np,door,b2,1,1\n";
    assert_eq!(import(&[("pathways.txt", pathways)]), ["Oak/Lime"], "by the station of an entrance");
}

#[test]
fn a_feed_that_lists_its_transfers_is_believed() {
    let near = TWO_LINES.replace("b2,Lime,0.02,0.005", "b2,Lime,0.02,0.002");
    let import = |rows: &str| {
        let text = format!("from_stop_id,to_stop_id,transfer_type\n{rows}");
        groups(&feed(&near, [&["a1 a2 a3"], &["b1 b2 b3"]], &[("transfers.txt", &text)]))
    };
    assert_eq!(import(""), ["Oak/Lime"], "222 m");
    assert_eq!(import("a2,b1,0\n"), [] as [&str; 0], "the feed has transfers, but none there");
}

#[test]
fn platforms_and_directions_are_one_station() {
    let stops = "n1,Elm St (Northbound),0,0,,\nn2,Oak St (Northbound),0.01,0,,\nn3,Ash St Platform 1,0.02,0,,\n\
        s1,Elm St (Southbound),0.0003,0.0003,,\ns2,Oak St (Southbound),0.0103,0.0003,,\n\
        s3,Ash St Platform 2,0.0203,0.0003,,\n\
        m1,Market 1,0.03,0,,\nm2,Market 2,0.0303,0.0003,,\nm9,Market 3,0.032,0,,\n";
    let network = feed(stops, [&["n1 n2 n3 m1 m9", "m9 m2 s3 s2 s1"], &[]], &[]);
    let mut names: Vec<_> = network.stations.iter().map(|station| station.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ash St", "Elm St", "Market", "Market 3", "Oak St"]);
    assert_eq!(network.lines[0].runs.iter().map(Vec::len).collect::<Vec<_>>(), [5], "one line in both directions");
}

#[test]
fn groups_are_written_and_read() {
    let network = crossing(["Park", "Queen"], 0.0020, 0.0, 0.01);
    let text = file::write(&network);
    assert!(text.contains("\n[[group]]\nstations = [2, 5]\n"), "{text}");
    assert_eq!(file::read(&text).unwrap(), network);
    for (stations, told) in [
        ("[2]", "a group has two stations or more"),
        ("[2, 9]", "a group has 9, which is no station of this network"),
        ("[2, 2]", "station 2 is in a group before"),
    ] {
        let error = file::read(&text.replace("[2, 5]\n", &format!("{stations}\n"))).unwrap_err().to_string();
        assert!(error.ends_with(told), "{error}");
    }
}
