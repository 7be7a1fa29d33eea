//! `text/read`: what the text in a picture says, and where.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{Language, Saved, TextLine};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    form::Form,
    recognize::Corner,
    response::{BodyRefusals, Recognised, RecognitionError, Refusals, respond_with},
};
use crate::{Failure, Gateway, Query, gateway::API_KEY};

const FIELDS: [&str; 2] = ["language", API_KEY];

/// The form of this operation.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct ReadTextForm {
    /// The picture: JPEG, PNG, GIF, BMP, TIFF or WebP.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
    /// The language of the text, which decides between characters that look alike; without it all that the model knows
    /// are read.
    #[schema(inline)]
    language: Option<TextLanguage>,
}

/// A language of text: `ja` for kanji, kana and Latin letters, `en` for Latin letters only.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
#[schema(rename_all = "lowercase")]
pub(crate) enum TextLanguage {
    Ja,
    En,
}

/// The lines of text in a picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadTextAnswer {
    /// The id of this recognition, for feedback.
    #[schema(example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55")]
    recognition_id: String,
    /// Width of the image as sent, in pixels, before its orientation tag is followed: what the corners are measured in.
    width: u32,
    /// Height of the image as sent.
    height: u32,
    /// In reading order: lines from top to bottom and from left to right, columns from right to left, on a page that
    /// lies on its side or upside down from its own top; at most 200, of more the largest. Empty where there is no
    /// text.
    candidates: Vec<LineCandidate>,
}

impl crate::response::JsonBody for ReadTextAnswer {
    fn size(&self) -> usize {
        256 + self.candidates.iter().map(|line| 300 + line.text.len()).sum::<usize>()
    }
}

/// A line of text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineCandidate {
    /// What it says.
    #[schema(example = "吾輩は猫である")]
    text: String,
    /// How sure the engine is of its characters on average, 0 to 1.
    #[schema(example = 0.987)]
    score: f32,
    /// The id of this candidate, for feedback.
    #[schema(example = "itm_3x1yq0a8c5v7k2mz")]
    item_id: String,
    /// Where it is: the corners of the line as it is read, from its upper left one to the right, in pixels of the image
    /// as sent.
    #[schema(value_type = Vec<Corner>, min_items = 4, max_items = 4)]
    corners: [Corner; 4],
    /// Whether it is a column of upright letters, such as Japanese ones.
    vertical: bool,
}

/// What the text in a picture says, and where
///
/// Japanese and Latin text, vertical text too. Corners are in pixels of the image as sent, whatever its orientation tag
/// says.
#[utoipa::path(
    post, path = "/text/read", operation_id = "textRead", tag = "Image recognition",
    security(("APIKEY" = [])),
    request_body(content = ReadTextForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The lines, in reading order", body = ReadTextAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "103, 104: a query parameter; 105: no image we read; 106: a field is missing or invalid; \
            110: more than one image", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
    )
)]
pub(crate) async fn read_text(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with("text/read", gateway.admit(&query, &headers).await, async |caller| {
        let (mut form, language) = Form::read(&query, &FIELDS[..1], &gateway, &headers, body, language).await?;
        let (kept, size) = gateway.recognition.read_text.run(&caller.application, form.image()?, language).await?;
        let is_saved = kept.is_saved;
        Ok::<_, Failure>(Recognised { answer: render(kept, size), is_saved })
    })
    .await
}

fn language(form: &Form<'_>) -> Result<Option<Language>, Failure> {
    match form.text("language")? {
        None => Ok(None),
        Some("ja") => Ok(Some(Language::Japanese)),
        Some("en") => Ok(Some(Language::English)),
        Some(_) => Err(form.invalid("language", "must be ja or en; leave it out for all characters")),
    }
}

fn render(kept: Saved<TextLine>, (width, height): (u32, u32)) -> ReadTextAnswer {
    let candidate = |(item, line): (kaisatsu_model::ItemId, TextLine)| LineCandidate {
        text: line.text,
        score: line.score,
        item_id: item.as_str().to_owned(),
        corners: line.corners.map(|(x, y)| Corner { x, y }),
        vertical: line.vertical,
    };
    ReadTextAnswer {
        recognition_id: kept.id.as_str().to_owned(),
        width,
        height,
        candidates: kept.candidates.into_iter().map(candidate).collect(),
    }
}
