//! The pages that need no key: a welcome page, the route maps, and the API documentation.

mod docs;
mod embedded;
mod examples;
mod map;
mod welcome;

use axum::{Router, routing::get};
use kaisatsu_http::Section;
use utoipa::openapi::OpenApi;

/// The routes of the pages. `document` is the OpenAPI document; `maps` says whether the map pages are served.
#[must_use]
pub fn section(document: &OpenApi, maps: bool) -> Section {
    let routes = Router::new()
        .route("/", get(welcome::welcome))
        .route("/docs/examples", get(examples::examples))
        .merge(docs::routes(document));
    Section { routes: if maps { routes.merge(map::routes()) } else { routes }, labels: &map::LABELS, label: map::label }
}
