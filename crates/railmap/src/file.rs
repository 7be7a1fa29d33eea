//! The route map file as it is written: TOML, described in docs/formats/route-map.md.
//!
//! Reading only gives the text its shape and remembers where everything stands; whether it makes sense is decided by
//! [`crate::check`], which can then say the line.

use kaisatsu_model::{Lines, TransportKind};
use serde::Deserialize;
use toml::Spanned;

/// The version of the format that this code reads.
pub const FORMAT: i64 = 1;

/// The largest file that is read.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapFile {
    /// Version of the format.
    pub format: Spanned<i64>,
    /// The id under which the map is requested.
    pub id: Spanned<String>,
    /// Its name for people.
    pub name: Spanned<String>,
    /// Which state of the network it shows.
    pub edition: Option<Spanned<String>>,
    /// Extent to the right.
    pub width: Spanned<i64>,
    /// Extent downwards.
    pub height: Spanned<i64>,
    /// Code of the station to show first.
    pub centre: Spanned<i64>,
    /// Where the facts come from.
    pub credits: Option<Spanned<String>>,
    /// Where the legend is drawn; a map without it has none.
    pub legend: Option<Spanned<LegendEntry>>,
    /// The lines.
    #[serde(default)]
    pub line: Vec<Spanned<LineEntry>>,
    /// The stations.
    #[serde(default)]
    pub station: Vec<Spanned<StationEntry>>,
}

/// The place of the legend, in map units.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegendEntry {
    /// Left edge.
    pub x: i64,
    /// Top edge.
    pub y: i64,
    /// Extent to the right.
    pub width: i64,
    /// Extent downwards.
    pub height: i64,
}

/// One `[[line]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineEntry {
    /// Its code.
    pub code: i64,
    /// Its name.
    pub name: String,
    /// Its name in a second language.
    pub translation: Option<String>,
    /// `#rrggbb`.
    pub color: String,
    /// Runs of station codes; neighbours in a run are neighbours on the line.
    pub stations: Vec<Vec<i64>>,
    /// Whether the last station of each run is followed by its first.
    #[serde(default, rename = "loop")]
    pub is_loop: bool,
    /// How it is drawn: runs of x and y by turns, in map units. Without any, straight from station to station.
    #[serde(default)]
    pub paths: Vec<Vec<f64>>,
}

/// One `[[station]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StationEntry {
    /// Its code, for ever.
    pub code: i64,
    /// Its current name.
    pub name: String,
    /// The reading in hiragana.
    pub yomi: Option<String>,
    /// Its name in a second language.
    pub translation: Option<String>,
    /// What stops there.
    #[serde(default, rename = "type")]
    pub kind: TransportKind,
    /// JIS X 0401 code.
    pub prefecture: Option<i64>,
    /// WGS 84 degrees.
    pub lat: f64,
    /// WGS 84 degrees.
    pub lon: f64,
    /// Names it had before.
    #[serde(default)]
    pub formerly: Vec<String>,
    /// How its name is written into the rect with `text = true`; without it, in one row.
    pub label: Option<LabelEntry>,
    /// Its shapes on the map.
    #[serde(default)]
    pub marks: Vec<MarkEntry>,
}

/// How a name is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelEntry {
    /// The name, broken into rows.
    pub rows: Vec<String>,
    /// Rows in small letters after them: the second language.
    #[serde(default)]
    pub small: Vec<String>,
    /// Whether the rows run downwards, the first one at the right.
    #[serde(default)]
    pub down: bool,
}

/// One shape of a station. Which numbers it needs depends on `shape`, so all are optional here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkEntry {
    /// `rect` or `circle`.
    pub shape: String,
    /// Left edge of a rect, centre of a circle.
    pub x: i64,
    /// Top edge of a rect, centre of a circle.
    pub y: i64,
    /// Of a rect.
    pub width: Option<i64>,
    /// Of a rect.
    pub height: Option<i64>,
    /// Of a circle.
    pub r: Option<i64>,
    /// Whether its corners are cut.
    #[serde(default)]
    pub chamfering: bool,
    /// Whether it is the name on the map.
    #[serde(default)]
    pub text: bool,
}

/// A file that cannot even be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Unreadable {
    /// Where, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Gives a text its shape.
///
/// # Errors
/// Where and why the text is no route map file.
pub fn read(text: &str) -> Result<MapFile, Unreadable> {
    if text.len() > MAX_BYTES {
        return Err(Unreadable { line: 1, message: format!("a map file has at most {MAX_BYTES} bytes") });
    }
    toml::from_str(text).map_err(|error| Unreadable {
        line: Lines::of(text).number(&error.span().unwrap_or(0..0)),
        message: error.message().replace('\n', "; "),
    })
}
