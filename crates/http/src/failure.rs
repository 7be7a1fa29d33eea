//! The errors of the API, and the one table that gives each its HTTP status and code.
//!
//! The error code of the route map function is `W` and the status; that of the image recognition function is in the
//! table. The two error bodies are made in `route_map::response` and `recognition::response`.

use std::{sync::Arc, time::Duration};

use axum::http::StatusCode;
use kaisatsu_access::{Caller, KeyRejection};

use crate::redact;

/// The kinds of error, in the order of the table in docs/errors.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The requested API is not supported: unknown path or version.
    UnknownOperation,
    /// A required query parameter is missing.
    ParameterMissing,
    /// A query parameter is invalid.
    ParameterInvalid,
    /// The body's format is invalid: not JSON, not multipart, not an image we read.
    BodyFormat,
    /// A body field is missing or invalid.
    BodyField,
    /// There is no such model.
    NoSuchModel,
    /// Too many inputs.
    TooManyInputs,
    /// A value is out of range.
    OutOfRange,
    /// The API key is missing or unknown.
    KeyUnknown,
    /// The user token is missing, unknown, revoked or expired.
    TokenUnknown,
    /// Too large: bytes or pixels.
    TooLarge,
    /// The Content-Type is not one this operation reads.
    MediaType,
    /// Denied: the key is disabled, its scope does not allow it, it may not be used from there, or the image address is
    /// not one we may fetch.
    Denied,
    /// The dataset's job, or an earlier request with the same `Idempotency-Key`, is still running.
    StillRunning,
    /// The `Idempotency-Key` was used for another request.
    KeyReused,
    /// A user's images, datasets or bytes are used up. Waiting does not help; deleting does.
    SpaceUsedUp,
    /// There is no such map, station, recognition, item, image or dataset.
    NotFound,
    /// The method is not permitted.
    Method,
    /// The rate limit, or the quota of requests.
    TooOften,
    /// An internal error.
    Internal,
    /// Not ready, or overloaded.
    Unavailable,
}

impl Kind {
    /// Every kind, for the documentation and the tests.
    pub const ALL: [Self; 21] = [
        Self::UnknownOperation,
        Self::ParameterMissing,
        Self::ParameterInvalid,
        Self::BodyFormat,
        Self::BodyField,
        Self::NoSuchModel,
        Self::TooManyInputs,
        Self::OutOfRange,
        Self::KeyUnknown,
        Self::TokenUnknown,
        Self::TooLarge,
        Self::MediaType,
        Self::Denied,
        Self::StillRunning,
        Self::KeyReused,
        Self::SpaceUsedUp,
        Self::NotFound,
        Self::Method,
        Self::TooOften,
        Self::Internal,
        Self::Unavailable,
    ];

    /// The HTTP status and the code of the image recognition function.
    #[must_use]
    pub fn row(self) -> (StatusCode, &'static str) {
        match self {
            Self::UnknownOperation => (StatusCode::NOT_FOUND, "101"),
            Self::ParameterMissing => (StatusCode::BAD_REQUEST, "103"),
            Self::ParameterInvalid => (StatusCode::BAD_REQUEST, "104"),
            Self::BodyFormat => (StatusCode::BAD_REQUEST, "105"),
            Self::BodyField => (StatusCode::BAD_REQUEST, "106"),
            Self::NoSuchModel => (StatusCode::BAD_REQUEST, "109"),
            Self::TooManyInputs => (StatusCode::BAD_REQUEST, "110"),
            Self::OutOfRange => (StatusCode::BAD_REQUEST, "111"),
            Self::KeyUnknown => (StatusCode::UNAUTHORIZED, "116"),
            Self::TokenUnknown => (StatusCode::UNAUTHORIZED, "117"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "119"),
            Self::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "105"),
            Self::Denied => (StatusCode::FORBIDDEN, "201"),
            Self::StillRunning => (StatusCode::CONFLICT, "202"),
            Self::KeyReused => (StatusCode::CONFLICT, "104"),
            Self::SpaceUsedUp => (StatusCode::FORBIDDEN, "203"),
            Self::NotFound => (StatusCode::NOT_FOUND, "301"),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "302"),
            Self::TooOften => (StatusCode::TOO_MANY_REQUESTS, "204"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "500"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "501"),
        }
    }
}

/// An error for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The row of the table.
    pub kind: Kind,
    /// The message for the client: what is wrong and what to do about it, never a secret and never an internal cause.
    pub message: String,
    /// After how long to try again.
    pub retry_after: Option<Duration>,
    /// The caller, if known, for the log.
    pub caller: Option<Arc<Caller>>,
    /// The cause of an internal error, for the log.
    pub cause: Option<Arc<str>>,
}

impl Failure {
    /// An error with its message, from which secrets are removed.
    #[must_use]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: redact::message(message.into()), retry_after: None, caller: None, cause: None }
    }

    /// A temporary error.
    #[must_use]
    pub fn passing(kind: Kind, message: impl Into<String>, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..Self::new(kind, message) }
    }

    /// Adds the caller.
    #[must_use]
    pub fn of(self, caller: Arc<Caller>) -> Self {
        Self { caller: Some(caller), ..self }
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(self, cause: impl Into<Arc<str>>) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }

    /// The value of `Retry-After`: whole seconds, at least one.
    #[must_use]
    pub fn retry_seconds(&self) -> Option<u64> {
        self.retry_after.map(|wait| (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1))
    }
}

impl From<KeyRejection> for Failure {
    fn from(refusal: KeyRejection) -> Self {
        match refusal {
            KeyRejection::Unknown => Self::new(Kind::KeyUnknown, "the API key is not one of this server"),
            KeyRejection::Disabled(caller) => {
                Self::new(Kind::Denied, "the API key is disabled; ask the operator, or use another key").of(caller)
            }
            KeyRejection::Unavailable => Self::passing(
                Kind::Unavailable,
                "API keys cannot be checked, because the database does not answer; try again shortly",
                Duration::from_secs(5),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Failure, Kind};

    /// The table of the contract, copied row by row.
    #[test]
    fn statuses_and_codes_are_those_of_the_contract() {
        let table = [
            (404, "101"),
            (400, "103"),
            (400, "104"),
            (400, "105"),
            (400, "106"),
            (400, "109"),
            (400, "110"),
            (400, "111"),
            (401, "116"),
            (401, "117"),
            (413, "119"),
            (415, "105"),
            (403, "201"),
            (409, "202"),
            (409, "104"),
            (403, "203"),
            (404, "301"),
            (405, "302"),
            (429, "204"),
            (500, "500"),
            (503, "501"),
        ];
        let ours = Kind::ALL.map(|kind| (kind.row().0.as_u16(), kind.row().1));
        assert_eq!(ours, table);
    }

    #[test]
    fn retry_after_is_rounded_up_to_whole_seconds() {
        let after = |wait| Failure::passing(Kind::TooOften, "", wait).retry_seconds();
        assert_eq!(after(Duration::ZERO), Some(1));
        assert_eq!(after(Duration::from_millis(1_001)), Some(2));
        assert_eq!(Failure::new(Kind::Internal, "").retry_seconds(), None);
    }
}
