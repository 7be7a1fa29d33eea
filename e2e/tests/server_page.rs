//! What operators see of the server, and people of the failed requests of their applications.

use kaisatsu_e2e::{
    Backend, ConsoleClient, Database, Server, console_client::code, eventually, http, models_with, on_every_backend,
};
use serde_json::{Value, json};

on_every_backend![failed_requests_are_listed_for_their_application, the_server_page_has_everything];

const PASSWORD: &str = "correct horse battery";

fn failed_requests_are_listed_for_their_application(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let person = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let other = ConsoleClient::registered(&server, "two@example.org", PASSWORD);
    let (id, key) = person.application("mine");
    let (_, foreign) = other.application("theirs");

    let good = server.get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
    assert_eq!(good.status, 200);
    let wrong = server.get(&format!("/route_service/v1/railmapDetail?APIKEY={key}&id={key}"));
    assert_eq!(wrong.status, 404, "{}", wrong.text());
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    let headers = "X-Request-Id: my-own-id\r\nContent-Type: application/json\r\nContent-Length: 2\r\n";
    let mut connection = http::Connection::open(server.address);
    connection.request("POST", &target, headers);
    connection.send(b"{}");
    assert_eq!(connection.answer(false).unwrap().status, 400);
    let _ = server.get(&format!("/route_service/v1/railmapDetail?APIKEY={foreign}"));

    let answer = person.get(&format!("applications/{id}/failures"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(!answer.text().contains(&key), "no secret is kept");
    let list = answer.json();
    let failures = list["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 2, "{list}");
    let latest = &failures[0];
    assert_eq!(latest["operation"], "/imageRecognition/v1/userCategory/getToken");
    assert_eq!((&latest["status"], &latest["code"]), (&json!(400), &json!("106")));
    assert_eq!(latest["requestId"], "my-own-id");
    assert!(latest["message"].as_str().unwrap().contains("userId"), "{latest}");
    let first = &failures[1];
    assert_eq!((&first["status"], &first["code"]), (&json!(404), &json!("W404")));
    assert_eq!(first["requestId"], wrong.header("x-request-id").unwrap());

    let page = person.get(&format!("applications/{id}/failures?limit=1")).json();
    let next = page["next"].as_str().unwrap();
    let rest = person.get(&format!("applications/{id}/failures?limit=1&before={next}")).json();
    assert_eq!(rest["failures"][0], *first);
    let end = rest["next"].as_str().unwrap();
    let end = person.get(&format!("applications/{id}/failures?before={end}")).json();
    assert_eq!((end["failures"].as_array().unwrap().len(), &end["next"]), (0, &Value::Null));

    assert_eq!(code(&other.get(&format!("applications/{id}/failures"))), (404, "notFound".to_owned()));
    for query in ["limit=0", "limit=201", "before=x"] {
        assert_eq!(code(&person.get(&format!("applications/{id}/failures?{query}"))).0, 400, "{query}");
    }
}

fn the_server_page_has_everything(backend: Backend) {
    let models = models_with(&["general", "coco"]);
    let models = models.path().display().to_string();
    let database = Database::fresh(backend);
    let secret = [("KAISATSU_SMTP", "smtps://me:s3cret@127.0.0.1:1")];
    let server = Server::start_with(&database, &["--models", &models, "--rate-limit", "1000"], &secret);
    eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
    let home = tempfile::tempdir().unwrap();
    let person = registered_without_mail(&server, &database, home.path());

    let answer = eventually("it has said that it lives", || {
        let answer = person.get("operator/server");
        assert_eq!(answer.status, 200, "{}", answer.text());
        (answer.json()["replicas"].as_array().unwrap().len() == 1).then_some(answer)
    });
    assert!(!answer.text().contains("s3cret"), "no password");
    let shown = answer.json();
    assert_eq!(shown["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&shown["replicas"][0]["thisOne"], &shown["replicas"][0]["alive"]), (&json!(true), &json!(true)));
    assert_eq!(shown["replicas"][0]["address"], server.address.to_string());
    let find = |list: &str, name: &str| {
        let rows = shown[list].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name || row["id"] == name).cloned().unwrap_or_else(|| panic!("{name}"))
    };
    let general = find("models", "general");
    assert_eq!((&general["state"], &general["task"]), (&json!("ready"), &json!("classify")));
    let network = &general["networks"][0];
    assert_eq!(network["file"], "model.onnx");
    assert!(!network["kernels"].as_str().unwrap().is_empty() && !network["reason"].as_str().unwrap().is_empty());
    assert!(find("maps", "tokyo")["stations"].as_u64().unwrap() > 100);
    assert_eq!(shown["contents"]["catalogueItems"], 0);
    assert!(shown["database"]["writeMillis"].as_f64().unwrap() > 0.0, "{}", shown["database"]);
    let disks = shown["disks"].as_array().unwrap();
    assert!(disks.iter().all(|disk| disk["freeBytes"].as_u64().unwrap() > 0), "{disks:?}");
    let limit = find("settings", "rate_limit");
    assert_eq!((&limit["value"], &limit["origin"]), (&json!("1000"), &json!("flag")));
    let smtp = find("settings", "smtp");
    assert_eq!((&smtp["value"], &smtp["origin"]), (&json!("…"), &json!("environment")));
    assert_eq!(shown["errors"], json!([]));

    // A failure of the server is listed with its cause.
    database.run("ALTER TABLE user_token RENAME TO hidden");
    let (_, key) = person.application("mine");
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    let failed = http::post(server.address, &target, "application/json", br#"{"userId": "u"}"#);
    assert_eq!(failed.status, 503, "{}", failed.text());
    let shown = person.get("operator/server").json();
    let error = &shown["errors"][0];
    assert_eq!((&error["status"], &error["requestId"]), (&json!(503), &json!(failed.header("x-request-id").unwrap())));
    assert!(error["cause"].as_str().unwrap().contains("user_token"), "{error}");

    let parts = person.get("status").json();
    assert!(parts["parts"].as_array().unwrap().iter().any(|part| part["name"] == "database"), "{parts}");
    assert_eq!(ConsoleClient::stranger(&server).get("status").status, 401);
    assert_eq!(ConsoleClient::stranger(&server).get("operator/server").status, 401);
}

/// The mail server of this test does not exist, so the first account is activated on the command line.
fn registered_without_mail(server: &Server, database: &Database, home: &std::path::Path) -> ConsoleClient {
    let mut person = ConsoleClient::stranger(server);
    let registered = person.call("POST", "accounts", &json!({"email": "one@example.org", "password": PASSWORD}));
    assert_eq!(registered.status, 202, "{}", registered.text());
    for words in [["account", "approve", "one@example.org", ""], ["account", "role", "one@example.org", "operator"]] {
        let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let done = kaisatsu_e2e::run(home, &[&words[..], &["--database", &database.address]].concat(), &[]);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let signed_in = person.sign_in("one@example.org", PASSWORD);
    assert_eq!(signed_in.status, 200, "{}", signed_in.text());
    person
}
