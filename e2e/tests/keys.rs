//! API keys from the command line, and how their changes reach running replicas.

use std::time::{Duration, Instant};

use kaisatsu_e2e::{Backend, Database, Run, Server, eventually, make_key, on_every_backend, run};
use serde_json::Value;

on_every_backend![
    a_new_key_works_at_once_on_every_replica,
    a_revocation_reaches_every_replica,
    a_revocation_is_in_force_within_a_second,
    a_rotation_has_no_gap,
    listings_never_show_a_secret,
    unknown_keys_and_applications_are_reported,
    a_key_survives_a_restart,
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
