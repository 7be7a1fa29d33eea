//! The graph of a map: what can be reached in one step from where.
//!
//! A station has several kinds of nodes. One is *at* it by train, or starts there; from there one may walk to another
//! station, once. One is *ready* to board there, or has arrived for good. One has *boarded* the train of a line, and
//! one has *ridden* in it from the stop before. So nobody walks across the city from station to station, however few
//! changes that has; and because it is known from where a train came, it does not turn round to join two walks.

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
    /// Rides from a platform to that of the next stop, ordered by platform.
    pub(super) rides: Vec<Ride>,
    /// The rides from platform `p` are `first_ride[p]..first_ride[p + 1]`.
    first_ride: Vec<usize>,
    /// Walks from a station to another.
    walks: Vec<Vec<Step>>,
}

/// A ride to the next stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ride {
    /// The platform where it begins.
    pub(super) from: usize,
    /// What leads to the platform where it ends.
    pub(super) step: Step,
}

/// What a ride to the next stop, or a walk, takes.
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
        let mut rides = Vec::new();
        for (line, from, to) in hops {
            let index = |station| platforms.binary_search(&(station, line));
            let (Ok(a), Ok(b)) = (index(from), index(to)) else { continue };
            let pace = ride::pace_of(&map.lines[line], stations[from].kind);
            let (seconds, metres) = ride::ride(pace, stations[from].position, stations[to].position);
            rides.push(Ride { from: a, step: Step { to: b, seconds, metres } });
            rides.push(Ride { from: b, step: Step { to: a, seconds, metres } });
        }
        rides.sort_unstable();
        let first_ride =
            (0..=platforms.len()).map(|platform| rides.partition_point(|ride| ride.from < platform)).collect();
        Self { platforms, first_platform, rides, first_ride, walks: walks(map) }
    }

    /// How many stations it has.
    pub(super) fn stations(&self) -> usize {
        self.walks.len()
    }

    pub(super) fn platforms_of(&self, station: usize) -> std::ops::Range<usize> {
        self.first_platform[station]..self.first_platform[station + 1]
    }

    pub(super) fn rides_from(&self, platform: usize) -> std::ops::Range<usize> {
        self.first_ride[platform]..self.first_ride[platform + 1]
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
