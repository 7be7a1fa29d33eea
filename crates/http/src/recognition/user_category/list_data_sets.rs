//! `userCategory/listDataSets`: the user's datasets.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::{
        answer::{BodyRefusals, RecognitionError, Refusals, UserRefusals, answer_to},
        json::Object,
    },
    ListAsk, MOST,
    data_set::DataSetWire,
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
};

/// Some datasets.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataSetsAnswer {
    /// Oldest first, without their health reports.
    data_sets: Vec<DataSetWire>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl crate::answer::Body for DataSetsAnswer {}

/// The user's datasets
#[utoipa::path(
    post, path = "/userCategory/listDataSets", operation_id = "listDataSets", tag = "User categories",
    security(("APIKEY" = [])),
    params(("token" = String, Query, description = "The user's token")),
    request_body(content = ListAsk, content_type = "application/json"),
    responses(
        (status = 200, description = "Some datasets", body = DataSetsAnswer, content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "105: the body is not JSON; 106: a field is invalid; 111: out of range", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn list_data_sets(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, TOKEN]);
    answer_to("userCategory/listDataSets", gateway.admit(&query).await, async |caller| {
        let user = gateway.user(&query, caller).await?;
        let span = Object::read(&headers, body, MOST).await?.span()?;
        let page = gateway.recogniser.data_sets(&user, &span.after, span.most).await?;
        let data_sets = page.items.iter().map(|set| DataSetWire::of(set, false)).collect();
        Ok::<_, Failure>(DataSetsAnswer { data_sets, next_cursor: page.next.map(|next| next.to_text()) })
    })
    .await
}
