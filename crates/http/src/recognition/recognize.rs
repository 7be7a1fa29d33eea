//! `recognize`: which item of the catalogue a picture shows.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{Evidence, ItemMatch, RecogniseRequest, Saved};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{
    response::{BodyRefusals, RecognitionError, Refusals, respond_with},
    thumbnail::{self, valid_address},
};
use crate::{Failure, Gateway, Kind, Query, body, gateway::API_KEY};

/// Candidates when none are asked for.
const USUAL: i64 = 10;

/// What `recog` takes; the first means all of them.
const CATEGORIES: [&str; 7] = ["product-all", "book", "cd", "dvd", "game", "software", "food"];

/// The items in a picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecognizeAnswer {
    /// The id of this recognition, for feedback.
    #[schema(example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55")]
    recognition_id: String,
    /// Surest first; empty when nothing was recognised.
    candidates: Vec<ItemCandidate>,
}

impl crate::response::JsonBody for RecognizeAnswer {
    fn size(&self) -> usize {
        256 + self.candidates.len() * 1024
    }
}

/// An item of the catalogue.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemCandidate {
    /// How sure the engine is, 0 to 1.
    #[schema(example = 0.98)]
    score: f32,
    /// The id of this candidate, for feedback.
    #[schema(example = "itm_3x1yq0a8c5v7k2mz")]
    item_id: String,
    /// What kind of thing it is.
    #[schema(example = "book")]
    category: String,
    /// Where its picture is found; empty when the catalogue says nothing.
    image_url: String,
    /// The address of a small picture of it on this server, for `thumbnail`, which takes a key; absent when there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "/imageRecognition/v1/thumbnail?id=9784101010014&version=5f1e0a2b3c4d")]
    thumbnail_url: Option<String>,
    /// What the catalogue knows of it: `itemName`, its `id` there, and whatever else was imported.
    #[schema(value_type = Object, example = json!({"itemName": "吾輩は猫である", "id": "9784101010014", "author": "夏目漱石"}))]
    detail: Box<RawValue>,
    /// Pages about it, each with `url`, `title` and `imageUrl`.
    #[schema(value_type = Vec<Object>)]
    sites: Box<RawValue>,
    /// What speaks for it.
    evidence: EvidenceEntry,
    /// Where the item is, or the barcode that was read: the four corners from its own upper left to the right. A corner
    /// that the image does not show lies outside of it.
    corners: Vec<Corner>,
}

/// A point, in pixels of the image as sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct Corner {
    /// From the left edge.
    pub(super) x: f32,
    /// From the top edge.
    pub(super) y: f32,
}

/// What speaks for a candidate.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvidenceEntry {
    /// `barcode` or `looks`.
    #[schema(value_type = String, example = "looks")]
    kind: &'static str,
    /// The digits that were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    barcode: Option<String>,
    /// How many local features of the reference picture lie where they should; wrong items reach about 19.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inliers: Option<u32>,
    /// The number of the reference picture that is nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reference_picture: Option<u64>,
    /// The printed words that decided for it, where looks left it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    matched_text: Option<String>,
    /// Left edge, in pixels of the image as sent.
    x_min: f32,
    /// Top edge.
    y_min: f32,
    /// Right edge.
    x_max: f32,
    /// Bottom edge.
    y_max: f32,
}

/// Which item of the catalogue a picture shows
///
/// By its barcode if there is one, by its looks otherwise; where looks leave it open, what is printed on it decides.
#[utoipa::path(
    post, path = "/recognize", operation_id = "recognize", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        ("recog" = Option<String>, Query,
            description = "The kind of thing: product-all (default), book, cd, dvd, game, software, food",
            example = "book", pattern = "^(product-all|book|cd|dvd|game|software|food)$"),
        ("numOfCandidates" = Option<i64>, Query, description = "The most candidates, 1 to 50; 10 if left out",
            minimum = 1, maximum = 50),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream",
        description = "The image itself, as application/octet-stream or image/*: JPEG, PNG, GIF, BMP, TIFF or WebP; HEIC \
                       or AVIF where the server has libheif"),
    responses(
        (status = 200, description = "The items, surest first; none when nothing was recognised",
            body = RecognizeAnswer, content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "104: a query parameter is invalid; 105: no image we read; 111: out of range",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
    )
)]
pub(crate) async fn recognize(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "recog", "numOfCandidates"]);
    respond_with("recognize", gateway.admit(&query, &headers).await, async |caller| {
        let request = RecogniseRequest {
            category: category(&query)?,
            most: usize::try_from(query.integer("numOfCandidates", 1..=50)?.unwrap_or(USUAL)).unwrap_or(0),
        };
        if !body::is_bare_image(&headers) {
            let rule = "the Content-Type must be application/octet-stream or image/*; the body is the image itself";
            return Err(Failure::new(Kind::MediaType, rule));
        }
        let (image, _memory) =
            gateway.body_memory.read(&headers, body, gateway.max_image_bytes, 1, "the image").await?;
        let saved = gateway.recognition.objects.run(&caller.application, image, request).await?;
        Ok::<_, Failure>(render(saved))
    })
    .await
}

fn category(query: &Query<'_>) -> Result<Option<String>, Failure> {
    match query.text("recog")? {
        None | Some("product-all") => Ok(None),
        Some(known) if CATEGORIES.contains(&known) => Ok(Some(known.to_owned())),
        Some(_) => {
            let rule = format!("query parameter recog must be one of {}", CATEGORIES.join(", "));
            Err(Failure::new(Kind::ParameterInvalid, rule))
        }
    }
}

fn render(saved: Saved<ItemMatch>) -> RecognizeAnswer {
    let candidate = |(id, found): (kaisatsu_model::ItemId, ItemMatch)| ItemCandidate {
        score: found.score,
        item_id: id.as_str().to_owned(),
        category: found.item.category,
        image_url: valid_address(&found.item.image_url),
        thumbnail_url: thumbnail::of_item(&found.item.id, found.item.thumbnail),
        detail: raw(found.item.detail, "{}"),
        sites: raw(found.item.sites, "[]"),
        evidence: evidence(found.evidence),
        corners: found.corners.into_iter().map(|(x, y)| Corner { x, y }).collect(),
    };
    RecognizeAnswer {
        recognition_id: saved.id.as_str().to_owned(),
        candidates: saved.candidates.into_iter().map(candidate).collect(),
    }
}

fn evidence(evidence: Evidence) -> EvidenceEntry {
    let (kind, (barcode, inliers, reference_picture, matched_text), area) = match evidence {
        Evidence::Barcode { digits, area } => ("barcode", (Some(digits), None, None, None), area),
        Evidence::Features { inliers, picture, text, area } => {
            ("looks", (None, Some(inliers), Some(picture), text), area)
        }
    };
    EvidenceEntry {
        kind,
        barcode,
        inliers,
        reference_picture,
        matched_text,
        x_min: area.x_min,
        y_min: area.y_min,
        x_max: area.x_max,
        y_max: area.y_max,
    }
}

/// JSON as it was imported; what cannot be read becomes `otherwise`.
pub(super) fn raw(json: String, otherwise: &str) -> Box<RawValue> {
    RawValue::from_string(json).or_else(|_| RawValue::from_string(otherwise.to_owned())).unwrap_or_default()
}
