//! The responses of the image recognition function. An error has a code, and a message that begins with the function
//! code.

use std::sync::Arc;

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::Response,
};
use kaisatsu_access::Caller;
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use crate::{
    Failure,
    response::{self, JsonBody},
};

/// A failure.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecognitionError {
    error: RecognitionErrorBody,
}

impl JsonBody for RecognitionError {}

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

/// The errors of every operation, for its description.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum Refusals {
    /// 116: the API key is missing or unknown
    #[response(status = 401, content_type = "application/json;charset=UTF-8")]
    KeyUnknown(RecognitionError),
    /// 201: the API key is disabled, or may not be used from there
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

/// The further errors of an operation that needs a user's token.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum UserRefusals {
    /// 116: the API key is missing or unknown; 117: the user's token is missing, unknown, revoked or expired
    #[response(status = 401, content_type = "application/json;charset=UTF-8")]
    TokenUnknown(RecognitionError),
}

/// The further errors of an operation for operators.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum OperatorRefusals {
    /// 201: the API key is disabled, is not an operator's, or may not be used from there
    #[response(status = 403, content_type = "application/json;charset=UTF-8")]
    NotAnOperator(RecognitionError),
}

/// The further errors of an operation that stores something for a user.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum SpaceRefusals {
    /// 201: the API key is disabled, or may not be used from there; 203: the user's images, datasets or bytes are used
    /// up, and the message says what may be deleted
    #[response(status = 403, content_type = "application/json;charset=UTF-8")]
    SpaceUsedUp(RecognitionError),
}

/// The further errors of an operation with a body.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum BodyRefusals {
    /// 119: too large, in bytes or pixels
    #[response(status = 413, content_type = "application/json;charset=UTF-8")]
    TooLarge(RecognitionError),
    /// 105: the Content-Type is not one this operation reads
    #[response(status = 415, content_type = "application/json;charset=UTF-8")]
    MediaType(RecognitionError),
}

/// Runs `work` for an admitted caller and makes the response of its result.
pub(crate) fn respond<B: JsonBody>(
    function: &str,
    admitted: Result<Arc<Caller>, Failure>,
    work: impl FnOnce() -> Result<B, Failure>,
) -> Response {
    let refuse = |failure| error(function, failure);
    match admitted {
        Ok(caller) => response::with_caller(caller, work().map_or_else(refuse, |body| response::ok(&body))),
        Err(failure) => refuse(failure),
    }
}

/// Whether feedback can name a recognition; left out when it can.
const SAVED: HeaderName = HeaderName::from_static("x-recognition-saved");

/// A response of 204, without a body.
pub(crate) struct NoContent;

/// What an operation responds with.
pub(crate) trait Reply {
    /// The response.
    fn into_response(self) -> Response;
}

impl<B: JsonBody> Reply for B {
    fn into_response(self) -> Response {
        response::ok(&self)
    }
}

/// A response of 202: the work goes on after the response.
pub(crate) struct Accepted<B>(pub(crate) B);

impl<B: JsonBody> Reply for Accepted<B> {
    fn into_response(self) -> Response {
        response::accepted(&self.0)
    }
}

/// A response of 200 that holds a secret, which no cache may keep.
pub(crate) struct Secret<B>(pub(crate) B);

impl<B: JsonBody> Reply for Secret<B> {
    fn into_response(self) -> Response {
        let mut response = response::ok(&self.0);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// A recognition. Of one that is not saved a header says so: feedback cannot name it.
pub(crate) struct Recognised<B> {
    pub(crate) answer: B,
    pub(crate) is_saved: bool,
}

impl<B: JsonBody> Reply for Recognised<B> {
    fn into_response(self) -> Response {
        let mut response = response::ok(&self.answer);
        if !self.is_saved {
            response.headers_mut().insert(SAVED, HeaderValue::from_static("false"));
        }
        response
    }
}

impl Reply for NoContent {
    fn into_response(self) -> Response {
        response::no_content()
    }
}

/// The same for async work.
pub(crate) async fn respond_with<R: Reply>(
    function: &str,
    admitted: Result<Arc<Caller>, Failure>,
    work: impl AsyncFnOnce(&Caller) -> Result<R, Failure>,
) -> Response {
    let caller = match admitted {
        Ok(caller) => caller,
        Err(failure) => return error(function, failure),
    };
    match work(&caller).await {
        Ok(reply) => response::with_caller(caller, reply.into_response()),
        Err(failure) => error(function, failure.of(caller)),
    }
}

/// The response for a failure.
pub(crate) fn error(function: &str, failure: Failure) -> Response {
    let (_, code) = failure.kind.row();
    let message = format!("{function}: {}", failure.message);
    response::error(failure, &RecognitionError { error: RecognitionErrorBody { code, message } })
}
