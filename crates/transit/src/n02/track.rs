//! The track of one line as a graph, and which of its stations follow each other along it.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::{geo::Place, way::Way};

/// Ends of sections that are nearer than this are one point.
const SNAP_DEGREES: f64 = 1e-5;
/// Ends that nothing follows are joined to others so far away: sections are not always drawn to the end.
const BRIDGE_M: f64 = 60.0;
/// A station further away from the track of its line is not on it.
const OFF_TRACK_M: f64 = 300.0;
/// Two ways between stations: one through a third station that is hardly longer is the true one.
const DETOUR: f64 = 1.05;

/// Two stations, by their places in the list, the smaller one first.
type Pair = (usize, usize);

/// What was found.
pub(super) struct Neighbours {
    /// Those that follow each other.
    pub(super) edges: BTreeSet<Pair>,
    /// Those that are joined only by track beside a station between them.
    pub(super) past_others: Vec<Pair>,
    /// Stations that are nowhere on the track.
    pub(super) off_track: Vec<usize>,
}

#[derive(Default)]
struct Track {
    nodes: Vec<Place>,
    next: Vec<Vec<(usize, f64)>>,
    by_place: HashMap<(i64, i64), usize>,
}

pub(super) fn neighbours(sections: &[&[Place]], stations: &[Place]) -> Neighbours {
    let mut track = Track::default();
    for section in sections {
        for pair in section.windows(2) {
            let (a, b) = (track.node(pair[0]), track.node(pair[1]));
            track.join(a, b);
        }
    }
    track.bridge();
    let mut off_track = Vec::new();
    let mut station_at: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, station) in stations.iter().enumerate() {
        match track.put(*station) {
            Some(node) => station_at.entry(node).or_default().push(index),
            None => off_track.push(index),
        }
    }
    let mut ways: Vec<(f64, usize, usize)> = Vec::new();
    for (&node, here) in &station_at {
        for (metres, other) in track.reach(node, &station_at) {
            ways.push((metres, here[0].min(station_at[&other][0]), here[0].max(station_at[&other][0])));
        }
        // Two stations at one point of the track follow each other.
        ways.extend(here.windows(2).map(|pair| (0.0, pair[0].min(pair[1]), pair[0].max(pair[1]))));
    }
    ways.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    ways.dedup_by_key(|way| (way.1, way.2));
    let (edges, past_others) = without_detours(&ways, stations.len());
    Neighbours { edges, past_others, off_track }
}

/// Drops the longest side of a flat triangle: tracks that run beside each other past a station. Returns what is left, and
/// what was dropped.
fn without_detours(ways: &[(f64, usize, usize)], count: usize) -> (BTreeSet<Pair>, Vec<Pair>) {
    let mut length: HashMap<Pair, f64> = HashMap::new();
    for &(metres, a, b) in ways {
        length.entry((a, b)).or_insert(metres);
    }
    // The longest first, and each against what is left: of two long sides, one stays.
    let mut by_length: Vec<Pair> = length.keys().copied().collect();
    by_length.sort_by(|a, b| length[b].total_cmp(&length[a]).then(a.cmp(b)));
    let mut dropped = Vec::new();
    for (a, b) in by_length {
        let between = |a: usize, b: usize| length.get(&(a.min(b), a.max(b))).copied();
        let longest = length[&(a, b)] * DETOUR;
        let is_flat = (0..count).filter(|&third| third != a && third != b).any(|third| {
            between(a, third).zip(between(third, b)).is_some_and(|(first, second)| first + second <= longest)
        });
        if is_flat {
            length.remove(&(a, b));
            dropped.push((a, b));
        }
    }
    (length.into_keys().collect(), dropped)
}

impl Track {
    fn node(&mut self, place: Place) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "degrees are small")]
        let cell = ((place.lat / SNAP_DEGREES).round() as i64, (place.lon / SNAP_DEGREES).round() as i64);
        if let Some(&known) = self.by_place.get(&cell) {
            return known;
        }
        self.by_place.insert(cell, self.nodes.len());
        self.nodes.push(place);
        self.next.push(Vec::new());
        self.nodes.len() - 1
    }

    fn join(&mut self, a: usize, b: usize) {
        if a != b && !self.next[a].iter().any(|(known, _)| *known == b) {
            let metres = self.nodes[a].metres_to(self.nodes[b]);
            self.next[a].push((b, metres));
            self.next[b].push((a, metres));
        }
    }

    fn part(&mut self, a: usize, b: usize) {
        self.next[a].retain(|(known, _)| *known != b);
        self.next[b].retain(|(known, _)| *known != a);
    }

    /// Joins loose ends to the nearest point of another section close by.
    fn bridge(&mut self) {
        let loose: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.next[node].len() == 1).collect();
        for node in loose {
            let own = self.next[node].first().map(|(other, _)| *other);
            let near = (0..self.nodes.len())
                .filter(|&other| other != node && Some(other) != own)
                .map(|other| (self.nodes[node].metres_to(self.nodes[other]), other))
                .filter(|(metres, other)| *metres <= BRIDGE_M && !self.is_next_but_one(node, *other))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, other)) = near {
                self.join(node, other);
            }
        }
    }

    /// Points of a curve lie close to each other without being a gap.
    fn is_next_but_one(&self, a: usize, b: usize) -> bool {
        let mut reached = vec![a];
        for _ in 0..8 {
            let further: Vec<usize> = reached.iter().flat_map(|&at| self.next[at].iter().map(|(n, _)| *n)).collect();
            reached.extend(further);
            reached.sort_unstable();
            reached.dedup();
        }
        reached.contains(&b)
    }

    /// Puts a station on the nearest track, which is parted there. `None` when no track is near.
    fn put(&mut self, station: Place) -> Option<usize> {
        let mut best: Option<(f64, usize, usize, Place)> = None;
        for a in 0..self.nodes.len() {
            for &(b, _) in self.next[a].iter().filter(|(b, _)| *b > a) {
                let foot = foot(station, self.nodes[a], self.nodes[b]);
                let metres = station.metres_to(foot);
                if best.is_none_or(|(known, ..)| metres < known) {
                    best = Some((metres, a, b, foot));
                }
            }
        }
        let (_, a, b, foot) = best.filter(|(metres, ..)| *metres <= OFF_TRACK_M)?;
        let node = self.node(foot);
        if node != a && node != b {
            self.part(a, b);
            self.join(a, node);
            self.join(node, b);
        }
        Some(node)
    }

    /// The stations that are reached from a point without passing another, and how far they are.
    fn reach(&self, from: usize, stations: &HashMap<usize, Vec<usize>>) -> Vec<(f64, usize)> {
        let mut reached: HashMap<usize, f64> = HashMap::from([(from, 0.0)]);
        let mut heap = BinaryHeap::from([Way(0.0, from)]);
        let mut found = Vec::new();
        while let Some(Way(metres, here)) = heap.pop() {
            if reached.get(&here).is_some_and(|known| *known < metres) {
                continue;
            }
            if here != from && stations.contains_key(&here) {
                found.push((metres, here));
                continue;
            }
            for &(neighbour, length) in &self.next[here] {
                let there = metres + length;
                if reached.get(&neighbour).is_none_or(|known| there < *known) {
                    reached.insert(neighbour, there);
                    heap.push(Way(there, neighbour));
                }
            }
        }
        found
    }
}

/// The point of a straight track that is nearest to a place.
fn foot(place: Place, a: Place, b: Place) -> Place {
    let east = a.lat.to_radians().cos();
    let (dx, dy) = ((b.lon - a.lon) * east, b.lat - a.lat);
    let (px, py) = ((place.lon - a.lon) * east, place.lat - a.lat);
    let length = dx.mul_add(dx, dy * dy);
    let share = if length > 0.0 { (px.mul_add(dx, py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    Place { lat: a.lat + share * (b.lat - a.lat), lon: a.lon + share * (b.lon - a.lon) }
}
