//! The map pages over HTTP: headers, caching, what is not found. What a browser shows is tested in `web/e2e`.

use kaisatsu_e2e::{Backend, Database, Server, http};

#[test]
fn pages_without_a_browser() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let list = server.get("/map");
    assert!(list.status == 200 && list.text().contains("href=\"/map/tokyo\"") && list.text().contains("東京"));
    assert!(server.get("/").text().contains("href=\"/map\""));
    let page = server.get("/map/tokyo");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"));
    for (name, value) in
        [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("cache-control", "no-cache")]
    {
        assert_eq!(page.header(name), Some(value));
    }
    assert_eq!(page.header("access-control-allow-origin"), None, "a page of ours only");
    for part in [
        "/map",
        "/map/tokyo",
        "/map/tokyo/",
        "/map/tokyo/data.json",
        "/map/tokyo/station/1131215.json",
        "/map-assets/page.js",
    ] {
        let whole = server.get(part);
        assert_eq!(whole.status, 200, "{part}");
        let mark = whole.header("etag").unwrap();
        let again = http::request(server.address, "GET", part, &format!("If-None-Match: {mark}\r\n"));
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(mark)), "{part}");
    }
    for none in [
        "/map/nowhere",
        "/map/TOKYO",
        "/map/%ff",
        "/map/nowhere/data.json",
        "/map/tokyo/station/1.json",
        "/map/tokyo/station/01131215.json",
        "/map/tokyo/station/1131215",
        "/map-assets/../Cargo.toml",
        "/map-assets/page.html",
    ] {
        let answer = server.get(none);
        assert_eq!((answer.status, answer.header("content-type")), (404, Some("text/plain; charset=utf-8")), "{none}");
    }
    assert_eq!(http::request(server.address, "POST", "/map/tokyo", "Content-Length: 0\r\n").status, 405);
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("kaisatsu_http_requests_total{operation=\"/map\",status=\"200\"}"), "{metrics}");
    assert!(!metrics.contains("nowhere"));

    let without = Server::start(&database, &["--map-pages", "false"]);
    for gone in ["/map", "/map/tokyo", "/map/tokyo/data.json", "/map-assets/page.js"] {
        assert_eq!(without.get(gone).status, 404, "{gone}");
    }
    assert!(!without.get("/").text().contains("/map"));
}
