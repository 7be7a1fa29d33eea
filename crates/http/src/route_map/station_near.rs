//! `stationNear`: the stations around a place.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
};
use kaisatsu_model::{Gcs, Position};
use kaisatsu_railmap::datum;

use super::{
    response::{Refusals, respond},
    station::{decimal_degrees, gcs, language},
    stations::limit,
    stations_wire::{FoundStations, StationsAnswer},
};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY, log_context::LoggedResponse};

const PARAMETERS: [&str; 7] = [API_KEY, "lati_d", "longi_d", "radius", "limit", "gcs", "language"];

/// The radius in metres when none is given.
const USUAL_RADIUS: i32 = 1000;

/// The largest radius in metres.
const MOST_METRES: i64 = 50_000;

/// The stations around a place, on all maps, the nearest first
#[utoipa::path(
    get, path = "/stationNear", operation_id = "stationNear", tag = "Route map",
    params(
        ("lati_d" = f64, Query, minimum = -90, maximum = 90, description = "Latitude in decimal degrees",
            example = 35.681),
        ("longi_d" = f64, Query, minimum = -180, maximum = 180, description = "Longitude in decimal degrees",
            example = 139.767),
        ("radius" = Option<u32>, Query, minimum = 1, maximum = 50000, description = "Metres; 1000 when left out",
            nullable = false),
        ("limit" = Option<u8>, Query, minimum = 1, maximum = 100, description = "The most stations; 100 when left out",
            nullable = false),
        ("gcs" = Option<String>, Query, description = "Geodetic system of the place and of the answer: tokyo \
            (default) or wgs84", pattern = "^(tokyo|wgs84)$", nullable = false),
        ("language" = Option<String>, Query, description = "Language of the names: ja (default), en or ja-en",
            pattern = "^(ja|en|ja-en)$", nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The stations, each with its distance", body = StationsAnswer,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn station_near(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> LoggedResponse {
    let query = Query::read(raw.as_deref(), &PARAMETERS);
    respond(gateway.admit(&query, &headers).await, || near(&gateway, &query))
}

fn near(gateway: &Gateway, query: &Query<'_>) -> Result<FoundStations, Failure> {
    let (latitude, longitude) = coordinates(query)?;
    let radius = query.integer("radius", 1..=MOST_METRES)?.and_then(|metres| i32::try_from(metres).ok());
    let (limit, gcs, language) = (limit(query)?, gcs(query)?, language(query)?);
    let place = position((latitude, longitude), gcs)?;
    let stations = gateway.maps.stations();
    let found = stations.near(place, f64::from(radius.unwrap_or(USUAL_RADIUS)));
    let page = found.iter().take(limit).map(|(at, metres)| (*at, Some(*metres))).collect();
    Ok(FoundStations { stations, page, max: found.len(), offset: 1, gcs, language })
}

/// Where a picture was taken, if `lati_d` and `longi_d` say so, and the system of that place and of the answer.
pub(crate) fn taken_at(query: &Query<'_>) -> Result<(Option<Position>, Gcs), Failure> {
    let given = if query.has("lati_d") || query.has("longi_d") { Some(coordinates(query)?) } else { None };
    let gcs = gcs(query)?;
    Ok((given.map(|degrees| position(degrees, gcs)).transpose()?, gcs))
}

fn coordinates(query: &Query<'_>) -> Result<(f64, f64), Failure> {
    Ok((degrees(query, "lati_d", 90.0)?, degrees(query, "longi_d", 180.0)?))
}

fn position((latitude, longitude): (f64, f64), gcs: Gcs) -> Result<Position, Failure> {
    let place = match gcs {
        Gcs::Wgs84 => Some((latitude, longitude)),
        Gcs::Tokyo => datum::to_wgs84(latitude, longitude),
    };
    let outside = || Failure::new(Kind::OutOfRange, "query parameters lati_d and longi_d name no place on the earth");
    place.and_then(|(latitude, longitude)| Position::new(latitude, longitude)).ok_or_else(outside)
}

/// A required number of degrees, at most `most` in either direction.
fn degrees(query: &Query<'_>, name: &str, most: f64) -> Result<f64, Failure> {
    let Some(number) = decimal_degrees(query.required(name)?) else {
        let rule = format!("query parameter {name} must be decimal degrees, such as 35.681");
        return Err(Failure::new(Kind::ParameterInvalid, rule));
    };
    if number.abs() <= most {
        return Ok(number);
    }
    Err(Failure::new(Kind::OutOfRange, format!("query parameter {name} must be from -{most} to {most}")))
}
