//! What the responses of both functions have in common: JSON in UTF-8, `Retry-After`, and the context for the log.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use kaisatsu_access::Caller;
use serde::Serialize;

use crate::{Failure, Kind, LogContext};

/// The body of a response, written as JSON.
pub(crate) trait JsonBody: Serialize {
    /// About how many bytes it takes, so that the buffer is allocated once.
    fn size(&self) -> usize {
        512
    }

    /// Writes it as JSON.
    fn write(&self, bytes: &mut Vec<u8>) {
        // Serialising our own wire types cannot fail: they hold strings, lists and maps with string keys only.
        let _ = serde_json::to_writer(bytes, self);
    }
}

/// The Content-Type of every JSON body.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=UTF-8");

/// A 200 response.
pub(crate) fn ok(body: &impl JsonBody) -> Response {
    json(StatusCode::OK, body)
}

/// A 202 response.
pub(crate) fn accepted(body: &impl JsonBody) -> Response {
    json(StatusCode::ACCEPTED, body)
}

/// A 204 response, without a body and without `Content-Type`.
pub(crate) fn no_content() -> Response {
    let mut response = Response::new(axum::body::Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Adds the caller to the log context of a response.
pub(crate) fn with_caller(caller: Arc<Caller>, mut response: Response) -> Response {
    response.extensions_mut().get_or_insert_default::<LogContext>().caller = Some(caller);
    response
}

/// The response for a failure. The body is in the format of the function that failed.
pub(crate) fn error(failure: Failure, body: &impl JsonBody) -> Response {
    failed(failure, json(StatusCode::OK, body))
}

/// The response for a failure outside of both functions: plain text.
#[must_use]
pub fn plain_error(failure: Failure) -> Response {
    let mut response = format!("{}\n", failure.message).into_response();
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if failure.kind != Kind::NotFound {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    failed(failure, response)
}

/// Adds the status of a failure, when to try again, and the context for the log.
fn failed(failure: Failure, mut response: Response) -> Response {
    *response.status_mut() = failure.kind.row().0;
    if let Some(seconds) = failure.retry_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response.extensions_mut().insert(LogContext {
        caller: failure.caller.clone(),
        cause: failure.cause.clone(),
        failure: Some(failure),
    });
    response
}

fn json(status: StatusCode, body: &impl JsonBody) -> Response {
    // The allocator reuses buffers faster when they come in few sizes.
    let mut bytes = Vec::with_capacity(body.size().next_multiple_of(4 * 1024));
    body.write(&mut bytes);
    let mut response = Response::new(axum::body::Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}
