//! How the route map function answers: failures as `W` and the HTTP status.

use std::sync::Arc;

use axum::response::Response;
use kaisatsu_access::Caller;

use super::wire::{API_VERSION, ENGINE_VERSION, ErrorAnswer, ErrorBody, ErrorSet};
use crate::{
    Failure,
    answer::{self, Body},
    observe::Noted,
};

/// Does the work for a caller who was let through, and answers with what comes of it.
pub(crate) fn answer<B: Body>(
    admitted: Result<Arc<Caller>, Failure>,
    work: impl FnOnce() -> Result<B, Failure>,
) -> Noted {
    match admitted {
        Ok(caller) => {
            let mut noted = Noted::of(work().map_or_else(refuse, |body| answer::success(&body)));
            noted.note.caller = Some(caller);
            noted
        }
        Err(failure) => Noted::of(refuse(failure)),
    }
}

/// A failure as the caller reads it.
pub(crate) fn refuse(failure: Failure) -> Response {
    let code = format!("W{}", failure.kind.row().0.as_u16());
    let error = ErrorBody { code, message: failure.message.clone() };
    let result_set = ErrorSet { api_version: API_VERSION, engine_version: ENGINE_VERSION, error };
    answer::failure(failure, &ErrorAnswer { result_set })
}

impl Body for ErrorAnswer {}
