//! The files that `make web` builds for the map pages and the reference of the API, embedded in the binary.

use std::borrow::Cow;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use rust_embed::RustEmbed;

/// The files of the map pages.
#[derive(RustEmbed)]
#[folder = "../../web/dist/map"]
#[allow_missing = true]
pub(crate) struct Map;

/// The files of the reference of the API.
#[derive(RustEmbed)]
#[folder = "../../web/dist/docs"]
#[allow_missing = true]
pub(crate) struct Docs;

/// The binary was compiled before the pages were built.
#[derive(Debug)]
pub(crate) struct NotBuilt;

impl IntoResponse for NotBuilt {
    fn into_response(self) -> Response {
        let message = "This binary was built without its web pages. `make web` builds the pages; then build again.\n";
        // Not 503: it does not help to try again.
        (StatusCode::NOT_IMPLEMENTED, message).into_response()
    }
}

/// An embedded text file of `Map` or `Docs`.
pub(crate) fn text<Files: RustEmbed>(name: &str) -> Result<Cow<'static, str>, NotBuilt> {
    let file = Files::get(name).ok_or(NotBuilt)?;
    Ok(match file.data {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
    })
}

/// A text as the body of a response, copied only if it is not part of the binary.
pub(crate) fn body(text: Cow<'static, str>) -> Bytes {
    match text {
        Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        Cow::Owned(text) => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use axum::{http::StatusCode, response::IntoResponse};

    use super::NotBuilt;

    #[test]
    fn pages_that_were_not_built_are_not_a_503_which_would_pass() {
        assert_eq!(NotBuilt.into_response().status(), StatusCode::NOT_IMPLEMENTED);
    }
}
