//! The waypoints of a journey, from its start to its end, as `searchCourse` takes them: station codes, names, and
//! coordinates.

use kaisatsu_model::{Gcs, Position, StationCode, StationName};
use kaisatsu_railmap::{LoadedMap, Selection, StationDirectory, datum};

use super::{
    prepared::PreparedMap,
    station::{decimal_degrees, exclusive},
};
use crate::{Failure, Kind, Query};

/// The most places between the first and the last one.
const MOST_BETWEEN: usize = 3;

/// The most stations of one name among which the way decides.
const MOST_NAMESAKES: usize = 10;

/// How far from coordinates a station may be, in metres.
const REACH: f64 = 5000.0;

/// A waypoint, and the parameter that names it.
#[derive(Debug)]
pub(super) struct Waypoint<'a> {
    pub(super) parameter: &'static str,
    written: &'a str,
    wanted: Wanted,
}

#[derive(Debug, PartialEq)]
enum Wanted {
    Code(StationCode),
    Name,
    Near(Position),
}

/// The waypoints of a request, in the order of the journey; at least two.
pub(super) fn waypoints<'a>(query: &'a Query<'_>, gcs: Gcs) -> Result<Vec<Waypoint<'a>>, Failure> {
    exclusive(query, "via", &["viaList"])?;
    let list = query.text("viaList")?.map(|text| text.split(':').collect::<Vec<_>>());
    let mut written = Vec::new();
    if let Some(list) = list.as_ref().filter(|_| !query.has("from") && !query.has("to")) {
        if !(2..=MOST_BETWEEN + 2).contains(&list.len()) {
            let rule = format!("query parameter viaList must have 2 to {} places, separated by :", MOST_BETWEEN + 2);
            return Err(Failure::new(Kind::ParameterInvalid, rule));
        }
        written.extend(list.iter().map(|place| ("viaList", *place)));
    } else {
        let (from, to) = (query.required("from")?, query.required("to")?);
        let (parameter, between) = match list {
            Some(list) => ("viaList", list),
            None => ("via", query.text("via")?.map(by_commas).unwrap_or_default()),
        };
        if between.len() > MOST_BETWEEN {
            let rule =
                format!("query parameter {parameter} must have at most {MOST_BETWEEN} places beside from and to");
            return Err(Failure::new(Kind::ParameterInvalid, rule));
        }
        written.push(("from", from));
        written.extend(between.into_iter().map(|place| (parameter, place)));
        written.push(("to", to));
    }
    written.into_iter().map(|(parameter, place)| Waypoint::read(parameter, place.trim(), gcs)).collect()
}

/// The parts of a list with commas. Coordinates have a comma themselves: a number with a decimal point, and the next.
fn by_commas(list: &str) -> Vec<&str> {
    let mut places = Vec::new();
    let mut rest = Some(list);
    while let Some(text) = rest {
        let decimal = |part: &str| part.contains('.') && decimal_degrees(part.trim()).is_some();
        let mut commas = text.match_indices(',').map(|(at, _)| at);
        let first = commas.next();
        let end = match (first, commas.next()) {
            (Some(first), second)
                if decimal(&text[..first]) && decimal(&text[first + 1..second.unwrap_or(text.len())]) =>
            {
                second
            }
            _ => first,
        };
        places.push(&text[..end.unwrap_or(text.len())]);
        rest = end.map(|at| &text[at + 1..]);
    }
    places
}

impl<'a> Waypoint<'a> {
    fn read(parameter: &'static str, written: &'a str, gcs: Gcs) -> Result<Self, Failure> {
        let digits = !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit());
        let code = written.parse().ok().and_then(|number| StationCode::new(number).ok()).filter(|_| digits);
        let wanted = match (code, coordinates(written)) {
            (Some(code), _) => Wanted::Code(code),
            (None, Some((latitude, longitude))) => {
                let rule = format!("query parameter {parameter} names no place on the earth: {written}");
                let place = match gcs {
                    Gcs::Wgs84 => Position::new(latitude, longitude),
                    Gcs::Tokyo => datum::to_wgs84(latitude, longitude).and_then(|(lat, lon)| Position::new(lat, lon)),
                };
                Wanted::Near(place.ok_or_else(|| Failure::new(Kind::OutOfRange, rule))?)
            }
            (None, None) if StationName::fold(written).is_empty() => {
                let rule = format!("query parameter {parameter} has a place without a name");
                return Err(Failure::new(Kind::ParameterInvalid, rule));
            }
            (None, None) => Wanted::Name,
        };
        Ok(Self { parameter, written, wanted })
    }

    /// The indices of its stations on a map: several where they have one name, and none where it is not on the map.
    pub(super) fn on(&self, loaded: &LoadedMap<PreparedMap>, directory: &StationDirectory<PreparedMap>) -> Vec<usize> {
        match &self.wanted {
            Wanted::Code(code) => {
                loaded.map.select(&Selection::Code(*code)).map(|selected| selected.stations).unwrap_or_default()
            }
            Wanted::Name => {
                // Not a selection by name, which also finds the stations of a line.
                let mut found = loaded.map.named(self.written);
                if found.is_empty() {
                    let called = directory.called(self.written).into_iter();
                    found.extend(called.filter_map(|entry| directory.index_on(entry, &loaded.map)));
                }
                found.truncate(MOST_NAMESAKES);
                found
            }
            Wanted::Near(position) => {
                let near = directory.near(*position, REACH);
                near.into_iter().find_map(|(entry, _)| directory.index_on(entry, &loaded.map)).into_iter().collect()
            }
        }
    }

    /// The error of a place without a station.
    pub(super) fn not_found(&self, on: &str) -> Failure {
        let Self { parameter, written, wanted } = self;
        let what = match wanted {
            Wanted::Code(code) => format!("station code {code} is not on {on}"),
            Wanted::Name => format!("no station called {written} is on {on}"),
            Wanted::Near(_) => format!("no station of {on} is within 5 km of {written}"),
        };
        Failure::new(Kind::NotFound, format!("query parameter {parameter}: {what}"))
    }
}

/// Decimal degrees of latitude and longitude: `35.66,139.60`.
fn coordinates(text: &str) -> Option<(f64, f64)> {
    let (latitude, longitude) = text.split_once(',')?;
    Some((decimal_degrees(latitude.trim())?, decimal_degrees(longitude.trim())?))
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Gcs;

    use super::{by_commas, waypoints};
    use crate::Query;

    const KNOWN: [&str; 4] = ["from", "to", "via", "viaList"];

    #[test]
    fn coordinates_keep_their_comma() {
        for (list, parts) in [
            ("新宿,東京", &["新宿", "東京"][..]),
            ("35.66,139.60", &["35.66,139.60"]),
            ("新宿,35.66,139.60,1130101", &["新宿", "35.66,139.60", "1130101"]),
            ("1130101,1130205", &["1130101", "1130205"]),
            ("新宿,", &["新宿", ""]),
        ] {
            assert_eq!(by_commas(list), parts, "{list}");
        }
    }

    #[test]
    fn both_ways_to_list_places() {
        let read = |raw: &str| -> Result<Vec<String>, String> {
            let query = Query::read(Some(raw), &KNOWN);
            let read = waypoints(&query, Gcs::Wgs84).map_err(|failure| failure.message)?;
            Ok(read.iter().map(|place| format!("{}={}", place.parameter, place.written)).collect())
        };
        let list = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(read("from=a&to=b&via=c,d"), list(&["from=a", "via=c", "via=d", "to=b"]));
        assert_eq!(read("viaList=a:b:c"), list(&["viaList=a", "viaList=b", "viaList=c"]));
        assert_eq!(read("from=a&to=b&viaList=c:d"), list(&["from=a", "viaList=c", "viaList=d", "to=b"]));
        assert_eq!(read("viaList=35.66,139.60:b"), list(&["viaList=35.66,139.60", "viaList=b"]));
        for (raw, message) in [
            ("from=a", "query parameter to is missing"),
            ("", "query parameter from is missing"),
            ("viaList=a", "query parameter viaList must have 2 to 5 places, separated by :"),
            ("viaList=a:b:c:d:e:f", "query parameter viaList must have 2 to 5 places, separated by :"),
            ("from=a&to=b&via=c,d,e,f", "query parameter via must have at most 3 places beside from and to"),
            ("from=a&to=b&via=c,,d", "query parameter via has a place without a name"),
            ("from=91.5,10.2&to=b", "query parameter from names no place on the earth: 91.5,10.2"),
            ("viaList=a:b&via=c", "query parameters via and viaList exclude each other: give one of them"),
        ] {
            assert_eq!(read(raw), Err(message.to_owned()), "{raw}");
        }
    }
}
