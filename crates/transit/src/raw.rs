//! What every source is first read into: stops in groups, and lines as runs of stops.
//!
//! Nothing is merged yet: corrections of names decide what is one station.

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

use crate::geo::Place;

/// What a source says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raw {
    pub(crate) stops: Vec<Stop>,
    pub(crate) lines: Vec<RawLine>,
    /// Whether the codes were written by a person and hold whatever an earlier network says.
    pub(crate) codes_are_fixed: bool,
    /// Whether a stop that no line calls at is a station all the same.
    pub(crate) keep_lonely: bool,
}

/// One line's stop at a station, or the station itself where the source knows no difference.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    /// Stops of one group are one station.
    pub(crate) group: String,
    /// What the source calls it, to be found again; empty when it calls it nothing that lasts.
    pub(crate) key: String,
    /// The code it would have of its own.
    pub(crate) code: Option<StationCode>,
    /// The code of its group.
    pub(crate) group_code: Option<StationCode>,
    pub(crate) name: String,
    pub(crate) yomi: String,
    pub(crate) translation: String,
    pub(crate) kind: TransportKind,
    pub(crate) prefecture: Option<Prefecture>,
    pub(crate) place: Place,
    pub(crate) formerly: Vec<String>,
}

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct RawLine {
    /// What the source calls it.
    pub(crate) key: String,
    pub(crate) code: Option<i64>,
    pub(crate) name: String,
    pub(crate) translation: String,
    pub(crate) color: Option<String>,
    /// Runs of indices into the stops.
    pub(crate) runs: Vec<Vec<usize>>,
    pub(crate) is_loop: bool,
}
