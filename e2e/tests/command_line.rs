//! The command line: help, lists as JSON, sizes and addresses as people write them, backups.

use std::{fs, path::Path};

use kaisatsu_e2e::{Backend, ConsoleClient, Database, Run, Server, User, eventually, make_key, pictures::picture, run};
use serde_json::{Value, json};

fn lines(run: &Run) -> Vec<Value> {
    assert_eq!(run.code, 0, "{}", run.err);
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_help_of_a_command_shows_its_own_options_and_no_settings() {
    let home = tempfile::tempdir().unwrap();
    let help = |args: &[&str]| run(home.path(), &[args, &["--help"]].concat(), &[]).out;
    let create = help(&["key", "create"]);
    assert!(create.contains("--scope <SCOPE>") && !create.contains("--engine-threads"), "{create}");
    assert!(create.contains("kaisatsu serve --help"), "{create}");
    assert!(create.lines().count() < 40, "{create}");
    for args in [&["serve"][..], &["config"]] {
        assert!(help(args).contains("--engine-threads"), "{args:?}");
    }
    assert!(!help(&[]).contains("--engine-threads"));
    // They are hidden, not gone.
    let data = home.path().join("elsewhere").display().to_string();
    assert_eq!(run(home.path(), &["app", "list", "--data", &data], &[]).code, 0);
    assert!(Path::new(&data).join("kaisatsu.db").is_file());
}

#[test]
fn sizes_addresses_and_spans_are_written_as_people_write_them() {
    let home = tempfile::tempdir().unwrap();
    let args = ["config", "--max-image-bytes", "5MB", "--user-bytes", "1GiB", "--listen", ":8640"];
    let shown = run(home.path(), &[&args[..], &["--token-lifetime", "1d12h"]].concat(), &[]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    let file = home.path().join("my.toml");
    fs::write(&file, shown.out).unwrap();
    let path = file.display().to_string();
    assert_eq!(run(home.path(), &["config", "--config", &path], &[]).code, 0);
    let refused = run(home.path(), &["config", "--max-image-bytes", "20 bananas"], &[]);
    assert!(refused.code == 2 && refused.err.contains("such as 20MB or 2GiB"), "{}", refused.err);
}

#[test]
fn every_list_can_be_json() {
    let database = Database::fresh(Backend::Sqlite);
    let _key = make_key(&database, "one");
    let home = tempfile::tempdir().unwrap();
    let list =
        |args: &[&str]| lines(&run(home.path(), &[args, &["--json", "--database", &database.address]].concat(), &[]));
    assert_eq!(list(&["app", "list"])[0]["name"], "one");
    assert_eq!(list(&["key", "list"])[0]["application"], "one");
    let tokyo = list(&["map", "list"]).into_iter().find(|map| map["id"] == "tokyo").unwrap();
    assert!(tokyo["stations"].as_i64().unwrap() > 100, "{tokyo}");
    assert_eq!(list(&["account", "list"]), Vec::<Value>::new());
    assert_eq!(list(&["collection", "list"]), Vec::<Value>::new());
    assert_eq!(list(&["catalogue", "list"]), Vec::<Value>::new());
    assert_eq!(list(&["catalogue", "count"]), Vec::<Value>::new());
    assert_eq!(list(&["models", "list"]), Vec::<Value>::new());
    assert_eq!(list(&["shard", "list"]), Vec::<Value>::new());
    assert_eq!(list(&["shard", "status"]), Vec::<Value>::new());
    assert_eq!(list(&["token", "list", "--app", "one"]), Vec::<Value>::new());
    assert_eq!(list(&["catalogue", "list", "--missing"]), Vec::<Value>::new());
    assert_eq!(list(&["catalog", "list"]), Vec::<Value>::new(), "the name that it had before");
    let setting = |name: &str, args: &[&str]| {
        let all = list(&[&["config"], args].concat());
        all.into_iter().find(|setting| setting["name"] == name).unwrap()
    };
    let listen = json!({"name": "listen", "value": "127.0.0.1:9000", "origin": "flag"});
    assert_eq!(setting("listen", &["--listen", "127.0.0.1:9000"]), listen);
    assert_eq!(setting("smtp", &[]), json!({"name": "smtp", "value": null, "origin": "default"}));
    let secret = setting("smtp", &["--smtp", "smtp://me:s3cret@mail.example.org"]);
    assert_eq!(secret, json!({"name": "smtp", "value": "…", "origin": "flag"}));
    assert_eq!(list(&["account", "list", "--waiting"]), Vec::<Value>::new());
    assert_eq!(list(&["usage", "--app", "one"]), Vec::<Value>::new());
    assert_eq!(list(&["feedback", "list"]), Vec::<Value>::new());
    assert_eq!(list(&["feedback", "held"]), Vec::<Value>::new());
    assert_eq!(list(&["feedback", "totals"]), [json!([])]);
    assert!(list(&["doctor", "--listen", "127.0.0.1:0"]).iter().any(|row| row["check"] == "database"));
}

#[test]
fn what_cannot_be_a_shard_is_refused_without_its_password() {
    let database = Database::fresh(Backend::Sqlite);
    let home = tempfile::tempdir().unwrap();
    let add = |name: &str, address: &str| {
        let args = ["shard", "add", name, "--database", &database.address];
        run(home.path(), &args, &[("KAISATSU_SHARD_ADDRESS", address)])
    };
    for (name, address, code, words) in [
        ("east", "postgres://me:s3cret@h/d", 1, "this database is SQLite"),
        ("east", "postgres://me:s3cret@h:x/d", 2, "expected postgres://USER:PASSWORD@HOST:PORT/DATABASE"),
        ("East", "postgres://me:s3cret@h/d", 2, "lower-case letter"),
    ] {
        let refused = add(name, address);
        assert_eq!((refused.code, refused.err.contains(words)), (code, true), "{}", refused.err);
        assert!(!refused.err.contains("s3cret"), "{}", refused.err);
    }
}

#[test]
fn an_account_is_created_with_a_link_for_its_password() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let home = tempfile::tempdir().unwrap();
    let address = server.address.to_string();
    let create = |email: &str| {
        run(home.path(), &["account", "create", email, "--role", "operator", "--database", &database.address], &[])
    };
    // The link uses the address of the running server, which the command finds by itself.
    eventually("the server is listed", || {
        run(home.path(), &["status", "--database", &database.address], &[]).out.contains(&address).then_some(())
    });
    let made = create("one@example.org");
    assert_eq!(made.code, 0, "{}", made.err);
    let link = made.out.trim();
    let token = link.strip_prefix(&format!("http://{address}/console/reset?token=")).unwrap();
    let mut person = ConsoleClient::stranger(&server);
    assert_eq!(person.sign_in("one@example.org", "").status, 401, "nobody knows a password");
    let password = "correct horse battery";
    let set = person.call("POST", "password-reset/finish", &json!({"token": token, "password": password}));
    assert!(set.status < 300, "{} {}", set.status, set.text());
    let session = person.sign_in("one@example.org", password).json();
    assert_eq!(session["account"]["role"], "operator");
    let again = create("one@example.org");
    assert!(again.code == 1 && again.err.contains("already"), "{}", again.err);
}

#[test]
fn usage_is_printed_by_operation() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    for id in ["tokyo", "nowhere", "tokyo"] {
        let _ = server.get(&format!("/route_service/v1/railmapDetail?APIKEY={key}&id={id}"));
    }
    let home = tempfile::tempdir().unwrap();
    let row = eventually("the requests are stored", || {
        let args = ["usage", "--app", "one", "--json", "--database", &database.address];
        lines(&run(home.path(), &args, &[])).into_iter().next()
    });
    assert_eq!((&row["operation"], &row["requests"]), (&json!("railmapDetail"), &json!(3)));
    assert_eq!((&row["answered"], &row["refused"]), (&json!(2), &json!(1)));
}

#[test]
fn the_doctor_finds_what_keeps_a_server_from_working() {
    let home = tempfile::tempdir().unwrap();
    let well = run(home.path(), &["doctor", "--listen", "127.0.0.1:0"], &[]);
    assert_eq!(well.code, 0, "{}", well.out);
    assert!(well.out.contains("kaisatsu models install"), "{}", well.out);
    let file = home.path().join("file");
    fs::write(&file, "no database").unwrap();
    let args = ["doctor", "--json", "--database", &format!("sqlite:{}", file.display()), "--tls-cert", "/nonexistent"];
    let ill = run(home.path(), &args, &[]);
    assert_eq!(ill.code, 1);
    let found: Vec<Value> = ill.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let problem = |what: &str| found.iter().any(|row| row["check"] == what && row["result"] == "PROBLEM");
    assert!(problem("database") && problem("TLS"), "{}", ill.out);
}

#[test]
fn a_backup_is_made_while_the_server_runs_and_can_be_restored() {
    let home = tempfile::tempdir().unwrap();
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let blobs = format!("file:{}", home.path().join("blobs").display());
    let server = Server::start(&database, &["--blobs", &blobs]);
    let user = User::named(&server, &key, "u");
    let image = user.upload(&picture("1", "1"), "cat");
    let backup = home.path().join("backup").display().to_string();
    let make = ["backup", &backup, "--database", &database.address, "--blobs", &blobs];
    let made = run(home.path(), &make, &[]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    assert!(made.out.contains("1 image ") && made.out.contains("all is well"), "{}", made.out);
    let again = run(home.path(), &make, &[]);
    assert!(again.code == 2 && again.err.contains("is not empty"), "{}", again.err);
    drop(server);

    let data = home.path().join("restored").display().to_string();
    let restored = run(home.path(), &["restore", &backup, "--data", &data], &[]);
    assert_eq!(restored.code, 0, "{}{}", restored.out, restored.err);
    let twice = run(home.path(), &["restore", &backup, "--data", &data], &[]);
    assert!(twice.code == 2 && twice.err.contains("is not overwritten"), "{}", twice.err);
    let copy = Database::in_folder(Path::new(&data));
    let server = Server::start(&copy, &["--data", &data]);
    let user = user.on(&server);
    let found = server.get(&format!("{}&imageId={image}", user.target("userCategory/getImage")));
    assert_eq!((found.status, found.body == picture("1", "1")), (200, true));
}
