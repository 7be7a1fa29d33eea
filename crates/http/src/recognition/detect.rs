//! `objectDetection/detect`: where things are in a picture, and what they are.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{Accuracy, DetectRequest, Detection, Saved};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    form::{Form, language},
    response::{BodyRefusals, Recognised, RecognitionError, Refusals, respond_with},
};
use crate::{Failure, Gateway, Query, gateway::API_KEY};

/// Candidates when none are asked for.
const USUAL: i64 = 50;

const FIELDS: [&str; 6] = ["modelName", "numOfCandidates", "minScore", "language", "accuracy", API_KEY];

/// The form of this operation.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct DetectForm {
    /// The picture: JPEG, PNG, GIF, BMP, TIFF or WebP; HEIC or AVIF where the server has libheif.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
    /// The model; `models` lists them.
    #[schema(example = "coco", default = "coco")]
    #[schema(rename = "modelName")]
    model_name: Option<String>,
    /// The most candidates.
    #[schema(minimum = 1, maximum = 100, default = 50)]
    #[schema(rename = "numOfCandidates")]
    num_of_candidates: Option<i64>,
    /// The least score of a candidate; 0.3 to 0.5 for showing boxes to people.
    #[schema(minimum = 0.0, maximum = 1.0, default = 0.0)]
    #[schema(rename = "minScore")]
    min_score: Option<f32>,
    /// The language of the tags.
    #[schema(example = "ja", default = "en")]
    language: Option<String>,
    /// `high` searches the picture in overlapping tiles too: small things are found, and it takes about five times as
    /// long. Long and very large pictures are always searched so.
    #[schema(inline, default = "normal")]
    accuracy: Option<DetectAccuracy>,
}

/// How carefully a picture is searched.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
#[schema(rename_all = "lowercase")]
pub(crate) enum DetectAccuracy {
    Normal,
    High,
}

/// The things in a picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetectAnswer {
    /// The id of this recognition, for feedback.
    #[schema(example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55")]
    recognition_id: String,
    /// The same value.
    job_id: String,
    /// Width of the image as sent, in pixels, before its orientation tag is followed: what the boxes are measured in.
    width: u32,
    /// Height of the image as sent.
    height: u32,
    /// Surest first.
    candidates: Vec<ThingCandidate>,
}

impl crate::response::JsonBody for DetectAnswer {
    fn size(&self) -> usize {
        256 + self.candidates.len() * 200
    }
}

/// A thing and its box.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThingCandidate {
    /// The name of its kind.
    #[schema(example = "cat")]
    tag: String,
    /// How sure the engine is, 0 to 1.
    #[schema(example = 0.976)]
    score: f32,
    /// The id of this candidate, for feedback.
    #[schema(example = "itm_3x1yq0a8c5v7k2mz")]
    item_id: String,
    /// What identifies its kind.
    #[schema(example = "17")]
    tag_id: String,
    /// Left edge, in pixels of the image as sent.
    x_min: f32,
    /// Top edge.
    y_min: f32,
    /// Right edge.
    x_max: f32,
    /// Bottom edge.
    y_max: f32,
}

/// Where things are in a picture, and what they are
///
/// Boxes are in pixels of the image as sent, whatever its orientation tag says.
#[utoipa::path(
    post, path = "/objectDetection/detect", operation_id = "objectDetectionDetect", tag = "Image recognition",
    security(("APIKEY" = [])),
    request_body(content = DetectForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The things, surest first", body = DetectAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "103, 104: a query parameter; 105: no image we read; 106: a field is missing or invalid; \
            109: no such model; 110: more than one image; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
    )
)]
pub(crate) async fn detect(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with("objectDetection/detect", gateway.admit(&query, &headers).await, async |caller| {
        let parse = |form: &Form<'_>| {
            Ok(DetectRequest {
                model: form.text("modelName")?.map(str::to_owned),
                most: form.most("numOfCandidates", 1..=100, USUAL)?,
                min_score: form.share("minScore")?.unwrap_or(0.0),
                language: language(form)?,
                accuracy: accuracy(form)?,
            })
        };
        let (mut form, ask) = Form::read(&query, &FIELDS[..5], &gateway, &headers, body, parse).await?;
        let (kept, size) = gateway.recognition.detect.run(&caller.application, form.image()?, ask).await?;
        let is_saved = kept.is_saved;
        Ok::<_, Failure>(Recognised { answer: render(kept, size), is_saved })
    })
    .await
}

fn accuracy(form: &Form<'_>) -> Result<Accuracy, Failure> {
    match form.text("accuracy")? {
        None | Some("normal") => Ok(Accuracy::Normal),
        Some("high") => Ok(Accuracy::High),
        Some(_) => Err(form.invalid("accuracy", "must be normal or high")),
    }
}

fn render(kept: Saved<Detection>, (width, height): (u32, u32)) -> DetectAnswer {
    let candidate = |(item, detection): (kaisatsu_model::ItemId, Detection)| ThingCandidate {
        tag: detection.name,
        score: detection.score,
        item_id: item.as_str().to_owned(),
        tag_id: detection.id,
        x_min: detection.area.x_min,
        y_min: detection.area.y_min,
        x_max: detection.area.x_max,
        y_max: detection.area.y_max,
    };
    DetectAnswer {
        recognition_id: kept.id.as_str().to_owned(),
        job_id: kept.id.as_str().to_owned(),
        width,
        height,
        candidates: kept.candidates.into_iter().map(candidate).collect(),
    }
}
