//! Route maps in several languages, as callers and pages see them.

use kaisatsu_e2e::{RouteMaps, http};
use serde_json::{Value, json};

/// The station of a point, and the rect of its label.
fn station(point: &Value) -> (&str, &Value) {
    let marks = point["MarkCoordinates"].as_array().unwrap();
    let text = marks.iter().find(|mark| mark["isText"] == "true").unwrap();
    (point["Station"]["Name"].as_str().unwrap(), text)
}

#[test]
fn every_operation_answers_in_the_language_that_is_asked_for() {
    let maps = RouteMaps::start();
    let shinjuku = "id=tokyo&stationCode=1130208";
    let plain = maps.call("railmapDetail", shinjuku);
    assert_eq!(maps.call("railmapDetail", &format!("{shinjuku}&language=ja")).body, plain.body);
    let [ja, en, both] = ["ja", "en", "ja-en"].map(|language| {
        let found = maps.found("railmapDetail", &format!("{shinjuku}&language={language}"));
        found["RailMap"]["Point"][0].clone()
    });
    let rects = [&ja, &en, &both].map(|point| station(point).1.clone());
    assert_eq!([&ja, &en, &both].map(|point| station(point).0), ["新宿", "Shinjuku", "新宿"]);
    assert!(rects[0] != rects[1] && rects[1] != rects[2] && rects[0] != rects[2], "each has its own layout: {rects:?}");
    assert_eq!((&en["Station"]["Yomi"], &en["Station"]["code"]), (&json!("しんじゅく"), &json!("1130208")));
    // A layout may be larger than another, and what it answers with is where it is in its picture.
    let list =
        |language: &str| maps.found("railmapList", &format!("id=tokyo&language={language}"))["RailMap"][0].clone();
    assert_eq!(list("ja"), maps.found("railmapList", "id=tokyo")["RailMap"][0]);
    assert_ne!(list("ja")["width"], list("en")["width"]);
    assert!(list("en")["Point"][0]["Station"]["Name"].as_str().unwrap().is_ascii());

    for (query, name) in [("name=shinjuku&language=en", "Shinjuku"), ("name=Shinjuku", "新宿")] {
        assert_eq!(maps.found("station", query)["Point"][0]["Station"]["Name"], name, "{query}");
    }
    let near = maps.found("stationNear", "lati_d=35.681236&longi_d=139.767125&gcs=wgs84&language=en");
    assert_eq!(near["Point"][0]["Station"]["Name"], "Tōkyō");
    let course = maps.found("searchCourse", "from=1130208&to=1130101&id=tokyo&answerCount=1&language=en");
    let route = &course["Course"][0]["Route"];
    assert_eq!((&route["Point"][0]["Station"]["Name"]), &json!("Shinjuku"));
    let line = if route["Line"].is_array() { &route["Line"][0] } else { &route["Line"] };
    assert!(line["Name"].as_str().is_some_and(|name| name.starts_with("JR Chūō")), "{line}");
    assert_eq!((&list("en")["Name"], &list("ja")["Name"]), (&json!("Tokyo"), &json!("東京")));
    let page = maps.server.get("/map/tokyo?language=en").text();
    assert!(page.contains("<title>Tokyo"), "{page}");
}

#[test]
fn a_map_without_translations_answers_with_its_own_names() {
    let maps = RouteMaps::start();
    let plain = maps.call("railmapDetail", "id=new-york&x=0&y=0&width=500&height=500");
    for language in ["ja", "en", "ja-en"] {
        let query = format!("id=new-york&x=0&y=0&width=500&height=500&language={language}");
        assert_eq!(maps.call("railmapDetail", &query).body, plain.body, "{language}");
    }
}

#[test]
fn an_unknown_language_is_a_clear_error() {
    let maps = RouteMaps::start();
    let rule = "query parameter language must be ja, en or ja-en";
    for (operation, query) in [
        ("railmapDetail", "id=tokyo"),
        ("railmapList", "id=tokyo"),
        ("railmapData", "id=tokyo&width=9&height=9"),
        ("station", "name=a"),
        ("stationNear", "lati_d=35&longi_d=139"),
        ("searchCourse", "from=1130208&to=1130101"),
    ] {
        for bad in ["de", "EN", "en,ja"] {
            let answer = maps.call(operation, &format!("{query}&language={bad}"));
            let error = json!({"code": "W400", "Message": rule});
            assert_eq!((answer.status, &answer.json()["ResultSet"]["Error"]), (400, &error), "{operation} {bad}");
        }
    }
    let page = maps.server.get("/map/tokyo?language=de");
    assert_eq!((page.status, page.text()), (400, format!("{rule}\n")));
}

#[test]
fn pictures_and_tiles_of_languages_have_tags_of_their_own() {
    let maps = RouteMaps::start();
    let window = "id=tokyo&x=1200&y=1200&width=300&height=300";
    let pictures = ["ja", "en", "ja-en"].map(|language| {
        let picture = maps.call("railmapData", &format!("{window}&language={language}"));
        assert_eq!(picture.status, 200);
        (picture.header("etag").unwrap().to_owned(), picture.body)
    });
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2] && pictures[0] != pictures[2]);
    assert_eq!(maps.call("railmapData", window).header("etag"), Some(pictures[0].0.as_str()));

    let data = |query: &str| maps.server.get(&format!("/map/tokyo/data.json{query}")).json();
    let (ja, en) = (data(""), data("?language=en"));
    assert_eq!((&ja["language"], &en["language"]), (&json!("ja"), &json!("en")));
    assert_eq!(ja["languages"], json!(["ja", "en", "ja-en"]));
    let yamanote = |data: &Value| {
        let lines = data["lines"].as_array().unwrap();
        let line = lines.iter().find(|line| line["code"] == 11302).unwrap();
        [&line["name"], &line["translation"]].map(|name| name.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(yamanote(&ja), ["JR山手線", "JR Yamanote Line"]);
    assert_eq!(yamanote(&en), ["JR Yamanote Line", "JR山手線"]);
    let tag = |data: &Value| data["tag"].as_str().unwrap().to_owned();
    assert_ne!(tag(&ja), tag(&en));
    let tile = |tag: &str, query: &str| maps.server.get(&format!("/map/tokyo/{tag}/light/3/2/2.png{query}"));
    assert_eq!((tile(&tag(&ja), "").status, tile(&tag(&en), "?language=en").status), (200, 200));
    assert_eq!(tile(&tag(&en), "").status, 404, "the tag of another language");
    assert_ne!(tile(&tag(&ja), "").body, tile(&tag(&en), "?language=en").body);
    let station = maps.server.get("/map/tokyo/station/1130208.json?language=en").json();
    assert_eq!(station["wgs84"]["ResultSet"]["RailMap"]["Point"][0]["Station"]["Name"], "Shinjuku");
}

#[test]
fn names_are_found_as_people_type_them() {
    let maps = RouteMaps::start();
    for (written, name) in [
        ("shinjuku", "新宿"),
        ("東京駅", "東京"),
        ("四谷", "四ツ谷"),
        ("御茶の水", "御茶ノ水"),
        ("霞が関", "霞ケ関"),
        ("自由ヶ丘", "自由が丘"),
    ] {
        let encoded = http::encode(written);
        let found = maps.found("railmapDetail", &format!("id=tokyo&stationName={encoded}"));
        let points = found["RailMap"]["Point"].as_array().unwrap();
        assert_eq!((points.len(), &points[0]["Station"]["Name"]), (1, &json!(name)), "{written}");
        let found = maps.found("station", &format!("id=tokyo&name={encoded}"));
        assert_eq!(found["Point"][0]["Station"]["Name"], name, "{written}");
    }
    let line = maps.found("railmapDetail", &format!("id=tokyo&stationName={}", http::encode("山手線")));
    assert_eq!(line["RailMap"]["Point"].as_array().unwrap().len(), 30);
    let unknown = maps.call("railmapDetail", "id=tokyo&stationName=zqx");
    assert_eq!(unknown.status, 404);
    // A journey begins at a station, not at the first one of a line.
    let line = http::encode("山手線");
    assert_eq!(maps.call("searchCourse", &format!("from={line}&to=1130101")).status, 404);
}
