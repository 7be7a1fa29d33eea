//! What is written of a map once, when it is loaded: the `Point` of every station, ready to be copied into answers.

use std::sync::OnceLock;

use bytes::Bytes;
use kaisatsu_model::Gcs;
use kaisatsu_railmap::RouteMap;
use serde::{Serialize, Serializer, ser::Error};
use serde_json::value::RawValue;

use super::wire::{API_VERSION, ENGINE_VERSION, Point};
use crate::tagged::Tag;

/// The points of a map in each geodetic system, and what the map is known by.
#[derive(Debug)]
pub struct Rendered {
    tokyo: Written,
    wgs84: Written,
    /// How every answer about the map begins, up to its id.
    pub(crate) head: String,
    /// Another content, and another version of what draws it, have another.
    pub(crate) tag: Tag,
    /// What the page of the map needs, written when it is first asked for.
    pub(crate) page: OnceLock<Bytes>,
}

impl Rendered {
    /// Writes the points of a map.
    #[must_use]
    pub fn of(map: &RouteMap) -> Self {
        let (tokyo, wgs84) = (Written::of(map, Gcs::Tokyo), Written::of(map, Gcs::Wgs84));
        let id = serde_json::Value::from(map.id.as_str());
        let versions = format!(r#""apiVersion":"{API_VERSION}","engineVersion":"{ENGINE_VERSION}""#);
        let head = format!(r#"{{"ResultSet":{{{versions},"RailMap":{{"id":{id}"#);
        Self { tokyo, wgs84, head, tag: tag(map), page: OnceLock::new() }
    }

    /// The points of the stations at these indices, which ascend.
    pub(crate) fn points<'a>(&'a self, gcs: Gcs, stations: &'a [usize]) -> Points<'a> {
        let all = match gcs {
            Gcs::Tokyo => &self.tokyo,
            Gcs::Wgs84 => &self.wgs84,
        };
        Points { all, stations }
    }
}

/// What a map and its pictures are known by. The debug form of a line and of a station has all their fields, future ones too.
fn tag(map: &RouteMap) -> Tag {
    let RouteMap { id, name, edition, credits, extent, legend, lines, .. } = map;
    let (facts, stations) = ((id, name, edition, credits, extent, legend, map.centre()), map.stations());
    let drawing = kaisatsu_render::REVISION;
    Tag::of(format_args!("{ENGINE_VERSION} {drawing} {facts:?} {lines:?} {stations:?}"))
}

/// The points of all stations of a map, one after the other, each with a comma behind it.
#[derive(Debug)]
struct Written {
    text: String,
    /// `text[starts[s]..starts[s + 1]]` is the point of station `s`.
    starts: Vec<usize>,
}

impl Written {
    fn of(map: &RouteMap, gcs: Gcs) -> Self {
        let (mut text, mut starts) = (String::new(), vec![0]);
        for station in map.stations() {
            text += &serde_json::to_string(&Point::new(station, gcs)).unwrap_or_default();
            text.push(',');
            starts.push(text.len());
        }
        Self { text, starts }
    }
}

/// Some of the points of a map, as an array.
pub(crate) struct Points<'a> {
    all: &'a Written,
    stations: &'a [usize],
}

impl Points<'_> {
    /// At least how many bytes they take.
    pub(crate) fn size(&self) -> usize {
        let starts = &self.all.starts;
        self.stations.iter().map(|&at| starts[at + 1] - starts[at]).sum::<usize>() + "[]".len()
    }

    /// Writes the array.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let Written { text, starts } = self.all;
        out.push(b'[');
        // Stations of a line follow each other, and so do their points: they are copied together.
        for run in self.stations.chunk_by(|one, next| one + 1 == *next) {
            if let [first, ..] = run {
                out.extend_from_slice(&text.as_bytes()[starts[*first]..starts[first + run.len()]]);
            }
        }
        if !self.stations.is_empty() {
            out.pop();
        }
        out.push(b']');
    }
}

impl Serialize for Points<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = Vec::with_capacity(self.size());
        self.write(&mut text);
        let text = String::from_utf8(text).map_err(S::Error::custom)?;
        RawValue::from_string(text).map_err(S::Error::custom)?.serialize(serializer)
    }
}
