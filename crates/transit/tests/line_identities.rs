//! Symbols, operators and station numbers of lines, and tracks of their own.

use kaisatsu_transit::{Corrections, Network, Options, Passes};

use crate::common::{csv, export, folder, gtfs, train_data};

/// Five stations in a row, of which the first two lines share the first three.
fn sample() -> String {
    let row: Vec<(i64, i64, String, f64, f64)> =
        (1..=5).map(|at: i32| (at.into(), at.into(), format!("駅{at}"), 35.0 + f64::from(at) * 0.01, 139.0)).collect();
    let row: Vec<_> = row.iter().map(|(id, gid, name, lat, lon)| (*id, *gid, name.as_str(), *lat, *lon)).collect();
    let ring = [(31, 1, "駅1", 35.01, 139.0), (32, 2, "駅2", 35.02, 139.0), (33, 33, "環", 35.01, 139.02)];
    export(&[(1, "甲本線", &row), (2, "乙支線", &ring)])
}

fn numbers(network: &Network) -> Vec<String> {
    network.stations.iter().map(|station| format!("{} {}", station.name, station.numbers.join(" "))).collect()
}

#[test]
fn stations_between_two_numbers_have_those_in_between() {
    let corrections = "format = 1\noperators = [\"甲\"]\n[[line]]\ncode = 1\nsymbol = \"K\"\n\
        numbers = [[\"駅1\", \"K09\", \"駅3\", \"K11\"], [\"駅5\", \"K20\", \"駅4\", \"K21\"]]\n\
        [[line]]\ncode = 2\nloop = true\noperator = \"乙電鉄\"\nnumbers = [[\"環\", \"R1\", \"駅2\", \"R3\"]]\n";
    let (network, _) = train_data(&sample(), corrections).unwrap();
    assert_eq!(numbers(&network), ["駅1 K09 R2", "駅2 K10 R3", "駅3 K11", "駅4 K21", "駅5 K20", "環 R1"]);
    let lines: Vec<_> = network.lines.iter().map(|line| (line.symbol.as_str(), line.operator.as_str())).collect();
    assert_eq!(lines, [("K", "甲"), ("", "乙電鉄")]);
}

#[test]
fn numbers_that_do_not_fit_the_stations_are_refused() {
    for (list, problem) in [
        (r#"["駅1", "K01", "駅5", "K04"]"#, "3 stations between K01 and K04 do not fit"),
        (r#"["駅1", "K01", "駅2", "J02"]"#, "0 stations between K01 and J02 do not fit"),
        (r#"["駅1", "K01", "駅9", "K09"]"#, "there is no station 駅9"),
        (r#"["駅1"]"#, "they are a station and its number by turns"),
        (r#"["駅1", "K"]"#, "'K' does not end in a number"),
    ] {
        let corrections = format!("format = 1\n[[line]]\ncode = 1\nnumbers = [{list}]\n");
        let error = train_data(&sample(), &corrections).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn short_names_of_routes_are_symbols_and_agencies_are_operators() {
    let feed = folder(&[
        ("agency.txt", "agency_id,agency_name,agency_url,agency_timezone\nx,City Transit,http://x,UTC\n"),
        ("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\na,A,1,1\nb,B,1.01,1\n"),
        (
            "routes.txt",
            "route_id,agency_id,route_short_name,route_long_name,route_type\n1,x,U8,,1\n2,x,Airport Express,,2\n",
        ),
        ("trips.txt", "route_id,service_id,trip_id\n1,d,t\n2,d,u\n"),
        ("stop_times.txt", "trip_id,stop_sequence,stop_id\nt,1,a\nt,2,b\nu,1,a\nu,2,b\n"),
    ]);
    let (network, _) = gtfs(feed.path(), &Options { id: Some("test"), ..Options::default() }).unwrap();
    let lines: Vec<_> = network.lines.iter().map(|line| (line.symbol.as_str(), line.operator.as_str())).collect();
    assert_eq!(lines, [("U8", "City Transit"), ("", "City Transit")]);
}

#[test]
fn a_line_with_a_track_of_its_own_passes_no_station_of_another_line() {
    let stations = "name,lat,lon\na,0.000,8\nb,0.009,8\nc,0.018,8\nd,0.027,8\ne,0.036,8\nf,0.045,8\ng,0.054,8\n";
    let lines = "code,name,stations\n1,local,a b c d e f g\n2,express,a b c e f g\n";
    let passes = |corrections: &str| {
        let corrections = Corrections::read("c.toml", corrections).unwrap();
        let options = Options { id: Some("test"), corrections: Some(&corrections), ..Options::default() };
        let (network, _) = csv(stations, lines, &options).map_err(|error| error.to_string())?;
        let found = Passes::of(&network);
        Ok::<_, String>(network.lines.iter().map(|line| found.edges(line).count()).sum::<usize>())
    };
    assert_eq!(passes("format = 1\n"), Ok(1));
    assert_eq!(passes("format = 1\n[[line]]\ncode = 2\ndirect = [[\"c\", \"e\"]]\n"), Ok(0));
    let error = passes("format = 1\n[[line]]\ncode = 2\ndirect = [[\"a\", \"e\"]]\n").unwrap_err();
    assert!(error.contains("direct: a and e are no neighbours"), "{error}");
}

#[test]
fn a_line_may_say_what_it_passes_where_no_other_line_tells_it() {
    // The fast line leaves the track of the local one at c for x, where nothing else stops at both.
    let stations = "name,lat,lon\na,0.000,8\nb,0.009,8\nc,0.018,8\nd,0.027,8\nx,0.027,8.009\n";
    let lines = "code,name,stations\n1,local,a b c d\n2,fast,a x\n";
    let passes = |along: &str| {
        let corrections = format!("format = 1\n[[line]]\ncode = 2\nalong = {along}\n");
        let corrections = Corrections::read("c.toml", &corrections).unwrap();
        let options = Options { id: Some("test"), corrections: Some(&corrections), ..Options::default() };
        let (network, _) = csv(stations, lines, &options).map_err(|error| error.to_string())?;
        let name = |code| network.stations.iter().find(|station| station.code == code).unwrap().name.as_str();
        let found = Passes::of(&network);
        let ways = network.lines.iter().flat_map(|line| found.edges(line));
        Ok::<_, String>(ways.map(|way| way.into_iter().map(name).collect::<String>()).collect::<Vec<_>>())
    };
    assert_eq!(passes("[]"), Ok(Vec::new()));
    assert_eq!(passes("[[\"a\", \"b\", \"c\", \"x\"]]"), Ok(vec!["abcx".to_owned()]));
    assert_eq!(passes("[[\"x\", \"c\", \"b\", \"a\"]]"), Ok(vec!["abcx".to_owned()]), "in either direction");
    for (along, problem) in [
        ("[[\"a\", \"b\", \"d\"]]", "along: a and d are no neighbours"),
        ("[[\"a\", \"x\"]]", "along: a way has three stations or more"),
        ("[[\"a\", \"y\", \"x\"]]", "along: there is no station y"),
    ] {
        let error = passes(along).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}
