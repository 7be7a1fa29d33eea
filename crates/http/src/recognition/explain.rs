//! `explain`: what feedback did to the candidates of a recognition.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{RecognitionRecord, ScoreAdjustment, StoredCandidate};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    response::{RecognitionError, Refusals, respond_with},
    verdict,
};
use crate::{Failure, Gateway, Query, gateway::API_KEY, response::JsonBody};

/// A recognition and what moved its scores.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainAnswer {
    /// What was asked for: classify, detect, similar or recognize.
    #[schema(example = "classify")]
    task: String,
    /// The model, dataset or collection that answered.
    #[schema(example = "general")]
    model: String,
    /// When, in UTC.
    #[schema(example = "2026-11-15T09:30:00Z")]
    recognised_at: String,
    /// The candidates in the order of the answer.
    candidates: Vec<ExplainedCandidate>,
}

impl JsonBody for ExplainAnswer {}

/// A candidate and what moved it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ExplainedCandidate {
    /// The id of this candidate, for feedback.
    #[schema(example = "itm_3x1yq0a8c5v7k2mz")]
    item_id: String,
    /// What it stands for: a class, a tag, an image, an item of the catalogue.
    #[schema(example = "n02124075")]
    subject: String,
    /// What people read.
    #[schema(example = "Egyptian cat")]
    name: String,
    /// The score of the answer.
    #[schema(example = 0.81)]
    score: f32,
    /// What the score would have been without feedback.
    #[schema(example = 0.62)]
    base_score: f32,
    /// The verdicts that moved it, the weightiest first, ten at most.
    moved_by: Vec<MovedBy>,
}

/// A verdict that moved a candidate.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MovedBy {
    /// The recognition that it was given on; null for verdicts that other applications agree on.
    recognition_id: Option<String>,
    /// The candidate that it was given on, where candidates are remembered one by one; otherwise null.
    item_id: Option<String>,
    /// What it says.
    is_valid: bool,
    /// How far it moved the candidate: the power of e that its odds were multiplied by; of images, how far its score.
    #[schema(example = 0.74)]
    by: f32,
}

/// What feedback did to the candidates of a recognition
///
/// As it was when the recognition was made. Without feedback, score and baseScore are the same. Not for restricted
/// keys: it names other recognitions of the application.
#[utoipa::path(
    get, path = "/explain", operation_id = "explain", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(("recognitionId" = String, Query, description = "The id that the recognition answered with",
        example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55")),
    responses(
        (status = 200, description = "The candidates, each with the verdicts that moved it", body = ExplainAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "103, 104: a query parameter", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such recognition", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn explain(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "recognitionId"]);
    // It names the recognitions of other users, whose verdicts whoever has these ids can replace.
    let admitted = gateway.admit_unrestricted(&query, &headers, "read what moved scores").await;
    respond_with("explain", admitted, async |caller| {
        let id = verdict::recognition(&query)?;
        Ok::<_, Failure>(render(gateway.recognition.feedback.explain(&caller.application, &id).await?))
    })
    .await
}

fn render(record: RecognitionRecord) -> ExplainAnswer {
    let moved = |push: ScoreAdjustment| MovedBy {
        recognition_id: push.recognition,
        item_id: push.item,
        is_valid: push.valid,
        by: push.by,
    };
    let candidate = |item: StoredCandidate| ExplainedCandidate {
        score: item.score,
        base_score: item.base_score(),
        item_id: item.id,
        subject: item.subject,
        name: item.name,
        moved_by: item.moved.into_iter().map(moved).collect(),
    };
    ExplainAnswer {
        task: record.task,
        model: record.model,
        recognised_at: record.created_at.to_utc(),
        candidates: record.items.into_iter().map(candidate).collect(),
    }
}
