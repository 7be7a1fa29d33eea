//! The schema of the network file.

use kaisatsu_model::TransportKind;
use serde::Deserialize;
use toml::Spanned;

/// The format version that this code reads and writes.
pub const FORMAT: i64 = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkFile {
    pub(super) format: Spanned<i64>,
    pub(super) id: Spanned<String>,
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) translation: String,
    #[serde(default)]
    pub(super) edition: String,
    #[serde(default)]
    pub(super) credits: String,
    #[serde(default)]
    pub(super) line: Vec<Spanned<LineEntry>>,
    #[serde(default)]
    pub(super) station: Vec<Spanned<StationEntry>>,
    #[serde(default)]
    pub(super) group: Vec<Spanned<GroupEntry>>,
    #[serde(default)]
    pub(super) gone_line: Vec<Spanned<RetiredLineEntry>>,
    #[serde(default)]
    pub(super) gone_station: Vec<Spanned<RetiredStationEntry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineEntry {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) key: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) translation: String,
    pub(super) color: String,
    #[serde(default)]
    pub(super) symbol: String,
    #[serde(default)]
    pub(super) operator: String,
    pub(super) stations: Vec<Vec<i64>>,
    #[serde(default, rename = "loop")]
    pub(super) is_loop: bool,
    #[serde(default)]
    pub(super) direct: Vec<[i64; 2]>,
    #[serde(default)]
    pub(super) along: Vec<Vec<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StationEntry {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) key: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) yomi: String,
    #[serde(default)]
    pub(super) translation: String,
    #[serde(default, rename = "type")]
    pub(super) kind: TransportKind,
    pub(super) prefecture: Option<i64>,
    pub(super) lat: f64,
    pub(super) lon: f64,
    #[serde(default)]
    pub(super) formerly: Vec<String>,
    #[serde(default)]
    pub(super) numbers: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupEntry {
    pub(super) stations: Vec<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetiredStationEntry {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) key: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) yomi: String,
    #[serde(default)]
    pub(super) translation: String,
    pub(super) prefecture: Option<i64>,
    pub(super) lat: f64,
    pub(super) lon: f64,
    #[serde(default)]
    pub(super) formerly: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetiredLineEntry {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) key: String,
    pub(super) name: String,
}
