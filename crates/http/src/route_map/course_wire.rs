//! The JSON of `searchCourse`.

use std::sync::Arc;

use kaisatsu_model::{Gcs, MapLanguage};
use kaisatsu_railmap::{
    LoadedMap, RouteMap,
    journey::{Course, Leg},
};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::{
    prepared::PreparedMap,
    wire::{API_VERSION, ENGINE_VERSION, GeoPointElement, PrefectureElement, StationElement, Text},
};
use crate::response::JsonBody;

/// Answer of searchCourse.
#[derive(Serialize, ToSchema)]
pub(super) struct CoursesAnswer<'a> {
    #[serde(rename = "ResultSet")]
    result_set: CoursesSet<'a>,
}

/// Root element.
#[derive(Serialize, ToSchema)]
struct CoursesSet<'a> {
    /// Version of the web API.
    #[serde(rename = "apiVersion")]
    #[schema(value_type = String, example = "1.0.0")]
    api_version: &'static str,
    /// Version of the engine.
    #[serde(rename = "engineVersion")]
    #[schema(value_type = String, example = "0.1.0")]
    engine_version: &'static str,
    /// The ways, the best first; at least one.
    #[serde(rename = "Course")]
    course: Vec<CourseElement<'a>>,
}

/// One way.
#[derive(Serialize, ToSchema)]
#[schema(as = Course)]
struct CourseElement<'a> {
    #[serde(rename = "Route")]
    route: Route<'a>,
}

/// A way: points, and a line between each two of them.
#[derive(Serialize, ToSchema)]
struct Route<'a> {
    /// Minutes in trains.
    #[serde(rename = "timeOnBoard")]
    #[schema(value_type = String, example = "14")]
    on_board: Text<u32>,
    /// Minutes on foot between stations.
    #[serde(rename = "timeWalk")]
    #[schema(value_type = String, example = "0")]
    on_foot: Text<u32>,
    /// Minutes of changes: to the other platform, and until a train leaves.
    #[serde(rename = "timeOther")]
    #[schema(value_type = String, example = "0")]
    other: Text<u32>,
    /// How often one changes trains.
    #[serde(rename = "transferCount")]
    #[schema(value_type = String, example = "0")]
    transfers: Text<u32>,
    /// Length in units of 100 metres.
    #[schema(value_type = String, example = "103")]
    distance: Text<u32>,
    /// Where it begins, where one changes, and where it ends; one more than lines.
    #[serde(rename = "Point")]
    point: Vec<CoursePoint<'a>>,
    /// What one takes from each point to the next.
    #[serde(rename = "Line")]
    line: Vec<LineElement<'a>>,
}

/// A station of a way.
#[derive(Serialize, ToSchema)]
struct CoursePoint<'a> {
    #[serde(rename = "Station")]
    station: StationElement<'a>,
    #[serde(rename = "Prefecture")]
    prefecture: PrefectureElement<'a>,
    #[serde(rename = "GeoPoint")]
    place: GeoPointElement,
}

/// A ride on a line, or a walk.
#[derive(Serialize, ToSchema)]
#[schema(as = CourseLine)]
struct LineElement<'a> {
    /// Name of the line; 徒歩 for a walk, Walk in English.
    #[serde(rename = "Name")]
    #[schema(value_type = String, example = "JR中央線快速")]
    name: &'a str,
    /// Transport kind: walk for a walk, otherwise that of the stations.
    #[serde(rename = "Type")]
    #[schema(value_type = String, example = "train")]
    kind: &'static str,
    /// Colour as #rrggbb; empty for a walk.
    #[serde(rename = "Color")]
    #[schema(value_type = String, example = "#f15a22")]
    color: &'a str,
    /// Minutes of the ride or the walk.
    #[serde(rename = "timeOnBoard")]
    #[schema(value_type = String, example = "14")]
    time: Text<u32>,
    /// How many stops there are between: the number of Stop.
    #[serde(rename = "stopStationCount")]
    #[schema(value_type = String, example = "3")]
    stops: Text<usize>,
    /// Length in units of 100 metres.
    #[schema(value_type = String, example = "103")]
    distance: Text<u32>,
    /// The stops between the two points, in order; empty when there is none.
    #[serde(rename = "Stop")]
    stop: Vec<CoursePoint<'a>>,
}

/// Ways that were found. It holds the map until the response is written.
pub(super) struct FoundCourses {
    pub(super) map: Arc<LoadedMap<PreparedMap>>,
    pub(super) courses: Vec<Course>,
    pub(super) gcs: Gcs,
    pub(super) language: MapLanguage,
}

impl JsonBody for FoundCourses {}

impl Serialize for FoundCourses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result_set = CoursesSet {
            api_version: API_VERSION,
            engine_version: ENGINE_VERSION,
            course: self.courses.iter().map(|course| CourseElement { route: self.route(course) }).collect(),
        };
        CoursesAnswer { result_set }.serialize(serializer)
    }
}

impl FoundCourses {
    fn route(&self, course: &Course) -> Route<'_> {
        let (on_board, on_foot, other) = course.minutes();
        let begin = course.legs.iter().filter_map(|leg| leg.stations.first()).take(1);
        let ends = course.legs.iter().filter_map(|leg| leg.stations.last());
        Route {
            on_board: Text(on_board),
            on_foot: Text(on_foot),
            other: Text(other),
            transfers: Text(course.transfers()),
            distance: Text(course.legs.iter().map(hundreds).sum()),
            point: begin.chain(ends).map(|station| self.point(*station)).collect(),
            line: course.legs.iter().map(|leg| self.line(leg)).collect(),
        }
    }

    fn point(&self, station: usize) -> CoursePoint<'_> {
        let station = &self.map.map.stations()[station];
        CoursePoint {
            station: StationElement::new(station, self.language),
            prefecture: PrefectureElement::new(station),
            place: GeoPointElement::new(station, self.gcs),
        }
    }

    fn line(&self, leg: &Leg) -> LineElement<'_> {
        let RouteMap { lines, .. } = &self.map.map;
        let between = leg.stations.get(1..leg.stations.len() - 1).unwrap_or_default();
        let (name, color, kind) = match leg.line {
            None => (self.language.choose("徒歩", "Walk"), "", "walk"),
            Some(line) => {
                let kind = self.map.map.stations()[leg.stations[0]].kind.word();
                (lines[line].name_in(self.language), lines[line].color.as_str(), kind)
            }
        };
        LineElement {
            name,
            kind,
            color,
            time: Text(leg.minutes()),
            stops: Text(between.len()),
            distance: Text(hundreds(leg)),
            stop: between.iter().map(|station| self.point(*station)).collect(),
        }
    }
}

/// The length of a leg in units of 100 metres, at least one.
fn hundreds(leg: &Leg) -> u32 {
    ((leg.metres + 50) / 100).max(1)
}
