//! `userCategory/deleteImage`: an image out of the user's storage area.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use kaisatsu_model::ImageId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::response::{BodyRefusals, NoContent, RecognitionError, Refusals, UserRefusals},
    MOST,
    request::{UserQuery, UserRequest},
};
use crate::Gateway;

/// Which image.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct DeletedImageAsk {
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
    params(UserQuery),
    request_body(content = DeletedImageAsk, content_type = "application/json"),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "105: the body is not JSON; 106: imageId is missing or invalid",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such image of this user", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn delete_image(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/deleteImage";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            gateway.recognition.storage.delete(&user, &ImageId::from_text(body.required_id("imageId")?)).await?;
            Ok(NoContent)
        })
        .await
}
