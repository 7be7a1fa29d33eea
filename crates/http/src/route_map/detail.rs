//! `railmapDetail`: the stations in a window of a map, or one station.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
};
use kaisatsu_model::{Gcs, MapLanguage, StationCode, Window};
use kaisatsu_railmap::{LoadedMap, Selected, Selection};
use serde::{Serialize, Serializer};

use super::{
    prepared::{Points, PreparedMap},
    response::{Refusals, respond},
    station::{exclusive, gcs, language, not_found, station},
    window::{WINDOW, map_in, window},
    wire::{API_VERSION, DetailAnswer, DetailSet, ENGINE_VERSION, ErrorAnswer, RailMap},
};
use crate::{Failure, Gateway, Query, gateway::API_KEY, log_context::LoggedResponse, response::JsonBody};

const PARAMETERS: [&str; 10] =
    [API_KEY, "id", "stationName", "stationCode", "x", "y", "width", "height", "gcs", "language"];

/// Stations on a route map: those in a window, or one by its code or name
///
/// `id` alone selects the whole map, `x` and `y` alone everything from there to the far edges. `stationName`,
/// `stationCode` and the window parameters exclude each other. Prefer the code where a value is stored: names change.
#[utoipa::path(
    get, path = "/railmapDetail", operation_id = "railmapDetail", tag = "Route map",
    params(
        ("id" = String, Query, description = "Route map id", example = "tokyo"),
        ("stationName" = Option<String>, Query, description = "Name of the station, current or former; returns only \
            that station. Exclusive with stationCode, x, y, width, height", example = "高円寺", nullable = false),
        ("stationCode" = Option<u32>, Query, minimum = 1, description = "Code of the station; returns only that \
            station. Exclusive with stationName, x, y, width, height", nullable = false),
        ("x" = Option<i32>, Query, description = "X of the window start; 0 when left out", nullable = false),
        ("y" = Option<i32>, Query, description = "Y of the window start; 0 when left out", nullable = false),
        ("width" = Option<i32>, Query, minimum = 1, maximum = 500, description = "Width from x; needs height",
            nullable = false),
        ("height" = Option<i32>, Query, minimum = 1, maximum = 500, description = "Height from y; needs width",
            nullable = false),
        ("gcs" = Option<String>, Query, description = "Geodetic system of the coordinates: tokyo (default) or wgs84",
            pattern = "^(tokyo|wgs84)$", nullable = false),
        ("language" = Option<String>, Query, description = "Language of the names, and of the labels whose shapes are returned: \
            ja (default), en or ja-en",
            pattern = "^(ja|en|ja-en)$", nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The stations, in the order of their codes", body = DetailAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "W404: no such map or station", body = ErrorAnswer,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn railmap_detail(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> LoggedResponse {
    respond_to_query(&gateway, raw.as_deref(), &headers).await
}

/// Responds to a request with that query string and those headers.
pub(crate) async fn respond_to_query(gateway: &Gateway, raw: Option<&str>, headers: &HeaderMap) -> LoggedResponse {
    let query = Query::read(raw, &PARAMETERS);
    respond(gateway.admit(&query, headers).await, || detail(gateway, &query))
}

fn detail(gateway: &Gateway, query: &Query<'_>) -> Result<Found, Failure> {
    let Request { id, selection, gcs, language } = Request::read(query)?;
    let loaded = map_in(gateway, id, language)?;
    let selected = loaded.map.select(&selection).ok_or_else(|| not_found(&selection, "this map"))?;
    Ok(Found { loaded, selected, gcs })
}

/// The parameters of a valid request.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    id: &'a str,
    selection: Selection,
    gcs: Gcs,
    language: MapLanguage,
}

impl<'a> Request<'a> {
    fn read(query: &'a Query<'_>) -> Result<Self, Failure> {
        let id = query.required("id")?;
        exclusive(query, "stationName", &["stationCode"])?;
        exclusive(query, "stationName", &WINDOW)?;
        exclusive(query, "stationCode", &WINDOW)?;
        let selection = match station(query)? {
            Some(selection) => selection,
            None => window(query)?,
        };
        Ok(Self { id, selection, gcs: gcs(query)?, language: language(query)? })
    }
}

/// The stations that were found. It holds the map until the response is written.
struct Found {
    loaded: Arc<LoadedMap<PreparedMap>>,
    selected: Selected,
    gcs: Gcs,
}

/// The railmapDetail response for one station, for the page of the map.
pub fn station_detail(
    loaded: &Arc<LoadedMap<PreparedMap>>,
    code: StationCode,
    gcs: Gcs,
) -> Option<impl Serialize + use<>> {
    let selected = loaded.map.select(&Selection::Code(code))?;
    Some(Found { loaded: Arc::clone(loaded), selected, gcs })
}

impl Found {
    fn points(&self) -> Points<'_> {
        self.loaded.prepared.points(self.gcs, &self.selected.stations)
    }
}

impl JsonBody for Found {
    fn size(&self) -> usize {
        256 + self.points().size()
    }

    /// Concatenated instead of serialised, because this is the most frequent response and only four numbers and the
    /// points vary. A test compares it with the serialised form.
    fn write(&self, out: &mut Vec<u8>) {
        let Window { x, y, width, height } = self.selected.window;
        out.extend_from_slice(self.loaded.prepared.head.as_bytes());
        for (before, number) in
            [(r#","x":""#, x), (r#"","y":""#, y), (r#"","width":""#, width), (r#"","height":""#, height)]
        {
            out.extend_from_slice(before.as_bytes());
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
        out.extend_from_slice(br#"","Point":"#);
        self.points().write(out);
        out.extend_from_slice(b"}}}");
    }
}

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rail_map = RailMap::new(&self.loaded.map, &self.selected.window, self.points());
        let result_set = DetailSet { api_version: API_VERSION, engine_version: ENGINE_VERSION, rail_map };
        DetailAnswer { result_set }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Gcs, Side, StationCode};
    use kaisatsu_railmap::{MapRegistry, Selection};

    use super::{Found, PARAMETERS, Request};
    use crate::{PreparedMap, Query, response::JsonBody};

    fn read(raw: &str) -> Result<(Selection, Gcs), String> {
        let query = Query::read(Some(raw), &PARAMETERS);
        Request::read(&query).map(|request| (request.selection, request.gcs)).map_err(|failure| failure.message)
    }

    #[test]
    fn good_requests_become_selections() {
        let side = |n| Side::new(n).unwrap();
        for (raw, selection) in [
            ("id=m", Selection::From(0, 0)),
            ("id=m&x=5", Selection::From(5, 0)),
            ("id=m&y=-5", Selection::From(0, -5)),
            ("id=m&width=1&height=500", Selection::Window { x: 0, y: 0, width: side(1), height: side(500) }),
            ("id=m&x=7&width=2&height=3", Selection::Window { x: 7, y: 0, width: side(2), height: side(3) }),
            ("id=m&stationCode=22671", Selection::Code(StationCode::new(22671).unwrap())),
            ("id=m&stationName=%E9%AB%98%E5%86%86%E5%AF%BA", Selection::Name("高円寺".to_owned())),
        ] {
            assert_eq!(read(raw), Ok((selection.clone(), Gcs::Tokyo)), "{raw}");
            assert_eq!(read(&format!("{raw}&gcs=wgs84")), Ok((selection, Gcs::Wgs84)), "{raw}");
        }
    }

    #[test]
    fn every_pair_that_excludes_each_other_is_refused() {
        for window in ["x=1", "y=1", "width=1&height=1", "width=1", "height=1"] {
            for station in ["stationName=a", "stationCode=1"] {
                let message = read(&format!("id=m&{window}&{station}")).unwrap_err();
                assert!(message.contains("exclude each other"), "{window} {station}: {message}");
            }
        }
        assert!(read("id=m&stationName=a&stationCode=1").unwrap_err().contains("exclude each other"));
    }

    #[test]
    fn what_is_put_together_is_what_the_types_describe() {
        let registry = MapRegistry::open(None, PreparedMap::of).unwrap();
        let side = |n| Side::new(n).unwrap();
        for (loaded, gcs) in registry.all().into_iter().flat_map(|map| [(map.clone(), Gcs::Tokyo), (map, Gcs::Wgs84)]) {
            let mut selections = vec![Selection::From(0, 0), Selection::From(i32::MAX, -7)];
            selections.extend(
                [-600, 0, 250, 1200].into_iter().flat_map(|x| {
                    [0, 700, 1500].map(|y| Selection::Window { x, y, width: side(500), height: side(321) })
                }),
            );
            selections.extend(loaded.map.stations().iter().take(9).map(|station| Selection::Code(station.code)));
            for selection in selections {
                let selected = loaded.map.select(&selection).unwrap();
                let found = Found { loaded: loaded.clone(), selected, gcs };
                let mut written = Vec::new();
                found.write(&mut written);
                assert!(written.len() <= found.size(), "{selection:?}");
                assert_eq!(
                    String::from_utf8(written).unwrap(),
                    serde_json::to_string(&found).unwrap(),
                    "{selection:?}"
                );
            }
        }
    }
}
