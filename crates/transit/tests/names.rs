//! Names are tidied, and those that no map could have are refused, whatever the source is.

use std::fs;

use kaisatsu_transit::{Options, Source, file};

use crate::common::{csv, export, folder, gtfs, imported, train_data};

fn options() -> Options<'static> {
    Options { id: Some("net"), ..Options::default() }
}

/// A feed with these names of a stop, a route and an agency.
fn feed(stop: &str, route: &str, agency: &str) -> tempfile::TempDir {
    folder(&[
        ("agency.txt", &format!("agency_id,agency_name\nm,\"{agency}\"\n")),
        ("routes.txt", &format!("route_id,agency_id,route_long_name,route_type\nX,m,\"{route}\",1\n")),
        (
            "stops.txt",
            &format!("stop_id,stop_name,stop_lat,stop_lon\na,\"{stop}\",50,8\nb,Bay Rd,50.1,8\nc,C,50.2,8\n"),
        ),
        ("trips.txt", "route_id,trip_id\nX,1\n"),
        ("stop_times.txt", "trip_id,stop_id,stop_sequence\n1,a,1\n1,b,2\n"),
    ])
}

/// N02 files in which the second station is called so.
fn n02(station: &str) -> Result<Vec<String>, String> {
    let line = r#""N02_003":"線\u202e","N02_004":"社""#;
    let stop = |name: &str, lon: f64| {
        format!(
            r#"{{"type":"Feature","properties":{{{line},"N02_005":"{name}"}},"geometry":{{"type":"LineString","coordinates":[[{lon},35.0],[{},35.0]]}}}}"#,
            lon + 0.001
        )
    };
    let track = format!(
        r#"{{"type":"Feature","properties":{{{line}}},"geometry":{{"type":"LineString","coordinates":[[139.0,35.0],[139.001,35.0],[139.02,35.0],[139.021,35.0]]}}}}"#
    );
    let collection = |features: &str| format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{features}\n]}}");
    let folder = folder(&[
        ("sections", &collection(&track)),
        ("stations", &collection(&format!("{},\n{}", stop("甲", 139.0), stop(station, 139.02)))),
    ]);
    let (sections, stations) = (folder.path().join("sections"), folder.path().join("stations"));
    let network = imported(Source::N02 { sections: &sections, stations: &stations }, &options());
    let network = network.map_err(|error| error.to_string())?.0;
    Ok(network
        .stations
        .into_iter()
        .map(|station| station.name)
        .chain(network.lines.into_iter().map(|l| l.name))
        .collect())
}

#[test]
fn names_lose_what_is_not_seen_and_have_single_spaces() {
    let feed = feed("Al\tpha\u{7}", "Be\u{202e}ta\u{200b} \n Line", " Transit\u{a0}\u{2067}Co");
    let (network, _) = gtfs(feed.path(), &options()).unwrap();
    assert_eq!(network.stations[0].name, "Al pha");
    assert_eq!((network.lines[0].name.as_str(), network.lines[0].operator.as_str()), ("Beta Line", "Transit Co"));
    // A name of nothing else is none.
    fs::write(feed.path().join("stops.txt"), "stop_id,stop_name,stop_lat,stop_lon\na,\u{200b},50,8\nb,B,50.1,8\n")
        .unwrap();
    assert_eq!(gtfs(feed.path(), &options()).unwrap().0.stations[0].name, "a");

    let stations = "name,lat,lon,yomi,translation,formerly\n\"甲\n乙\",35,139,\u{feff}こう,\"Ko\r\nOtsu\",\"古 \u{200b} 名;旧\t名\"\n\
        می\u{200c}رود,35.1,139,,,\n";
    let lines = "name,symbol,operator,translation,stations\n\"本\n線\",A\u{200e},\"社\t名\",Main\u{2060},\"甲\n乙;می\u{200c}رود\"\n";
    let (network, _) = csv(stations, lines, &options()).unwrap();
    let station = network.stations.iter().find(|station| station.yomi == "こう").unwrap();
    assert_eq!((station.name.as_str(), station.translation.as_str()), ("甲 乙", "Ko Otsu"));
    assert_eq!(station.formerly, ["古 名", "旧 名"]);
    let line = &network.lines[0];
    assert_eq!([&line.name, &line.symbol, &line.operator, &line.translation], ["本 線", "A", "社 名", "Main"]);
    assert!(network.stations.iter().any(|station| station.name == "می\u{200c}رود"), "letters that are joined stay so");

    let json = export(&[(7, "本\\n線", &[(1, 1, "甲\\u202e", 35.67, 139.75), (2, 2, "乙  町", 35.67, 139.76)])]);
    let (network, _) = train_data(&json, "format = 1\n").unwrap();
    assert_eq!(network.lines[0].name, "本 線");
    assert_eq!(network.stations.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["甲", "乙 町"]);

    assert_eq!(n02("乙\\t町\\u200b").unwrap(), ["乙 町", "甲", "線"]);
}

#[test]
fn names_that_no_map_could_have_are_refused_with_their_line() {
    let [longest, longer] = [200, 201].map(|count| "駅".repeat(count));
    let told = |feed: tempfile::TempDir| gtfs(feed.path(), &options()).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(told(feed(&longest, &longest, &longest)), Ok(()));
    assert_eq!(
        told(feed(&longer, &longer, &longer)).unwrap_err().lines().collect::<Vec<_>>(),
        [
            "routes.txt:2: the name of the route has 201 characters; at most 200 are taken",
            "routes.txt:2: the name of its agency has 201 characters; at most 200 are taken",
            "stops.txt:2: stop_name has 201 characters; at most 200 are taken",
        ]
    );

    let told = |station: &str, symbol: &str| {
        let stations = format!("name,lat,lon,formerly\n甲,35,139,{station}\n{station},35.1,139,\n丙,35.2,139,\n");
        let lines = format!("name,symbol,operator,stations\n線,{symbol},,甲 丙\n線二,,{station},甲 丙\n");
        csv(&stations, &lines, &options()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(told(&longest, "ABCDEFGHIJKL"), Ok(()));
    assert_eq!(
        told(&longer, "ABCDEFGHIJKLM").unwrap_err().lines().collect::<Vec<_>>(),
        [
            "stations.csv:2: its former name has 201 characters; at most 200 are taken",
            "stations.csv:3: its name has 201 characters; at most 200 are taken",
            "lines.csv:2: its symbol has 13 characters; at most 12 are taken",
            "lines.csv:3: its operator has 201 characters; at most 200 are taken",
        ]
    );

    let json = export(&[(7, "線", &[(1, 1, &longer, 35.67, 139.75), (2, 2, "乙", 35.67, 139.76)])]);
    let error = train_data(&json, "format = 1\n").unwrap_err().to_string();
    assert!(error.contains("its name has 201 characters; at most 200 are taken"), "{error}");
    let error = n02(&longer).unwrap_err();
    assert!(error.ends_with("stations:3: N02_005 (the station) has 201 characters; at most 200 are taken"), "{error}");
}

#[test]
fn what_people_write_has_the_same_limits() {
    let stations = "name,lat,lon\n甲,35,139\n乙,35.1,139\n";
    let (mut network, _) = csv(stations, "name,stations\n線,甲 乙\n", &options()).unwrap();
    assert!(file::write_checked(&network).is_ok());
    network.edition = "x".repeat(201);
    network.credits = "x".repeat(2_001);
    network.stations[0].numbers = vec!["A".repeat(13)];
    network.stations[1].numbers = (0..33).map(|number| format!("A{number}")).collect();
    network.lines[0].translation = "x".repeat(201);
    let error = file::write_checked(&network).unwrap_err();
    let mut messages: Vec<&str> = error.findings.iter().map(|finding| finding.message.as_str()).collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "line 1 線: its translation has 201 characters; at most 200 are taken",
            "station 1 乙: its number has 13 characters; at most 12 are taken",
            "station 2 甲: it has 33 numbers; at most 32 are taken",
            "the edition has 201 characters; at most 200 are taken",
            "the text of the credits has 2001 characters; at most 2000 are taken",
        ]
    );
}
