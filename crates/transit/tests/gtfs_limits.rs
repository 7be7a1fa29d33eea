//! The limits of the GTFS importer, at the limit and just past it.

use std::fmt::Write as _;

use kaisatsu_transit::{Error, Network, Options, RouteFilter, Source, Summary};

use crate::common::{folder, imported, runs};

const ROUTES: &str = "route_id,route_type\nA,1\n";

/// Trips of route A, each as a number of equal trips and their stops.
fn trips(patterns: &[(usize, &str)]) -> (String, String) {
    let (mut trips, mut times) = ("route_id,trip_id\n".to_owned(), "trip_id,stop_sequence,stop_id\n".to_owned());
    for (at, (count, stops)) in patterns.iter().enumerate() {
        for number in 0..*count {
            writeln!(trips, "A,{at}-{number}").unwrap();
            for (order, stop) in stops.split_whitespace().enumerate() {
                writeln!(times, "{at}-{number},{order},{stop}").unwrap();
            }
        }
    }
    (trips, times)
}

fn read(files: &[(&str, &str)]) -> Result<(Network, Summary), Error> {
    let filter = RouteFilter { buses: true, ships: true, ..RouteFilter::default() };
    let feed = folder(files);
    imported(Source::Gtfs { path: feed.path(), filter: &filter }, &Options { id: Some("city"), ..Options::default() })
}

/// A network of route A with these stops and patterns.
fn network(stops: &str, patterns: &[(usize, &str)], more: &[(&str, &str)]) -> Network {
    let (trips, times) = trips(patterns);
    let stops = format!("stop_id,stop_name,stop_lat,stop_lon,parent_station\n{stops}");
    let files = [("routes.txt", ROUTES), ("stops.txt", &stops), ("trips.txt", &trips), ("stop_times.txt", &times)];
    read(&[&files[..], more].concat()).unwrap().0
}

#[test]
fn a_trip_has_at_most_65_536_stop_times() {
    let stops = "stop_id,stop_name,stop_lat,stop_lon\na,A,50.0,8.0\nb,B,50.1,8.0\n";
    let feed = |count: usize| {
        let mut times = "trip_id,stop_sequence,stop_id\n".to_owned();
        for order in 0..count {
            writeln!(times, "t,{order},{}", if order % 2 == 0 { "a" } else { "b" }).unwrap();
        }
        read(&[
            ("routes.txt", ROUTES),
            ("stops.txt", stops),
            ("trips.txt", "route_id,trip_id\nA,t\n"),
            ("stop_times.txt", &times),
        ])
    };
    assert!(feed(65_536).is_ok());
    let error = feed(65_537).unwrap_err().to_string();
    assert_eq!(error, "stop_times.txt:65538: trip t has more than 65536 stop times");
}

#[test]
fn an_edge_of_two_percent_of_the_trips_is_kept_and_a_rarer_one_is_not() {
    let stops = "a,A,0.0,8.0,\nb,B,0.1,8.05,\nc,C,0.0,8.1,\n";
    // a–c is not an express edge, because the path through b is twice as long. Each station is on a regular edge.
    let edges = |usual: usize| network(stops, &[(usual, "a b"), (usual, "b c"), (1, "a c")], &[]).edge_count();
    // 1 of 49 trips is more than 2%, 1 of 51 is less.
    assert_eq!((edges(24), edges(25)), (3, 2));
}

#[test]
fn a_station_that_only_rare_trips_serve_is_kept() {
    let stops = "a,A,50.00,8.00,\nb,B,50.01,8.00,\nc,C,50.02,8.00,\n";
    assert_eq!(runs(&network(stops, &[(200, "a b"), (1, "a b c")], &[]))["A"], ["A B C"]);
}

#[test]
fn an_edge_is_an_express_edge_if_a_path_through_others_is_at_most_35_percent_longer() {
    // b lies beside the straight line from a to c, at the given distance in degrees of longitude.
    let edges = |aside: f64| {
        let stops = format!("a,A,0.00,8.0,\nb,B,0.05,{},\nc,C,0.10,8.0,\n", 8.0 + aside);
        network(&stops, &[(10, "a b c"), (10, "a c")], &[]).edge_count()
    };
    // The path through b has a length of 2·√(0.05² + aside²), which is 0.135 for an aside of 0.04534.
    assert_eq!((edges(0.0450), edges(0.0457)), (2, 3));
}

#[test]
fn stops_with_one_name_are_one_station_within_300_metres() {
    let stations = |apart: f64| {
        let stops = format!("a,A,0.0,8.0,\nb1,B,0.1,8.0,\nb2,B,{},8.0,\nc,C,0.2,8.0,\n", 0.1 + apart);
        network(&stops, &[(1, "a b1"), (1, "b2 c")], &[]).stations.len()
    };
    // A degree of latitude is 111,195 m.
    assert_eq!((stations(299.0 / 111_195.0), stations(301.0 / 111_195.0)), (3, 4));
}

#[test]
fn between_stations_with_one_name_the_transfers_of_the_feed_decide() {
    let stops = "a,A,0.0,8.0,\nb,B,0.1,8.0,\nb1,B1,0.1,8.0,b\nd,B,0.1005,8.0,\nd1,B1,0.1005,8.0,d\nc,C,0.2,8.0,\n\
        e,E,0.3,8.0,\nf,F,0.3,8.1,\n";
    let stations = |transfers: &str| {
        let text = format!("from_stop_id,to_stop_id,transfer_type\n{transfers}");
        network(stops, &[(1, "a b1"), (1, "d1 c")], &[("transfers.txt", &text)]).stations.len()
    };
    assert_eq!(stations(""), 3, "without transfers the distance decides");
    assert_eq!(stations("b1,d1,2\n"), 3);
    assert_eq!(stations("d,b,0\n"), 3, "in either direction");
    assert_eq!(stations("e,f,2\n"), 4, "there are transfers, but none between these two");
    assert_eq!(stations("e,f,2\nb1,d1,3\n"), 4, "type 3 forbids the transfer");
}

#[test]
fn trips_do_not_stop_where_nobody_may_get_on_or_off() {
    let stops = "stop_id,stop_name,stop_lat,stop_lon\na,A,50.0,8.0\nb,B,50.1,8.0\nc,C,50.2,8.0\n";
    let feed = |row: &str| {
        let times = format!("trip_id,stop_sequence,stop_id,pickup_type,drop_off_type\nt,1,a,,\n{row}\nt,3,c,,\n");
        let files = [
            ("routes.txt", ROUTES),
            ("stops.txt", stops),
            ("trips.txt", "route_id,trip_id\nA,t\n"),
            ("stop_times.txt", &times),
        ];
        runs(&read(&files).unwrap().0)["A"].clone()
    };
    assert_eq!(feed("t,2,b,1,1"), ["A C"]);
    for row in ["t,2,b,1,0", "t,2,b,0,1", "t,2,b,,"] {
        assert_eq!(feed(row), ["A B C"], "{row}");
    }
}

#[test]
fn every_route_type_has_its_mode_of_transport() {
    let stops = "stop_id,stop_name,stop_lat,stop_lon\na,A,50.0,8.0\nb,B,50.1,8.0\n";
    let kind = |route_type: u16| {
        let routes = format!("route_id,route_type\nA,{route_type}\n");
        let (trips, times) = trips(&[(1, "a b")]);
        let files =
            [("routes.txt", routes.as_str()), ("stops.txt", stops), ("trips.txt", &trips), ("stop_times.txt", &times)];
        read(&files).ok().map(|(network, _)| network.stations[0].kind.word())
    };
    for train in [0, 1, 2, 5, 7, 12, 100, 199, 300, 699, 900, 999, 1400, 1499] {
        assert_eq!(kind(train), Some("train"), "{train}");
    }
    for bus in [3, 11, 200, 299, 700, 899] {
        assert_eq!(kind(bus), Some("bus"), "{bus}");
    }
    for ship in [4, 1000, 1099, 1200, 1299] {
        assert_eq!(kind(ship), Some("ship"), "{ship}");
    }
    for none in [6, 8, 10, 13, 99, 1100, 1199, 1300, 1399, 1500] {
        assert_eq!(kind(none), None, "{none}");
    }
}

#[test]
fn white_and_black_mean_no_colour() {
    let stops = "stop_id,stop_name,stop_lat,stop_lon\na,A,50.0,8.0\nb,B,50.1,8.0\n";
    let color = |color: &str| {
        let routes = format!("route_id,route_type,route_color\nA,1,{color}\n");
        let (trips, times) = trips(&[(1, "a b")]);
        let files =
            [("routes.txt", routes.as_str()), ("stops.txt", stops), ("trips.txt", &trips), ("stop_times.txt", &times)];
        read(&files).unwrap().0.lines[0].color.clone()
    };
    let default = color("");
    assert_eq!((color("FFFFFF"), color("000000"), color("xyz")), (default.clone(), default.clone(), default));
    assert_eq!(color("FFFFFE"), "#fffffe");
}
