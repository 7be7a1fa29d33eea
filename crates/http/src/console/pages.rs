//! The pages of the console. They are built by `make web` and come with the binary.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use bytes::Bytes;
use kaisatsu_recognition::hex;
use rust_embed::{EmbeddedFile, RustEmbed};

/// What the console is built into.
#[derive(RustEmbed)]
#[folder = "../../web/dist/console"]
#[allow_missing = true]
struct Built;

/// Scripts, styles and pictures from this server; pictures that a person has just chosen; nothing inline and nothing from
/// anywhere else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; \
     connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

const NOT_BUILT: &str = "This binary was built without its console. `make web` builds the pages; then build again.\n";

static PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
static OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// A file of the console, or its page: the page itself finds out what its address means.
pub(crate) async fn page(request: Request) -> Response {
    let path = request.uri().path();
    if path == "/console" {
        return Redirect::permanent("/console/").into_response();
    }
    let name = path.trim_start_matches("/console/");
    match (Built::get(name), name.starts_with("assets/")) {
        (Some(file), _) => whole(name, file, request.headers()),
        (None, true) => guarded((StatusCode::NOT_FOUND, "there is no such file\n").into_response()),
        (None, false) => match Built::get("index.html") {
            Some(file) => whole("index.html", file, request.headers()),
            None => guarded((StatusCode::SERVICE_UNAVAILABLE, NOT_BUILT).into_response()),
        },
    }
}

fn whole(name: &str, file: EmbeddedFile, request: &HeaderMap) -> Response {
    let media = match name.rsplit('.').next() {
        Some("html") => "text/html;charset=UTF-8",
        Some("js") => "text/javascript;charset=UTF-8",
        Some("css") => "text/css;charset=UTF-8",
        Some("svg") => "image/svg+xml;charset=UTF-8",
        Some("json" | "webmanifest") => "application/json;charset=UTF-8",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    };
    // The name of an asset holds the hash of its content; the page must be asked for each time.
    let keep = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = format!("\"{}\"", hex(&file.metadata.sha256_hash()[..16]));
    let known = request.get(header::IF_NONE_MATCH).is_some_and(|given| given.as_bytes() == tag.as_bytes());
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let packed = if accepted.contains("gzip") { Built::get(&format!("{name}.gz")) } else { None };
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let encoded = packed.is_some();
        let data = packed.map_or(file.data, |packed| packed.data);
        let bytes = match data {
            std::borrow::Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            std::borrow::Cow::Owned(bytes) => Bytes::from(bytes),
        };
        let mut response = Response::new(axum::body::Body::from(bytes));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        if encoded {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(header::ETAG, tag);
    }
    guarded(response)
}

/// The headers that keep a page from being framed, sniffed, or told on.
fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // The address of a page may hold the secret of a letter's link.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(&PERMISSIONS, HeaderValue::from_static("camera=(self), microphone=(), geolocation=()"));
    headers.insert(&OPENER, HeaderValue::from_static("same-origin"));
    response
}
