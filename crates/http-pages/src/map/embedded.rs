//! The files that `make web` builds for the map pages, as they are embedded in the binary.

use std::borrow::Cow;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use rust_embed::RustEmbed;

/// The output of the build.
#[derive(RustEmbed)]
#[folder = "../../web/dist/map"]
#[allow_missing = true]
struct Built;

/// The binary was compiled before the pages were built.
#[derive(Debug)]
pub(super) struct NotBuilt;

impl IntoResponse for NotBuilt {
    fn into_response(self) -> Response {
        let message = "This binary was built without its map pages. `make web` builds the pages; then build again.\n";
        // Not 503: it does not help to try again.
        (StatusCode::NOT_IMPLEMENTED, message).into_response()
    }
}

/// An embedded text file.
pub(super) fn text(name: &str) -> Result<Cow<'static, str>, NotBuilt> {
    let file = Built::get(name).ok_or(NotBuilt)?;
    Ok(match file.data {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
    })
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
