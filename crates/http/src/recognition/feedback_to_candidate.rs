//! `feedbackToCandidate`: whether one candidate of a recognition was right.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::ItemId;
use kaisatsu_recognition::Rating;

use super::{
    idempotency::{IdempotencyHeader, RepeatRefusals, Repeatable},
    response::{BodyRefusals, NoContent, RecognitionError, Refusals, respond_with},
    verdict::{self, FeedbackBody, Words},
};
use crate::{Gateway, Query, gateway::API_KEY};

const FUNCTION: &str = "feedbackToCandidate";

/// Whether one candidate of a recognition was right
///
/// The engine learns from it before the answer comes: the next picture like this one is recognised with it. The last
/// word on a candidate counts. A `tag` in the body must be that of the candidate.
#[utoipa::path(
    post, path = "/feedbackToCandidate", operation_id = "feedbackToCandidate", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        IdempotencyHeader,
        ("recognitionId" = String, Query, description = "The id that the recognition answered with",
            example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55"),
        ("itemId" = String, Query, description = "The id of the candidate, from the same recognition",
            example = "itm_3x1yq0a8c5v7k2mz"),
        ("isValid" = bool, Query, description = "true when it was right, false when it was not", example = true),
    ),
    request_body(content = FeedbackBody, content_type = "application/json"),
    responses(
        (status = 204, description = "Kept"),
        (status = 400,
            description = "103, 104: a query parameter; 105: the body is not JSON; 106: the comment is invalid, \
                or the tag is not that of the candidate",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such recognition or candidate", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
        RepeatRefusals,
    )
)]
pub(crate) async fn feedback_to_candidate(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "recognitionId", "itemId", "isValid"]);
    respond_with(FUNCTION, gateway.admit(&query, &headers).await, async |caller| {
        let repeatable = Repeatable::of(&gateway, FUNCTION, &headers, &caller.application, None)?;
        let recognition = verdict::recognition(&query)?;
        let item = Some(query.required("itemId").map(ItemId::from_text)?);
        let verdict = verdict::verdict(&query)?;
        let Words { comment, tag } = verdict::words(&headers, body).await?;
        let rating = Rating { recognition, item, tag, verdict, comment };
        let parts = verdict::parts(&rating);
        let rate = async |_| {
            gateway.recognition.feedback.rate(&caller.application, rating).await?;
            Ok(NoContent)
        };
        repeatable.run(|| parts, rate).await
    })
    .await
}
