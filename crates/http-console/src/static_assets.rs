//! The pages of the console: static files, built by `make web` and embedded in the binary.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use bytes::Bytes;
use kaisatsu_recognition::hex;
use rust_embed::{EmbeddedFile, RustEmbed};

/// The build output.
#[derive(RustEmbed)]
#[folder = "../../web/dist/console"]
#[allow_missing = true]
struct Built;

/// Scripts, styles and pictures from this server, and pictures that a person has just chosen. Nothing inline, nothing
/// from other servers.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; \
     connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

const NOT_BUILT: &str = "This binary was built without its console. `make web` builds the pages; then build again.\n";

static PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
static OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// A file of the console, or `index.html`, which routes all other paths in the browser.
pub(crate) async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    if path == "/console" {
        return Redirect::permanent("/console/").into_response();
    }
    let name = path.trim_start_matches("/console/");
    match (Built::get(name), name.starts_with("assets/")) {
        (Some(file), _) => file_response(name, file, request.headers()),
        (None, true) => with_security_headers((StatusCode::NOT_FOUND, "there is no such file\n").into_response()),
        (None, false) => match Built::get("index.html") {
            Some(file) => file_response("index.html", file, request.headers()),
            // Not 503: it does not help to try again.
            None => with_security_headers((StatusCode::NOT_IMPLEMENTED, NOT_BUILT).into_response()),
        },
    }
}

fn file_response(name: &str, file: EmbeddedFile, request: &HeaderMap) -> Response {
    let content_type = match name.rsplit('.').next() {
        Some("html") => "text/html;charset=UTF-8",
        Some("js") => "text/javascript;charset=UTF-8",
        Some("css") => "text/css;charset=UTF-8",
        Some("svg") => "image/svg+xml;charset=UTF-8",
        Some("json" | "webmanifest") => "application/json;charset=UTF-8",
        Some("jpg") => "image/jpeg",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    };
    // The name of an asset holds the hash of its content. The page is revalidated each time.
    let cache_control = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let etag = format!("\"{}\"", hex(&file.metadata.sha256_hash()[..16]));
    let is_current = request.get(header::IF_NONE_MATCH).is_some_and(|given| given.as_bytes() == etag.as_bytes());
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let packed = if accepted.contains("gzip") { Built::get(&format!("{name}.gz")) } else { None };
    let mut response = if is_current {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let encoded = packed.is_some();
        let data = packed.map_or(file.data, |packed| packed.data);
        let bytes = match data {
            std::borrow::Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            std::borrow::Cow::Owned(bytes) => Bytes::from(bytes),
        };
        let mut response = Response::new(axum::body::Body::from(bytes));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        if encoded {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(header::ETAG, etag);
    }
    with_security_headers(response)
}

/// Headers against framing, content sniffing and referrer leaks.
fn with_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // The address of a page may hold the secret of a link from an e-mail.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(&PERMISSIONS, HeaderValue::from_static("camera=(self), microphone=(), geolocation=()"));
    headers.insert(&OPENER, HeaderValue::from_static("same-origin"));
    response
}
