//! `/openapi.json`, and `/docs` to browse it. The scripts and styles of the page are embedded in the binary.

use axum::Router;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// The routes of the document and its page.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(document: OpenApi) -> Router<S> {
    let config = Config::default()
        // The page would otherwise send the document to a validator on the internet.
        .validator_url("none")
        .try_it_out_enabled(true)
        .display_request_duration(true);
    SwaggerUi::new("/docs").url("/openapi.json", document).config(config).into()
}
