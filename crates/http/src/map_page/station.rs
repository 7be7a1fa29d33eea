//! `/map/{id}/station/{code}.json`: what railmapDetail answers for a station, in both geodetic systems.

use std::sync::Arc;

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use kaisatsu_model::{Gcs, StationCode};
use kaisatsu_railmap::Selection;
use serde::Serialize;

use super::{Missing, map, part, pyramid::number};
use crate::{Gateway, route_map::detail::Found, tagged::Tag};

/// The two answers.
#[derive(Serialize)]
struct Both {
    tokyo: Found,
    wgs84: Found,
}

pub(super) async fn station(
    State(gateway): State<Arc<Gateway>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: HeaderMap,
) -> Response {
    shown(&gateway, path, &request).unwrap_or_else(IntoResponse::into_response)
}

fn shown(
    gateway: &Gateway,
    path: Result<Path<(String, String)>, PathRejection>,
    request: &HeaderMap,
) -> Result<Response, Missing> {
    const NONE: Missing = Missing("that station is not on this map");
    let Path((id, file)) = path?;
    let shelved = map(gateway, &id)?;
    let code = file.strip_suffix(".json").and_then(number).and_then(|code| StationCode::new(code).ok()).ok_or(NONE)?;
    let found = |gcs| -> Result<Found, Missing> {
        let selected = shelved.map.select(&Selection::Code(code)).ok_or(NONE)?;
        Ok(Found { shelved: Arc::clone(&shelved), selected, gcs })
    };
    let both = Both { tokyo: found(Gcs::Tokyo)?, wgs84: found(Gcs::Wgs84)? };
    let tag = Tag::of(format_args!("station {} {code}", shelved.prepared.tag));
    // Serialising our own wire types cannot fail.
    let write = || serde_json::to_vec(&both).unwrap_or_default().into();
    Ok(part(request, "application/json;charset=UTF-8", tag, write))
}
