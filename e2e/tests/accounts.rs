//! Accounts of the console as a browser sees them: registering, signing in, passwords, operators.

use kaisatsu_e2e::{
    Answer, Backend, ConsoleClient, Database, Server, console_client::code, eventually, on_every_backend, run,
};
use serde_json::{Value, json};

on_every_backend![
    the_first_person_runs_the_server,
    no_answer_tells_whether_an_address_is_registered,
    nobody_guesses_for_ever,
    nobody_is_kept_out_by_a_stranger,
    closed_registration_makes_no_operator,
    a_forgotten_password_is_chosen_anew,
    a_session_is_one_browser_s,
    only_the_console_s_own_pages_are_heard,
    operators_let_people_in_and_out,
    operators_have_a_command_line,
];

const PASSWORD: &str = "十両編成の列車が通ります";

fn start(backend: Backend) -> (Database, Server) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    (database, server)
}

fn ok(code: u16) -> (u16, String) {
    (code, String::new())
}

fn told(status: u16, word: &str) -> (u16, String) {
    (status, word.to_owned())
}

fn the_first_person_runs_the_server(backend: Backend) {
    let (_database, server) = start(backend);
    let stranger = ConsoleClient::stranger(&server);
    let session = stranger.get("session");
    assert_eq!(session.header("cache-control"), Some("no-store"));
    let session = session.json();
    assert_eq!((&session["account"], &session["empty"], &session["mail"]), (&Value::Null, &json!(true), &json!(false)));
    let next = stranger.call("POST", "accounts", &json!({"email": " One@Example.org ", "password": PASSWORD}));
    assert_eq!((next.status, next.json()), (202, json!({"next": "signIn"})));
    let mut one = ConsoleClient::stranger(&server);
    let answer = one.sign_in("ONE@example.org", PASSWORD);
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["kaisatsu_session=kss_", "; Path=/console;", "; HttpOnly;", "; SameSite=Strict;", "; Max-Age="] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "not behind TLS here");
    let account = one.get("session").json()["account"].clone();
    let expected = ("one@example.org", "operator", "active");
    let words = ["email", "role", "state"].map(|name| account[name].as_str().unwrap());
    assert_eq!((words[0], words[1], words[2]), expected);
    let session = one.get("session").json();
    assert_eq!((&session["registration"], &session["empty"]), (&json!("approval"), &json!(false)));
    // From now on nobody comes in without the operator.
    let mut two = ConsoleClient::stranger(&server);
    let next = two.call("POST", "accounts", &json!({"email": "two@example.org", "password": PASSWORD}));
    assert_eq!((next.status, next.json()), (202, json!({"next": "approval"})));
    assert_eq!(code(&two.sign_in("two@example.org", PASSWORD)), told(403, "accountWaiting"));
    let accounts = one.get("operator/accounts").json()["accounts"].as_array().unwrap().clone();
    let waiting = accounts.iter().find(|account| account["state"] == "waiting").unwrap();
    let path = format!("operator/accounts/{}", waiting["id"].as_str().unwrap());
    assert_eq!(one.call("PATCH", &path, &json!({"state": "active"})).status, 200);
    assert_eq!(two.sign_in("two@example.org", PASSWORD).json()["account"]["role"], "member");
    assert_eq!(code(&two.get("operator/accounts")), told(403, "notAllowed"));
    assert!(!server.log().contains(PASSWORD) && !server.log().contains("kss_"), "no secret in the log");
}

fn no_answer_tells_whether_an_address_is_registered(backend: Backend) {
    let (_database, server) = start(backend);
    let _one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let mut stranger = ConsoleClient::stranger(&server);
    let answers = ["one@example.org", "nobody@example.org"].map(|email| {
        let registered = stranger.call("POST", "accounts", &json!({"email": email, "password": "another password"}));
        let forgot = stranger.call("POST", "password-reset", &json!({"email": email}));
        [(registered.status, registered.text()), (forgot.status, forgot.text())]
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0][1], (202, r#"{"sentTo":"log"}"#.to_owned()));
    let wrong = ["one@example.org", "never@example.org", "no address"]
        .map(|email| stranger.sign_in(email, "wrong password"))
        .map(|answer| (answer.status, answer.text()));
    assert!(wrong[0].0 == 401 && wrong.iter().all(|answer| *answer == wrong[0]), "{wrong:?}");
    assert_eq!(stranger.sign_in("one@example.org", PASSWORD).status, 200, "the password is as it was");
    for (email, password, word) in [
        ("no address", PASSWORD, "invalidEmail"),
        ("a@b.c\r\nBcc: d@e.f", PASSWORD, "invalidEmail"),
        ("a@b.c", "too short", "invalidPassword"),
        ("a@example.org", "a@example.org", "invalidPassword"),
    ] {
        let answer = stranger.call("POST", "accounts", &json!({"email": email, "password": password}));
        assert_eq!(code(&answer), told(400, word), "{email} {password}");
    }
}

fn nobody_guesses_for_ever(backend: Backend) {
    let (database, server) = start(backend);
    let other = Server::start(&database, &[]);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    for email in ["one@example.org", "nobody@example.org"] {
        for guess in 0..10 {
            // Half of them on another replica.
            let mut stranger = ConsoleClient::stranger(if guess % 2 == 0 { &server } else { &other });
            assert_eq!(stranger.sign_in(email, &format!("guess number {guess}")).status, 401);
        }
        let refused = ConsoleClient::stranger(&server).sign_in(email, PASSWORD);
        assert_eq!(code(&refused), told(429, "tooOften"));
        let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=900).contains(&wait), "{wait}");
    }
    assert_eq!(one.get("applications").status, 200, "who is signed in is not disturbed");
    let change = json!({"current": "guess", "new": "another password"});
    let changed: Vec<_> = (0..11).map(|_| one.call("PUT", "account/password", &change).status).collect();
    assert_eq!((&changed[..10], changed[10]), (&[401; 10][..], 429), "nor may they guess");
    assert_eq!(ConsoleClient::registered(&other, "two@example.org", PASSWORD).get("account/sessions").status, 200);
}

/// One attempt to sign in from an address, through a proxy on this machine, with the cookie of a browser.
fn sign_in_from(server: &Server, place: &str, cookie: &str, email: &str, password: &str) -> Answer {
    let stranger = ConsoleClient { cookie: cookie.to_owned(), ..ConsoleClient::stranger(server) };
    let headers = format!("Content-Type: application/json\r\nX-Forwarded-For: {place}\r\n");
    stranger.send("POST", "session", &headers, json!({"email": email, "password": password}).to_string().as_bytes())
}

fn nobody_is_kept_out_by_a_stranger(backend: Backend) {
    let (_database, server) = start(backend);
    let mut one = ConsoleClient::stranger(&server);
    let _ = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let signed_in = one.sign_in("one@example.org", PASSWORD);
    let cookies: Vec<_> =
        signed_in.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, set)| set).collect();
    let browser = cookies.iter().find(|set| set.starts_with("kaisatsu_browser=")).expect("a cookie of the browser");
    for part in ["; Path=/console;", "; HttpOnly;", "; SameSite=Strict;", "; Max-Age=31536000"] {
        assert!(browser.contains(part), "{browser}");
    }
    let browser = browser.split(';').next().unwrap();
    for _ in 0..10 {
        assert_eq!(sign_in_from(&server, "198.51.100.7", "", "one@example.org", "a wrong password").status, 401);
    }
    let status = |place, cookie| sign_in_from(&server, place, cookie, "one@example.org", PASSWORD).status;
    assert_eq!(status("198.51.100.7", ""), 429, "whoever guesses is stopped");
    assert_eq!(status("203.0.113.1", ""), 200, "the owner is elsewhere");
    assert_eq!(status("198.51.100.7", browser), 200, "or is known, also there");
    assert_eq!(status("198.51.100.7", "kaisatsu_browser=0123-4567"), 429);
    // Sixty addresses with one password.
    let tried = |n| sign_in_from(&server, "198.51.100.8", "", &format!("{n}@example.org"), PASSWORD).status;
    let slowed = (0..60).filter(|n| tried(*n) == 429).count();
    assert_eq!(slowed, 30);
    assert!(!server.log().contains(browser.trim_start_matches("kaisatsu_browser=")), "no secret in the log");
}

fn closed_registration_makes_no_operator(backend: Backend) {
    let (database, server) = start(backend);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let home = tempfile::tempdir().unwrap();
    let account =
        |args: &[&str]| run(home.path(), &[&["account"], args, &["--database", &database.address]].concat(), &[]);
    assert_eq!(account(&["registration", "closed"]).code, 0);
    assert_eq!(one.call("DELETE", "account", &json!({"password": PASSWORD})).status, 204);
    let stranger = ConsoleClient::stranger(&server);
    assert_eq!(stranger.get("session").json()["empty"], false, "nobody is invited to run the server");
    let register = |email| stranger.call("POST", "accounts", &json!({"email": email, "password": PASSWORD}));
    assert_eq!(code(&register("next@example.org")), told(403, "registrationClosed"));
    assert_eq!(account(&["registration", "open"]).code, 0);
    let owner = ConsoleClient::registered(&server, "owner@example.org", PASSWORD);
    assert_eq!(owner.get("session").json()["account"]["role"], "operator", "who has the command line decides");
}

/// The newest link of a kind in the log.
fn link(server: &Server, page: &str) -> Option<String> {
    let log = server.log();
    let (_, rest) = log.rsplit_once(&format!("/console/{page}?token="))?;
    Some(rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect())
}

fn a_forgotten_password_is_chosen_anew(backend: Backend) {
    let (_database, server) = start(backend);
    let mut one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let stranger = ConsoleClient::stranger(&server);
    let asked = stranger.call("POST", "password-reset", &json!({"email": "one@example.org", "language": "ja"}));
    assert_eq!(asked.json(), json!({"sentTo": "log"}));
    let token = eventually("the link is in the log", || link(&server, "reset"));
    assert!(server.log().contains("パスワードの再設定"), "{}", server.log());
    let finish = |token: &str, password: &str| {
        code(&stranger.call("POST", "password-reset/finish", &json!({"token": token, "password": password})))
    };
    assert_eq!(finish(&token, "short"), told(400, "invalidPassword"), "and the link is good for another try");
    assert_eq!(finish("ksl_0", "a new password"), told(400, "linkInvalid"));
    assert_eq!(finish(&token, "a new password"), ok(204));
    assert_eq!(finish(&token, "a newer password"), told(400, "linkInvalid"), "it works once");
    assert_eq!(code(&one.get("applications")), told(401, "notSignedIn"), "every session ended");
    assert_eq!(one.sign_in("one@example.org", PASSWORD).status, 401);
    assert_eq!(one.sign_in("one@example.org", "a new password").status, 200);
}

fn a_session_is_one_browser_s(backend: Backend) {
    let (database, server) = start(backend);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let mut two = ConsoleClient::stranger(&Server::start(&database, &[]));
    two.address = server.address;
    assert_eq!(two.sign_in("one@example.org", PASSWORD).status, 200);
    let sessions = one.get("account/sessions").json()["sessions"].as_array().unwrap().clone();
    let current: Vec<_> = sessions.iter().filter(|session| session["current"] == json!(true)).collect();
    assert_eq!((sessions.len(), current.len()), (2, 1));
    assert_eq!(one.call("DELETE", "account/sessions", &json!({})).status, 204);
    assert_eq!((one.get("applications").status, two.get("applications").status), (200, 401));
    assert_eq!(two.sign_in("one@example.org", PASSWORD).status, 200);
    let wrong = json!({"current": "not the password", "new": "another password"});
    assert_eq!(code(&one.call("PUT", "account/password", &wrong)), told(401, "wrongCredentials"));
    let right = json!({"current": PASSWORD, "new": "another password"});
    assert_eq!(one.call("PUT", "account/password", &right).status, 204);
    assert_eq!((one.get("applications").status, two.get("applications").status), (200, 401));
    let gone = one.call("DELETE", "session", &json!({}));
    assert!(gone.header("set-cookie").unwrap().contains("kaisatsu_session=; ") && gone.status == 204);
    assert_eq!(code(&one.get("applications")), told(401, "notSignedIn"));
}

fn only_the_console_s_own_pages_are_heard(backend: Backend) {
    let (_database, server) = start(backend);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let body = br#"{"name":"x"}"#;
    let proof = format!("X-CSRF-Token: {}\r\n", one.csrf);
    let json_type = "Content-Type: application/json\r\n";
    for (headers, expected) in [
        (json_type.to_owned(), told(403, "badCsrf")),
        (format!("{json_type}X-CSRF-Token: {}\r\n", "0".repeat(40)), told(403, "badCsrf")),
        (format!("{json_type}{proof}Origin: http://evil.example\r\n"), told(403, "badCsrf")),
        (format!("{json_type}{proof}Sec-Fetch-Site: cross-site\r\n"), told(403, "badCsrf")),
        (format!("Content-Type: text/plain\r\n{proof}"), told(415, "mediaType")),
        (format!("{json_type}{proof}Origin: http://localhost\r\n"), ok(201)),
    ] {
        assert_eq!(code(&one.send("POST", "applications", &headers, body)), expected, "{headers}");
    }
    // Signing in and registering need no session, but the same CSRF protection.
    for path in ["session", "accounts"] {
        let body = json!({"email": "one@example.org", "password": PASSWORD}).to_string();
        let stranger = ConsoleClient::stranger(&server);
        let other =
            stranger.send("POST", path, &format!("{json_type}Origin: http://evil.example\r\n"), body.as_bytes());
        assert_eq!(code(&other), told(403, "badCsrf"));
        let form = stranger.send("POST", path, "Content-Type: application/x-www-form-urlencoded\r\n", body.as_bytes());
        assert_eq!(code(&form), told(415, "mediaType"));
    }
    for (body, status) in [(&b"{"[..], 400), (b"[]", 400), (b"{\"name\":\"a\\u0000\"}", 400), (b"{\"name\":\"\"}", 400)]
    {
        assert_eq!(
            code(&one.send("POST", "applications", &format!("{json_type}{proof}"), body)),
            told(status, "invalid")
        );
    }
    let large = vec![b' '; 70_000];
    assert_eq!(code(&one.send("POST", "applications", &format!("{json_type}{proof}"), &large)), told(413, "tooLarge"));
    assert_eq!(code(&one.get("nonsense")), told(404, "notFound"));
    assert_eq!(code(&one.call("PUT", "session", &json!({}))), told(405, "method"));
    assert!(one.get("session").header("access-control-allow-origin").is_none(), "no other site may read");
}

fn operators_let_people_in_and_out(backend: Backend) {
    let (_database, server) = start(backend);
    let one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let set = |mode: &str| one.call("PUT", "operator/registration", &json!({"mode": mode}));
    assert_eq!(set("ajar").status, 400);
    assert_eq!(set("approval").json()["registration"], "approval");
    let mut two = ConsoleClient::stranger(&server);
    let next = two.call("POST", "accounts", &json!({"email": "two@example.org", "password": PASSWORD}));
    assert_eq!(next.json(), json!({"next": "approval"}));
    assert_eq!(code(&two.sign_in("two@example.org", PASSWORD)), told(403, "accountWaiting"));
    assert_eq!(two.sign_in("two@example.org", "not the password").status, 401, "only who knows it learns that");
    let accounts = one.get("operator/accounts").json()["accounts"].as_array().unwrap().clone();
    let id = |n: usize| accounts[n]["id"].as_str().unwrap().to_owned();
    let change = |id: &str, body: Value| one.call("PATCH", &format!("operator/accounts/{id}"), &body);
    assert_eq!(change(&id(1), json!({"state": "active"})).json()["state"], "active");
    assert_eq!(two.sign_in("two@example.org", PASSWORD).status, 200);
    let (_, key) = two.application("two's");
    let call = || server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status;
    assert_eq!(call(), 200);
    assert_eq!(change(&id(1), json!({"state": "disabled"})).status, 200);
    assert_eq!(two.get("applications").status, 401, "signed out");
    eventually("the keys are refused", || (call() == 403).then_some(()));
    assert_eq!(code(&two.sign_in("two@example.org", PASSWORD)), told(403, "accountDisabled"));
    assert_eq!(change(&id(1), json!({"state": "active"})).status, 200);
    eventually("the keys are good again", || (call() == 200).then_some(()));
    assert_eq!(code(&change(&id(0), json!({"role": "member"}))), told(409, "lastOperator"));
    assert_eq!(code(&change("acc_nobody", json!({"role": "member"}))), told(404, "notFound"));
    assert_eq!(set("closed").status, 200);
    let refused =
        ConsoleClient::stranger(&server).call("POST", "accounts", &json!({"email": "a@b.c", "password": PASSWORD}));
    assert_eq!(code(&refused), told(403, "registrationClosed"));
    let remove = |body: Value| code(&one.call("DELETE", &format!("operator/accounts/{}", id(1)), &body));
    assert_eq!(remove(json!({"email": "one@example.org"})), told(400, "invalid"));
    assert_eq!(remove(json!({"email": "two@example.org"})), ok(204));
    eventually("the keys are refused", || (call() == 403 || call() == 401).then_some(()));
}

fn operators_have_a_command_line(backend: Backend) {
    let (database, server) = start(backend);
    let _one = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let two = ConsoleClient::registered(&server, "two@example.org", PASSWORD);
    let home = tempfile::tempdir().unwrap();
    let kaisatsu =
        |args: &[&str]| run(home.path(), &[&["--database", &database.address, "account"], args].concat(), &[]);
    let listed = kaisatsu(&["list"]).out;
    assert!(listed.contains("one@example.org") && listed.contains("operator"), "{listed}");
    assert_eq!(kaisatsu(&["registration", "closed"]).out, "closed\n");
    assert_eq!(kaisatsu(&["registration"]).out, "closed\n");
    assert_eq!(kaisatsu(&["disable", "two@example.org"]).code, 0);
    assert_eq!(two.get("applications").status, 401);
    assert_eq!(kaisatsu(&["approve", "two@example.org"]).code, 0);
    assert_eq!(kaisatsu(&["role", "two@example.org", "operator"]).code, 0);
    let link = kaisatsu(&["reset", "two@example.org"]).out;
    let token = link.trim().split("token=").nth(1).unwrap();
    let finish = json!({"token": token, "password": "a new password"});
    assert_eq!(ConsoleClient::stranger(&server).call("POST", "password-reset/finish", &finish).status, 204);
    let mut two = ConsoleClient::stranger(&server);
    assert_eq!(two.sign_in("two@example.org", "a new password").json()["account"]["role"], "operator");
    let _ = two.application("two's");
    let would = kaisatsu(&["delete", "two@example.org"]);
    assert!(would.out.starts_with("two's: 1 key,") && would.err.contains("--yes"), "{would:?}");
    assert_eq!(kaisatsu(&["delete", "two@example.org", "--yes"]).code, 0);
    assert_eq!(two.get("applications").status, 401);
    assert_eq!(kaisatsu(&["registration", "approval"]).out, "approval\n");
    let mut three = ConsoleClient::stranger(&server);
    let register = json!({"email": "three@example.org", "password": PASSWORD});
    assert_eq!(three.call("POST", "accounts", &register).json(), json!({"next": "approval"}));
    let waiting = kaisatsu(&["list", "--waiting", "--json"]).out;
    assert!(waiting.lines().count() == 1 && waiting.contains("three@example.org"), "{waiting}");
    let asked = kaisatsu(&["refuse", "three@example.org"]);
    assert!(asked.code == 1 && asked.err.contains("nothing was changed; --yes agrees"), "{asked:?}");
    assert_eq!(kaisatsu(&["list", "--waiting", "--json"]).out, waiting);
    assert_eq!(kaisatsu(&["refuse", "three@example.org", "--yes"]).code, 0);
    assert_eq!(three.sign_in("three@example.org", PASSWORD).status, 401);
    assert_eq!(three.call("POST", "accounts", &register).json(), json!({"next": "approval"}), "they may ask again");
    assert_eq!(kaisatsu(&["approve", "three@example.org"]).code, 0);
    assert_eq!(three.sign_in("three@example.org", PASSWORD).status, 200);
    let refused = kaisatsu(&["refuse", "three@example.org", "--yes"]);
    assert!(refused.code == 1 && refused.err.contains("does not wait"), "{refused:?}");
    let nobody = kaisatsu(&["disable", "nobody@example.org"]);
    assert!(nobody.code != 0 && nobody.err.contains("account list"), "{nobody:?}");
}
