//! The JSON of `station` and `stationNear`.

use std::sync::Arc;

use kaisatsu_model::{Gcs, MapLanguage};
use kaisatsu_railmap::StationDirectory;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::{
    prepared::PreparedMap,
    wire::{API_VERSION, ENGINE_VERSION, GeoPointElement, PrefectureElement, StationElement, Text},
};
use crate::response::JsonBody;

/// Answer of station and stationNear.
#[derive(Serialize, ToSchema)]
pub(super) struct StationsAnswer<'a> {
    #[serde(rename = "ResultSet")]
    result_set: StationsSet<'a>,
}

/// Root element.
#[derive(Serialize, ToSchema)]
struct StationsSet<'a> {
    /// Version of the web API.
    #[serde(rename = "apiVersion")]
    #[schema(value_type = String, example = "1.0.0")]
    api_version: &'static str,
    /// Version of the engine.
    #[serde(rename = "engineVersion")]
    #[schema(value_type = String, example = "0.1.0")]
    engine_version: &'static str,
    /// How many stations the request finds.
    #[schema(value_type = String, example = "596")]
    max: Text<usize>,
    /// The number of the first station in this answer, counted from 1.
    #[schema(value_type = String, example = "1")]
    offset: Text<usize>,
    /// The stations; empty when there is none.
    #[serde(rename = "Point")]
    point: Vec<StationPoint<'a>>,
}

/// A station.
#[derive(Serialize, ToSchema)]
struct StationPoint<'a> {
    #[serde(rename = "Prefecture")]
    prefecture: PrefectureElement<'a>,
    #[serde(rename = "GeoPoint")]
    place: GeoPointElement,
    #[serde(rename = "Station")]
    station: StationElement<'a>,
    /// The maps that it is on.
    #[serde(rename = "RailMap")]
    maps: Vec<MapReference<'a>>,
    /// How far it is, in whole metres; only in stationNear.
    #[serde(rename = "Distance", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, example = "312")]
    distance: Option<Text<i64>>,
}

/// A map.
#[derive(Serialize, ToSchema)]
struct MapReference<'a> {
    /// Route map id.
    #[schema(value_type = String, example = "tokyo")]
    id: &'a str,
}

/// Stations that were found. It holds the maps until the response is written.
pub(super) struct FoundStations {
    pub(super) stations: Arc<StationDirectory<PreparedMap>>,
    /// Those on this page, each with its distance in metres, where one was asked for.
    pub(super) page: Vec<(usize, Option<f64>)>,
    /// How many there are on all pages.
    pub(super) max: usize,
    /// The number of the first one on this page.
    pub(super) offset: usize,
    pub(super) gcs: Gcs,
    pub(super) language: MapLanguage,
}

impl JsonBody for FoundStations {}

impl Serialize for FoundStations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let point = |(at, metres): &(usize, Option<f64>)| {
            let station = self.stations.station(*at);
            StationPoint {
                prefecture: PrefectureElement::new(station),
                place: GeoPointElement::new(station, self.gcs),
                station: StationElement::new(station, self.language),
                maps: self.stations.maps(*at).map(|map| MapReference { id: map.id.as_str() }).collect(),
                distance: metres.map(|metres| Text(whole(metres))),
            }
        };
        let result_set = StationsSet {
            api_version: API_VERSION,
            engine_version: ENGINE_VERSION,
            max: Text(self.max),
            offset: Text(self.offset),
            point: self.page.iter().map(point).collect(),
        };
        StationsAnswer { result_set }.serialize(serializer)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "no distance on the earth has more than eight digits")]
fn whole(metres: f64) -> i64 {
    metres.round() as i64
}
