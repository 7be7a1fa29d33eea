//! `station` and `stationNear` as a caller sees them: stations of all maps, without a map.

use kaisatsu_e2e::{RouteMaps, http};
use serde_json::{Value, json};

fn names(found: &Value) -> Vec<&str> {
    found["Point"].as_array().unwrap().iter().map(|point| point["Station"]["Name"].as_str().unwrap()).collect()
}

#[test]
fn clients_page_through_the_stations_of_a_prefecture() {
    let maps = RouteMaps::start();
    // As existing clients ask: how many there are, then one at a random place.
    let first = maps.found("station", "type=train&prefectureCode=13&limit=1");
    let max: usize = first["max"].as_str().unwrap().parse().unwrap();
    assert!(max > 300, "{max}");
    let one = maps.found("station", "type=train&prefectureCode=13&limit=1&offset=37");
    assert_eq!((&one["max"], &one["offset"], names(&one).len()), (&first["max"], &json!("37"), 1));
    let point = &one["Point"][0];
    assert_eq!(point["Prefecture"], json!({"code": "13", "Name": "東京都"}));
    assert_eq!(point["RailMap"][0]["id"], "tokyo");
    assert!(point.get("MarkCoordinates").is_none() && point.get("Distance").is_none(), "{point}");
    let code = point["Station"]["code"].as_str().unwrap();
    assert_eq!(maps.found("station", &format!("code={code}"))["Point"][0], *point);
    // Past the end there is nothing, and no code is no error.
    for query in [format!("prefectureCode=13&offset={}", max + 1), "code=4294967295".to_owned()] {
        assert_eq!(maps.found("station", &query)["Point"], json!([]), "{query}");
    }
    let page: Vec<Value> = (0..2)
        .map(|at| maps.found("station", &format!("prefectureCode=13&limit=100&offset={}", 1 + 100 * at)))
        .collect();
    let codes: Vec<u64> = page
        .iter()
        .flat_map(|page| page["Point"].as_array().unwrap())
        .map(|point| point["Station"]["code"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(codes.len(), 200);
    assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "pages in the order of codes, nothing twice");
}

#[test]
fn a_name_is_found_by_its_beginning_in_any_script() {
    let maps = RouteMaps::start();
    for written in ["新宿", "しんじゅく", "shinjuku", "Shinjuku", "新宿駅"] {
        let found = maps.found("station", &format!("name={}", http::encode(written)));
        assert_eq!(names(&found)[0], "新宿", "{written}");
    }
    let found = maps.found("station", "name=%E6%96%B0%E5%AE%BF");
    assert!(names(&found).contains(&"新宿三丁目"), "{:?}", names(&found));
    let line = maps.found("station", &format!("name={}&id=tokyo", http::encode("山手線")));
    assert!(names(&line).contains(&"渋谷") && line["max"].as_str().unwrap().parse::<u32>().unwrap() >= 29);
    assert_eq!(maps.found("station", "name=zqx")["Point"], json!([]));
}

#[test]
fn the_stations_around_a_place_come_nearest_first() {
    let maps = RouteMaps::start();
    let near = maps.found("stationNear", "lati_d=35.681236&longi_d=139.767125&gcs=wgs84");
    assert_eq!(names(&near)[0], "東京");
    let metres = |point: &Value| point["Distance"].as_str().unwrap().parse::<u32>().unwrap();
    let points = near["Point"].as_array().unwrap();
    assert!(points.len() > 3 && points.windows(2).all(|pair| metres(&pair[0]) <= metres(&pair[1])));
    assert!(metres(points.last().unwrap()) <= 1000, "the radius when none is given");
    assert_eq!((near["offset"].as_str(), &points[0]["GeoPoint"]["gcs"]), (Some("1"), &json!("wgs84")));
    // The same place in the Tokyo datum, which is the default, lies 450 m apart in numbers.
    let tokyo = maps.found("stationNear", "lati_d=35.678001&longi_d=139.770357&limit=1");
    assert_eq!((names(&tokyo)[0], names(&tokyo).len()), ("東京", 1));
    assert!(metres(&tokyo["Point"][0]).abs_diff(metres(&points[0])) <= 2, "{tokyo}");
    assert_eq!(maps.found("stationNear", "lati_d=0&longi_d=0&radius=50000&gcs=wgs84")["Point"], json!([]));
}

#[test]
fn a_wrong_request_says_which_rule_it_breaks() {
    let maps = RouteMaps::start();
    for (operation, query, message) in [
        ("station", "prefectureCode=48", "query parameter prefectureCode must be from 1 to 47"),
        ("station", "type=boat", "query parameter type must be train, plane, ship, bus, walk or strange"),
        ("station", "limit=101", "query parameter limit must be from 1 to 100"),
        ("station", "offset=0", "query parameter offset must be from 1 to 4294967295"),
        ("station", "gcs=mars", "query parameter gcs must be tokyo or wgs84"),
        ("stationNear", "longi_d=139", "query parameter lati_d is missing"),
        ("stationNear", "lati_d=91&longi_d=139", "query parameter lati_d must be from -90 to 90"),
        ("stationNear", "lati_d=1e1&longi_d=139", "query parameter lati_d must be decimal degrees, such as 35.681"),
        ("stationNear", "lati_d=35&longi_d=139&radius=0", "query parameter radius must be from 1 to 50000"),
    ] {
        assert_eq!(maps.refused(operation, query), (400, "W400".to_owned(), message.to_owned()), "{query}");
    }
    assert_eq!(maps.refused("station", "id=atlantis").0, 404);
}
