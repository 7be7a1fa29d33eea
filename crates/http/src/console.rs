//! The console for people: its own small API below `/console/api`, and the pages, which come with the binary.
//!
//! What the pages do beside accounts and applications they do with the public API, as one of the person's applications.

mod account;
mod answer;
mod applications;
mod entry;
mod feedback;
mod keys;
mod operator;
mod pages;
mod session;
mod usage;
mod visitor;

use std::sync::Arc;

use answer::Trouble;
use axum::{Router, response::IntoResponse, routing::get};
use utoipa::{OpenApi, openapi::OpenApi as Document};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Gateway;

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
        .routes(routes!(session::look, session::sign_in, session::sign_out))
        .routes(routes!(entry::register))
        .routes(routes!(entry::confirm))
        .routes(routes!(entry::forgot))
        .routes(routes!(entry::reset))
        .routes(routes!(account::change_password))
        .routes(routes!(account::sessions, account::sign_out_elsewhere))
        .routes(routes!(account::belongings))
        .routes(routes!(account::delete))
        .routes(routes!(applications::list, applications::create))
        .routes(routes!(applications::look, applications::change, applications::delete))
        .routes(routes!(applications::belongings))
        .routes(routes!(keys::create))
        .routes(routes!(keys::rotate))
        .routes(routes!(keys::switch))
        .routes(routes!(keys::pass))
        .routes(routes!(usage::users))
        .routes(routes!(usage::usage))
        .routes(routes!(feedback::list))
        .routes(routes!(feedback::timeline))
        .routes(routes!(feedback::revoke))
        .routes(routes!(operator::list))
        .routes(routes!(operator::change, operator::delete))
        .routes(routes!(operator::registration))
}

/// The document of the console's operations, for `kaisatsu openapi --console`.
#[must_use]
pub fn document() -> Document {
    api().into_openapi()
}

/// Everything below `/console`.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    let (api, _) = api().split_for_parts();
    api.route("/console/api/{*rest}", get(no_such_operation))
        .method_not_allowed_fallback(async || Trouble::Method.into_response())
        .route("/console", get(pages::page))
        .route("/console/", get(pages::page))
        .route("/console/{*path}", get(pages::page))
}

async fn no_such_operation() -> Trouble {
    Trouble::NotFound("operation")
}
