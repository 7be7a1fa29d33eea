//! `applications/{id}/failures`: the latest requests of an application that failed.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use kaisatsu_access::FailedRequest;
use kaisatsu_model::{AppId, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json},
    session_guard::{CurrentAccount, QueryParams},
};
use kaisatsu_http::Gateway;

/// How many are answered when nothing is said, and at most.
const USUAL: i64 = 20;
const MOST: i64 = 200;

/// Which of them.
#[derive(Deserialize)]
pub(crate) struct Which {
    limit: Option<i64>,
    /// What the answer before said as `next`.
    before: Option<String>,
}

/// Failed requests, the latest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct FailureList {
    failures: Vec<FailureEntry>,
    /// For `before`, to get those that failed earlier; null when there are none.
    #[schema(required = true)]
    next: Option<String>,
}

/// A request that failed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FailedRequest)]
struct FailureEntry {
    #[schema(format = DateTime)]
    at: String,
    /// The path that was called.
    operation: String,
    /// The HTTP status.
    status: u16,
    /// The code of the error.
    code: String,
    /// What the caller was told.
    message: String,
    /// As in `X-Request-Id`; the server's log has it too.
    request_id: String,
    /// The id of the key.
    key: String,
}

impl From<FailedRequest> for FailureEntry {
    fn from(request: FailedRequest) -> Self {
        Self {
            at: request.at.to_utc(),
            operation: request.operation,
            status: request.status,
            code: request.code,
            message: request.message,
            request_id: request.request_id,
            key: request.key,
        }
    }
}

/// The latest failed requests of an application
#[utoipa::path(
    get, path = "/console/api/applications/{id}/failures", operation_id = "failures", tag = "Applications",
    params(
        ("id" = String, Path, description = "The application"),
        ("limit" = Option<u32>, Query, description = "1 to 200; 20 if left out"),
        ("before" = Option<String>, Query, description = "What the answer before said as next"),
    ),
    responses(
        (status = 200, description = "Those of the last 14 days, the latest first", body = FailureList),
        (status = 400, description = "invalid", body = ConsoleError),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn failures(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    QueryParams(which): QueryParams<Which>,
) -> ConsoleResult {
    let id = AppId::from_text(id);
    gateway.console.application(current.account(), &id).await?;
    let limit = which.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(ConsoleFailure::Invalid(format!("limit must be from 1 to {MOST}")));
    }
    let wrong = |_| ConsoleFailure::Invalid("before must be what an answer said as next".to_owned());
    let before = which.before.map(|text| text.parse().map(Timestamp).map_err(wrong)).transpose()?;
    let found = gateway.failed_requests.list(&id, before, limit).await?;
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
    let next = found.last().filter(|_| is_full).map(|last| last.at.0.to_string());
    Ok(json(StatusCode::OK, FailureList { failures: found.into_iter().map(FailureEntry::from).collect(), next }))
}
