//! In which order the trips of a route call at its stations, and how many do so.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{feed::Feed, routes::Route, stations::Places};
use crate::{Error, Summary, progress::Progress};

/// For each route and order of stations, how many trips follow it, one way or the other.
pub(super) type Patterns = BTreeMap<(usize, Vec<usize>), usize>;

/// How often somebody is told about the progress.
const ROWS_BETWEEN_REPORTS: u64 = 50_000;

/// No trip calls more often: the longest honest ones have a few hundred calls.
const MOST_CALLS: usize = 65_536;

/// One call of a trip: its place in the trip, and the station.
type Call = (u32, usize);

pub(super) fn read(
    feed: &mut Feed,
    routes: &[Route],
    places: &Places,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<Patterns, Error> {
    let trips = trips(feed, routes, summary)?;
    let mut first = Summary::default();
    let (patterns, scattered) = stream(feed, &trips, places, &HashSet::new(), progress, &mut first)?;
    summary.append(first);
    if scattered.is_empty() {
        return Ok(patterns);
    }
    // The rows of some trips are not together: read again, with those trips in memory as a whole.
    Ok(stream(feed, &trips, places, &scattered, progress, &mut Summary::default())?.0)
}

/// The route of each trip of a wanted route.
fn trips(feed: &mut Feed, routes: &[Route], summary: &mut Summary) -> Result<HashMap<String, usize>, Error> {
    let wanted: HashMap<&str, usize> = routes.iter().enumerate().map(|(at, route)| (route.id.as_str(), at)).collect();
    let (mut table, _) = feed.needed("trips.txt")?;
    let (id, route) = (table.needed("trip_id")?, table.needed("route_id")?);
    let mut trips = HashMap::new();
    while let Some(row) = table.next()? {
        summary.read("trips read", 1);
        if let Some(&route) = wanted.get(row.text(route)) {
            trips.insert(row.text(id).to_owned(), route);
        }
    }
    Ok(trips)
}

/// Reads the calls and holds one trip at a time, and all of those that are known to be scattered. Returns the patterns,
/// and the trips that turned out to be scattered.
fn stream(
    feed: &mut Feed,
    trips: &HashMap<String, usize>,
    places: &Places,
    scattered: &HashSet<String>,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<(Patterns, HashSet<String>), Error> {
    let (mut table, size) = feed.needed("stop_times.txt")?;
    let [trip, stop, order] = ["trip_id", "stop_id", "stop_sequence"].map(|name| table.needed(name));
    let (trip_column, stop_column, order_column) = (trip?, stop?, order?);
    let [pickup, drop_off] = ["pickup_type", "drop_off_type"].map(|name| table.column(name));
    let mut patterns = Patterns::new();
    let mut whole: BTreeMap<String, Vec<Call>> = BTreeMap::new();
    let mut finished: HashSet<String> = HashSet::new();
    let mut returning = HashSet::new();
    let (mut current, mut calls): (String, Vec<Call>) = (String::new(), Vec::new());
    let mut rows: u64 = 0;
    while let Some(row) = table.next()? {
        rows += 1;
        if rows.is_multiple_of(ROWS_BETWEEN_REPORTS) {
            progress("stop_times.txt", row.byte, size);
        }
        let trip = row.text(trip_column);
        if trip != current {
            if let Some(&route) = trips.get(&current) {
                count(&mut patterns, route, &mut calls);
                finished.insert(std::mem::take(&mut current));
            }
            trip.clone_into(&mut current);
            if finished.contains(trip) {
                returning.insert(trip.to_owned());
            }
        }
        if !trips.contains_key(trip) {
            continue;
        }
        // Neither in nor out: the train only passes.
        if row.text(pickup) == "1" && row.text(drop_off) == "1" {
            summary.drop("calls where nobody gets on or off", row.text(stop_column));
            continue;
        }
        let order: u32 = row.number(order_column, "stop_sequence")?;
        let Some(&station) = places.by_stop.get(row.text(stop_column)) else {
            let example = format!("{} at stop_times.txt:{}", row.text(stop_column), row.line);
            summary.drop("calls at stops that are not in stops.txt", example);
            continue;
        };
        let calls = if scattered.contains(trip) { whole.entry(trip.to_owned()).or_default() } else { &mut calls };
        if calls.len() == MOST_CALLS {
            return Err(row.error(format!("trip {trip} has more than {MOST_CALLS} calls")));
        }
        calls.push((order, station));
    }
    progress("stop_times.txt", size, size);
    if let Some(&route) = trips.get(&current) {
        count(&mut patterns, route, &mut calls);
    }
    for (trip, mut calls) in whole {
        if let Some(&route) = trips.get(&trip) {
            count(&mut patterns, route, &mut calls);
        }
    }
    summary.read("calls read", usize::try_from(rows).unwrap_or(usize::MAX));
    Ok((patterns, returning))
}

/// Counts one trip; both directions are one pattern.
fn count(patterns: &mut Patterns, route: usize, calls: &mut Vec<Call>) {
    calls.sort_by_key(|(order, _)| *order);
    let mut stations: Vec<usize> = calls.drain(..).map(|(_, station)| station).collect();
    stations.dedup();
    if stations.len() < 2 {
        return;
    }
    let backwards: Vec<usize> = stations.iter().rev().copied().collect();
    *patterns.entry((route, stations.min(backwards))).or_default() += 1;
}
