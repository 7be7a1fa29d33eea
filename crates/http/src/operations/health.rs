//! `/healthz` and `/readyz`: liveness and readiness.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Gateway;

/// The state of this server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or what is wrong.
    #[schema(value_type = String, example = "ok")]
    status: &'static str,
    /// Version of this server.
    #[schema(value_type = String, example = "0.1.0")]
    version: &'static str,
}

impl Health {
    fn new(status: &'static str) -> Json<Self> {
        Json(Self { status, version: env!("CARGO_PKG_VERSION") })
    }
}

/// Whether the process lives
#[utoipa::path(
    get, path = "/healthz", operation_id = "healthz", tag = "Operations", security(()),
    responses((status = 200, description = "It does", body = Health))
)]
pub(crate) async fn healthz() -> Json<Health> {
    Health::new("ok")
}

/// Whether to send work to this server
#[utoipa::path(
    get, path = "/readyz", operation_id = "readyz", tag = "Operations", security(()),
    responses(
        (status = 200, description = "Send it", body = Health),
        (status = 503, description = "Not now; the status says why", body = Health),
    )
)]
pub(crate) async fn readyz(State(gateway): State<Arc<Gateway>>) -> (StatusCode, Json<Health>) {
    match gateway.not_ready() {
        None => (StatusCode::OK, Health::new("ok")),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, Health::new(reason)),
    }
}
