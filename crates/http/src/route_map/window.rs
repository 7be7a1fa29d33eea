//! Parameters that railmapDetail and railmapData share: the map, and the window of it.

use std::sync::Arc;

use kaisatsu_model::{Coordinate, MapLanguage, Side};
use kaisatsu_railmap::{LoadedMap, Selection};

use super::prepared::PreparedMap;
use crate::{Failure, Gateway, Kind, Query};

/// The names of the window's parameters.
pub(crate) const WINDOW: [&str; 4] = ["x", "y", "width", "height"];

/// The map with that id.
pub(crate) fn map(gateway: &Gateway, id: &str) -> Result<Arc<LoadedMap<PreparedMap>>, Failure> {
    let none = || Failure::new(Kind::NotFound, "there is no map of that id; railmapList lists the maps");
    gateway.maps.get(id).ok_or_else(none)
}

/// The map with that id, laid out for the labels of a language.
pub(crate) fn map_in(
    gateway: &Gateway,
    id: &str,
    language: MapLanguage,
) -> Result<Arc<LoadedMap<PreparedMap>>, Failure> {
    map(gateway, id).map(|loaded| gateway.maps.in_language(&loaded, language))
}

/// The requested window, or everything from a point if it has no sides.
pub(crate) fn window(query: &Query<'_>) -> Result<Selection, Failure> {
    let (x, y) = (coordinate(query, "x")?, coordinate(query, "y")?);
    match (side(query, "width")?, side(query, "height")?) {
        (Some(width), Some(height)) => Ok(Selection::Window { x, y, width, height }),
        (None, None) => Ok(Selection::From(x, y)),
        (Some(_), None) => Err(unpaired("height", "width")),
        (None, Some(_)) => Err(unpaired("width", "height")),
    }
}

fn unpaired(missing: &str, given: &str) -> Failure {
    Failure::new(
        Kind::ParameterMissing,
        format!("query parameter {missing} is missing; it is required when {given} is given"),
    )
}

fn coordinate(query: &Query<'_>, name: &str) -> Result<Coordinate, Failure> {
    let number = query.integer(name, i64::from(Coordinate::MIN)..=i64::from(Coordinate::MAX))?;
    Ok(number.and_then(|number| Coordinate::try_from(number).ok()).unwrap_or(0))
}

fn side(query: &Query<'_>, name: &str) -> Result<Option<Side>, Failure> {
    let number = query.integer(name, 1..=Side::MAX)?;
    Ok(number.and_then(|number| Side::new(number).ok()))
}
