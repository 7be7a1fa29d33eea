//! The pages' own headers, and the documents that they are made from.

use std::path::Path;

use kaisatsu_e2e::{Backend, Database, Server, http, run};

#[test]
fn pages_come_with_their_headers() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let to = server.get("/console");
    assert_eq!((to.status, to.header("location")), (308, Some("/console/")));
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; \
                  connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'self'; \
                  frame-ancestors 'none'";
    let page = server.get("/console/");
    assert_eq!(page.status, 200, "`make web` builds the pages: {}", page.text());
    for path in ["/console/", "/console/applications/app_x", "/console/reset?token=ksl_x"] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.text()), (200, page.text()), "{path}");
        for (name, value) in [
            ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("permissions-policy", "camera=(self), microphone=(), geolocation=()"),
            ("cache-control", "no-cache"),
            ("content-type", "text/html;charset=UTF-8"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path} {name}");
        }
    }
    assert!(!policy.contains("unsafe") && !page.text().contains("<style") && !page.text().contains(" style="));
    let text = page.text();
    let asset = text.split('"').find(|piece| piece.starts_with("/console/assets/")).expect("an asset");
    let plain = server.get(asset);
    let packed = http::request(server.address, "GET", asset, "Accept-Encoding: gzip\r\n");
    assert_eq!((plain.status, packed.header("content-encoding")), (200, Some("gzip")));
    assert!(packed.body.len() < plain.body.len());
    assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let tag = plain.header("etag").unwrap();
    assert_eq!(http::request(server.address, "GET", asset, &format!("If-None-Match: {tag}\r\n")).status, 304);
    assert_eq!(server.get("/console/assets/nothing.js").status, 404);
    assert!(!server.log().contains("ksl_x"), "a link's secret stays out of the log");
}

#[test]
fn the_documents_of_the_pages_are_the_server_s() {
    let home = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (file, args) in [("api.json", &["openapi"][..]), ("console.json", &["openapi", "--console"])] {
        let kept = std::fs::read_to_string(root.join("web/openapi").join(file)).unwrap();
        assert_eq!(run(home.path(), args, &[]).out, kept, "`make openapi` writes web/openapi/{file} anew");
    }
}
