//! Rules for names that a network file must satisfy.

use kaisatsu_model::StationName;

use super::draft::Draft;
use crate::{Error, corrections::Corrections};

/// Removes former names that compare as equal to the current one, such as 霞ヶ関 and 霞ケ関.
pub(super) fn retain_different(formerly: &mut Vec<String>, name: &str) {
    let now = StationName::fold(name);
    formerly.retain(|old| !StationName::fold(old).is_empty() && StationName::fold(old) != now);
}

/// One error for each station and line without a name.
pub(super) fn missing_names(draft: &Draft, corrections: &Corrections) -> Vec<Error> {
    let stations = draft.stations.iter().filter(|station| StationName::fold(&station.name).is_empty()).map(|station| {
        let who = station.code.map(|code| format!(" {code}")).unwrap_or_default();
        let (lat, lon) = (station.position.lat, station.position.lon);
        Error::file("the source", format!("the station{who} at {lat}, {lon} has no name"))
    });
    let lines = draft.lines.iter().filter(|line| line.name.trim().is_empty()).map(|line| {
        let who = line.code.map_or_else(|| line.key.clone(), |code| code.to_string());
        let message = format!("line {who} has no name: write one into the corrections, as name = \"…\"");
        corrections.line_error(line.code, &line.key, message)
    });
    stations.chain(lines).collect()
}
