//! `concept/classify`: category recognition.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{Category, ClassifyRequest, Saved};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    form::{Form, language},
    response::{BodyRefusals, RecognitionError, Refusals, respond_with},
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
};

/// Candidates when none are asked for.
const USUAL: i64 = 5;

const FIELDS: [&str; 6] = ["modelName", "numOfCandidates", "language", "dataSetId", API_KEY, TOKEN];

/// The form of this operation.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct ClassifyForm {
    /// The picture: JPEG, PNG, GIF, BMP, TIFF or WebP; HEIC or AVIF where the server has libheif.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
    /// The model; `models` lists them.
    #[schema(example = "general", default = "general")]
    #[schema(rename = "modelName")]
    model_name: Option<String>,
    /// A dataset of the user's instead of a model; it needs the query parameter token.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    #[schema(rename = "dataSetId")]
    data_set_id: Option<String>,
    /// The most candidates.
    #[schema(minimum = 1, maximum = 50, default = 5)]
    #[schema(rename = "numOfCandidates")]
    num_of_candidates: Option<i64>,
    /// The language of the tags.
    #[schema(example = "ja", default = "en")]
    language: Option<String>,
}

/// The categories of a picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClassifyAnswer {
    /// The id of this recognition, for feedback.
    #[schema(example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55")]
    recognition_id: String,
    /// The same value.
    job_id: String,
    /// Best first; empty for none of the categories.
    candidates: Vec<TagCandidate>,
}

impl crate::response::JsonBody for ClassifyAnswer {}

/// A category.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TagCandidate {
    /// Its name.
    #[schema(example = "espresso")]
    tag: String,
    /// How sure the engine is, 0 to 1.
    #[schema(example = 0.887)]
    score: f32,
    /// The id of this candidate, for feedback.
    #[schema(example = "itm_3x1yq0a8c5v7k2mz")]
    item_id: String,
    /// What identifies the category: two categories can share a name.
    #[schema(example = "n07920052")]
    tag_id: String,
}

/// Which categories a picture is of
#[utoipa::path(
    post, path = "/concept/classify", operation_id = "conceptClassify", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(("token" = Option<String>, Query, description = "The user's token; only with dataSetId")),
    request_body(content = ClassifyForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The categories, best first", body = ClassifyAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "103, 104: a query parameter; 105: no image we read; 106: a field is missing or invalid; \
            109: no such model; 110: more than one image; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such dataset of this user", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 409, description = "202: the dataset is not ready yet; see Retry-After", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
    )
)]
pub(crate) async fn classify(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with("concept/classify", gateway.admit(&query, &headers).await, async |caller| {
        let user = gateway.user_if_any(&query, caller).await?;
        let parse = |form: &Form<'_>| {
            let set = form.data_set(user.as_ref(), "modelName")?;
            let most = form.most("numOfCandidates", 1..=50, USUAL)?;
            let model = form.text("modelName")?.map(str::to_owned);
            Ok((set, ClassifyRequest { model, most, language: language(form)? }))
        };
        let (mut form, (set, ask)) = Form::read(&query, &FIELDS[..4], &gateway, &headers, body, parse).await?;
        let kept = if let Some((user, id)) = set {
            gateway.recognition.datasets.classify(&user, &id, form.image()?, ask.most).await?
        } else {
            gateway.recognition.classify.run(&caller.application, form.image()?, ask).await?
        };
        Ok::<_, Failure>(render(kept))
    })
    .await
}

fn render(kept: Saved<Category>) -> ClassifyAnswer {
    let candidate = |(item, tag): (kaisatsu_model::ItemId, Category)| TagCandidate {
        tag: tag.name,
        score: tag.score,
        item_id: item.as_str().to_owned(),
        tag_id: tag.id,
    };
    ClassifyAnswer {
        recognition_id: kept.id.as_str().to_owned(),
        job_id: kept.id.as_str().to_owned(),
        candidates: kept.candidates.into_iter().map(candidate).collect(),
    }
}
