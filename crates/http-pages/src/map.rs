//! The map pages: `/map` lists the maps, `/map/{id}` shows one, with its data, stations and tiles. They need no key.

mod assets;
mod course;
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
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use kaisatsu_railmap::LoadedMap;

use kaisatsu_http::{
    Cacheable, Embedding, Etag, Failure, Gateway, Kind, PreparedMap, Query, map_language, plain_error,
};
use kaisatsu_model::MapLanguage;

/// The routes of everything below `/map`.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/map", get(list::list))
        .route("/map/", get(list::list))
        .route("/map/{id}", get(page::page))
        .route("/map/{id}/", get(page::page))
        .route("/map/{id}/data.json", get(data::data))
        .route("/map/{id}/course.json", get(course::course))
        .route("/map/{id}/station/{file}", get(station::station))
        .route("/map/{id}/{tag}/{style}/{z}/{x}/{file}", get(tile::tile))
        .route("/map-assets/{file}", get(assets::asset))
}

/// The metric labels of the pages and of the tiles, whatever the map.
pub(crate) const LABELS: [&str; 2] = [PAGE, TILE];
const PAGE: &str = "/map";
const TILE: &str = "/map/tiles";

/// The metric label of a path, if it belongs to the map pages.
pub(crate) fn label(path: &str) -> Option<&'static str> {
    let rest = path.strip_prefix("/map")?;
    if !(rest.is_empty() || rest.starts_with('/') || rest.starts_with("-assets/")) {
        return None;
    }
    let is_tile = rest.bytes().filter(|b| *b == b'/').count() == 6;
    Some(if is_tile { TILE } else { PAGE })
}

/// Scripts, styles, pictures and data from this server, and nothing from any other.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The policy of a page that some sites may embed.
fn embeddable(embedding: &Embedding, response: &mut Response) {
    let policy = POLICY.replace("frame-ancestors 'none'", &format!("frame-ancestors {}", embedding.frame_ancestors()));
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// A part of a page. Browsers revalidate it on each use, mostly with a 304.
fn part(request: &HeaderMap, content_type: &'static str, etag: Etag, content: impl FnOnce() -> Bytes) -> Response {
    let cacheable = Cacheable { etag, content_type, cache_control: "no-cache", content_security_policy: POLICY };
    let mut response = cacheable.respond(request, content);
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// The map of a page, laid out for the labels of a language.
fn map(gateway: &Gateway, id: &str, language: MapLanguage) -> Result<Arc<LoadedMap<PreparedMap>>, NotFound> {
    gateway.maps.get_in(id, language).ok_or(NotFound("there is no map of that id; /map lists the maps"))
}

/// Responds in the language of the query.
fn in_language(raw: Option<&str>, respond: impl FnOnce(MapLanguage) -> Result<Response, NotFound>) -> Response {
    match map_language(&Query::read(raw, &["language"])) {
        Ok(language) => respond(language).unwrap_or_else(IntoResponse::into_response),
        Err(failure) => plain_error(failure),
    }
}

/// A 404 with its message.
struct NotFound(&'static str);

impl From<PathRejection> for NotFound {
    fn from(_: PathRejection) -> Self {
        Self("there is no such page; /map lists the maps")
    }
}

impl From<NotFound> for Failure {
    fn from(NotFound(message): NotFound) -> Self {
        Self::new(Kind::NotFound, message)
    }
}

impl IntoResponse for NotFound {
    fn into_response(self) -> Response {
        plain_error(self.into())
    }
}

/// Escapes a text for HTML.
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
    use super::{PAGE, TILE, escape, label};

    #[test]
    fn every_path_has_one_of_two_labels_or_none() {
        for (path, expected) in [
            ("/map", Some(PAGE)),
            ("/map/tokyo", Some(PAGE)),
            ("/map/tokyo/station/1.json", Some(PAGE)),
            ("/map-assets/page.js", Some(PAGE)),
            ("/map/tokyo/0123/light/1/2/3.png", Some(TILE)),
            ("/mapping", None),
            ("/mapping/a/b/c/d/e/f", None),
            ("/", None),
        ] {
            assert_eq!(label(path), expected, "{path}");
        }
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
    }
}
