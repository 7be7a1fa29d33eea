//! The JSON of the route map function. Every scalar is a string: that rule lives in [`Text`] and nowhere else.
//!
//! The `Point` of a station depends only on the map and the geodetic system, so it is written once, when the map is
//! loaded ([`PreparedMap`](super::prepared::PreparedMap)); a response copies it.

use std::fmt;

use kaisatsu_model::{Gcs, MapLanguage, Position, Shape, Window};
use kaisatsu_railmap::{Mark, RouteMap, Station, datum};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::prepared::Points;

/// Version of the web API.
pub(crate) const API_VERSION: &str = "1.0.0";
/// Version of the engine.
pub(crate) const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Anything, written as a string.
#[derive(ToSchema)]
#[schema(value_type = String)]
pub(crate) struct Text<T>(pub(crate) T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Answer of railmapDetail.
#[derive(Serialize, ToSchema)]
pub(crate) struct DetailAnswer<'a> {
    #[serde(rename = "ResultSet")]
    pub(crate) result_set: DetailSet<'a>,
}

/// Root element.
#[derive(Serialize, ToSchema)]
pub(crate) struct DetailSet<'a> {
    /// Version of the web API.
    #[serde(rename = "apiVersion")]
    #[schema(value_type = String, example = "1.0.0")]
    pub(crate) api_version: &'static str,
    /// Version of the engine.
    #[serde(rename = "engineVersion")]
    #[schema(value_type = String, example = "0.1.0")]
    pub(crate) engine_version: &'static str,
    #[serde(rename = "RailMap")]
    pub(crate) rail_map: RailMap<'a>,
}

/// The route map and the window that was searched.
#[derive(Serialize, ToSchema)]
pub(crate) struct RailMap<'a> {
    /// Route map id.
    #[schema(value_type = String, example = "tokyo")]
    pub(crate) id: &'a str,
    /// X of the window start.
    #[schema(value_type = String, example = "0")]
    pub(crate) x: Text<i64>,
    /// Y of the window start.
    #[schema(value_type = String, example = "0")]
    pub(crate) y: Text<i64>,
    /// Width of the window.
    #[schema(value_type = String, example = "500")]
    pub(crate) width: Text<i64>,
    /// Height of the window.
    #[schema(value_type = String, example = "500")]
    pub(crate) height: Text<i64>,
    /// One element per station, in the order of station codes; empty when there is none.
    #[serde(rename = "Point")]
    #[schema(value_type = Vec<Point>)]
    pub(crate) point: Points<'a>,
}

impl<'a> RailMap<'a> {
    pub(crate) fn new(map: &'a RouteMap, window: &Window, point: Points<'a>) -> Self {
        Self {
            id: map.id.as_str(),
            x: Text(window.x),
            y: Text(window.y),
            width: Text(window.width),
            height: Text(window.height),
            point,
        }
    }
}

/// Answer of railmapList.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListAnswer<'a> {
    #[serde(rename = "ResultSet")]
    pub(crate) result_set: ListSet<'a>,
}

/// Root element.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListSet<'a> {
    /// Version of the web API.
    #[serde(rename = "apiVersion")]
    #[schema(value_type = String, example = "1.0.0")]
    pub(crate) api_version: &'static str,
    /// Version of the engine.
    #[serde(rename = "engineVersion")]
    #[schema(value_type = String, example = "0.1.0")]
    pub(crate) engine_version: &'static str,
    /// The maps, by id.
    #[serde(rename = "RailMap")]
    pub(crate) rail_map: Vec<ListedMap<'a>>,
}

/// One route map of a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedMap<'a> {
    /// Route map id.
    #[schema(value_type = String, example = "tokyo")]
    pub(crate) id: &'a str,
    /// Name of the map.
    #[serde(rename = "Name")]
    #[schema(value_type = String, example = "東京")]
    pub(crate) name: &'a str,
    /// Width of the whole map.
    #[schema(value_type = String, example = "4780")]
    pub(crate) width: Text<i64>,
    /// Height of the whole map.
    #[schema(value_type = String, example = "3470")]
    pub(crate) height: Text<i64>,
    /// The stations that were asked for; in a list without a station, the one at the map's centre.
    #[serde(rename = "Point")]
    #[schema(value_type = Vec<Point>)]
    pub(crate) point: Points<'a>,
}

/// A failure.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorAnswer {
    #[serde(rename = "ResultSet")]
    pub(crate) result_set: ErrorSet,
}

/// Root element.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorSet {
    /// Version of the web API.
    #[serde(rename = "apiVersion")]
    #[schema(value_type = String, example = "1.0.0")]
    pub(crate) api_version: &'static str,
    /// Version of the engine.
    #[serde(rename = "engineVersion")]
    #[schema(value_type = String, example = "0.1.0")]
    pub(crate) engine_version: &'static str,
    #[serde(rename = "Error")]
    pub(crate) error: ErrorBody,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// `W` and the HTTP status.
    #[schema(example = "W400")]
    pub(crate) code: String,
    /// The parameter and the rule it breaks, or what is missing.
    #[serde(rename = "Message")]
    #[schema(example = "query parameter width must be from 1 to 500")]
    pub(crate) message: String,
}

/// One station on the map.
#[derive(Serialize, ToSchema)]
pub(crate) struct Point<'a> {
    #[serde(rename = "Prefecture")]
    prefecture: PrefectureElement<'a>,
    #[serde(rename = "GeoPoint")]
    place: GeoPointElement,
    /// The shapes of the station: normally the rect of its name, then a circle.
    #[serde(rename = "MarkCoordinates")]
    marks: Vec<MarkElement>,
    #[serde(rename = "Station")]
    station: StationElement<'a>,
}

/// Where the station is administratively; both fields are empty outside of Japan.
#[derive(Serialize, ToSchema)]
#[schema(as = Prefecture)]
pub(super) struct PrefectureElement<'a> {
    /// JIS X 0401 code without zero padding.
    #[schema(example = "13")]
    code: String,
    /// Prefecture name.
    #[serde(rename = "Name")]
    #[schema(value_type = String, example = "東京都")]
    name: &'a str,
}

/// Where the station is on the earth.
#[derive(Serialize, ToSchema)]
#[schema(as = GeoPoint)]
pub(crate) struct GeoPointElement {
    /// Geodetic system: tokyo or wgs84. A place outside of Japan is in wgs84, whatever was asked for.
    #[schema(value_type = String, example = "tokyo")]
    gcs: &'static str,
    /// Latitude as degrees.minutes.seconds.hundredths of a second.
    #[schema(example = "35.42.7.59")]
    lati: String,
    /// Latitude in decimal degrees.
    #[schema(example = "35.70211")]
    lati_d: String,
    /// Longitude as degrees.minutes.seconds.hundredths of a second.
    #[schema(example = "139.39.10.89")]
    longi: String,
    /// Longitude in decimal degrees.
    #[schema(example = "139.653027")]
    longi_d: String,
}

/// One shape. A rect has width and height, a circle has r.
#[derive(Serialize, ToSchema)]
#[schema(as = MarkCoordinates)]
struct MarkElement {
    /// rect or circle.
    #[schema(value_type = String, example = "rect")]
    shape: &'static str,
    /// Left edge of a rect, centre of a circle.
    #[schema(value_type = String, example = "1204")]
    x: Text<i32>,
    /// Top edge of a rect, centre of a circle.
    #[schema(value_type = String, example = "880")]
    y: Text<i32>,
    /// Of a rect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, example = "40")]
    width: Option<Text<i32>>,
    /// Of a rect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, example = "16")]
    height: Option<Text<i32>>,
    /// Of a circle.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, example = "4")]
    r: Option<Text<i32>>,
    /// true when the corners are cut.
    #[schema(value_type = String, example = "false")]
    chamfering: Text<bool>,
    /// true when the shape is the name on the map.
    #[serde(rename = "isText")]
    #[schema(value_type = String, example = "true")]
    is_text: Text<bool>,
}

/// The station itself.
#[derive(Serialize, ToSchema)]
#[schema(as = Station)]
pub(super) struct StationElement<'a> {
    /// Station code: stays with the station through renamings.
    #[schema(value_type = String, example = "1131215")]
    code: Text<u32>,
    /// Station name, in the language asked for.
    #[serde(rename = "Name")]
    #[schema(value_type = String, example = "高円寺")]
    name: &'a str,
    /// Reading of the name in kana.
    #[serde(rename = "Yomi")]
    #[schema(value_type = String, example = "こうえんじ")]
    yomi: &'a str,
    /// Transport kind: train, plane, ship, bus, walk or strange.
    #[serde(rename = "Type")]
    #[schema(value_type = String, example = "train")]
    kind: &'static str,
}

impl<'a> Point<'a> {
    pub(crate) fn new(station: &'a Station, gcs: Gcs, language: MapLanguage) -> Self {
        Self {
            prefecture: PrefectureElement::new(station),
            place: GeoPointElement::new(station, gcs),
            marks: station.marks.iter().map(MarkElement::new).collect(),
            station: StationElement::new(station, language),
        }
    }
}

impl PrefectureElement<'_> {
    pub(super) fn new(station: &Station) -> Self {
        Self {
            code: station.prefecture.map(|p| p.code().to_string()).unwrap_or_default(),
            name: station.prefecture.map_or("", kaisatsu_model::Prefecture::name),
        }
    }
}

impl GeoPointElement {
    pub(super) fn new(station: &Station, gcs: Gcs) -> Self {
        Self::at(station.position, gcs)
    }

    /// A position in a geodetic system.
    pub(crate) fn at(position: Position, gcs: Gcs) -> Self {
        let point = datum::in_system(position, gcs);
        Self {
            // Outside of Japan the system is not the requested one.
            gcs: point.gcs.word(),
            lati: point.latitude.dms(),
            lati_d: point.latitude.to_string(),
            longi: point.longitude.dms(),
            longi_d: point.longitude.to_string(),
        }
    }
}

impl<'a> StationElement<'a> {
    pub(super) fn new(station: &'a Station, language: MapLanguage) -> Self {
        Self {
            code: Text(station.code.get()),
            name: station.name_in(language),
            yomi: &station.yomi,
            kind: station.kind.word(),
        }
    }
}

impl MarkElement {
    fn new(mark: &Mark) -> Self {
        let (shape, x, y, sides, r) = match mark.shape {
            Shape::Rect(s) => ("rect", s.x, s.y, Some((s.width, s.height)), None),
            Shape::Circle(s) => ("circle", s.x, s.y, None, Some(s.r)),
        };
        Self {
            shape,
            x: Text(x),
            y: Text(y),
            width: sides.map(|(width, _)| Text(width)),
            height: sides.map(|(_, height)| Text(height)),
            r: r.map(Text),
            chamfering: Text(mark.chamfering),
            is_text: Text(mark.is_text),
        }
    }
}
