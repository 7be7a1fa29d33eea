//! A route map as the server holds it: checked, immutable, indexed.

use std::collections::HashMap;

use kaisatsu_model::{MapId, Prefecture, Shape, StationCode, StationName, TransportKind, Window};

use crate::{Position, grid::Grid};

/// One shape of a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The shape.
    pub shape: Shape,
    /// Whether its corners are cut.
    pub chamfering: bool,
    /// Whether it is the name on the map.
    pub is_text: bool,
}

/// How a station's name is written into its text rect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label {
    /// The name, broken into rows; at least one.
    pub rows: Vec<String>,
    /// Rows in small letters after them: the second language.
    pub small: Vec<String>,
    /// Whether the rows run downwards, the first one at the right.
    pub down: bool,
}

impl Label {
    /// A name in one row.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self { rows: vec![name.to_owned()], small: Vec::new(), down: false }
    }
}

/// One station.
#[derive(Debug, Clone)]
pub struct Station {
    /// Its code.
    pub code: StationCode,
    /// Its current name.
    pub name: String,
    /// The reading in kana, empty where nobody knows it.
    pub yomi: String,
    /// Its name in a second language, empty where it has none.
    pub translation: String,
    /// What stops there.
    pub kind: TransportKind,
    /// Where it is administratively; `None` outside of Japan.
    pub prefecture: Option<Prefecture>,
    /// Where it is on the earth.
    pub position: Position,
    /// Names it had before.
    pub formerly: Vec<String>,
    /// How its name is written into the rect that is text.
    pub label: Label,
    /// Its shapes on the map, at least one.
    pub marks: Vec<Mark>,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its code.
    pub code: i64,
    /// Its name.
    pub name: String,
    /// Its name in a second language, empty where it has none.
    pub translation: String,
    /// `#rrggbb`.
    pub color: String,
    /// Runs of neighbouring stations.
    pub runs: Vec<Vec<StationCode>>,
    /// Whether each run closes.
    pub is_loop: bool,
    /// How it is drawn; empty: straight from station to station.
    pub paths: Vec<Vec<(f64, f64)>>,
}

/// A checked map. Only [`crate::check`] makes one.
#[derive(Debug)]
pub struct RouteMap {
    /// The id under which it is requested.
    pub id: MapId,
    /// Its name.
    pub name: String,
    /// Which state of the network it shows.
    pub edition: String,
    /// Where its facts come from.
    pub credits: String,
    /// Its extent; it begins at (0, 0).
    pub extent: Window,
    /// Where the legend is drawn, when there is one.
    pub legend: Option<Window>,
    /// The lines, by code.
    pub lines: Vec<Line>,
    stations: Vec<Station>,
    centre: usize,
    by_code: HashMap<StationCode, usize>,
    by_name: HashMap<StationName, Vec<usize>>,
    grid: Grid,
}

/// What [`crate::check`] found good.
pub(crate) struct Parts {
    pub(crate) id: MapId,
    pub(crate) name: String,
    pub(crate) edition: String,
    pub(crate) credits: String,
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) centre: StationCode,
    pub(crate) legend: Option<Window>,
    pub(crate) lines: Vec<Line>,
    pub(crate) stations: Vec<Station>,
}

impl RouteMap {
    /// Orders and indexes the parts; `None` when the centre is none of the stations.
    pub(crate) fn index(parts: Parts) -> Option<Self> {
        let Parts { id, name, edition, credits, width, height, centre, legend, mut lines, mut stations } = parts;
        stations.sort_by_key(|station| station.code);
        lines.sort_by_key(|line| line.code);
        let extent = Window { x: 0, y: 0, width, height };
        let by_code: HashMap<_, _> = stations.iter().enumerate().map(|(at, station)| (station.code, at)).collect();
        let by_name = index_names(&stations);
        let grid = Grid::of(&extent, &stations);
        let centre = *by_code.get(&centre)?;
        Some(Self { id, name, edition, credits, extent, legend, lines, stations, centre, by_code, by_name, grid })
    }

    /// All stations in the order of their codes.
    #[must_use]
    pub fn stations(&self) -> &[Station] {
        &self.stations
    }

    /// The index of the station that is shown first.
    #[must_use]
    pub fn centre(&self) -> usize {
        self.centre
    }

    /// The index of the station of that code.
    pub(crate) fn find_code(&self, code: StationCode) -> Option<usize> {
        self.by_code.get(&code).copied()
    }

    /// The indices of the stations of that name. A current name wins over names that others had before.
    pub(crate) fn find_name(&self, name: &StationName) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The indices of the stations with a shape in the window, ascending.
    pub(crate) fn find_window(&self, window: &Window) -> Vec<usize> {
        self.grid.stations_in(window)
    }
}

fn index_names(stations: &[Station]) -> HashMap<StationName, Vec<usize>> {
    let mut names: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, station) in stations.iter().enumerate() {
        names.entry(StationName::fold(&station.name)).or_default().push(at);
    }
    let mut old_names: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, station) in stations.iter().enumerate() {
        for name in &station.formerly {
            let bearers = old_names.entry(StationName::fold(name)).or_default();
            if !bearers.contains(&at) {
                bearers.push(at);
            }
        }
    }
    for (name, bearers) in old_names {
        names.entry(name).or_insert(bearers);
    }
    names
}
