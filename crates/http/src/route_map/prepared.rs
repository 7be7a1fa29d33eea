//! What is prepared of a map when it is loaded: the JSON of every station's `Point`, ready to be copied into responses.

use std::sync::OnceLock;

use bytes::Bytes;
use kaisatsu_model::Gcs;
use kaisatsu_railmap::RouteMap;
use serde::{Serialize, Serializer, ser::Error};
use serde_json::value::RawValue;

use super::wire::{API_VERSION, ENGINE_VERSION, Point};
use crate::Etag;

/// The points of a map in each geodetic system, its `ETag`, and the data of its page.
#[derive(Debug)]
pub struct PreparedMap {
    tokyo: Written,
    wgs84: Written,
    /// The beginning of every railmapDetail response of this map, up to its id.
    pub(crate) head: String,
    etag: Etag,
    /// The data of the map's page, written on the first request.
    page_data: OnceLock<Bytes>,
}

impl PreparedMap {
    /// Prepares a map.
    #[must_use]
    pub fn of(map: &RouteMap) -> Self {
        let (tokyo, wgs84) = (Written::of(map, Gcs::Tokyo), Written::of(map, Gcs::Wgs84));
        let id = serde_json::Value::from(map.id.as_str());
        let versions = format!(r#""apiVersion":"{API_VERSION}","engineVersion":"{ENGINE_VERSION}""#);
        let head = format!(r#"{{"ResultSet":{{{versions},"RailMap":{{"id":{id}"#);
        Self { tokyo, wgs84, head, etag: etag(map), page_data: OnceLock::new() }
    }

    /// The tag of the map and its pictures. It changes with the content of the map and the revision of the renderer.
    #[must_use]
    pub fn etag(&self) -> Etag {
        self.etag
    }

    /// The data of the map's page; `write` makes it on the first call.
    pub fn page_data(&self, write: impl FnOnce() -> Bytes) -> Bytes {
        self.page_data.get_or_init(write).clone()
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

/// The tag of a map. The debug form of a line and of a station has all their fields, future ones too.
fn etag(map: &RouteMap) -> Etag {
    let RouteMap { id, language, name, translation, edition, credits, extent, legend, lines, groups, .. } = map;
    let facts = (id, language, (name, translation), edition, credits, extent, legend, map.centre());
    let stations = map.stations();
    let drawing = kaisatsu_render::REVISION;
    Etag::of(format_args!("{ENGINE_VERSION} {drawing} {facts:?} {lines:?} {groups:?} {stations:?}"))
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
            text += &serde_json::to_string(&Point::new(station, gcs, map.language)).unwrap_or_default();
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
    /// A lower bound of their size in bytes.
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

#[cfg(test)]
mod tests {
    use super::PreparedMap;

    #[test]
    fn whatever_a_picture_shows_changes_the_tag() {
        let text = "format = 1\nid = \"m\"\nname = \"地図\"\ntranslation = \"Map\"\nwidth = 200\nheight = 100\ncentre = 1\n\
            [[station]]\ncode = 1\nname = \"駅\"\nyomi = \"えき\"\nprefecture = 13\nlat = 35.7\nlon = 139.7\n\
            marks = [{ shape = \"circle\", x = 20, y = 20, r = 4 }]\n";
        let tag = |text: &str| PreparedMap::of(&kaisatsu_railmap::check::check(text).map.unwrap()).etag().to_string();
        assert_eq!(tag(text), tag(text));
        for (old, new) in [("\"地図\"", "\"図\""), ("\"Map\"", "\"Plan\""), ("\"駅\"", "\"町\""), ("x = 20", "x = 21")]
        {
            assert_ne!(tag(text), tag(&text.replace(old, new)), "{new}");
        }
    }
}
