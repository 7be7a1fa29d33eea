//! A validated route map, immutable and indexed for selections.

use std::{collections::HashMap, sync::OnceLock};

use kaisatsu_model::{
    MapId, MapLanguage, Position, Prefecture, Shape, StationCode, StationName, TransportKind, Window,
};

use crate::{grid::Grid, spellings::Spellings};

/// One shape of a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The shape.
    pub shape: Shape,
    /// Whether its corners are chamfered.
    pub chamfering: bool,
    /// Whether the shape holds the station's name.
    pub is_text: bool,
}

/// How a station's name is set in its text rect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label {
    /// The name, split into rows; at least one.
    pub rows: Vec<String>,
    /// Further rows in small type: the name in the second language.
    pub small: Vec<String>,
    /// Whether the rows are set vertically, the first one at the right.
    pub down: bool,
    /// The font size of `rows`, in map units. That of `small` is two thirds of it.
    pub size: u8,
}

impl Label {
    /// The font size of most names, in map units.
    pub const SIZE: u8 = 12;

    /// A name in one row.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self { rows: vec![name.to_owned()], small: Vec::new(), down: false, size: Self::SIZE }
    }
}

/// One station.
#[derive(Debug, Clone)]
pub struct Station {
    /// Its code.
    pub code: StationCode,
    /// Its current name.
    pub name: String,
    /// The reading in kana; empty if unknown.
    pub yomi: String,
    /// Its name in a second language; empty if it has none.
    pub translation: String,
    /// Its mode of transport.
    pub kind: TransportKind,
    /// Its prefecture; `None` outside Japan.
    pub prefecture: Option<Prefecture>,
    /// Its position on the earth.
    pub position: Position,
    /// Its former names.
    pub formerly: Vec<String>,
    /// Its numbers on its lines, as signs write them: G09, JY17.
    pub numbers: Vec<String>,
    /// Where its numbers are drawn on a large scale.
    pub numbers_at: Option<Window>,
    /// How its name is set in the text rect.
    pub label: Label,
    /// Its shapes on the map, at least one.
    pub marks: Vec<Mark>,
}

impl Station {
    /// Its name in a language.
    #[must_use]
    pub fn name_in(&self, language: MapLanguage) -> &str {
        language.choose(&self.name, &self.translation)
    }
}

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its code.
    pub code: i64,
    /// Its name.
    pub name: String,
    /// Its name in a second language; empty if it has none.
    pub translation: String,
    /// `#rrggbb`.
    pub color: String,
    /// What signs write in the bullet of the line: G, JY; empty if it has none.
    pub symbol: String,
    /// Who runs it; empty if unknown.
    pub operator: String,
    /// Runs: lists of stations in which consecutive stations are adjacent on the line.
    pub runs: Vec<Vec<StationCode>>,
    /// Whether the last station of each run is adjacent to its first.
    pub is_loop: bool,
    /// The drawn polylines. If empty, straight segments join the stations.
    pub paths: Vec<Vec<(f64, f64)>>,
    /// The centres of its bullets.
    pub bullets: Vec<(f64, f64)>,
}

impl Line {
    /// Its name in a language.
    #[must_use]
    pub fn name_in(&self, language: MapLanguage) -> &str {
        language.choose(&self.name, &self.translation)
    }
}

/// Stations between which passengers change on foot.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Two stations or more, ordered by code.
    pub stations: Vec<StationCode>,
    /// The drawn connectors between their marks, as polylines.
    pub paths: Vec<Vec<(f64, f64)>>,
}

/// A validated map. Only [`crate::check`] creates one.
#[derive(Debug)]
pub struct RouteMap {
    /// The id under which it is requested.
    pub id: MapId,
    /// The language of its labels, for which it is laid out.
    pub language: MapLanguage,
    /// Its display name.
    pub name: String,
    /// Its display name in a second language; empty if it has none.
    pub translation: String,
    /// Which state of the network it shows.
    pub edition: String,
    /// The sources of the data.
    pub credits: String,
    /// Its extent, which begins at (0, 0).
    pub extent: Window,
    /// The bounds of the legend, if the map has one.
    pub legend: Option<Window>,
    /// The lines, ordered by code.
    pub lines: Vec<Line>,
    /// The groups of stations, ordered by code. They share no station.
    pub groups: Vec<Group>,
    stations: Vec<Station>,
    centre: usize,
    by_code: HashMap<StationCode, usize>,
    by_name: HashMap<StationName, Vec<usize>>,
    /// Made when a name is sought that no station has as it is written.
    spellings: OnceLock<Spellings>,
    grid: Grid,
}

/// The validated contents of a map file.
pub(crate) struct MapParts {
    pub(crate) id: MapId,
    pub(crate) language: MapLanguage,
    pub(crate) name: String,
    pub(crate) translation: String,
    pub(crate) edition: String,
    pub(crate) credits: String,
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) centre: StationCode,
    pub(crate) legend: Option<Window>,
    pub(crate) lines: Vec<Line>,
    pub(crate) groups: Vec<Group>,
    pub(crate) stations: Vec<Station>,
}

impl RouteMap {
    /// Sorts and indexes the contents; `None` if the centre is not one of the stations.
    pub(crate) fn from_parts(parts: MapParts) -> Option<Self> {
        let MapParts { id, language, name, translation, edition, credits, width, height, centre, legend, .. } = parts;
        let MapParts { mut lines, groups, mut stations, .. } = parts;
        stations.sort_by_key(|station| station.code);
        lines.sort_by_key(|line| line.code);
        let extent = Window { x: 0, y: 0, width, height };
        let by_code: HashMap<_, _> = stations.iter().enumerate().map(|(at, station)| (station.code, at)).collect();
        let by_name = index_names(&stations);
        let grid = Grid::of(&extent, &stations);
        let centre = *by_code.get(&centre)?;
        Some(Self {
            id,
            language,
            name,
            translation,
            edition,
            credits,
            extent,
            legend,
            lines,
            groups,
            stations,
            centre,
            by_code,
            by_name,
            spellings: OnceLock::new(),
            grid,
        })
    }

    /// Its display name in the language of its labels.
    #[must_use]
    pub fn title(&self) -> &str {
        self.language.choose(&self.name, &self.translation)
    }

    /// Whether a station or a line has another name in the Latin alphabet.
    #[must_use]
    pub fn is_translated(&self) -> bool {
        let differs = |name: &str, translation: &str| !translation.is_empty() && translation != name;
        self.stations.iter().any(|station| differs(&station.name, &station.translation))
            || self.lines.iter().any(|line| differs(&line.name, &line.translation))
    }

    /// The same map with labels in another language, for a map that is not laid out for it: the labels keep their
    /// rects, into which the names are drawn as large as they fit.
    pub(crate) fn relabelled(&self, language: MapLanguage) -> Option<Self> {
        let relabelled = |station: &Station| {
            let rows = vec![station.name_in(language).to_owned()];
            let is_both = language == MapLanguage::Both && !station.translation.is_empty();
            let small = if is_both { vec![station.translation.clone()] } else { Vec::new() };
            let label = Label { rows, small, ..station.label.clone() };
            Station { label, ..station.clone() }
        };
        Self::from_parts(MapParts {
            id: self.id.clone(),
            language,
            name: self.name.clone(),
            translation: self.translation.clone(),
            edition: self.edition.clone(),
            credits: self.credits.clone(),
            width: self.extent.width,
            height: self.extent.height,
            centre: self.stations.get(self.centre)?.code,
            legend: self.legend,
            lines: self.lines.clone(),
            groups: self.groups.clone(),
            stations: self.stations.iter().map(relabelled).collect(),
        })
    }

    /// All stations, ordered by code.
    #[must_use]
    pub fn stations(&self) -> &[Station] {
        &self.stations
    }

    /// The index of the station that viewers show first.
    #[must_use]
    pub fn centre(&self) -> usize {
        self.centre
    }

    /// The index of the station with that code.
    pub(crate) fn find_code(&self, code: StationCode) -> Option<usize> {
        self.by_code.get(&code).copied()
    }

    /// The indices of the stations with that name. A current name takes precedence over a former one.
    pub(crate) fn find_name(&self, name: &StationName) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// What its stations and lines are called in other scripts and spellings.
    pub(crate) fn spellings(&self) -> &Spellings {
        self.spellings.get_or_init(|| Spellings::of(self))
    }

    /// The indices of the stations with a shape in the window, in ascending order.
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
