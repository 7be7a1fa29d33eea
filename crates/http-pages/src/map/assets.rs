//! `/map-assets/…`: the script, the style and the icon of the pages, embedded in the binary.

use axum::{
    extract::{Path, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};

use super::{NotFound, part};
use crate::embedded;
use kaisatsu_http::Etag;

/// The public files and their types. The templates of the pages are embedded too, but not public.
const FILES: [(&str, &str); 3] = [
    ("icon.svg", "image/svg+xml;charset=UTF-8"),
    ("page.css", "text/css;charset=UTF-8"),
    ("page.js", "text/javascript;charset=UTF-8"),
];

pub(super) async fn asset(file: Result<Path<String>, PathRejection>, request: HeaderMap) -> Response {
    let found = file.ok().and_then(|Path(file)| FILES.iter().find(|(name, _)| *name == file));
    let Some((name, content_type)) = found else { return NotFound("there is no such file").into_response() };
    match embedded::text::<embedded::Map>(name) {
        Ok(content) => {
            let etag = Etag::of(format_args!("{content}"));
            part(&request, content_type, etag, || embedded::body(content))
        }
        Err(not_built) => not_built.into_response(),
    }
}
