//! Applications at the console as a browser sees them: keys, passes, usage, quotas, deletion; and the pages' own
//! headers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::path::Path;

use kaisatsu_e2e::{
    Answer, Backend, ConsoleClient, Database, Server, User, console_client::code, eventually, http, make_key,
    models_with, on_every_backend, pictures, run,
};
use serde_json::{Value, json};

on_every_backend![
    keys_are_made_rotated_and_switched,
    a_pass_calls_as_its_application_while_one_is_signed_in,
    what_is_called_is_seen,
    a_quota_is_held_on_every_replica,
    a_request_whose_caller_hangs_up_is_counted,
    people_see_their_own_and_operators_all,
    an_operator_takes_over_what_was_made_on_the_command_line,
    what_was_said_is_seen_and_taken_back,
    an_account_goes_with_everything,
];

const PASSWORD: &str = "correct horse battery";

fn list(server: &Server, key: &str) -> u16 {
    server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status
}

fn told(status: u16, word: &str) -> (u16, String) {
    (status, word.to_owned())
}

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
    assert_eq!((&look["quota"]["perDay"], &look["quota"]["usedToday"]), (&Value::Null, &json!(5)));
    assert_eq!(one.get(&format!("applications/{id}/usage?days=91")).status, 400);
    // What was counted last is kept when the server ends.
    assert_eq!(list(&server, &key), 200);
    server.signal("-TERM");
    assert_eq!(server.wait(), Some(0));
    let server = Server::start(&database, &[]);
    let one = ConsoleClient { address: server.address, ..one };
    assert_eq!(one.get(&format!("applications/{id}")).json()["quota"]["usedToday"], 6);
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

fn a_request_whose_caller_hangs_up_is_counted(backend: Backend) {
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

fn people_see_their_own_and_operators_all(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let operator = ConsoleClient::registered(&server, "operator@example.org", PASSWORD);
    let (one, two) = (
        ConsoleClient::registered(&server, "one@example.org", PASSWORD),
        ConsoleClient::registered(&server, "two@example.org", PASSWORD),
    );
    let (id, _) = one.application("one's");
    let key = one.get(&format!("applications/{id}")).json()["keys"][0]["id"].as_str().unwrap().to_owned();
    let nothing = json!({});
    let attempts: [(&str, String, Value); 10] = [
        ("GET", format!("applications/{id}"), nothing.clone()),
        ("GET", format!("applications/{id}/belongings"), nothing.clone()),
        ("GET", format!("applications/{id}/usage"), nothing.clone()),
        ("GET", format!("applications/{id}/users"), nothing.clone()),
        ("PATCH", format!("applications/{id}"), json!({"name": "mine"})),
        ("DELETE", format!("applications/{id}"), json!({"name": "one's"})),
        ("POST", format!("applications/{id}/keys"), nothing.clone()),
        ("POST", format!("applications/{id}/pass"), nothing.clone()),
        ("POST", format!("applications/{id}/keys/{key}/rotate"), json!({"overlapSeconds": 0})),
        ("PATCH", format!("applications/{id}/keys/{key}"), json!({"disabled": true})),
    ];
    let switch = |who: &ConsoleClient, disabled: bool| {
        who.call("PATCH", &format!("applications/{id}/keys/{key}"), &json!({"disabled": disabled}))
    };
    assert_eq!(switch(&operator, true).json()["state"], "disabled");
    assert_eq!(code(&switch(&one, false)), told(403, "notAllowed"), "what an operator switched off stays off");
    assert_eq!(switch(&operator, false).json()["state"], "active");
    let nobodys = |path: &str| path.replace(&id, "app_0000000000000000");
    for (method, path, body) in &attempts {
        let call = |who: &ConsoleClient, path: &str| -> Answer {
            if *method == "GET" { who.get(path) } else { who.call(method, path, body) }
        };
        let (theirs, none) = (call(&two, path), call(&two, &nobodys(path)));
        assert_eq!(code(&theirs), told(404, "notFound"), "{method} {path}");
        assert_eq!(
            theirs.text().replace(&id, ""),
            none.text().replace("app_0000000000000000", ""),
            "as if there were none"
        );
        assert_eq!(code(&call(&ConsoleClient::stranger(&server), path)), told(401, "notSignedIn"), "{method} {path}");
    }
    let names = |who: &ConsoleClient, path: &str| {
        let listed = who.get(path).json()["applications"].as_array().unwrap().clone();
        listed.into_iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(names(&two, "applications?all=true").is_empty(), "only operators see all");
    assert!(names(&operator, "applications").is_empty());
    assert!(names(&operator, "applications?all=true").contains(&"one's".to_owned()));
    assert_eq!(operator.get(&format!("applications/{id}")).json()["owner"]["email"], "one@example.org");
    let switch = |who: &ConsoleClient, disabled: bool| {
        who.call("PATCH", &format!("applications/{id}"), &json!({"disabled": disabled}))
    };
    assert_eq!(switch(&operator, true).status, 200);
    assert_eq!(
        code(&switch(&one, true)),
        told(403, "notAllowed"),
        "nor is it made one's own by switching it off again"
    );
    assert_eq!(code(&switch(&one, false)), told(403, "notAllowed"), "what an operator switched off stays off");
    assert_eq!(switch(&operator, false).status, 200);
    assert_eq!(
        (switch(&one, true).status, switch(&one, false).status),
        (200, 200),
        "what one switched off oneself does not"
    );
    let wrong = one.call("DELETE", &format!("applications/{id}"), &json!({"name": "ones"}));
    assert_eq!(code(&wrong), told(400, "invalid"), "the name is to be typed");
    assert_eq!(one.call("DELETE", &format!("applications/{id}"), &json!({"name": "one's"})).status, 204);
    assert_eq!(code(&one.get(&format!("applications/{id}"))), told(404, "notFound"));
    assert!(!one.application("one's").0.is_empty(), "the name is free");
}

fn an_operator_takes_over_what_was_made_on_the_command_line(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "timetable");
    let given = make_key(&database, "given");
    let server = Server::start(&database, &[]);
    let operator = ConsoleClient::registered(&server, "operator@example.org", PASSWORD);
    let member = ConsoleClient::registered(&server, "member@example.org", PASSWORD);
    let all = operator.get("applications?all=true").json();
    let find = |name: &str| {
        let list = all["applications"].as_array().unwrap();
        list.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    assert_eq!(find("timetable")["owner"], Value::Null);
    let target = format!("applications/{}/owner", find("timetable")["id"].as_str().unwrap());
    assert_eq!(code(&member.call("POST", &target, &json!({}))), told(403, "notAllowed"));
    let (same, _) = operator.application("timetable");
    assert_eq!(code(&operator.call("POST", &target, &json!({}))), told(409, "nameTaken"));
    assert_eq!(operator.call("DELETE", &format!("applications/{same}"), &json!({"name": "timetable"})).status, 204);
    let taken = operator.call("POST", &target, &json!({}));
    assert_eq!((taken.status, &taken.json()["owner"]["email"]), (200, &json!("operator@example.org")));
    assert_eq!(taken.json()["name"], "timetable");
    assert_eq!(code(&operator.call("POST", &target, &json!({}))), told(404, "notFound"), "it has an owner");
    assert_eq!(list(&server, &key), 200, "its keys go on working");

    let command = |args: &[&str]| run(server.home(), &[args, &["--database", &database.address]].concat(), &[]);
    let run = command(&["app", "give", "given", "member@example.org"]);
    assert_eq!((run.code, run.err.trim()), (0, "given is an application of member@example.org now"));
    assert_eq!(member.get("applications").json()["applications"][0]["name"], "given");
    assert_eq!(list(&server, &given), 200);
    let again = command(&["app", "give", "given", "operator@example.org"]);
    assert_eq!((again.code, again.err.trim()), (1, "kaisatsu: given has an owner already"));
    assert_eq!(command(&["app", "give", "given", "nobody@example.org"]).code, 1);
}

fn what_was_said_is_seen_and_taken_back(backend: Backend) {
    let models = models_with(&["general-fast"]);
    let database = Database::fresh(backend);
    let server = Server::start(&database, &["--models", models.path().to_str().unwrap()]);
    eventually("ready", || (server.get("/readyz").status == 200).then_some(()));
    let _operator = ConsoleClient::registered(&server, "operator@example.org", PASSWORD);
    let (one, two) = (
        ConsoleClient::registered(&server, "one@example.org", PASSWORD),
        ConsoleClient::registered(&server, "two@example.org", PASSWORD),
    );
    let (_, key) = one.application("one's");
    let classify = || {
        let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}&modelName=general-fast");
        server.post_form(&target, &[("image", &pictures::photo("chelsea.png"))]).json()
    };
    let seen = classify();
    let (recognition, candidate) = (seen["recognitionId"].as_str().unwrap(), &seen["candidates"][0]);
    let item = candidate["itemId"].as_str().unwrap();
    let said = format!("APIKEY={key}&recognitionId={recognition}&itemId={item}&isValid=false");
    let comment = json!({"comment": "<img src=x onerror=alert(1)> 犬ではない"}).to_string();
    let target = format!("/imageRecognition/v1/feedbackToCandidate?{said}");
    let rated = http::post(server.address, &target, "application/json", comment.as_bytes());
    assert_eq!(rated.status, 204, "{}", rated.text());
    let verdicts = |who: &ConsoleClient, query: &str| {
        who.get(&format!("feedback?{query}")).json()["verdicts"].as_array().unwrap().clone()
    };
    let listed = verdicts(&one, "comments=true");
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["itemId"], &listed[0]["valid"], &listed[0]["standing"]),
        (&json!(item), &json!(false), &json!("active"))
    );
    assert!(verdicts(&one, "search=%E7%8A%AC").len() == 1 && verdicts(&one, "search=nothing").is_empty());
    assert!(verdicts(&two, "").is_empty(), "another person's");
    let points = one.get("feedback/timeline?days=7").json();
    assert_eq!(points["series"][0]["points"][0]["invalid"], 1, "{points}");
    assert_ne!(classify()["candidates"][0], *candidate, "it acts");
    let revoke = |who: &ConsoleClient| {
        who.call("POST", "feedback/revoke", &json!({"verdicts": [{"recognitionId": recognition, "itemId": item}]}))
            .json()
    };
    assert_eq!(revoke(&two), json!({"revoked": 0}), "another person's");
    assert_eq!(revoke(&one), json!({"revoked": 1}));
    assert_eq!(verdicts(&one, "standing=revoked").len(), 1);
    assert_eq!(classify()["candidates"][0]["score"], candidate["score"], "as if it had never been said");
    assert_eq!(one.get("feedback?standing=wrong").status, 400);
    assert_eq!(one.get("feedback?before=nonsense").status, 400);
}

/// The files below a folder.
fn files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries.flatten().map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
}

fn an_account_goes_with_everything(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let blobs = format!("file:{}", folder.path().join("blobs").display());
    let database = Database::fresh(backend);
    let server = Server::start(&database, &["--blobs", &blobs]);
    let _operator = ConsoleClient::registered(&server, "operator@example.org", PASSWORD);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (id, key) = one.application("one's");
    let user = User::named(&server, &key, "hanako");
    let image = user.upload(&pictures::photo("chelsea.png"), "cat");
    assert!(!image.is_empty() && files(folder.path()) == 1);
    let users = one.get(&format!("applications/{id}/users")).json();
    assert_eq!(users["users"], json!([{"userId": "hanako", "images": 1, "dataSets": 0}]));
    let all = one.get("account/belongings").json();
    assert_eq!((&all["applications"][0]["keys"], &all["applications"][0]["images"]), (&json!(1), &json!(1)));
    let delete = |password: &str| one.call("DELETE", "account", &json!({"password": password}));
    assert_eq!(code(&delete("not the password")), told(401, "wrongCredentials"));
    let gone = delete(PASSWORD);
    assert!(gone.status == 204 && gone.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(one.get("applications").status, 401);
    eventually("the key is refused", || (list(&server, &key) != 200).then_some(()));
    eventually("the bytes are gone", || (files(folder.path()) == 0).then_some(()));
    let home = tempfile::tempdir().unwrap();
    let check = run(home.path(), &["--database", &database.address, "--blobs", &blobs, "check", "--deep"], &[]);
    assert_eq!(check.code, 0, "{check:?}");
    let listed = run(home.path(), &["--database", &database.address, "app", "list"], &[]).out;
    assert!(!listed.contains("one's"), "{listed}");
    let again = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    assert!(again.get("applications").json()["applications"].as_array().unwrap().is_empty(), "nothing is left of it");
}

#[test]
fn pages_come_with_their_headers() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let to = server.get("/console");
    assert_eq!((to.status, to.header("location")), (308, Some("/console/")));
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; \
                  connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'self'; \
                  frame-ancestors 'none'";
    let page = server.get("/console/");
    assert_eq!(page.status, 200, "`make web` builds the pages: {}", page.text());
    for path in ["/console/", "/console/applications/app_x", "/console/reset?token=ksl_x"] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.text()), (200, page.text()), "{path}");
        for (name, value) in [
            ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("permissions-policy", "camera=(self), microphone=(), geolocation=()"),
            ("cache-control", "no-cache"),
            ("content-type", "text/html;charset=UTF-8"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path} {name}");
        }
    }
    assert!(!policy.contains("unsafe") && !page.text().contains("<style") && !page.text().contains(" style="));
    let text = page.text();
    let asset = text.split('"').find(|piece| piece.starts_with("/console/assets/")).expect("an asset");
    let plain = server.get(asset);
    let packed = http::request(server.address, "GET", asset, "Accept-Encoding: gzip\r\n");
    assert_eq!((plain.status, packed.header("content-encoding")), (200, Some("gzip")));
    assert!(packed.body.len() < plain.body.len());
    assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let tag = plain.header("etag").unwrap();
    assert_eq!(http::request(server.address, "GET", asset, &format!("If-None-Match: {tag}\r\n")).status, 304);
    assert_eq!(server.get("/console/assets/nothing.js").status, 404);
    assert!(!server.log().contains("ksl_x"), "a link's secret stays out of the log");
}

#[test]
fn the_documents_of_the_pages_are_the_server_s() {
    let home = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (file, args) in [("api.json", &["openapi"][..]), ("console.json", &["openapi", "--console"])] {
        let kept = std::fs::read_to_string(root.join("web/openapi").join(file)).unwrap();
        assert_eq!(run(home.path(), args, &[]).out, kept, "`make openapi` writes web/openapi/{file} anew");
    }
}
