//! The track of one line as a graph, in which adjacent stations are found.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::{geo::LatLon, search_queue::QueueEntry};

/// Points of sections that are closer than this are the same node.
const SNAP_DEGREES: f64 = 1e-5;
/// A loose end is joined to another node within this distance, because some sections are drawn too short.
const MAX_GAP_M: f64 = 60.0;
/// A station farther from the track of its line is not on it.
const MAX_STATION_OFFSET_M: f64 = 300.0;
/// A connection is a bypass if the path through a third station is at most this many times as long.
const MAX_DETOUR: f64 = 1.05;

/// Two stations by index, the smaller one first.
type Pair = (usize, usize);

/// The result of the search for adjacent stations.
pub(super) struct AdjacentStations {
    /// Pairs of adjacent stations.
    pub(super) edges: BTreeSet<Pair>,
    /// Pairs that are connected only by track that bypasses a station between them.
    pub(super) bypasses: Vec<Pair>,
    /// Stations that are too far from the track.
    pub(super) off_track: Vec<usize>,
}

#[derive(Default)]
struct Track {
    nodes: Vec<LatLon>,
    links: Vec<Vec<(usize, f64)>>,
    by_cell: HashMap<(i64, i64), usize>,
}

pub(super) fn find_adjacent_stations(sections: &[&[LatLon]], stations: &[LatLon]) -> AdjacentStations {
    let mut track = Track::default();
    for section in sections {
        for pair in section.windows(2) {
            let (a, b) = (track.node(pair[0]), track.node(pair[1]));
            track.connect(a, b);
        }
    }
    track.close_gaps();
    let mut off_track = Vec::new();
    let mut station_at: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, station) in stations.iter().enumerate() {
        match track.snap_station(*station) {
            Some(node) => station_at.entry(node).or_default().push(index),
            None => off_track.push(index),
        }
    }
    let mut connections: Vec<(f64, usize, usize)> = Vec::new();
    for (&node, here) in &station_at {
        for (metres, other) in track.next_stations(node, &station_at) {
            connections.push((metres, here[0].min(station_at[&other][0]), here[0].max(station_at[&other][0])));
        }
        // Stations at the same node are adjacent.
        connections.extend(here.windows(2).map(|pair| (0.0, pair[0].min(pair[1]), pair[0].max(pair[1]))));
    }
    connections.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    connections.dedup_by_key(|connection| (connection.1, connection.2));
    let (edges, bypasses) = remove_bypasses(&connections, stations.len());
    AdjacentStations { edges, bypasses, off_track }
}

/// Removes the longest side of each flat triangle, which is a track past a station. Returns the remaining pairs and the
/// removed ones.
fn remove_bypasses(connections: &[(f64, usize, usize)], count: usize) -> (BTreeSet<Pair>, Vec<Pair>) {
    let mut length: HashMap<Pair, f64> = HashMap::new();
    for &(metres, a, b) in connections {
        length.entry((a, b)).or_insert(metres);
    }
    // Longest first, each compared with the remaining ones, so that one of two long sides stays.
    let mut by_length: Vec<Pair> = length.keys().copied().collect();
    by_length.sort_by(|a, b| length[b].total_cmp(&length[a]).then(a.cmp(b)));
    let mut omitted = Vec::new();
    for (a, b) in by_length {
        // No station is connected with itself, so that the third one is another.
        let between = |a: usize, b: usize| length.get(&(a.min(b), a.max(b))).copied();
        let longest = length[&(a, b)] * MAX_DETOUR;
        let is_flat = (0..count).any(|third| {
            between(a, third).zip(between(third, b)).is_some_and(|(first, second)| first + second <= longest)
        });
        if is_flat {
            length.remove(&(a, b));
            omitted.push((a, b));
        }
    }
    (length.into_keys().collect(), omitted)
}

impl Track {
    fn node(&mut self, position: LatLon) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "degrees are small")]
        let cell = ((position.lat / SNAP_DEGREES).round() as i64, (position.lon / SNAP_DEGREES).round() as i64);
        if let Some(&known) = self.by_cell.get(&cell) {
            return known;
        }
        self.by_cell.insert(cell, self.nodes.len());
        self.nodes.push(position);
        self.links.push(Vec::new());
        self.nodes.len() - 1
    }

    fn connect(&mut self, a: usize, b: usize) {
        if a != b && !self.links[a].iter().any(|(known, _)| *known == b) {
            let metres = self.nodes[a].metres_to(self.nodes[b]);
            self.links[a].push((b, metres));
            self.links[b].push((a, metres));
        }
    }

    fn disconnect(&mut self, a: usize, b: usize) {
        self.links[a].retain(|(known, _)| *known != b);
        self.links[b].retain(|(known, _)| *known != a);
    }

    /// Joins each loose end to the nearest node of another section.
    fn close_gaps(&mut self) {
        let loose_ends: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.links[node].len() == 1).collect();
        for node in loose_ends {
            let near = (0..self.nodes.len())
                .map(|other| (self.nodes[node].metres_to(self.nodes[other]), other))
                .filter(|(metres, other)| *metres <= MAX_GAP_M && !self.is_within_hops(node, *other))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, other)) = near {
                self.connect(node, other);
            }
        }
    }

    /// Whether a node is within eight links of another, or is that node. The nodes of a curve are close together
    /// without a gap.
    fn is_within_hops(&self, a: usize, b: usize) -> bool {
        let mut reached = vec![a];
        for _ in 0..8 {
            let further: Vec<usize> = reached.iter().flat_map(|&at| self.links[at].iter().map(|(n, _)| *n)).collect();
            reached.extend(further);
            reached.sort_unstable();
            reached.dedup();
        }
        reached.contains(&b)
    }

    /// Snaps a station to the nearest track and splits the track there. `None` if no track is near.
    fn snap_station(&mut self, station: LatLon) -> Option<usize> {
        let mut best: Option<(f64, usize, usize, LatLon)> = None;
        for a in 0..self.nodes.len() {
            for &(b, _) in self.links[a].iter().filter(|(b, _)| *b > a) {
                let nearest = project(station, self.nodes[a], self.nodes[b]);
                let metres = station.metres_to(nearest);
                if best.is_none_or(|(known, ..)| metres < known) {
                    best = Some((metres, a, b, nearest));
                }
            }
        }
        let (_, a, b, nearest) = best.filter(|(metres, ..)| *metres <= MAX_STATION_OFFSET_M)?;
        let node = self.node(nearest);
        // If the node is an end of the link, this leaves the track as it is.
        self.disconnect(a, b);
        self.connect(a, node);
        self.connect(node, b);
        Some(node)
    }

    /// The stations that can be reached from a node without passing another station, with their distances.
    fn next_stations(&self, from: usize, stations: &HashMap<usize, Vec<usize>>) -> Vec<(f64, usize)> {
        let mut reached: HashMap<usize, f64> = HashMap::from([(from, 0.0)]);
        let mut heap = BinaryHeap::from([QueueEntry(0.0, from)]);
        let mut found = Vec::new();
        while let Some(QueueEntry(metres, here)) = heap.pop() {
            if reached.get(&here).is_some_and(|known| *known < metres) {
                continue;
            }
            if here != from && stations.contains_key(&here) {
                found.push((metres, here));
                continue;
            }
            for &(neighbour, length) in &self.links[here] {
                let there = metres + length;
                if reached.get(&neighbour).is_none_or(|known| there < *known) {
                    reached.insert(neighbour, there);
                    heap.push(QueueEntry(there, neighbour));
                }
            }
        }
        found
    }
}

/// The nearest point to a position on a straight segment of track.
fn project(position: LatLon, a: LatLon, b: LatLon) -> LatLon {
    let east = a.lat.to_radians().cos();
    let (dx, dy) = ((b.lon - a.lon) * east, b.lat - a.lat);
    let (px, py) = ((position.lon - a.lon) * east, position.lat - a.lat);
    let length = dx.mul_add(dx, dy * dy);
    let share = if length > 0.0 { (px.mul_add(dx, py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    LatLon { lat: a.lat + share * (b.lat - a.lat), lon: a.lon + share * (b.lon - a.lon) }
}

#[cfg(test)]
mod tests {
    use super::{find_adjacent_stations, project};
    use crate::geo::LatLon;

    fn at(lat: f64, lon: f64) -> LatLon {
        LatLon { lat, lon }
    }

    /// A length in degrees of latitude.
    fn degrees(metres: f64) -> f64 {
        metres / 111_195.0
    }

    fn edges(sections: &[&[LatLon]], stations: &[LatLon]) -> Vec<(usize, usize)> {
        find_adjacent_stations(sections, stations).edges.into_iter().collect()
    }

    #[test]
    fn a_gap_of_at_most_60_metres_is_closed() {
        let joined = |gap: f64| {
            let (end, start) = (at(0.01, 0.0), at(0.01 + degrees(gap), 0.0));
            let first = [at(0.0, 0.0), end];
            let second = [start, at(0.02, 0.0)];
            let stations = [at(0.0, 0.0), at(0.02, 0.0)];
            // A source may list a section twice.
            let twice = edges(&[&first, &first, &second, &second], &stations);
            assert_eq!(edges(&[&first, &second], &stations), twice);
            twice == [(0, 1)]
        };
        assert_eq!((joined(59.0), joined(61.0)), (true, false));
    }

    #[test]
    fn a_station_within_300_metres_is_on_the_track() {
        let track = [at(0.0, 0.0), at(0.02, 0.0)];
        let off_track = |metres: f64| {
            find_adjacent_stations(&[&track], &[at(0.0, 0.0), at(0.01, degrees(metres)), at(0.02, 0.0)]).off_track
        };
        assert_eq!((off_track(299.0), off_track(301.0)), (vec![], vec![1]));
    }

    #[test]
    fn a_station_splits_the_track_on_which_it_lies() {
        let track = [at(0.0, 0.0), at(0.02, 0.0), at(0.04, 0.0)];
        let found = find_adjacent_stations(&[&track], &[0.0, 0.01, 0.02, 0.03, 0.04].map(|lat| at(lat, 0.0)));
        assert_eq!(found.edges.into_iter().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 3), (3, 4)]);
        assert_eq!(found.bypasses, []);
    }

    #[test]
    fn stations_at_one_place_are_adjacent() {
        let track = [at(0.0, 0.0), at(0.02, 0.0)];
        let stations = [at(0.0, 0.0), at(0.02, 0.0), at(0.0, 0.0)];
        assert_eq!(edges(&[&track], &stations), [(0, 1), (0, 2)]);
    }

    #[test]
    fn the_shortest_track_between_two_stations_decides_whether_it_is_a_bypass() {
        let point = |lat: f64, lon: f64| at(lat / 100.0, lon / 100.0);
        let (start, middle, end) = (point(0.0, 0.0), point(0.0, 2.0), point(0.0, 4.0));
        // The tracks by way of these two begin close to the stations, and are longer in the end.
        let (first_bend, second_bend) = (point(0.6, 0.3), point(0.6, 3.7));
        let aside = |lat: f64| {
            let beside = point(lat, 2.0);
            let sections: [&[LatLon]; 4] = [
                &[start, first_bend, middle, second_bend, end],
                &[start, point(0.0, 1.0), middle, point(0.0, 3.0), end],
                &[start, beside],
                &[beside, end],
            ];
            edges(&sections, &[start, end, beside])
        };
        // By way of the third station it is 10% longer, or 2%.
        assert_eq!(aside(-0.9165), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(aside(-0.4), [(0, 2), (1, 2)]);
    }

    #[test]
    fn the_nearest_point_of_a_segment_is_between_its_ends() {
        // At 60 degrees, a degree of longitude is half as long as one of latitude.
        let (a, b) = (at(60.0, 10.0), at(60.02, 10.04));
        let is_near = |found: LatLon, lat: f64, lon: f64| (found.lat - lat).hypot(found.lon - lon) < 1e-6;
        assert!(is_near(project(at(60.02, 10.0), a, b), 60.01, 10.02));
        assert!(is_near(project(at(60.0, 10.04), a, b), 60.01, 10.02));
        assert!(
            is_near(project(at(59.9, 9.9), a, b), 60.0, 10.0) && is_near(project(at(60.1, 10.2), a, b), 60.02, 10.04)
        );
        assert!(is_near(project(at(59.9, 9.9), a, a), 60.0, 10.0));
    }
}
