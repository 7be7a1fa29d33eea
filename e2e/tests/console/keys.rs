//! Keys, and passes that call as their application, at the console.

use kaisatsu_e2e::{
    Backend, ConsoleClient, Database, Server, console_client::code, eventually, http, on_every_backend, run,
};
use serde_json::{Value, json};

use super::{PASSWORD, list, told};

on_every_backend![
    keys_are_made_rotated_and_switched,
    a_key_is_made_for_a_purpose_a_place_and_a_time,
    a_pass_calls_as_its_application_while_one_is_signed_in,
];

fn keys_are_made_rotated_and_switched(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, first) = one.application("時刻表アプリ");
    assert_eq!(list(&server, &first), 200, "the moment it is made");
    assert_eq!(code(&one.call("POST", "applications", &json!({"name": "時刻表アプリ"}))), told(409, "nameTaken"));
    let other = ConsoleClient::registered(&server, "other@example.org", PASSWORD);
    assert_eq!(list(&server, &other.application("時刻表アプリ").1), 200, "nobody learns that another has the name");
    let look = || one.get(&format!("applications/{id}")).json();
    let keys = look()["keys"].clone();
    let key = keys[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        (keys[0]["state"].as_str(), keys[0]["hint"].as_str()),
        (Some("active"), Some(&first[first.len() - 4..]))
    );
    let rotate = |key: &str, overlap: u64| {
        one.call("POST", &format!("applications/{id}/keys/{key}/rotate"), &json!({"overlapSeconds": overlap}))
    };
    let second = rotate(&key, 3600).json()["secret"].as_str().unwrap().to_owned();
    assert_eq!((list(&server, &first), list(&server, &second)), (200, 200), "both, for a while");
    assert!(look()["keys"][0]["expiresAt"].is_string());
    assert_eq!(code(&rotate(&key, 0)), told(409, "keyEnded"));
    assert_eq!(code(&rotate("key_nothing", 0)), told(404, "notFound"));
    assert_eq!(code(&rotate(&key, u64::MAX)), told(400, "invalid"));
    let switch = |disabled: bool| {
        one.call("PATCH", &format!("applications/{id}/keys/{key}"), &json!({"disabled": disabled})).json()["state"]
            .clone()
    };
    assert_eq!(switch(true), "disabled");
    eventually("the key is refused", || (list(&server, &first) == 403).then_some(()));
    assert_eq!(switch(false), "active");
    eventually("the key is good again", || (list(&server, &first) == 200).then_some(()));
    let change = |body: Value| one.call("PATCH", &format!("applications/{id}"), &body);
    assert_eq!(change(json!({"name": "<b>another</b>"})).json()["name"], "<b>another</b>");
    assert_eq!(change(json!({"name": ""})).status, 400);
    assert!(change(json!({"disabled": true})).json()["disabledAt"].is_string());
    eventually("all keys are refused", || (list(&server, &second) == 403).then_some(()));
    assert_eq!(change(json!({"disabled": false})).json()["disabledAt"], Value::Null);
}

fn a_key_is_made_for_a_purpose_a_place_and_a_time(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let operator = ConsoleClient::registered(&server, "operator@example.org", PASSWORD);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, _) = one.application("one's");
    let (keys, listed) = (format!("applications/{id}/keys"), format!("applications/{id}"));
    let make = |body: Value| one.call("POST", &keys, &body);
    let key = |made: &Value| {
        let all = one.get(&listed).json()["keys"].as_array().unwrap().clone();
        all.into_iter().find(|key| key["id"] == made["id"]).unwrap()
    };
    let usual = key(&make(json!({})).json());
    assert_eq!(
        (&usual["scope"], &usual["allowed"], &usual["expiresAt"]),
        (&json!("standard"), &json!([]), &Value::Null)
    );
    let places = json!(["https://maps.example.org", "10.0.0.0/8"]);
    let made = make(json!({"scope": "restricted", "allowed": places, "lifetimeSeconds": 7_776_000})).json();
    let listed = key(&made);
    assert_eq!((&listed["scope"], &listed["allowed"]), (&json!("restricted"), &places));
    assert_eq!(listed["state"], "active");
    assert!(listed["expiresAt"].is_string(), "{listed}");
    let secret = made["secret"].as_str().unwrap();
    let from = |origin: &str| {
        let headers = format!("Origin: {origin}\r\n");
        let target = format!("/route_service/v1/railmapList?APIKEY={secret}");
        http::request(server.address, "GET", &target, &headers).status
    };
    assert_eq!((from("https://maps.example.org"), from("https://elsewhere.example")), (200, 403));
    for refused in [
        json!({"scope": "everything"}),
        json!({"allowed": ["maps.example.org"]}),
        json!({"allowed": "https://maps.example.org"}),
        json!({"lifetimeSeconds": 59}),
        json!({"lifetimeSeconds": 400_000_000}),
    ] {
        assert_eq!(code(&make(refused.clone())), told(400, "invalid"), "{refused}");
    }
    assert_eq!(code(&make(json!({"scope": "operator"}))), told(403, "notAllowed"));
    let made = operator.call("POST", &keys, &json!({"scope": "operator"})).json();
    assert_eq!(key(&made)["scope"], "operator");
    let rotate = format!("{keys}/{}/rotate", made["id"].as_str().unwrap());
    assert_eq!(code(&one.call("POST", &rotate, &json!({"overlapSeconds": 0}))), told(403, "notAllowed"));
    let successor = operator.call("POST", &rotate, &json!({"overlapSeconds": 0})).json();
    let items = format!("/imageRecognition/v1/catalogue/items?APIKEY={}", successor["secret"].as_str().unwrap());
    assert_eq!(server.get(&items).status, 200);
    // Whoever made it is an operator no more, and neither is the key.
    let home = tempfile::tempdir().unwrap();
    for (email, role) in [("one@example.org", "operator"), ("operator@example.org", "member")] {
        let words = ["--database", &database.address, "account", "role", email, role];
        assert_eq!(run(home.path(), &words, &[]).code, 0);
    }
    assert_eq!(key(&successor)["scope"], "standard");
    eventually("the server knows it", || (server.get(&items).status == 403).then_some(()));
}

fn a_pass_calls_as_its_application_while_one_is_signed_in(backend: Backend) {
    let database = Database::fresh(backend);
    let (server, other) = (Server::start(&database, &[]), Server::start(&database, &[]));
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, _) = one.application("one's");
    let pass = one.call("POST", &format!("applications/{id}/pass"), &json!({})).json();
    let pass = pass["key"].as_str().unwrap().to_owned();
    assert_eq!((list(&server, &pass), list(&other, &pass)), (200, 200));
    assert_eq!(one.get(&format!("applications/{id}")).json()["keys"].as_array().unwrap().len(), 1, "not listed");
    let home = tempfile::tempdir().unwrap();
    let listed = run(home.path(), &["--database", &database.address, "key", "list"], &[]).out;
    assert!(!listed.contains(&pass[pass.len() - 4..]), "{listed}");
    assert_eq!(one.call("DELETE", "session", &json!({})).status, 204);
    for replica in [&server, &other] {
        eventually("the pass ended with the session", || (list(replica, &pass) == 401).then_some(()));
    }
}
