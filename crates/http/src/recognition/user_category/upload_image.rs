//! `userCategory/uploadImage`: an image into the user's storage area.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::{DatasetName, Tag};
use kaisatsu_recognition::UploadRequest;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    super::{
        form::Form,
        response::{BodyRefusals, RecognitionError, Refusals, UserRefusals, respond_with},
    },
    request::UserQuery,
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
};

const FIELDS: [&str; 4] = ["tag", "name", API_KEY, TOKEN];

/// The form of this operation.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct UploadForm {
    /// The picture: JPEG, PNG, GIF, BMP, TIFF or WebP.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    image: Vec<u8>,
    /// What it shows; a dataset takes it over unless it says something else.
    #[schema(example = "espresso", max_length = 100)]
    tag: Option<String>,
    /// What the user calls it.
    #[schema(example = "morning.jpg", max_length = 200)]
    name: Option<String>,
}

/// An image in the storage area.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadAnswer {
    /// What names it from now on.
    #[schema(example = "img_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    image_id: String,
    /// The SHA-256 of its bytes.
    sha256: String,
    /// Pixels from left to right, as the file says.
    #[schema(example = 640)]
    width: u32,
    /// Pixels from top to bottom, as the file says.
    #[schema(example = 480)]
    height: u32,
}

impl crate::response::JsonBody for UploadAnswer {}

/// Puts an image into the user's storage area
#[utoipa::path(
    post, path = "/userCategory/uploadImage", operation_id = "uploadImage", tag = "User categories",
    description = "The same bytes are kept once: whoever sends them again gets the same id, and a tag or a name that \
                   comes with them replaces the one before.",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "It is kept", body = UploadAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "103, 104: a query parameter; 105: no image we read; 106: a field is missing or invalid; \
            110: more than one image", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn upload_image(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with("userCategory/uploadImage", gateway.admit(&query).await, async |caller| {
        let user = gateway.user(&query, caller).await?;
        let parse = |form: &Form<'_>| {
            let tag = form.text("tag")?.map(|text| Tag::new(text).map_err(|rule| form.invalid("tag", rule.0)));
            let name =
                form.text("name")?.map(|text| DatasetName::new(text).map_err(|rule| form.invalid("name", rule.0)));
            Ok(UploadRequest { tag: tag.transpose()?, name: name.transpose()? })
        };
        let (mut form, ask) = Form::read(&query, &FIELDS[..2], &gateway, &headers, body, parse).await?;
        let kept = gateway.recognition.storage.upload(&user, form.image()?, ask).await?;
        let image_id = kept.id.as_str().to_owned();
        Ok::<_, Failure>(UploadAnswer { image_id, sha256: kept.sha256, width: kept.width, height: kept.height })
    })
    .await
}
