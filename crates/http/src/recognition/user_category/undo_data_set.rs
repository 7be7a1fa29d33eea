//! `userCategory/undoDataSet`: takes the last change of a dataset back.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use kaisatsu_model::DatasetId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::response::{BodyRefusals, RecognitionError, Refusals, UserRefusals},
    MOST,
    data_set::DataSetWire,
    request::{UserQuery, UserRequest},
};
use crate::Gateway;

/// Which dataset.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct UndoAsk {
    /// What `createDataSet` answered with, or the name of the dataset.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: String,
}

/// Takes the last change of a dataset back
#[utoipa::path(
    post, path = "/userCategory/undoDataSet", operation_id = "undoDataSet", tag = "User categories",
    description = "A version that is still being built, or that failed, is dropped. Otherwise the version before \
                   answers again, at once, and undoing once more brings the\nlater one back. The name of the dataset \
                   stays.",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = UndoAsk, content_type = "application/json"),
    responses(
        (status = 200, description = "The dataset as it is now", body = DataSetWire,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "105: the body is not JSON; 106: dataSetId is missing or invalid",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such dataset of this user, or it has not been changed",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn undo_data_set(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/undoDataSet";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            let id = DatasetId::from_text(body.required_id("dataSetId")?);
            Ok(DataSetWire::of(&gateway.recognition.datasets.undo(&user, &id).await?, false))
        })
        .await
}
