//! `/map-assets/…`: the scripts and styles of the pages, embedded in the binary.

use axum::{
    extract::{Path, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bytes::Bytes;

use super::{NotFound, part};
use kaisatsu_http::Etag;

const SCRIPT: &str = "text/javascript;charset=UTF-8";
const STYLE: &str = "text/css;charset=UTF-8";

/// Name, type and content of each file.
const FILES: [(&str, &str, &str); 11] = [
    ("icon.svg", "image/svg+xml;charset=UTF-8", include_str!("icon.svg")),
    ("page.css", STYLE, include_str!("page.css")),
    ("page.js", SCRIPT, include_str!("page.js")),
    ("view.js", SCRIPT, include_str!("view.js")),
    ("tiles.js", SCRIPT, include_str!("tiles.js")),
    ("hands.js", SCRIPT, include_str!("hands.js")),
    ("search.js", SCRIPT, include_str!("search.js")),
    ("panel.js", SCRIPT, include_str!("panel.js")),
    ("network.js", SCRIPT, include_str!("network.js")),
    ("names.js", SCRIPT, include_str!("names.js")),
    ("words.js", SCRIPT, include_str!("words.js")),
];

pub(super) async fn asset(file: Result<Path<String>, PathRejection>, request: HeaderMap) -> Response {
    let found = file.ok().and_then(|Path(file)| FILES.iter().find(|(name, ..)| *name == file));
    match found {
        Some((_, content_type, content)) => {
            part(&request, content_type, Etag::of(format_args!("{content}")), || Bytes::from_static(content.as_bytes()))
        }
        None => NotFound("there is no such file").into_response(),
    }
}
