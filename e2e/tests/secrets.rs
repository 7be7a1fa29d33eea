//! Answers that hold a secret are kept by no cache, and pages run nothing that is not this server's.

use kaisatsu_e2e::{Answer, Backend, ConsoleClient, Database, Server, http, make_key};
use serde_json::json;

fn is_not_stored(answer: &Answer, status: u16) {
    assert_eq!((answer.status, answer.header("cache-control")), (status, Some("no-store")), "{}", answer.text());
}

#[test]
fn an_answer_with_a_secret_is_not_stored() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "one");
    let server = Server::start(&database, &[]);
    let target = format!("/imageRecognition/v1/userCategory/getToken?APIKEY={key}");
    let token = http::post(server.address, &target, "application/json", br#"{"userId":"42"}"#);
    assert!(token.text().contains("kut_"));
    is_not_stored(&token, 200);

    let person = ConsoleClient::registered(&server, "one@example.org", "a long enough password");
    is_not_stored(&person.get("session"), 200);
    let made = person.call("POST", "applications", &json!({"name": "app"}));
    is_not_stored(&made, 201);
    let (id, key) = (made.json()["application"]["id"].clone(), made.json()["key"]["id"].clone());
    let keys = format!("applications/{}/keys", id.as_str().unwrap());
    is_not_stored(&person.call("POST", &keys, &json!({})), 201);
    let rotate = format!("{keys}/{}/rotate", key.as_str().unwrap());
    is_not_stored(&person.call("POST", &rotate, &json!({"overlapSeconds": 0})), 201);
    is_not_stored(&person.call("POST", &format!("applications/{}/pass", id.as_str().unwrap()), &json!({})), 201);
    is_not_stored(&ConsoleClient::stranger(&server).sign_in("one@example.org", "a long enough password"), 200);
}

#[test]
fn the_documentation_page_has_a_policy_like_the_console() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    for path in ["/docs/", "/docs", "/docs/assets/page.js", "/openapi.json"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{path} has a policy"));
        for rule in ["default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
    let page = server.get("/docs/").text();
    assert!(!page.contains("<script>") && !page.contains("://"), "what the policy forbids: {page}");
}

#[test]
fn other_sites_may_read_the_document_and_not_the_pages() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let origin = "Origin: https://app.example\r\n";
    let read = |path: &str| http::request(server.address, "GET", path, origin);
    assert_eq!(read("/openapi.json").header("access-control-allow-origin"), Some("*"));
    assert_eq!(read("/docs/").header("access-control-allow-origin"), None);
    let closed = Server::start(&database, &["--cors", "off"]);
    let answer = http::request(closed.address, "GET", "/openapi.json", origin);
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None));
}
