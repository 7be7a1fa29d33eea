//! Whose applications a person sees, takes over and deletes, and what was said with them.

use std::path::Path;

use kaisatsu_e2e::{
    Answer, Backend, ConsoleClient, Database, Server, User, console_client::code, eventually, http, make_key,
    models_with, on_every_backend, pictures, run,
};
use serde_json::{Value, json};

use super::{PASSWORD, list, told};

on_every_backend![
    people_see_their_own_and_operators_all,
    an_operator_takes_over_what_was_made_on_the_command_line,
    what_was_said_is_seen_and_taken_back,
    an_account_goes_with_everything,
];

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
