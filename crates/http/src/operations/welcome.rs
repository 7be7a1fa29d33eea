//! `/`: a first page for a person who opens the address in a browser.

use axum::{
    http::header,
    response::{Html, IntoResponse, Response},
};

const PAGE: &str = include_str!("welcome.html");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

pub(crate) async fn welcome() -> Response {
    ([(header::CONTENT_SECURITY_POLICY, POLICY), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")], Html(PAGE))
        .into_response()
}
