//! API keys in headers: `Authorization: Bearer KEY` and `X-API-Key: KEY`.

use kaisatsu_e2e::{Answer, Backend, Database, Server, eventually, http, make_key};
use serde_json::{Value, json};

/// One operation of each way that requests reach their handlers: railmapDetail bypasses the router, the others have
/// forms, JSON, bodies or nothing.
const TARGETS: [(&str, &str); 12] = [
    ("GET", "/route_service/v1/railmapDetail?id=tokyo&x=0&y=0"),
    ("HEAD", "/route_service/v1/railmapDetail?id=tokyo&x=0&y=0"),
    ("GET", "/route_service/v1/railmapList"),
    ("GET", "/route_service/v1/railmapData?id=tokyo&width=10&height=10"),
    ("GET", "/route_service/v1/station?limit=1"),
    ("GET", "/route_service/v1/stationNear?lati_d=35.68&longi_d=139.77"),
    ("GET", "/imageRecognition/v1/models"),
    ("GET", "/imageRecognition/v1/feedbackTotals"),
    ("POST", "/imageRecognition/v1/userCategory/getToken"),
    ("POST", "/imageRecognition/v1/userCategory/listImages"),
    ("POST", "/imageRecognition/v1/concept/classify"),
    ("POST", "/imageRecognition/v1/recognize"),
];

fn start(args: &[&str]) -> (Database, String, Server) {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, args);
    (database, key, server)
}

/// Sends a request with an empty body and those header lines.
fn send(server: &Server, method: &str, target: &str, headers: &str) -> Answer {
    http::request(server.address, method, target, &format!("Content-Length: 0\r\n{headers}"))
}

/// The code and the message of a failure, in either format.
fn told(answer: &Answer) -> (String, String) {
    let body = answer.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (route_map, recognition) = (&body["ResultSet"]["Error"], &body["error"]);
    if route_map.is_object() {
        (text(&route_map["code"]), text(&route_map["Message"]))
    } else {
        (text(&recognition["code"]), text(&recognition["message"]))
    }
}

#[test]
fn a_key_in_a_header_is_as_good_as_one_in_the_query() {
    let (_database, key, server) = start(&[]);
    for (method, target) in TARGETS {
        let separator = if target.contains('?') { '&' } else { '?' };
        let in_query = send(&server, method, &format!("{target}{separator}APIKEY={key}"), "");
        assert_ne!((in_query.status, in_query.header("www-authenticate").is_some()), (401, false), "{target}");
        for line in [
            format!("Authorization: Bearer {key}\r\n"),
            format!("authorization: bearer   {key}\r\n"),
            format!("X-API-Key: {key}\r\n"),
            format!("X-API-Key: {key}\r\nAuthorization: Bearer {key}\r\n"),
            format!("Authorization: Basic cHJveHk6c2VjcmV0\r\nX-API-Key: {key}\r\n"),
        ] {
            let answer = send(&server, method, target, &line);
            assert_eq!((answer.status, &answer.body), (in_query.status, &in_query.body), "{method} {target} {line}");
            let both = send(&server, method, &format!("{target}{separator}APIKEY={key}"), &line);
            assert_eq!((both.status, &both.body), (in_query.status, &in_query.body), "the same key twice: {target}");
        }
    }
}

#[test]
fn keys_that_differ_are_refused() {
    let (database, key, server) = start(&[]);
    let other = make_key(&database, "two");
    for (method, target) in TARGETS.into_iter().filter(|(method, _)| *method != "HEAD") {
        let separator = if target.contains('?') { '&' } else { '?' };
        let query = format!("{target}{separator}APIKEY={key}");
        for (target, lines, places) in [
            (query.as_str(), format!("Authorization: Bearer {other}\r\n"), "query parameter APIKEY and header Author"),
            (
                query.as_str(),
                "X-API-Key: wrong\r\n".to_owned(),
                "query parameter APIKEY and header X-API-Key hold diff",
            ),
            (
                target,
                format!("Authorization: Bearer {key}\r\nX-API-Key: {other}\r\n"),
                "header Authorization and header",
            ),
        ] {
            let answer = send(&server, method, target, &lines);
            let (code, message) = told(&answer);
            let expected = if target.starts_with("/route_service") { "W400" } else { "104" };
            assert_eq!((answer.status, code.as_str()), (400, expected), "{target}: {message}");
            assert!(message.contains(places) && !message.contains("kst_"), "{message}");
        }
    }
}

#[test]
fn a_refusal_names_the_place_and_how_to_do_better() {
    let (_database, _key, server) = start(&[]);
    for (target, place) in [("/route_service/v1/railmapList", ""), ("/imageRecognition/v1/models", "models: ")] {
        let missing = send(&server, "GET", target, "");
        assert_eq!((missing.status, missing.header("www-authenticate")), (401, Some("Bearer realm=\"kaisatsu\"")));
        let forms = "query parameter APIKEY is missing; the key goes there, or into a header: Authorization: Bearer \
                     KEY or X-API-Key: KEY";
        assert_eq!(told(&missing).1, format!("{place}{forms}"));
        for (line, name) in [
            ("Authorization: Bearer kst_wrong\r\n", "Authorization"),
            ("Authorization: Bearer\r\n", "Authorization"),
            ("X-API-Key: wrong\r\n", "X-API-Key"),
            ("X-API-Key:\r\n", "X-API-Key"),
        ] {
            let answer = send(&server, "GET", target, line);
            let rule = format!("{place}header {name} is not a key of this server; `kaisatsu key create` makes one");
            assert_eq!((answer.status, told(&answer).1), (401, rule), "{line}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"kaisatsu\""));
        }
    }
    // A user's token and a session of the console are credentials too.
    let signed_out = send(&server, "GET", "/console/api/applications", "");
    assert_eq!((signed_out.status, signed_out.header("www-authenticate").is_some()), (401, true));
}

#[test]
fn a_missing_token_is_answered_with_a_challenge() {
    let (_database, key, server) = start(&[]);
    let line = format!("X-API-Key: {key}\r\n");
    let answer = send(&server, "POST", "/imageRecognition/v1/userCategory/listImages", &line);
    assert_eq!((answer.status, told(&answer).0.as_str()), (401, "117"));
    assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"kaisatsu\""));
}

#[test]
fn a_setting_switches_the_headers_off() {
    let (_database, key, server) = start(&["--key-headers", "false"]);
    let target = "/route_service/v1/railmapList";
    for line in [format!("Authorization: Bearer {key}\r\n"), format!("X-API-Key: {key}\r\n")] {
        let answer = send(&server, "GET", target, &line);
        assert_eq!((answer.status, told(&answer).1.as_str()), (401, "query parameter APIKEY is missing"), "{line}");
        assert_eq!(answer.header("www-authenticate"), Some("APIKEY realm=\"kaisatsu\""));
    }
    // A proxy's own header does not disturb.
    let proxied = send(&server, "GET", &format!("{target}?APIKEY={key}"), "Authorization: Bearer of-the-proxy\r\n");
    assert_eq!(proxied.status, 200);
    let document = server.get("/openapi.json").json();
    let schemes: Vec<_> = document["components"]["securitySchemes"].as_object().unwrap().keys().collect();
    assert_eq!(schemes, ["APIKEY"]);
}

#[test]
fn the_document_describes_all_three_forms() {
    let (_database, _key, server) = start(&[]);
    let document = server.get("/openapi.json").json();
    let schemes = &document["components"]["securitySchemes"];
    let place =
        |name: &str| (schemes[name]["type"].clone(), schemes[name]["in"].clone(), schemes[name]["name"].clone());
    assert_eq!(place("APIKEY"), (json!("apiKey"), json!("query"), json!("APIKEY")));
    assert_eq!(place("X-API-Key"), (json!("apiKey"), json!("header"), json!("X-API-Key")));
    assert_eq!((&schemes["Bearer"]["type"], &schemes["Bearer"]["scheme"]), (&json!("http"), &json!("bearer")));
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let expected = if ["/healthz", "/readyz"].contains(&path.as_str()) {
                json!([{}])
            } else {
                json!([{"APIKEY": []}, {"X-API-Key": []}, {"Bearer": []}])
            };
            assert_eq!(operation["security"], expected, "{method} {path}");
        }
    }
}

#[test]
fn browsers_may_send_the_headers() {
    let (_database, _key, server) = start(&[]);
    let preflight = http::request(
        server.address,
        "OPTIONS",
        "/imageRecognition/v1/models",
        "Origin: https://app.example\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: \
         authorization\r\n",
    );
    let allowed = preflight.header("access-control-allow-headers").unwrap();
    for name in ["authorization", "x-api-key", "content-type"] {
        assert!(allowed.split(',').any(|other| other == name), "{allowed}");
    }
}

#[test]
fn neither_logs_nor_metrics_nor_answers_show_a_key_from_a_header() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &["--log", "trace", "--log-format", "json"]);
    for key in [key.as_str(), "kst_not_a_key_of_this_server", "hunter2"] {
        for line in [format!("Authorization: Bearer {key}\r\n"), format!("X-API-Key: {key}\r\n")] {
            for (method, target) in TARGETS {
                let answer = send(&server, method, target, &line);
                assert!(!String::from_utf8_lossy(&answer.body).contains(key), "{target}");
            }
            let wrong = send(&server, "GET", "/route_service/v1/railmapList?APIKEY=kst_third", &line);
            assert!(wrong.status == 400 && !wrong.text().contains(key), "{}", wrong.text());
        }
    }
    let metrics = server.get("/metrics").text();
    eventually("the last request is logged", || server.log().contains("/metrics").then_some(()));
    let log = server.log();
    for secret in [key.as_str(), "kst_not_a_key_of_this_server", "hunter2", "kst_third"] {
        assert!(!log.contains(secret) && !metrics.contains(secret), "{secret}");
    }
}
