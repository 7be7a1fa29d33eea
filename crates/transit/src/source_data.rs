//! The intermediate form into which every source is read: grouped stops, and lines as runs of stops.
//!
//! Stops are not merged yet, because corrections of names decide which stops are one station.

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

use crate::geo::LatLon;

/// The data of a source.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceData {
    pub(crate) stops: Vec<SourceStop>,
    pub(crate) lines: Vec<SourceLine>,
    /// Whether a person wrote the codes; then they take precedence over those of an earlier network.
    pub(crate) codes_are_fixed: bool,
    /// Whether a stop on no line becomes a station.
    pub(crate) keep_isolated: bool,
    /// Pairs of stops between which passengers walk, beside those of a common group.
    pub(crate) walks: Vec<(usize, usize)>,
    /// Whether the source lists all walks, so that distances need not be looked at.
    pub(crate) walks_suffice: bool,
}

/// The stop of one line at a station, or the station itself if the source does not distinguish them.
#[derive(Debug, Clone)]
pub(crate) struct SourceStop {
    /// The stops of a group form one station.
    pub(crate) group: String,
    /// The source's key, to match later imports; empty if the source has no stable key.
    pub(crate) key: String,
    /// The code of the stop itself.
    pub(crate) code: Option<StationCode>,
    /// The code of its group.
    pub(crate) group_code: Option<StationCode>,
    pub(crate) name: String,
    pub(crate) yomi: String,
    pub(crate) translation: String,
    pub(crate) kind: TransportKind,
    pub(crate) prefecture: Option<Prefecture>,
    pub(crate) position: LatLon,
    pub(crate) formerly: Vec<String>,
}

/// A line of a source.
#[derive(Debug, Clone)]
pub(crate) struct SourceLine {
    /// The source's key.
    pub(crate) key: String,
    pub(crate) code: Option<i64>,
    pub(crate) name: String,
    pub(crate) translation: String,
    pub(crate) color: Option<String>,
    /// What signs write in its bullet; empty if unknown.
    pub(crate) symbol: String,
    /// Who runs it; empty if unknown.
    pub(crate) operator: String,
    /// Runs, as indices into the stops.
    pub(crate) runs: Vec<Vec<usize>>,
    pub(crate) is_loop: bool,
}
