//! `similarImage/search`: the images of a collection or a dataset that are most like a picture, or that show what a
//! text says.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{Saved, SimilarImage, SimilarRequest, Sought};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    form::Form,
    json::field,
    response::{BodyRefusals, RecognitionError, Refusals, respond_with},
    thumbnail::{self, valid_address},
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
};

/// Candidates when none are asked for.
const USUAL: i64 = 10;

/// The most collections that an error message names.
const NAMED: usize = 10;

/// The most characters of a text.
const MOST_CHARACTERS: usize = 1000;

const FIELDS: [&str; 7] = ["collection", "numOfCandidates", "minScore", "dataSetId", "text", API_KEY, TOKEN];

/// The form of this operation.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct SimilarForm {
    /// The picture: JPEG, PNG, GIF, BMP, TIFF or WebP; HEIC or AVIF where the server has libheif.
    /// Either this or text is required.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream", required = false)]
    image: Option<Vec<u8>>,
    /// What the images should show, in words, instead of a picture. It needs a collection or dataset whose model has a
    /// text encoder. As a query parameter, the request needs no body.
    #[schema(min_length = 1, max_length = 1000, example = "a red teapot")]
    text: Option<String>,
    /// The public collection to search.
    #[schema(example = "museum")]
    collection: Option<String>,
    /// A dataset of the user's instead; it needs the query parameter token.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    #[schema(rename = "dataSetId")]
    data_set_id: Option<String>,
    /// The most candidates.
    #[schema(minimum = 1, maximum = 50, default = 10)]
    #[schema(rename = "numOfCandidates")]
    num_of_candidates: Option<i64>,
    /// The least score of a candidate: when nothing is so much alike, there are no candidates. Without it there are
    /// none when even the most similar image is less alike than the images of the set are among each other; 0 shows
    /// all. With text there is no such limit.
    #[schema(minimum = 0.0, maximum = 1.0)]
    #[schema(rename = "minScore")]
    min_score: Option<f32>,
}

/// Images like a picture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimilarAnswer {
    /// The id of this recognition, for feedback.
    #[schema(example = "0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55")]
    recognition_id: String,
    /// The same value.
    job_id: String,
    /// Most alike first.
    candidates: Vec<LikenessCandidate>,
}

impl crate::response::JsonBody for SimilarAnswer {}

/// An image of the collection.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LikenessCandidate {
    /// The operator's own id of the image; in a dataset, what `userCategory/getImage` takes.
    #[schema(example = "cups/espresso-03.jpg")]
    image_id: String,
    /// Where it is found; empty when nobody has said so, and for images of the storage area.
    image_url: String,
    /// The address of a small picture of it on this server, for `thumbnail`, which takes a key; absent when there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        example = "/imageRecognition/v1/thumbnail?collection=museum&imageId=cups/espresso-03.jpg&version=5f1e0a2b3c4d"
    )]
    thumbnail_url: Option<String>,
    /// What it is tagged with; empty for nothing.
    #[schema(example = "cups")]
    tag: String,
    /// How much alike, 0 to 1.
    #[schema(example = 0.83)]
    score: f32,
    /// The id of this candidate, for feedback.
    #[schema(example = "itm_3x1yq0a8c5v7k2mz")]
    item_id: String,
}

/// The images of a collection or a dataset that are most like a picture
///
/// Or those that show what a text says, where the model of the collection has a text encoder.
#[utoipa::path(
    post, path = "/similarImage/search", operation_id = "similarImageSearch", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(("token" = Option<String>, Query, description = "The user's token; only with dataSetId")),
    request_body(content = SimilarForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The images, most alike first", body = SimilarAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "103, 104: a query parameter; 105: no image we read; 106: a field is missing or invalid; \
            109: no such model; 110: more than one image; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such collection, or no such dataset of this user",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 409, description = "202: the dataset is not ready yet; see Retry-After", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        BodyRefusals,
    )
)]
pub(crate) async fn search(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with("similarImage/search", gateway.admit(&query, &headers).await, async |caller| {
        let user = gateway.user_if_any(&query, caller).await?;
        let parse = |form: &Form<'_>| {
            let set = form.data_set(user.as_ref(), "collection")?;
            Ok((set, form.most("numOfCandidates", 1..=50, USUAL)?, form.share("minScore")?, text(form)?))
        };
        let (mut form, (set, most, min_score, text)) = if query.has("text") {
            Form::read_if_any(&query, &FIELDS[..5], &gateway, &headers, body, parse).await?
        } else {
            Form::read(&query, &FIELDS[..5], &gateway, &headers, body, parse).await?
        };
        let sought = sought(&mut form, text)?;
        let collection = form.text("collection")?.map(str::to_owned);
        let kept = if let Some((user, id)) = set {
            gateway.recognition.datasets.similar(&user, &id, sought, most, min_score).await?
        } else {
            let similar = &gateway.recognition.similar;
            let collection = collection.clone().ok_or_else(|| nowhere(&similar.collections()))?;
            similar.run(&caller.application, sought, SimilarRequest { collection, most, min_score }).await?
        };
        Ok::<_, Failure>(render(kept, collection.as_deref().unwrap_or_default()))
    })
    .await
}

fn text(form: &Form<'_>) -> Result<Option<String>, Failure> {
    let Some(text) = form.text("text")?.map(str::trim) else { return Ok(None) };
    if (1..=MOST_CHARACTERS).contains(&text.chars().count()) {
        return Ok(Some(text.to_owned()));
    }
    Err(form.invalid("text", &format!("must have 1 to {MOST_CHARACTERS} characters, and not only spaces")))
}

fn sought(form: &mut Form<'_>, text: Option<String>) -> Result<Sought, Failure> {
    match (form.image_if_any(), text) {
        (Some(image), None) => Ok(Sought::Image(image)),
        (None, Some(text)) => Ok(Sought::Text(text)),
        (Some(_), Some(_)) => Err(form.invalid("text", "and image exclude each other; leave one out")),
        (None, None) => {
            Err(field("image", "or text is missing; image carries a picture, and text says what one should show"))
        }
    }
}

/// The error of a request that does not say where to search. Collections are public, so it may name some.
fn nowhere(collections: &[String]) -> Failure {
    let named = match collections {
        [] => "there is none yet".to_owned(),
        few if few.len() <= NAMED => format!("there is {}", few.join(", ")),
        many => format!("there are {}, such as {}", many.len(), many[..NAMED].join(", ")),
    };
    let rule = format!(
        "or dataSetId is missing; collection names a public collection ({named}), and dataSetId a dataset of the \
         user's, which userCategory/listDataSets lists"
    );
    field("collection", &rule)
}

fn render(kept: Saved<SimilarImage>, collection: &str) -> SimilarAnswer {
    let candidate = |(item, alike): (kaisatsu_model::ItemId, SimilarImage)| LikenessCandidate {
        thumbnail_url: thumbnail::of_image(collection, &alike.image_id, alike.thumbnail),
        image_id: alike.image_id,
        image_url: valid_address(&alike.image_url),
        tag: alike.tag,
        score: alike.score,
        item_id: item.as_str().to_owned(),
    };
    SimilarAnswer {
        recognition_id: kept.id.as_str().to_owned(),
        job_id: kept.id.as_str().to_owned(),
        candidates: kept.candidates.into_iter().map(candidate).collect(),
    }
}
