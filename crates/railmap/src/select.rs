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
        let window = match selection {
            Selection::From(x, y) => {
                let (x, y) = (i64::from(*x), i64::from(*y));
                Window { x, y, width: (self.extent.width - x).max(0), height: (self.extent.height - y).max(0) }
            }
            Selection::Window { x, y, width, height } => {
                Window { x: i64::from(*x), y: i64::from(*y), width: width.get(), height: height.get() }
            }
            Selection::Code(code) => return self.covering(self.find_code(*code).into_iter().collect()),
            Selection::Name(name) => return self.covering(self.find_name(name).to_vec()),
        };
        Some(Selected { stations: self.find_window(&window), window })
    }

    fn covering(&self, stations: Vec<usize>) -> Option<Selected> {
        let shapes = stations.iter().flat_map(|&at| &self.stations()[at].marks).map(|mark| mark.shape.bounds());
        let window = shapes.reduce(|all, one| all.union(&one))?;
        Some(Selected { window, stations })
    }
}
