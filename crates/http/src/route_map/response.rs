//! The responses of the route map function. Its error code is `W` and the HTTP status.

use std::sync::Arc;

use axum::response::Response;
use kaisatsu_access::Caller;
use utoipa::IntoResponses;

use super::wire::{API_VERSION, ENGINE_VERSION, ErrorAnswer, ErrorBody, ErrorSet};
use crate::{
    Failure,
    log_context::LoggedResponse,
    response::{self, JsonBody},
};

/// The errors of every operation, for its description.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum Refusals {
    /// W400: a parameter breaks a rule; the message names both
    #[response(status = 400, content_type = "application/json;charset=UTF-8")]
    Parameter(ErrorAnswer),
    /// W401: the API key is missing or unknown
    #[response(status = 401, content_type = "application/json;charset=UTF-8")]
    KeyUnknown(ErrorAnswer),
    /// W403: the API key is disabled, or may not be used from there
    #[response(status = 403, content_type = "application/json;charset=UTF-8")]
    KeyDisabled(ErrorAnswer),
    /// W429: the key calls too often; see Retry-After
    #[response(status = 429, content_type = "application/json;charset=UTF-8")]
    TooOften(ErrorAnswer),
    /// W503: not ready, or overloaded; see Retry-After
    #[response(status = 503, content_type = "application/json;charset=UTF-8")]
    Unavailable(ErrorAnswer),
}

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
