//! Determines which places of a feed are one station: by their names, distances and transfers, and by the trips. Stops
//! that a route serves in opposite directions are one station whatever they are called.
//!
//! A trip that calls at two places one after the other proves that they are two stations, however similar their names
//! are: Terminal 1 and Terminal 2, or three stops in a row that are all called Plaza.

use std::collections::{BTreeMap, BTreeSet};

use kaisatsu_model::StationName;

use super::{
    opposite_stops,
    patterns::Patterns,
    platform_names::{place, unnumbered_place},
    stations::Place,
    walks::Pairs,
};

/// Places of the same name, without platform and direction, within this distance are one station.
const MAX_SAME_NAME_DISTANCE_M: f64 = 300.0;
/// Places whose names differ in a last letter or number, or in a platform, within this distance are one station.
const MAX_PLATFORM_DISTANCE_M: f64 = 100.0;
/// How far a trip is followed along stops of one name. As many within a walk's distance are a mistake of the feed.
const MAX_CALLS_IN_A_ROW: usize = 16;

/// Returns for each place the first place of its station, itself if that is the first.
///
/// Places are merged if they have the same name, apart from platform and direction, within a distance. Between places
/// with several stops, transfers decide instead of the distance if the feed has any.
pub(super) fn merge(places: &[Place], transfers: &Pairs, patterns: &Patterns) -> Vec<usize> {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut by_numbered_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let numbered: Vec<String> = places.iter().map(|one| fold(unnumbered_place(&one.name))).collect();
    for (index, one) in places.iter().enumerate() {
        by_name.entry(fold(place(&one.name))).or_default().push(index);
        if !one.has_platforms {
            by_numbered_name.entry(numbered[index].clone()).or_default().push(index);
        }
    }
    let is_one = |a: usize, b: usize, metres: f64| {
        if transfers.is_empty() || !places[a].has_platforms || !places[b].has_platforms {
            metres <= MAX_SAME_NAME_DISTANCE_M
        } else {
            transfers.contains(&(a, b))
        }
    };
    let mut stations = Stations::new(places.len(), &consecutive(places, &numbered, patterns));
    stations.join_nearest(places, by_name.values(), is_one);
    stations.join_nearest(places, by_numbered_name.values(), |_, _, metres| metres <= MAX_PLATFORM_DISTANCE_M);
    // Opposite stops may have any names. They do not make one station of stops that follow each other.
    stations.keep_apart(&opposite_stops::successive(patterns));
    for (a, b) in opposite_stops::pairs(places, patterns) {
        stations.join(a, b);
    }
    (0..places.len()).map(|place| stations.of(place)).collect()
}

/// The form in which names are compared.
pub(super) fn fold(name: &str) -> String {
    StationName::fold(name).as_str().to_owned()
}

/// The pairs of places with similar names at which one trip calls one after the other. Between them it calls only at
/// others with such a name.
fn consecutive(places: &[Place], numbered: &[String], patterns: &Patterns) -> Pairs {
    let mut found = Pairs::new();
    for (_, calls) in patterns.keys() {
        for (at, &from) in calls.iter().enumerate() {
            let following = calls[at + 1..].iter().take(MAX_CALLS_IN_A_ROW);
            let alike = following.take_while(|to| numbered[**to] == numbered[from]);
            let others = alike.filter(|to| **to != from && !are_platforms(&places[from], &places[**to]));
            found.extend(others.map(|&to| (from.min(to), from.max(to))));
        }
    }
    found
}

/// Whether two places say by their names that they are platforms of one station, and are near each other: a vehicle
/// that turns round calls at both.
fn are_platforms(a: &Place, b: &Place) -> bool {
    let is_platform = |one: &Place| place(&one.name) != one.name;
    is_platform(a)
        && is_platform(b)
        && fold(place(&a.name)) == fold(place(&b.name))
        && a.position.metres_to(b.position) <= MAX_PLATFORM_DISTANCE_M
}

/// A union-find structure that keeps some pairs apart.
struct Stations {
    /// Each place points to a smaller one of its station, or to itself.
    parents: Vec<usize>,
    /// The places of each station, at its smallest place.
    members: Vec<Vec<usize>>,
    /// The places that are not in the station of a place.
    apart: BTreeMap<usize, BTreeSet<usize>>,
}

impl Stations {
    fn new(places: usize, consecutive: &Pairs) -> Self {
        let members = (0..places).map(|place| vec![place]).collect();
        let mut stations = Self { parents: (0..places).collect(), members, apart: BTreeMap::new() };
        stations.keep_apart(consecutive);
        stations
    }

    fn keep_apart(&mut self, pairs: &Pairs) {
        for &(a, b) in pairs {
            self.apart.entry(a).or_default().insert(b);
            self.apart.entry(b).or_default().insert(a);
        }
    }

    fn of(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            // Path halving, for later lookups.
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// Joins the pairs within each group that are one station, the nearest first: of two stations in a row with one
    /// name, each gets the platform of the other direction that is beside it.
    fn join_nearest<'a>(
        &mut self,
        places: &[Place],
        groups: impl Iterator<Item = &'a Vec<usize>>,
        is_one: impl Fn(usize, usize, f64) -> bool,
    ) {
        for group in groups {
            // Without places to keep apart, the order does not matter, and the many pairs of a large place take no
            // memory.
            let is_free = !group.iter().any(|place| self.apart.contains_key(place));
            let mut pairs = Vec::new();
            for (at, &a) in group.iter().enumerate() {
                for &b in &group[at + 1..] {
                    let metres = places[a].position.metres_to(places[b].position);
                    if is_one(a, b, metres) && is_free {
                        self.join(a, b);
                    } else if is_one(a, b, metres) {
                        pairs.push((metres, a, b));
                    }
                }
            }
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            for (_, a, b) in pairs {
                self.join(a, b);
            }
        }
    }

    /// Joins two stations, unless a place of one is to be apart from a place of the other.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        let (first, second) = (a.min(b), a.max(b));
        if first == second {
            return;
        }
        let is_apart = |member: &usize| {
            let others = self.apart.get(member);
            others.is_some_and(|others| self.members[second].iter().any(|member| others.contains(member)))
        };
        if self.members[first].iter().any(is_apart) {
            return;
        }
        let moved = std::mem::take(&mut self.members[second]);
        self.members[first].extend(moved);
        self.parents[second] = first;
    }
}
