//! API keys from the command line, and how their changes reach running replicas.

use std::time::{Duration, Instant};

use kaisatsu_e2e::{Backend, Database, Run, Server, eventually, http, make_key, on_every_backend, run};
use serde_json::Value;

on_every_backend![
    a_new_key_works_at_once_on_every_replica,
    a_revocation_reaches_every_replica,
    a_revocation_is_in_force_within_a_second,
    a_rotation_has_no_gap,
    listings_never_show_a_secret,
    unknown_keys_and_applications_are_reported,
    a_key_survives_a_restart,
    a_key_is_used_only_from_where_it_may_be,
    a_key_expires,
];

fn kaisatsu(database: &Database, args: &[&str]) -> Run {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &[args, &["--database", &database.address]].concat(), &[])
}

fn status(server: &Server, key: &str) -> u16 {
    server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status
}

fn listed(database: &Database) -> Vec<Value> {
    let list = kaisatsu(database, &["key", "list", "--json"]);
    assert_eq!(list.code, 0, "{}", list.err);
    list.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn a_new_key_works_at_once_on_every_replica(backend: Backend) {
    let database = Database::fresh(backend);
    let replicas = [Server::start(&database, &[]), Server::start(&database, &[])];
    let key = make_key(&database, "new");
    for replica in &replicas {
        assert_eq!(status(replica, &key), 200, "no waiting: an unknown key is looked for at once");
    }
}

fn a_revocation_reaches_every_replica(backend: Backend) {
    let database = Database::fresh(backend);
    let (key, other) = (make_key(&database, "one"), make_key(&database, "two"));
    let replicas = [Server::start(&database, &[]), Server::start(&database, &[])];
    let find = |application: &str| {
        let keys = listed(&database);
        let own = keys.iter().find(|row| row["application"] == application).unwrap();
        own["id"].as_str().unwrap().to_owned()
    };
    let id = find("one");
    for replica in &replicas {
        assert_eq!((status(replica, &key), status(replica, &other)), (200, 200));
    }
    assert_eq!(kaisatsu(&database, &["key", "disable", &id]).code, 0);
    for replica in &replicas {
        eventually("the key is refused", || (status(replica, &key) == 403).then_some(()));
        assert_eq!(status(replica, &other), 200, "another application's key is untouched");
    }
    assert_eq!(kaisatsu(&database, &["key", "enable", &id]).code, 0);
    for replica in &replicas {
        eventually("the key works again", || (status(replica, &key) == 200).then_some(()));
    }
}

fn a_revocation_is_in_force_within_a_second(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    let id = listed(&database)[0]["id"].as_str().unwrap().to_owned();
    // Several times, because the delay depends on when the server last read the keys.
    for _ in 0..4 {
        eventually("the key works", || (status(&server, &key) == 200).then_some(()));
        assert_eq!(kaisatsu(&database, &["key", "disable", &id]).code, 0);
        let disabled = Instant::now();
        eventually("the key is refused", || (status(&server, &key) == 403).then_some(()));
        assert!(disabled.elapsed() < Duration::from_secs(1), "refused after {:?}", disabled.elapsed());
        assert_eq!(kaisatsu(&database, &["key", "enable", &id]).code, 0);
    }
}

fn a_rotation_has_no_gap(backend: Backend) {
    let database = Database::fresh(backend);
    let old = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    let id = listed(&database)[0]["id"].as_str().unwrap().to_owned();
    let rotated = kaisatsu(&database, &["key", "rotate", &id, "--overlap", "1h"]);
    assert_eq!(rotated.code, 0, "{}", rotated.err);
    let new = rotated.out.trim();
    assert_eq!((status(&server, &old), status(&server, new)), (200, 200), "both work during the overlap");

    let again = kaisatsu(&database, &["key", "rotate", &id]);
    assert_eq!(
        (again.code, again.err.trim()),
        (1, format!("kaisatsu: key {id} is disabled or was rotated already").as_str())
    );

    let new_id =
        listed(&database).iter().find(|row| row["id"] != id.as_str()).unwrap()["id"].as_str().unwrap().to_owned();
    let newest = kaisatsu(&database, &["key", "rotate", &new_id, "--overlap", "0s"]);
    assert_eq!(status(&server, newest.out.trim()), 200);
    eventually("a key without overlap ends", || (status(&server, new) == 401).then_some(()));
    let states: Vec<_> = listed(&database).iter().map(|row| row["state"].as_str().unwrap().to_owned()).collect();
    assert_eq!(states, ["active", "expired", "active"]);
}

fn listings_never_show_a_secret(backend: Backend) {
    let database = Database::fresh(backend);
    let made = kaisatsu(&database, &["key", "create", "--app", "時刻表"]);
    let secret = made.out.trim();
    assert!(secret.starts_with("kst_") && secret.len() == 36, "standard output is the key alone: {}", made.out);
    assert!(!made.err.contains(secret));
    for args in [&["key", "list"][..], &["key", "list", "--json"], &["app", "list"], &["app", "list", "--json"]] {
        let list = kaisatsu(&database, args);
        assert!(list.code == 0 && list.out.contains("時刻表") && !list.out.contains(secret), "{args:?}: {}", list.out);
    }
    let own = kaisatsu(&database, &["key", "list", "--app", "時刻表"]);
    assert!(own.out.contains(&format!("…{}", &secret[32..])), "the last four characters tell keys apart");
}

fn unknown_keys_and_applications_are_reported(backend: Backend) {
    let database = Database::fresh(backend);
    for (args, sentence) in [
        (&["key", "disable", "key_none"][..], "there is no key key_none"),
        (&["key", "rotate", "key_none"], "there is no key key_none"),
        (&["app", "disable", "none"], "there is no application named 'none'; `kaisatsu app list` lists them"),
        (&["key", "list", "--app", "none"], "there is no application named 'none'; `kaisatsu app list` lists them"),
    ] {
        let run = kaisatsu(&database, args);
        assert_eq!((run.code, run.err.trim(), run.out.as_str()), (1, format!("kaisatsu: {sentence}").as_str(), ""));
    }
    assert_eq!(kaisatsu(&database, &["app", "create", "twice"]).code, 0);
    let again = kaisatsu(&database, &["app", "create", "twice"]);
    assert_eq!((again.code, again.err.trim()), (1, "kaisatsu: there is an application named 'twice' already"));
}

fn a_key_survives_a_restart(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let key = make_key(&database, "one");
    assert_eq!(status(&server, &key), 200);
    server.signal("-KILL");
    drop(server);
    assert_eq!(status(&Server::start(&database, &[]), &key), 200);
}

fn a_key_is_used_only_from_where_it_may_be(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let create = |places: &str| kaisatsu(&database, &["key", "create", "--app", "one", "--allow", places]);
    let made = create("https://maps.example.org,192.0.2.0/24");
    assert_eq!(made.code, 0, "{}", made.err);
    let ask = |key: &str, headers: &str| {
        http::request(server.address, "GET", &format!("/route_service/v1/railmapList?APIKEY={key}"), headers)
    };
    let keys = || listed(&database).into_iter().filter(|key| key["application"] == "one").collect::<Vec<_>>();
    let successor = kaisatsu(&database, &["key", "rotate", keys()[0]["id"].as_str().unwrap()]).out;
    for key in [made.out.trim(), successor.trim()] {
        let refused = ask(key, "");
        assert_eq!((refused.status, refused.json()["ResultSet"]["Error"]["code"].as_str()), (403, Some("W403")));
        assert!(refused.text().contains("may not be used from here"), "{}", refused.text());
        // Requests of these tests come from this machine, whose proxies are believed.
        for (headers, status) in [
            ("Origin: https://maps.example.org\r\n", 200),
            ("Origin: https://elsewhere.example\r\n", 403),
            ("X-Forwarded-For: 192.0.2.7\r\n", 200),
            ("X-Forwarded-For: 198.51.100.7\r\n", 403),
            ("X-Forwarded-For: 192.0.2.7, 198.51.100.7\r\n", 403),
        ] {
            assert_eq!(ask(key, headers).status, status, "{headers}");
        }
    }
    let places = "https://maps.example.org,192.0.2.0/24";
    assert!(keys().len() == 2 && keys().iter().all(|key| key["allowed"] == places), "{:?}", keys());
    assert!(kaisatsu(&database, &["key", "list"]).out.contains(places));
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"railmapList","arguments":{}}}"#;
    for (origin, answer) in [("192.0.2.7", "tokyo"), ("198.51.100.7", "may not be used from here")] {
        let head = format!(
            "Authorization: Bearer {}\r\nX-Forwarded-For: {origin}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            made.out.trim(),
            call.len()
        );
        let mut connection = http::Connection::open(server.address);
        connection.request("POST", "/mcp", &head);
        connection.send(call.as_bytes());
        let said = connection.answer(false).unwrap().text();
        assert!(said.contains(answer), "a tool of an assistant, from {origin}: {said}");
    }
    for bad in ["maps.example.org", "https://maps.example.org/page", "10.0.0.0/99", ""] {
        assert_eq!(create(bad).code, 2, "{bad}");
    }
}

fn a_key_expires(backend: Backend) {
    let database = Database::fresh(backend);
    let server = Server::start(&database, &[]);
    let create = |app: &str, span: &str| {
        let made = kaisatsu(&database, &["key", "create", "--app", app, "--expires", span]);
        assert_eq!(made.code, 0, "{}", made.err);
        made.out.trim().to_owned()
    };
    let (short, long) = (create("short", "2s"), create("long", "90d"));
    assert_eq!(status(&server, &long), 200);
    eventually("it expires", || (status(&server, &short) == 401).then_some(()));
    let of = |app: &str| listed(&database).into_iter().filter(|key| key["application"] == app).collect::<Vec<_>>();
    assert_eq!(of("short")[0]["state"], "expired");
    let ended = of("short")[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(kaisatsu(&database, &["key", "rotate", &ended]).code, 1, "it is too late for a successor");

    // A successor has the lifetime of the key that it replaces, and that one ends with the overlap.
    let old = of("long")[0].clone();
    let rotated = kaisatsu(&database, &["key", "rotate", old["id"].as_str().unwrap(), "--overlap", "0s"]);
    assert_eq!(rotated.code, 0, "{}", rotated.err);
    let keys = of("long");
    let new = keys.iter().find(|key| key["id"] != old["id"]).unwrap();
    assert!(new["expiresAt"].as_str() >= old["expiresAt"].as_str(), "{new} after {old}");
    eventually("the old one is refused", || (status(&server, &long) == 401).then_some(()));
    assert_eq!(status(&server, rotated.out.trim()), 200);
    let again = kaisatsu(&database, &["key", "rotate", old["id"].as_str().unwrap()]);
    assert!(again.code == 1 && again.err.contains("rotated already"), "{}", again.err);
}
