//! The draft of a network: stations and lines that may not have codes yet.

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

use crate::geo::LatLon;

/// A station that may not have a code yet.
#[derive(Debug, Clone)]
pub(crate) struct DraftStation {
    pub(crate) key: String,
    pub(crate) code: Option<StationCode>,
    /// Whether a person wrote the code.
    pub(crate) is_fixed: bool,
    pub(crate) name: String,
    pub(crate) yomi: String,
    pub(crate) translation: String,
    pub(crate) kind: TransportKind,
    pub(crate) prefecture: Option<Prefecture>,
    pub(crate) position: LatLon,
    pub(crate) formerly: Vec<String>,
    pub(crate) numbers: Vec<String>,
}

/// A line that may not have a code yet.
#[derive(Debug, Clone)]
pub(crate) struct DraftLine {
    pub(crate) key: String,
    pub(crate) code: Option<i64>,
    pub(crate) name: String,
    pub(crate) translation: String,
    /// `#rrggbb`; empty until a line without one in the source gets its own.
    pub(crate) color: String,
    pub(crate) symbol: String,
    pub(crate) operator: String,
    /// Runs, as indices into the stations.
    pub(crate) runs: Vec<Vec<usize>>,
    pub(crate) is_loop: bool,
    /// Neighbours between which it has a track of its own.
    pub(crate) direct: Vec<[usize; 2]>,
    /// Two neighbours, and between them what it passes.
    pub(crate) along: Vec<Vec<usize>>,
}

/// A network without codes.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) stations: Vec<DraftStation>,
    pub(crate) lines: Vec<DraftLine>,
    /// Pairs of stations between which the source says that passengers walk, as indices.
    pub(crate) walks: Vec<(usize, usize)>,
    /// Whether the source lists all walks.
    pub(crate) walks_suffice: bool,
}
