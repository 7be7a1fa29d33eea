//! Rules of the importers: what is drawn, what is left out, and what the summary says of it.

use std::{collections::BTreeSet, fmt::Write as _};

use kaisatsu_transit::{BoundingBox, Corrections, Network, Options, Readings, RouteFilter, Source, Summary, file};

use crate::common::{csv, export, folder, imported, runs, train_data};

/// Trips of a feed: route, number of equal trips, and stops.
fn feed(routes: &str, stops: &str, trips: &[(&str, usize, &str)], filter: &RouteFilter) -> (Network, Summary) {
    let (mut list, mut times) = ("route_id,trip_id\n".to_owned(), "trip_id,stop_sequence,stop_id\n".to_owned());
    for (at, (route, count, stops)) in trips.iter().enumerate() {
        for number in 0..*count {
            writeln!(list, "{route},{at}-{number}").unwrap();
            for (order, stop) in stops.split_whitespace().enumerate() {
                writeln!(times, "{at}-{number},{order},{stop}").unwrap();
            }
        }
    }
    let folder = folder(&[
        ("agency.txt", "agency_id,agency_name\n1,Metro\n"),
        (
            "routes.txt",
            &format!("route_id,agency_id,route_short_name,route_long_name,route_type,route_color\n{routes}"),
        ),
        ("stops.txt", &format!("stop_id,stop_name,stop_lat,stop_lon,parent_station\n{stops}")),
        ("trips.txt", &list),
        ("stop_times.txt", &times),
    ]);
    let options = Options { id: Some("city"), ..Options::default() };
    imported(Source::Gtfs { path: folder.path(), filter }, &options).unwrap()
}

const ROUTE: &str = "A,,A,,1,\n";

fn drawn(stops: &str, trips: &[(&str, usize, &str)]) -> Vec<String> {
    runs(&feed(ROUTE, stops, trips, &RouteFilter::default()).0)["A"].clone()
}

#[test]
fn an_express_is_drawn_through_the_stations_that_it_passes() {
    let stops = "a,A,0.00,8.0,\nb,B,0.01,8.0,\nc,C,0.02,8.0,\n";
    assert_eq!(drawn(stops, &[("A", 1, "a b"), ("A", 1, "b c"), ("A", 10, "a c")]), ["A B C"]);
}

#[test]
fn an_express_is_drawn_along_the_shortest_way() {
    // The way by p begins with the shorter edge, and is longer in the end.
    let stops = "a,A,0.000,8.000,\np,P,0.006,8.003,\nr,R,0.000,8.010,\nz,Z,0.000,8.020,\n";
    let trips = [("A", 10, "a p z"), ("A", 10, "a r z"), ("A", 100, "a z")];
    assert_eq!(drawn(stops, &trips), ["A R Z", "A P Z"]);
}

#[test]
fn a_pattern_is_split_where_another_run_has_its_edge() {
    let stops = "a,A,0.00,8.0,\nb,B,0.01,8.0,\nc,C,0.02,8.0,\nd,D,0.03,8.0,\ne,E,0.04,8.0,\n\
        x,X,0.01,8.02,\ny,Y,0.02,8.02,\n";
    assert_eq!(drawn(stops, &[("A", 9, "a b c d e"), ("A", 9, "x b c y")]), ["A B C D E", "X B", "C Y"]);
}

#[test]
fn rare_edges_are_counted_and_only_those_of_a_rare_station_are_kept() {
    // a–c is no express edge, because the way by b is much longer.
    let stops = "a,A,0.00,8.0,\nb,B,0.01,8.03,\nc,C,0.02,8.0,\nx,X,0.03,8.0,\n";
    let trips = [("A", 100, "a b"), ("A", 100, "b c"), ("A", 1, "a c x")];
    let (network, summary) = feed(ROUTE, stops, &trips, &RouteFilter::default());
    assert_eq!(network.edge_count(), 3);
    assert!(summary.to_string().contains("1 left out: edges of less than 2% of a route's trips"), "{summary}");
    assert!(summary.to_string().contains("      403 stop times read\n"), "{summary}");
}

#[test]
fn a_rare_station_is_on_the_route_with_the_most_trips_to_it() {
    let stops = "a,A,0.00,8.0,\nb,B,0.01,8.0,\nx,X,0.02,8.0,\n";
    let trips = [("A", 300, "a b"), ("B", 300, "a b"), ("A", 1, "b x"), ("B", 2, "b x")];
    let (network, _) = feed("A,,A,,1,\nB,,B,,1,\n", stops, &trips, &RouteFilter::default());
    assert_eq!((runs(&network)["A"].join("/"), runs(&network)["B"].join("/")), ("A B".into(), "A B/B X".into()));
}

#[test]
fn a_route_has_its_long_name_if_that_contains_the_short_one() {
    let stops = "a,A,0.00,8.0,\nb,B,0.01,8.0,\n";
    let routes = "A,,A,Line A,1,FF0000\nB,,B,Beta,1,\nC,,,Gamma,1,zzz\nD,,,,1,\n";
    let trips = [("A", 1, "a b"), ("B", 1, "a b"), ("C", 1, "a b"), ("D", 1, "a b")];
    let (network, summary) = feed(routes, stops, &trips, &RouteFilter::default());
    let names: Vec<_> = runs(&network).into_keys().collect();
    assert_eq!(names, ["B Beta", "D", "Gamma", "Line A"]);
    assert!(
        summary.to_string().contains("1 left out: route_color that is no colour: zzz at routes.txt:4\n"),
        "{summary}"
    );
}

#[test]
fn only_a_route_without_an_agency_belongs_to_the_only_one() {
    let stops = "a,A,0.00,8.0,\nb,B,0.01,8.0,\n";
    let filter = RouteFilter { agencies: vec!["Metro".to_owned()], ..RouteFilter::default() };
    let (network, _) = feed("A,,A,,1,\nB,2,B,,1,\n", stops, &[("A", 1, "a b"), ("B", 1, "a b")], &filter);
    assert_eq!(runs(&network).into_keys().collect::<Vec<_>>(), ["A"]);
}

#[test]
fn a_parent_that_is_missing_is_listed() {
    let trips = [("A", 1, "a b")];
    let listed = |parent: &str| {
        let stops = format!("p,P,0.0,8.0,\na,A,0.00,8.0,{parent}\nb,B,0.01,8.0,\n");
        feed(ROUTE, &stops, &trips, &RouteFilter::default()).1.to_string().contains("parent_station")
    };
    assert_eq!((listed(""), listed("p"), listed("q")), (false, false, true));
}

#[test]
fn stops_without_platforms_are_one_station_by_distance_although_the_feed_has_transfers() {
    // The first one is a stop, or a station with a platform.
    for stops in ["b1,B,0.1,8.0,\n", "b,B,0.1,8.0,\nb1,B,0.1,8.0,b\n"] {
        let stops = format!("a,A,0.0,8.0,\n{stops}b2,B,0.1005,8.0,\nc,C,0.2,8.0,\n");
        let folder = folder(&[
            ("routes.txt", "route_id,route_type\nA,1\n"),
            ("stops.txt", &format!("stop_id,stop_name,stop_lat,stop_lon,parent_station\n{stops}")),
            ("trips.txt", "route_id,trip_id\nA,1\nA,2\n"),
            ("stop_times.txt", "trip_id,stop_sequence,stop_id\n1,1,a\n1,2,b1\n2,1,b2\n2,2,c\n"),
            ("transfers.txt", "from_stop_id,to_stop_id,transfer_type\na,c,2\n"),
        ]);
        let options = Options { id: Some("city"), ..Options::default() };
        let source = Source::Gtfs { path: folder.path(), filter: &RouteFilter::default() };
        assert_eq!(imported(source, &options).unwrap().0.stations.len(), 3, "{stops}");
    }
}

#[test]
fn corrections_name_a_line_by_its_key() {
    let folder = folder(&[
        ("routes.txt", "route_id,route_type\nA,1\nB,1\n"),
        ("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\na,A,0.0,8.0\nb,B,0.1,8.0\n"),
        ("trips.txt", "route_id,trip_id\nA,1\nB,2\n"),
        ("stop_times.txt", "trip_id,stop_sequence,stop_id\n1,1,a\n1,2,b\n2,1,a\n2,2,b\n"),
    ]);
    let corrections = Corrections::read("c", "format = 1\n[[line]]\nkey = \"gtfs:B\"\nname = \"Blue\"\n").unwrap();
    let options = Options { id: Some("city"), corrections: Some(&corrections), ..Options::default() };
    let source = Source::Gtfs { path: folder.path(), filter: &RouteFilter::default() };
    assert_eq!(runs(&imported(source, &options).unwrap().0).into_keys().collect::<Vec<_>>(), ["A", "Blue"]);
}

/// Features of N02: line, operator, station (none for a section), code and points.
fn n02(sections: &[(&str, &str, &str)], stations: &[(&str, &str, &str, &str, &str)]) -> (Network, Summary) {
    let feature = |line: &str, operator: &str, more: &str, points: &str| {
        format!(
            r#"{{"type":"Feature","properties":{{"N02_003":"{line}","N02_004":"{operator}"{more}}},"geometry":{{"type":"LineString","coordinates":[{points}]}}}}"#
        )
    };
    let collection = |features: Vec<String>| {
        format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{}\n]}}", features.join(",\n"))
    };
    let sections =
        collection(sections.iter().map(|(line, operator, points)| feature(line, operator, "", points)).collect());
    let station = |(line, operator, name, code, points): &(&str, &str, &str, &str, &str)| {
        feature(line, operator, &format!(r#","N02_005":"{name}","N02_005c":{code},"N02_005g":{code}"#), points)
    };
    let stations = collection(stations.iter().map(station).collect());
    let folder = folder(&[("sections.geojson", &sections), ("stations.geojson", &stations)]);
    let (sections, stations) = (folder.path().join("sections.geojson"), folder.path().join("stations.geojson"));
    let options = Options { id: Some("test"), ..Options::default() };
    imported(Source::N02 { sections: &sections, stations: &stations }, &options).unwrap()
}

#[test]
fn lines_with_one_name_are_told_apart_by_their_operators() {
    let track = "[135,35],[135.02,35]";
    let (west, east) = ("[135,35],[135.0002,35]", "[135.0198,35],[135.02,35]");
    let (network, summary) = n02(
        &[
            ("東西線", "甲鉄道", track),
            ("東西線", "乙鉄道", track),
            ("南北線", "甲鉄道", track),
            ("無駅線", "甲鉄道", track),
        ],
        &[
            ("東西線", "甲鉄道", "西", "1", west),
            ("東西線", "甲鉄道", "東", "2", east),
            ("東西線", "乙鉄道", "西", "1", west),
            ("東西線", "乙鉄道", "東", "2", east),
            ("南北線", "甲鉄道", "西", "1", west),
            ("南北線", "甲鉄道", "東", "2", east),
            ("無駅線", "甲鉄道", "西", "1", west),
            ("空線", "甲鉄道", "西", "1", west),
            ("空線", "甲鉄道", "東", "2", east),
        ],
    );
    assert_eq!(runs(&network).into_keys().collect::<Vec<_>>(), ["乙鉄道東西線", "南北線", "甲鉄道東西線"]);
    assert_eq!(
        network.stations.iter().map(|station| station.code.get()).collect::<Vec<_>>(),
        [1, 2],
        "codes may be numbers"
    );
    let told = summary.to_string();
    assert!(told.contains("2 left out: lines without track or without two stations: 無駅線, 空線\n"), "{told}");
    assert!(!told.contains("false edges"), "{told}");
}

#[test]
fn a_station_is_in_the_middle_of_its_platform() {
    let lon = |points: &str| {
        let stations = [("線", "甲", "西", "1", points), ("線", "甲", "東", "2", "[135.02,35],[135.0202,35]")];
        let (network, _) = n02(&[("線", "甲", "[135,35],[135.03,35]")], &stations);
        network.stations[0].lon
    };
    for (points, middle) in [
        ("[135,35],[135.002,35]", 135.001),
        ("[135,35],[135.0015,35],[135.002,35]", 135.0015),
        ("[135,35],[135.0001,35],[135.0003,35],[135.002,35]", 135.0002),
    ] {
        assert!((lon(points) - middle).abs() < 1e-7, "{points}: {}", lon(points));
    }
}

/// A ring 甲 乙 丙, an open line 甲 丁 戊 己, and 庚 on a line of its own.
fn ring() -> String {
    export(&[
        (11302, "環状線", &[(1, 1, "甲", 35.0, 139.0), (2, 2, "乙", 35.02, 139.0), (3, 3, "丙", 35.01, 139.02)]),
        (
            4,
            "支線",
            &[
                (11, 1, "甲", 35.0, 139.0),
                (5, 5, "丁", 34.98, 139.0),
                (6, 6, "戊", 34.96, 139.0),
                (8, 8, "己", 34.94, 139.0),
            ],
        ),
        (7, "他線", &[(9, 9, "庚", 35.01, 139.01), (10, 10, "辛", 35.03, 139.01)]),
    ])
}

#[test]
fn a_station_is_inserted_between_neighbours_in_either_order_and_into_the_closing_edge_of_a_ring() {
    let inserted = |line: i64, between: &str| {
        let text =
            format!("format = 1\n[[line]]\ncode = {line}\ninsert = [{{ new = \"庚\", between = [{between}] }}]\n");
        train_data(&ring(), &text).map_err(|error| error.to_string())
    };
    let drawn = |line: i64, name: &str, between: &str| runs(&inserted(line, between).unwrap().0)[name].join("/");
    assert_eq!(drawn(4, "支線", "\"丁\", \"戊\""), "甲 丁 庚 戊 己");
    assert_eq!(drawn(4, "支線", "\"戊\", \"丁\""), "甲 丁 庚 戊 己");
    assert_eq!(drawn(11302, "環状線", "\"丙\", \"甲\""), "甲 乙 丙 庚");
    assert_eq!(drawn(11302, "環状線", "\"甲\", \"丙\""), "甲 乙 丙 庚");
    let told = "corrections.toml:2: line 支線: 己 and 甲 are not neighbours";
    assert_eq!(inserted(4, "\"己\", \"甲\"").unwrap_err(), told, "the ends of an open line are no neighbours");
    let told = "corrections.toml:2: line 環状線: 甲 and 丁 are not neighbours";
    assert_eq!(inserted(11302, "\"甲\", \"丁\"").unwrap_err(), told);
}

#[test]
fn a_loop_of_two_stations_is_not_closed_by_repeating_the_first() {
    let stations = "name,lat,lon\n甲,35.0,139.0\n乙,35.0,139.1\n丁,35.2,139.0\n戊,35.2,139.1\n己,35.3,139.0\n";
    let lines = "name,loop,stations\n環,true,甲 乙\n環,true,丁 戊 己\n";
    let area = BoundingBox::new([138.0, 34.0, 140.0, 35.25]).ok();
    let (network, _) = csv(stations, lines, &Options { id: Some("x"), area, ..Options::default() }).unwrap();
    assert_eq!(runs(&network)["環"], ["甲 乙", "丁 戊"]);
}

#[test]
fn the_rows_of_one_line_agree_on_its_name_and_on_its_loop() {
    let stations = "name,lat,lon\n甲,35.0,139.0\n乙,35.0,139.1\n丙,35.1,139.0\n";
    let told = |lines: &str| {
        let lines = format!("code,name,loop,stations\n{lines}");
        csv(stations, &lines, &Options { id: Some("x"), ..Options::default() }).map_err(|error| error.to_string())
    };
    assert!(told("1,線,,甲 乙\n1,線,no,乙 丙\n").is_ok());
    let named = "lines.csv:3: line '別' is named '線' or closed otherwise before";
    assert_eq!(told("1,線,,甲 乙\n1,別,,乙 丙\n").unwrap_err(), named);
    let closed = "lines.csv:3: line '線' is named '線' or closed otherwise before";
    assert_eq!(told("1,線,,甲 乙\n1,線,yes,乙 丙\n").unwrap_err(), closed);
}

#[test]
fn a_dictionary_is_read_from_a_file_and_each_reading_counts_once() {
    let text = "おつ /乙/\nきのと /乙/\nおつ /乙/\nこう /甲/\nこうえき /甲駅/\nえき /丙駅/\n";
    let folder = folder(&[("dictionary", text)]);
    let mut readings = Readings::default();
    readings.open(&folder.path().join("dictionary")).unwrap();
    assert_eq!(readings.candidates("乙"), ["おつ", "きのと"]);
    assert_eq!((readings.candidates("甲"), readings.candidates("丙")), (vec!["こう".to_owned()], Vec::new()));
    assert_eq!(readings.candidates("JR甲"), ["じぇいあーるこう"]);
    assert!(readings.open(&folder.path().join("missing")).is_err());
}

#[test]
fn a_name_without_a_settled_reading_is_listed_once() {
    let rows = [(1, 1, "乙", 35.0, 139.0), (2, 2, "丙", 35.02, 139.0), (3, 3, "乙", 35.04, 139.0)];
    let (mut network, _) = train_data(&export(&[(1, "線", &rows)]), "format = 1\n").unwrap();
    let names: Vec<_> = Readings::default().fill_missing(&mut network).into_iter().map(|name| name.name).collect();
    assert_eq!(names, ["乙@東京都", "丙@東京都"]);
}

#[test]
fn a_network_file_has_at_most_64_mib() {
    let mut text = "format = 1\nid = \"x\"\nname = \"X\"\n#".to_owned();
    text.push_str(&" ".repeat(file::MAX_BYTES - text.len()));
    assert!(file::read(&text).is_ok());
    text.push(' ');
    let error = file::read(&text).unwrap_err().to_string();
    assert!(error.contains("it has 67108865 bytes; a network file has at most 67108864"), "{error}");
}

#[test]
fn a_stop_at_zero_is_an_error_until_its_position_is_corrected() {
    let folder = folder(&[
        ("routes.txt", "route_id,route_type\nA,1\n"),
        ("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\na,A,52.5,13.4\nb,B,0,0\nc,C,52.5,13.5\n"),
        ("trips.txt", "route_id,trip_id\nA,1\n"),
        ("stop_times.txt", "trip_id,stop_sequence,stop_id\n1,1,a\n1,2,b\n1,3,c\n"),
    ]);
    let read = |text: &str| {
        let corrections = Corrections::read("c.toml", text).unwrap();
        let options = Options { id: Some("x"), corrections: Some(&corrections), ..Options::default() };
        let source = Source::Gtfs { path: folder.path(), filter: &RouteFilter::default() };
        imported(source, &options).map_err(|error| error.to_string())
    };
    let told = read("format = 1\n").unwrap_err();
    assert!(told.contains("stop b B is at latitude 0, longitude 0"), "{told}");
    assert!(told.contains("[position]"), "{told}");
    assert!(read("format = 1\n[position]\nB = [52.5, 13.45]\n").is_ok());
    let table = "name,lat,lon\nA,0.1,0\nB,0,0\n";
    let options = Options { id: Some("x"), ..Options::default() };
    assert!(csv(table, "name,stations\nL,A B\n", &options).is_ok(), "a place that does not exist");
}

#[test]
fn a_station_far_from_all_of_its_neighbours_is_noted() {
    let notes = |rows: [&str; 5]| {
        let stations = format!("name,lat,lon\n{}\n", rows.join("\n"));
        let options = Options { id: Some("x"), ..Options::default() };
        let (_, summary) = csv(&stations, "name,stations\nL,A B C D E\n", &options).unwrap();
        let told = summary.to_string();
        told.lines().filter(|line| line.contains("note:")).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let good = ["A,52.5,13.4", "B,52.5,13.41", "C,52.5,13.42", "D,52.5,13.43", "E,52.5,13.44"];
    assert!(notes(good).is_empty());
    for (at, exchanged) in [(0, "A,13.4,52.5"), (2, "C,13.42,52.5"), (3, "D,13.43,52.5")] {
        let mut rows = good;
        rows[at] = exchanged;
        let told = notes(rows);
        assert_eq!(told.len(), 1, "{told:?}");
        let name = &exchanged[..1];
        assert!(told[0].starts_with(&format!("note: station {name} is at 13.4")), "{told:?}");
        assert!(told[0].contains("km from its neighbours; latitude and longitude seem to be exchanged"), "{told:?}");
    }
    let told = notes(["A,-52.5,13.4", good[1], good[2], good[3], good[4]]);
    assert!(told.len() == 1 && !told[0].contains("exchanged"), "{told:?}");
    // Flights are far from each other.
    assert!(notes(["A,50,10", "B,30,30", "C,10,60", "D,0,100", "E,40,140"]).is_empty());
}

#[test]
fn a_colour_that_all_lines_of_a_feed_have_is_replaced_unless_it_is_kept() {
    let routes = "route_id,route_type,route_color\nA,1,7BC142\nB,1,7BC142\nC,1,7BC142\n";
    let imported = |routes: &str, text: &str| {
        let folder = folder(&[
            ("routes.txt", routes),
            ("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\na,A,1.0,8.0\nb,B,1.1,8.0\n"),
            ("trips.txt", "route_id,trip_id\nA,1\nB,2\nC,3\n"),
            ("stop_times.txt", "trip_id,stop_sequence,stop_id\n1,1,a\n1,2,b\n2,1,b\n2,2,a\n3,1,a\n3,2,b\n"),
        ]);
        let corrections = Corrections::read("c.toml", text).unwrap();
        let options = Options { id: Some("x"), corrections: Some(&corrections), ..Options::default() };
        let source = Source::Gtfs { path: folder.path(), filter: &RouteFilter::default() };
        let (network, summary) = imported(source, &options).unwrap();
        let colors: BTreeSet<String> = network.lines.into_iter().map(|line| line.color).collect();
        (colors, summary.to_string())
    };
    // Routes of one colour and the same stations form one line, unless their names differ.
    let named = routes.replace("route_color\n", "route_color,route_short_name\n").replace("142\n", "142,X\n");
    let named = ["A", "B", "C"].iter().fold(named, |text, name| text.replacen(",X\n", &format!(",{name}\n"), 1));
    let (colors, told) = imported(&named, "format = 1\n");
    assert!(colors.len() == 3 && !colors.contains("#7bc142"), "{colors:?}");
    assert!(told.contains("note: all 3 lines have the route_color #7bc142"), "{told}");
    let (colors, told) = imported(&named, "format = 1\ncommon_color = \"keep\"\n");
    assert_eq!(colors.into_iter().collect::<Vec<_>>(), ["#7bc142"]);
    assert!(!told.contains("note:"), "{told}");
    let (colors, _) = imported(&named.replacen("7BC142", "7BC143", 1), "format = 1\n");
    assert_eq!(colors.into_iter().collect::<Vec<_>>(), ["#7bc142", "#7bc143"]);
}

#[test]
fn stations_without_a_name_or_a_line_are_noted() {
    let folder = folder(&[
        ("routes.txt", "route_id,route_type\nA,1\n"),
        ("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\nb7, ,1.1,8.0\na,A,1.0,8.0\nb,,1.2,8.0\nunused,,2,8\n"),
        ("trips.txt", "route_id,trip_id\nA,1\n"),
        ("stop_times.txt", "trip_id,stop_sequence,stop_id\n1,1,a\n1,2,b7\n1,3,b\n"),
    ]);
    let options = Options { id: Some("x"), ..Options::default() };
    let source = Source::Gtfs { path: folder.path(), filter: &RouteFilter::default() };
    let told = imported(source, &options).unwrap().1.to_string();
    assert!(
        told.contains("note: 2 stations without a stop_name, which are called by their stop_id: b, b7\n"),
        "{told}"
    );
    let stations = "name,lat,lon\nA,1,8\nB,1,8.1\nLost,1,8.2\n";
    let (network, summary) = csv(stations, "name,stations\nL,A B\n", &options).unwrap();
    assert_eq!(network.stations.len(), 3);
    assert!(summary.to_string().contains("note: 1 stations on no line: Lost\n"), "{summary}");
}
