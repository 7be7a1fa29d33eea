//! `models/NAME/tags`: the tags that a model can answer with.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use super::response::{RecognitionError, Refusals, respond};
use crate::{Failure, Gateway, Query, gateway::API_KEY, response::JsonBody};

const FIELDS: [&str; 5] = [API_KEY, "language", "text", "limit", "offset"];

/// Tags when no number is asked for.
const USUAL: u32 = 100;

/// Some tags of a model.
#[derive(Serialize, ToSchema)]
pub(crate) struct TagsAnswer {
    /// How many tags the request matches.
    #[schema(example = 2024)]
    max: usize,
    /// The number of the first tag in this answer, counted from 1.
    #[schema(example = 1)]
    offset: usize,
    /// In the order of the model's vocabulary.
    tags: Vec<TagEntry>,
}

impl JsonBody for TagsAnswer {}

/// A tag.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TagEntry {
    /// What identifies it.
    #[schema(example = "n07920052")]
    tag_id: String,
    /// Its name in the language that was asked for, or in the model's first language.
    #[schema(example = "espresso")]
    tag: String,
    /// Its names by language.
    #[schema(example = json!({"en": "espresso", "ja": "エスプレッソ"}))]
    names: BTreeMap<String, String>,
}

impl From<Tag> for TagEntry {
    fn from(tag: Tag) -> Self {
        Self { tag_id: tag.id, tag: tag.name, names: tag.names.into_iter().collect() }
    }
}

/// The tags that a model can answer with
#[utoipa::path(
    get, path = "/models/{name}/tags", operation_id = "modelTags", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        ("name" = String, Path, description = "The model", example = "general"),
        ("language" = Option<String>, Query, description = "The language of `tag`", example = "ja"),
        ("text" = Option<String>, Query, description = "Only tags whose id, or name in any language, contains this",
            example = "espresso"),
        ("limit" = Option<i64>, Query, description = "The most tags; 100 if not given", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "The number of the first tag, counted from 1",
            minimum = 1, maximum = 1_000_000),
    ),
    responses(
        (status = 200, description = "Some tags", body = TagsAnswer, content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "103, 104, 111: a query parameter; 109: no such model with tags",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn model_tags(
    State(gateway): State<Arc<Gateway>>,
    Path(name): Path<String>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond("models", gateway.admit(&query, &headers).await, || {
        let language = query.text("language")?.unwrap_or("en");
        let text = query.text("text")?.unwrap_or_default();
        let (limit, offset) = (query.count("limit", 1..=1000, USUAL)?, query.count("offset", 1..=1_000_000, 1)?);
        let tags = gateway.recognition.models.tags(&name, language, text)?;
        let max = tags.len();
        let tags = tags.into_iter().skip(offset - 1).take(limit).map(Into::into).collect();
        Ok::<_, Failure>(TagsAnswer { max, offset, tags })
    })
}
