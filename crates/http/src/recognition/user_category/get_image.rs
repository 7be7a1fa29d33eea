//! `userCategory/getImage`: an image of the user's, for people to look at.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use kaisatsu_model::ImageId;
use kaisatsu_recognition::hex;

use super::super::response::{RecognitionError, Refusals, Reply, UserRefusals, respond_with};
use crate::{
    Failure, Gateway, Kind, Query,
    gateway::{API_KEY, TOKEN},
};

/// The response.
struct ImageAnswer {
    etag: HeaderValue,
    /// `None` if the client already has it.
    image: Option<Bytes>,
}

impl Reply for ImageAnswer {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.etag);
        // A browser shows what users have sent as an image or not at all, and revalidates it each time.
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        match self.image {
            Some(image) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(&image)));
                *response.body_mut() = axum::body::Body::from(image);
            }
            None => *response.status_mut() = StatusCode::NOT_MODIFIED,
        }
        response
    }
}

/// The media type by the first bytes. Only images that could be decoded are stored, so it is one of these.
fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xd8, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [b'G', b'I', b'F', ..] => "image/gif",
        [b'B', b'M', ..] => "image/bmp",
        [b'R', b'I', b'F', b'F', ..] => "image/webp",
        [b'I', b'I', ..] | [b'M', b'M', ..] => "image/tiff",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => "image/avif",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "image/heic",
        _ => "application/octet-stream",
    }
}

/// An image of the user's storage area, or one that a dataset fetched
///
/// An image that was deleted is not shown any more, also while a dataset uses it.
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
        let etag = format!("\"{}{}\"", hex(&key.sha256), if small { "-small" } else { "" });
        let etag = HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("\"\""));
        if headers.get(header::IF_NONE_MATCH) == Some(&etag) {
            return Ok(ImageAnswer { etag, image: None });
        }
        let image = if small { storage.thumbnail(&key).await? } else { storage.read(&key).await? };
        Ok(ImageAnswer { etag, image: Some(gateway.body_memory.hold(image)?) })
    })
    .await
}
