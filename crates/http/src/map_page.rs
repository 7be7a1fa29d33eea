//! Maps for people: `/map` lists them, `/map/{id}` shows one; its data, stations and tiles. Nobody needs a key here.

mod assets;
mod data;
mod list;
mod page;
mod pyramid;
mod station;
mod tile;

use std::sync::Arc;

use axum::{
    Router,
    extract::rejection::PathRejection,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use kaisatsu_railmap::Shelved;

use crate::{
    Failure, Gateway, Kind, Rendered,
    observe::Note,
    tagged::{Tag, Tagged},
};

/// The routes of everything below `/map`.
pub(crate) fn pages() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/map", get(list::list))
        .route("/map/", get(list::list))
        .route("/map/{id}", get(page::page))
        .route("/map/{id}/data.json", get(data::data))
        .route("/map/{id}/station/{file}", get(station::station))
        .route("/map/{id}/{tag}/{style}/{z}/{x}/{file}", get(tile::tile))
        .route("/map-assets/{file}", get(assets::asset))
}

/// What requests for pages are counted under, whatever the map and the tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    /// A page, or what it consists of.
    Page,
    /// A tile of a map.
    Tile,
}

/// The label of a path, if it is one of a page's.
pub(crate) fn label(path: &str) -> Option<Label> {
    let rest = path.strip_prefix("/map")?;
    if !(rest.is_empty() || rest.starts_with('/') || rest.starts_with("-assets/")) {
        return None;
    }
    let is_tile = rest.bytes().filter(|b| *b == b'/').count() == 6;
    Some(if is_tile { Label::Tile } else { Label::Page })
}

/// Scripts, styles, pictures and data from this server, and nothing from anywhere else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A part of a page, which is asked for anew each time and mostly answered with 304.
fn part(request: &HeaderMap, media: &'static str, tag: Tag, content: impl FnOnce() -> Bytes) -> Response {
    let mut response = Tagged { tag, media, keep: "no-cache", policy: POLICY }.answer(request, content);
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// The map of a page.
fn map(gateway: &Gateway, id: &str) -> Result<Arc<Shelved<Rendered>>, Missing> {
    gateway.maps.get(id).ok_or(Missing("there is no map of that id; /map lists the maps"))
}

/// What a page's address does not lead to.
struct Missing(&'static str);

impl From<PathRejection> for Missing {
    fn from(_: PathRejection) -> Self {
        Self("there is no such page; /map lists the maps")
    }
}

impl IntoResponse for Missing {
    fn into_response(self) -> Response {
        refuse(&Failure::new(Kind::NotFound, self.0))
    }
}

/// A failure as a person reads it.
fn refuse(failure: &Failure) -> Response {
    let mut response = (failure.kind.row().0, format!("{}\n", failure.message)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if response.status() != StatusCode::NOT_FOUND {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Some(seconds) = failure.retry_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    // A person is told that the log knows more, so it must.
    response.extensions_mut().get_or_insert_default::<Note>().cause.clone_from(&failure.cause);
    response
}

/// A text in HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Label, escape, label};

    #[test]
    fn paths_have_few_labels() {
        for (path, expected) in [
            ("/map", Some(Label::Page)),
            ("/map/tokyo", Some(Label::Page)),
            ("/map/tokyo/station/1.json", Some(Label::Page)),
            ("/map-assets/page.js", Some(Label::Page)),
            ("/map/tokyo/0123/light/1/2/3.png", Some(Label::Tile)),
            ("/mapping", None),
            ("/mapping/a/b/c/d/e/f", None),
            ("/", None),
        ] {
            assert_eq!(label(path), expected, "{path}");
        }
    }

    #[test]
    fn a_name_cannot_become_markup() {
        assert_eq!(escape("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
    }
}
