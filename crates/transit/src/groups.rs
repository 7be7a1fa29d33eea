//! Groups: stations between which passengers change on foot, whatever their names.
//!
//! A source that has station groups, transfers or pathways decides. Otherwise two stations of different lines form a
//! group when they are near each other. How near depends on how dense the network is there: 200 metres are a change
//! between two underground lines, but the next stop of a tram.

use std::collections::{BTreeSet, HashMap, HashSet};

use kaisatsu_model::{StationCode, StationName};

use crate::{Corrections, Error, Network, Station, corrections::qualified_names, geo::LatLon};

/// The longest walk between stations of different names, in metres and as a share of the distance to the next stops.
const WALK: (f64, f64) = (300.0, 0.45);
/// The longest walk between stations whose names are related: 川崎 and 京急川崎, 六地蔵 and 六地蔵.
const RELATED_WALK: (f64, f64) = (450.0, 0.6);
/// The longest walk that a source may claim. Some list guaranteed connections between distant stations.
const MAX_SOURCE_WALK_M: f64 = 1_000.0;
/// Two members that were found by distance are at most this far apart, so that a dense centre is not one chain.
const MAX_DIAMETER_M: f64 = 500.0;

/// Replaces the links of the source, which are in `network.groups`, by the groups of the network. Distances count
/// unless the source suffices.
pub(crate) fn resolve(network: &mut Network, source_suffices: bool, corrections: &Corrections) -> Result<(), Error> {
    let links = std::mem::take(&mut network.groups);
    let (together, apart) = corrections.groups(&CodesByName::of(network).0)?;
    let mut builder = GroupBuilder::of(network, apart);
    for group in &together {
        group.windows(2).for_each(|pair| builder.join(pair[0], pair[1]));
    }
    for pair in links.iter().filter_map(|link| <[StationCode; 2]>::try_from(link.as_slice()).ok()) {
        builder.join_near(pair, MAX_SOURCE_WALK_M);
    }
    if !source_suffices {
        builder.near_pairs().into_iter().for_each(|(_, a, b)| builder.join_of_other_lines(a, b));
    }
    network.groups = builder.into_groups();
    Ok(())
}

/// The stations by each name with which a correction can refer to them.
struct CodesByName(HashMap<String, Vec<StationCode>>);

impl CodesByName {
    fn of(network: &Network) -> Self {
        let mut found: HashMap<String, Vec<StationCode>> = HashMap::new();
        for station in &network.stations {
            for name in qualified_names(&station.name, Some(station.code), station.prefecture) {
                found.entry(name).or_default().push(station.code);
            }
        }
        Self(found)
    }
}

struct GroupBuilder<'a> {
    stations: HashMap<StationCode, &'a Station>,
    /// The lines of each station.
    lines: HashMap<StationCode, BTreeSet<i64>>,
    /// The mean distance of each station from its neighbours, in metres.
    spacing: HashMap<StationCode, f64>,
    members: HashMap<StationCode, Vec<StationCode>>,
    /// The smallest code of each station's group.
    root: HashMap<StationCode, StationCode>,
    /// Pairs that the corrections keep apart.
    apart: HashSet<(StationCode, StationCode)>,
}

fn position(station: &Station) -> LatLon {
    LatLon { lat: station.lat, lon: station.lon }
}

impl<'a> GroupBuilder<'a> {
    fn of(network: &'a Network, apart: HashSet<(StationCode, StationCode)>) -> Self {
        let stations: HashMap<_, _> = network.stations.iter().map(|station| (station.code, station)).collect();
        let mut lines: HashMap<StationCode, BTreeSet<i64>> = HashMap::new();
        let mut edges: BTreeSet<(StationCode, StationCode)> = BTreeSet::new();
        for line in &network.lines {
            for (a, b) in line.edges() {
                edges.insert((a.min(b), a.max(b)));
                for end in [a, b] {
                    lines.entry(end).or_default().insert(line.code);
                }
            }
        }
        let mut lengths: HashMap<StationCode, Vec<f64>> = HashMap::new();
        for (a, b) in edges {
            let metres = position(stations[&a]).metres_to(position(stations[&b]));
            lengths.entry(a).or_default().push(metres);
            lengths.entry(b).or_default().push(metres);
        }
        #[expect(clippy::cast_precision_loss, reason = "a station has few neighbours")]
        let spacing = lengths.into_iter().map(|(code, all)| (code, all.iter().sum::<f64>() / all.len() as f64));
        Self {
            spacing: spacing.collect(),
            members: stations.keys().map(|&code| (code, vec![code])).collect(),
            root: stations.keys().map(|&code| (code, code)).collect(),
            stations,
            lines,
            apart,
        }
    }

    fn metres(&self, a: StationCode, b: StationCode) -> f64 {
        position(self.stations[&a]).metres_to(position(self.stations[&b]))
    }

    /// The pairs that are near enough for a change on foot, nearest first.
    fn near_pairs(&self) -> Vec<(f64, StationCode, StationCode)> {
        let mut northward: Vec<&Station> = self.stations.values().copied().collect();
        northward.sort_by(|a, b| a.lat.total_cmp(&b.lat).then(a.code.cmp(&b.code)));
        let mut found = Vec::new();
        for (at, one) in northward.iter().enumerate() {
            // A degree of latitude has 111 km, so a band of 500 m is enough.
            let band = northward[at + 1..].iter().take_while(|other| other.lat - one.lat < 0.0045);
            for other in band.filter(|other| self.is_walk(one, other)) {
                let (a, b) = (one.code.min(other.code), one.code.max(other.code));
                found.push((self.metres(a, b), a, b));
            }
        }
        found.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        found
    }

    /// Whether two stations of different lines are near enough.
    fn is_walk(&self, one: &Station, other: &Station) -> bool {
        let (most, share) = if are_related(one, other) { RELATED_WALK } else { WALK };
        let spacing = [one, other].map(|station| self.spacing.get(&station.code).copied().unwrap_or(f64::MAX));
        let metres = position(one).metres_to(position(other));
        let lines = |station: &Station| self.lines.get(&station.code).cloned().unwrap_or_default();
        metres <= most.min(f64::midpoint(spacing[0], spacing[1]) * share) && lines(one).is_disjoint(&lines(other))
    }

    fn join_near(&mut self, [a, b]: [StationCode; 2], most: f64) {
        if self.stations.contains_key(&a) && self.stations.contains_key(&b) && self.metres(a, b) <= most {
            self.join(a, b);
        }
    }

    /// Joins two groups unless they stop on the same line, or would become too large.
    fn join_of_other_lines(&mut self, a: StationCode, b: StationCode) {
        let (ours, theirs) = (&self.members[&self.root[&a]], &self.members[&self.root[&b]]);
        let fits = ours.iter().all(|one| {
            theirs.iter().all(|other| {
                let lines = self.lines.get(one).zip(self.lines.get(other));
                lines.is_none_or(|(one, other)| one.is_disjoint(other)) && self.metres(*one, *other) <= MAX_DIAMETER_M
            })
        });
        if fits {
            self.join(a, b);
        }
    }

    fn join(&mut self, a: StationCode, b: StationCode) {
        let (keep, gone) = (self.root[&a].min(self.root[&b]), self.root[&a].max(self.root[&b]));
        if keep == gone || self.are_apart(keep, gone) {
            return;
        }
        let moved = self.members.remove(&gone).unwrap_or_default();
        for &code in &moved {
            self.root.insert(code, keep);
        }
        self.members.entry(keep).or_default().extend(moved);
    }

    fn are_apart(&self, one: StationCode, other: StationCode) -> bool {
        let pairs = self.members[&one].iter().flat_map(|a| self.members[&other].iter().map(move |b| (*a, *b)));
        pairs.into_iter().any(|(a, b)| self.apart.contains(&(a.min(b), a.max(b))))
    }

    fn into_groups(self) -> Vec<Vec<StationCode>> {
        let mut groups: Vec<Vec<StationCode>> = self.members.into_values().filter(|group| group.len() > 1).collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable();
        groups
    }
}

/// Whether one name contains the other, or both are read alike.
fn are_related(one: &Station, other: &Station) -> bool {
    let [a, b] = [one, other].map(|station| StationName::fold(&station.name).as_str().to_owned());
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // Two ideographs say as much as four letters.
    let is_long_enough = short.chars().count() >= if short.is_ascii() { 4 } else { 2 };
    (is_long_enough && long.contains(&short)) || (!one.yomi.is_empty() && one.yomi == other.yomi)
}
