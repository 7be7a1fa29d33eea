//! Why a network cannot be laid out.

use crate::verify::Violations;

/// The advice for networks that do not fit. The layout has no setting that would help.
const REMEDY: &str = "Draw a smaller area or fewer lines";

/// Why there is no map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The network is empty.
    #[error("the network has no station")]
    Empty,
    /// The id is not a valid map id.
    #[error("{0}")]
    Id(String),
    /// The position of a station is out of range.
    #[error("the position of station {0} is not on the earth")]
    InvalidPosition(String),
    /// Some corridors could not be routed, even on the finest grid.
    #[error("no layout without crossings was found: {0} edges could not be routed. {REMEDY}")]
    Unroutable(usize),
    /// All corridors are routed, but some faces are inverted.
    #[error(
        "no layout was found that preserves the faces of the network: {0} edges are beside an inverted face. {REMEDY}"
    )]
    InvertedFaces(usize),
    /// The finished layout does not preserve the network, or labels overlap. This is a bug in the layout.
    #[error("the layout is not valid, which is a bug: {0:?}, {1} overlapping labels")]
    Inconsistent(Violations, usize),
    /// The network is too large for the grid, or the map is larger than allowed.
    #[error("the network is too large to be drawn: {0}")]
    TooLarge(String),
    /// Some labels could not be placed.
    #[error("the labels of these stations could not be placed: {0}. {REMEDY}, or build without --second-language")]
    UnplacedLabels(String),
}
