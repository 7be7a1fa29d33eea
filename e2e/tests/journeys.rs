//! `searchCourse` as a caller sees it.

use kaisatsu_e2e::{RouteMaps, http};
use serde_json::{Value, json};

fn query(parameters: &[(&str, &str)]) -> String {
    let add = |query: String, (name, value): &(&str, &str)| query + "&" + name + "=" + &http::encode(value);
    parameters.iter().fold(String::new(), add)
}

/// The `Route` of each course.
fn routes(maps: &RouteMaps, parameters: &[(&str, &str)]) -> Vec<Value> {
    let courses = maps.found("searchCourse", &query(parameters))["Course"].as_array().unwrap().clone();
    courses.iter().map(|course| course["Route"].clone()).collect()
}

fn number(value: &Value) -> u32 {
    value.as_str().unwrap().parse().unwrap()
}

fn stations(route: &Value) -> Vec<&str> {
    route["Point"].as_array().unwrap().iter().map(|point| point["Station"]["Name"].as_str().unwrap()).collect()
}

/// Minutes of the whole way.
fn minutes(route: &Value) -> u32 {
    ["timeOnBoard", "timeWalk", "timeOther"].iter().map(|key| number(&route[*key])).sum()
}

fn only_strings(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().all(only_strings),
        Value::Object(fields) => fields.values().all(only_strings),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[test]
fn a_direct_ride_has_two_points_and_a_line() {
    let maps = RouteMaps::start();
    let parameters = [("from", "新宿"), ("to", "東京"), ("sort", "transfer"), ("answerCount", "1"), ("gcs", "wgs84")];
    let answer = maps.call("searchCourse", &query(&parameters));
    assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
    assert!(only_strings(&answer.json()), "{}", answer.text());
    let routes = routes(&maps, &parameters);
    let [route] = &routes[..] else { panic!("{routes:?}") };
    assert_eq!(stations(route), ["新宿", "東京"]);
    assert_eq!(
        (&route["transferCount"], &route["timeWalk"], &route["timeOther"]),
        (&json!("0"), &json!("0"), &json!("0"))
    );
    assert!((13..=15).contains(&number(&route["timeOnBoard"])), "the real ride takes 14 minutes: {route}");
    assert!((85..=110).contains(&number(&route["distance"])), "10.3 km: {route}");
    let point = &route["Point"][0];
    assert_eq!(point["Prefecture"], json!({"code": "13", "Name": "東京都"}));
    assert_eq!((&point["GeoPoint"]["gcs"], &point["Station"]["Type"]), (&json!("wgs84"), &json!("train")));
    let line = &route["Line"][0];
    assert_eq!((&line["Name"], &line["Type"]), (&json!("JR中央線快速"), &json!("train")));
    assert!(line["Color"].as_str().unwrap().starts_with('#'));
    let between: Vec<&str> =
        line["Stop"].as_array().unwrap().iter().map(|stop| stop["Station"]["Name"].as_str().unwrap()).collect();
    assert_eq!((between, &line["stopStationCount"]), (vec!["四ツ谷", "御茶ノ水", "神田"], &json!("3")));
    assert_eq!((&line["timeOnBoard"], &line["distance"]), (&route["timeOnBoard"], &route["distance"]));
}

#[test]
fn places_are_names_codes_or_coordinates() {
    let maps = RouteMaps::start();
    let expected = routes(&maps, &[("from", "新宿"), ("to", "東京"), ("gcs", "wgs84")]);
    let code = |at: usize| {
        let points = expected[0]["Point"].as_array().unwrap();
        points[if at == 0 { 0 } else { points.len() - 1 }]["Station"]["code"].as_str().unwrap().to_owned()
    };
    for (from, to) in [
        (code(0), code(1)),
        ("shinjuku".to_owned(), "とうきょう".to_owned()),
        ("新宿駅".to_owned(), "35.6812,139.7661".to_owned()),
    ] {
        for parameters in
            [vec![("from", from.as_str()), ("to", to.as_str())], vec![("viaList", format!("{from}:{to}").as_str())]]
        {
            let parameters = [parameters, vec![("gcs", "wgs84"), ("id", "tokyo")]].concat();
            assert_eq!(routes(&maps, &parameters), expected, "{parameters:?}");
        }
    }
    // Clients send coordinates in lists too, and the Tokyo datum is the default.
    let near = routes(&maps, &[("viaList", "35.6775,139.7702:新宿"), ("sort", "transfer")]);
    assert_eq!(stations(&near[0]), ["東京", "新宿"]);
    let through =
        routes(&maps, &[("from", "新宿"), ("to", "上野"), ("via", "35.6812,139.7661,秋葉原"), ("gcs", "wgs84")]);
    let all: String = through[0].to_string();
    assert!(all.contains("東京") && all.contains("秋葉原"), "{all}");
}

#[test]
fn of_stations_with_one_name_the_one_with_the_best_way_is_meant() {
    let maps = RouteMaps::start();
    let lines = |from: &str, to: &str| {
        let found = routes(&maps, &[("from", from), ("to", to), ("id", "tokyo")]);
        let lines = found[0]["Line"].as_array().unwrap().iter();
        lines.map(|line| line["Name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines("早稲田", "面影橋"), ["都電荒川線"], "the stop of the tram");
    assert_eq!(lines("早稲田", "神楽坂"), ["東京メトロ東西線"], "the station of the subway");
    assert_eq!(lines("面影橋", "早稲田"), ["都電荒川線"]);
    let (status, _, message) = maps.refused("searchCourse", &query(&[("from", "86 St"), ("to", "86 St")]));
    let rule = "query parameter to names 86 St again; a journey has every station once. 6 stations are called so: give \
                the codes of those that are meant";
    assert_eq!((status, message.as_str()), (400, rule));
}

#[test]
fn ways_come_best_first_and_add_up() {
    let maps = RouteMaps::start();
    for (sort, places) in
        [("time", "高円寺:六本木"), ("transfer", "高円寺:六本木"), ("time", "梅田:京都"), ("time", "荻窪:渋谷:上野")]
    {
        let routes = routes(&maps, &[("viaList", places), ("sort", sort)]);
        assert!((2..=5).contains(&routes.len()), "{places}: {}", routes.len());
        let key = |route: &Value| match sort {
            "time" => (minutes(route), 0),
            _ => (number(&route["transferCount"]), minutes(route)),
        };
        assert!(routes.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1]) && pair[0] != pair[1]), "{places}");
        for route in &routes {
            let lines = route["Line"].as_array().unwrap();
            assert_eq!(route["Point"].as_array().unwrap().len(), lines.len() + 1, "{route}");
            let sum = |key: &str, walks: bool| -> u32 {
                lines.iter().filter(|line| (line["Type"] == "walk") == walks).map(|line| number(&line[key])).sum()
            };
            assert_eq!(sum("timeOnBoard", false), number(&route["timeOnBoard"]), "{route}");
            assert_eq!(sum("timeOnBoard", true), number(&route["timeWalk"]), "{route}");
            assert_eq!(sum("distance", false) + sum("distance", true), number(&route["distance"]), "{route}");
            let rides = lines.iter().filter(|line| line["Type"] != "walk").count();
            assert_eq!(number(&route["transferCount"]) as usize + 1, rides.max(1), "{route}");
        }
    }
    assert_eq!(routes(&maps, &[("from", "高円寺"), ("to", "六本木"), ("answerCount", "1")]).len(), 1);
}

#[test]
fn a_walk_between_stations_is_a_line_too() {
    let maps = RouteMaps::start();
    let walk = routes(&maps, &[("from", "梅田"), ("to", "東梅田"), ("id", "kansai"), ("answerCount", "1")]).remove(0);
    let line = &walk["Line"][0];
    assert_eq!((&line["Name"], &line["Type"], &line["Color"]), (&json!("徒歩"), &json!("walk"), &json!("")));
    assert_eq!((&line["Stop"], &line["stopStationCount"]), (&json!([]), &json!("0")));
    assert_eq!((&walk["timeOnBoard"], &walk["timeWalk"]), (&json!("0"), &line["timeOnBoard"]));
}

#[test]
fn a_wrong_request_says_which_rule_it_breaks() {
    let maps = RouteMaps::start();
    for (parameters, status, message) in [
        (&[("from", "新宿")][..], 400, "query parameter to is missing"),
        (&[("viaList", "新宿")], 400, "query parameter viaList must have 2 to 5 places, separated by :"),
        (
            &[("from", "新宿"), ("to", "Shinjuku")],
            400,
            "query parameter to names 新宿 again; a journey has every station once",
        ),
        (
            &[("viaList", "新宿:東京:新宿")],
            400,
            "query parameter viaList names 新宿 again; a journey has every station once",
        ),
        (
            &[("from", "新宿"), ("to", "東京"), ("via", "神田,上野,品川,渋谷")],
            400,
            "query parameter via must have at most 3 places beside from and to",
        ),
        (&[("from", "新宿"), ("to", "東京"), ("sort", "price")], 400, "query parameter sort must be time or transfer"),
        (
            &[("from", "新宿"), ("to", "東京"), ("answerCount", "6")],
            400,
            "query parameter answerCount must be from 1 to 5",
        ),
        (&[("from", "新宿"), ("to", "東京"), ("gcs", "mars")], 400, "query parameter gcs must be tokyo or wgs84"),
        (
            &[("from", "新宿"), ("to", "95.5,139.6"), ("gcs", "wgs84")],
            400,
            "query parameter to names no place on the earth: 95.5,139.6",
        ),
        (&[("from", "新宿"), ("to", "竜宮")], 404, "query parameter to: no station called 竜宮 is on any map"),
        (
            &[("from", "新宿"), ("to", "梅田"), ("id", "tokyo")],
            404,
            "query parameter to: no station called 梅田 is on this map",
        ),
        (
            &[("from", "新宿"), ("to", "1.5,2.5"), ("gcs", "wgs84")],
            404,
            "query parameter to: no station of any map is within 5 km of 1.5,2.5",
        ),
        (&[("from", "新宿"), ("to", "梅田")], 404, "there is no way between these stations: no map has all of them"),
        (
            &[("from", "新宿"), ("to", "東京"), ("id", "atlantis")],
            404,
            "there is no map of that id; railmapList lists the maps",
        ),
        (&[("from", "South Ferry"), ("to", "Tottenville")], 404, "there is no way between these stations on this map"),
    ] {
        assert_eq!(
            maps.refused("searchCourse", &query(parameters)),
            (status, format!("W{status}"), message.to_owned()),
            "{parameters:?}"
        );
    }
}
