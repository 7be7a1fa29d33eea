//! `userCategory/getImage`: an image of the user's, for people to look at.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::ImageId;
use kaisatsu_recognition::hex;

use super::super::{
    image_answer::{ImageAnswer, KEPT_BRIEFLY, REVALIDATED},
    response::{RecognitionError, Refusals, UserRefusals, respond_with},
};
use crate::{
    Failure, Gateway, Kind, Query,
    gateway::{API_KEY, TOKEN},
};

/// An image of the user's storage area, or one that a dataset fetched
///
/// An image that was deleted is not sent any more, also while a dataset uses it. A browser asks each time whether the
/// original is still there, and shows a thumbnail that it has for ten minutes without asking.
#[utoipa::path(
    get, path = "/userCategory/getImage", operation_id = "getImage", tag = "User categories",
    security(("APIKEY" = [])),
    params(
        ("token" = String, Query, description = "The user's token"),
        ("imageId" = String, Query,
            description = "What uploadImage, listImages, getDataSet or similarImage/search answered with"),
        ("size" = Option<String>, Query,
            description = "original (default), or thumbnail: a JPEG of at most 256 pixels a side",
            example = "thumbnail", pattern = "^(original|thumbnail)$"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/*", body = Vec<u8>),
        (status = 304, description = "The caller has it already, by the ETag in If-None-Match"),
        (status = 400, description = "103, 104: a query parameter", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such image of this user", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
    )
)]
pub(crate) async fn get_image(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, TOKEN, "imageId", "size"]);
    respond_with("userCategory/getImage", gateway.admit(&query, &headers).await, async |caller| {
        let user = gateway.user(&query, caller).await?;
        let id = ImageId::from_text(query.required("imageId")?);
        let small = match query.text("size")? {
            None | Some("original") => false,
            Some("thumbnail") => true,
            Some(_) => {
                let rule = "query parameter size must be original or thumbnail";
                return Err(Failure::new(Kind::ParameterInvalid, rule));
            }
        };
        let storage = &gateway.recognition.storage;
        let key = storage.find(&user, &id).await?;
        let tag = format!("{}{}", hex(&key.sha256), if small { "-small" } else { "" });
        let read = async || if small { storage.thumbnail(&key).await } else { storage.read(&key).await };
        let caching = if small { KEPT_BRIEFLY } else { REVALIDATED };
        ImageAnswer::of(&gateway, &headers, &tag, caching, read).await
    })
    .await
}
