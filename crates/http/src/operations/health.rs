//! `/healthz` and `/readyz`: liveness and readiness.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use kaisatsu_model::Part;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Gateway;

/// The state of this server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    #[schema(value_type = String, example = "ok")]
    status: &'static str,
    /// Version of this server.
    #[schema(value_type = String, example = "0.1.0")]
    version: &'static str,
}

/// Whether this server can take requests, and how its parts are.
#[derive(Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// `ok`; `degraded` when it takes requests and a part needs attention; or why it takes none.
    #[schema(value_type = String, example = "ok")]
    status: &'static str,
    /// Version of this server.
    #[schema(value_type = String, example = "0.1.0")]
    version: &'static str,
    /// The parts of the server.
    parts: Vec<PartEntry>,
}

/// A part of the server.
#[derive(Serialize, ToSchema)]
#[schema(as = Part)]
pub(crate) struct PartEntry {
    /// `server`, `database`, `databaseDisk`, `imagesDisk`, `keys`, `maps`, `models`, `collections` or `feedback`.
    #[schema(example = "database")]
    name: String,
    /// `ok`, `off` (not set up here), `starting`, `degraded` or `failing`.
    #[schema(value_type = String, example = "ok")]
    state: &'static str,
    /// Why, when it is not ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl From<Part> for PartEntry {
    fn from(part: Part) -> Self {
        Self { name: part.name, state: part.state.as_str(), message: part.message }
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `Retry-After` of a server that is not ready: how often the parts are tried.
const RETRY_SECONDS: u16 = 5;

/// Whether the process lives
#[utoipa::path(
    get, path = "/healthz", operation_id = "healthz", tag = "Operations", security(()),
    responses((status = 200, description = "It does", body = Health))
)]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", version: VERSION })
}

/// Whether to send work to this server
#[utoipa::path(
    get, path = "/readyz", operation_id = "readyz", tag = "Operations", security(()),
    responses(
        (status = 200, description = "Send it; the parts say what does not work as it should", body = Readiness),
        (status = 503, description = "Not now; the status says why", body = Readiness),
    )
)]
pub(crate) async fn readyz(State(gateway): State<Arc<Gateway>>) -> Response {
    let parts = gateway.parts();
    let (code, status) = match gateway.not_ready() {
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason),
        None if parts.iter().any(|part| part.state.needs_attention()) => (StatusCode::OK, "degraded"),
        None => (StatusCode::OK, "ok"),
    };
    let parts = parts.into_iter().map(PartEntry::from).collect();
    let mut response = (code, Json(Readiness { status, version: VERSION, parts })).into_response();
    if code == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, RETRY_SECONDS.into());
    }
    response
}
