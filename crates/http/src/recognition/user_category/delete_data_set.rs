//! `userCategory/deleteDataSet`: a dataset is deleted, and never seen again.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::response::{BodyRefusals, NoContent, RecognitionError, Refusals, UserRefusals},
    MOST,
    data_set::data_set_id,
    request::{UserQuery, UserRequest},
};
use crate::Gateway;

/// Which dataset.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct DeleteAsk {
    /// What `createDataSet` answered with, or the user's own name of the dataset where no other one has it.
    #[schema(nullable = false, example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: Option<String>,
    /// The user's own name of the dataset instead.
    #[schema(nullable = false, example = "cups")]
    name: Option<String>,
}

/// Deletes a dataset
#[utoipa::path(
    post, path = "/userCategory/deleteDataSet", operation_id = "deleteDataSet", tag = "User categories",
    description = "After the answer it is never seen again: not in a list, not in a search, not from a job that was \
                   running, not after a restart. Images of\nthe storage area stay.",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = DeleteAsk, content_type = "application/json"),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "105: the body is not JSON; 106: dataSetId is missing or invalid",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such dataset of this user", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn delete_data_set(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/deleteDataSet";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            gateway.recognition.datasets.delete(&user, &data_set_id(&body)?).await?;
            Ok(NoContent)
        })
        .await
}
