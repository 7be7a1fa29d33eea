//! How the image recognition function answers: failures as a code and a message that begins with the function code.

use std::sync::Arc;

use axum::response::Response;
use kaisatsu_access::Caller;
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use crate::{
    Failure,
    answer::{self, Body},
};

/// A failure.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecognitionError {
    error: RecognitionErrorBody,
}

impl Body for RecognitionError {}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecognitionErrorBody {
    /// Error code; docs/errors.md lists them.
    #[schema(value_type = String, example = "103")]
    code: &'static str,
    /// Function code, `: `, and what is wrong.
    #[schema(example = "feedbackToCandidate: query parameter itemId is missing")]
    message: String,
}

/// What every operation may be refused with, for its description.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "only the document is made of it")]
pub(crate) enum Refusals {
    /// 116: the API key is missing or unknown
    #[response(status = 401, content_type = "application/json;charset=UTF-8")]
    KeyUnknown(RecognitionError),
    /// 201: the API key is disabled
    #[response(status = 403, content_type = "application/json;charset=UTF-8")]
    KeyDisabled(RecognitionError),
    /// 204: the key calls too often; see Retry-After
    #[response(status = 429, content_type = "application/json;charset=UTF-8")]
    TooOften(RecognitionError),
    /// 500: a failure of ours
    #[response(status = 500, content_type = "application/json;charset=UTF-8")]
    Internal(RecognitionError),
    /// 501: not ready, or overloaded; see Retry-After
    #[response(status = 503, content_type = "application/json;charset=UTF-8")]
    Unavailable(RecognitionError),
}

/// What an operation of a user's may be refused with besides.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "only the document is made of it")]
pub(crate) enum UserRefusals {
    /// 116: the API key is missing or unknown; 117: the user's token is missing, unknown, revoked or expired
    #[response(status = 401, content_type = "application/json;charset=UTF-8")]
    TokenUnknown(RecognitionError),
}

/// What an operation with a body may be refused with besides.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "only the document is made of it")]
pub(crate) enum BodyRefusals {
    /// 119: too large, in bytes or pixels
    #[response(status = 413, content_type = "application/json;charset=UTF-8")]
    TooLarge(RecognitionError),
    /// 105: the Content-Type is not one this operation reads
    #[response(status = 415, content_type = "application/json;charset=UTF-8")]
    MediaType(RecognitionError),
}

/// Does the work for a caller who was let through, and answers with what comes of it.
pub(crate) fn answer<B: Body>(
    function: &str,
    admitted: Result<Arc<Caller>, Failure>,
    work: impl FnOnce() -> Result<B, Failure>,
) -> Response {
    let refuse = |failure| refuse(function, failure);
    match admitted {
        Ok(caller) => answer::to(caller, work().map_or_else(refuse, |body| answer::success(&body))),
        Err(failure) => refuse(failure),
    }
}

/// The body of an answer that has none.
pub(crate) struct Nothing;

/// What an operation answers with.
pub(crate) trait Outcome {
    /// The answer.
    fn into_answer(self) -> Response;
}

impl<B: Body> Outcome for B {
    fn into_answer(self) -> Response {
        answer::success(&self)
    }
}

/// A body whose work goes on after the answer.
pub(crate) struct Accepted<B>(pub(crate) B);

impl<B: Body> Outcome for Accepted<B> {
    fn into_answer(self) -> Response {
        answer::accepted(&self.0)
    }
}

impl Outcome for Nothing {
    fn into_answer(self) -> Response {
        answer::nothing()
    }
}

/// The same for work that takes its time.
pub(crate) async fn answer_to<O: Outcome>(
    function: &str,
    admitted: Result<Arc<Caller>, Failure>,
    work: impl AsyncFnOnce(&Caller) -> Result<O, Failure>,
) -> Response {
    let caller = match admitted {
        Ok(caller) => caller,
        Err(failure) => return refuse(function, failure),
    };
    match work(&caller).await {
        Ok(outcome) => answer::to(caller, outcome.into_answer()),
        Err(failure) => refuse(function, failure.of(caller)),
    }
}

/// A failure as the caller reads it.
pub(crate) fn refuse(function: &str, failure: Failure) -> Response {
    let (_, code) = failure.kind.row();
    let message = format!("{function}: {}", failure.message);
    answer::failure(failure, &RecognitionError { error: RecognitionErrorBody { code, message } })
}
