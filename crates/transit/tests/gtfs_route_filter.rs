//! Selects routes of a feed, and reports terms that match none.

use std::fmt::Write as _;

use kaisatsu_transit::{Error, Network, Options, RouteFilter, Source, Summary, import, no_progress};

use crate::common::folder;

const STOPS: &str =
    "stop_id,stop_name,stop_lat,stop_lon\na,Abbey,50.00,8.00\nb,Bridge,50.01,8.00\nc,Castle,50.02,8.00\n";

/// A feed with these routes, each `id,agency_id,route_type`, which stop at all stops.
fn read(agencies: &str, routes: &[&str], filter: &RouteFilter) -> (Result<Network, Error>, Summary) {
    let agencies = format!("agency_id,agency_name\n{agencies}");
    let (mut trips, mut times) = ("route_id,trip_id\n".to_owned(), "trip_id,stop_sequence,stop_id\n".to_owned());
    for route in routes {
        let id = route.split(',').next().unwrap();
        writeln!(trips, "{id},{id}").unwrap();
        writeln!(times, "{id},1,a\n{id},2,b\n{id},3,c").unwrap();
    }
    let routes = format!("route_id,agency_id,route_type\n{}\n", routes.join("\n"));
    let feed = folder(&[
        ("agency.txt", &agencies),
        ("routes.txt", &routes),
        ("stops.txt", STOPS),
        ("trips.txt", &trips),
        ("stop_times.txt", &times),
    ]);
    let mut summary = Summary::default();
    let source = Source::Gtfs { path: feed.path(), filter };
    let options = Options { id: Some("city"), ..Options::default() };
    (import(source, &options, &no_progress, &mut summary), summary)
}

fn imported(agencies: &str, routes: &[&str], filter: &RouteFilter) -> Vec<String> {
    let network = read(agencies, routes, filter).0.unwrap();
    network.lines.into_iter().map(|line| line.name).collect()
}

fn error(agencies: &str, routes: &[&str], filter: &RouteFilter) -> String {
    read(agencies, routes, filter).0.unwrap_err().to_string()
}

fn terms(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn an_error_names_the_options_that_select_the_routes_of_a_feed() {
    let (result, summary) = read("1,Metro\n", &["12,1,3", "13,1,3", "F,1,4"], &RouteFilter::default());
    assert_eq!(
        result.unwrap_err().to_string(),
        "routes.txt: none of its 3 routes is taken: \
         2 routes of a kind that is not wanted (route_type 3: take them with --buses), \
         1 routes of a kind that is not wanted (route_type 4: take them with --ships)"
    );
    // The summary is filled in despite the error.
    let text = summary.to_string();
    assert!(text.contains("3 routes read") && text.contains(": 12, 13"), "{text}");
    assert_eq!(error("1,Metro\n", &[], &RouteFilter::default()), "routes.txt: there is no route in it");
}

#[test]
fn extended_rail_route_types_are_imported() {
    let routes = ["suburban,1,300", "urban,1,400", "metro,1,500", "underground,1,600", "bus,1,700", "taxi,1,1500"];
    assert_eq!(imported("1,Metro\n", &routes, &RouteFilter::default()), ["metro", "suburban", "underground", "urban"]);
}

#[test]
fn routes_without_agency_id_belong_to_the_only_agency() {
    for word in ["1", "Metro"] {
        let filter = RouteFilter { agencies: terms(&[word]), ..RouteFilter::default() };
        assert_eq!(imported("1,Metro\n", &["A,,1"], &filter), ["A"]);
        // With two agencies, a route without an id belongs to neither.
        assert_eq!(imported("1,Metro\n2,Other\n", &["A,,1", "B,1,1"], &filter), ["B"]);
    }
}

#[test]
fn a_term_that_matches_no_route_is_an_error() {
    let routes = ["A,1,1", "B,2,1", "12,1,3"];
    let of = |agencies: &[&str], routes: &[&str]| RouteFilter {
        agencies: terms(agencies),
        routes: terms(routes),
        ..RouteFilter::default()
    };
    let error = |filter: &RouteFilter| error("1,Metro\n2,Other\n", &routes, filter);
    assert_eq!(
        error(&of(&["Metro", "Mtero"], &["A", "AA"])),
        "routes.txt: no route is of an agency with the id or name 'Mtero'; there is Metro, Other\n\
         routes.txt: no route has the id or name 'AA'"
    );
    assert_eq!(error(&of(&["Metro"], &["A", "B"])), "routes.txt: route 'B' is among the routes of other agencies");
    assert_eq!(
        error(&of(&[], &["A", "12"])),
        "routes.txt: route '12' is among the routes of a kind that is not wanted (route_type 3: take them with --buses)"
    );
    assert_eq!(imported("1,Metro\n2,Other\n", &routes, &of(&["1", "Other"], &["A", "B"])), ["A", "B"]);
}

#[test]
fn trains_take_precedence_over_ships_and_ships_over_buses() {
    let kinds = |routes: &[&str]| -> Vec<&str> {
        let filter = RouteFilter { buses: true, ships: true, ..RouteFilter::default() };
        let network = read("1,Metro\n", routes, &filter).0.unwrap();
        network.stations.iter().map(|station| station.kind.word()).collect()
    };
    assert_eq!(kinds(&["1-bus,1,3", "2-train,1,1", "3-ferry,1,4"]), ["train"; 3]);
    assert_eq!(kinds(&["1-bus,1,3", "2-ferry,1,4"]), ["ship"; 3]);
    assert_eq!(kinds(&["1-bus,1,3"]), ["bus"; 3]);
}
