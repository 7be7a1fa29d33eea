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
    /// The stations of a name as somebody wrote it: nearly always one.
    Name(String),
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
            Selection::Name(written) => self.covering(self.named(written)),
            Selection::From(..) | Selection::Window { .. } => {
                let window = selection.window(&self.extent)?;
                Some(Selected { stations: self.find_window(&window), window })
            }
        }
    }

    /// The stations that are called so: 三国ヶ丘 and 三国ケ丘 are two stations, and whoever writes one of them means it; whoever writes neither
    /// gets all whose names a person takes for the same.
    fn named(&self, written: &str) -> Vec<usize> {
        let alike = self.find_name(&StationName::fold(written));
        let exact: Vec<usize> = alike.iter().copied().filter(|&at| self.stations()[at].name == written).collect();
        if exact.is_empty() { alike.to_vec() } else { exact }
    }

    fn covering(&self, stations: Vec<usize>) -> Option<Selected> {
        let shapes = stations.iter().flat_map(|&at| &self.stations()[at].marks).map(|mark| mark.shape.bounds());
        let window = shapes.reduce(|all, one| all.union(&one))?;
        Some(Selected { window, stations })
    }
}
