//! Conventions of HTTP: limits in headers, traces in the log, metrics on an address of their own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::net::TcpListener;

use kaisatsu_e2e::{Backend, Database, Server, eventually, http, make_key};

#[test]
fn limits_are_said_with_every_answer_to_a_known_caller() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &["--rate-limit", "50", "--daily-requests", "3"]);
    let target = format!("/route_service/v1/railmapList?APIKEY={key}");
    let first = server.get(&target);
    assert_eq!(first.header("ratelimit-policy"), Some("\"second\";q=50;w=1, \"day\";q=3;w=86400"));
    let left = first.header("ratelimit").unwrap();
    assert!(left.starts_with("\"second\";r=49;t=1, \"day\";r=2;t="), "{left}");
    for _ in 0..2 {
        assert_eq!(server.get(&target).status, 200);
    }
    let refused = server.get(&target);
    assert_eq!(refused.status, 429);
    assert!(refused.header("ratelimit").unwrap().contains("\"day\";r=0;t="), "{refused:?}");
    let exposed = refused.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("ratelimit,ratelimit-policy"), "{exposed}");
    assert_eq!(server.get("/route_service/v1/railmapList").header("ratelimit"), None, "nobody is known");

    let free = Server::start(&database, &[]);
    assert_eq!(free.get(&target).header("ratelimit-policy"), None, "nothing is limited");
}

#[test]
fn the_trace_of_a_request_is_in_its_log_line() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let send = |parent: &str| {
        let answer = http::request(server.address, "GET", "/route_service/v1/railmapList", parent);
        let id = answer.header("x-request-id").unwrap().to_owned();
        let find = || server.log().lines().find(|line| line.contains(&id)).map(str::to_owned);
        serde_json::from_str::<serde_json::Value>(&eventually("the log line", find)).unwrap()
    };
    assert_eq!(send(&format!("traceparent: 00-{trace}-00f067aa0ba902b7-01\r\n"))["trace_id"], trace);
    let none = send("traceparent: kst_something\r\n");
    assert!(none["trace_id"].is_null() && !none.to_string().contains("kst_something"), "{none}");
}

#[test]
fn metrics_have_an_address_of_their_own_if_it_is_set() {
    let database = Database::fresh(Backend::Sqlite);
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(&database, &["--metrics-listen", &address.to_string()]);
    assert_eq!(server.get("/metrics").status, 404);
    let metrics = eventually("the disks were looked at", || {
        let metrics = http::get(address, "/metrics");
        assert_eq!(metrics.status, 200);
        metrics.text().contains("kaisatsu_disk_free_bytes").then(|| metrics.text())
    });
    for name in [
        "process_cpu_seconds_total ",
        "process_resident_memory_bytes ",
        "kaisatsu_disk_free_bytes{disk=\"databaseDisk\"} ",
        "kaisatsu_disk_size_bytes{disk=\"imagesDisk\"} ",
        "kaisatsu_part_ok{part=\"database\"} 1",
        "kaisatsu_database_write_seconds ",
    ] {
        assert!(metrics.lines().any(|line| line.starts_with(name)), "{name} in {metrics}");
    }
    assert_eq!(http::get(address, "/healthz").status, 200);
    assert_eq!(http::get(address, "/route_service/v1/railmapList").status, 404, "nothing else is there");
}
