//! The route map function as a caller sees it, on the real binary and on every database.

use kaisatsu_e2e::{Backend, RouteMaps, http, on_every_backend};
use serde_json::{Value, json};

on_every_backend![
    one_station_by_name_is_answered_exactly,
    the_readme_shows_what_is_answered,
    one_station_by_code_is_the_same_station,
    names_are_found_however_they_are_written,
    a_window_and_its_edges,
    the_whole_map_and_from_a_point_on,
    both_geodetic_systems,
    lists_of_maps,
    every_scalar_is_a_string_and_every_list_an_array,
    head_options_cors_request_ids_and_keep_alive,
];

fn detail(maps: &RouteMaps, query: &str) -> Value {
    maps.found("railmapDetail", &format!("id=tokyo{query}"))["RailMap"].clone()
}

fn names_in(maps: &RouteMaps, query: &str) -> Vec<String> {
    names(&detail(maps, query))
}

fn names(rail_map: &Value) -> Vec<String> {
    let points = rail_map["Point"].as_array().unwrap();
    points.iter().map(|point| point["Station"]["Name"].as_str().unwrap().to_owned()).collect()
}

fn number(value: &Value) -> i64 {
    value.as_str().unwrap().parse().unwrap()
}

fn the_readme_shows_what_is_answered(backend: Backend) {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let (before, example) = readme.split_once("```json\n").unwrap();
    let query = before.rsplit_once("$APIKEY&").unwrap().1.split_once('"').unwrap().0;
    let shown: Value = serde_json::from_str(example.split_once("```").unwrap().0).unwrap();
    let answer = RouteMaps::start_on(backend).call("railmapDetail", &query.replace("高円寺", &http::encode("高円寺")));
    assert_eq!(answer.json(), shown);
}

fn one_station_by_name_is_answered_exactly(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let answer = maps.call("railmapDetail", &format!("id=tokyo&stationName={}", http::encode("高円寺"))).json();
    let marks = &answer["ResultSet"]["RailMap"]["Point"][0]["MarkCoordinates"];
    let (name, mark) = (&marks[0], &marks[1]);
    let edge = |low: bool, axis: &str, size: &str| {
        let (a, b) = (number(&name[axis]), number(&mark[axis]));
        if low { a.min(b) } else { (a + number(&name[size])).max(b + number(&mark[size])) }
    };
    let (x, y) = (edge(true, "x", "width"), edge(true, "y", "height"));
    let expected = json!({"ResultSet": {
        "apiVersion": "1.0.0",
        "engineVersion": env!("CARGO_PKG_VERSION"),
        "RailMap": {
            "id": "tokyo",
            "x": x.to_string(),
            "y": y.to_string(),
            "width": (edge(false, "x", "width") - x).to_string(),
            "height": (edge(false, "y", "height") - y).to_string(),
            "Point": [{
                "Prefecture": {"code": "13", "Name": "東京都"},
                "GeoPoint": {
                    "gcs": "tokyo",
                    "lati": "35.42.7.59", "lati_d": "35.70211",
                    "longi": "139.39.10.89", "longi_d": "139.653027",
                },
                "MarkCoordinates": [
                    {"shape": "rect", "x": name["x"], "y": name["y"], "width": "35", "height": "12",
                     "chamfering": "false", "isText": "true"},
                    {"shape": "rect", "x": mark["x"], "y": mark["y"], "width": mark["width"], "height": mark["height"],
                     "chamfering": "true", "isText": "false"},
                ],
                "Station": {"code": "1131215", "Name": "高円寺", "Yomi": "こうえんじ", "Type": "train"},
            }],
        },
    }});
    assert_eq!(answer, expected);
}

fn one_station_by_code_is_the_same_station(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let by_name = detail(&maps, &format!("&stationName={}", http::encode("高円寺")));
    assert_eq!(detail(&maps, "&stationCode=1131215"), by_name);
    assert_eq!(detail(&maps, "&stationCode=001131215"), by_name);
}

fn names_are_found_however_they_are_written(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let find = |written: &str| names_in(&maps, &format!("&stationName={written}"));
    let teleport = ["東京テレポート"];
    assert_eq!(find(&http::encode("東京テレポート")), teleport);
    assert_eq!(find("東京テレポート"), teleport, "raw UTF-8, not encoded");
    assert_eq!(find(&http::encode("東京テレホ\u{309a}ート")), teleport, "NFD");
    assert_eq!(find(&http::encode("東京ﾃﾚﾎﾟｰﾄ")), teleport, "half-width kana");
    assert_eq!(find(&format!("+{}+", http::encode("東京テレポート"))), teleport, "spaces as plus signs");
    assert_eq!(find(&http::encode("霞ヶ関")), ["霞ケ関"], "the small ヶ");
    assert_eq!(find(&http::encode("羽田空港第３ターミナル")), ["羽田空港第3ターミナル"], "a full-width digit");
    assert_eq!(find(&http::encode("業平橋")), ["とうきょうスカイツリー"], "a former name");
    assert_eq!(find(&http::encode("浅草")), ["浅草", "浅草"], "two stations of one name");
}

fn a_window_and_its_edges(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let koenji = detail(&maps, "&stationCode=1131215");
    let rect = &koenji["Point"][0]["MarkCoordinates"][0];
    let (x, y) = (number(&rect["x"]), number(&rect["y"]));

    let touching = detail(&maps, &format!("&x={}&y={}&width=10&height=10", x - 10, y - 10));
    let shows_koenji = |rail_map: &Value| names(rail_map).iter().any(|name| name == "高円寺");
    assert!(shows_koenji(&touching), "the corner of its mark is the corner of the window");
    assert_eq!(touching["x"], json!((x - 10).to_string()));
    assert_eq!((&touching["width"], &touching["height"]), (&json!("10"), &json!("10")));
    let apart = detail(&maps, &format!("&x={}&y={}&width=9&height=9", x - 10, y - 10));
    assert!(!shows_koenji(&apart), "a pixel is between the window and its mark");

    let corner = detail(&maps, "&width=500&height=500");
    assert_eq!((&corner["x"], &corner["y"]), (&json!("0"), &json!("0")), "x and y count as 0");
    assert_eq!(detail(&maps, "&x=0&y=0&width=500&height=500"), corner);
    let outside = detail(&maps, "&x=-600&y=-600&width=500&height=500");
    assert_eq!(outside["Point"], json!([]), "a window with no station is an empty list");
    let around = detail(&maps, &format!("&x={}&y={}&width=500&height=500", x - 100, y - 100));
    let codes: Vec<i64> = around["Point"].as_array().unwrap().iter().map(|p| number(&p["Station"]["code"])).collect();
    assert!(!codes.is_empty() && codes.is_sorted(), "{codes:?}");
}

fn the_whole_map_and_from_a_point_on(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let whole = detail(&maps, "");
    let (width, height) = (number(&whole["width"]), number(&whole["height"]));
    assert!(names(&whole).len() >= 550);
    assert_eq!(detail(&maps, "&x=0"), whole);

    let rest = detail(&maps, "&x=1500&y=1000");
    assert_eq!((number(&rest["width"]), number(&rest["height"])), (width - 1500, height - 1000));
    let kept = names(&rest);
    assert!(!kept.is_empty() && kept.len() < names(&whole).len());
    let beyond = detail(&maps, "&x=1000000");
    assert_eq!((&beyond["width"], &beyond["Point"]), (&json!("0"), &json!([])));
}

fn both_geodetic_systems(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let place = |query: &str| detail(&maps, &format!("&stationCode=1131215{query}"))["Point"][0]["GeoPoint"].clone();
    let world = json!({"gcs": "wgs84", "lati": "35.42.19.23", "lati_d": "35.705342",
                       "longi": "139.38.59.28", "longi_d": "139.649802"});
    assert_eq!(place("&gcs=wgs84"), world);
    assert_eq!(place("&gcs=tokyo"), place(""));
    assert_eq!(place("")["lati_d"], json!("35.70211"));
}

fn lists_of_maps(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let list = |query: &str| {
        let answer = maps.call("railmapList", query);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["ResultSet"]["RailMap"].clone()
    };
    let all = list("");
    let ids: Vec<&Value> = all.as_array().unwrap().iter().map(|map| &map["id"]).collect();
    assert_eq!(ids, ["kansai", "new-york", "tokyo"]);
    assert_eq!(all[2]["Name"], json!("東京"));
    assert_eq!(names(&all[2]), ["新宿"], "the station at the centre: where most lines meet");
    assert_eq!(list("&id=tokyo"), json!([all[2]]));
    let koenji = list("&stationCode=1131215");
    assert_eq!(names(&koenji[0]), ["高円寺"]);
    assert_eq!(list(&format!("&stationName={}", http::encode("高円寺"))), koenji);
    assert_eq!(list("&stationCode=1131215&gcs=wgs84")[0]["Point"][0]["GeoPoint"]["lati_d"], json!("35.705342"));
}

fn every_scalar_is_a_string_and_every_list_an_array(backend: Backend) {
    fn walk(path: &str, value: &Value) {
        match value {
            Value::String(_) => {}
            Value::Array(items) => items.iter().for_each(|item| walk(path, item)),
            Value::Object(fields) => fields.iter().for_each(|(name, field)| walk(&format!("{path}.{name}"), field)),
            other => panic!("{path} is {other}"),
        }
    }
    let maps = RouteMaps::start_on(backend);
    for query in ["", "&stationCode=1131215", "&x=-600&y=-600&width=1&height=1", "&width=1", "&stationCode=5"] {
        walk("$", &maps.call("railmapDetail", &format!("id=tokyo{query}")).json());
    }
    walk("$", &maps.call("railmapList", "").json());
}

fn head_options_cors_request_ids_and_keep_alive(backend: Backend) {
    let maps = RouteMaps::start_on(backend);
    let to = maps.server.address;
    let target = maps.target("railmapDetail", "id=tokyo&stationCode=1131215");
    let plain = maps.server.get(&target);

    let slashed = target.replace("railmapDetail?", "railmapDetail/?");
    assert_eq!(maps.server.get(&slashed).body, plain.body, "a trailing slash");
    let head = http::request(to, "HEAD", &target, "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), Some(plain.body.len().to_string().as_str()));

    let options = http::request(to, "OPTIONS", "/route_service/v1/railmapDetail", "");
    assert_eq!((options.status, options.header("allow")), (204, Some("GET,HEAD,OPTIONS")));
    let origin = "Origin: https://app.example\r\n";
    let preflight = http::request(
        to,
        "OPTIONS",
        "/route_service/v1/railmapDetail",
        &format!("{origin}Access-Control-Request-Method: GET\r\n"),
    );
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
    assert_eq!(preflight.header("access-control-allow-methods"), Some("GET,HEAD,OPTIONS"));
    assert_eq!(http::request(to, "GET", &target, origin).header("access-control-allow-origin"), Some("*"));

    let given = http::request(to, "GET", &target, "X-Request-Id: my-own.id_7\r\n");
    assert_eq!(given.header("x-request-id"), Some("my-own.id_7"));
    let (one, two) = (maps.server.get(&target), maps.server.get("/nowhere"));
    assert!(one.header("x-request-id").is_some() && one.header("x-request-id") != two.header("x-request-id"));

    let mut connection = http::Connection::open(to);
    for _ in 0..3 {
        connection.request("GET", &target, "");
        assert_eq!(connection.answer(false).unwrap().body, plain.body, "one connection, several requests");
    }
}
