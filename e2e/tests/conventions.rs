//! Conventions of HTTP: limits in headers, traces in the log, metrics on an address of their own.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, http, make_key, make_key_with_scope, models_with, pictures::picture,
};

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

/// The expressions of a dashboard, wherever they are.
fn expressions(node: &serde_json::Value, found: &mut Vec<String>) {
    match node {
        serde_json::Value::Object(fields) => {
            found.extend(fields.get("expr").and_then(|text| text.as_str()).map(str::to_owned));
            fields.values().for_each(|part| expressions(part, found));
        }
        serde_json::Value::Array(parts) => parts.iter().for_each(|part| expressions(part, found)),
        _ => {}
    }
}

/// `make test-packages` lets Prometheus parse the same expressions.
#[test]
fn the_dashboard_shows_metrics_and_labels_that_a_server_has() {
    let (database, models) = (Database::fresh(Backend::Sqlite), models_with(&["general"]));
    let server = Server::start(&database, &["--models", &models.path().display().to_string()]);
    let key = make_key(&database, "one");
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}");
    assert_eq!(server.post_form(&target, &[("image", &picture("1", "1"))]).status, 200);
    let metrics = eventually("the disks were looked at", || {
        Some(server.get("/metrics").text()).filter(|text| text.contains("kaisatsu_disk_free_bytes"))
    });
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/grafana.json");
    let mut found = Vec::new();
    expressions(&serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap(), &mut found);
    assert!(found.len() > 10, "{found:?}");
    for text in found {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let names: Vec<&str> = text
            .split(|c| !is_name(c))
            .filter(|name| name.starts_with("kaisatsu_") || name.starts_with("process_"))
            .collect();
        assert!(!names.is_empty(), "{text}");
        for name in names {
            let line =
                metrics.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_name)));
            let line = line.unwrap_or_else(|| panic!("{name} of {text} is not in {metrics}"));
            let labels = text.split_once("by (").map_or("", |(_, rest)| rest.split(')').next().unwrap_or_default());
            for label in labels.split(", ").filter(|label| !label.is_empty()) {
                assert!(line.contains(&format!("{label}=\"")), "{label} of {text} in {line}");
            }
        }
    }
}

#[test]
fn lists_in_json_have_a_tag_and_are_not_sent_twice() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key_with_scope(&database, "one", "operator");
    let server = Server::start(&database, &[]);
    for path in [
        "/route_service/v1/railmapList?",
        "/route_service/v1/station?name=%E6%9D%B1&",
        "/imageRecognition/v1/models?",
        "/imageRecognition/v1/similarImage/collections?",
        "/imageRecognition/v1/catalogue/items?",
    ] {
        let target = format!("{path}APIKEY={key}");
        let first = server.get(&target);
        let tag = first.header("etag").unwrap_or_else(|| panic!("{path}")).to_owned();
        assert_eq!((first.status, first.header("cache-control")), (200, Some("private, no-cache")), "{path}");
        let again = |tag: &str| http::request(server.address, "GET", &target, &format!("If-None-Match: {tag}\r\n"));
        let same = again(&tag);
        assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, Some(tag.as_str())), "{path}");
        assert_eq!(same.header("content-type"), None, "{path}");
        assert_eq!(again("\"another\"").body, first.body, "{path}");
    }
    let refused = server.get("/imageRecognition/v1/models");
    assert_eq!((refused.status, refused.header("etag")), (401, None), "errors have none");
    let secret = http::post(
        server.address,
        &format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}"),
        "application/json",
        b"{\"userId\": \"u\"}",
    );
    assert_eq!((secret.status, secret.header("etag")), (200, None), "nor has what is no GET");
}

#[test]
fn lists_are_compressed_and_secrets_are_not() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key_with_scope(&database, "one", "operator");
    let server = Server::start(&database, &[]);
    let items = format!("/imageRecognition/v1/catalogue/items?APIKEY={key}");
    for number in 0..20 {
        let (id, name) = (number.to_string(), format!("the book of that number: {number}"));
        let fields: [(&str, &[u8]); 4] = [
            ("id", id.as_bytes()),
            ("category", b"book"),
            ("name", name.as_bytes()),
            ("barcode", b"978-4-10-101001-4"),
        ];
        assert_eq!(server.post_form(&items, &fields).status, 200);
    }
    let ask = |accepted: &str, more: &str| {
        http::request(server.address, "GET", &items, &format!("Accept-Encoding: {accepted}\r\n{more}"))
    };
    let plain = server.get(&items);
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("Accept-Encoding")));
    let packed = ask("gzip", "");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() * 3 < plain.body.len(), "{} of {}", packed.body.len(), plain.body.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    assert_eq!(ask("zstd, br;q=0.5", "").header("content-encoding"), Some("br"));
    assert_eq!(ask("zstd", "").header("content-encoding"), None, "zstd is not offered");
    let tag = packed.header("etag").unwrap();
    assert_eq!(tag, format!("W/{}", plain.header("etag").unwrap()));
    assert_eq!(ask("gzip", &format!("If-None-Match: {tag}\r\n")).status, 304);

    // A list of a user, which is read with POST.
    let user = User::named(&server, &key, "u");
    let post = |target: &str, body: &str| {
        let mut connection = http::Connection::open(server.address);
        let headers =
            format!("Accept-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        connection.request("POST", target, &headers);
        connection.send(body.as_bytes());
        connection.answer(false).unwrap()
    };
    let list = post(&user.target("userCategory/listImages"), "{}");
    assert_eq!((list.status, list.header("vary")), (200, Some("Accept-Encoding")));
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    let secret = post(&target, &format!("{{\"userId\": \"{}\"}}", "u".repeat(200)));
    assert_eq!((secret.status, secret.header("content-encoding"), secret.header("vary")), (200, None, None));
}

#[test]
fn a_list_that_changes_has_another_tag() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key_with_scope(&database, "one", "operator");
    let server = Server::start(&database, &[]);
    let target = format!("/imageRecognition/v1/catalogue/items?APIKEY={key}");
    let before = server.get(&target).header("etag").unwrap().to_owned();
    let fields: [(&str, &[u8]); 4] =
        [("id", b"1"), ("category", b"book"), ("name", b"a book"), ("barcode", b"978-4-10-101001-4")];
    let added = server.post_form(&target, &fields);
    assert_eq!(added.status, 200, "{}", added.text());
    let after = http::request(server.address, "GET", &target, &format!("If-None-Match: {before}\r\n"));
    assert_eq!(after.status, 200);
    assert_ne!(after.header("etag"), Some(before.as_str()));
}

/// A collector of traces that takes whatever is sent to it.
struct Collector {
    address: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = Self { address: listener.local_addr().unwrap(), received: Arc::default() };
        let received = Arc::clone(&collector.received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let received = Arc::clone(&received);
                thread::spawn(move || take(stream, &received));
            }
        });
        collector
    }

    fn received(&self) -> Vec<u8> {
        self.received.lock().unwrap().clone()
    }
}

/// Takes the requests of a connection, head and body, and answers each.
fn take(mut stream: TcpStream, received: &Mutex<Vec<u8>>) {
    loop {
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") {
            match stream.read(&mut byte) {
                Ok(1) => request.push(byte[0]),
                _ => return,
            }
        }
        let head = String::from_utf8_lossy(&request).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
        stream.read_exact(&mut body).unwrap();
        request.extend(body);
        received.lock().unwrap().extend(request);
        let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(answer).unwrap();
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn the_span_of_a_request_is_exported_with_the_trace_of_its_caller_and_without_secrets() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let collector = Collector::start();
    let mut server = Server::start(&database, &["--otlp-endpoint", &format!("http://{}", collector.address)]);
    let send = |flags: &str, trace: &str| {
        let parent = format!("traceparent: 00-{trace}-00f067aa0ba902b7-{flags}\r\n");
        let target = format!("/route_service/v1/station?name=%E6%9D%B1%E4%BA%AC&APIKEY={key}");
        let answer = http::request(server.address, "GET", &target, &parent);
        assert_eq!(answer.status, 200);
        answer.header("x-request-id").unwrap().to_owned()
    };
    let id = send("01", "4bf92f3577b34da6a3ce929d0e0e4736");
    let unsampled = send("00", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    let own = http::get(server.address, "/route_service/v1/railmapList").header("x-request-id").unwrap().to_owned();
    // A server that stops sends what is waiting.
    server.signal("-TERM");
    assert_eq!(server.wait(), Some(0));
    let received = collector.received();
    assert!(contains(&received, b"POST /v1/traces HTTP/1.1"));
    let trace: Vec<u8> =
        (0..16).map(|at| u8::from_str_radix(&"4bf92f3577b34da6a3ce929d0e0e4736"[at * 2..][..2], 16).unwrap()).collect();
    assert!(contains(&received, &trace) && contains(&received, &[0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]));
    for part in ["GET /route_service/v1/station", "http.response.status_code", "service.name", "kaisatsu", &id, &own] {
        assert!(contains(&received, part.as_bytes()), "{part}");
    }
    assert!(!contains(&received, unsampled.as_bytes()), "the caller of this one records nothing");
    for secret in [key.as_str(), "APIKEY", "%E6%9D%B1", "東京"] {
        assert!(!contains(&received, secret.as_bytes()), "{secret}");
    }
    // The log has the trace that a request without one begins.
    let line = server.log().lines().find(|line| line.contains(&own)).unwrap().to_owned();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["trace_id"].as_str().unwrap().len(), 32, "{line}");
}

#[test]
fn a_collector_that_is_not_there_does_no_harm() {
    let database = Database::fresh(Backend::Sqlite);
    let mut server = Server::start(&database, &["--otlp-endpoint", "http://127.0.0.1:9"]);
    assert_eq!(server.get("/healthz").status, 200);
    server.signal("-TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(server.log().contains("the collector takes no traces"), "{}", server.log());
}
