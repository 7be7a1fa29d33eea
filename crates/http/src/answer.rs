//! What both functions' answers have in common: JSON in UTF-8, `Retry-After`, and the note for the log.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use kaisatsu_access::Caller;
use serde::Serialize;

use crate::{Failure, observe::Note};

/// What an answer is written from.
pub(crate) trait Body: Serialize {
    /// About how many bytes it takes, so that the buffer is made once.
    fn size(&self) -> usize {
        512
    }

    /// Writes it as JSON.
    fn write(&self, bytes: &mut Vec<u8>) {
        // Serialising our own wire types cannot fail: they hold strings, lists and maps with string keys only.
        let _ = serde_json::to_writer(bytes, self);
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=UTF-8");

/// An answer of 200.
pub(crate) fn success(body: &impl Body) -> Response {
    json(StatusCode::OK, body)
}

/// An answer of 202.
pub(crate) fn accepted(body: &impl Body) -> Response {
    json(StatusCode::ACCEPTED, body)
}

/// An answer of 204: nothing more to say, and nothing said of it.
pub(crate) fn nothing() -> Response {
    let mut response = Response::new(axum::body::Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// The same answer, with its caller noted for the log.
pub(crate) fn to(caller: Arc<Caller>, mut response: Response) -> Response {
    response.extensions_mut().get_or_insert_default::<Note>().caller = Some(caller);
    response
}

/// A failure, its body as its function writes it.
pub(crate) fn failure(failure: Failure, body: &impl Body) -> Response {
    let mut response = json(failure.kind.row().0, body);
    if let Some(seconds) = failure.retry_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response.extensions_mut().insert(Note {
        caller: failure.caller.clone(),
        cause: failure.cause.clone(),
        failure: Some(failure),
    });
    response
}

fn json(status: StatusCode, body: &impl Body) -> Response {
    // Buffers of few sizes are found again quickly by the allocator.
    let mut bytes = Vec::with_capacity(body.size().next_multiple_of(4 * 1024));
    body.write(&mut bytes);
    let mut response = Response::new(axum::body::Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}
