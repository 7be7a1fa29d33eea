//! Gives out codes so that they stay: what was there before keeps its code, and no code is ever used for something else.

mod lines;
mod stations;

use kaisatsu_model::StationCode;

use crate::{Error, Line, Memory, Network, Station, Summary, assemble::Draft};

/// Turns a draft into a network, with the codes of `previous` wherever something was in it.
pub(crate) fn assign(mut draft: Draft, previous: Option<&Network>, summary: &mut Summary) -> Result<Network, Error> {
    let nothing = Network::default();
    let previous = previous.unwrap_or(&nothing);
    let line_codes = lines::assign(&draft, previous, summary)?;
    let codes = stations::assign(&mut draft, &line_codes, previous, summary)?;
    let mut memory = Memory::default();
    let mut stations = Vec::with_capacity(draft.stations.len());
    for (station, &code) in draft.stations.into_iter().zip(&codes) {
        if !station.key.is_empty() {
            memory.station_keys.insert(code, station.key);
        }
        stations.push(Station {
            code,
            name: station.name,
            yomi: station.yomi,
            translation: station.translation,
            kind: station.kind,
            prefecture: station.prefecture,
            lat: station.place.lat,
            lon: station.place.lon,
            formerly: station.formerly,
        });
    }
    let mut lines = Vec::with_capacity(draft.lines.len());
    for (line, &code) in draft.lines.into_iter().zip(&line_codes) {
        let translation = lines::translation(&line, code, previous);
        if !line.key.is_empty() {
            memory.line_keys.insert(code, line.key);
        }
        let with_codes =
            |run: Vec<usize>| -> Vec<StationCode> { run.into_iter().map(|station| codes[station]).collect() };
        lines.push(Line {
            code,
            name: line.name,
            translation,
            color: line.color,
            runs: line.runs.into_iter().map(with_codes).collect(),
            is_loop: line.is_loop,
        });
    }
    stations.sort_by_key(|station| station.code);
    lines.sort_by_key(|line| line.code);
    memory.gone_stations = stations::gone(&stations, previous);
    memory.gone_lines = lines::gone(&lines, previous);
    Ok(Network { stations, lines, memory, ..Network::default() })
}
