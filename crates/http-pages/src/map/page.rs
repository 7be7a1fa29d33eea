//! `/map/{id}`: the page of a map. Its script fetches the data and the tiles.

use std::sync::Arc;

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};

use super::{NotFound, embedded, escape, map, part};
use kaisatsu_http::{Etag, Gateway};

pub(super) async fn page(
    State(gateway): State<Arc<Gateway>>,
    id: Result<Path<String>, PathRejection>,
    request: HeaderMap,
) -> Response {
    respond(&gateway, id, &request).unwrap_or_else(IntoResponse::into_response)
}

fn respond(
    gateway: &Gateway,
    id: Result<Path<String>, PathRejection>,
    request: &HeaderMap,
) -> Result<Response, NotFound> {
    let Path(id) = id?;
    let loaded = map(gateway, &id)?;
    let template = match embedded::text("page.html") {
        Ok(template) => template,
        Err(not_built) => return Ok(not_built.into_response()),
    };
    let page = template
        .replace("{id}", loaded.map.id.as_str())
        .replace("{service}", gateway.segment.as_str())
        .replace("{name}", &escape(&loaded.map.name));
    Ok(part(request, "text/html;charset=UTF-8", Etag::of(format_args!("{page}")), || page.into()))
}
