//! Bad requests and the exact answer to each: the page to read before writing a client.

use kaisatsu_e2e::{Backend, Database, Server, http, make_key, on_every_backend};
use serde_json::json;

on_every_backend![route_map_table, recognition_table, a_disabled_key, too_often];

const WHOLE: &str = "must be a whole number from 1 to 500, in the digits 0-9";
const RANGE: &str = "must be from 1 to 500";
const MISSING_KEY: &str = "query parameter APIKEY is missing; the key goes there, or into a header: Authorization: \
                           Bearer KEY or X-API-Key: KEY";
const NO_KEY: &str = "query parameter APIKEY is not a key of this server; `kaisatsu key create` makes one";
const UNKNOWN: &str = "there is no such operation; /docs lists those there are";
const METHOD: &str = "the method is not one this operation has; the header Allow lists them";

fn start(backend: Backend, args: &[&str]) -> (Database, String, Server) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, args);
    (database, key, server)
}

#[expect(clippy::too_many_lines, reason = "a table is as long as it is")]
fn route_map_table(backend: Backend) {
    let (_database, key, server) = start(backend, &[]);
    let width = |value: &str| format!("railmapDetail?APIKEY=KEY&id=tokyo&width={value}&height=5");
    let empty = "is empty; leave it out or give it a value";
    let table: Vec<(String, u16, String)> = [
        // The range 1 to 500, and the form of a whole number.
        (width("0"), 400, format!("query parameter width {RANGE}")),
        (width("501"), 400, format!("query parameter width {RANGE}")),
        (width("-1"), 400, format!("query parameter width {RANGE}")),
        (width("18446744073709551617"), 400, format!("query parameter width {RANGE}")),
        (width("1.5"), 400, format!("query parameter width {WHOLE}")),
        (width("1e2"), 400, format!("query parameter width {WHOLE}")),
        (width("+5"), 400, format!("query parameter width {WHOLE}")),
        (width("%2B5"), 400, format!("query parameter width {WHOLE}")),
        (width("%EF%BC%95"), 400, format!("query parameter width {WHOLE}")),
        (width("%205"), 400, format!("query parameter width {WHOLE}")),
        (width("0x10"), 400, format!("query parameter width {WHOLE}")),
        (width(""), 400, format!("query parameter width {empty}")),
        (width("5&width=5"), 400, "query parameter width is given more than once".into()),
        (width("%ff"), 400, "query parameter width is not URL-encoded UTF-8".into()),
        (width("5%"), 400, "query parameter width is not URL-encoded UTF-8".into()),
        ("railmapDetail?APIKEY=KEY&id=tokyo&width=5&height=501".into(), 400, format!("query parameter height {RANGE}")),
    ]
    .into_iter()
    .chain(
        [
            // Parameters that belong together.
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&width=5",
                400,
                "query parameter height is missing; it is required when width is given",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&height=5",
                400,
                "query parameter width is missing; it is required when height is given",
            ),
            // Parameters that exclude each other.
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationName=a&stationCode=1",
                400,
                "query parameters stationName and stationCode exclude each other: give one of them",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationName=a&x=1",
                400,
                "query parameters stationName and x exclude each other: give one of them",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationName=a&y=1",
                400,
                "query parameters stationName and y exclude each other: give one of them",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationCode=1&width=1",
                400,
                "query parameters stationCode and width exclude each other: give one of them",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationCode=1&height=",
                400,
                "query parameters stationCode and height exclude each other: give one of them",
            ),
            // Coordinates and codes.
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&x=1.5",
                400,
                "query parameter x must be a whole number from -2147483648 to 2147483647, in the digits 0-9",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&y=2147483648",
                400,
                "query parameter y must be from -2147483648 to 2147483647",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationCode=0",
                400,
                "query parameter stationCode must be from 1 to 4294967295",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationCode=abc",
                400,
                "query parameter stationCode must be a whole number from 1 to 4294967295, in the digits 0-9",
            ),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationCode=99999999999999999999",
                400,
                "query parameter stationCode must be from 1 to 4294967295",
            ),
            ("railmapDetail?APIKEY=KEY&id=tokyo&stationName=+", 400, "query parameter stationName holds no name"),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationName=%E9%AB",
                400,
                "query parameter stationName is not URL-encoded UTF-8",
            ),
            ("railmapDetail?APIKEY=KEY&id=tokyo&gcs=wgs72", 400, "query parameter gcs must be tokyo or wgs84"),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&gcs=",
                400,
                "query parameter gcs is empty; leave it out or give it a value",
            ),
            // The map and the station.
            ("railmapDetail?APIKEY=KEY", 400, "query parameter id is missing"),
            ("railmapDetail?APIKEY=KEY&id=", 400, "query parameter id is empty; leave it out or give it a value"),
            ("railmapDetail?APIKEY=KEY&id=tokyo&id=tokyo", 400, "query parameter id is given more than once"),
            ("railmapDetail?APIKEY=KEY&id=atlantis", 404, "there is no map of that id; railmapList lists the maps"),
            ("railmapDetail?APIKEY=KEY&id=..%2Ftokyo", 404, "there is no map of that id; railmapList lists the maps"),
            ("railmapDetail?APIKEY=KEY&id=tokyo&stationCode=5", 404, "station code 5 is not on this map"),
            (
                "railmapDetail?APIKEY=KEY&id=tokyo&stationName=Atlantis",
                404,
                "a station of that stationName is not on this map",
            ),
            // The key is checked before every parameter.
            ("railmapDetail?id=tokyo&width=0", 401, MISSING_KEY),
            ("railmapDetail", 401, MISSING_KEY),
            ("railmapDetail?APIKEY=&id=tokyo", 401, "query parameter APIKEY is empty; leave it out or give it a value"),
            ("railmapDetail?APIKEY=KEY&APIKEY=KEY&id=tokyo", 401, "query parameter APIKEY is given more than once"),
            ("railmapDetail?APIKEY=kst_wrong&id=tokyo", 401, NO_KEY),
            ("railmapDetail?apikey=KEY&id=tokyo", 401, MISSING_KEY),
            // Lists.
            ("railmapList?APIKEY=KEY&id=atlantis", 404, "there is no map of that id; leave id out to list the maps"),
            (
                "railmapList?APIKEY=KEY&id=tokyo&stationCode=1",
                400,
                "query parameters id and stationCode exclude each other: give one of them",
            ),
            (
                "railmapList?APIKEY=KEY&stationName=a&stationCode=1",
                400,
                "query parameters stationCode and stationName exclude each other: give one of them",
            ),
            ("railmapList?APIKEY=KEY&stationCode=5", 404, "station code 5 is not on any map"),
            ("railmapList?APIKEY=KEY&gcs=x", 400, "query parameter gcs must be tokyo or wgs84"),
            ("railmapList", 401, MISSING_KEY),
            // The path is checked before everything else.
            ("railmapdetail?APIKEY=KEY&id=tokyo", 404, UNKNOWN),
            ("railmapDetail/more?APIKEY=KEY", 404, UNKNOWN),
            ("railmapDetail//?APIKEY=KEY", 404, UNKNOWN),
            ("", 404, UNKNOWN),
        ]
        .map(|(target, status, message)| (target.to_owned(), status, message.to_owned())),
    )
    .collect();
    for (target, status, message) in table {
        let answer = server.get(&format!("/route_service/v1/{}", target.replace("=KEY", &format!("={key}"))));
        let expected = json!({"ResultSet": {
            "apiVersion": "1.0.0", "engineVersion": env!("CARGO_PKG_VERSION"),
            "Error": {"code": format!("W{status}"), "Message": message},
        }});
        assert_eq!((answer.status, answer.json()), (status, expected), "{target}");
        assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"), "{target}");
        assert!(answer.header("x-request-id").is_some(), "{target}");
    }
    for (method, target) in [("POST", "railmapDetail"), ("PUT", "railmapList"), ("DELETE", "railmapDetail?APIKEY=x")] {
        let answer =
            http::request(server.address, method, &format!("/route_service/v1/{target}"), "Content-Length: 0\r\n");
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET,HEAD,OPTIONS")), "{method} {target}");
        assert_eq!(answer.json()["ResultSet"]["Error"], json!({"code": "W405", "Message": METHOD}));
    }
    assert_eq!(server.get("/route_service/v2/railmapDetail").json()["ResultSet"]["Error"]["code"], json!("W404"));
}

fn recognition_table(backend: Backend) {
    let (_database, key, server) = start(backend, &[]);
    for (method, target, status, code, message) in [
        ("GET", "v1/models", 401, "116", format!("models: {MISSING_KEY}")),
        ("GET", "v1/models?APIKEY=wrong", 401, "116", format!("models: {NO_KEY}")),
        ("GET", "v1/models/?APIKEY=wrong", 401, "116", format!("models: {NO_KEY}")),
        ("GET", "v1/models//?APIKEY=wrong", 404, "101", format!("models: {UNKNOWN}")),
        ("POST", "v1/models?APIKEY=wrong", 405, "302", format!("models: {METHOD}")),
        ("POST", "v1/teleport", 404, "101", format!("teleport: {UNKNOWN}")),
        ("POST", "v1/teleport?APIKEY=wrong", 404, "101", format!("teleport: {UNKNOWN}")),
        ("GET", "v1/userCategory/teleport/", 404, "101", format!("userCategory/teleport: {UNKNOWN}")),
        ("GET", "v2/models", 404, "101", format!("models: {UNKNOWN}")),
        ("GET", "v1/%E5%86%99%E7%9C%9F", 404, "101", format!("imageRecognition: {UNKNOWN}")),
        ("GET", "v1/", 404, "101", format!("imageRecognition: {UNKNOWN}")),
        ("GET", "", 404, "101", format!("imageRecognition: {UNKNOWN}")),
    ] {
        let answer =
            http::request(server.address, method, &format!("/imageRecognition/{target}"), "Content-Length: 0\r\n");
        let expected = json!({"error": {"code": code, "message": message}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{method} {target}");
        assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"), "{target}");
    }
    let good = server.get(&format!("/imageRecognition/v1/models?APIKEY={key}"));
    assert_eq!((good.status, good.json()["tasks"].as_array().map(Vec::len)), (200, Some(5)));
}

#[test]
fn the_content_type_of_a_body_is_judged_before_its_size() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    let target = format!("/imageRecognition/v1/feedback?APIKEY={key}&recognitionId=x&isValid=true");
    let long = format!("{{\"comment\": \"{}\"}}", "a".repeat(70_000));
    for (kind, body, status, code) in [
        ("", &long[..], 415, "105"),
        ("text/plain", &long, 415, "105"),
        ("application/json", &long, 413, "119"),
        ("application/json ; charset=\"utf-8\"", &long, 413, "119"),
        ("application/json;charset=Shift_JIS", "{}", 415, "105"),
        ("application/json; charset=", "{}", 415, "105"),
        ("application/json;charset=UTF-8", "{}", 404, "301"),
        ("", "", 404, "301"),
    ] {
        let answer = http::post(server.address, &target, kind, body.as_bytes());
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (status, &json!(code)), "{kind} {}", body.len());
    }
}

fn a_disabled_key(backend: Backend) {
    let (database, key, server) = start(backend, &[]);
    let home = tempfile::tempdir().unwrap();
    let disabled = kaisatsu_e2e::run(home.path(), &["app", "disable", "tests", "--database", &database.address], &[]);
    assert_eq!(disabled.code, 0, "{}", disabled.err);
    let told = "the API key is disabled; ask the operator, or use another key";
    let route_map = kaisatsu_e2e::eventually("the key is refused", || {
        let answer = server.get(&format!("/route_service/v1/railmapDetail?APIKEY={key}&id=tokyo"));
        (answer.status != 200).then_some(answer)
    });
    assert_eq!(route_map.status, 403);
    assert_eq!(route_map.json()["ResultSet"]["Error"], json!({"code": "W403", "Message": told}));
    let recognition = server.get(&format!("/imageRecognition/v1/models?APIKEY={key}"));
    assert_eq!(recognition.status, 403);
    assert_eq!(recognition.json(), json!({"error": {"code": "201", "message": format!("models: {told}")}}));
}

fn too_often(backend: Backend) {
    let (_database, key, server) = start(backend, &["--rate-limit", "1"]);
    let told = "this API key calls too often; slow down, or ask for a higher limit";
    let refused = kaisatsu_e2e::eventually("the limit is reached", || {
        let answer = server.get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
        (answer.status != 200).then_some(answer)
    });
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["ResultSet"]["Error"], json!({"code": "W429", "Message": told}));
    let recognition = kaisatsu_e2e::eventually("the limit is reached", || {
        let answer = server.get(&format!("/imageRecognition/v1/models?APIKEY={key}"));
        (answer.status != 200).then_some(answer)
    });
    assert_eq!(recognition.json(), json!({"error": {"code": "204", "message": format!("models: {told}")}}));
}
