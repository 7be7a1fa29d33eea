//! The responses of the console's operations, and the one table of their error statuses, codes and messages.

use std::time::Duration;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use kaisatsu_access::{AccessError, StoreError};
use kaisatsu_model::Invalid;
use kaisatsu_recognition::RecognitionError;
use serde::Serialize;
use utoipa::ToSchema;

use kaisatsu_http::{Failure, Kind, LogContext};

/// A failure as the pages read it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConsoleError {
    error: ConsoleErrorBody,
}

/// What is wrong.
#[derive(Serialize, ToSchema)]
struct ConsoleErrorBody {
    /// A word for programs.
    #[schema(example = "wrongCredentials")]
    code: &'static str,
    /// A sentence for people.
    message: String,
}

/// Why an operation of the console failed.
#[derive(Debug)]
pub(crate) enum ConsoleFailure {
    /// The request breaks a rule, which is the message.
    Invalid(String),
    /// Nobody is signed in.
    NotSignedIn,
    /// The request does not come from a page of this console.
    BadCsrf,
    /// The person may not do this.
    NotAllowed,
    /// There is no such thing; the value names it.
    NotFound(&'static str),
    /// The path does not have this method.
    Method,
    /// The body is too large.
    TooLarge,
    /// The body is not JSON.
    MediaType,
    /// Something with applications, keys or accounts.
    Access(AccessError),
    /// An image recognition operation failed.
    Recognition(RecognitionError),
}

impl From<AccessError> for ConsoleFailure {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

impl From<StoreError> for ConsoleFailure {
    fn from(error: StoreError) -> Self {
        Self::Access(error.into())
    }
}

impl From<RecognitionError> for ConsoleFailure {
    fn from(error: RecognitionError) -> Self {
        Self::Recognition(error)
    }
}

impl From<Invalid> for ConsoleFailure {
    fn from(rule: Invalid) -> Self {
        Self::Invalid(rule.to_string())
    }
}

impl From<Failure> for ConsoleFailure {
    fn from(failure: Failure) -> Self {
        match failure.kind {
            Kind::TooLarge => Self::TooLarge,
            _ => Self::Invalid(failure.message),
        }
    }
}

impl ConsoleFailure {
    /// The status, the code and the message.
    fn row(&self) -> (StatusCode, &'static str, String) {
        use AccessError as A;
        let told = |status, code, words: &str| (status, code, words.to_owned());
        match self {
            Self::Invalid(rule) => told(StatusCode::BAD_REQUEST, "invalid", rule),
            Self::NotSignedIn => told(StatusCode::UNAUTHORIZED, "notSignedIn", "sign in first"),
            Self::BadCsrf => told(
                StatusCode::FORBIDDEN,
                "badCsrf",
                "this request did not come from a page of this console; load it again",
            ),
            Self::NotAllowed => told(StatusCode::FORBIDDEN, "notAllowed", "only an operator may do this"),
            Self::NotFound(what) => (StatusCode::NOT_FOUND, "notFound", format!("there is no such {what}")),
            Self::Method => told(StatusCode::METHOD_NOT_ALLOWED, "method", "this operation has another method"),
            Self::TooLarge => told(StatusCode::PAYLOAD_TOO_LARGE, "tooLarge", "the body is too large"),
            Self::MediaType => {
                told(StatusCode::UNSUPPORTED_MEDIA_TYPE, "mediaType", "the Content-Type must be application/json")
            }
            Self::Access(error) => {
                let (status, code) = match error {
                    A::InvalidEmail(_) => (StatusCode::BAD_REQUEST, "invalidEmail"),
                    A::InvalidPassword(_) => (StatusCode::BAD_REQUEST, "invalidPassword"),
                    A::InvalidLink => (StatusCode::BAD_REQUEST, "linkInvalid"),
                    A::WrongCredentials => (StatusCode::UNAUTHORIZED, "wrongCredentials"),
                    A::AwaitingApproval => (StatusCode::FORBIDDEN, "accountWaiting"),
                    A::AccountDisabled => (StatusCode::FORBIDDEN, "accountDisabled"),
                    A::TooManyAttempts(_) => (StatusCode::TOO_MANY_REQUESTS, "tooOften"),
                    A::RegistrationClosed => (StatusCode::FORBIDDEN, "registrationClosed"),
                    A::Busy => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
                    A::NameTaken(_) | A::EmailTaken => (StatusCode::CONFLICT, "nameTaken"),
                    A::LastOperator | A::NoOperator => (StatusCode::CONFLICT, "lastOperator"),
                    A::KeyEnded(_) => (StatusCode::CONFLICT, "keyEnded"),
                    A::TooMany(_) => (StatusCode::CONFLICT, "tooMany"),
                    A::DisabledByOperator | A::OperatorsKey => (StatusCode::FORBIDDEN, "notAllowed"),
                    A::NoSuchApplication(_) | A::NoSuchKey(_) | A::NoSuchAccount(_) => {
                        (StatusCode::NOT_FOUND, "notFound")
                    }
                    A::Store(error) => return unstored(error),
                };
                (status, code, error.to_string())
            }
            Self::Recognition(RecognitionError::Store(error)) => unstored(error),
            Self::Recognition(RecognitionError::NoSuchDataset) => Self::NotFound("dataset").row(),
            Self::Recognition(error @ RecognitionError::NotBuilt(_)) => {
                (StatusCode::CONFLICT, "notBuilt", error.to_string())
            }
            Self::Recognition(RecognitionError::Overloaded { .. }) => {
                told(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the server is busy; try again shortly")
            }
            Self::Recognition(_) => failed(),
        }
    }

    /// When to try again.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Access(AccessError::TooManyAttempts(wait))
            | Self::Recognition(RecognitionError::Overloaded { wait }) => Some(*wait),
            Self::Access(AccessError::Busy) => Some(Duration::from_secs(2)),
            Self::Access(AccessError::Store(error)) | Self::Recognition(RecognitionError::Store(error)) => {
                match error {
                    // An operator has to act.
                    StoreError::Full(_) | StoreError::ReadOnly(_) => Some(Duration::from_mins(5)),
                    StoreError::Unavailable(_) | StoreError::ShardAway { .. } | StoreError::TimedOut => {
                        Some(Duration::from_secs(5))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn cause(&self) -> Option<String> {
        match self {
            Self::Access(AccessError::Store(error)) => Some(error.to_string()),
            Self::Recognition(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

/// The disk is full, the database can only be read, or it does not answer: people are told, because they may be able to
/// change it.
fn unstored(error: &StoreError) -> (StatusCode, &'static str, String) {
    let why = match error {
        StoreError::Full(_) => "nothing can be stored: the disk of the server's database is full",
        StoreError::ReadOnly(_) => "nothing can be stored: the server's database can only be read",
        StoreError::ShardAway { name, .. } => {
            let words = format!("the database server {name}, which has a part of the vectors, does not answer");
            return (StatusCode::SERVICE_UNAVAILABLE, "unavailable", words);
        }
        StoreError::Unavailable(_) | StoreError::TimedOut => "the database does not answer; try again shortly",
        _ => return failed(),
    };
    (StatusCode::SERVICE_UNAVAILABLE, "unavailable", why.to_owned())
}

fn failed() -> (StatusCode, &'static str, String) {
    let words = "the server failed; its log has this request's id";
    (StatusCode::INTERNAL_SERVER_ERROR, "internal", words.to_owned())
}

impl IntoResponse for ConsoleFailure {
    fn into_response(self) -> Response {
        let (status, code, message) = self.row();
        // The client may have sent a key in place of an id; `Failure` redacts it from the message.
        let failure = Failure::new(Kind::Internal, message);
        let message = failure.message.clone();
        let mut response =
            (status, no_store(Json(ConsoleError { error: ConsoleErrorBody { code, message } }))).into_response();
        if let Some(wait) = self.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, (wait.as_secs() + 1).into());
        }
        let context = response.extensions_mut().get_or_insert_default::<LogContext>();
        context.cause = self.cause().map(Into::into);
        context.failure = Some(failure);
        response
    }
}

/// A response that must not be cached or framed.
pub(super) fn no_store(response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    response
}

/// A JSON response.
pub(super) fn json(status: StatusCode, body: impl Serialize) -> Response {
    no_store((status, Json(body)))
}

/// A 204 response.
pub(super) fn no_content() -> Response {
    no_store(StatusCode::NO_CONTENT)
}

/// The result of an operation of the console.
pub(super) type ConsoleResult = Result<Response, ConsoleFailure>;
