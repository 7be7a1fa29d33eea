//! `station`: stations by code, by the beginning of a name, by prefecture, kind and map.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
};
use kaisatsu_model::{Prefecture, StationCode, TransportKind};
use kaisatsu_railmap::StationFilter;

use super::{
    response::{Refusals, respond},
    station::{gcs, language},
    stations_wire::{FoundStations, StationsAnswer},
    window::map,
    wire::ErrorAnswer,
};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY, log_context::LoggedResponse};

const PARAMETERS: [&str; 10] =
    [API_KEY, "code", "name", "prefectureCode", "type", "id", "limit", "offset", "gcs", "language"];

/// The most stations of one answer, and their number when none is asked for.
pub(super) const MOST: u32 = 100;

/// Stations of all maps: by code, by the beginning of a name, by prefecture, kind and map
///
/// Everything that is given must hold; without any of it, all stations are listed. With `name` the best come first,
/// otherwise they are in the order of their codes.
#[utoipa::path(
    get, path = "/station", operation_id = "station", tag = "Route map",
    params(
        ("code" = Option<u32>, Query, minimum = 1, description = "Code of the station", nullable = false),
        ("name" = Option<String>, Query, description = "The beginning of a name, of its reading in kana or romaji, of \
            a station number (G09), or of a former name; or a part of the name of a line", example = "shinjuku",
            nullable = false),
        ("prefectureCode" = Option<u8>, Query, minimum = 1, maximum = 47, description = "JIS X 0401 code",
            nullable = false),
        ("type" = Option<String>, Query, description = "Transport kind",
            pattern = "^(train|plane|ship|bus|walk|strange)$", nullable = false),
        ("id" = Option<String>, Query, description = "Route map id: only stations on this map", nullable = false),
        ("limit" = Option<u8>, Query, minimum = 1, maximum = 100, description = "The most stations; 100 when left out",
            nullable = false),
        ("offset" = Option<u32>, Query, minimum = 1, description = "The number of the first station, counted from 1",
            nullable = false),
        ("gcs" = Option<String>, Query, description = "Geodetic system of the coordinates: tokyo (default) or wgs84",
            pattern = "^(tokyo|wgs84)$", nullable = false),
        ("language" = Option<String>, Query, description = "Language of the names: ja (default), en or ja-en",
            pattern = "^(ja|en|ja-en)$", nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The stations", body = StationsAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "W404: no such map", body = ErrorAnswer,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn station(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> LoggedResponse {
    let query = Query::read(raw.as_deref(), &PARAMETERS);
    respond(gateway.admit(&query, &headers).await, || find(&gateway, &query))
}

fn find(gateway: &Gateway, query: &Query<'_>) -> Result<FoundStations, Failure> {
    let code = query.integer("code", 1..=i64::from(u32::MAX))?.map(StationCode::new).transpose();
    let filter = StationFilter {
        code: code.map_err(|rule| Failure::new(Kind::OutOfRange, rule.to_string()))?,
        name: query.text("name")?,
        prefecture: query.integer("prefectureCode", 1..=47)?.and_then(Prefecture::from_code),
        kind: query.text("type")?.map(kind).transpose()?,
        map: query.text("id")?,
    };
    let (limit, offset) = (limit(query)?, query.count("offset", 1..=u32::MAX, 1)?);
    let (gcs, language) = (gcs(query)?, language(query)?);
    if let Some(id) = filter.map {
        map(gateway, id)?;
    }
    let stations = gateway.maps.stations();
    let found = stations.search(&filter);
    let page = found.iter().skip(offset - 1).take(limit).map(|at| (*at, None)).collect();
    Ok(FoundStations { stations, page, max: found.len(), offset, gcs, language })
}

/// `limit`, or its default.
pub(super) fn limit(query: &Query<'_>) -> Result<usize, Failure> {
    query.count("limit", 1..=MOST, MOST)
}

fn kind(word: &str) -> Result<TransportKind, Failure> {
    let rule = "query parameter type must be train, plane, ship, bus, walk or strange";
    TransportKind::from_word(word).ok_or_else(|| Failure::new(Kind::ParameterInvalid, rule))
}
