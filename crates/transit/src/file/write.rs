//! Writes network files. The output is deterministic, so that versions can be compared line by line.

use std::fmt::Write;

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

use super::schema::FORMAT;
use crate::{Line, Network, Station};

/// The text of a network file, with stations and lines ordered by code.
#[must_use]
pub fn write(network: &Network) -> String {
    let mut out = String::new();
    put(&mut out, "format", FORMAT);
    put(&mut out, "id", quoted(&network.id));
    put(&mut out, "name", quoted(&network.name));
    put_text(&mut out, "translation", &network.translation);
    put_text(&mut out, "edition", &network.edition);
    put_text(&mut out, "credits", &network.credits);
    let mut lines: Vec<&Line> = network.lines.iter().collect();
    lines.sort_by_key(|line| line.code);
    for line in lines {
        write_line(&mut out, line, network.history.line_keys.get(&line.code));
    }
    let mut stations: Vec<&Station> = network.stations.iter().collect();
    stations.sort_by_key(|station| station.code);
    for station in stations {
        write_station(&mut out, station, network.history.station_keys.get(&station.code));
    }
    for group in &network.groups {
        out.push_str("\n[[group]]\n");
        put(&mut out, "stations", format!("[{}]", joined(group)));
    }
    for retired in &network.history.retired_lines {
        out.push_str("\n[[gone_line]]\n");
        put(&mut out, "code", retired.code);
        put_text(&mut out, "key", &retired.key);
        put(&mut out, "name", quoted(&retired.name));
    }
    for retired in &network.history.retired_stations {
        out.push_str("\n[[gone_station]]\n");
        put(&mut out, "code", retired.code);
        put_text(&mut out, "key", &retired.key);
        put(&mut out, "name", quoted(&retired.name));
        put_text(&mut out, "yomi", &retired.yomi);
        put_text(&mut out, "translation", &retired.translation);
        put_where(&mut out, retired.prefecture, retired.lat, retired.lon, &retired.formerly);
    }
    out
}

fn write_line(out: &mut String, line: &Line, key: Option<&String>) {
    out.push_str("\n[[line]]\n");
    put(out, "code", line.code);
    put_text(out, "key", key.map_or("", String::as_str));
    put(out, "name", quoted(&line.name));
    put_text(out, "translation", &line.translation);
    put(out, "color", quoted(&line.color));
    put_text(out, "symbol", &line.symbol);
    put_text(out, "operator", &line.operator);
    let runs: Vec<_> = line.runs.iter().map(|run| format!("[{}]", joined(run))).collect();
    put(out, "stations", format!("[{}]", runs.join(", ")));
    if line.is_loop {
        put(out, "loop", true);
    }
    if !line.direct.is_empty() {
        let pairs: Vec<_> = line.direct.iter().map(|pair| format!("[{}]", joined(pair))).collect();
        put(out, "direct", format!("[{}]", pairs.join(", ")));
    }
    if !line.along.is_empty() {
        let ways: Vec<_> = line.along.iter().map(|way| format!("[{}]", joined(way))).collect();
        put(out, "along", format!("[{}]", ways.join(", ")));
    }
}

fn write_station(out: &mut String, station: &Station, key: Option<&String>) {
    out.push_str("\n[[station]]\n");
    put(out, "code", station.code);
    put_text(out, "key", key.map_or("", String::as_str));
    put(out, "name", quoted(&station.name));
    put_text(out, "yomi", &station.yomi);
    put_text(out, "translation", &station.translation);
    if station.kind != TransportKind::default() {
        put(out, "type", quoted(station.kind.word()));
    }
    put_where(out, station.prefecture, station.lat, station.lon, &station.formerly);
    put_list(out, "numbers", &station.numbers);
}

/// Writes the last keys of a station, active or retired.
fn put_where(out: &mut String, prefecture: Option<Prefecture>, lat: f64, lon: f64, formerly: &[String]) {
    if let Some(prefecture) = prefecture {
        put(out, "prefecture", prefecture.code());
    }
    put(out, "lat", float(lat));
    put(out, "lon", float(lon));
    put_list(out, "formerly", formerly);
}

/// Writes a list of texts unless it is empty.
fn put_list(out: &mut String, word: &str, texts: &[String]) {
    if !texts.is_empty() {
        let texts: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
        put(out, word, format!("[{}]", texts.join(", ")));
    }
}

fn put(out: &mut String, word: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{word} = {value}");
}

/// Writes a key unless its text is empty.
fn put_text(out: &mut String, word: &str, text: &str) {
    if !text.is_empty() {
        put(out, word, quoted(text));
    }
}

fn joined(run: &[StationCode]) -> String {
    run.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// `Debug` writes the shortest digits that parse to the same number, with a point or an exponent: a TOML float.
fn float(number: f64) -> String {
    format!("{number:?}")
}

/// A basic string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
