//! From the patterns of a route to its runs: no edge for an express that skips what others call at, none for a rare detour.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use super::{patterns::Patterns, stations::FeedStation};
use crate::{Summary, way::Way};

/// An edge that fewer of the trips of a route use is a detour during works, or a way to the depot.
const RARE: f64 = 0.02;
/// A way through other stations that is at most so much longer is the way that the express takes.
const DETOUR: f64 = 1.35;

/// Runs, and whether they are one ring.
pub(super) type Runs = (Vec<Vec<usize>>, bool);
type Edge = (usize, usize);
/// The neighbours of each station, in order: which of two equal ways is found must not change from run to run.
type Next = HashMap<usize, BTreeSet<usize>>;

/// The runs of each route.
pub(super) fn thin(patterns: &Patterns, routes: usize, stations: &[FeedStation], summary: &mut Summary) -> Vec<Runs> {
    let mut by_route: Vec<Vec<(&[usize], usize)>> = vec![Vec::new(); routes];
    for ((route, run), trips) in patterns {
        by_route[*route].push((run, *trips));
    }
    let mut graphs: Vec<Graph<'_>> = by_route.iter().map(|runs| Graph::of(runs, stations)).collect();
    serve_all(&by_route, &mut graphs);
    let mut thinned = Vec::with_capacity(routes);
    for (runs, graph) in by_route.iter().zip(&mut graphs) {
        let rare = graph.all.len() - graph.edges.len();
        for _ in 0..rare {
            summary.drop("edges of less than 2% of a route's trips", "detours and ways to the depot");
        }
        for (a, b) in graph.drop_express() {
            let example = format!("{}–{}", stations[a].name, stations[b].name);
            summary.drop("edges of an express past stations of its own route", example);
        }
        thinned.push(graph.runs(runs));
    }
    thinned
}

/// A station that only rare trips of any route call at is served all the same, by the route that does so most.
fn serve_all(by_route: &[Vec<(&[usize], usize)>], graphs: &mut [Graph<'_>]) {
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
            let own: Vec<Edge> = graph.all.keys().copied().filter(|&(a, b)| a == station || b == station).collect();
            graph.edges.extend(own);
        }
    }
}

struct Graph<'a> {
    stations: &'a [FeedStation],
    /// Every edge that some trip uses, and how many do.
    all: BTreeMap<Edge, usize>,
    /// Those that matter.
    edges: BTreeSet<Edge>,
}

fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
}

impl<'a> Graph<'a> {
    fn of(runs: &[(&[usize], usize)], stations: &'a [FeedStation]) -> Self {
        let mut all: BTreeMap<Edge, usize> = BTreeMap::new();
        let mut trips = 0;
        for (run, count) in runs {
            trips += count;
            let own: BTreeSet<Edge> = run.windows(2).map(|pair| edge(pair[0], pair[1])).collect();
            for edge in own {
                *all.entry(edge).or_default() += count;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "no feed has 2⁵³ trips")]
        let enough = |count: usize| count as f64 >= trips as f64 * RARE;
        let edges = all.iter().filter(|(_, count)| enough(**count)).map(|(edge, _)| *edge).collect();
        Self { stations, all, edges }
    }

    fn metres(&self, (a, b): Edge) -> f64 {
        self.stations[a].place.metres_to(self.stations[b].place)
    }

    /// Takes out the edges beside which there is a way through other stations, the longest first.
    fn drop_express(&mut self) -> Vec<Edge> {
        let mut by_length: Vec<Edge> = self.edges.iter().copied().collect();
        by_length.sort_by(|&a, &b| self.metres(b).total_cmp(&self.metres(a)).then(a.cmp(&b)));
        let mut next = self.next();
        let mut express = Vec::new();
        for (a, b) in by_length {
            for (from, to) in [(a, b), (b, a)] {
                next.entry(from).or_default().remove(&to);
            }
            if self.way(a, b, &next).is_some() {
                self.edges.remove(&(a, b));
                express.push((a, b));
            } else {
                for (from, to) in [(a, b), (b, a)] {
                    next.entry(from).or_default().insert(to);
                }
            }
        }
        express
    }

    fn next(&self) -> Next {
        let mut next = Next::new();
        for &(a, b) in &self.edges {
            next.entry(a).or_default().insert(b);
            next.entry(b).or_default().insert(a);
        }
        next
    }

    /// The way from one station to another along the edges, if it is hardly longer than the straight one.
    fn way(&self, from: usize, to: usize, next: &Next) -> Option<Vec<usize>> {
        let longest = self.metres((from, to)) * DETOUR;
        let mut reached: HashMap<usize, (f64, usize)> = HashMap::from([(from, (0.0, from))]);
        let mut heap = BinaryHeap::from([Way(0.0, from)]);
        while let Some(Way(metres, here)) = heap.pop() {
            if here == to {
                let mut way = vec![to];
                let mut at = to;
                while at != from {
                    at = reached.get(&at)?.1;
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            for &neighbour in next.get(&here).into_iter().flatten() {
                let there = metres + self.metres((here, neighbour));
                if there <= longest && reached.get(&neighbour).is_none_or(|(known, _)| there < *known) {
                    reached.insert(neighbour, (there, here));
                    heap.push(Way(there, neighbour));
                }
            }
        }
        None
    }

    /// The longest patterns, with what their expresses skip, until every edge is in a run.
    fn runs(&self, patterns: &[(&[usize], usize)]) -> Runs {
        let next = self.next();
        let mut full: Vec<(Vec<usize>, usize)> = patterns
            .iter()
            .flat_map(|(run, trips)| self.completed(run, &next).into_iter().map(|part| (part, *trips)))
            .collect();
        full.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(b.1.cmp(&a.1)).then(a.0.cmp(&b.0)));
        let mut open = self.edges.clone();
        let mut runs = Vec::new();
        for (run, _) in full {
            let mut current: Vec<usize> = Vec::new();
            for pair in run.windows(2) {
                if open.remove(&edge(pair[0], pair[1])) {
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
            if open.is_empty() {
                break;
            }
        }
        let is_ring = matches!(runs.as_slice(), [one] if one.len() > 3 && one.first() == one.last());
        if is_ring {
            runs[0].pop();
        }
        (runs, is_ring)
    }

    /// A pattern with the stations that it skips, parted where it uses an edge that does not matter.
    fn completed(&self, run: &[usize], next: &Next) -> Vec<Vec<usize>> {
        let mut parts = Vec::new();
        let mut current = vec![run[0]];
        for pair in run.windows(2) {
            if self.edges.contains(&edge(pair[0], pair[1])) {
                current.push(pair[1]);
            } else if let Some(way) = self.way(pair[0], pair[1], next) {
                current.extend(&way[1..]);
            } else {
                parts.push(std::mem::replace(&mut current, vec![pair[1]]));
            }
        }
        parts.push(current);
        parts.retain(|part| part.len() > 1);
        parts
    }
}
