//! `searchCourse`: the ways from one station to another.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
};
use kaisatsu_model::{Gcs, MapLanguage, StationCode};
use kaisatsu_railmap::{
    LoadedMap, Selection, StationDirectory,
    journey::{Course, Order},
};
use serde::Serialize;

use super::{
    course_wire::{CoursesAnswer, FoundCourses},
    prepared::PreparedMap,
    response::{Refusals, respond},
    station::{gcs, language},
    waypoints::{Waypoint, waypoints},
    window::map,
    wire::ErrorAnswer,
};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY, log_context::LoggedResponse};

const PARAMETERS: [&str; 10] =
    [API_KEY, "from", "to", "via", "viaList", "id", "sort", "answerCount", "gcs", "language"];

/// The most ways of one answer, and their number when none is asked for.
const MOST: u32 = 5;

/// The most ways on the page of a map.
const ON_PAGE: usize = 3;

const NO_WAY: &str = "there is no way between these stations on this map";

/// Ways from one station to another, the best first
///
/// A place is a station code, a name in any script, or `latitude,longitude` in decimal degrees, which stands for the
/// nearest station within 5 km. Where several stations of a map have one name, the one with the best way is meant.
/// There is no timetable: times are those of a typical ride on a weekday, estimated from distances and the kind of
/// line.
#[utoipa::path(
    get, path = "/searchCourse", operation_id = "searchCourse", tag = "Route map",
    params(
        ("from" = Option<String>, Query, description = "Where the journey begins; required without viaList",
            example = "新宿", nullable = false),
        ("to" = Option<String>, Query, description = "Where it ends; required without viaList", example = "東京",
            nullable = false),
        ("via" = Option<String>, Query, description = "Up to three places between, separated by commas",
            nullable = false),
        ("viaList" = Option<String>, Query, description = "All places of the journey, 2 to 5, separated by colons; \
            with from and to, the places between them. Excludes via", nullable = false),
        ("id" = Option<String>, Query, description = "Route map id; without it every map is tried", nullable = false),
        ("sort" = Option<String>, Query, description = "The least of what comes first: time (default) or transfer",
            pattern = "^(time|transfer)$", nullable = false),
        ("answerCount" = Option<u8>, Query, minimum = 1, maximum = 5, description = "The most ways; 5 when left out",
            nullable = false),
        ("gcs" = Option<String>, Query, description = "Geodetic system of the coordinates: tokyo (default) or wgs84",
            pattern = "^(tokyo|wgs84)$", nullable = false),
        ("language" = Option<String>, Query, description = "Language of the names of stations and lines: ja (default), en or ja-en",
            pattern = "^(ja|en|ja-en)$", nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The ways", body = CoursesAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "W404: no such map or station, or no way", body = ErrorAnswer,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn search_course(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> LoggedResponse {
    let query = Query::read(raw.as_deref(), &PARAMETERS);
    respond(gateway.admit(&query, &headers).await, || search(&gateway, &query))
}

/// The ways between `from` and `to`, two station codes, for the page of a map: the answer of searchCourse, and the
/// stations of each way in order.
///
/// # Errors
/// Those of searchCourse.
pub fn courses_between(
    loaded: &Arc<LoadedMap<PreparedMap>>,
    query: &Query<'_>,
    language: MapLanguage,
) -> Result<(impl Serialize + use<>, Vec<Vec<StationCode>>), Failure> {
    let mut stations = Vec::with_capacity(2);
    for name in ["from", "to"] {
        query.required(name)?;
        let number = query.integer(name, 1..=i64::from(u32::MAX))?.unwrap_or_default();
        let selected = StationCode::new(number).ok().and_then(|code| loaded.map.select(&Selection::Code(code)));
        let station = selected.and_then(|selected| selected.stations.first().copied());
        let missing = || {
            let message = format!("query parameter {name}: station code {number} is not on this map");
            Failure::new(Kind::NotFound, message)
        };
        stations.push(station.ok_or_else(missing)?);
    }
    let order = order(query)?;
    if stations[0] == stations[1] {
        let rule = "query parameters from and to name the same station; a journey has every station once";
        return Err(Failure::new(Kind::ParameterInvalid, rule));
    }
    let courses = loaded.network().courses(&stations, order, ON_PAGE);
    if courses.is_empty() {
        return Err(Failure::new(Kind::NotFound, NO_WAY));
    }
    let codes = |course: &Course| {
        let mut stations: Vec<usize> = course.legs.iter().flat_map(|leg| leg.stations.iter().copied()).collect();
        stations.dedup();
        stations.into_iter().map(|at| loaded.map.stations()[at].code).collect()
    };
    let stations = courses.iter().map(codes).collect();
    Ok((FoundCourses { map: Arc::clone(loaded), courses, gcs: Gcs::Wgs84, language }, stations))
}

/// `sort`, or its default.
fn order(query: &Query<'_>) -> Result<Order, Failure> {
    match query.text("sort")? {
        None | Some("time") => Ok(Order::Time),
        Some("transfer") => Ok(Order::Transfers),
        Some(_) => Err(Failure::new(Kind::ParameterInvalid, "query parameter sort must be time or transfer")),
    }
}

fn search(gateway: &Gateway, query: &Query<'_>) -> Result<FoundCourses, Failure> {
    let (gcs, language) = (gcs(query)?, language(query)?);
    let waypoints = waypoints(query, gcs)?;
    let order = order(query)?;
    let most = query.count("answerCount", 1..=MOST, MOST)?;
    let (maps, on) = match query.text("id")? {
        Some(id) => (vec![map(gateway, id)?], "this map"),
        None => (gateway.maps.all(), "any map"),
    };

    let directory = gateway.maps.stations();
    let mut best: Option<(Arc<LoadedMap<PreparedMap>>, Vec<Course>)> = None;
    let mut failure = None;
    for loaded in &maps {
        let places: Vec<Vec<usize>> = waypoints.iter().map(|place| place.on(loaded, &directory)).collect();
        if places.iter().any(Vec::is_empty) {
            continue;
        }
        if let Some(at) = (1..places.len()).find(|at| places[..*at].contains(&places[*at])) {
            failure = Some(twice(&waypoints[at], &loaded.map.stations()[places[at][0]].name, places[at].len()));
            continue;
        }
        let network = loaded.network();
        let chosen = network.choose(&places, order);
        let courses = chosen.map(|stations| network.courses(&stations, order, most)).unwrap_or_default();
        if courses.is_empty() {
            failure = Some(Failure::new(Kind::NotFound, NO_WAY));
        } else if best.as_ref().is_none_or(|(_, known)| courses[0].rank(order) < known[0].rank(order)) {
            best = Some((Arc::clone(loaded), courses));
        }
    }
    let failure = || failure.unwrap_or_else(|| not_found(&waypoints, &maps, &directory, on));
    best.map(|(map, courses)| FoundCourses { map, courses, gcs, language }).ok_or_else(failure)
}

fn twice(place: &Waypoint<'_>, name: &str, namesakes: usize) -> Failure {
    let parameter = place.parameter;
    let remedy = match namesakes {
        1 => String::new(),
        count => format!(". {count} stations are called so: give the codes of those that are meant"),
    };
    let rule = format!("query parameter {parameter} names {name} again; a journey has every station once{remedy}");
    Failure::new(Kind::ParameterInvalid, rule)
}

/// The error when no map has all waypoints: the one that no map has, if there is one.
fn not_found(
    waypoints: &[Waypoint<'_>],
    maps: &[Arc<LoadedMap<PreparedMap>>],
    directory: &StationDirectory<PreparedMap>,
    on: &str,
) -> Failure {
    let nowhere = waypoints.iter().find(|place| maps.iter().all(|loaded| place.on(loaded, directory).is_empty()));
    let apart = || Failure::new(Kind::NotFound, "there is no way between these stations: no map has all of them");
    nowhere.map_or_else(apart, |place| place.not_found(on))
}
