//! Running the server: first start, configuration, logs, health, reloading, stopping, and failing starts.

mod starting;

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::Path,
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
    assert_eq!(line["status"], 401);
    assert_eq!(line["error"], answer.json()["ResultSet"]["Error"]["Message"], "what the caller was told");
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

/// The paths that the clients of the API call, with `rail` as the first segment of the route map.
fn operations_of_clients() -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/cases/operations.json");
    let rows: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let path = |row: &serde_json::Value| row["path"].as_str().unwrap().replace("/route_service/", "/rail/");
    rows.as_array().unwrap().iter().map(path).collect()
}

#[test]
fn the_documentation_needs_no_outside_network() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &["--route-service", "rail"]);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths: BTreeSet<_> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(paths, operations_of_clients());
    let printed = run(server.home(), &["openapi", "--route-service", "rail"], &[]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed.out).unwrap(), document);

    let page = server.get("/docs/");
    assert_eq!(page.status, 200);
    for file in page.text().split(['"', '\'']).filter(|text| matches!(text.rsplit_once('.'), Some((_, "js" | "css")))) {
        assert!(file.starts_with("/docs/assets/"), "{file} is elsewhere");
        assert_eq!(server.get(file).status, 200, "{file}");
    }
    assert!(server.get("/").text().contains("/docs/"));

    let examples = server.get("/docs/examples");
    assert_eq!(examples.status, 200);
    assert!(examples.text().contains("kaisatsu.maps.station_near("), "the program in Python");
    assert!(document["info"]["description"].as_str().unwrap().contains("(/docs/examples)"));
}

/// A map file of one station.
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

/// A map whose answer is far larger than the buffers between server and client.
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
    // A client that does not read yet: most of its answer is still in the server.
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
fn a_terminated_server_answers_for_a_while_and_tells_clients_to_close() {
    let database = Database::fresh(Backend::Sqlite);
    let mut server = Server::start(&database, &["--shutdown-drain", "3s"]);
    let mut connection = http::Connection::open(server.address);
    let mut healthz = || {
        connection.request("GET", "/healthz", "");
        connection.answer(false).unwrap()
    };
    assert_eq!(healthz().header("connection"), None);
    server.signal("-TERM");
    eventually("it says that it is not ready", || (server.get("/readyz").status == 503).then_some(()));
    let last = healthz();
    assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    assert_eq!(server.get("/healthz").status, 200, "new connections are still accepted");
    assert_eq!(server.wait(), Some(0));
    let log = server.log();
    let asked = log.lines().find(|line| line.contains("/readyz") && line.contains("503")).expect("a line");
    assert!(asked.contains("INFO") && !log.contains("ERROR"), "an answer, and no failure: {asked}");
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
        (0, format!("{path}:7: warning: station 1 駅: the reading (yomi) is missing").as_str())
    );
    assert_eq!(run(home.path(), &["map", "check", "--allow-warnings", &path], &[]).code, 0);
    assert_eq!(run(home.path(), &["map", "check", "--deny-warnings", &path], &[]).code, 1);
    fs::write(&file, small_map("one").replace("x = 20", "x = 99")).unwrap();
    let broken = run(home.path(), &["map", "check", &path], &[]);
    assert!(broken.code == 1 && broken.out.contains("off the map"), "{}", broken.out);
    let list = run(home.path(), &["map", "list"], &[]);
    assert!(list.code == 0 && list.out.contains("tokyo") && list.out.contains("東京"), "{}", list.out);
}
