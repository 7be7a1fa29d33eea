//! Selects the stations that a request asks for.

use kaisatsu_model::{Coordinate, Side, StationCode, StationName, Window};

use crate::RouteMap;

/// A valid request: the rules about exclusive, paired and bounded parameters hold by construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Everything from a point to the right and bottom edges of the map; from (0, 0) the whole map.
    From(Coordinate, Coordinate),
    /// A window of the map.
    Window {
        /// Left edge.
        x: Coordinate,
        /// Top edge.
        y: Coordinate,
        /// Width.
        width: Side,
        /// Height.
        height: Side,
    },
    /// The station with this code.
    Code(StationCode),
    /// The stations with this name, as the caller wrote it; nearly always one. Without any, those that are called so in
    /// another script or spelling; without these, the stations of the line with this name.
    Name(String),
}

impl Selection {
    /// The window to search on a map of that extent; `None` for a selection by code or name.
    #[must_use]
    pub fn window(&self, extent: &Window) -> Option<Window> {
        match self {
            Self::From(x, y) => {
                let (x, y) = (i64::from(*x), i64::from(*y));
                Some(Window { x, y, width: (extent.width - x).max(0), height: (extent.height - y).max(0) })
            }
            Self::Window { x, y, width, height } => {
                Some(Window { x: i64::from(*x), y: i64::from(*y), width: width.get(), height: height.get() })
            }
            Self::Code(_) | Self::Name(_) => None,
        }
    }
}

/// The result of a selection.
#[derive(Debug, PartialEq, Eq)]
pub struct Selected {
    /// The searched window; for a selection by code or name, the bounding box of the stations' shapes.
    pub window: Window,
    /// Indices into [`RouteMap::stations`], ascending, and therefore ordered by code.
    pub stations: Vec<usize>,
}

impl RouteMap {
    /// Selects stations; `None` if no station has the requested code or name.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> Option<Selected> {
        match selection {
            Selection::Code(code) => self.with_bounds(self.find_code(*code).into_iter().collect()),
            Selection::Name(written) => {
                let named = self.named(written);
                self.with_bounds(if named.is_empty() { self.spellings().find(written) } else { named })
            }
            Selection::From(..) | Selection::Window { .. } => {
                let window = selection.window(&self.extent)?;
                Some(Selected { stations: self.find_window(&window), window })
            }
        }
    }

    /// The indices of the stations with a name, current or former, in the script of the map. Exact matches take
    /// precedence: 三国ヶ丘 and 三国ケ丘 are two stations whose names compare as equal. Without an exact match, all stations
    /// whose names compare as equal are returned.
    #[must_use]
    pub fn named(&self, written: &str) -> Vec<usize> {
        let alike = self.find_name(&StationName::fold(written));
        let exact: Vec<usize> = alike.iter().copied().filter(|&at| self.stations()[at].name == written).collect();
        if exact.is_empty() { alike.to_vec() } else { exact }
    }

    fn with_bounds(&self, stations: Vec<usize>) -> Option<Selected> {
        let shapes = stations.iter().flat_map(|&at| &self.stations()[at].marks).map(|mark| mark.shape.bounds());
        let window = shapes.reduce(|all, one| all.union(&one))?;
        Some(Selected { window, stations })
    }
}
