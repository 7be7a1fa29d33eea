//! `Idempotency-Key`: a request that is sent again does its work once, and is answered as the first time.
//!
//! What makes two requests the same is what they say, not their bytes: the boundary of a form may differ.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use http_body_util::BodyExt;
use kaisatsu_access::{Attempt, Claim, StoredAnswer};
use kaisatsu_model::{AppId, DatasetId, IdempotencyKey, UserId};
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, IntoResponses};

use super::response::{RecognitionError, Reply};
use crate::{Failure, Gateway, Kind, response::JSON};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// After how long to ask again for the answer of a request that is being worked on.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_secs(1);

/// From how many bytes on a request is hashed off the async threads.
const LARGE: usize = 256 * 1024;

/// The header of an operation that creates something.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code, reason = "it describes the header for the OpenAPI document")]
pub(crate) struct IdempotencyHeader {
    /// Any text of the caller's that it uses for no other request, such as a UUID. The same request with the same key
    /// within 24 hours has no further effect: it is answered as the first time, with `Idempotent-Replayed: true`
    #[param(
        rename = "Idempotency-Key",
        nullable = false,
        min_length = 1,
        max_length = 255,
        example = "8e03978e-40d5-43e8-bc93-6894a57f9324"
    )]
    idempotency_key: Option<String>,
}

/// The further errors of an operation that creates something.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it describes the responses for the OpenAPI document")]
pub(crate) enum RepeatRefusals {
    /// 104: the `Idempotency-Key` was used for another request; 202: a request with it is being worked on, see
    /// Retry-After
    #[response(status = 409, content_type = "application/json;charset=UTF-8")]
    Conflict(RecognitionError),
}

/// A request that may have been sent before.
pub(crate) struct Repeatable<'a> {
    gateway: &'a Gateway,
    function: &'a str,
    application: &'a AppId,
    user: Option<&'a UserId>,
    key: Option<IdempotencyKey>,
}

/// What a request says, by name.
pub(crate) type Parts = Vec<(String, Bytes)>;

impl<'a> Repeatable<'a> {
    /// A request of an application, or of one of its users.
    pub(crate) fn of(
        gateway: &'a Gateway,
        function: &'a str,
        headers: &HeaderMap,
        application: &'a AppId,
        user: Option<&'a UserId>,
    ) -> Result<Self, Failure> {
        Ok(Self { gateway, function, application, user, key: key(headers)? })
    }

    /// Does the work of a request that says `parts`, or answers with what it was answered before. The work gets an id
    /// for the dataset that it may create.
    pub(crate) async fn run<R: Reply>(
        self,
        parts: impl FnOnce() -> Parts,
        work: impl AsyncFnOnce(Option<DatasetId>) -> Result<R, Failure>,
    ) -> Result<Answered, Failure> {
        let Some(key) = &self.key else { return Ok(Answered(work(None).await?.into_response())) };
        let request = digest(self.function, parts()).await?;
        match self.gateway.idempotency.begin(self.application, self.user, key, request).await? {
            Attempt::First(claim) => {
                let result = claim.work(work(Some(DatasetId::from_random(claim.seed())))).await;
                settle(claim, result).await
            }
            Attempt::Repeated(answer) => Ok(Answered(replay(answer))),
            Attempt::Running => {
                let message = "a request with this Idempotency-Key is being worked on; try again shortly";
                Err(Failure::passing(Kind::StillRunning, message, RETRY_AFTER))
            }
            Attempt::OtherRequest => {
                let message = "the header Idempotency-Key was used for another request; every request needs its own";
                Err(Failure::new(Kind::KeyReused, message))
            }
        }
    }
}

/// Keeps the answer of a request that was done.
async fn settle<R: Reply>(claim: Claim, result: Result<R, Failure>) -> Result<Answered, Failure> {
    let reply = match result {
        Ok(reply) => reply,
        Err(refused) => {
            // What is refused has no effect. After a failure of ours nobody knows, so the next request goes on from it.
            if refused.kind.row().0.is_client_error() {
                claim.release().await;
            }
            return Err(refused);
        }
    };
    let (head, body) = reply.into_response().into_parts();
    // The body is in memory, so reading it cannot fail.
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    claim.finish(&StoredAnswer { status: head.status.as_u16(), body: body.to_vec() }).await;
    Ok(Answered(Response::from_parts(head, Body::from(body))))
}

/// A response, of now or of before.
pub(crate) struct Answered(Response);

impl Reply for Answered {
    fn into_response(self) -> Response {
        self.0
    }
}

fn replay(answer: StoredAnswer) -> Response {
    let has_body = !answer.body.is_empty();
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    if has_body {
        response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    }
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

fn key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Failure> {
    let invalid = |rule: &str| Failure::new(Kind::ParameterInvalid, format!("the header Idempotency-Key {rule}"));
    let mut values = headers.get_all(KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(invalid("is given more than once"));
    }
    let text = value.to_str().unwrap_or_default();
    IdempotencyKey::new(text).map(Some).map_err(|rule| invalid(rule.0))
}

async fn digest(function: &str, mut parts: Parts) -> Result<[u8; 32], Failure> {
    parts.push((String::new(), Bytes::copy_from_slice(function.as_bytes())));
    let size: usize = parts.iter().map(|(_, value)| value.len()).sum();
    if size < LARGE {
        return Ok(hash(&parts));
    }
    let hashed = tokio::task::spawn_blocking(move || hash(&parts)).await;
    hashed.map_err(|_| Failure::new(Kind::Internal, "the server failed; its log has this request's id"))
}

/// The length of every part goes in too, so that no two lists of parts are alike.
fn hash(parts: &[(String, Bytes)]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for (name, value) in parts {
        for bytes in [name.as_bytes(), value] {
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::hash;

    #[test]
    fn requests_that_say_the_same_have_one_digest() {
        let parts = |list: &[(&str, &'static str)]| -> [u8; 32] {
            let part =
                |(name, value): &(&str, &'static str)| ((*name).to_owned(), Bytes::from_static(value.as_bytes()));
            hash(&list.iter().map(part).collect::<Vec<_>>())
        };
        assert_eq!(parts(&[("tag", "cup"), ("name", "1")]), parts(&[("tag", "cup"), ("name", "1")]));
        let others: [&[(&str, &'static str)]; 5] = [
            &[("tag", "cup")],
            &[("tag", "cup"), ("name", "2")],
            &[("tag", "cupname"), ("", "1")],
            &[("tagc", "up"), ("name", "1")],
            &[("name", "1"), ("tag", "cup")],
        ];
        for other in others {
            assert_ne!(parts(&[("tag", "cup"), ("name", "1")]), parts(other), "{other:?}");
        }
    }
}
