//! The console: the operations that its pages call, below `/console/api`, and the pages, embedded in the binary.
//!
//! The pages use these operations for accounts and applications, and for a link that downloads a dataset. Everything
//! else they do through the public API, with a key of one of the person's applications.

mod account;
mod applications;
mod archive;
mod failures;
mod feedback;
mod keys;
mod operator;
mod registration;
mod response;
mod server;
mod session;
mod session_guard;
mod static_assets;
mod usage;
mod zip;

use std::sync::Arc;

use axum::{Router, response::IntoResponse, routing::get};
use response::ConsoleFailure;
use utoipa::{OpenApi, openapi::OpenApi as Document};
use utoipa_axum::{router::OpenApiRouter, routes};

use kaisatsu_http::{Gateway, Section};

#[derive(OpenApi)]
#[openapi(info(
    title = "Kaisatsu console",
    description = "What the console's own pages call. A session is a cookie; every request that is not a GET carries \
                   Content-Type: application/json and, when signed in, X-CSRF-Token as GET session gave it. This is no \
                   public interface: it changes with the pages.",
))]
struct Head;

/// The console's operations, with their descriptions.
fn api() -> OpenApiRouter<Arc<Gateway>> {
    OpenApiRouter::with_openapi(Head::openapi())
        .routes(routes!(session::get, session::sign_in, session::sign_out))
        .routes(routes!(registration::register))
        .routes(routes!(registration::confirm))
        .routes(routes!(registration::forgot))
        .routes(routes!(registration::reset))
        .routes(routes!(account::change_password))
        .routes(routes!(account::sessions, account::sign_out_elsewhere))
        .routes(routes!(account::belongings))
        .routes(routes!(account::delete))
        .routes(routes!(applications::list, applications::create))
        .routes(routes!(applications::get, applications::change, applications::delete))
        .routes(routes!(applications::belongings))
        .routes(routes!(applications::take_over))
        .routes(routes!(archive::download))
        .routes(routes!(keys::create))
        .routes(routes!(keys::rotate))
        .routes(routes!(keys::switch))
        .routes(routes!(keys::pass))
        .routes(routes!(usage::users))
        .routes(routes!(usage::usage))
        .routes(routes!(failures::failures))
        .routes(routes!(feedback::list))
        .routes(routes!(feedback::timeline))
        .routes(routes!(feedback::revoke))
        .routes(routes!(operator::list))
        .routes(routes!(operator::change, operator::delete))
        .routes(routes!(operator::registration))
        .routes(routes!(server::status))
        .routes(routes!(server::server))
}

/// The OpenAPI document of the console's operations, for `kaisatsu openapi --console`.
#[must_use]
pub fn document() -> Document {
    api().into_openapi()
}

/// The routes below `/console`.
#[must_use]
pub fn section() -> Section {
    Section { routes: routes(), labels: &[LABEL], label: |path| path.starts_with(LABEL).then_some(LABEL) }
}

/// The metric label of all requests below it.
const LABEL: &str = "/console";

fn routes() -> Router<Arc<Gateway>> {
    let (api, _) = api().split_for_parts();
    api.route("/console/api/{*rest}", get(no_such_operation))
        .method_not_allowed_fallback(async || ConsoleFailure::Method.into_response())
        .route("/console", get(static_assets::serve))
        .route("/console/", get(static_assets::serve))
        .route("/console/{*path}", get(static_assets::serve))
}

async fn no_such_operation() -> ConsoleFailure {
    ConsoleFailure::NotFound("operation")
}
