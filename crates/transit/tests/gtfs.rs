//! GTFS feeds from a folder and from a zip file, valid and broken.

use std::{
    fmt::Write as _,
    fs,
    io::{Cursor, Write as _},
    path::{Path, PathBuf},
};

use kaisatsu_transit::{Options, RouteFilter, Source};

use crate::common::{folder, gtfs, imported, runs};

const AGENCY: &str = "agency_id,agency_name\n1,Metro\n";
const ROUTES: &str = "\u{feff}\
    route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_nonsense\n\
    A,1,A,\"Airport, and back\",1,FF0000,x\nB,1,12,,3,,\nT,1,,Tram,900,zzz,\n";
const STOPS: &str = "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\n\
    p,Park,50.00,8.00,1,\np1,Park 1,50.0001,8.0001,0,p\np2,Park 2,50.0002,8.0002,0,p\n\
    q,Queen,50.01,8.00,,\nr,River,50.02,8.00,,\ns,Square,50.03,8.00,,\n\
    b,Branch,50.02,8.02,,\nq2,Queen,50.0105,8.0005,,\nx,Entrance,50.0,8.0,2,p\n";

fn trips(calls: &[(&str, &str, &str)]) -> (String, String) {
    let (mut trips, mut times) = ("route_id,trip_id\n".to_owned(), "trip_id,stop_sequence,stop_id\n".to_owned());
    for (trip, route, stops) in calls {
        writeln!(trips, "{route},{trip}").unwrap();
        for (at, stop) in stops.split_whitespace().enumerate() {
            writeln!(times, "{trip},{},{stop}", at * 5).unwrap();
        }
    }
    (trips, times)
}

fn usual() -> (String, String) {
    trips(&[
        ("local", "A", "p1 q r s"),
        ("back", "A", "s r q2 p2"),
        ("express", "A", "p1 r s"),
        ("branch", "A", "p1 q b"),
        ("tram", "T", "q s b q"),
        ("bus", "B", "p q"),
    ])
}

#[test]
fn a_feed_becomes_stations_and_lines() {
    let (trips, times) = usual();
    let files = [
        ("agency.txt", AGENCY),
        ("routes.txt", ROUTES),
        ("stops.txt", STOPS),
        ("trips.txt", &trips),
        ("stop_times.txt", &times),
    ];
    let feed = folder(&files);
    let options = Options { id: Some("city"), ..Options::default() };
    let (network, summary) = gtfs(feed.path(), &options).unwrap();
    let runs = runs(&network);
    // The branch is a separate run, the express adds no edge, and nearby stops with the same name are one station.
    assert_eq!(runs["A Airport, and back"], ["Park Queen River Square", "Branch Queen"]);
    assert_eq!(runs["Tram"], ["Queen Branch Square"]);
    assert!(network.lines.iter().any(|line| line.name == "Tram" && line.is_loop));
    assert_eq!(network.stations.len(), 5);
    assert!(network.lines.iter().any(|line| line.color == "#ff0000"));
    let told = summary.to_string();
    for part in ["3 routes read", "route_type 3", "12", "zzz at routes.txt:4", "6 trips read", "Park–River"] {
        assert!(told.contains(part), "{part}: {told}");
    }

    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(format!("feed/{name}"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    let packed = feed.path().join("feed.zip");
    fs::write(&packed, archive.finish().unwrap().into_inner()).unwrap();
    assert_eq!(gtfs(&packed, &options).unwrap().0, network);

    let filter = RouteFilter { buses: true, routes: vec!["12".to_owned()], ..RouteFilter::default() };
    let (buses, _) = imported(Source::Gtfs { path: &packed, filter: &filter }, &options).unwrap();
    assert_eq!(buses.lines.len(), 1);
    assert_eq!(buses.stations[0].kind.word(), "bus");
}

#[test]
fn interleaved_trips_give_the_same_network() {
    let (trips, times) = usual();
    let mut rows: Vec<&str> = times.lines().collect();
    let header = rows.remove(0);
    rows.sort_by_key(|row| row.bytes().rev().map(u32::from).fold(7, |hash: u32, byte| hash.wrapping_mul(31) + byte));
    let scattered = format!("{header}\n{}\n", rows.join("\n"));
    let read = |times: &str| {
        let feed =
            folder(&[("routes.txt", ROUTES), ("stops.txt", STOPS), ("trips.txt", &trips), ("stop_times.txt", times)]);
        gtfs(feed.path(), &Options { id: Some("city"), ..Options::default() }).unwrap().0
    };
    assert_eq!(read(&scattered), read(&times));
}

#[test]
fn errors_name_the_file_and_the_line() {
    let (trips, times) = usual();
    let bad_order = times.replacen("local,5,q", "local,five,q", 1);
    let bad_place = STOPS.replace("q,Queen,50.01,", "q,Queen,north,");
    let off_earth = STOPS.replace("q,Queen,50.01,", "q,Queen,95.01,");
    let no_type = ROUTES.replace("route_type", "kind");
    let twice = format!("{STOPS}s,Square,50.03,8.00,,\n");
    for (name, text, expected) in [
        ("stop_times.txt", bad_order.as_str(), "stop_times.txt:3: stop_sequence is 'five', which is no number"),
        ("stops.txt", &bad_place, "stops.txt:5: stop_lat is 'north', which is no number"),
        ("stops.txt", &off_earth, "stops.txt:5: stop q: its position is no place on the earth"),
        ("stops.txt", &twice, "stops.txt:11: stop_id s is used before, at line 7"),
        ("routes.txt", &no_type, "routes.txt:1: there is no column route_type"),
    ] {
        let mut files =
            vec![("routes.txt", ROUTES), ("stops.txt", STOPS), ("trips.txt", &trips), ("stop_times.txt", &times)];
        files.retain(|(known, _)| *known != name);
        files.push((name, text));
        let error = gtfs(folder(&files).path(), &Options { id: Some("city"), ..Options::default() }).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let empty = folder(&[("routes.txt", ROUTES)]);
    let error = gtfs(empty.path(), &Options::default()).unwrap_err().to_string();
    assert!(error.ends_with("there is no stops.txt in it"), "{error}");
    let error = gtfs(&empty.path().join("routes.txt"), &Options::default()).unwrap_err().to_string();
    assert!(error.contains("neither a folder nor a zip file"), "{error}");
}

#[test]
fn harmless_mistakes_are_left_out_and_counted() {
    let (trips, mut times) = usual();
    times.push_str("local,40,nowhere\nghost,1,q\n");
    let feed =
        folder(&[("routes.txt", ROUTES), ("stops.txt", STOPS), ("trips.txt", &trips), ("stop_times.txt", &times)]);
    let (_, summary) = gtfs(feed.path(), &Options { id: Some("city"), ..Options::default() }).unwrap();
    assert!(
        summary
            .to_string()
            .contains("1 left out: stop times at stops that are not in stops.txt: nowhere at stop_times.txt:")
    );
}

#[test]
fn nested_parent_stations_are_followed_and_cycles_are_reported() {
    let (trips, times) = trips(&[("one", "A", "e q k m r")]);
    // The parents of e are d, c, b and a. k and l are parents of each other, and k is the parent of m.
    let stops = "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\n\
        a,Deep,50.00,8.00,1,\nb,B,50.0,8.0,,a\nc,C,50.0,8.0,,b\nd,D,50.0,8.0,,c\ne,E,50.0,8.0,,d\n\
        q,Queen,50.01,8.00,,\nk,King,50.02,8.00,,l\nl,Lord,50.02,8.01,,k\nm,Maid,50.03,8.00,,k\nr,River,50.04,8.00,,\n";
    let feed =
        folder(&[("routes.txt", ROUTES), ("stops.txt", stops), ("trips.txt", &trips), ("stop_times.txt", &times)]);
    let (network, summary) = gtfs(feed.path(), &Options { id: Some("city"), ..Options::default() }).unwrap();
    assert_eq!(runs(&network)["A Airport, and back"], ["Deep Queen King Maid River"]);
    assert!(network.stations.iter().all(|station| station.lat.is_finite() && station.lon.is_finite()));
    let told = summary.to_string();
    assert!(told.contains("3 left out: parent_station that leads into a circle"), "{told}");
    assert!(told.contains("k at stops.txt:8, l at stops.txt:9, m at stops.txt:10"), "{told}");
}

/// A zip file with one file of repeated text, which is about a thousand times smaller when compressed.
fn bomb(folder: &Path, file: &str, start: &str, text: &str, bytes: usize) -> PathBuf {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(file, zip::write::SimpleFileOptions::default().large_file(true)).unwrap();
    archive.write_all(start.as_bytes()).unwrap();
    let block = text.repeat((1 << 20) / text.len());
    for _ in 0..bytes / block.len() {
        archive.write_all(block.as_bytes()).unwrap();
    }
    let packed = folder.join("bomb.zip");
    fs::write(&packed, archive.finish().unwrap().into_inner()).unwrap();
    packed
}

#[test]
fn an_overlong_record_is_an_error() {
    let folder = folder(&[]);
    let header = "route_id,route_type\nA,1\n";
    for (start, text, line) in [("", "x", 1), (header, "x", 3), (&format!("{header}\"B,1\n"), "C,1\n", 3)] {
        let packed = bomb(folder.path(), "routes.txt", start, text, 8 << 20);
        let error = gtfs(&packed, &Options::default()).unwrap_err().to_string();
        assert_eq!(error, format!("routes.txt:{line}: a record is over 1 MiB: is a quote not closed?"));
    }
}

#[test]
fn an_overlong_trip_is_an_error() {
    let (trips, mut times) = usual();
    for order in 0..70_000 {
        writeln!(times, "bus,{order},q\nlocal,{order},{}", if order % 2 == 0 { "q" } else { "r" }).unwrap();
    }
    let feed =
        folder(&[("routes.txt", ROUTES), ("stops.txt", STOPS), ("trips.txt", &trips), ("stop_times.txt", &times)]);
    let error = gtfs(feed.path(), &Options::default()).unwrap_err().to_string();
    assert!(error.starts_with("stop_times.txt:1310"), "{error}");
    assert!(error.ends_with(": trip local has more than 65536 stop times"), "{error}");
}

#[test]
fn stops_across_the_antimeridian_are_near_each_other() {
    let stops = "stop_id,stop_name,stop_lat,stop_lon\n\
        a1,Taveuni,-16.8,179.9996\na2,Taveuni,-16.8,-179.9998\nb,Qamea,-16.8,-179.98\nc,Rabi,-16.5,179.98\n";
    let (trips, times) = trips(&[("there", "A", "c a1"), ("on", "A", "a2 b"), ("express", "A", "c b")]);
    let feed =
        folder(&[("routes.txt", ROUTES), ("stops.txt", stops), ("trips.txt", &trips), ("stop_times.txt", &times)]);
    let (network, _) = gtfs(feed.path(), &Options { id: Some("fiji"), ..Options::default() }).unwrap();
    assert_eq!(network.stations.len(), 3);
    let joined = network.stations.iter().find(|station| station.name == "Taveuni").unwrap();
    assert!((joined.lat + 16.8).abs() < 1e-9 && (joined.lon - 179.9999).abs() < 1e-9, "{} {}", joined.lat, joined.lon);
    // The express passes a station on the other side of the antimeridian.
    assert_eq!(network.edge_count(), 2);
}
