//! The npm package `japan-train-data`, exported to JSON: an array of lines with their stations in order.
//!
//! `tools/maps/packages.py` makes the export. The package does not close its rings, and writes the branches of a line one after
//! the other; rings are closed here, false edges are cut by their length and by the corrections.

use std::path::Path;

use kaisatsu_model::{Prefecture, StationCode, TransportKind};
use serde::Deserialize;

use crate::{
    Error, Summary,
    geo::Place,
    raw::{Raw, RawLine, Stop},
};

/// A longer edge most often joins two branches. The few real ones are kept by the corrections of the map.
pub(crate) const LONGEST_EDGE_M: f64 = 15_000.0;

/// Lines that are rings in truth: 山手線, 大阪環状線, 名城線, 札幌市電, 富山都心線. (大江戸線, ユーカリが丘線 and 伊予鉄道環状線
/// are rings with a stem, which corrections close.)
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

pub(crate) fn read(path: &Path, summary: &mut Summary) -> Result<Raw, Error> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(&name, error))?;
    let entries: Vec<LineEntry> =
        serde_json::from_str(&text).map_err(|error| Error::line(&name, error.line() as u64, error.to_string()))?;
    let mut raw = Raw::default();
    for entry in entries {
        let who = format!("line {} {}", entry.id, entry.name);
        let mut run: Vec<usize> = Vec::with_capacity(entry.stations.len());
        let prefectures = prefectures(&entry.stations);
        for (station, prefecture) in entry.stations.iter().zip(prefectures) {
            let wrong =
                |what: &str| Error::file(&name, format!("{who}: station {} {}: {what}", station.id, station.name));
            let place = Place { lat: station.lat, lon: station.lon };
            if !place.is_valid() {
                return Err(wrong("its position is no place on the earth"));
            }
            let code = |number| StationCode::new(number).map_err(|rule| wrong(&rule.to_string()));
            run.push(raw.stops.len());
            raw.stops.push(Stop {
                group: station.gid.to_string(),
                key: String::new(),
                code: Some(code(station.id)?),
                group_code: Some(code(station.gid)?),
                name: plain(&station.name),
                yomi: String::new(),
                translation: String::new(),
                kind: TransportKind::Train,
                prefecture,
                place,
                formerly: Vec::new(),
            });
        }
        summary.read("lines read", 1);
        summary.read("stops of lines read", run.len());
        raw.lines.push(RawLine {
            key: String::new(),
            code: Some(entry.id),
            name: narrow(&entry.name),
            translation: String::new(),
            color: None,
            runs: vec![run],
            is_loop: RINGS.contains(&entry.id),
        });
    }
    if raw.lines.is_empty() {
        return Err(Error::file(&name, "there is no line in it"));
    }
    Ok(raw)
}

/// The prefecture of each stop. The package lacks some and has spoilt characters in others; between two stops of one
/// prefecture lies a third one.
fn prefectures(stations: &[StationEntry]) -> Vec<Option<Prefecture>> {
    let known: Vec<_> = stations.iter().map(|station| station.prefecture.as_deref().and_then(prefecture_of)).collect();
    let between = |at: usize| {
        let before = known[..at].iter().rev().find_map(|prefecture| *prefecture);
        let after = known[at..].iter().find_map(|prefecture| *prefecture);
        before.filter(|_| before == after)
    };
    (0..known.len()).map(|at| known[at].or_else(|| between(at))).collect()
}

/// A name without a second one in brackets, and with latin letters and digits of half width, as everybody writes them today.
fn plain(name: &str) -> String {
    let name = match name.find(['〈', '（']) {
        Some(start) if start > 0 => &name[..start],
        _ => name,
    };
    narrow(name)
}

fn narrow(text: &str) -> String {
    let one = |c: char| match c {
        'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '０'..='９' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    };
    text.chars().map(one).collect()
}

/// A name, perhaps with characters that were lost on the way, as long as only one prefecture fits.
fn prefecture_of(name: &str) -> Option<Prefecture> {
    const LOST: char = '\u{fffd}';
    let mut all = (1..=47).filter_map(Prefecture::from_code);
    if !name.contains(LOST) {
        return all.find(|prefecture| prefecture.name() == name);
    }
    let before = name.split(LOST).next().unwrap_or("");
    let after = name.rsplit(LOST).next().unwrap_or("");
    let is_possible = |p: &Prefecture| p.name().starts_with(before) && p.name().ends_with(after);
    let possible: Vec<_> = all.filter(is_possible).collect();
    match possible.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}
