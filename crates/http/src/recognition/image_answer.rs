//! A response with an image, which browsers keep.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;

use super::response::Reply;
use crate::{Failure, Gateway};

/// Browsers ask each time whether it is still there.
pub(super) const REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Browsers show what they have for ten minutes, also of an image that was deleted since.
pub(super) const KEPT_BRIEFLY: HeaderValue = HeaderValue::from_static("private, max-age=600");

/// Browsers show what they have for an hour: the address changes with the picture.
pub(super) const KEPT: HeaderValue = HeaderValue::from_static("private, max-age=3600");

/// The response.
pub(super) struct ImageAnswer {
    etag: HeaderValue,
    caching: HeaderValue,
    /// `None` if the client already has it.
    image: Option<Bytes>,
}

impl ImageAnswer {
    /// The response with what `read` returns, or without a body for a client that has the image of this tag.
    pub(super) async fn of(
        gateway: &Gateway,
        headers: &HeaderMap,
        tag: &str,
        caching: HeaderValue,
        read: impl AsyncFnOnce() -> Result<Bytes, kaisatsu_recognition::RecognitionError>,
    ) -> Result<Self, Failure> {
        let etag = HeaderValue::try_from(format!("\"{tag}\"")).unwrap_or(HeaderValue::from_static("\"\""));
        if headers.get(header::IF_NONE_MATCH) == Some(&etag) {
            return Ok(Self { etag, caching, image: None });
        }
        let image = gateway.body_memory.hold(read().await?)?;
        Ok(Self { etag, caching, image: Some(image) })
    }
}

impl Reply for ImageAnswer {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.etag);
        // A browser shows what users have sent as an image or not at all.
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
        headers.insert(header::CACHE_CONTROL, self.caching);
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
