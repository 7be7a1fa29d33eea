//! Finds the stations that lines pass without stopping, so that an express is drawn on the track of its local line.
//!
//! A network knows stops only. That an express runs over a track shows in its *companions*: other lines that stop at
//! both ends of one of its edges, and at further stations on a way that is hardly longer. Two lines that stop at each
//! other's stations by turns (skip-stop) are companions through their common stations. Where a track has no companion,
//! a line may state what it passes.

mod line_graph;
mod skip_stop;

use std::collections::{BTreeSet, HashMap, HashSet};

use kaisatsu_model::StationCode;

use crate::{Line, Network, geo::LatLon};
use line_graph::LineGraph;

/// Lines with so many common stops run together.
const CLOSE_COMPANION: usize = 6;

/// How many times longer than the straight line a companion's way between two stops may be. Tracks are curved: that of
/// 中央線 from 四ツ谷 to 新宿 is 1.3 times as long. A single station aside, or lines that hardly meet elsewhere, are rather a
/// sign of two tracks.
fn max_detour(common_stops: usize, passed: usize) -> f64 {
    match (common_stops >= CLOSE_COMPANION, passed) {
        (true, 2..) => 1.35,
        (true, _) | (false, 2..) => 1.2,
        (false, _) => 1.15,
    }
}

/// Two adjacent stations of a line, as indices, the smaller first.
type Pair = (usize, usize);

/// The stations that lines pass between two of their stops.
#[derive(Debug, Default)]
pub struct Passes(HashMap<(StationCode, StationCode), Vec<StationCode>>);

impl Passes {
    /// Finds the passes of a network.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let index: HashMap<StationCode, usize> = (0..).zip(&network.stations).map(|(at, s)| (s.code, at)).collect();
        let positions: Vec<LatLon> = network.stations.iter().map(|s| LatLon { lat: s.lat, lon: s.lon }).collect();
        let mut companions: Vec<LineGraph> = network.lines.iter().map(|line| LineGraph::of(line, &index)).collect();
        companions.extend(skip_stop::merged_lines(&network.lines, &index, &positions));
        let ways = Ways::of(&companions, &positions).0;
        let code = |at: usize| network.stations[at].code;
        let direct: HashSet<[StationCode; 2]> =
            network.lines.iter().flat_map(|line| line.direct.iter().flat_map(|&[a, b]| [[a, b], [b, a]])).collect();
        let is_pass = |pair: &Pair, way: &[usize]| way.len() > 2 && !direct.contains(&[code(pair.0), code(pair.1)]);
        let passes = ways.into_iter().filter(|(pair, way)| is_pass(pair, way));
        let found = passes.map(|((a, b), way)| ((code(a), code(b)), way.into_iter().map(code).collect::<Vec<_>>()));
        let mut passes: HashMap<(StationCode, StationCode), Vec<StationCode>> = found.collect();
        for way in network.lines.iter().flat_map(|line| &line.along) {
            if let [from, .., to] = way[..] {
                passes.remove(&(to, from));
                passes.insert((from, to), way.clone());
            }
        }
        Self(passes)
    }

    /// The way from a stop to the next one on a line: both, and between them the stations that are passed.
    #[must_use]
    pub fn way(&self, from: StationCode, to: StationCode) -> Vec<StationCode> {
        let reversed = || self.0.get(&(to, from)).map(|way| way.iter().rev().copied().collect());
        self.0.get(&(from, to)).cloned().or_else(reversed).unwrap_or_else(|| vec![from, to])
    }

    /// The edges on which a line passes stations, with the way of each.
    pub fn edges<'a>(&'a self, line: &'a Line) -> impl Iterator<Item = Vec<StationCode>> + 'a {
        line.edges().map(|(a, b)| self.way(a, b)).filter(|way| way.len() > 2)
    }
}

/// The way along which each pair of adjacent stations is joined.
struct Ways(HashMap<Pair, Vec<usize>>);

impl Ways {
    fn of(companions: &[LineGraph], positions: &[LatLon]) -> Self {
        let metres = |(a, b): Pair| positions[a].metres_to(positions[b]);
        let mut lines_at: Vec<Vec<usize>> = vec![Vec::new(); positions.len()];
        for (at, line) in companions.iter().enumerate() {
            line.stations().for_each(|station| lines_at[station].push(at));
        }
        // Short pairs first: a way consists of shorter pairs, whose own ways are then known.
        let all: BTreeSet<Pair> = companions.iter().flat_map(LineGraph::pairs).collect();
        let mut pairs: Vec<Pair> = all.into_iter().collect();
        pairs.sort_by(|&a, &b| metres(a).total_cmp(&metres(b)).then(a.cmp(&b)));
        let mut ways = Self(HashMap::with_capacity(pairs.len()));
        for pair in pairs {
            let both = lines_at[pair.0].iter().copied().filter(|line| lines_at[pair.1].contains(line));
            let (own, beside): (Vec<usize>, Vec<usize>) = both.partition(|&line| companions[line].has(pair));
            let candidates = beside.into_iter().filter_map(|line| {
                let common = own.iter().map(|&own| companions[own].common_stops(&companions[line])).max()?;
                let longest = metres(pair) * max_detour(common, usize::MAX);
                let (length, stops) = companions[line].way_beside(pair, longest, positions)?;
                let way = ways.refined(&stops)?;
                (length <= metres(pair) * max_detour(common, stops.len() - 2)).then_some((common, length, way))
            });
            // Of several lines, the one that the line accompanies farthest.
            let best = candidates.min_by(|x, y| y.0.cmp(&x.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
            ways.0.insert(pair, best.map_or_else(|| vec![pair.0, pair.1], |(.., way)| way));
        }
        ways
    }

    /// A way with what each of its steps passes; `None` if it comes to a station twice.
    fn refined(&self, stops: &[usize]) -> Option<Vec<usize>> {
        let mut way = vec![*stops.first()?];
        for step in stops.windows(2) {
            let known = self.0.get(&(step[0].min(step[1]), step[0].max(step[1])))?;
            let forward = known.first() == Some(&step[0]);
            let rest = (1..known.len()).map(|at| if forward { known[at] } else { known[known.len() - 1 - at] });
            way.extend(rest);
        }
        let distinct: BTreeSet<usize> = way.iter().copied().collect();
        (distinct.len() == way.len()).then_some(way)
    }
}
