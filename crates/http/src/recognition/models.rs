//! `models`: which models this server has for each task.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{RecognitionError, answer};
use crate::{Gateway, Query, answer::Body, gateway::API_KEY};

/// The models by task.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelsAnswer {
    tasks: Vec<TaskModels>,
}

impl Body for ModelsAnswer {}

/// The models of one task.
#[derive(Serialize, ToSchema)]
struct TaskModels {
    /// What the models do.
    #[schema(value_type = String, example = "categoryRecognition")]
    task: &'static str,
    /// The names that `modelName` takes; empty when the server has none for this task.
    models: Vec<String>,
}

/// The four functions of image recognition.
const TASKS: [&str; 4] = ["categoryRecognition", "objectDetection", "similarImageSearch", "objectRecognition"];

/// The models of this server by task
///
/// A task without a model is listed with an empty array.
#[utoipa::path(
    get, path = "/models", operation_id = "models", tag = "Image recognition",
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The four tasks with their models", body = ModelsAnswer, content_type = "application/json;charset=UTF-8"),
        (status = 401, description = "116: the API key is missing or unknown", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 403, description = "201: the API key is disabled", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 429, description = "204: the key calls too often; see Retry-After", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 503, description = "501: not ready; see Retry-After", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
    )
)]
pub(crate) async fn models(State(gateway): State<Arc<Gateway>>, RawQuery(raw): RawQuery) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY]);
    // No engine is part of this server yet, so every task is without a model.
    let tasks = TASKS.map(|task| TaskModels { task, models: Vec::new() });
    answer("models", gateway.admit(&query).await, || Ok(ModelsAnswer { tasks: tasks.into() }))
}
