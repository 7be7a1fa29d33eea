//! The data model: a network, its stations and its lines.

use std::collections::BTreeMap;

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

/// Stations and the lines between them, without a layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    /// The id of the map that is built from it.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its display name in a second language; empty if it has none.
    pub translation: String,
    /// Which state of the network it shows.
    pub edition: String,
    /// The sources of the data.
    pub credits: String,
    /// The stations, ordered by code.
    pub stations: Vec<Station>,
    /// The lines, ordered by code.
    pub lines: Vec<Line>,
    /// Groups of stations between which passengers change on foot, each ordered by code. They share no station.
    pub groups: Vec<Vec<StationCode>>,
    /// What the next import needs to assign the same codes.
    pub history: ImportHistory,
}

/// The keys of the source for stations and lines, and the stations and lines that no longer exist.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportHistory {
    /// The source's key of each station.
    pub station_keys: BTreeMap<StationCode, String>,
    /// The source's key of each line.
    pub line_keys: BTreeMap<i64, String>,
    /// Stations that no longer exist. Their codes stay reserved, and they may return.
    pub retired_stations: Vec<RetiredStation>,
    /// Lines that no longer exist.
    pub retired_lines: Vec<RetiredLine>,
}

/// A station of an earlier import. In the network file: `gone_station`.
#[derive(Debug, Clone, PartialEq)]
pub struct RetiredStation {
    /// Its code, which never changes.
    pub code: StationCode,
    /// Its last name.
    pub name: String,
    /// The source's key; empty if unknown.
    pub key: String,
    /// The reading in kana; empty if unknown.
    pub yomi: String,
    /// Its name in a second language; empty if it had none.
    pub translation: String,
    /// Its prefecture.
    pub prefecture: Option<Prefecture>,
    /// Latitude in WGS 84 degrees.
    pub lat: f64,
    /// Longitude in WGS 84 degrees.
    pub lon: f64,
    /// Its former names.
    pub formerly: Vec<String>,
}

/// A line of an earlier import. In the network file: `gone_line`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetiredLine {
    /// Its code.
    pub code: i64,
    /// Its last name.
    pub name: String,
    /// The source's key; empty if unknown.
    pub key: String,
}

/// A station, shared by all lines that stop there.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    /// Its code, which never changes.
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
    /// Latitude in WGS 84 degrees.
    pub lat: f64,
    /// Longitude in WGS 84 degrees.
    pub lon: f64,
    /// Its former names.
    pub formerly: Vec<String>,
    /// Its numbers on its lines, as signs write them: G09, JY17.
    pub numbers: Vec<String>,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
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
    /// Runs: lists of stations in which consecutive stations are adjacent on the line. Each edge is in one run.
    pub runs: Vec<Vec<StationCode>>,
    /// Whether the last station of each run is adjacent to its first.
    pub is_loop: bool,
    /// Neighbours between which it has a track of its own, although another line has stations in between.
    pub direct: Vec<[StationCode; 2]>,
    /// Ways past stations that nothing else in the network tells: two neighbours, and between them what it passes.
    pub along: Vec<Vec<StationCode>>,
}

impl Line {
    /// All pairs of adjacent stations, run by run, including the closing edge of a loop.
    pub fn edges(&self) -> impl Iterator<Item = (StationCode, StationCode)> + '_ {
        self.runs.iter().flat_map(|run| {
            let closing = run.last().copied().zip(run.first().copied()).filter(|_| self.is_loop && run.len() > 2);
            run.windows(2).map(|pair| (pair[0], pair[1])).chain(closing)
        })
    }
}

impl Network {
    /// The number of pairs of stations that are adjacent on any line.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        let edges = self.lines.iter().flat_map(Line::edges).map(|(a, b)| (a.min(b), a.max(b)));
        edges.collect::<std::collections::HashSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::StationCode;

    use super::Line;

    #[test]
    fn a_loop_of_three_stations_has_a_closing_edge_and_one_of_two_has_none() {
        let edges = |codes: &[i64], is_loop: bool| {
            let run = codes.iter().map(|&code| StationCode::new(code).unwrap()).collect();
            let text = String::new;
            let (name, translation, color, symbol, operator) = (text(), text(), text(), text(), text());
            let line = Line {
                code: 1,
                name,
                translation,
                color,
                symbol,
                operator,
                runs: vec![run],
                is_loop,
                direct: Vec::new(),
                along: Vec::new(),
            };
            line.edges().map(|(a, b)| (a.get(), b.get())).collect::<Vec<_>>()
        };
        assert_eq!(edges(&[1, 2, 3], true), [(1, 2), (2, 3), (3, 1)]);
        assert_eq!(edges(&[1, 2, 3], false), [(1, 2), (2, 3)]);
        assert_eq!(edges(&[1, 2], true), [(1, 2)]);
    }
}
