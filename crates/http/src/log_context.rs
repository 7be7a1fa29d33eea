//! What a handler adds to the log line of its request.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use kaisatsu_access::Caller;

use crate::Failure;

/// What a handler adds to the log line of its request, as an extension of the response. It never reaches the client.
#[derive(Debug, Clone, Default)]
pub struct LogContext {
    /// Who called.
    pub caller: Option<Arc<Caller>>,
    /// What the client was told.
    pub failure: Option<Failure>,
    /// What really happened, when the fault is ours.
    pub cause: Option<Arc<str>>,
}

/// A response with its log context beside it.
pub(crate) struct LoggedResponse {
    pub(crate) response: Response,
    pub(crate) context: LogContext,
}

impl From<Response> for LoggedResponse {
    /// Takes the context out of the extensions, where responses from the router have it.
    fn from(mut response: Response) -> Self {
        let context = response.extensions_mut().remove().unwrap_or_default();
        Self { response, context }
    }
}

impl IntoResponse for LoggedResponse {
    fn into_response(self) -> Response {
        let Self { mut response, context } = self;
        response.extensions_mut().insert(context);
        response
    }
}
