//! The railway data of Japan's land ministry (N02) as `GeoJSON`: sections of track, and stations as short lines on them.
//!
//! Neither file says in which order a line calls at its stations: that is found by walking along the track.

mod track;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    str::FromStr,
};

use geojson::{Feature, GeometryValue};
use kaisatsu_model::{Lines, StationCode, TransportKind};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    Error, Summary,
    geo::Place,
    progress::Progress,
    raw::{Raw, RawLine, Stop},
    walk,
};

/// The features as they stand in the text, so that each keeps its line.
#[derive(Deserialize)]
struct Collection<'a> {
    #[serde(borrow)]
    features: Vec<&'a RawValue>,
}

/// One feature: its properties, and its track.
struct Piece {
    /// Operator and line.
    line: (String, String),
    station: String,
    code: String,
    group: String,
    /// One or more: nothing says that there is track between them.
    paths: Vec<Vec<Place>>,
}

pub(crate) fn read(
    sections: &Path,
    stations: &Path,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<Raw, Error> {
    let sections = pieces(sections, false)?;
    let stations = pieces(stations, true)?;
    summary.read("sections read", sections.len());
    summary.read("stations of lines read", stations.len());
    let mut by_line: BTreeMap<(String, String), (Vec<Piece>, Vec<Piece>)> = BTreeMap::new();
    for piece in sections {
        by_line.entry(piece.line.clone()).or_default().0.push(piece);
    }
    for piece in stations {
        by_line.entry(piece.line.clone()).or_default().1.push(piece);
    }
    let names: Vec<String> = by_line.keys().map(|(_, line)| line.clone()).collect();
    let mut raw = Raw::default();
    let total = by_line.len() as u64;
    for (done, ((operator, line), (track, stations))) in by_line.into_iter().enumerate() {
        progress("lines", done as u64, total);
        // Many operators have a 東西線.
        let is_shared = names.iter().filter(|name| **name == line).count() > 1;
        let name = if is_shared { format!("{operator}{line}") } else { line.clone() };
        if stations.len() < 2 || track.is_empty() {
            summary.drop("lines without track or without two stations", name);
            continue;
        }
        let first = raw.stops.len();
        let places: Vec<Place> = stations.iter().map(|station| middle(&station.paths.concat())).collect();
        let paths: Vec<&[Place]> = track.iter().flat_map(|piece| &piece.paths).map(Vec::as_slice).collect();
        let found = track::neighbours(&paths, &places);
        for &lost in &found.off_track {
            summary
                .drop("stations that are not on the track of their line", format!("{name} {}", stations[lost].station));
        }
        for &(a, b) in &found.past_others {
            let example = format!("{name}: {}–{}", stations[a].station, stations[b].station);
            summary.drop("edges that are none (a station lies between)", example);
        }
        for (station, place) in stations.iter().zip(&places) {
            raw.stops.push(stop(station, *place));
        }
        let edges: BTreeSet<(usize, usize)> = found.edges;
        let (runs, is_loop) = walk::runs(&edges, |station| places[station]);
        raw.lines.push(RawLine {
            key: format!("n02:{operator}/{line}"),
            code: None,
            name,
            translation: String::new(),
            color: None,
            runs: runs.into_iter().map(|run| run.into_iter().map(|station| first + station).collect()).collect(),
            is_loop,
        });
    }
    progress("lines", total, total);
    Ok(raw)
}

fn stop(station: &Piece, place: Place) -> Stop {
    let number = |text: &str| text.parse().ok().and_then(|number| StationCode::new(number).ok());
    // Older editions have no groups: there, stations of one line and name are one, and nothing else is.
    let group = if station.group.is_empty() {
        format!("{}/{}/{}", station.line.0, station.line.1, station.station)
    } else {
        station.group.clone()
    };
    Stop {
        key: format!("n02:{group}"),
        group,
        code: number(&station.code),
        group_code: number(&station.group),
        name: station.station.clone(),
        yomi: String::new(),
        translation: String::new(),
        kind: TransportKind::Train,
        prefecture: None,
        place,
        formerly: Vec::new(),
    }
}

fn middle(path: &[Place]) -> Place {
    let (a, b) = (path[(path.len() - 1) / 2], path[path.len() / 2]);
    Place { lat: f64::midpoint(a.lat, b.lat), lon: f64::midpoint(a.lon, b.lon) }
}

fn pieces(path: &Path, are_stations: bool) -> Result<Vec<Piece>, Error> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(&name, error))?;
    let text = text.trim_start_matches('\u{feff}');
    let collection: Collection<'_> =
        serde_json::from_str(text).map_err(|error| Error::line(&name, error.line() as u64, error.to_string()))?;
    let lines = Lines::of(text);
    let mut found = Vec::with_capacity(collection.features.len());
    for raw in collection.features {
        let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        let line = lines.number(&(start..start)) as u64;
        found.push(piece(raw.get(), are_stations).map_err(|message| Error::line(&name, line, message))?);
    }
    if found.is_empty() {
        return Err(Error::file(&name, "there is no feature in it"));
    }
    Ok(found)
}

fn piece(text: &str, is_station: bool) -> Result<Piece, String> {
    let feature = Feature::from_str(text).map_err(|error| error.to_string())?;
    let property = |name: &str| match feature.property(name) {
        Some(serde_json::Value::String(text)) => text.trim().to_owned(),
        Some(serde_json::Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let needed = |name: &str, what: &str| {
        Some(property(name)).filter(|text| !text.is_empty()).ok_or_else(|| format!("there is no {name} ({what})"))
    };
    let station = if is_station { needed("N02_005", "the station")? } else { String::new() };
    let line = (needed("N02_004", "the operator")?, needed("N02_003", "the line")?);
    let lines: &[_] = match feature.geometry.as_ref().map(|geometry| &geometry.value) {
        Some(GeometryValue::LineString { coordinates }) => std::slice::from_ref(coordinates),
        Some(GeometryValue::MultiLineString { coordinates }) => coordinates,
        _ => return Err("its geometry is no LineString".to_owned()),
    };
    let mut paths = Vec::with_capacity(lines.len());
    for line in lines {
        let path = line.iter().map(|position| place(position.as_slice())).collect::<Result<Vec<Place>, String>>()?;
        if path.len() < 2 {
            return Err("its geometry has less than two points".to_owned());
        }
        paths.push(path);
    }
    if paths.is_empty() {
        return Err("its geometry is empty".to_owned());
    }
    Ok(Piece { line, station, code: property("N02_005c"), group: property("N02_005g"), paths })
}

fn place(position: &[f64]) -> Result<Place, String> {
    let &[lon, lat, ..] = position else { return Err("a position is not two numbers".to_owned()) };
    let place = Place { lat, lon };
    if place.is_valid() { Ok(place) } else { Err(format!("{lon}, {lat} is no place on the earth")) }
}
