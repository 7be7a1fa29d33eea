//! Which stations a caller asked for.

use kaisatsu_model::{Coordinate, Side, StationCode, StationName, Window};

use crate::RouteMap;

/// A request that cannot be wrong: the rules of exclusivity, pairing and range hold by construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Everything from a point to the far edges of the map; the whole map from (0, 0).
    From(Coordinate, Coordinate),
    /// A window of the map.
    Window {
        /// Left edge.
        x: Coordinate,
        /// Top edge.
        y: Coordinate,
        /// Extent to the right.
        width: Side,
        /// Extent downwards.
        height: Side,
    },
    /// One station by its code.
    Code(StationCode),
    /// The stations of a name: nearly always one.
    Name(StationName),
}

impl Selection {
    /// The window that is searched on a map of that extent; `None` when stations are asked for, wherever they are.
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

/// What was selected.
#[derive(Debug, PartialEq, Eq)]
pub struct Selected {
    /// The window that was really searched; for stations by code or name, what their shapes cover.
    pub window: Window,
    /// Indices into [`RouteMap::stations`], ascending, so in the order of the codes.
    pub stations: Vec<usize>,
}

impl RouteMap {
    /// Selects stations; `None` when a station was asked for that is not on the map.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> Option<Selected> {
        match selection {
            Selection::Code(code) => self.covering(self.find_code(*code).into_iter().collect()),
            Selection::Name(name) => self.covering(self.find_name(name).to_vec()),
            Selection::From(..) | Selection::Window { .. } => {
                let window = selection.window(&self.extent)?;
                Some(Selected { stations: self.find_window(&window), window })
            }
        }
    }

    fn covering(&self, stations: Vec<usize>) -> Option<Selected> {
        let shapes = stations.iter().flat_map(|&at| &self.stations()[at].marks).map(|mark| mark.shape.bounds());
        let window = shapes.reduce(|all, one| all.union(&one))?;
        Some(Selected { window, stations })
    }
}
