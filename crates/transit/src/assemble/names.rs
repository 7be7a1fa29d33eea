//! What a name must be for a network file to be read again.

use kaisatsu_model::StationName;

use super::Draft;
use crate::{Error, corrections::Corrections};

/// Keeps of the names that a station had those that differ from the one it has: 霞ヶ関 is no other name than 霞ケ関.
pub(super) fn keep_other(formerly: &mut Vec<String>, name: &str) {
    let now = StationName::fold(name);
    formerly.retain(|old| !StationName::fold(old).is_empty() && StationName::fold(old) != now);
}

/// Stations and lines that neither the source nor the corrections give a name.
pub(super) fn missing(draft: &Draft, corrections: &Corrections) -> Vec<Error> {
    let stations = draft.stations.iter().filter(|station| StationName::fold(&station.name).is_empty()).map(|station| {
        let who = station.code.map(|code| format!(" {code}")).unwrap_or_default();
        let (lat, lon) = (station.place.lat, station.place.lon);
        Error::file("the source", format!("the station{who} at {lat}, {lon} has no name"))
    });
    let lines = draft.lines.iter().filter(|line| line.name.trim().is_empty()).map(|line| {
        let who = line.code.map_or_else(|| line.key.clone(), |code| code.to_string());
        let message = format!("line {who} has no name: write one into the corrections, as name = \"…\"");
        corrections.line_error(line.code, &line.key, message)
    });
    stations.chain(lines).collect()
}
