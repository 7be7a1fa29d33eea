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
        idempotency::{IdempotencyHeader, RepeatRefusals, Repeatable},
        response::{BodyRefusals, RecognitionError, Refusals, SpaceRefusals, UserRefusals, respond_with},
    },
    request::UserQuery,
};
use crate::{
    Failure, Gateway, Kind, Query, body,
    gateway::{API_KEY, TOKEN},
};

const FUNCTION: &str = "userCategory/uploadImage";

const FIELDS: [&str; 5] = ["tag", "name", LABEL, API_KEY, TOKEN];

/// Another name of `tag`, which clients of other services send.
const LABEL: &str = "label";

/// The form of this operation.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for the OpenAPI document")]
pub(crate) struct UploadForm {
    /// The picture: JPEG, PNG, GIF, BMP, TIFF or WebP; HEIC or AVIF where the server has libheif.
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
    /// What it shows, as it is kept: of the same bytes the first tag stays. Absent when nobody has said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "espresso")]
    tag: Option<String>,
    /// What the user calls it, as it is kept: of the same bytes the first name stays. Absent when nobody has said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "morning.jpg")]
    name: Option<String>,
}

impl crate::response::JsonBody for UploadAnswer {}

/// Puts an image into the user's storage area
#[utoipa::path(
    post, path = "/userCategory/uploadImage", operation_id = "uploadImage", tag = "User categories",
    description = "As a form, or as the image itself with `tag` and `name` in the query. The same bytes are kept \
                   once: whoever sends them again gets the same id. The tag and the name that came first stay, and the \
                   answer repeats them; delete the image to give it others.",
    security(("APIKEY" = [])),
    params(
        UserQuery,
        IdempotencyHeader,
        ("tag" = Option<String>, Query, description = "What it shows, unless the form says so", example = "espresso",
            max_length = 100),
        ("label" = Option<String>, Query,
            description = "The same as tag, as clients of other services call it; one of them is enough",
            max_length = 100),
        ("name" = Option<String>, Query, description = "What the user calls it, unless the form says so",
            example = "morning.jpg", max_length = 200),
    ),
    request_body(
        content((UploadForm = "multipart/form-data"), (Vec<u8> = "application/octet-stream")),
        description = "A form, or the image itself as application/octet-stream or image/*"
    ),
    responses(
        (status = 200, description = "It is kept", body = UploadAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "103, 104: a query parameter; 105: no image we read; 106: a field is missing or invalid; \
            110: more than one image", body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        SpaceRefusals,
        BodyRefusals,
        RepeatRefusals,
    )
)]
pub(crate) async fn upload_image(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &FIELDS);
    respond_with(FUNCTION, gateway.admit(&query, &headers).await, async |caller| {
        let user = gateway.user(&query, caller).await?;
        let repeatable = Repeatable::of(&gateway, FUNCTION, &headers, &user.application, Some(&user.id))?;
        let (mut form, ask) = match body::media_type(&headers).as_str() {
            "multipart/form-data" => Form::read(&query, &FIELDS[..3], &gateway, &headers, body, request).await?,
            _ if body::is_bare_image(&headers) => Form::read_bare(&query, &gateway, &headers, body, request).await?,
            _ => {
                request(&Form::without_body(&query))?;
                let rule = "the Content-Type must be multipart/form-data, with the picture in the field image, or \
                            application/octet-stream or image/*, with the picture as the body";
                return Err(Failure::new(Kind::MediaType, rule));
            }
        };
        let parts = form.parts(&FIELDS[..3]);
        let image = form.image()?;
        let upload = async |_| {
            let kept = gateway.recognition.storage.upload(&user, image, ask).await?;
            Ok::<_, Failure>(UploadAnswer {
                image_id: kept.id.as_str().to_owned(),
                sha256: kept.sha256,
                width: kept.width,
                height: kept.height,
                tag: kept.tag,
                name: kept.name,
            })
        };
        repeatable.run(|| parts, upload).await
    })
    .await
}

/// What is said of the image.
fn request(form: &Form<'_>) -> Result<UploadRequest, Failure> {
    let field = match (form.text("tag")?, form.text(LABEL)?) {
        (Some(_), Some(_)) => return Err(form.invalid(LABEL, "says the same thing as tag; leave one out")),
        (None, Some(_)) => LABEL,
        _ => "tag",
    };
    let tag = form.text(field)?.map(|text| Tag::new(text).map_err(|rule| form.invalid(field, rule.0)));
    let name = form.text("name")?.map(|text| DatasetName::new(text).map_err(|rule| form.invalid("name", rule.0)));
    Ok(UploadRequest { tag: tag.transpose()?, name: name.transpose()? })
}
