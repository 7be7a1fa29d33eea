//! `/map/{id}`: the page of a map. Its script fetches the data and the tiles.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};

use kaisatsu_model::MapLanguage;

use super::{NotFound, embeddable, escape, in_language, map, part};
use crate::embedded;
use kaisatsu_http::{Embedding, Etag, Gateway};

pub(super) async fn page(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    id: Result<Path<String>, PathRejection>,
    request: HeaderMap,
) -> Response {
    in_language(raw.as_deref(), |language| respond(&gateway, id, language, &request))
}

fn respond(
    gateway: &Gateway,
    id: Result<Path<String>, PathRejection>,
    language: MapLanguage,
    request: &HeaderMap,
) -> Result<Response, NotFound> {
    let Path(id) = id?;
    let loaded = map(gateway, &id, language)?;
    let template = match embedded::text::<embedded::Map>("page.html") {
        Ok(template) => template,
        Err(not_built) => return Ok(not_built.into_response()),
    };
    let page = template
        .replace("{id}", loaded.map.id.as_str())
        .replace("{service}", gateway.segment.as_str())
        .replace("{language}", language.word())
        .replace("{embed}", if gateway.map_embed == Embedding::Off { "no" } else { "yes" })
        .replace("{name}", &escape(loaded.map.title()));
    let mut response = part(request, "text/html;charset=UTF-8", Etag::of(format_args!("{page}")), || page.into());
    embeddable(&gateway.map_embed, &mut response);
    Ok(response)
}
