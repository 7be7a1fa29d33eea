//! What the console shows of calls, and the quotas that it sets.

use kaisatsu_e2e::{
    Backend, ConsoleClient, Database, Server, console_client::code, eventually, http, models_with, on_every_backend,
    pictures,
};
use serde_json::{Value, json};

use super::{PASSWORD, list, told};

on_every_backend![
    what_is_called_is_seen,
    a_quota_is_held_on_every_replica,
    the_console_works_when_the_quota_is_used_up,
    a_request_is_counted_even_if_its_caller_hangs_up,
];

fn what_is_called_is_seen(backend: Backend) {
    let database = Database::fresh(backend);
    let mut server = Server::start(&database, &[]);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, key) = one.application("one's");
    let pass = one.call("POST", &format!("applications/{id}/pass"), &json!({})).json();
    for _ in 0..3 {
        assert_eq!(list(&server, &key), 200);
    }
    let bad = server.get(&format!("/route_service/v1/railmapDetail?APIKEY={key}&id=tokyo&width=501&height=1"));
    assert_eq!(bad.status, 400);
    assert_eq!(list(&server, pass["key"].as_str().unwrap()), 200);
    let usage = one.get(&format!("applications/{id}/usage?days=1")).json();
    assert_eq!((&usage["stepSeconds"], usage["bounds"].as_array().unwrap().len()), (&json!(3600), 8));
    let short = |usage: &Value| {
        let row = |row: &Value| {
            let classes: i64 = row["classes"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).sum();
            assert_eq!(Some(classes), row["requests"].as_i64(), "each is in one class");
            (row["operation"].clone(), row["key"].is_null(), row["requests"].clone(), row["refused"].clone())
        };
        let mut rows: Vec<_> = usage["rows"].as_array().unwrap().iter().map(row).collect();
        rows.sort_by_key(|row| (row.0.to_string(), row.1));
        rows
    };
    let detail = (json!("railmapDetail"), false, json!(1), json!(1));
    let expected =
        [detail, (json!("railmapList"), false, json!(3), json!(0)), (json!("railmapList"), true, json!(1), json!(0))];
    // An hour may end between two requests; then there is a row more.
    assert_eq!(short(&usage)[..3.min(short(&usage).len())].len(), 3);
    if usage["rows"].as_array().unwrap().len() == 3 {
        assert_eq!(short(&usage), expected);
    }
    let look = one.get(&format!("applications/{id}")).json();
    assert!(look["keys"][0]["lastUsedAt"].is_string(), "{look}");
    assert_eq!((&look["quota"]["perDay"], &look["quota"]["usedToday"]), (&Value::Null, &json!(4)));
    assert_eq!(one.get(&format!("applications/{id}/usage?days=91")).status, 400);
    // What was counted last is kept when the server ends.
    assert_eq!(list(&server, &key), 200);
    server.signal("-TERM");
    assert_eq!(server.wait(), Some(0));
    let server = Server::start(&database, &[]);
    let one = ConsoleClient { address: server.address, ..one };
    assert_eq!(one.get(&format!("applications/{id}")).json()["quota"]["usedToday"], 5);
}

fn the_console_works_when_the_quota_is_used_up(backend: Backend) {
    let database = Database::fresh(backend);
    let args = ["--daily-requests", "2"];
    let (server, other) = (Server::start(&database, &args), Server::start(&database, &args));
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, key) = one.application("one's");
    let pass = one.call("POST", &format!("applications/{id}/pass"), &json!({})).json();
    let pass = pass["key"].as_str().unwrap();
    let quota = || one.get(&format!("applications/{id}")).json()["quota"].clone();
    for _ in 0..9 {
        assert_eq!(list(&server, pass), 200);
    }
    // The quota is read from what is stored; asking for the usage stores it.
    assert_eq!(one.get(&format!("applications/{id}/usage?days=1")).status, 200);
    assert_eq!((&quota()["perDay"], &quota()["usedToday"]), (&json!(2), &json!(0)));
    assert_eq!([list(&server, &key), list(&server, &key), list(&server, &key)], [200, 200, 429]);
    assert_eq!([list(&server, pass), list(&other, pass)], [200; 2], "the console is used to find out why");
    let usage = one.get(&format!("applications/{id}/usage?days=1")).json();
    let of_console = usage["rows"].as_array().unwrap().iter().filter(|row| row["key"].is_null());
    let requests: i64 = of_console.map(|row| row["requests"].as_i64().unwrap()).sum();
    assert!(requests >= 10, "they are shown all the same: {usage}");
    assert_eq!(quota()["usedToday"], 2);
    let answered = server.get(&format!("/route_service/v1/railmapList?APIKEY={pass}"));
    let policy = answered.header("ratelimit-policy").unwrap_or_default();
    assert!(!policy.contains("\"day\""), "no daily quota is announced: {policy}");
}

fn a_quota_is_held_on_every_replica(backend: Backend) {
    let database = Database::fresh(backend);
    let args = ["--daily-requests", "3"];
    let (server, other) = (Server::start(&database, &args), Server::start(&database, &args));
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, key) = one.application("one's");
    let call = |server: &Server| server.get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
    assert_eq!([call(&server).status, call(&server).status, call(&server).status], [200; 3]);
    let refused = call(&server);
    assert_eq!(
        (refused.status, refused.json()["ResultSet"]["Error"]["code"].as_str()),
        (429, Some("W429")),
        "{}",
        refused.text()
    );
    assert!(refused.text().contains("quota of 3 requests a day"), "{}", refused.text());
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() <= 86_400);
    eventually("the other replica has learned what is left", || (call(&other).status == 429).then_some(()));
    let quota = one.get(&format!("applications/{id}")).json()["quota"].clone();
    assert_eq!((&quota["perDay"], &quota["own"]), (&json!(3), &json!(false)));
    let change = |body: Value| one.call("PATCH", &format!("applications/{id}"), &body);
    let own = change(json!({"perDay": 1000})).json()["quota"].clone();
    assert_eq!((&own["perDay"], &own["own"]), (&json!(1000), &json!(true)));
    for replica in [&server, &other] {
        eventually("there is more", || (call(replica).status == 200).then_some(()));
    }
    assert_eq!(change(json!({"perDay": null})).json()["quota"]["perDay"], 3, "the server's default again");
    let two = ConsoleClient::registered(&server, "two@example.org", PASSWORD);
    let (own, _) = two.application("two's");
    let asked = two.call("PATCH", &format!("applications/{own}"), &json!({"perDay": 1_000_000}));
    assert_eq!(code(&asked), told(403, "notAllowed"), "nobody sets their own");
}

/// The value of a metric without labels, and the requests of an operation by all statuses.
fn metrics(server: &Server, operation: &str) -> (u64, u64) {
    let text = server.get("/metrics").text();
    let value = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    let in_flight = text.lines().find(|line| line.starts_with("kaisatsu_http_requests_in_flight ")).map_or(0, value);
    let counted =
        text.lines().filter(|line| line.starts_with("kaisatsu_http_requests_total") && line.contains(operation));
    (in_flight, counted.map(value).sum())
}

fn a_request_is_counted_even_if_its_caller_hangs_up(backend: Backend) {
    let database = Database::fresh(backend);
    let models = models_with(&["general"]);
    let models = models.path().display().to_string();
    let server = Server::start(&database, &["--models", &models, "--engine-threads", "1", "--daily-requests", "9"]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, key) = one.application("app");
    let form = http::form(&[("image", &pictures::photo("chelsea.png"))]);
    let connections: Vec<_> = (0..9)
        .map(|_| {
            let mut connection = http::Connection::open(server.address);
            let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}");
            let headers = format!("Content-Type: {}\r\nContent-Length: {}\r\n", http::FORM, form.len());
            connection.request("POST", &target, &headers);
            connection.send(&form);
            connection
        })
        .collect();
    // One thread looks at the pictures, so most of them wait.
    eventually("all have begun", || {
        let (in_flight, counted) = metrics(&server, "concept/classify");
        // The request for the metrics is in flight itself.
        (in_flight - 1 + counted == 9).then_some(())
    });
    drop(connections);
    eventually("all are over", || (metrics(&server, "concept/classify").0 == 1).then_some(()));
    assert_eq!(metrics(&server, "concept/classify").1, 9);
    assert!(server.get("/metrics").text().contains("concept/classify\",status=\"499\"}"), "some were given up");
    let used = || one.get(&format!("applications/{id}")).json()["quota"]["usedToday"].clone();
    eventually("they are stored", || (used() == 9).then_some(()));
    assert_eq!(list(&server, &key), 429, "the quota is used up");
    let line =
        eventually("the log", || server.log().lines().find(|line| line.contains("\"status\":499")).map(str::to_owned));
    assert!(line.contains(&id), "it says whose request it was: {line}");
}
