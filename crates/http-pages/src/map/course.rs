//! `/map/{id}/course.json`: ways between two stations of a map, as searchCourse answers them.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};

use kaisatsu_model::StationCode;
use kaisatsu_render::WayPart;
use serde::Serialize;

use super::{map, part};
use kaisatsu_http::{Etag, Failure, Gateway, Query, courses_between, map_language, plain_error};

/// The answer of searchCourse, and how each of its ways is drawn.
#[derive(Serialize)]
struct PageCourses<T> {
    answer: T,
    ways: Vec<PageWay>,
}

#[derive(Serialize)]
struct PageWay {
    /// The codes of all its stations, in order.
    stations: Vec<u32>,
    parts: Vec<PagePart>,
}

#[derive(Serialize)]
struct PagePart {
    color: String,
    walk: bool,
    points: Vec<(f64, f64)>,
}

impl From<WayPart> for PagePart {
    fn from(part: WayPart) -> Self {
        // A page has no colour of its own for walks: one that is seen on light and on dark ground.
        let color = if part.is_walk { "#7a8594".to_owned() } else { part.color };
        Self { color, walk: part.is_walk, points: part.points }
    }
}

pub(super) async fn course(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    id: Result<Path<String>, PathRejection>,
    request: HeaderMap,
) -> Response {
    let Ok(Path(id)) = id else { return super::NotFound("there is no such page; /map lists the maps").into_response() };
    let query = Query::read(raw.as_deref(), &["from", "to", "sort", "language"]);
    respond(&gateway, &id, &query, &request).unwrap_or_else(plain_error)
}

fn respond(gateway: &Gateway, id: &str, query: &Query<'_>, request: &HeaderMap) -> Result<Response, Failure> {
    let language = map_language(query)?;
    let loaded = map(gateway, id, language).map_err(Failure::from)?;
    let tag = loaded.prepared.etag();
    let (from, to, sort) = (query.required("from")?, query.required("to")?, query.text("sort")?);
    let etag = Etag::of(format_args!("course {tag} {from:?} {to:?} {sort:?}"));
    let (answer, ways) = courses_between(&loaded, query, language)?;
    let drawn = |stations: &Vec<StationCode>| PageWay {
        stations: stations.iter().map(|code| code.get()).collect(),
        parts: kaisatsu_render::way(&loaded.map, stations).into_iter().map(PagePart::from).collect(),
    };
    let found = PageCourses { answer, ways: ways.iter().map(drawn).collect() };
    // Serialising our own wire types cannot fail.
    let write = || serde_json::to_vec(&found).unwrap_or_default().into();
    Ok(part(request, "application/json;charset=UTF-8", etag, write))
}
