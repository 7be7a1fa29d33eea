//! The network file: TOML, described in docs/formats/network.md.
//!
//! Reading gives the text its shape, then checks that it makes sense; every finding carries its line.

mod check;
mod write;

use std::fmt;

use kaisatsu_model::{Lines, TransportKind};
use serde::Deserialize;
use toml::Spanned;

pub use write::write;

use crate::Network;

/// The version of the format that this code reads and writes.
pub const FORMAT: i64 = 1;

/// The largest file that is read.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkFile {
    format: Spanned<i64>,
    id: Spanned<String>,
    name: Spanned<String>,
    #[serde(default)]
    edition: String,
    #[serde(default)]
    credits: String,
    #[serde(default)]
    line: Vec<Spanned<LineEntry>>,
    #[serde(default)]
    station: Vec<Spanned<StationEntry>>,
    #[serde(default)]
    gone_line: Vec<Spanned<GoneLineEntry>>,
    #[serde(default)]
    gone_station: Vec<Spanned<GoneStationEntry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineEntry {
    code: i64,
    #[serde(default)]
    key: String,
    name: String,
    #[serde(default)]
    translation: String,
    color: String,
    stations: Vec<Vec<i64>>,
    #[serde(default, rename = "loop")]
    is_loop: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StationEntry {
    code: i64,
    #[serde(default)]
    key: String,
    name: String,
    #[serde(default)]
    yomi: String,
    #[serde(default)]
    translation: String,
    #[serde(default, rename = "type")]
    kind: TransportKind,
    prefecture: Option<i64>,
    lat: f64,
    lon: f64,
    #[serde(default)]
    formerly: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoneStationEntry {
    code: i64,
    #[serde(default)]
    key: String,
    name: String,
    #[serde(default)]
    yomi: String,
    #[serde(default)]
    translation: String,
    prefecture: Option<i64>,
    lat: f64,
    lon: f64,
    #[serde(default)]
    formerly: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoneLineEntry {
    code: i64,
    #[serde(default)]
    key: String,
    name: String,
}

/// Something wrong at some line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where, from 1.
    pub line: usize,
    /// What.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Everything that keeps a text from being a network, by line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Unreadable {
    /// At least one.
    pub findings: Vec<Finding>,
}

/// The text of a network file, once it is sure that it can be read again: whoever replaces a good file wants another good one.
///
/// # Errors
/// Everything that would keep it from being read.
pub fn write_checked(network: &Network) -> Result<String, Unreadable> {
    let text = write(network);
    read(&text).map(|_| text)
}

/// Reads and checks the text of a network file.
///
/// # Errors
/// Everything that is wrong, with its line.
pub fn read(text: &str) -> Result<Network, Unreadable> {
    let single = |line, message| Unreadable { findings: vec![Finding { line, message }] };
    if text.len() > MAX_BYTES {
        return Err(single(1, format!("it has {} bytes; a network file has at most {MAX_BYTES}", text.len())));
    }
    let lines = Lines::of(text);
    let file: NetworkFile = toml::from_str(text)
        .map_err(|error| single(lines.number(&error.span().unwrap_or(0..0)), error.message().replace('\n', "; ")))?;
    if *file.format.get_ref() != FORMAT {
        let message = format!("format {} is not known; this Kaisatsu reads format {FORMAT}", file.format.get_ref());
        return Err(single(lines.number(&file.format.span()), message));
    }
    check::check(file, &lines)
}
