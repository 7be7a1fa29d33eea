//! Which trips of a feed are drawn, and which routes are one line.

use std::fmt::Write as _;

use kaisatsu_transit::{Error, Network, Options, RouteFilter, ServiceProfile, Source, Summary};

use crate::common::{folder, imported, runs};

const STOPS: &str = "stop_id,stop_name,stop_lat,stop_lon\na,A,0.00,8.0\nb,B,0.01,8.0\nc,C,0.02,8.0\nd,D,0.03,8.0\n\
    e,E,0.04,8.0\n";
const CALENDAR: &str = "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n\
    work,1,1,1,1,1,0,0,20261102,20261127\nrest,0,0,0,0,0,1,1,20261102,20261127\n";

/// A trip: its route, its service, the hour at which it begins, and its stops, ten minutes apart.
type Trip<'a> = (&'a str, &'a str, u32, &'a str);

fn read(
    routes: &str,
    trips: &[Trip<'_>],
    more: &[(&str, &str)],
    service: ServiceProfile,
) -> Result<(Network, Summary), Error> {
    let mut list = "route_id,service_id,trip_id\n".to_owned();
    let mut times = "trip_id,stop_sequence,stop_id,departure_time\n".to_owned();
    for (at, (route, service, hour, stops)) in trips.iter().enumerate() {
        writeln!(list, "{route},{service},{at}").unwrap();
        for (order, stop) in stops.split_whitespace().enumerate() {
            writeln!(times, "{at},{order},{stop},{hour}:{order}0:00").unwrap();
        }
    }
    let routes = format!("route_id,route_short_name,route_long_name,route_type,route_color\n{routes}");
    let mut files =
        vec![("routes.txt", routes.as_str()), ("stops.txt", STOPS), ("trips.txt", &list), ("stop_times.txt", &times)];
    files.extend(more);
    let filter = RouteFilter { service, ..RouteFilter::default() };
    let options = Options { id: Some("city"), ..Options::default() };
    imported(Source::Gtfs { path: folder(&files).path(), filter: &filter }, &options)
}

fn drawn(trips: &[Trip<'_>], service: ServiceProfile) -> Vec<String> {
    runs(&read("X,X,,1,\n", trips, &[("calendar.txt", CALENDAR)], service).unwrap().0)["X"].clone()
}

#[test]
fn a_train_that_stops_everywhere_at_night_is_an_express_by_day() {
    let trips = [
        ("X", "work", 8, "a c e"),
        ("X", "work", 17, "e c a"),
        ("X", "work", 1, "a b c d e"),
        ("X", "rest", 9, "a b e"),
    ];
    assert_eq!(drawn(&trips, ServiceProfile::Daytime), ["A C E"]);
    assert_eq!(drawn(&trips, ServiceProfile::Weekday), ["A B C D E"]);
    assert_eq!(drawn(&trips, ServiceProfile::Weekend), ["A B E"]);
    assert_eq!(drawn(&trips, ServiceProfile::Night), ["A B C D E"]);
    assert_eq!(drawn(&trips, ServiceProfile::All), ["A B C D E"]);
}

#[test]
fn days_are_counted_and_exceptions_with_them() {
    // The express runs on one day, all others on twenty: it is below two percent of the trips.
    let trips =
        [("X", "work", 8, "a b c"), ("X", "work", 9, "a b c"), ("X", "work", 10, "a b c"), ("X", "once", 9, "a c")];
    let dates = "service_id,date,exception_type\nonce,20261104,1\nnever,20261107,1\n";
    let more = [("calendar.txt", CALENDAR), ("calendar_dates.txt", dates)];
    let (network, summary) = read("X,X,,1,\n", &trips, &more, ServiceProfile::Daytime).unwrap();
    assert!(summary.to_string().contains("edges of less than 2%"), "{summary}");
    assert_eq!(runs(&network)["X"][0], "A B C");
    let odd = [("calendar_dates.txt", "service_id,date,exception_type\nonce,someday,1\nwork,20261104,1\n")];
    let (_, summary) = read("X,X,,1,\n", &trips, &odd, ServiceProfile::Daytime).unwrap();
    assert!(summary.to_string().contains("someday at calendar_dates.txt:2"), "{summary}");
}

#[test]
fn a_feed_without_calendars_or_times_is_drawn_whole() {
    let (network, _) = read("X,X,,1,\n", &[("X", "", 12, "a b c")], &[], ServiceProfile::Weekend).unwrap();
    assert_eq!(runs(&network)["X"], ["A B C"]);
}

#[test]
fn trips_that_are_repeated_count_while_they_run() {
    // The times of a repeated trip are relative; its first departure is no time of the day.
    let frequencies = "trip_id,start_time,end_time,headway_secs\n0,06:00:00,22:00:00,600\n1,00:00:00,05:00:00,1800\n";
    let trips = [("X", "work", 0, "a c e"), ("X", "work", 0, "a b c d e")];
    let more = [("calendar.txt", CALENDAR), ("frequencies.txt", frequencies)];
    let drawn = |service| runs(&read("X,X,,1,\n", &trips, &more, service).unwrap().0)["X"].clone();
    assert_eq!(drawn(ServiceProfile::Daytime), ["A C E"]);
    assert_eq!(drawn(ServiceProfile::Night), ["A B C D E"]);
}

#[test]
fn a_service_without_trips_is_an_error_that_says_what_to_do() {
    let trips = [("X", "rest", 8, "a b")];
    let more = [("calendar.txt", CALENDAR)];
    let error = read("X,X,,1,\n", &trips, &more, ServiceProfile::Daytime).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "trips.txt: no trip belongs to the service daytime: choose another with --service");
    let trips = [("X", "rest", 8, "a b"), ("Y", "work", 8, "a b")];
    let (network, summary) = read("X,X,,1,\nY,Y,,1,\n", &trips, &more, ServiceProfile::Daytime).unwrap();
    assert_eq!(runs(&network).into_keys().collect::<Vec<_>>(), ["Y"]);
    assert!(summary.to_string().contains("in the service that is drawn (daytime): X"), "{summary}");
}

#[test]
fn trips_of_one_stop_are_not_blamed_on_the_service() {
    let more = [("calendar.txt", CALENDAR)];
    let error =
        |trips: &[Trip<'_>], service| read("X,X,,1,\n", trips, &more, service).map(|_| ()).unwrap_err().to_string();
    let message = "stop_times.txt: no trip of the routes that are imported has two stops at different stations";
    for service in [ServiceProfile::Daytime, ServiceProfile::All] {
        assert_eq!(error(&[("X", "work", 8, "a"), ("X", "rest", 8, "b b")], service), message);
    }
    // With another service there would be a line.
    let told = error(&[("X", "work", 8, "a"), ("X", "rest", 8, "a b")], ServiceProfile::Daytime);
    assert_eq!(told, "trips.txt: no trip belongs to the service daytime: choose another with --service");
    let told = error(&[("Z", "work", 8, "a b")], ServiceProfile::Daytime);
    assert_eq!(told, "trips.txt: no trip is of a route that is imported");
}

#[test]
fn trips_of_unknown_routes_are_counted() {
    let trips =
        [("X", "", 8, "a b"), ("Y", "", 8, "a b"), ("Z", "", 8, "a b"), ("Z", "", 9, "a b"), ("Q", "", 9, "a b")];
    // Y is a bus, which is known, but not wanted.
    let (_, summary) = read("X,X,,1,\nY,Y,,3,\n", &trips, &[], ServiceProfile::Daytime).unwrap();
    let expected = "3 left out: trips of routes that are not in routes.txt: Z at trips.txt:4, Q at trips.txt:6, …";
    assert!(summary.to_string().contains(expected), "{summary}");
}

#[test]
fn words_choose_a_service() {
    for (profile, word) in ServiceProfile::ALL {
        assert_eq!((word.parse(), profile.word()), (Ok(profile), word));
    }
    let error = "sometimes".parse::<ServiceProfile>().unwrap_err();
    assert_eq!(error, "one of daytime, weekday, weekend, night, all");
}

#[test]
fn routes_for_each_direction_are_one_line() {
    let lines = |routes: &str, trips: &[(&str, &str)]| {
        let trips: Vec<Trip<'_>> = trips.iter().map(|(route, stops)| (*route, "", 9, *stops)).collect();
        let (network, _) = read(routes, &trips, &[], ServiceProfile::Daytime).unwrap();
        runs(&network).into_iter().map(|(name, runs)| format!("{name}: {}", runs.join("/"))).collect::<Vec<_>>()
    };
    let both = [("1", "a b c"), ("2", "c b a")];
    assert_eq!(lines("1,M1,,1,ff0000\n2,M1,,1,ff0000\n", &both), ["M1: A B C"]);
    assert_eq!(lines("1,,Red Line Northbound,1,\n2,,Red Line Southbound,1,\n", &both), ["Red Line: A B C"]);
    assert_eq!(lines("1,,Ayton - Ceeham,1,\n2,,Ceeham - Ayton,1,\n", &both), ["Ayton - Ceeham: A B C"]);
    // Of another colour, or without common stations, they are two lines of one name.
    let apart = [("1", "a b"), ("2", "d e")];
    let (network, _) =
        read("1,M1,,1,\n2,M1,,1,\n", &apart.map(|(r, s)| (r, "", 9, s)), &[], ServiceProfile::Daytime).unwrap();
    assert_eq!(network.lines.len(), 2);
    let (network, _) =
        read("1,M1,,1,ff0000\n2,M1,,1,0000ff\n", &both.map(|(r, s)| (r, "", 9, s)), &[], ServiceProfile::Daytime)
            .unwrap();
    assert_eq!(network.lines.len(), 2);
}
