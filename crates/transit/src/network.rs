//! The nouns: a network, its stations and its lines.

use std::collections::BTreeMap;

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

/// Stations and the lines that join them, without any drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    /// The id of the map that will be drawn of it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Which state of the world it shows.
    pub edition: String,
    /// Where the facts come from.
    pub credits: String,
    /// The stations, by code.
    pub stations: Vec<Station>,
    /// The lines, by code.
    pub lines: Vec<Line>,
    /// What the next import needs to give out the same codes again.
    pub memory: Memory,
}

/// What ties a network to its sources: how they call things, and what they no longer have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// What the source calls a station.
    pub station_keys: BTreeMap<StationCode, String>,
    /// What the source calls a line.
    pub line_keys: BTreeMap<i64, String>,
    /// Stations that are gone. Their codes are theirs for ever, and they may come back.
    pub gone_stations: Vec<GoneStation>,
    /// Lines that are gone.
    pub gone_lines: Vec<GoneLine>,
}

/// A station that an earlier import had.
#[derive(Debug, Clone, PartialEq)]
pub struct GoneStation {
    /// Its code, for ever.
    pub code: StationCode,
    /// Its last name.
    pub name: String,
    /// What the source called it, empty where nothing is known.
    pub key: String,
    /// The reading in kana, empty where nobody knew it.
    pub yomi: String,
    /// Its name in a second language, empty where it had none.
    pub translation: String,
    /// Where it was administratively.
    pub prefecture: Option<Prefecture>,
    /// WGS 84 degrees.
    pub lat: f64,
    /// WGS 84 degrees.
    pub lon: f64,
    /// Names it had before its last one.
    pub formerly: Vec<String>,
}

/// A line that an earlier import had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneLine {
    /// Its code.
    pub code: i64,
    /// Its last name.
    pub name: String,
    /// What the source called it, empty where nothing is known.
    pub key: String,
}

/// One station: what lines share is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    /// Its code, for ever.
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
    /// WGS 84 degrees.
    pub lat: f64,
    /// WGS 84 degrees.
    pub lon: f64,
    /// Names it had before.
    pub formerly: Vec<String>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its code.
    pub code: i64,
    /// Its name.
    pub name: String,
    /// Its name in a second language, empty where it has none.
    pub translation: String,
    /// `#rrggbb`.
    pub color: String,
    /// Runs of station codes; neighbours in a run are neighbours on the line.
    pub runs: Vec<Vec<StationCode>>,
    /// Whether the last station of each run is followed by its first.
    pub is_loop: bool,
}

impl Line {
    /// Every pair of neighbours, run by run, with the closing one of a loop.
    pub fn edges(&self) -> impl Iterator<Item = (StationCode, StationCode)> + '_ {
        self.runs.iter().flat_map(|run| {
            let closing = run.last().copied().zip(run.first().copied()).filter(|_| self.is_loop && run.len() > 2);
            run.windows(2).map(|pair| (pair[0], pair[1])).chain(closing)
        })
    }
}

impl Network {
    /// How many pairs of stations are neighbours on some line.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        let edges = self.lines.iter().flat_map(Line::edges).map(|(a, b)| (a.min(b), a.max(b)));
        edges.collect::<std::collections::HashSet<_>>().len()
    }
}
