//! `railmapList`: all maps, one map, or the maps that hold one station.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
};
use kaisatsu_model::Gcs;
use kaisatsu_railmap::LoadedMap;
use serde::{Serialize, Serializer};

use super::{
    prepared::PreparedMap,
    response::{Refusals, respond},
    station::{exclusive, gcs, language, not_found, station},
    wire::{API_VERSION, ENGINE_VERSION, ErrorAnswer, ListAnswer, ListSet, ListedMap, Text},
};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY, log_context::LoggedResponse, response::JsonBody};

const PARAMETERS: [&str; 6] = [API_KEY, "id", "stationCode", "stationName", "gcs", "language"];

/// Route maps: all of them, one by its id, or those that hold a station
///
/// `id`, `stationCode` and `stationName` exclude each other. Each map comes with the `Point` of the station that was
/// asked for, or of the station at its centre.
#[utoipa::path(
    get, path = "/railmapList", operation_id = "railmapList", tag = "Route map",
    params(
        ("id" = Option<String>, Query, description = "Route map id", example = "tokyo", nullable = false),
        ("stationCode" = Option<u32>, Query, minimum = 1, description = "Code of a station: only maps that hold it",
            nullable = false),
        ("stationName" = Option<String>, Query, description = "Name of a station: only maps that hold it",
            nullable = false),
        ("gcs" = Option<String>, Query, description = "Geodetic system of the coordinates: tokyo (default) or wgs84",
            pattern = "^(tokyo|wgs84)$", nullable = false),
        ("language" = Option<String>, Query, description = "Language of the names, and of the labels whose shapes are returned: \
            ja (default), en or ja-en",
            pattern = "^(ja|en|ja-en)$", nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The maps, by id", body = ListAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "W404: no such map or station", body = ErrorAnswer,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn railmap_list(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> LoggedResponse {
    let query = Query::read(raw.as_deref(), &PARAMETERS);
    respond(gateway.admit(&query, &headers).await, || list(&gateway, &query))
}

fn list(gateway: &Gateway, query: &Query<'_>) -> Result<Found, Failure> {
    exclusive(query, "id", &["stationCode", "stationName"])?;
    exclusive(query, "stationCode", &["stationName"])?;
    let (id, key, gcs, language) = (query.text("id")?, station(query)?, gcs(query)?, language(query)?);

    let mut maps = Vec::new();
    for loaded in gateway.maps.all() {
        if id.is_some_and(|id| id != loaded.map.id.as_str()) {
            continue;
        }
        let stations = match &key {
            None => vec![loaded.map.centre()],
            Some(key) => match loaded.map.select(key) {
                Some(selected) => selected.stations,
                None => continue,
            },
        };
        // A layout has the stations of its map, so the indices are the same.
        maps.push((gateway.maps.in_language(&loaded, language), stations));
    }
    match (&key, id) {
        (Some(key), _) if maps.is_empty() => Err(not_found(key, "any map")),
        (None, Some(_)) if maps.is_empty() => {
            Err(Failure::new(Kind::NotFound, "there is no map of that id; leave id out to list the maps"))
        }
        _ => Ok(Found { maps, gcs }),
    }
}

/// The maps that were found, each with the indices of the stations to show.
struct Found {
    maps: Vec<(Arc<LoadedMap<PreparedMap>>, Vec<usize>)>,
    gcs: Gcs,
}

impl JsonBody for Found {}

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let listed = self.maps.iter().map(|(loaded, stations)| ListedMap {
            id: loaded.map.id.as_str(),
            name: loaded.map.title(),
            width: Text(loaded.map.extent.width),
            height: Text(loaded.map.extent.height),
            point: loaded.prepared.points(self.gcs, stations),
        });
        let rail_map = listed.collect();
        let result_set = ListSet { api_version: API_VERSION, engine_version: ENGINE_VERSION, rail_map };
        ListAnswer { result_set }.serialize(serializer)
    }
}
