//! `/map/{id}/data.json`: the data that the page of a map is drawn from. It is written once for each map, on the first
//! request.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::{MapLanguage, Shape, StationCode};
use kaisatsu_railmap::{Line, Mark, RouteMap, Station};
use serde::Serialize;

use super::{
    NotFound, in_language, map, part,
    pyramid::{DEEPEST, Pyramid, TILE},
};
use kaisatsu_http::{Etag, Gateway};

pub(super) async fn data(
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
    let map = loaded.prepared.etag();
    // Serialising our own wire types cannot fail.
    let languages = gateway.maps.languages(&loaded.map);
    let write = || serde_json::to_vec(&Data::of(&loaded.map, &languages, map)).unwrap_or_default().into();
    let etag = Etag::of(format_args!("data {map}"));
    Ok(part(request, "application/json;charset=UTF-8", etag, || loaded.prepared.page_data(write)))
}

/// A map.
#[derive(Serialize)]
struct Data<'a> {
    id: &'a str,
    /// The language of its labels.
    language: &'static str,
    /// The languages that it is laid out for.
    languages: Vec<&'static str>,
    name: &'a str,
    edition: &'a str,
    credits: &'a str,
    /// Part of the addresses of its tiles.
    tag: String,
    width: i64,
    height: i64,
    /// The index of the station that is shown first.
    centre: usize,
    tile: u32,
    levels: u32,
    deepest: u8,
    /// The width of lines, in units of the map.
    #[serde(rename = "lineWidth")]
    line_width: f64,
    lines: Vec<LineData<'a>>,
    stations: Vec<StationData<'a>>,
}

/// A line.
#[derive(Serialize)]
struct LineData<'a> {
    code: i64,
    /// Its name in the language of the page.
    name: &'a str,
    /// Its other name.
    #[serde(skip_serializing_if = "str::is_empty")]
    translation: &'a str,
    color: &'a str,
    #[serde(rename = "loop")]
    is_loop: bool,
    /// Indices of stations.
    runs: Vec<Vec<usize>>,
    /// The corners of the line; empty if it goes straight from station to station.
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    numbers: &'a [String],
    /// Latitude and longitude in WGS 84.
    place: (f64, f64),
    /// The bounding boxes of its shapes: x, y, width, height. The boxes of its name come last.
    boxes: Vec<[i64; 4]>,
    /// How many of the boxes do not belong to its name.
    marks: usize,
}

impl<'a> Data<'a> {
    fn of(map: &'a RouteMap, languages: &[MapLanguage], tag: Etag) -> Self {
        let index: HashMap<_, _> = map.stations().iter().enumerate().map(|(at, one)| (one.code, at)).collect();
        Self {
            id: map.id.as_str(),
            language: map.language.word(),
            languages: languages.iter().map(|language| language.word()).collect(),
            name: map.title(),
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
            lines: map.lines.iter().map(|line| LineData::of(line, map.language, &index)).collect(),
            stations: map.stations().iter().map(StationData::of).collect(),
        }
    }
}

impl<'a> LineData<'a> {
    fn of(line: &'a Line, language: MapLanguage, index: &HashMap<StationCode, usize>) -> Self {
        let run = |run: &Vec<_>| run.iter().filter_map(|code| index.get(code).copied()).collect();
        let name = line.name_in(language);
        Self {
            code: line.code,
            name,
            translation: if name == line.name { &line.translation } else { &line.name },
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
            numbers: &station.numbers,
            place: station.position.degrees(),
            boxes: boxes.iter().map(corners).collect(),
            marks,
        }
    }
}
