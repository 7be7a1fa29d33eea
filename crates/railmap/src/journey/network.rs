//! The graph of a map: what can be reached in one step from where.
//!
//! A station has three kinds of nodes. One is *at* it by train, or starts there; from there one may walk to another
//! station, once. One is *ready* to board there, or has arrived for good. And one is on the *platform* of a line, in
//! its train. So nobody walks across the city from station to station, however few changes that has.

use std::collections::{BTreeSet, HashMap};

use kaisatsu_model::{StationCode, StationName};

use super::ride;
use crate::RouteMap;

/// A map as a graph.
#[derive(Debug)]
pub struct Network {
    /// For each platform, its station and line. Platforms are ordered by station.
    pub(super) platforms: Vec<(usize, usize)>,
    /// The platforms of station `s` are `first_platform[s]..first_platform[s + 1]`.
    first_platform: Vec<usize>,
    /// Rides from a platform to that of the next stop.
    rides: Vec<Vec<Step>>,
    /// Walks from a station to another.
    walks: Vec<Vec<Step>>,
}

/// A ride to the next stop, or a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) to: usize,
    pub(super) seconds: u32,
    pub(super) metres: u32,
}

impl Network {
    /// The network of a map.
    #[must_use]
    pub fn of(map: &RouteMap) -> Self {
        let hops = hops(map);
        let ends = hops.iter().flat_map(|(line, from, to)| [(*from, *line), (*to, *line)]);
        let platforms: Vec<(usize, usize)> = ends.collect::<BTreeSet<_>>().into_iter().collect();
        let stations = map.stations();
        let first_platform =
            (0..=stations.len()).map(|station| platforms.partition_point(|(at, _)| *at < station)).collect();
        let mut rides = vec![Vec::new(); platforms.len()];
        for (line, from, to) in hops {
            let index = |station| platforms.binary_search(&(station, line));
            let (Ok(a), Ok(b)) = (index(from), index(to)) else { continue };
            let pace = ride::pace_of(&map.lines[line], stations[from].kind);
            let (seconds, metres) = ride::ride(pace, stations[from].position, stations[to].position);
            rides[a].push(Step { to: b, seconds, metres });
            rides[b].push(Step { to: a, seconds, metres });
        }
        Self { platforms, first_platform, rides, walks: walks(map) }
    }

    /// How many stations it has.
    pub(super) fn stations(&self) -> usize {
        self.walks.len()
    }

    pub(super) fn platforms_of(&self, station: usize) -> std::ops::Range<usize> {
        self.first_platform[station]..self.first_platform[station + 1]
    }

    pub(super) fn rides(&self, platform: usize) -> &[Step] {
        &self.rides[platform]
    }

    pub(super) fn walks(&self, station: usize) -> &[Step] {
        &self.walks[station]
    }
}

/// The pairs of neighbours on each line, each pair once.
fn hops(map: &RouteMap) -> BTreeSet<(usize, usize, usize)> {
    let mut hops = BTreeSet::new();
    for (at, line) in map.lines.iter().enumerate() {
        for run in &line.runs {
            let closing = run.last().zip(run.first()).filter(|_| line.is_loop);
            let pairs = run.iter().zip(run.iter().skip(1)).chain(closing);
            for (one, other) in pairs.filter_map(|(one, other)| map.find_code(*one).zip(map.find_code(*other))) {
                if one != other {
                    hops.insert((at, one.min(other), one.max(other)));
                }
            }
        }
    }
    hops
}

/// The degrees of latitude within which two stations may be near enough to walk: 1.2 km.
const NEAR: f64 = 0.0108;

fn walks(map: &RouteMap) -> Vec<Vec<Step>> {
    let stations = map.stations();
    let mut by_name: HashMap<StationName, usize> = HashMap::new();
    let names: Vec<usize> = stations
        .iter()
        .map(|station| {
            let next = by_name.len();
            *by_name.entry(StationName::fold(&station.name)).or_insert(next)
        })
        .collect();
    let group_of: HashMap<StationCode, usize> = (0..)
        .zip(&map.groups)
        .flat_map(|(group, known)| known.stations.iter().map(move |code| (*code, group)))
        .collect();
    let groups: Vec<Option<usize>> = stations.iter().map(|station| group_of.get(&station.code).copied()).collect();
    // From south to north, so that only a band has to be looked at for each station.
    let latitude = |at: &usize| stations[*at].position.degrees().0;
    let mut northward: Vec<usize> = (0..stations.len()).collect();
    northward.sort_by(|a, b| latitude(a).total_cmp(&latitude(b)));
    let mut walks = vec![Vec::new(); stations.len()];
    for (rank, &one) in northward.iter().enumerate() {
        let band = northward[rank + 1..].iter().take_while(|other| latitude(other) - latitude(&one) < NEAR);
        for &other in band {
            let is_known = names[one] == names[other] || (groups[one].is_some() && groups[one] == groups[other]);
            if let Some((seconds, metres)) = ride::walk(stations[one].position, stations[other].position, is_known) {
                walks[one].push(Step { to: other, seconds, metres });
                walks[other].push(Step { to: one, seconds, metres });
            }
        }
    }
    for steps in &mut walks {
        steps.sort_unstable();
    }
    walks
}
