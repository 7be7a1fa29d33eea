//! `catalogue/items`: what object recognition knows, for operators.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{ItemFilter, ListedItem, Page, import::CATEGORIES};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{
    idempotency::{IdempotencyHeader, RepeatRefusals, Repeatable},
    item_form::ItemForm,
    json::query_page,
    recognize::raw,
    response::{BodyRefusals, NoContent, OperatorRefusals, RecognitionError, Refusals, respond_with},
    thumbnail::{self, valid_address},
};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY};

const FUNCTION: &str = "catalogue/items";

/// Some items.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemsAnswer {
    /// In the order in which they were first added.
    items: Vec<ItemEntry>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl crate::response::JsonBody for ItemsAnswer {
    fn size(&self) -> usize {
        256 + self.items.len() * 512
    }
}

/// An item of the catalogue.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemEntry {
    /// The operator's own id.
    #[schema(example = "9784101010014")]
    id: String,
    /// What kind of thing it is.
    #[schema(example = "book")]
    category: String,
    /// Its name.
    #[schema(example = "吾輩は猫である")]
    name: String,
    /// Its barcodes, thirteen digits each.
    #[schema(example = json!(["9784101010014"]))]
    barcodes: Vec<String>,
    /// How many reference pictures it has.
    #[schema(example = 1)]
    pictures: i64,
    /// Where its picture is found; empty when nobody has said so.
    image_url: String,
    /// The address of a small picture of it on this server, for `thumbnail`, which takes a key; absent when there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "/imageRecognition/v1/thumbnail?id=9784101010014&version=5f1e0a2b3c4d")]
    thumbnail_url: Option<String>,
    /// What `recognize` answers as `detail`.
    #[schema(value_type = Object, example = json!({"itemName": "吾輩は猫である", "id": "9784101010014", "author": "夏目漱石"}))]
    detail: Box<RawValue>,
    /// What `recognize` answers as `sites`.
    #[schema(value_type = Vec<Object>)]
    sites: Box<RawValue>,
}

impl crate::response::JsonBody for ItemEntry {}

impl From<ListedItem> for ItemEntry {
    fn from(listed: ListedItem) -> Self {
        let ListedItem { item, pictures, codes } = listed;
        Self {
            thumbnail_url: thumbnail::of_item(&item.id, item.thumbnail),
            id: item.id,
            category: item.category,
            name: item.name,
            barcodes: codes,
            pictures,
            image_url: valid_address(&item.image_url),
            detail: raw(item.detail, "{}"),
            sites: raw(item.sites, "[]"),
        }
    }
}

/// The form that describes an item; fields of other names become details.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct ItemDescription {
    /// The operator's own id; an item of the same id is replaced.
    #[schema(example = "9784101010014", max_length = 1000)]
    id: String,
    /// book, cd, dvd, game, software or food.
    #[schema(example = "book")]
    category: String,
    /// Its name.
    #[schema(example = "吾輩は猫である", max_length = 1000)]
    name: String,
    /// Its pictures, at most 16; it needs a picture or a barcode.
    #[schema(value_type = Option<Vec<String>>, format = Binary)]
    image: Option<Vec<Vec<u8>>>,
    /// Its barcodes: EAN, UPC or ISBN, as printed.
    #[schema(example = json!(["978-4-10-101001-4"]))]
    barcode: Option<Vec<String>>,
    /// Where people find its picture.
    #[schema(rename = "imageUrl")]
    image_url: Option<String>,
    /// A page about it.
    #[schema(example = "https://example.org/neko")]
    url: Option<String>,
    /// Pages about it in JSON, each with `url`, `title` and `imageUrl`.
    sites: Option<String>,
}

/// The items of the catalogue
#[utoipa::path(
    get, path = "/catalogue/items", operation_id = "listItems", tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(
        ("category" = Option<String>, Query, description = "Only those of this category", example = "book"),
        ("id" = Option<String>, Query, description = "Only the one of this id", example = "9784101010014"),
        ("barcode" = Option<String>, Query, description = "Only those with this barcode",
            example = "978-4-10-101001-4"),
        ("cursor" = Option<String>, Query, description = "What the page before answered with as nextCursor"),
        ("limit" = Option<i64>, Query, description = "The most items; 100 if left out", minimum = 1, maximum = 1000),
    ),
    responses(
        (status = 200, description = "Some items", body = ItemsAnswer, content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "104: a query parameter is invalid; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        OperatorRefusals,
    )
)]
pub(crate) async fn list(State(gateway): State<Arc<Gateway>>, RawQuery(raw): RawQuery, headers: HeaderMap) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "category", "id", "barcode", "cursor", "limit"]);
    respond_with(FUNCTION, gateway.admit_operator(&query, &headers).await, async |_| {
        let (category, id) = (query.text("category")?, query.text("id")?);
        if category.is_some_and(|category| !CATEGORIES.contains(&category)) {
            let rule = format!("query parameter category must be one of {}", CATEGORIES.join(", "));
            return Err(Failure::new(Kind::ParameterInvalid, rule));
        }
        let (filter, page) = (ItemFilter { category, id, code: query.text("barcode")? }, query_page(&query)?);
        let Page { items, next } = gateway.recognition.catalogue.list(filter, &page.after, page.most).await?;
        let items = items.into_iter().map(ItemEntry::from).collect();
        Ok::<_, Failure>(ItemsAnswer { items, next_cursor: next.map(|next| next.to_text()) })
    })
    .await
}

/// Adds an item to the catalogue
///
/// The fields are those of a row that `kaisatsu catalogue import` reads. This server recognises it
/// when it has answered, and every other replica within a second. The
/// pictures are not stored: only their features and a thumbnail of the first are.
#[utoipa::path(
    post, path = "/catalogue/items", operation_id = "addItem", tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(IdempotencyHeader),
    request_body(content = ItemDescription, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The item as it is now", body = ItemEntry,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "105: no image we read; 106: a field is missing or invalid; 110: too many pictures or fields",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
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
    let query = Query::read(raw.as_deref(), &[API_KEY]);
    respond_with(FUNCTION, gateway.admit_operator(&query, &headers).await, async |caller| {
        let repeatable = Repeatable::of(&gateway, FUNCTION, &headers, &caller.application, None)?;
        let catalogue = &gateway.recognition.catalogue;
        let mut form = ItemForm::read(&gateway, &headers, body, catalogue.most_pictures()).await?;
        let parts = form.parts();
        let images = std::mem::take(&mut form.images);
        let put = async |_| Ok::<_, Failure>(ItemEntry::from(catalogue.put(&form.fields, images).await?));
        repeatable.run(|| parts, put).await
    })
    .await
}

/// Removes an item from the catalogue
///
/// It is not answered from then on.
#[utoipa::path(
    delete, path = "/catalogue/items", operation_id = "removeItem", tag = "Catalogue and collections",
    security(("APIKEY" = [])),
    params(
        ("id" = Option<String>, Query, description = "Its id; or give its barcode", example = "9784101010014"),
        ("barcode" = Option<String>, Query, description = "Its barcode: all items with it are removed",
            example = "978-4-10-101001-4"),
    ),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "103, 104: a query parameter", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such item", body = RecognitionError,
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
    let query = Query::read(raw.as_deref(), &[API_KEY, "id", "barcode"]);
    respond_with(FUNCTION, gateway.admit_operator(&query, &headers).await, async |_| {
        let catalogue = &gateway.recognition.catalogue;
        match (query.text("id")?, query.text("barcode")?) {
            (Some(id), None) => catalogue.remove(id).await?,
            (None, Some(barcode)) => catalogue.remove_with_barcode(barcode).await?,
            (None, None) => {
                return Err(Failure::new(Kind::ParameterMissing, "query parameter id or barcode is missing"));
            }
            (Some(_), Some(_)) => {
                let rule = "query parameters id and barcode exclude each other; leave one out";
                return Err(Failure::new(Kind::ParameterInvalid, rule));
            }
        }
        Ok(NoContent)
    })
    .await
}
