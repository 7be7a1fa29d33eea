//! Finds stations at positions that are mistakes of the source: a missing position that is written as 0, and latitude
//! and longitude exchanged.

use std::collections::BTreeSet;

use super::draft::{Draft, DraftStation};
use crate::{Error, Summary, geo::LatLon};

/// A station that is farther than this from all of its neighbours is probably in the wrong place …
const FAR_M: f64 = 1_000_000.0;
/// … if other neighbours are so many times nearer to each other.
const FAR_HOPS: f64 = 20.0;

/// What the keys of stops from a feed begin with.
const GTFS: &str = "gtfs:";
const REMEDY: &str = "correct it in the source, or under [position] in the corrections";

/// Returns the errors, and notes what only looks wrong.
pub(super) fn check(draft: &Draft, summary: &mut Summary) -> Vec<Error> {
    // Tables that people write may show a place that does not exist, with any coordinates.
    let is_zero = |station: &&DraftStation| {
        station.key.starts_with(GTFS) && station.position.lat.abs() + station.position.lon.abs() < 1e-9
    };
    let at_zero = |station: &DraftStation| {
        let message = format!("{} is at latitude 0, longitude 0, in the sea: {REMEDY}", who(station));
        Error::file("the source", message)
    };
    let errors: Vec<Error> = draft.stations.iter().filter(is_zero).map(at_zero).collect();
    if errors.is_empty() {
        for message in far_stations(draft) {
            summary.note(message);
        }
    }
    errors
}

/// The stations that are far from all of their neighbours.
fn far_stations(draft: &Draft) -> Vec<String> {
    let mut edges = BTreeSet::new();
    for line in &draft.lines {
        for run in &line.runs {
            let closing = if line.is_loop { run.last().zip(run.first()).map(|(a, b)| [*a, *b]) } else { None };
            let pairs = run.windows(2).map(|pair| [pair[0], pair[1]]).chain(closing);
            edges.extend(pairs.filter(|[a, b]| a != b).map(|[a, b]| [a.min(b), a.max(b)]));
        }
    }
    let position = |at: usize| draft.stations[at].position;
    let metres = |[a, b]: [usize; 2]| position(a).metres_to(position(b));
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); draft.stations.len()];
    for &[a, b] in &edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let nearest = |from: LatLon, at: usize| {
        neighbours[at].iter().map(|&other| from.metres_to(position(other))).min_by(f64::total_cmp)
    };
    let distances: Vec<Option<f64>> = (0..neighbours.len()).map(|at| nearest(position(at), at)).collect();
    let is_far = |at: usize| distances[at].is_some_and(|metres| metres > FAR_M);
    let mut hops: Vec<f64> =
        edges.iter().filter(|[a, b]| !is_far(*a) && !is_far(*b)).map(|pair| metres(*pair)).collect();
    hops.sort_by(f64::total_cmp);
    // A network of nothing but long edges, such as one of flights, has no hops to compare with.
    let Some(&median) = hops.get(hops.len().saturating_sub(1) / 2) else { return Vec::new() };
    // The only neighbour of a station in the wrong place is far from it too.
    let is_cause = |at: usize| {
        let others = &neighbours[at];
        !others.iter().all(|&other| is_far(other) && neighbours[other].len() > others.len())
    };
    let told = |at: usize| {
        let station = &draft.stations[at];
        let metres = distances[at].filter(|metres| *metres > FAR_M.max(median * FAR_HOPS))?;
        let LatLon { lat, lon } = station.position;
        let exchanged = Some(LatLon { lat: lon, lon: lat })
            .filter(|exchanged| exchanged.is_valid() && nearest(*exchanged, at).is_some_and(|metres| metres <= FAR_M));
        let hint = exchanged.map_or("", |_| "; latitude and longitude seem to be exchanged");
        let km = metres / 1000.0;
        Some(format!("{} is at {lat}, {lon}, {km:.0} km from its neighbours{hint}: {REMEDY}", who(station)))
    };
    (0..draft.stations.len()).filter(|at| is_cause(*at)).filter_map(told).collect()
}

/// A station by its name, and by its `stop_id` if it is from a feed.
fn who(station: &DraftStation) -> String {
    match station.key.strip_prefix(GTFS) {
        Some(id) => format!("stop {id} {}", station.name),
        None => format!("station {}", station.name),
    }
}
