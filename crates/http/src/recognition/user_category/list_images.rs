//! `userCategory/listImages`: what is in the user's storage area.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use kaisatsu_recognition::{Page, UserImage, hex};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::response::{BodyRefusals, RecognitionError, Refusals, UserRefusals},
    ListAsk, MOST,
    request::{UserQuery, UserRequest},
};
use crate::Gateway;

/// Some images.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImagesAnswer {
    /// Oldest first.
    images: Vec<StoredImage>,
    /// What to send as `cursor` for those that follow; absent when none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl crate::response::JsonBody for ImagesAnswer {}

/// An image in the storage area.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredImage {
    /// What names it.
    #[schema(example = "img_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    image_id: String,
    /// The SHA-256 of its bytes.
    sha256: String,
    /// How many bytes it has.
    #[schema(example = 48213)]
    bytes: i64,
    /// Pixels from left to right, as the file says.
    #[schema(example = 640)]
    width: i64,
    /// Pixels from top to bottom, as the file says.
    #[schema(example = 480)]
    height: i64,
    /// What it shows; empty when nobody has said.
    tag: String,
    /// What the user calls it; empty when nobody has said.
    name: String,
    /// When it came, in UTC.
    #[schema(example = "2026-11-15T09:30:00Z")]
    created_at: String,
}

/// What is in the user's storage area
#[utoipa::path(
    post, path = "/userCategory/listImages", operation_id = "listImages", tag = "User categories",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = ListAsk, content_type = "application/json"),
    responses(
        (status = 200, description = "Some images", body = ImagesAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "105: the body is not JSON; 106: a field is invalid; 111: out of range",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn list_images(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/listImages";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            let requested = body.page()?;
            let page = gateway.recognition.storage.list(&user, &requested.after, requested.most).await?;
            Ok(render(page))
        })
        .await
}

fn render(page: Page<UserImage>) -> ImagesAnswer {
    let image = |image: UserImage| StoredImage {
        image_id: image.id.as_str().to_owned(),
        sha256: hex(&image.sha256),
        bytes: image.size,
        width: image.width,
        height: image.height,
        tag: image.tag.unwrap_or_default(),
        name: image.name.unwrap_or_default(),
        created_at: image.created_at.to_utc(),
    };
    let next_cursor = page.next.map(|next| next.to_text());
    ImagesAnswer { images: page.items.into_iter().map(image).collect(), next_cursor }
}
