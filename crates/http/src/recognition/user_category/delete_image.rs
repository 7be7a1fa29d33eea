//! `userCategory/deleteImage`: an image out of the user's storage area.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::ImageId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::{
        answer::{BodyRefusals, Nothing, RecognitionError, Refusals, UserRefusals, answer_to},
        json::Object,
    },
    MOST,
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
};

/// Which image.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct ImageAsk {
    /// What `uploadImage` answered with.
    #[schema(example = "img_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    image_id: String,
}

/// Takes an image out of the user's storage area
///
/// Datasets that were made of it stay as they are.
#[utoipa::path(
    post, path = "/userCategory/deleteImage", operation_id = "deleteImage", tag = "User categories",
    security(("APIKEY" = [])),
    params(("token" = String, Query, description = "The user's token")),
    request_body(content = ImageAsk, content_type = "application/json"),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "105: the body is not JSON; 106: imageId is missing or invalid", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such image of this user", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn delete_image(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, TOKEN]);
    answer_to("userCategory/deleteImage", gateway.admit(&query).await, async |caller| {
        let user = gateway.user(&query, caller).await?;
        let body = Object::read(&headers, body, MOST).await?;
        gateway.recogniser.delete_image(&user, &ImageId::from_text(body.required("imageId")?)).await?;
        Ok::<_, Failure>(Nothing)
    })
    .await
}
