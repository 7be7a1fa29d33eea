//! `/map/{id}/data.json`: what the page of a map knows of it. Written once for each map, when it is first asked for.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use kaisatsu_model::{Shape, StationCode};
use kaisatsu_railmap::{Line, Mark, RouteMap, Station};
use serde::Serialize;

use super::{
    Missing, map, part,
    pyramid::{DEEPEST, Pyramid, TILE},
};
use crate::{Gateway, tagged::Tag};

pub(super) async fn data(
    State(gateway): State<Arc<Gateway>>,
    id: Result<Path<String>, PathRejection>,
    request: HeaderMap,
) -> Response {
    shown(&gateway, id, &request).unwrap_or_else(IntoResponse::into_response)
}

fn shown(gateway: &Gateway, id: Result<Path<String>, PathRejection>, request: &HeaderMap) -> Result<Response, Missing> {
    let Path(id) = id?;
    let shelved = map(gateway, &id)?;
    let (tag, page) = (shelved.prepared.tag, &shelved.prepared.page);
    // Serialising our own wire types cannot fail.
    let write = || serde_json::to_vec(&Data::of(&shelved.map, tag)).unwrap_or_default().into();
    let known_by = Tag::of(format_args!("data {tag}"));
    Ok(part(request, "application/json;charset=UTF-8", known_by, || page.get_or_init(write).clone()))
}

/// A map.
#[derive(Serialize)]
struct Data<'a> {
    id: &'a str,
    name: &'a str,
    edition: &'a str,
    credits: &'a str,
    /// What its tiles are asked for with.
    tag: String,
    width: i64,
    height: i64,
    /// The index of the station that is shown first.
    centre: usize,
    tile: u32,
    levels: u32,
    deepest: u8,
    /// Of lines, in units of the map.
    #[serde(rename = "lineWidth")]
    line_width: f64,
    lines: Vec<LineData<'a>>,
    stations: Vec<StationData<'a>>,
}

/// A line.
#[derive(Serialize)]
struct LineData<'a> {
    code: i64,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    translation: &'a str,
    color: &'a str,
    #[serde(rename = "loop")]
    is_loop: bool,
    /// Indices of stations.
    runs: Vec<Vec<usize>>,
    /// Corners; none where it goes straight from station to station.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    paths: &'a [Vec<(f64, f64)>],
}

/// A station.
#[derive(Serialize)]
struct StationData<'a> {
    code: u32,
    name: &'a str,
    yomi: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    translation: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    formerly: &'a [String],
    /// The boxes of its shapes: x, y, width, height; what is no name comes first.
    boxes: Vec<[i64; 4]>,
    /// How many of them are no name.
    marks: usize,
}

impl<'a> Data<'a> {
    fn of(map: &'a RouteMap, tag: Tag) -> Self {
        let index: HashMap<_, _> = map.stations().iter().enumerate().map(|(at, one)| (one.code, at)).collect();
        Self {
            id: map.id.as_str(),
            name: &map.name,
            edition: &map.edition,
            credits: &map.credits,
            tag: tag.to_string(),
            width: map.extent.width,
            height: map.extent.height,
            centre: map.centre(),
            tile: TILE,
            levels: Pyramid::of(&map.extent).levels,
            deepest: DEEPEST,
            line_width: kaisatsu_render::LINE_WIDTH,
            lines: map.lines.iter().map(|line| LineData::of(line, &index)).collect(),
            stations: map.stations().iter().map(StationData::of).collect(),
        }
    }
}

impl<'a> LineData<'a> {
    fn of(line: &'a Line, index: &HashMap<StationCode, usize>) -> Self {
        let run = |run: &Vec<_>| run.iter().filter_map(|code| index.get(code).copied()).collect();
        Self {
            code: line.code,
            name: &line.name,
            translation: &line.translation,
            color: &line.color,
            is_loop: line.is_loop,
            runs: line.runs.iter().map(run).collect(),
            paths: &line.paths,
        }
    }
}

impl<'a> StationData<'a> {
    fn of(station: &'a Station) -> Self {
        let shape = |mark: &Mark| -> Shape { mark.shape };
        let mut boxes: Vec<_> = station.marks.iter().filter(|mark| !mark.is_text).map(shape).collect();
        let marks = boxes.len();
        boxes.extend(station.marks.iter().filter(|mark| mark.is_text).map(shape));
        let corners = |shape: &Shape| {
            let bounds = shape.bounds();
            [bounds.x, bounds.y, bounds.width, bounds.height]
        };
        Self {
            code: station.code.get(),
            name: &station.name,
            yomi: &station.yomi,
            translation: &station.translation,
            formerly: &station.formerly,
            boxes: boxes.iter().map(corners).collect(),
            marks,
        }
    }
}
