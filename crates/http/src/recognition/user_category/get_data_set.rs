//! `userCategory/getDataSet`: how far a dataset is, what became of its images, and how good it is.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use kaisatsu_model::DatasetId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::{
        json::{BAD_CURSOR, field},
        response::{BodyRefusals, RecognitionError, Refusals, UserRefusals},
    },
    MOST,
    data_set::{DataSetWire, ImageWire},
    request::{UserQuery, UserRequest},
};
use crate::Gateway;

/// Which dataset, and which of its images.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct DataSetAsk {
    /// What `createDataSet` answered with.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: String,
    /// `nextCursor` of the answer before; left out for the first images.
    cursor: Option<String>,
    /// How many images at most; 0 for none.
    #[schema(minimum = 0, maximum = 1000, default = 100)]
    limit: Option<u64>,
}

/// A dataset and some of its images.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataSetAnswer {
    #[serde(flatten)]
    data_set: DataSetWire,
    /// Its images, in the order in which they were named.
    images: Vec<ImageWire>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl crate::response::JsonBody for DataSetAnswer {}

/// How far a dataset is, what became of its images, and how good it is
#[utoipa::path(
    post, path = "/userCategory/getDataSet", operation_id = "getDataSet", tag = "User categories",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = DataSetAsk, content_type = "application/json"),
    responses(
        (status = 200, description = "The dataset", body = DataSetAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "105: the body is not JSON; 106: a field is missing or invalid; 111: out of range",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such dataset of this user", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn get_data_set(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/getDataSet";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            let id = DatasetId::from_text(body.required("dataSetId")?);
            let limit = body.limit(0)?;
            let after = match body.text("cursor")? {
                None => -1,
                Some(text) => text.parse().map_err(|_| field("cursor", BAD_CURSOR))?,
            };
            let set = gateway.recognition.datasets.get(&user, &id).await?;
            let (images, more) = gateway.recognition.datasets.images(&user, &id, after, limit).await?;
            let next_cursor = images.last().filter(|_| more).map(|last| last.position.to_string());
            let images = images.into_iter().map(ImageWire::from).collect();
            Ok(DataSetAnswer { data_set: DataSetWire::of(&set, true), images, next_cursor })
        })
        .await
}
