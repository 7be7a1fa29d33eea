//! `userCategory/listDataSets`: the user's datasets.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::response::{BodyRefusals, RecognitionError, Refusals, UserRefusals},
    ListAsk, MOST,
    data_set::DataSetWire,
    request::{UserQuery, UserRequest},
};
use crate::Gateway;

/// Some datasets.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataSetsAnswer {
    /// Oldest first, without their health reports.
    data_sets: Vec<DataSetWire>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl crate::response::JsonBody for DataSetsAnswer {}

/// The user's datasets
#[utoipa::path(
    post, path = "/userCategory/listDataSets", operation_id = "listDataSets", tag = "User categories",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = ListAsk, content_type = "application/json"),
    responses(
        (status = 200, description = "Some datasets", body = DataSetsAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "105: the body is not JSON; 106: a field is invalid; 111: out of range",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn list_data_sets(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/listDataSets";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            let requested = body.page()?;
            let page = gateway.recognition.datasets.list(&user, &requested.after, requested.most).await?;
            let data_sets = page.items.iter().map(|set| DataSetWire::of(set, false)).collect();
            Ok(DataSetsAnswer { data_sets, next_cursor: page.next.map(|next| next.to_text()) })
        })
        .await
}
