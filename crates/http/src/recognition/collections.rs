//! `similarImage/collections`: the public collections, for operators.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::{CollectionName, Invalid};
use kaisatsu_recognition::{CollectionImage, CollectionRecord, ImageRecord, Page, import::is_address};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    form::Form,
    idempotency::{IdempotencyHeader, RepeatRefusals, Repeatable},
    json::{field, query_page},
    response::{BodyRefusals, NoContent, OperatorRefusals, RecognitionError, Refusals, respond_with},
    thumbnail::{self, valid_address},
};
use crate::{Failure, Gateway, Query, gateway::API_KEY};

const FUNCTION: &str = "similarImage/collections";

const FIELDS: [&str; 6] = ["collection", "imageId", "tag", "imageUrl", "modelName", API_KEY];

/// The most characters of an id, a tag or an address.
const LONGEST: usize = 1_000;

/// Some collections.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionsAnswer {
    /// Oldest first.
    collections: Vec<CollectionEntry>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl crate::response::JsonBody for CollectionsAnswer {}

/// A public collection.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionEntry {
    /// What `similarImage/search` takes as `collection`.
    #[schema(example = "museum")]
    collection: String,
    /// How many images it has.
    #[schema(example = 1200)]
    images: i64,
    /// The model whose vectors are compared.
    #[schema(example = "general-joined")]
    model_name: String,
    /// When it was created, in UTC.
    #[schema(example = "2026-11-15T09:30:00Z")]
    created_at: String,
}

impl crate::response::JsonBody for CollectionEntry {}

impl From<CollectionRecord> for CollectionEntry {
    fn from(record: CollectionRecord) -> Self {
        let created_at = record.created_at().to_utc();
        let CollectionRecord { collection, images, .. } = record;
        Self { collection: collection.name, images, model_name: collection.model, created_at }
    }
}

/// Some images of a collection.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionImagesAnswer {
    /// In the order in which they were first added.
    images: Vec<CollectionImageEntry>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl crate::response::JsonBody for CollectionImagesAnswer {}

/// An image of a collection.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionImageEntry {
    /// The operator's own id of it.
    #[schema(example = "cups/espresso-03.jpg")]
    image_id: String,
    /// Where it is found; empty when nobody has said so.
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
}

/// The form that adds an image.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct CollectionImageForm {
    /// The picture. It is not stored: only its vector and a thumbnail are.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
    /// The collection; it is created if there is none of that name.
    #[schema(example = "museum", pattern = "^[A-Za-z0-9_-]{1,64}$")]
    collection: String,
    /// The operator's own id of the image; one of the same id is replaced.
    #[schema(example = "cups/espresso-03.jpg", min_length = 1, max_length = 1000)]
    #[schema(rename = "imageId")]
    image_id: String,
    /// What it is tagged with.
    #[schema(example = "cups", max_length = 1000)]
    tag: Option<String>,
    /// Where people find it.
    #[schema(example = "https://example.org/cups/espresso-03.jpg", max_length = 1000)]
    #[schema(rename = "imageUrl")]
    image_url: Option<String>,
    /// The model whose vectors are compared, for a new or empty collection.
    #[schema(example = "general")]
    #[schema(rename = "modelName")]
    model_name: Option<String>,
}

/// The public collections
#[utoipa::path(
    get, path = "/similarImage/collections", operation_id = "listCollections", tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(
        ("cursor" = Option<String>, Query, description = "What the page before answered with as nextCursor"),
        ("limit" = Option<i64>, Query, description = "The most collections; 100 if left out", minimum = 1,
            maximum = 1000),
    ),
    responses(
        (status = 200, description = "Some collections", body = CollectionsAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "104: a query parameter is invalid; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        OperatorRefusals,
    )
)]
pub(crate) async fn list(State(gateway): State<Arc<Gateway>>, RawQuery(raw): RawQuery, headers: HeaderMap) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "cursor", "limit"]);
    respond_with(FUNCTION, gateway.admit_operator(&query, &headers).await, async |_| {
        let page = query_page(&query)?;
        let Page { items, next } = gateway.recognition.collections.list(&page.after, page.most).await?;
        let collections = items.into_iter().map(CollectionEntry::from).collect();
        Ok::<_, Failure>(CollectionsAnswer { collections, next_cursor: next.map(|next| next.to_text()) })
    })
    .await
}

/// The images of a collection
#[utoipa::path(
    get, path = "/similarImage/collections/images", operation_id = "listCollectionImages",
    tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(
        ("collection" = String, Query, description = "The collection", example = "museum"),
        ("cursor" = Option<String>, Query, description = "What the page before answered with as nextCursor"),
        ("limit" = Option<i64>, Query, description = "The most images; 100 if left out", minimum = 1, maximum = 1000),
    ),
    responses(
        (status = 200, description = "Some images", body = CollectionImagesAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "103, 104: a query parameter; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such collection", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        OperatorRefusals,
    )
)]
pub(crate) async fn images(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "collection", "cursor", "limit"]);
    respond_with("similarImage/collections/images", gateway.admit_operator(&query, &headers).await, async |_| {
        let (name, page) = (query.required("collection")?, query_page(&query)?);
        let Page { items, next } = gateway.recognition.collections.images(name, &page.after, page.most).await?;
        let entry = |image: ImageRecord| CollectionImageEntry {
            thumbnail_url: thumbnail::of_image(name, &image.image_id, image.thumbnail),
            image_id: image.image_id,
            image_url: valid_address(&image.image_url),
            tag: image.tag,
        };
        let images = items.into_iter().map(entry).collect();
        Ok::<_, Failure>(CollectionImagesAnswer { images, next_cursor: next.map(|next| next.to_text()) })
    })
    .await
}

/// Adds an image to a collection
///
/// This server searches it when it has answered, and every other replica within a second.
#[utoipa::path(
    post, path = "/similarImage/collections", operation_id = "addCollectionImage", tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(IdempotencyHeader),
    request_body(content = CollectionImageForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The collection that it is in now", body = CollectionEntry,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "104: a query parameter; 105: no image we read; 106: a field is missing or invalid; 109: no \
            such model; 110: more than one image", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        OperatorRefusals,
        BodyRefusals,
        RepeatRefusals,
    )
)]
pub(crate) async fn add(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with(FUNCTION, gateway.admit_operator(&query, &headers).await, async |caller| {
        let repeatable = Repeatable::of(&gateway, FUNCTION, &headers, &caller.application, None)?;
        let parse = |form: &Form<'_>| {
            for name in &FIELDS[1..5] {
                form.text(name)?.map_or(Ok(()), |text| plain(text).map_err(|rule| form.invalid(name, rule.0)))?;
            }
            if form.text("imageUrl")?.is_some_and(|address| !address.is_empty() && !is_address(address)) {
                return Err(form.invalid("imageUrl", "must be an address that begins with http:// or https://"));
            }
            let name = form.text("collection")?;
            let name = name.map(|name| CollectionName::new(name).map_err(|rule| form.invalid("collection", rule.0)));
            name.transpose()
        };
        let (mut form, name) = Form::read(&query, &FIELDS[..5], &gateway, &headers, body, parse).await?;
        let name = name.ok_or_else(|| field("collection", "is missing"))?;
        let parts = form.parts(&FIELDS[..5]);
        let file = form.image()?;
        let text = |name| Ok::<_, Failure>(form.text(name)?.unwrap_or_default().to_owned());
        let image = CollectionImage {
            id: form.required("imageId")?.to_owned(),
            url: text("imageUrl")?,
            tag: text("tag")?,
            file,
        };
        let model = form.text("modelName")?;
        let put = async |_| {
            let kept = gateway.recognition.collections.put(&name, image, model).await?;
            Ok::<_, Failure>(CollectionEntry::from(kept))
        };
        repeatable.run(|| parts, put).await
    })
    .await
}

/// Removes a collection, or one of its images
///
/// Nothing of it is answered from then on.
#[utoipa::path(
    delete, path = "/similarImage/collections", operation_id = "removeCollection", tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(
        ("collection" = String, Query, description = "The collection", example = "museum"),
        ("imageId" = Option<String>, Query, description = "The image; the whole collection if left out",
            example = "cups/espresso-03.jpg"),
    ),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "103, 104: a query parameter", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such collection or image", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        OperatorRefusals,
    )
)]
pub(crate) async fn remove(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "collection", "imageId"]);
    respond_with(FUNCTION, gateway.admit_operator(&query, &headers).await, async |_| {
        let (name, image) = (query.required("collection")?, query.text("imageId")?);
        let collections = &gateway.recognition.collections;
        match image {
            Some(image) => collections.remove_image(name, image).await?,
            None => collections.remove(name).await?,
        }
        Ok::<_, Failure>(NoContent)
    })
    .await
}

/// An id, a tag or an address: no control characters, and not too long.
fn plain(text: &str) -> Result<(), Invalid> {
    if text.chars().any(char::is_control) || text.chars().count() > LONGEST {
        return Err(Invalid("must have at most 1000 characters, and no control characters"));
    }
    Ok(())
}
