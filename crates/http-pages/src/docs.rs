//! `/openapi.json`, and `/docs`, the reference of the API that shows it. The page is embedded in the binary.

use axum::{
    Router,
    extract::{Path, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use kaisatsu_http::{Cacheable, Etag, Failure, Kind, plain_error};
use utoipa::openapi::OpenApi;

use crate::embedded;

/// Everything from this server, and nothing from any other. `blob:` is for pictures that an operation answers.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES: [(&str, &str); 3] = [
    ("icon.svg", "image/svg+xml;charset=UTF-8"),
    ("page.css", "text/css;charset=UTF-8"),
    ("page.js", "text/javascript;charset=UTF-8"),
];

/// The routes of the document and its page.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(document: &OpenApi) -> Router<S> {
    // Its types have texts as keys and no other map, which is all that could keep it from being written.
    let json = Bytes::from(serde_json::to_vec(document).unwrap_or_default());
    let etag = Etag::of(format_args!("{}", String::from_utf8_lossy(&json)));
    let openapi = async move |request: HeaderMap| part(&request, "application/json", etag, || json);
    Router::new()
        .route("/openapi.json", get(openapi))
        .route("/docs", get(page))
        .route("/docs/", get(page))
        .route("/docs/assets/{file}", get(asset))
}

async fn page(request: HeaderMap) -> Response {
    text(&request, "page.html", "text/html;charset=UTF-8")
}

async fn asset(file: Result<Path<String>, PathRejection>, request: HeaderMap) -> Response {
    let found = file.ok().and_then(|Path(file)| FILES.iter().find(|(name, _)| *name == file));
    match found {
        Some((name, content_type)) => text(&request, name, content_type),
        None => plain_error(Failure::new(Kind::NotFound, "there is no such file; /docs is the page")),
    }
}

fn text(request: &HeaderMap, name: &str, content_type: &'static str) -> Response {
    match embedded::text::<embedded::Docs>(name) {
        Ok(text) => part(request, content_type, Etag::of(format_args!("{text}")), || embedded::body(text)),
        Err(not_built) => not_built.into_response(),
    }
}

fn part(request: &HeaderMap, content_type: &'static str, etag: Etag, content: impl FnOnce() -> Bytes) -> Response {
    let cacheable = Cacheable { etag, content_type, cache_control: "no-cache", content_security_policy: POLICY };
    let mut response = cacheable.respond(request, content);
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
