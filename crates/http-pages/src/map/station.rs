//! `/map/{id}/station/{code}.json`: the railmapDetail response of a station, in both geodetic systems.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::{Gcs, MapLanguage, StationCode};
use serde::Serialize;

use super::{NotFound, in_language, map, part, pyramid::number};
use kaisatsu_http::{Etag, Gateway, station_detail};

/// The two responses.
#[derive(Serialize)]
struct Both<T> {
    tokyo: T,
    wgs84: T,
}

pub(super) async fn station(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    path: Result<Path<(String, String)>, PathRejection>,
    request: HeaderMap,
) -> Response {
    in_language(raw.as_deref(), |language| respond(&gateway, path, language, &request))
}

fn respond(
    gateway: &Gateway,
    path: Result<Path<(String, String)>, PathRejection>,
    language: MapLanguage,
    request: &HeaderMap,
) -> Result<Response, NotFound> {
    const NONE: NotFound = NotFound("that station is not on this map");
    let Path((id, file)) = path?;
    let loaded = map(gateway, &id, language)?;
    let code = file.strip_suffix(".json").and_then(number).and_then(|code| StationCode::new(code).ok()).ok_or(NONE)?;
    let detail = |gcs| station_detail(&loaded, code, gcs).ok_or(NONE);
    let both = Both { tokyo: detail(Gcs::Tokyo)?, wgs84: detail(Gcs::Wgs84)? };
    let tag = Etag::of(format_args!("station {} {code}", loaded.prepared.etag()));
    // Serialising our own wire types cannot fail.
    let write = || serde_json::to_vec(&both).unwrap_or_default().into();
    Ok(part(request, "application/json;charset=UTF-8", tag, write))
}
