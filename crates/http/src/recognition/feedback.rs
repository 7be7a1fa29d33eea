//! `feedback`: whether a whole result was right.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::Rating;

use super::{
    idempotency::{IdempotencyHeader, RepeatRefusals, Repeatable},
    response::{BodyRefusals, NoContent, RecognitionError, Refusals, respond_with},
    verdict::{self, FeedbackBody, Words},
};
use crate::{Gateway, Query, gateway::API_KEY};

const FUNCTION: &str = "feedback";

/// Whether the whole result of a recognition was right
///
/// Not right: none of the candidates was. Right: the first one was, or in a detection all of them. What is said of a
/// single candidate goes before this, and the last word counts.
///
/// With `tag` and `isValid=true` it says "it is actually …" instead: the picture shows this tag, which may be any tag
/// of the model or the dataset that answered. It then counts as the confirmation of a candidate, and rates no other.
#[utoipa::path(
    post, path = "/feedback", operation_id = "feedback", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        IdempotencyHeader,
        ("recognitionId" = String, Query, description = "The id that the recognition answered with",
            example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55"),
        ("isValid" = bool, Query, description = "true when it was right, false when it was not", example = true),
    ),
    request_body(content = FeedbackBody, content_type = "application/json"),
    responses(
        (status = 204, description = "Kept"),
        (status = 400,
            description = "103, 104: a query parameter; 105: the body is not JSON; 106: the comment is invalid, \
                or what answered has no such tag",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such recognition or candidate", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
        RepeatRefusals,
    )
)]
pub(crate) async fn feedback(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "recognitionId", "isValid"]);
    respond_with(FUNCTION, gateway.admit(&query, &headers).await, async |caller| {
        let repeatable = Repeatable::of(&gateway, FUNCTION, &headers, &caller.application, None)?;
        let (recognition, verdict) = (verdict::recognition(&query)?, verdict::verdict(&query)?);
        let Words { comment, tag } = verdict::words(&headers, body).await?;
        let rating = Rating { recognition, item: None, tag, verdict, comment };
        let parts = verdict::parts(&rating);
        let rate = async |_| {
            gateway.recognition.feedback.rate(&caller.application, rating).await?;
            Ok(NoContent)
        };
        repeatable.run(|| parts, rate).await
    })
    .await
}
