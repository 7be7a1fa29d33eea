//! `concept/classify`: category recognition.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::Gcs;
use kaisatsu_recognition::{Category, ClassifyRequest, Facts, Saved};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    form::{Form, language},
    response::{BodyRefusals, Recognised, RecognitionError, Refusals, respond_with},
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
    route_map::{station_near::taken_at, wire::GeoPointElement},
};

/// Candidates when none are asked for.
const USUAL: i64 = 5;

const FIELDS: [&str; 9] =
    ["modelName", "numOfCandidates", "language", "dataSetId", API_KEY, TOKEN, "lati_d", "longi_d", "gcs"];

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
    /// A dataset of the user's instead of a model, by its id or the user's own name of it; it needs the query parameter
    /// token.
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
    /// Pages about it; only of a model that knows single things, such as `landmark`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sites: Option<Vec<SiteEntry>>,
    /// Where it is; only of a thing whose place is known.
    #[serde(rename = "GeoPoint", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    place: Option<GeoPointElement>,
}

/// A page about a thing.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SiteEntry {
    /// Its address.
    #[schema(example = "https://example.org/tower")]
    url: String,
    /// Its title.
    title: String,
    /// A picture of the thing; empty when there is none.
    image_url: String,
    /// The licence of that picture; absent when it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    licence: String,
}

/// Which categories a picture is of
#[utoipa::path(
    post, path = "/concept/classify", operation_id = "conceptClassify", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        ("token" = Option<String>, Query, description = "The user's token; only with dataSetId"),
        ("lati_d" = Option<f64>, Query, minimum = -90, maximum = 90, description = "Latitude of the place where the \
            picture was taken, in decimal degrees; a hint for models that know places", nullable = false,
            example = 35.659),
        ("longi_d" = Option<f64>, Query, minimum = -180, maximum = 180, description = "Its longitude",
            nullable = false, example = 139.745),
        ("gcs" = Option<String>, Query, description = "Geodetic system of the place and of GeoPoint: tokyo (default) \
            or wgs84", pattern = "^(tokyo|wgs84)$", nullable = false),
    ),
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
            let (taken_at, gcs) = taken_at(&query)?;
            Ok((set, ClassifyRequest { model, most, language: language(form)?, taken_at }, gcs))
        };
        let (mut form, (set, ask, gcs)) = Form::read(&query, &FIELDS[..4], &gateway, &headers, body, parse).await?;
        let kept = if let Some((user, id)) = set {
            gateway.recognition.datasets.classify(&user, &id, form.image()?, ask.most).await?
        } else {
            gateway.recognition.classify.run(&caller.application, form.image()?, ask).await?
        };
        let is_saved = kept.is_saved;
        Ok::<_, Failure>(Recognised { answer: render(kept, gcs), is_saved })
    })
    .await
}

fn render(kept: Saved<Category>, gcs: Gcs) -> ClassifyAnswer {
    let candidate = |(item, tag): (kaisatsu_model::ItemId, Category)| TagCandidate {
        tag: tag.name,
        score: tag.score,
        item_id: item.as_str().to_owned(),
        tag_id: tag.id,
        sites: tag.facts.as_deref().map(sites),
        place: tag.facts.and_then(|facts| facts.place).map(|place| GeoPointElement::at(place, gcs)),
    };
    ClassifyAnswer {
        recognition_id: kept.id.as_str().to_owned(),
        job_id: kept.id.as_str().to_owned(),
        candidates: kept.candidates.into_iter().map(candidate).collect(),
    }
}

fn sites(facts: &Facts) -> Vec<SiteEntry> {
    let all = facts.sites.iter().cloned();
    all.map(|site| SiteEntry { url: site.url, title: site.title, image_url: site.image_url, licence: site.licence })
        .collect()
}
