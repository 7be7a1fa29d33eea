//! `userCategory/getDataSet`: how far a dataset is, what became of its images, and how good it is.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::DatasetId;
use kaisatsu_recognition::{Dataset, User};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::{
        json::{BAD_CURSOR, field},
        response::{BodyRefusals, RecognitionError, Refusals, UserRefusals, respond_with},
    },
    MOST,
    data_set::{DataSetWire, ImageWire, data_set_id},
    request::{UserQuery, UserRequest},
};
use crate::{
    Failure, Gateway, Kind, Query,
    gateway::{API_KEY, TOKEN},
};

const FUNCTION: &str = "userCategory/getDataSet";

/// Which dataset, and which of its images.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct DataSetAsk {
    /// What `createDataSet` answered with, or the user's own name of the dataset where no other one has it.
    #[schema(nullable = false, example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: Option<String>,
    /// The user's own name of the dataset instead.
    #[schema(nullable = false, example = "cups")]
    name: Option<String>,
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
    request
        .respond(&gateway, FUNCTION, MOST, async |user, body| {
            let id = data_set_id(&body)?;
            let limit = body.limit(0)?;
            let after = match body.text("cursor")? {
                None => -1,
                Some(text) => text.parse().map_err(|_| field("cursor", BAD_CURSOR))?,
            };
            let set = gateway.recognition.datasets.get(&user, &id).await?;
            answer(&gateway, &user, set, after, limit).await
        })
        .await
}

/// The same, with the dataset in the query
#[utoipa::path(
    get, path = "/userCategory/getDataSet", operation_id = "getDataSetByQuery", tag = "User categories",
    security(("APIKEY" = [])),
    params(
        ("token" = String, Query, description = "The user's token"),
        ("dataSetId" = Option<String>, Query,
            description = "What createDataSet answered with, or the user's own name of the dataset"),
        ("name" = Option<String>, Query, description = "The user's own name of the dataset instead", example = "cups"),
        ("cursor" = Option<String>, Query, description = "What the page before answered with as nextCursor"),
        ("limit" = Option<i64>, Query, description = "The most images; 100 if left out", minimum = 0, maximum = 1000),
    ),
    responses(
        (status = 200, description = "The dataset", body = DataSetAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "103, 104: a query parameter; 111: out of range", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such dataset of this user", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
    )
)]
pub(crate) async fn get_data_set_by_query(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, TOKEN, "dataSetId", "name", "cursor", "limit"]);
    respond_with(FUNCTION, gateway.admit(&query, &headers).await, async |caller| {
        let user = gateway.user(&query, caller).await?;
        let wrong = |rule: &str| Failure::new(Kind::ParameterInvalid, format!("query parameter {rule}"));
        let id = match (query.text("dataSetId")?, query.text("name")?) {
            (Some(_), Some(_)) => return Err(wrong("dataSetId and name exclude each other; leave one out")),
            (None, Some(name)) => name,
            (_, None) => query.required("dataSetId")?,
        };
        let limit = query.count("limit", 0..=1000, 100)?;
        let after = match query.text("cursor")? {
            None => -1,
            Some(text) => text.parse().map_err(|_| wrong(&format!("cursor {BAD_CURSOR}")))?,
        };
        let found = gateway.recognition.datasets.get(&user, &DatasetId::from_text(id)).await;
        let set = found.map_err(|error| match error {
            kaisatsu_recognition::RecognitionError::AmbiguousName => wrong(
                "name is that of several datasets of this user; use the dataSetId that createDataSet answered with",
            ),
            other => other.into(),
        })?;
        answer(&gateway, &user, set, after, limit).await
    })
    .await
}

async fn answer(
    gateway: &Gateway,
    user: &User,
    set: Dataset,
    after: i64,
    limit: usize,
) -> Result<DataSetAnswer, Failure> {
    let datasets = &gateway.recognition.datasets;
    let (images, more) = datasets.images(user, &set.row.id(), after, limit).await?;
    let next_cursor = images.last().filter(|_| more).map(|last| last.position.to_string());
    let images = images.into_iter().map(ImageWire::from).collect();
    Ok(DataSetAnswer { data_set: DataSetWire::of(&set, true), images, next_cursor })
}
