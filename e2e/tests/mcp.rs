//! The operations as tools for assistants: `/mcp`, and `kaisatsu mcp` on standard input and output.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use kaisatsu_e2e::{
    Answer, Backend, Database, Server, http, make_key, make_key_with_scope, models_with,
    pictures::{Pictures, photo},
    spawn,
};
use serde_json::{Value, json};

const VERSION: &str = "2025-06-18";

/// Posts a message to `/mcp`, with further header lines.
fn post(server: &Server, target: &str, headers: &str, body: &str) -> Answer {
    let mut connection = http::Connection::open(server.address);
    let length = body.len();
    let host = if headers.contains("Host:") { "" } else { "Host: localhost\r\n" };
    connection.send(
        format!(
            "POST {target} HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: {length}\r\n\
             Accept: application/json, text/event-stream\r\n{headers}\r\n"
        )
        .as_bytes(),
    );
    connection.send(body.as_bytes());
    connection.answer(false).unwrap()
}

fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

fn initialize() -> String {
    let client = json!({"name": "a test", "version": "1"});
    message("initialize", &json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}))
}

/// Calls a tool with a key in a header.
fn call(server: &Server, key: &str, tool: &str, arguments: &Value) -> Value {
    let headers = format!("Authorization: Bearer {key}\r\nMCP-Protocol-Version: {VERSION}\r\n");
    let answer = post(server, "/mcp", &headers, &message("tools/call", &json!({"name": tool, "arguments": arguments})));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["result"].clone()
}

/// The sentence of a call that failed.
fn sentence(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap()
}

/// The JSON in the answer of a call.
fn said(result: &Value) -> Value {
    assert_eq!(result["isError"], false, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

/// The ids of all operations but those for people who run the server.
fn operations(server: &Server) -> BTreeSet<String> {
    let document = server.get("/openapi.json").json();
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let ids = operations.filter(|one| one["tags"][0] != "Operations").map(|one| one["operationId"].as_str().unwrap());
    ids.map(str::to_owned).collect()
}

fn names(listed: &Value) -> BTreeSet<String> {
    let tools = listed["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_assistant_finds_every_operation_as_a_tool() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let answer = post(&server, "/mcp", "", &initialize());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let result = &answer.json()["result"];
    assert_eq!((&result["serverInfo"]["name"], &result["protocolVersion"]), (&json!("kaisatsu"), &json!(VERSION)));
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(post(&server, "/mcp", "", &initialized).status, 202);

    let listed = post(&server, "/mcp", "", &message("tools/list", &json!({}))).json()["result"].clone();
    assert_eq!(names(&listed), operations(&server));
    let station = listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "station").unwrap();
    assert_eq!(station["inputSchema"]["properties"]["limit"]["maximum"], 100);
    assert_eq!(station["annotations"]["readOnlyHint"], true);

    let unknown = post(&server, "/mcp", "", &message("tools/call", &json!({"name": "fly"}))).json();
    assert_eq!(unknown["error"]["message"], "there is no tool fly");
}

#[test]
fn a_call_is_a_request_of_the_application() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "assistant");
    let server = Server::start(&database, &[]);
    let found = said(&call(&server, &key, "station", &json!({"name": "高円寺", "limit": 1})));
    assert_eq!(found["ResultSet"]["Point"][0]["Station"]["Name"], "高円寺");
    let map = found["ResultSet"]["Point"][0]["RailMap"][0]["id"].clone();
    let window = json!({"id": map, "x": 0, "y": 0, "width": 100, "height": 80, "format": "png"});
    let picture = call(&server, &key, "railmapData", &window);
    assert_eq!(picture["content"][0]["mimeType"], "image/png");
    let bytes = STANDARD.decode(picture["content"][0]["data"].as_str().unwrap()).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));

    // The key may be in the address too, as for every operation.
    let target = format!("/mcp?APIKEY={key}");
    let listed = post(&server, &target, "", &message("tools/call", &json!({"name": "railmapList"})));
    assert_eq!(listed.json()["result"]["isError"], false);

    let wrong = call(&server, &key, "railmapDetail", &json!({"id": "nowhere"}));
    assert!(sentence(&wrong).ends_with("(HTTP 404, code W404)"), "{wrong}");
    let unknown = call(&server, &key, "station", &json!({"colour": "red"}));
    assert_eq!(sentence(&unknown), "station has no argument colour");

    let line = kaisatsu_e2e::eventually("the log line of the request", || {
        server.log().lines().find(|line| line.contains("/route_service/v1/railmapData")).map(str::to_owned)
    });
    let line: Value = serde_json::from_str(&line).unwrap();
    assert!(line["application"].is_string(), "{line}");
    assert!(!server.log().contains(&key), "no key is logged");
    assert!(!server.log().contains("rmcp"), "the protocol has no lines of its own: {}", server.log());
}

#[test]
fn keys_scopes_and_quotas_hold_for_assistants() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let restricted = make_key_with_scope(&database, "two", "restricted");
    let server = Server::start(&database, &["--daily-requests", "2"]);
    let refused = call(&server, "kst_nobody", "station", &json!({"name": "東京"}));
    assert!(sentence(&refused).starts_with("header Authorization is not a key of this server"), "{refused}");
    let keyless = post(&server, "/mcp", "", &message("tools/call", &json!({"name": "railmapList"}))).json();
    assert!(sentence(&keyless["result"]).starts_with("query parameter APIKEY is missing"), "{keyless}");
    let fetched = call(&server, "kst_nobody", "textRead", &json!({"image": "https://example.org/a.jpg"}));
    assert_eq!(sentence(&fetched), "image: pictures are fetched only for callers with a valid API key");

    let denied = call(&server, &restricted, "getToken", &json!({"userId": "u"}));
    assert!(sentence(&denied).contains("a key of the scope restricted may not"), "{denied}");
    let token = said(&call(&server, &key, "getToken", &json!({"userId": "u"})))["token"].clone();
    assert_eq!(said(&call(&server, &key, "listImages", &json!({"token": token})))["images"], json!([]));
    let used_up = call(&server, &key, "railmapList", &json!({}));
    assert!(sentence(&used_up).contains("quota of 2 requests a day is used up"), "{used_up}");
}

#[test]
fn pages_of_other_sites_and_large_requests_are_refused() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &["--public-url", "https://maps.example"]);
    for (headers, status) in [
        ("Origin: http://localhost:6274\r\n", 200),
        ("Origin: https://maps.example\r\n", 200),
        ("Host: maps.example\r\n", 200),
        ("Origin: https://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Host: evil.example\r\n", 403),
    ] {
        assert_eq!(post(&server, "/mcp", headers, &initialize()).status, status, "{headers}");
    }
    let large = message("tools/call", &json!({"name": "textRead", "arguments": {"image": "A".repeat(100_000)}}));
    let refused = post(&server, "/mcp", "", &large);
    assert_eq!((refused.status, refused.text().contains("at most 65536 bytes")), (413, true), "{refused:?}");
    let known = format!("X-API-Key: {key}\r\n");
    assert_eq!(post(&server, "/mcp", &known, &large).status, 200, "it is no picture, but that is for the tool to say");
    assert_eq!(server.get("/mcp").status, 405);
    assert_eq!(post(&server, "/mcp", "", "no JSON").status, 415);

    let off = Server::start(&database, &["--mcp", "false"]);
    assert_eq!(post(&off, "/mcp", "", &initialize()).status, 404);
}

#[test]
#[ignore = "needs models; `make test` runs it"]
fn a_picture_is_recognised_from_base64_and_from_an_address() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let (models, pictures) = (models_with(&["general"]), Pictures::start());
    let arguments = ["--models", models.path().to_str().unwrap(), "--fetch-allow", "127.0.0.1"];
    let server = Server::start(&database, &arguments);
    kaisatsu_e2e::eventually("the model is loaded", || (server.get("/readyz").status == 200).then_some(()));
    let image = STANDARD.encode(photo("coffee.png"));
    let result = said(&call(&server, &key, "conceptClassify", &json!({"image": image, "numOfCandidates": 2})));
    assert_eq!(result["candidates"].as_array().unwrap().len(), 2, "{result}");
    assert_eq!(result["candidates"][0]["tag"], "espresso");
    let verdict = json!({
        "recognitionId": result["recognitionId"], "itemId": result["candidates"][0]["itemId"], "isValid": true,
        "comment": "it smells good",
    });
    assert_eq!(call(&server, &key, "feedbackToCandidate", &verdict)["content"][0]["text"], "Done.");

    let address = pictures.url("/picture/1/1");
    let result = said(&call(&server, &key, "conceptClassify", &json!({"image": address})));
    assert!(result["recognitionId"].is_string(), "{result}");
    let missing = call(&server, &key, "conceptClassify", &json!({"image": pictures.url("/missing")}));
    assert!(sentence(&missing).starts_with("image: there is no image at this address"), "{missing}");
    let denied = call(&server, &key, "conceptClassify", &json!({"image": "http://10.0.0.1/a.jpg"}));
    assert!(sentence(&denied).starts_with("image: "), "{denied}");
}

/// An assistant that starts the program.
struct Stdio {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Stdio {
    fn start(server: &Server, key: &str) -> Self {
        let address = format!("http://{}", server.address);
        let mut child = spawn(server.home(), &["mcp"], &[("KAISATSU_SERVER", &address), ("KAISATSU_API_KEY", key)]);
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn ask(&mut self, line: &str) -> Value {
        self.tell(line);
        let mut answer = String::new();
        self.out.read_line(&mut answer).unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()["result"].clone()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask(&message("tools/call", &json!({"name": tool, "arguments": arguments})))
    }
}

#[test]
fn the_program_offers_the_tools_of_a_server_on_standard_input() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    let mut stdio = Stdio::start(&server, &key);
    assert_eq!(stdio.ask(&initialize())["serverInfo"]["name"], "kaisatsu");
    stdio.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let listed = stdio.ask(&message("tools/list", &json!({})));
    assert_eq!(names(&listed), operations(&server));
    let found = said(&stdio.call("station", &json!({"name": "こうえんじ", "limit": 1})));
    assert_eq!(found["ResultSet"]["Point"][0]["Station"]["Name"], "高円寺");
    let file = server.home().join("picture.txt");
    std::fs::write(&file, "this is no picture").unwrap();
    let token = said(&stdio.call("getToken", &json!({"userId": "u"})))["token"].clone();
    let image = format!("file:{}", file.display());
    let refused = stdio.call("uploadImage", &json!({"token": token, "image": image}));
    assert!(sentence(&refused).contains("code 105"), "{refused}");
    let missing = stdio.call("uploadImage", &json!({"token": token, "image": "file:/nowhere"}));
    assert!(sentence(&missing).starts_with("image: the file /nowhere cannot be read"), "{missing}");
    drop(stdio.child.stdin.take());
    assert!(stdio.child.wait().unwrap().success());

    let mut refused = Stdio::start(&server, "kst_nobody");
    let _ = refused.ask(&initialize());
    let result = refused.call("railmapList", &json!({}));
    assert!(sentence(&result).starts_with("header Authorization is not a key of this server"), "{result}");
    drop(refused.child.stdin.take());
    assert!(refused.child.wait().unwrap().success());
}

#[test]
fn without_a_server_the_program_says_so() {
    let home = tempfile::tempdir().unwrap();
    let run = kaisatsu_e2e::run(home.path(), &["mcp", "--server", "http://127.0.0.1:9"], &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("the server at http://127.0.0.1:9 does not answer: no connection"), "{}", run.err);
}
