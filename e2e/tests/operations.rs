//! Running the server: first start, configuration, logs, health, reloading, stopping, and starts that fail.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::{
    fmt::Write as _,
    fs,
    os::unix::process::CommandExt as _,
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use kaisatsu_e2e::{Backend, Database, Server, eventually, http, make_key, run};

#[test]
fn the_first_start_prints_a_curl_line_that_answers_and_the_second_shows_no_secret() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let out = server.out();
    let line = out.lines().map(str::trim).find(|line| line.starts_with("curl ")).unwrap();
    let answered = Command::new("sh").args(["-c", &format!("{line} --silent --fail")]).output().unwrap();
    assert!(answered.status.success(), "{line}");
    assert!(String::from_utf8(answered.stdout).unwrap().contains("\"Name\":\"新宿\""));
    assert!(out.contains(&server.address.to_string()) && out.contains(&database.address), "{out}");
    assert!(out.contains(&server.home().join(".local/share/kaisatsu").display().to_string()), "{out}");
    assert!(!server.log().contains("kst_"), "the key is printed, not logged");
    drop(server);
    let again = Server::start(&database, &[]);
    assert!(!again.out().contains("kst_") && again.out().contains("key create --app"), "{}", again.out());
}

#[test]
fn a_server_on_postgres_makes_no_key_of_its_own() {
    let database = Database::fresh(Backend::Postgres);
    let server = Server::start(&database, &[]);
    assert!(!server.out().contains("kst_"));
    let password = database.address.split([':', '@']).nth(2).unwrap();
    assert!(!server.out().contains(password), "no password on the screen");
}

#[test]
fn a_key_never_gets_into_the_log() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &["--log", "trace,hyper=info,sqlx=trace"]);
    for target in [
        "/route_service/v1/railmapDetail?APIKEY=KEY&id=tokyo&width=0&height=1",
        "/route_service/v1/railmapDetail?apikey=KEY",
        "/route_service/v1/railmapDetail?KEY",
        "/route_service/v1/railmapDetail?KEY=1",
        "/route_service/v1/railmapDetail&APIKEY=KEY",
        "/route_service/v1/KEY",
        "/imageRecognition/v1/KEY",
        "/imageRecognition/v1/models?token=KEY&APIKEY=KEY",
        "/route_service/v1/railmapDetail?id=tokyo%26APIKEY=KEY",
        "/route_service/v1/railmapDetail?id=tokyo;APIKEY=KEY",
        "/route_service/v1/railmapDetail?x=KEY",
        "/route_service/v1/railmapDetail?APIKEY=KEY&id=KEY&x=0&y=0&width=1&height=1",
        "/KEY",
    ] {
        let answer = server.get(
            &target
                .replace("=KEY", &format!("={key}"))
                .replace("KEY=1", &format!("{key}=1"))
                .replace("/KEY", &format!("/{key}"))
                .replace("?KEY", &format!("?{key}")),
        );
        assert!(!answer.text().contains(&key), "{target}: {}", answer.text());
    }
    let answer = http::request(server.address, "GET", "/readyz", &format!("X-Request-Id: {key}\r\n"));
    assert_ne!(answer.header("x-request-id"), Some(key.as_str()));
    let _ = http::request(server.address, &key, "/readyz", "");
    let metrics = server.get("/metrics").text();
    assert!(!metrics.contains(&key));
    eventually("the last request is logged", || server.log().contains("/metrics").then_some(()));
    let log = server.log();
    assert!(!log.contains(&key) && log.contains("APIKEY=…&id=tokyo&width=0&height=1"), "{log}");
}

#[test]
fn the_request_id_of_an_error_finds_its_log_line() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let answer = server.get("/route_service/v1/railmapDetail?id=tokyo");
    let id = answer.header("x-request-id").unwrap().to_owned();
    let line = eventually("the log line", || server.log().lines().find(|line| line.contains(&id)).map(str::to_owned));
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&line["status"], &line["told"]), (&401.into(), &"query parameter APIKEY is missing".into()));
}

#[test]
fn health_readiness_and_metrics() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
    for path in ["/healthz", "/readyz"] {
        let answer = server.get(path);
        assert_eq!((answer.status, &answer.json()["status"]), (200, &"ok".into()));
    }
    let _ = server.get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
    let metrics = server.get("/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = metrics.text();
    for line in [
        "kaisatsu_http_requests_total{operation=\"/route_service/v1/railmapList\",status=\"200\"} 1",
        "kaisatsu_http_request_seconds_count{operation=\"/route_service/v1/railmapList\"} 1",
        "kaisatsu_keys_known 1",
        "kaisatsu_map_stations{map=\"tokyo\"} ",
        "kaisatsu_ready 1",
    ] {
        assert!(text.lines().any(|other| other.starts_with(line)), "{line} in {text}");
    }
}

#[test]
fn the_documentation_needs_no_outside_network() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &["--route-service", "rail"]);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths: Vec<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        paths,
        [
            "/healthz",
            "/imageRecognition/v1/concept/classify",
            "/imageRecognition/v1/explain",
            "/imageRecognition/v1/feedback",
            "/imageRecognition/v1/feedbackToCandidate",
            "/imageRecognition/v1/feedbackTotals",
            "/imageRecognition/v1/models",
            "/imageRecognition/v1/objectDetection/detect",
            "/imageRecognition/v1/recognize",
            "/imageRecognition/v1/similarImage/search",
            "/imageRecognition/v1/userCategory/createDataSet",
            "/imageRecognition/v1/userCategory/deleteDataSet",
            "/imageRecognition/v1/userCategory/deleteImage",
            "/imageRecognition/v1/userCategory/getDataSet",
            "/imageRecognition/v1/userCategory/getImage",
            "/imageRecognition/v1/userCategory/getToken",
            "/imageRecognition/v1/userCategory/listDataSets",
            "/imageRecognition/v1/userCategory/listImages",
            "/imageRecognition/v1/userCategory/uploadImage",
            "/rail/v1/railmapData",
            "/rail/v1/railmapDetail",
            "/rail/v1/railmapList",
            "/readyz",
        ]
    );
    let printed = run(server.home(), &["openapi", "--route-service", "rail"], &[]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed.out).unwrap(), document);

    let page = server.get("/docs/");
    assert_eq!(page.status, 200);
    for file in page.text().split(['"', '\'']).filter(|text| matches!(text.rsplit_once('.'), Some((_, "js" | "css")))) {
        assert!(!file.contains("//"), "{file} is elsewhere");
        assert_eq!(server.get(&format!("/docs/{}", file.trim_start_matches("./"))).status, 200, "{file}");
    }
    assert!(server.get("/").text().contains("/docs/"));
}

/// A map of one station, at least as a file.
fn small_map(name: &str) -> String {
    format!(
        "format = 1\nid = \"small\"\nname = \"{name}\"\nwidth = 100\nheight = 100\ncentre = 1\n[[station]]\ncode = 1\n\
         name = \"駅\"\nyomi = \"えき\"\nlat = 35.0\nlon = 139.0\nmarks = [\
         {{ shape = \"rect\", x = 20, y = 10, width = 20, height = 10, text = true }},\
         {{ shape = \"circle\", x = 10, y = 15, r = 4 }}]\n"
    )
}

#[test]
fn maps_are_replaced_under_load_without_a_dropped_request() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    let file = server.maps().join("small.toml");
    let put = |text: &str| {
        let fresh = server.maps().join("small.new");
        fs::write(&fresh, text).unwrap();
        fs::rename(fresh, &file).unwrap();
        server.signal("-HUP");
    };
    let name = || {
        let answer = server.get(&format!("/route_service/v1/railmapList?APIKEY={key}&id=small"));
        (answer.status == 200).then(|| answer.json()["ResultSet"]["RailMap"][0]["Name"].as_str().unwrap().to_owned())
    };
    put(&small_map("one"));
    eventually("the map is there", &name);
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut connection = http::Connection::open(server.address);
                while !stop.load(Ordering::Relaxed) {
                    connection.request("GET", &format!("/route_service/v1/railmapDetail?APIKEY={key}&id=small"), "");
                    let answer = connection.answer(false).unwrap();
                    assert_eq!(answer.json()["ResultSet"]["RailMap"]["Point"].as_array().map(Vec::len), Some(1));
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in ["two", "three", "four"] {
            put(&small_map(round));
            eventually("the new map is in force", || name().filter(|seen| seen == round));
        }
        put("format = 1\nid = \"small\"\n");
        eventually("the broken file is logged", || server.log().contains("missing field").then_some(()));
        assert_eq!(name().as_deref(), Some("four"), "the running map stays");
        stop.store(true, Ordering::Relaxed);
    });
    assert!(asked.load(Ordering::Relaxed) > 0);
    fs::remove_file(&file).unwrap();
    server.signal("-HUP");
    eventually("the map is gone", || name().is_none().then_some(()));
}

/// A map whose whole answer is far larger than what fits into the buffers between server and client.
fn large_map() -> String {
    let mut text = "format = 1\nid = \"large\"\nname = \"large\"\nwidth = 9000\nheight = 9000\ncentre = 1\n".to_owned();
    for code in 0..16_000 {
        let (x, y) = (code % 150 * 60, code / 150 * 80);
        writeln!(
            text,
            "[[station]]\ncode = {}\nname = \"s{code}\"\nyomi = \"え\"\nlat = 35.0\nlon = 139.0\nmarks = [\
             {{ shape = \"rect\", x = {}, y = {y}, width = 40, height = 16, text = true }},\
             {{ shape = \"circle\", x = {}, y = {}, r = 4 }}]",
            code + 1,
            x + 15,
            x + 5,
            y + 8
        )
        .unwrap();
    }
    text
}

#[test]
fn a_shutdown_finishes_what_is_in_flight_and_takes_nothing_new() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("large.toml"), large_map()).unwrap();
    let mut server = Server::start(&database, &["--maps", &folder.path().display().to_string()]);

    let mut idle = http::Connection::open(server.address);
    idle.request("GET", "/healthz", "");
    assert_eq!(idle.answer(false).unwrap().status, 200);
    // A client that asks for much and does not read yet: most of its answer is still with the server.
    let mut slow = http::Connection::open(server.address);
    slow.request("GET", &format!("/route_service/v1/railmapDetail?APIKEY={key}&id=large"), "");
    eventually("the answer is being sent", || server.log().contains("id=large").then_some(()));

    server.signal("-TERM");
    eventually("the shutdown begins", || server.log().contains("shutting down").then_some(()));
    assert!(idle.answer(false).is_none(), "an idle connection is closed");
    let answer = slow.answer(false).unwrap().json();
    assert_eq!(answer["ResultSet"]["RailMap"]["Point"].as_array().map(Vec::len), Some(16_000), "whole to the end");
    assert_eq!(server.wait(), Some(0));
    assert!(std::net::TcpStream::connect(server.address).is_err());
}

#[test]
fn settings_come_from_the_file_then_the_environment_then_flags() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("my.toml");
    fs::write(&file, "rate_limit = 1\ncors = \"off\"\nlog = \"warn\"\ndatabase = \"postgres://me:s3cret@db/gate\"\n")
        .unwrap();
    let path = file.display().to_string();
    let config = |args: &[&str], env: &[(&str, &str)]| {
        let shown = run(home.path(), &[&["config"], args].concat(), env);
        assert_eq!(shown.code, 0, "{}", shown.err);
        shown.out
    };
    let plain = config(&[], &[]);
    assert!(plain.contains("rate_limit = \"0\"   # default"), "{plain}");
    let layered = config(
        &["--config", &path, "--log", "debug"],
        &[("KAISATSU_CORS", "*"), ("KAISATSU_LOG", "error"), ("KAISATSU_MAPS", "/srv/maps")],
    );
    for line in [
        "rate_limit = \"1\"   # from the file",
        "cors = \"*\"   # from KAISATSU_CORS",
        "log = \"debug\"   # from --log",
        "maps = \"/srv/maps\"   # from KAISATSU_MAPS",
        "database = \"postgres://me@db:5432/gate\"   # from the file",
    ] {
        assert!(layered.lines().any(|other| other == line), "{line} in {layered}");
    }
    assert!(!layered.contains("s3cret"));

    // What is printed can be used as a file, and the usual place is found.
    let usual = home.path().join(".config/kaisatsu");
    fs::create_dir_all(&usual).unwrap();
    fs::write(usual.join("kaisatsu.toml"), config(&["--rate-limit", "7"], &[])).unwrap();
    assert!(config(&[], &[]).contains("rate_limit = \"7\"   # from the file"));
}

#[test]
fn wrong_settings_are_named_with_their_remedy() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("my.toml");
    let path = file.display().to_string();
    for (text, sentence) in [
        ("listen = \"nowhere\"", "listen: invalid socket address syntax"),
        ("surprise = 1", "surprise: there is no such setting; `kaisatsu config` lists them"),
        ("log = [1]", "log: a setting is a string, a whole number, true or false"),
        ("shutdown_grace = \"5\"", "shutdown_grace: write a whole number and s, m, h or d, such as 30s or 24h"),
        ("database = \"mysql://me:s3cret@h/d\"", "database: 'mysql:' is no kind of database we keep things in"),
        ("cors = \"app.example\"", "cors: 'app.example' is no origin; write *, off, or https://HOST[:PORT]"),
        ("max_connections = 0", "max_connections: 0 is not in 1..=1000000"),
        ("log = ", "line 1: string values must be quoted"),
        ("log = \"info\"\ndatabase = \"postgres://me:s3cret@h/d\nrate_limit = 1", "line 2: "),
    ] {
        fs::write(&file, text).unwrap();
        let shown = run(home.path(), &["config", "--config", &path], &[]);
        assert_eq!(shown.code, 2, "{text}: {}", shown.err);
        assert!(shown.err.starts_with(&format!("kaisatsu: {path}: {sentence}")), "{text}: {}", shown.err);
        assert!(!shown.err.contains("s3cret"), "{}", shown.err);
    }
    fs::write(&file, "database = \"postgres://me:s3cret@h/d\"\nsmtp = \"smtps://me:s3cret@h:465\"").unwrap();
    let help = run(home.path(), &["serve", "--config", &path, "--help"], &[]);
    assert!(help.code == 0 && help.out.contains("--smtp") && !help.out.contains("s3cret"), "{}", help.out);
    let missing = run(home.path(), &["config", "--config", "/nonexistent.toml"], &[]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.starts_with("kaisatsu: /nonexistent.toml: "), "{}", missing.err);
    let flag = run(home.path(), &["serve", "--listen", "nowhere"], &[]);
    assert!(flag.code == 2 && flag.err.contains("--listen <IP:PORT>"), "{}", flag.err);
    let password = run(home.path(), &["serve", "--database", "postgres://me:s3cret@h:x/d"], &[]);
    assert!(password.code == 2 && !password.err.contains("s3cret"), "{}", password.err);
    let variable = run(home.path(), &["serve"], &[("KAISATSU_DATABASE", "mysql://me:s3cret@h/d")]);
    assert!(variable.code == 2 && !variable.err.contains("s3cret"), "{}", variable.err);
}

#[test]
fn a_start_that_cannot_succeed_says_why_and_ends() {
    let home = tempfile::tempdir().unwrap();
    let serve = |args: &[&str]| run(home.path(), &[&["serve", "--listen", "127.0.0.1:0"], args].concat(), &[]);

    let gone = serve(&["--database", "postgres://me:s3cret@127.0.0.1:1/gate"]);
    assert_eq!(gone.code, 3, "{}", gone.err);
    assert!(gone.err.contains("no server answers there") && !gone.err.contains("s3cret"), "{}", gone.err);

    let file = home.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let folder = serve(&["--data", &file.join("data").display().to_string()]);
    assert_eq!(folder.code, 3, "{}", folder.err);
    assert!(folder.err.contains("Name a folder this user may write to with --data FOLDER"), "{}", folder.err);

    let locked = Database::fresh(Backend::Sqlite);
    let held = fs::File::create(format!("{}.lock", locked.address.trim_start_matches("sqlite:"))).unwrap();
    held.lock().unwrap();
    let waited = serve(&["--database", &locked.address]);
    assert_eq!(waited.code, 3, "{}", waited.err);
    assert!(waited.err.contains("another process holds a lock on it"), "{}", waited.err);
    drop(held);

    let maps = serve(&["--maps", "/nonexistent/maps"]);
    assert_eq!((maps.code, maps.err.trim()), (2, "kaisatsu: --maps: there is no folder /nonexistent/maps"));

    let database = Database::fresh(Backend::Sqlite);
    let running = Server::start(&database, &[]);
    let taken = run(home.path(), &["serve", "--listen", &running.address.to_string()], &[]);
    assert_eq!(taken.code, 5, "{}", taken.err);
    assert!(taken.err.contains("choose another address with --listen"), "{}", taken.err);
    assert!(!taken.out.contains("kst_"), "no key is made for a server that does not start");
    drop(running);

    database.run(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         SELECT 999, 'later', success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1",
    );
    let newer = serve(&["--database", &database.address]);
    assert_eq!(newer.code, 4, "{}", newer.err);
    assert!(newer.err.contains("run the newer Kaisatsu"), "{}", newer.err);
}

/// Root may write anywhere, so this runs as nobody when the tests run as root.
#[test]
fn a_folder_that_may_not_be_written_is_said_so() {
    let home = tempfile::tempdir().unwrap();
    let open =
        |path: &std::path::Path, mode| fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode));
    open(home.path(), 0o755).unwrap();
    let folder = home.path().join("data");
    fs::create_dir(&folder).unwrap();
    open(&folder, 0o555).unwrap();
    // Where the binary lies may be closed to others; a copy in an open folder is not.
    let copy = home.path().join("kaisatsu");
    fs::copy(kaisatsu_e2e::binary(), &copy).unwrap();
    open(&copy, 0o755).unwrap();
    let mut command = Command::new(&copy);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&folder).env_clear();
    let root = fs::metadata("/proc/self").is_ok_and(|facts| std::os::unix::fs::MetadataExt::uid(&facts) == 0);
    if root {
        command.uid(65_534).gid(65_534);
    }
    // Another test that starts a program at the same moment holds the copy open for an instant; then it cannot be run.
    let refused = eventually("the copy can be run", || match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => None,
        ended => Some(ended.unwrap()),
    });
    let err = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{err}");
    assert!(err.contains("Permission denied") && err.contains("data"), "{err}");
}

#[test]
fn maps_are_checked_from_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("small.toml");
    let path = file.display().to_string();
    fs::write(&file, small_map("one")).unwrap();
    let good = run(home.path(), &["map", "check", &path], &[]);
    assert_eq!((good.code, good.out.as_str()), (0, ""), "{}", good.err);
    fs::write(&file, small_map("one").replace("yomi = \"えき\"\n", "")).unwrap();
    let warned = run(home.path(), &["map", "check", &path], &[]);
    assert_eq!(
        (warned.code, warned.out.trim()),
        (1, format!("{path}:7: warning: station 1 駅: the reading (yomi) is missing").as_str())
    );
    assert_eq!(run(home.path(), &["map", "check", "--allow-warnings", &path], &[]).code, 0);
    fs::write(&file, small_map("one").replace("x = 20", "x = 99")).unwrap();
    let broken = run(home.path(), &["map", "check", "--allow-warnings", &path], &[]);
    assert!(broken.code == 1 && broken.out.contains("off the map"), "{}", broken.out);
    let list = run(home.path(), &["map", "list"], &[]);
    assert!(list.code == 0 && list.out.contains("tokyo") && list.out.contains("東京"), "{}", list.out);
}

/// The reference of all settings in the documentation is the one the program prints.
#[test]
fn the_documentation_of_the_settings_is_true() {
    let home = tempfile::tempdir().unwrap();
    let reference = run(home.path(), &["config", "--reference"], &[]).out;
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md")).unwrap();
    assert!(
        page.contains(&reference),
        "docs/configuration.md should hold what `kaisatsu config --reference` prints:\n{reference}"
    );
}
