//! `/openapi.json`, and `/docs` to browse it. The scripts and styles of the page are embedded in the binary.

use axum::{
    Router,
    http::{HeaderValue, header},
    middleware::map_response,
    response::Response,
};
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// Everything from this server, and nothing from any other. Swagger UI writes styles into its markup, draws its icons
/// from `data:` addresses, and shows the pictures that an operation answers from `blob:` addresses.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: \
                      blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes of the document and its page.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(document: OpenApi) -> Router<S> {
    let config = Config::default()
        // The page would otherwise send the document to a validator on the internet.
        .validator_url("none")
        .try_it_out_enabled(true)
        .display_request_duration(true);
    let pages: Router<S> = SwaggerUi::new("/docs").url("/openapi.json", document).config(config).into();
    pages.layer(map_response(async |mut response: Response| {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        response
    }))
}
