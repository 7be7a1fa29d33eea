//! Reduces the trip patterns of a route to runs, without the edges of express trips and of rare detours.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use super::{patterns::Patterns, stations::FeedStation};
use crate::{Summary, search_queue::QueueEntry};

/// An edge that a smaller share of a route's trips uses is a diversion or leads to a depot.
const MIN_TRIP_SHARE: f64 = 0.02;
/// An edge is an express edge if a path through other stations is at most this many times longer.
const MAX_DETOUR: f64 = 1.35;

/// The runs of a route, and whether they are one ring.
pub(super) type RouteRuns = (Vec<Vec<usize>>, bool);
type Edge = (usize, usize);
/// The neighbours of each station, ordered, so that the choice between equal paths is deterministic.
type Adjacency = HashMap<usize, BTreeSet<usize>>;

/// The runs of each route.
pub(super) fn prune(
    patterns: &Patterns,
    routes: usize,
    stations: &[FeedStation],
    summary: &mut Summary,
) -> Vec<RouteRuns> {
    let mut by_route: Vec<Vec<(&[usize], usize)>> = vec![Vec::new(); routes];
    for ((route, run), trips) in patterns {
        by_route[*route].push((run, *trips));
    }
    let mut graphs: Vec<RouteGraph<'_>> = by_route.iter().map(|runs| RouteGraph::of(runs, stations)).collect();
    cover_all_stations(&by_route, &mut graphs);
    let mut pruned = Vec::with_capacity(routes);
    for (runs, graph) in by_route.iter().zip(&mut graphs) {
        let rare = graph.trips_by_edge.len() - graph.edges.len();
        for _ in 0..rare {
            summary.omit("edges of less than 2% of a route's trips", "detours and ways to the depot");
        }
        for (a, b) in graph.remove_express_edges() {
            let example = format!("{}–{}", stations[a].name, stations[b].name);
            summary.omit("edges of an express past stations of its own route", example);
        }
        pruned.push(graph.runs(runs));
    }
    pruned
}

/// Adds the edges of stations that only rare trips serve, each to the route with the most trips there.
fn cover_all_stations(by_route: &[Vec<(&[usize], usize)>], graphs: &mut [RouteGraph<'_>]) {
    let served: HashSet<usize> =
        graphs.iter().flat_map(|graph| graph.edges.iter().flat_map(|&(a, b)| [a, b])).collect();
    let mut best: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for (route, runs) in by_route.iter().enumerate() {
        for (run, trips) in runs {
            for &station in run.iter().filter(|station| !served.contains(station)) {
                *best.entry(station).or_default().entry(route).or_default() += trips;
            }
        }
    }
    for (station, trips_of) in best {
        let most = trips_of.iter().max_by_key(|(route, trips)| (**trips, std::cmp::Reverse(**route)));
        if let Some((&route, _)) = most {
            let graph = &mut graphs[route];
            let own_edges: Vec<Edge> =
                graph.trips_by_edge.keys().copied().filter(|&(a, b)| a == station || b == station).collect();
            graph.edges.extend(own_edges);
        }
    }
}

struct RouteGraph<'a> {
    stations: &'a [FeedStation],
    /// The number of trips on each edge.
    trips_by_edge: BTreeMap<Edge, usize>,
    /// The edges that are kept.
    edges: BTreeSet<Edge>,
}

fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
}

impl<'a> RouteGraph<'a> {
    fn of(runs: &[(&[usize], usize)], stations: &'a [FeedStation]) -> Self {
        let mut trips_by_edge: BTreeMap<Edge, usize> = BTreeMap::new();
        let mut trips = 0;
        for (run, count) in runs {
            trips += count;
            let own_edges: BTreeSet<Edge> = run.windows(2).map(|pair| edge(pair[0], pair[1])).collect();
            for edge in own_edges {
                *trips_by_edge.entry(edge).or_default() += count;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "no feed has 2⁵³ trips")]
        let is_regular = |count: usize| count as f64 >= trips as f64 * MIN_TRIP_SHARE;
        let edges = trips_by_edge.iter().filter(|(_, count)| is_regular(**count)).map(|(edge, _)| *edge).collect();
        Self { stations, trips_by_edge, edges }
    }

    fn metres(&self, (a, b): Edge) -> f64 {
        self.stations[a].position.metres_to(self.stations[b].position)
    }

    /// Removes each edge that has a path through other stations beside it, longest first.
    fn remove_express_edges(&mut self) -> Vec<Edge> {
        let mut by_length: Vec<Edge> = self.edges.iter().copied().collect();
        by_length.sort_by(|&a, &b| self.metres(b).total_cmp(&self.metres(a)).then(a.cmp(&b)));
        let mut adjacency = self.adjacency();
        let mut express = Vec::new();
        for (a, b) in by_length {
            for (from, to) in [(a, b), (b, a)] {
                adjacency.entry(from).or_default().remove(&to);
            }
            if self.short_path(a, b, &adjacency).is_some() {
                self.edges.remove(&(a, b));
                express.push((a, b));
            } else {
                for (from, to) in [(a, b), (b, a)] {
                    adjacency.entry(from).or_default().insert(to);
                }
            }
        }
        express
    }

    fn adjacency(&self) -> Adjacency {
        let mut adjacency = Adjacency::new();
        for &(a, b) in &self.edges {
            adjacency.entry(a).or_default().insert(b);
            adjacency.entry(b).or_default().insert(a);
        }
        adjacency
    }

    /// The shortest path between two stations along the edges, if it is not much longer than the direct edge.
    fn short_path(&self, from: usize, to: usize, adjacency: &Adjacency) -> Option<Vec<usize>> {
        let longest = self.metres((from, to)) * MAX_DETOUR;
        let mut reached: HashMap<usize, (f64, usize)> = HashMap::from([(from, (0.0, from))]);
        let mut heap = BinaryHeap::from([QueueEntry(0.0, from)]);
        while let Some(QueueEntry(metres, here)) = heap.pop() {
            if here == to {
                let mut path = vec![to];
                let mut at = to;
                while at != from {
                    at = reached.get(&at)?.1;
                    path.push(at);
                }
                path.reverse();
                return Some(path);
            }
            for &neighbour in adjacency.get(&here).into_iter().flatten() {
                let there = metres + self.metres((here, neighbour));
                if there <= longest && reached.get(&neighbour).is_none_or(|(known, _)| there < *known) {
                    reached.insert(neighbour, (there, here));
                    heap.push(QueueEntry(there, neighbour));
                }
            }
        }
        None
    }

    /// Takes the longest patterns, with the stations that expresses skip, until every edge is in a run.
    fn runs(&self, patterns: &[(&[usize], usize)]) -> RouteRuns {
        let adjacency = self.adjacency();
        let mut candidates: Vec<(Vec<usize>, usize)> = patterns
            .iter()
            .flat_map(|(run, trips)| self.with_skipped_stops(run, &adjacency).into_iter().map(|part| (part, *trips)))
            .collect();
        candidates.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(b.1.cmp(&a.1)).then(a.0.cmp(&b.0)));
        let mut uncovered = self.edges.clone();
        let mut runs = Vec::new();
        for (run, _) in candidates {
            let mut current: Vec<usize> = Vec::new();
            for pair in run.windows(2) {
                if uncovered.remove(&edge(pair[0], pair[1])) {
                    if current.is_empty() {
                        current.push(pair[0]);
                    }
                    current.push(pair[1]);
                } else if !current.is_empty() {
                    runs.push(std::mem::take(&mut current));
                }
            }
            if !current.is_empty() {
                runs.push(current);
            }
            if uncovered.is_empty() {
                break;
            }
        }
        let is_ring = matches!(runs.as_slice(), [one] if one.len() > 3 && one.first() == one.last());
        if is_ring {
            runs[0].pop();
        }
        (runs, is_ring)
    }

    /// A pattern with the stations that it skips, split where it uses an edge that was removed. A part may be a single
    /// station.
    fn with_skipped_stops(&self, run: &[usize], adjacency: &Adjacency) -> Vec<Vec<usize>> {
        let mut parts = Vec::new();
        let mut current = vec![run[0]];
        for pair in run.windows(2) {
            if self.edges.contains(&edge(pair[0], pair[1])) {
                current.push(pair[1]);
            } else if let Some(path) = self.short_path(pair[0], pair[1], adjacency) {
                current.extend(&path[1..]);
            } else {
                parts.push(std::mem::replace(&mut current, vec![pair[1]]));
            }
        }
        parts.push(current);
        parts
    }
}
