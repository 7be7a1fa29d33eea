//! Imports the railway data of Japan's land ministry (N02) from `GeoJSON`: track sections, and stations as short lines.
//!
//! Neither file gives the order of the stations on a line. It is found by following the track.

mod track;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    str::FromStr,
};

use geojson::{Feature, GeometryValue};
use kaisatsu_model::{
    LineIndex, StationCode, TransportKind,
    text::{MAX_NAME, check_length, tidy},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    Error, Summary,
    geo::LatLon,
    progress::Progress,
    source_data::{SourceData, SourceLine, SourceStop},
    trails,
};

/// The features as raw text, so that each one's line number is known.
#[derive(Deserialize)]
struct FeatureCollection<'a> {
    #[serde(borrow)]
    features: Vec<&'a RawValue>,
}

/// A feature: its properties and its geometry.
struct RailFeature {
    /// Operator and line.
    line: (String, String),
    station: String,
    code: String,
    group: String,
    /// One or more polylines, not necessarily connected.
    paths: Vec<Vec<LatLon>>,
}

pub(crate) fn read(
    sections: &Path,
    stations: &Path,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<SourceData, Error> {
    let sections = read_features(sections, false)?;
    let stations = read_features(stations, true)?;
    summary.count("sections read", sections.len());
    summary.count("stations of lines read", stations.len());
    let mut by_line: BTreeMap<(String, String), (Vec<RailFeature>, Vec<RailFeature>)> = BTreeMap::new();
    for feature in sections {
        by_line.entry(feature.line.clone()).or_default().0.push(feature);
    }
    for feature in stations {
        by_line.entry(feature.line.clone()).or_default().1.push(feature);
    }
    let names: Vec<String> = by_line.keys().map(|(_, line)| line.clone()).collect();
    let mut data = SourceData::default();
    let total = by_line.len() as u64;
    for (done, ((operator, line), (track, stations))) in by_line.into_iter().enumerate() {
        progress("lines", done as u64, total);
        // Several operators have a line called 東西線.
        let is_shared = names.iter().filter(|name| **name == line).count() > 1;
        let name = if is_shared { format!("{operator}{line}") } else { line.clone() };
        if stations.len() < 2 || track.is_empty() {
            summary.omit("lines without track or without two stations", name);
            continue;
        }
        let first = data.stops.len();
        let positions: Vec<LatLon> = stations.iter().map(|station| midpoint(&station.paths.concat())).collect();
        let paths: Vec<&[LatLon]> = track.iter().flat_map(|feature| &feature.paths).map(Vec::as_slice).collect();
        let found = track::find_adjacent_stations(&paths, &positions);
        for &lost in &found.off_track {
            summary
                .omit("stations that are not on the track of their line", format!("{name} {}", stations[lost].station));
        }
        for &(a, b) in &found.bypasses {
            let example = format!("{name}: {}–{}", stations[a].station, stations[b].station);
            summary.omit("false edges (a station lies between)", example);
        }
        for (station, position) in stations.iter().zip(&positions) {
            data.stops.push(stop(station, *position));
        }
        let edges: BTreeSet<(usize, usize)> = found.edges;
        let (runs, is_loop) = trails::decompose(&edges, |station| positions[station]);
        data.lines.push(SourceLine {
            key: format!("n02:{operator}/{line}"),
            code: None,
            name,
            translation: String::new(),
            color: None,
            symbol: String::new(),
            operator: operator.clone(),
            runs: runs.into_iter().map(|run| run.into_iter().map(|station| first + station).collect()).collect(),
            is_loop,
        });
    }
    progress("lines", total, total);
    Ok(data)
}

fn stop(station: &RailFeature, position: LatLon) -> SourceStop {
    let number = |text: &str| text.parse().ok().and_then(|number| StationCode::new(number).ok());
    // Older editions have no groups. There, the stops with the same line and name form a station.
    let group = if station.group.is_empty() {
        format!("{}/{}/{}", station.line.0, station.line.1, station.station)
    } else {
        station.group.clone()
    };
    SourceStop {
        key: format!("n02:{group}"),
        group,
        code: number(&station.code),
        group_code: number(&station.group),
        name: station.station.clone(),
        yomi: String::new(),
        translation: String::new(),
        kind: TransportKind::Train,
        prefecture: None,
        position,
        formerly: Vec::new(),
    }
}

fn midpoint(path: &[LatLon]) -> LatLon {
    let (a, b) = (path[(path.len() - 1) / 2], path[path.len() / 2]);
    LatLon { lat: f64::midpoint(a.lat, b.lat), lon: f64::midpoint(a.lon, b.lon) }
}

fn read_features(path: &Path, are_stations: bool) -> Result<Vec<RailFeature>, Error> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(&name, error))?;
    let text = text.trim_start_matches('\u{feff}');
    let collection: FeatureCollection<'_> =
        serde_json::from_str(text).map_err(|error| Error::line(&name, error.line() as u64, error.to_string()))?;
    let lines = LineIndex::new(text);
    let mut found = Vec::with_capacity(collection.features.len());
    for feature in collection.features {
        let start = feature.get().as_ptr() as usize - text.as_ptr() as usize;
        let line = lines.number(&(start..start)) as u64;
        found.push(parse_feature(feature.get(), are_stations).map_err(|message| Error::line(&name, line, message))?);
    }
    if found.is_empty() {
        return Err(Error::file(&name, "there is no feature in it"));
    }
    Ok(found)
}

fn parse_feature(text: &str, is_station: bool) -> Result<RailFeature, String> {
    let feature = Feature::from_str(text).map_err(|error| error.to_string())?;
    let property = |name: &str| match feature.property(name) {
        Some(serde_json::Value::String(text)) => tidy(text),
        Some(serde_json::Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let required = |name: &str, what: &str| {
        let text = Some(property(name)).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| format!("there is no {name} ({what})"))?;
        check_length(&text, MAX_NAME, &format!("{name} ({what})")).map(|()| text)
    };
    let station = if is_station { required("N02_005", "the station")? } else { String::new() };
    let line = (required("N02_004", "the operator")?, required("N02_003", "the line")?);
    let lines: &[_] = match feature.geometry.as_ref().map(|geometry| &geometry.value) {
        Some(GeometryValue::LineString { coordinates }) => std::slice::from_ref(coordinates),
        Some(GeometryValue::MultiLineString { coordinates }) => coordinates,
        _ => return Err("its geometry is no LineString".to_owned()),
    };
    let mut paths = Vec::with_capacity(lines.len());
    for line in lines {
        let path = line.iter().map(|pair| parse_position(pair.as_slice())).collect::<Result<Vec<LatLon>, String>>()?;
        if path.len() < 2 {
            return Err("its geometry has less than two points".to_owned());
        }
        paths.push(path);
    }
    if paths.is_empty() {
        return Err("its geometry is empty".to_owned());
    }
    Ok(RailFeature { line, station, code: property("N02_005c"), group: property("N02_005g"), paths })
}

fn parse_position(pair: &[f64]) -> Result<LatLon, String> {
    let &[lon, lat, ..] = pair else { return Err("a position is not two numbers".to_owned()) };
    let position = LatLon { lat, lon };
    if position.is_valid() { Ok(position) } else { Err(format!("{lon}, {lat} is no place on the earth")) }
}
