//! The responses of the route map function. Its error code is `W` and the HTTP status.

use std::sync::Arc;

use axum::response::Response;
use kaisatsu_access::Caller;

use super::wire::{API_VERSION, ENGINE_VERSION, ErrorAnswer, ErrorBody, ErrorSet};
use crate::{
    Failure,
    log_context::LoggedResponse,
    response::{self, JsonBody},
};

/// Runs `work` for an admitted caller and makes the response of its result.
pub(crate) fn respond<B: JsonBody>(
    admitted: Result<Arc<Caller>, Failure>,
    work: impl FnOnce() -> Result<B, Failure>,
) -> LoggedResponse {
    match admitted {
        Ok(caller) => {
            let mut logged = LoggedResponse::from(work().map_or_else(error, |body| response::ok(&body)));
            logged.context.caller = Some(caller);
            logged
        }
        Err(failure) => LoggedResponse::from(error(failure)),
    }
}

/// The response for a failure.
pub(crate) fn error(failure: Failure) -> Response {
    let code = format!("W{}", failure.kind.row().0.as_u16());
    let body = ErrorBody { code, message: failure.message.clone() };
    let result_set = ErrorSet { api_version: API_VERSION, engine_version: ENGINE_VERSION, error: body };
    response::error(failure, &ErrorAnswer { result_set })
}

impl JsonBody for ErrorAnswer {}
