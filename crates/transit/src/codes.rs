//! Assigns stable codes: a known station or line keeps its code, and a code is never reused.

mod lines;
mod stations;

use kaisatsu_model::StationCode;

use crate::{Error, ImportHistory, Line, Network, Station, Summary, assemble::Draft};

/// Turns a draft into a network. What is in `previous` keeps its code. Each walk of the draft becomes a group of two.
pub(crate) fn assign(mut draft: Draft, previous: Option<&Network>, summary: &mut Summary) -> Result<Network, Error> {
    let nothing = Network::default();
    let previous = previous.unwrap_or(&nothing);
    let line_codes = lines::assign(&draft, previous, summary)?;
    let codes = stations::assign(&mut draft, &line_codes, previous, summary)?;
    let mut history = ImportHistory::default();
    let mut stations = Vec::with_capacity(draft.stations.len());
    for (station, &code) in draft.stations.into_iter().zip(&codes) {
        if !station.key.is_empty() {
            history.station_keys.insert(code, station.key);
        }
        stations.push(Station {
            code,
            name: station.name,
            yomi: station.yomi,
            translation: station.translation,
            kind: station.kind,
            prefecture: station.prefecture,
            lat: station.position.lat,
            lon: station.position.lon,
            formerly: station.formerly,
            numbers: station.numbers,
        });
    }
    let mut lines = Vec::with_capacity(draft.lines.len());
    for (line, &code) in draft.lines.into_iter().zip(&line_codes) {
        let translation = lines::translation(&line, code, previous);
        if !line.key.is_empty() {
            history.line_keys.insert(code, line.key);
        }
        let with_codes =
            |run: Vec<usize>| -> Vec<StationCode> { run.into_iter().map(|station| codes[station]).collect() };
        lines.push(Line {
            code,
            name: line.name,
            translation,
            color: line.color,
            symbol: line.symbol,
            operator: line.operator,
            runs: line.runs.into_iter().map(with_codes).collect(),
            is_loop: line.is_loop,
            direct: line.direct.into_iter().map(|pair| pair.map(|station| codes[station])).collect(),
            along: line.along.into_iter().map(with_codes).collect(),
        });
    }
    let groups = draft.walks.into_iter().map(|(a, b)| vec![codes[a], codes[b]]).collect();
    stations.sort_by_key(|station| station.code);
    lines.sort_by_key(|line| line.code);
    history.retired_stations = stations::retired(&stations, previous);
    history.retired_lines = lines::retired(&lines, previous);
    Ok(Network { stations, lines, groups, history, ..Network::default() })
}
