//! How the server says what does not work: to load balancers, to callers, on the command line.

use std::{fs, path::Path, process::Command};

use kaisatsu_e2e::{
    Answer, Backend, Database, Server, SmallDisk, User, eventually, http, make_key, models_with, pictures::picture,
    run, spawn,
};
use serde_json::{Value, json};

/// The state and the message of a part, as `/readyz` lists it: what has to be tried is listed after its first trial.
fn part(server: &Server, name: &str) -> (String, String) {
    let body = server.get("/readyz").json();
    let parts = body["parts"].as_array().unwrap();
    let Some(part) = parts.iter().find(|part| part["name"] == name) else {
        return ("not listed".to_owned(), body.to_string());
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&part["state"]), text(&part["message"]))
}

/// The code of an error, its message and after how many seconds to try again.
fn refusal(answer: &Answer) -> (u16, String, u64) {
    let wait = answer.header("retry-after").map_or(0, |text| text.parse().unwrap());
    (answer.status, answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned(), wait)
}

fn token(server: &Server, key: &str, user: &str) -> Answer {
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    http::post(server.address, &target, "application/json", json!({"userId": user}).to_string().as_bytes())
}

#[test]
fn readiness_lists_every_part() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
    let body = server.get("/readyz").json();
    assert_eq!(body["status"], "ok");
    let names: Vec<_> = body["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    eventually("the disks were looked at", || {
        let expected =
            ["server", "database", "databaseDisk", "imagesDisk", "keys", "maps", "models", "collections", "feedback"];
        let body = server.get("/readyz").json();
        let names = body["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap());
        names.eq(expected).then_some(())
    });
    assert!(names.contains(&"database"), "{names:?}");
    assert_eq!(part(&server, "database"), ("ok".to_owned(), String::new()));
    let (state, message) = part(&server, "models");
    assert_eq!(state, "off", "a server without models is no broken server");
    assert!(message.contains("kaisatsu models install"), "{message}");
}

#[test]
fn a_server_that_was_killed_is_not_well_until_another_listens_in_its_place() {
    let database = Database::fresh(Backend::Sqlite);
    let mut server = Server::start(&database, &[]);
    let (home, address) = (tempfile::tempdir().unwrap(), server.address.to_string());
    let status = || run(home.path(), &["status", "--listen", &address, "--database", &database.address], &[]);
    assert_eq!(status().code, 0);
    server.signal("-KILL");
    server.wait();
    let killed = status();
    assert_eq!(killed.code, 1, "{}", killed.out);
    assert!(killed.out.starts_with(&format!("no server answers at {address}")), "{}", killed.out);
    let serve = ["serve", "--listen", &address, "--database", &database.address];
    let mut again = spawn(home.path(), &serve, &[]);
    eventually("its own row is there alone", || {
        let status = status();
        (status.code == 0 && status.out.matches(&address).count() == 2).then_some(())
    });
    again.kill().unwrap();
    again.wait().unwrap();
}

#[test]
fn a_map_file_with_errors_is_said_by_readiness() {
    let server = Server::start(&Database::fresh(Backend::Sqlite), &[]);
    let file = server.maps().join("town.toml");
    fs::write(&file, "format = 1\n").unwrap();
    let message = eventually("readiness says so", || {
        let (state, message) = part(&server, "maps");
        (state == "degraded").then_some(message)
    });
    assert!(message.starts_with("not usable: town.toml"), "{message}");
    eventually("it is ready all the same", || (server.get("/readyz").status == 200).then_some(()));
    fs::remove_file(file).unwrap();
    eventually("readiness is well again", || (part(&server, "maps").0 == "ok").then_some(()));
}

#[test]
fn a_full_disk_of_the_database_is_said_to_callers_and_by_readiness() {
    let disk = SmallDisk::mount(24);
    let database = Database::in_folder(disk.path());
    let key = make_key(&database, "one");
    let blobs = tempfile::tempdir().unwrap();
    let server = Server::start(&database, &["--blobs", &format!("file:{}", blobs.path().display())]);
    assert_eq!(token(&server, &key, "u").status, 200);
    disk.fill();
    // What the write-ahead log has room for is still stored.
    let refused = eventually("nothing can be stored", || {
        let answer = token(&server, &key, "u");
        (answer.status != 200).then_some(answer)
    });
    let (status, message, wait) = refusal(&refused);
    assert_eq!(status, 503, "{message}");
    assert!(message.contains("the disk of the server's database is full"), "{message}");
    assert!(!message.contains("shortly") && wait >= 60, "{message}; Retry-After: {wait}");
    let (_, told) =
        eventually("readiness says so", || Some(part(&server, "databaseDisk")).filter(|p| p.0 == "failing"));
    assert!(told.contains("full"), "{told}");
    let ready = server.get("/readyz");
    assert_eq!((ready.status, &ready.json()["status"]), (200, &json!("degraded")), "maps are still answered");
    let maps = server.get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
    assert_eq!(maps.status, 200);
    assert!(server.log().contains("databaseDisk"), "the operator's log has it too");

    let home = tempfile::tempdir().unwrap();
    let address = server.address.to_string();
    let status = run(home.path(), &["status", "--listen", &address, "--database", &database.address], &[]);
    assert_eq!(status.code, 1, "{}", status.err);
    assert!(status.out.contains("degraded") && status.out.contains("is full"), "{}", status.out);

    disk.make_room();
    eventually("it stores again", || (token(&server, &key, "u").status == 200).then_some(()));
    eventually("readiness is well again", || (server.get("/readyz").json()["status"] == "ok").then_some(()));
    // Each of the connections does, and what they acknowledge is kept.
    let users: Vec<User> = (0..40).map(|number| User::named(&server, &key, &format!("u{number}"))).collect();
    drop(server);
    let server = Server::start(&database, &["--blobs", &format!("file:{}", blobs.path().display())]);
    for user in users {
        let listed = user.on(&server).call("userCategory/listDataSets", &json!({}));
        assert_eq!(listed.status, 200, "{}", listed.text());
    }
}

#[test]
fn a_storage_for_images_that_is_full_or_read_only_is_said_to_callers() {
    let disk = SmallDisk::mount(8);
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &["--blobs", &format!("file:{}", disk.path().display())]);
    eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
    let user = User::named(&server, &key, "u");
    let upload = |number: u32| user.send("userCategory/uploadImage", &[("image", &picture("1", &number.to_string()))]);
    assert_eq!(upload(1).status, 200);

    disk.fill();
    let (status, message, wait) = refusal(&upload(2));
    assert_eq!(status, 503, "{message}");
    assert!(message.contains("disk for images is full") && !message.contains("shortly"), "{message}");
    assert!(wait >= 60, "Retry-After: {wait}");
    let is_failing = |found: &(String, String)| found.0 == "failing";
    let (_, told) = eventually("readiness says so", || Some(part(&server, "imagesDisk")).filter(is_failing));
    assert!(told.contains("users' images is full"), "{told}");
    disk.make_room();
    assert_eq!(upload(2).status, 200);

    disk.set_read_only(true);
    let (status, message, _) = refusal(&upload(3));
    assert_eq!(status, 503, "{message}");
    assert!(message.contains("can only be read"), "{message}");
    let is_read_only = |found: &(String, String)| found.1.contains("read-only");
    eventually("readiness says so", || Some(part(&server, "imagesDisk")).filter(is_read_only));
    disk.set_read_only(false);
    assert_eq!(upload(3).status, 200);
}

#[test]
fn a_slow_database_is_said_with_its_time() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let file = database.address.trim_start_matches("sqlite:");
    // Another program that holds the lock of the database for seconds at a time.
    let hold = "import sqlite3, sys, time\nfor _ in range(8):\n    c = sqlite3.connect(sys.argv[1], \
                isolation_level=None, timeout=60)\n    c.execute('BEGIN EXCLUSIVE')\n    time.sleep(3)\n    \
                c.execute('COMMIT')\n    c.close()\n    time.sleep(0.3)\n";
    let mut holder = Command::new("python3").args(["-c", hold, file]).spawn().unwrap();
    let is_slow = |found: &(String, String)| found.0 == "degraded";
    let (_, told) = eventually("the database is slow", || Some(part(&server, "database")).filter(is_slow));
    assert!(told.contains("the database is slow: writing one row took ") && told.ends_with(" ms"), "{told}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    eventually("it is quick again", || (part(&server, "database").0 == "ok").then_some(()));
}

#[test]
fn models_that_are_missing_or_broken_are_named() {
    let models = models_with(&["general"]);
    fs::create_dir(models.path().join("mine")).unwrap();
    fs::write(models.path().join("mine/model.toml"), "name = \"mine\"\n").unwrap();
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &["--models", &models.path().display().to_string()]);
    eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
    let (state, message) = part(&server, "models");
    assert_eq!(state, "degraded");
    assert!(message.contains("not installed: coco, text, local-features"), "{message}");
    assert!(message.contains("not usable: mine"), "{message}");
    assert_eq!(server.get("/readyz").json()["status"], "degraded");
}

#[test]
fn the_status_of_the_servers_is_printed_and_is_the_exit_code() {
    let database = Database::fresh(Backend::Sqlite);
    let home = tempfile::tempdir().unwrap();
    let status = |address: &str, more: &[&str]| {
        run(home.path(), &[&["status", "--listen", address, "--database", &database.address], more].concat(), &[])
    };
    let none = status("127.0.0.1:1", &[]);
    assert_eq!(none.code, 1);
    assert!(none.out.contains("no server answers at 127.0.0.1:1"), "{}", none.out);

    let (one, other) = (Server::start(&database, &[]), Server::start(&database, &[]));
    let address = one.address.to_string();
    let json = eventually("both have said that they live", || {
        let shown = status(&address, &["--json"]);
        let json: Value = serde_json::from_str(&shown.out).unwrap();
        (shown.code == 0 && json["replicas"].as_array().unwrap().len() == 2).then_some(json)
    });
    assert_eq!((&json["status"], &json["address"]), (&json!("ok"), &json!(address)));
    let addresses: Vec<_> = json["replicas"].as_array().unwrap().iter().map(|one| one["address"].clone()).collect();
    assert!(addresses.contains(&json!(other.address.to_string())), "{addresses:?}");
    let text = status(&address, &[]);
    assert!(text.out.contains("is ok") && text.out.contains("PART") && text.out.contains("SERVER"), "{}", text.out);
    drop(other);
    assert!(Path::new(home.path()).exists());
}

#[test]
fn a_server_that_ends_is_no_replica_any_more() {
    let database = Database::fresh(Backend::Sqlite);
    let stays = Server::start(&database, &[]);
    let mut ends = Server::start(&database, &["--shutdown-drain", "0s"]);
    let home = tempfile::tempdir().unwrap();
    let count = || {
        let address = stays.address.to_string();
        let shown = run(home.path(), &["status", "--json", "--listen", &address, "--database", &database.address], &[]);
        serde_json::from_str::<Value>(&shown.out).unwrap()["replicas"].as_array().unwrap().len()
    };
    eventually("both live", || (count() == 2).then_some(()));
    ends.signal("-TERM");
    assert_eq!(ends.wait(), Some(0));
    assert_eq!(count(), 1);
}
