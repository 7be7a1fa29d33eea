//! Users' tokens as an application and an operator see them.

use kaisatsu_e2e::{Answer, Backend, Database, Server, http, make_key, on_every_backend, pictures::picture, run};
use serde_json::{Value, json};

on_every_backend![a_token_belongs_to_one_user_of_one_application];

const JSON: &str = "application/json";

fn get_token(server: &Server, key: &str, body: &str) -> Answer {
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    http::post(server.address, &target, JSON, body.as_bytes())
}

fn token_of(server: &Server, key: &str, user: &str) -> String {
    let answer = get_token(server, key, &json!({"userId": user}).to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["token"].as_str().unwrap().to_owned()
}

/// Searches a dataset that does not exist: 404 for a known user, 401 for everybody else.
fn search(server: &Server, key: &str, token: &str) -> (u16, Value) {
    let target = format!("/imageRecognition/v1/similarImage/search?APIKEY={key}{token}");
    let answer = server.post_form(&target, &[("image", &picture("0", "1")), ("dataSetId", b"x")]);
    (answer.status, answer.json())
}

fn a_token_belongs_to_one_user_of_one_application(backend: Backend) {
    let home = tempfile::tempdir().unwrap();
    let database = Database::fresh(backend);
    let (one, two) = (make_key(&database, "one"), make_key(&database, "two"));
    let replicas = [Server::start(&database, &[]), Server::start(&database, &[])];
    let kaisatsu = |args: &[&str]| run(home.path(), &[&["--database", &database.address], args].concat(), &[]);

    let answer = get_token(&replicas[0], &one, r#"{"userId": "山田"}"#);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let token = answer["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("kut_") && token.len() == 36, "{answer}");
    assert!(answer["expiresAt"].as_str().is_some_and(|at| at.len() == 20 && at.ends_with('Z')), "{answer}");

    let wrong = |told: &str| {
        json!({"error": {"code": "117", "message": format!("similarImage/search: query parameter \
         token {told}")}})
    };
    let not_good = "is not a good token of this application's; getToken makes one";
    let missing = "there is no such dataset of this user; dataSetId is what createDataSet answered with";
    let gone = json!({"error": {"code": "301", "message": format!("similarImage/search: {missing}")}});
    for server in &replicas {
        assert_eq!(search(server, &one, &format!("&token={token}")), (404, gone.clone()));
        assert_eq!(
            search(server, &two, &format!("&token={token}")),
            (401, wrong(not_good)),
            "another application's key"
        );
        assert_eq!(search(server, &one, ""), (401, wrong("is missing")));
        assert_eq!(search(server, &one, "&token=kut_0"), (401, wrong(not_good)));
        assert_eq!(search(server, &one, &format!("&token={one}")), (401, wrong(not_good)), "a key is no token");
    }
    // A new token does not end the old one, and a user belongs to one application.
    let again = token_of(&replicas[1], &one, "山田");
    let other = token_of(&replicas[1], &two, "山田");
    for (key, token) in [(&one, &token), (&one, &again), (&two, &other)] {
        assert_eq!(search(&replicas[0], key, &format!("&token={token}")).0, 404);
    }
    let listed = kaisatsu(&["token", "list", "--app", "one", "--json"]);
    let row: Value = serde_json::from_str(listed.out.trim()).unwrap();
    assert_eq!((&row["userId"], &row["tokens"]), (&json!("山田"), &json!(2)), "{}", listed.err);
    assert!(!listed.out.contains(&token));

    let asked = kaisatsu(&["token", "revoke", "--app", "one", "--user", "山田"]);
    assert!(asked.code == 1 && asked.err.contains("nothing was changed; --yes agrees"), "{}", asked.err);
    assert_eq!(search(&replicas[0], &one, &format!("&token={token}")).0, 404, "it still works");
    let revoked = kaisatsu(&["token", "revoke", "--app", "one", "--user", "山田", "--yes"]);
    assert_eq!((revoked.code, revoked.out.as_str()), (0, "2 tokens revoked\n"), "{}", revoked.err);
    for server in &replicas {
        assert_eq!(search(server, &one, &format!("&token={token}")).0, 401, "at once, on every replica");
        assert_eq!(search(server, &one, &format!("&token={again}")).0, 401);
        assert_eq!(search(server, &two, &format!("&token={other}")).0, 404);
    }
    let asked = kaisatsu(&["token", "revoke", "--app", "two", "--all"]);
    assert_eq!((asked.code, asked.out.as_str()), (1, ""), "nobody can be asked here");
    assert!(asked.err.contains("nothing was changed; --yes agrees"), "{}", asked.err);
    assert_eq!(kaisatsu(&["token", "revoke", "--app", "two", "--all", "--yes"]).out, "1 token revoked\n");
    assert_eq!(kaisatsu(&["token", "revoke", "--app", "two"]).code, 2, "whose tokens has to be said");
    bad_requests(&replicas[0], &one);
}

fn bad_requests(server: &Server, key: &str) {
    let rule = "body field userId must have 1 to 200 characters and no control characters";
    for (body, status, code, message) in [
        ("", 400, "105", "the body is not JSON in UTF-8"),
        ("[]", 400, "105", "the body must be a JSON object"),
        ("{}", 400, "106", "body field userId is missing"),
        (r#"{"userId": null}"#, 400, "106", "body field userId is missing"),
        (r#"{"userId": 7}"#, 400, "106", "body field userId must be a string"),
        (r#"{"userId": ""}"#, 400, "106", rule),
        (r#"{"userId": "a\u0000"}"#, 400, "106", "body field userId must not contain the character NUL"),
        (r#"{"userId": "a\n"}"#, 400, "106", rule),
    ] {
        let answer = get_token(server, key, body);
        let expected = json!({"error": {"code": code, "message": format!("userCategory/getToken: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{body}");
    }
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    assert_eq!(http::post(server.address, &target, "text/plain", b"{}").status, 415);
    assert_eq!(http::post(server.address, &target, JSON, &vec![b' '; 20_000]).status, 413);
    assert_eq!(get_token(server, "wrong", "{}").status, 401);
    assert_eq!(http::get(server.address, &target).status, 405);
}

#[test]
fn a_token_expires() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &["--token-lifetime", "0s"]);
    let token = token_of(&server, &key, "user");
    assert_eq!(search(&server, &key, &format!("&token={token}")).0, 401);
}
