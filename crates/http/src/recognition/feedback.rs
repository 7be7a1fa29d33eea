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
    answer::{Nothing, RecognitionError, answer_to},
    verdict::{self, FeedbackBody},
};
use crate::{Gateway, Query, gateway::API_KEY};

/// Whether the whole result of a recognition was right
///
/// The last word on a candidate counts.
#[utoipa::path(
    post, path = "/feedback", operation_id = "feedback", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        ("recognitionId" = String, Query, description = "The id that the recognition answered with", example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55"),
        ("isValid" = bool, Query, description = "true when it was right, false when it was not", example = true),
    ),
    request_body(content = Option<FeedbackBody>, content_type = "application/json"),
    responses(
        (status = 204, description = "Kept"),
        (status = 400, description = "103, 104: a query parameter; 105: the body is not JSON; 106: the comment is invalid", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 401, description = "116: the API key is missing or unknown", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 403, description = "201: the API key is disabled", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such recognition or candidate", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 413, description = "119: too large, in bytes or pixels", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 415, description = "105: the Content-Type is not one this operation reads", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 429, description = "204: the key calls too often; see Retry-After", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 500, description = "500: a failure of ours", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 503, description = "501: not ready, or overloaded; see Retry-After", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
    )
)]
pub(crate) async fn feedback(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "recognitionId", "isValid"]);
    answer_to("feedback", gateway.admit(&query).await, async |caller| {
        let rating = Rating {
            recognition: verdict::recognition(&query)?,
            item: None,
            verdict: verdict::verdict(&query)?,
            comment: verdict::comment(&headers, body).await?,
        };
        gateway.recogniser.rate(&caller.application, rating).await?;
        Ok(Nothing)
    })
    .await
}
