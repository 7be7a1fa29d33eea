//! Imports the npm package `japan-train-data`, exported to JSON: an array of lines with their stations in order.
//!
//! `tools/maps/packages.py` creates the export. The package does not close rings, and lists the branches of a line one
//! after another. This module closes the rings. False edges are removed by their length and by corrections.

use std::path::Path;

use kaisatsu_model::{
    Prefecture, StationCode, TransportKind,
    text::{MAX_NAME, abbreviate, check_length, tidy},
};
use serde::Deserialize;

use crate::{
    Error, Summary,
    geo::LatLon,
    source_data::{SourceData, SourceLine, SourceStop},
};

/// A longer edge usually joins two branches. The corrections of a map keep the few real ones.
pub(crate) const MAX_EDGE_M: f64 = 15_000.0;

/// Lines that are rings: 山手線, 大阪環状線, 名城線, 札幌市電, 富山都心線. (大江戸線, ユーカリが丘線 and 伊予鉄道環状線 are rings with a branch, which
/// corrections close.)
const RINGS: [i64; 5] = [11302, 11623, 99514, 99104, 99422];

#[derive(Debug, Deserialize)]
struct LineEntry {
    id: i64,
    name: String,
    stations: Vec<StationEntry>,
}

#[derive(Debug, Deserialize)]
struct StationEntry {
    id: i64,
    gid: i64,
    name: String,
    lat: f64,
    lon: f64,
    prefecture: Option<String>,
}

pub(crate) fn read(path: &Path, summary: &mut Summary) -> Result<SourceData, Error> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(&name, error))?;
    let entries: Vec<LineEntry> =
        serde_json::from_str(&text).map_err(|error| Error::line(&name, error.line() as u64, error.to_string()))?;
    let mut data = SourceData::default();
    for entry in entries {
        let who = format!("line {} {}", entry.id, abbreviate(&entry.name));
        let line_name = to_half_width(&tidy(&entry.name));
        check_length(&line_name, MAX_NAME, &format!("{who}: its name"))
            .map_err(|message| Error::file(&name, message))?;
        let mut run: Vec<usize> = Vec::with_capacity(entry.stations.len());
        let prefectures = prefectures(&entry.stations);
        for (station, prefecture) in entry.stations.iter().zip(prefectures) {
            let problem = |what: &str| {
                let station_name = abbreviate(&station.name);
                Error::file(&name, format!("{who}: station {} {station_name}: {what}", station.id))
            };
            let position = LatLon { lat: station.lat, lon: station.lon };
            if !position.is_valid() {
                return Err(problem("its position is no place on the earth"));
            }
            let code = |number| StationCode::new(number).map_err(|rule| problem(&rule.to_string()));
            let station_name = plain_name(&station.name);
            check_length(&station_name, MAX_NAME, "its name").map_err(|message| problem(&message))?;
            run.push(data.stops.len());
            data.stops.push(SourceStop {
                group: station.gid.to_string(),
                key: String::new(),
                code: Some(code(station.id)?),
                group_code: Some(code(station.gid)?),
                name: station_name,
                yomi: String::new(),
                translation: String::new(),
                kind: TransportKind::Train,
                prefecture,
                position,
                formerly: Vec::new(),
            });
        }
        summary.count("lines read", 1);
        summary.count("stops of lines read", run.len());
        data.lines.push(SourceLine {
            key: String::new(),
            code: Some(entry.id),
            name: line_name,
            translation: String::new(),
            color: None,
            symbol: String::new(),
            operator: String::new(),
            runs: vec![run],
            is_loop: RINGS.contains(&entry.id),
        });
    }
    if data.lines.is_empty() {
        return Err(Error::file(&name, "there is no line in it"));
    }
    Ok(data)
}

/// The prefecture of each stop. The package lacks some and has damaged characters in others. A stop between two stops
/// of one prefecture gets that prefecture.
fn prefectures(stations: &[StationEntry]) -> Vec<Option<Prefecture>> {
    let known: Vec<_> = stations.iter().map(|station| station.prefecture.as_deref().and_then(prefecture_of)).collect();
    let between = |at: usize| {
        let before = known[..at].iter().rev().find_map(|prefecture| *prefecture);
        let after = known[at..].iter().find_map(|prefecture| *prefecture);
        before.filter(|_| before == after)
    };
    (0..known.len()).map(|at| known[at].or_else(|| between(at))).collect()
}

/// A name without an alternative in brackets, with half-width Latin letters and digits.
fn plain_name(name: &str) -> String {
    let name = tidy(name);
    let name = match name.find(['〈', '（']) {
        Some(start) if start > 0 => name[..start].trim_end(),
        _ => &name,
    };
    to_half_width(name)
}

fn to_half_width(text: &str) -> String {
    let one = |c: char| match c {
        'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '０'..='９' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    };
    text.chars().map(one).collect()
}

/// The prefecture with this name. Damaged characters are accepted if only one prefecture matches.
fn prefecture_of(name: &str) -> Option<Prefecture> {
    const REPLACEMENT: char = '\u{fffd}';
    let mut all = (1..=47).filter_map(Prefecture::from_code);
    if !name.contains(REPLACEMENT) {
        return all.find(|prefecture| prefecture.name() == name);
    }
    let before = name.split(REPLACEMENT).next().unwrap_or("");
    let after = name.rsplit(REPLACEMENT).next().unwrap_or("");
    let is_possible = |p: &Prefecture| p.name().starts_with(before) && p.name().ends_with(after);
    let possible: Vec<_> = all.filter(is_possible).collect();
    match possible.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{StationEntry, plain_name, prefecture_of, prefectures, to_half_width};

    #[test]
    fn names_lose_their_alternatives_and_wide_letters() {
        for (name, plain) in [
            ("甲（こう）", "甲"),
            ("乙〈Otsu〉", "乙"),
            ("（仮）丙", "（仮）丙"),
            ("丁\t目\u{200b} （ちょうめ）", "丁 目"),
            ("第２ＡｚＺａ０９", "第2AzZa09"),
            ("＠〔～", "＠〔～"),
        ] {
            assert_eq!(plain_name(name), plain, "{name}");
        }
        assert_eq!(to_half_width("ＪＲ（線）"), "JR（線）");
    }

    #[test]
    fn damaged_prefectures_are_known_if_only_one_fits() {
        let code = |name: &str| prefecture_of(name).map(kaisatsu_model::Prefecture::code);
        assert_eq!((code("東京都"), code("東京"), code("京都府")), (Some(13), None, Some(26)));
        assert_eq!((code("東\u{fffd}都"), code("\u{fffd}\u{fffd}道")), (Some(13), Some(1)));
        assert_eq!((code("\u{fffd}県"), code("東\u{fffd}府")), (None, None));
    }

    #[test]
    fn a_stop_between_two_stops_of_one_prefecture_is_in_it() {
        let codes = |names: &[&str]| {
            let entry = |name: &&str| StationEntry {
                id: 1,
                gid: 1,
                name: String::new(),
                lat: 0.0,
                lon: 0.0,
                prefecture: (!name.is_empty()).then(|| (*name).to_owned()),
            };
            let found = prefectures(&names.iter().map(entry).collect::<Vec<_>>());
            found.iter().map(|prefecture| prefecture.map_or(0, kaisatsu_model::Prefecture::code)).collect::<Vec<_>>()
        };
        assert_eq!(codes(&["東京都", "", "", "東京都", "", "千葉県"]), [13, 13, 13, 13, 0, 12]);
        assert_eq!(codes(&["", "東京都", ""]), [0, 13, 0]);
    }
}
