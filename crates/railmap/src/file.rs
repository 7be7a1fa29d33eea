//! The schema of the route map file, TOML as described in docs/formats/route-map.md.
//!
//! Reading deserialises the text and records the position of each item. [`crate::check`] then validates the contents
//! and uses the positions to report line numbers.

use kaisatsu_model::{LineIndex, TransportKind};
use serde::Deserialize;
use toml::Spanned;

/// The format version that this code reads.
pub const FORMAT: i64 = 1;

/// The largest map file that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A deserialised map file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapFile {
    /// Format version.
    pub format: Spanned<i64>,
    /// The id under which the map is requested.
    pub id: Spanned<String>,
    /// The language of its labels, in a file beside that of the map itself.
    pub language: Option<Spanned<String>>,
    /// Its display name.
    pub name: Spanned<String>,
    /// Its display name in a second language.
    pub translation: Option<Spanned<String>>,
    /// Which state of the network it shows.
    pub edition: Option<Spanned<String>>,
    /// Width in map units.
    pub width: Spanned<i64>,
    /// Height in map units.
    pub height: Spanned<i64>,
    /// Code of the station that viewers show first.
    pub centre: Spanned<i64>,
    /// The sources of the data.
    pub credits: Option<Spanned<String>>,
    /// The bounds of the legend; without it the map has no legend.
    pub legend: Option<Spanned<LegendEntry>>,
    /// The lines.
    #[serde(default)]
    pub line: Vec<Spanned<LineEntry>>,
    /// Groups of stations between which passengers change on foot.
    #[serde(default)]
    pub group: Vec<Spanned<GroupEntry>>,
    /// The stations.
    #[serde(default)]
    pub station: Vec<Spanned<StationEntry>>,
}

/// The bounds of the legend, in map units.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegendEntry {
    /// Left edge.
    pub x: i64,
    /// Top edge.
    pub y: i64,
    /// Width.
    pub width: i64,
    /// Height.
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
    /// What signs write in the bullet of the line: G, JY.
    #[serde(default)]
    pub symbol: String,
    /// Who runs it.
    #[serde(default)]
    pub operator: String,
    /// Runs: lists of station codes in which consecutive stations are adjacent on the line.
    pub stations: Vec<Vec<i64>>,
    /// Whether the last station of each run is adjacent to its first.
    #[serde(default, rename = "loop")]
    pub is_loop: bool,
    /// The drawn polylines, as alternating x and y in map units. Without any, straight segments join the stations.
    #[serde(default)]
    pub paths: Vec<Vec<f64>>,
    /// The centres of its bullets, as alternating x and y in map units.
    #[serde(default)]
    pub bullets: Vec<f64>,
}

/// One `[[group]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupEntry {
    /// Its stations.
    pub stations: Vec<i64>,
    /// The drawn connectors, as alternating x and y in map units.
    #[serde(default)]
    pub paths: Vec<Vec<f64>>,
}

/// One `[[station]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StationEntry {
    /// Its code, which never changes.
    pub code: i64,
    /// Its current name.
    pub name: String,
    /// The reading in hiragana.
    pub yomi: Option<String>,
    /// Its name in a second language.
    pub translation: Option<String>,
    /// Its mode of transport.
    #[serde(default, rename = "type")]
    pub kind: TransportKind,
    /// JIS X 0401 code.
    pub prefecture: Option<i64>,
    /// WGS 84 degrees.
    pub lat: f64,
    /// WGS 84 degrees.
    pub lon: f64,
    /// Its former names.
    #[serde(default)]
    pub formerly: Vec<String>,
    /// Its numbers on its lines, as signs write them: G09, JY17.
    #[serde(default)]
    pub numbers: Vec<String>,
    /// Where its numbers are drawn on a large scale: x, y, width and height. Without it they are not drawn.
    pub numbers_at: Option<[i64; 4]>,
    /// How its name is set in the rect with `text = true`; one row by default.
    pub label: Option<LabelEntry>,
    /// Its shapes on the map.
    #[serde(default)]
    pub marks: Vec<MarkEntry>,
}

/// How a name is set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelEntry {
    /// The name, split into rows.
    pub rows: Vec<String>,
    /// Further rows in small type: the name in the second language.
    #[serde(default)]
    pub small: Vec<String>,
    /// Whether the rows are set vertically, the first one at the right.
    #[serde(default)]
    pub down: bool,
    /// The font size of the rows, in map units.
    pub size: Option<u8>,
}

/// One shape of a station. Which numbers are required depends on `shape`, so all are optional here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkEntry {
    /// `rect` or `circle`.
    pub shape: String,
    /// Left edge of a rect, centre of a circle.
    pub x: i64,
    /// Top edge of a rect, centre of a circle.
    pub y: i64,
    /// Width of a rect.
    pub width: Option<i64>,
    /// Height of a rect.
    pub height: Option<i64>,
    /// Radius of a circle.
    pub r: Option<i64>,
    /// Whether its corners are chamfered.
    #[serde(default)]
    pub chamfering: bool,
    /// Whether the shape holds the station's name.
    #[serde(default)]
    pub text: bool,
}

/// The text is not valid TOML, or not of this schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The line number, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Deserialises the text of a map file.
///
/// # Errors
/// The line and the reason if the text is not a route map file.
pub fn read(text: &str) -> Result<MapFile, ParseError> {
    if text.len() > MAX_BYTES {
        return Err(ParseError { line: 1, message: format!("a map file has at most {MAX_BYTES} bytes") });
    }
    toml::from_str(text).map_err(|error| ParseError {
        line: LineIndex::new(text).number(&error.span().unwrap_or(0..0)),
        message: error.message().replace('\n', "; "),
    })
}
