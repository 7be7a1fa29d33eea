//! `/`: the page for a person who opens the server's address in a browser.

use std::sync::{Arc, LazyLock};

use axum::{
    extract::State,
    http::header,
    response::{Html, IntoResponse, Response},
};

use kaisatsu_http::Gateway;

const PAGE: &str = include_str!("welcome.html");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// The page of a server that does not serve the map pages.
static WITHOUT_MAPS: LazyLock<String> =
    LazyLock::new(|| PAGE.lines().filter(|line| !line.contains("href=\"/map\"")).collect::<Vec<_>>().join("\n"));

pub(crate) async fn welcome(State(gateway): State<Arc<Gateway>>) -> Response {
    let page = if gateway.map_pages { PAGE } else { &WITHOUT_MAPS };
    ([(header::CONTENT_SECURITY_POLICY, POLICY), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")], Html(page))
        .into_response()
}
