//! Extracts the trip patterns of routes from `stop_times.txt`: sequences of stations, with the number of their trips.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{feed::Feed, routes::Route, stations::StopIndex};
use crate::{Error, Summary, progress::Progress};

/// The number of trips for each route and sequence of stations, both directions together.
pub(super) type Patterns = BTreeMap<(usize, Vec<usize>), usize>;

/// The progress is reported once per so many rows.
const ROWS_BETWEEN_REPORTS: u64 = 50_000;

/// The most stop times of one trip. The longest real trips have a few hundred.
const MAX_STOP_TIMES_PER_TRIP: usize = 65_536;

/// One stop time of a trip: its `stop_sequence` and its station.
type StopTime = (u32, usize);

pub(super) fn read(
    feed: &mut Feed,
    routes: &[Route],
    stop_index: &StopIndex,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<Patterns, Error> {
    let trips = trips(feed, routes, summary)?;
    let mut first = Summary::default();
    let (patterns, interleaved) = read_stop_times(feed, &trips, stop_index, &HashSet::new(), progress, &mut first)?;
    summary.append(first);
    if interleaved.is_empty() {
        return Ok(patterns);
    }
    // The rows of some trips are not consecutive. A second pass buffers those trips.
    Ok(read_stop_times(feed, &trips, stop_index, &interleaved, progress, &mut Summary::default())?.0)
}

/// The route of each trip of the selected routes.
fn trips(feed: &mut Feed, routes: &[Route], summary: &mut Summary) -> Result<HashMap<String, usize>, Error> {
    let wanted: HashMap<&str, usize> = routes.iter().enumerate().map(|(at, route)| (route.id.as_str(), at)).collect();
    let (mut table, _) = feed.required("trips.txt")?;
    let (id, route) = (table.required("trip_id")?, table.required("route_id")?);
    let mut trips = HashMap::new();
    while let Some(row) = table.next()? {
        summary.count("trips read", 1);
        if let Some(&route) = wanted.get(row.text(route)) {
            trips.insert(row.text(id).to_owned(), route);
        }
    }
    Ok(trips)
}

/// Reads the stop times. Holds one trip at a time, and all trips that are known to be interleaved. Returns the
/// patterns, and the trips that were found to be interleaved.
fn read_stop_times(
    feed: &mut Feed,
    trips: &HashMap<String, usize>,
    stop_index: &StopIndex,
    interleaved: &HashSet<String>,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<(Patterns, HashSet<String>), Error> {
    let (mut table, size) = feed.required("stop_times.txt")?;
    let [trip, stop, order] = ["trip_id", "stop_id", "stop_sequence"].map(|name| table.required(name));
    let (trip_column, stop_column, order_column) = (trip?, stop?, order?);
    let [pickup, drop_off] = ["pickup_type", "drop_off_type"].map(|name| table.column(name));
    let mut patterns = Patterns::new();
    let mut buffered: BTreeMap<String, Vec<StopTime>> = BTreeMap::new();
    let mut finished: HashSet<String> = HashSet::new();
    let mut reopened = HashSet::new();
    let (mut current, mut stop_times): (String, Vec<StopTime>) = (String::new(), Vec::new());
    let mut rows: u64 = 0;
    while let Some(row) = table.next()? {
        rows += 1;
        if rows.is_multiple_of(ROWS_BETWEEN_REPORTS) {
            progress("stop_times.txt", row.byte, size);
        }
        let trip = row.text(trip_column);
        if trip != current {
            if let Some(&route) = trips.get(&current) {
                count_trip(&mut patterns, route, &mut stop_times);
                finished.insert(std::mem::take(&mut current));
            }
            trip.clone_into(&mut current);
            if finished.contains(trip) {
                reopened.insert(trip.to_owned());
            }
        }
        if !trips.contains_key(trip) {
            continue;
        }
        // No pickup and no drop-off: the train does not stop for passengers.
        if row.text(pickup) == "1" && row.text(drop_off) == "1" {
            summary.omit("stop times without pickup or drop-off", row.text(stop_column));
            continue;
        }
        let order: u32 = row.number(order_column, "stop_sequence")?;
        let Some(&station) = stop_index.by_stop.get(row.text(stop_column)) else {
            let example = format!("{} at stop_times.txt:{}", row.text(stop_column), row.line);
            summary.omit("stop times at stops that are not in stops.txt", example);
            continue;
        };
        let stop_times =
            if interleaved.contains(trip) { buffered.entry(trip.to_owned()).or_default() } else { &mut stop_times };
        if stop_times.len() == MAX_STOP_TIMES_PER_TRIP {
            return Err(row.error(format!("trip {trip} has more than {MAX_STOP_TIMES_PER_TRIP} stop times")));
        }
        stop_times.push((order, station));
    }
    progress("stop_times.txt", size, size);
    if let Some(&route) = trips.get(&current) {
        count_trip(&mut patterns, route, &mut stop_times);
    }
    for (trip, mut stop_times) in buffered {
        if let Some(&route) = trips.get(&trip) {
            count_trip(&mut patterns, route, &mut stop_times);
        }
    }
    summary.count("stop times read", usize::try_from(rows).unwrap_or(usize::MAX));
    Ok((patterns, reopened))
}

/// Counts one trip. Both directions count as one pattern.
fn count_trip(patterns: &mut Patterns, route: usize, stop_times: &mut Vec<StopTime>) {
    stop_times.sort_by_key(|(order, _)| *order);
    let mut stations: Vec<usize> = stop_times.drain(..).map(|(_, station)| station).collect();
    stations.dedup();
    if stations.len() < 2 {
        return;
    }
    let backwards: Vec<usize> = stations.iter().rev().copied().collect();
    *patterns.entry((route, stations.min(backwards))).or_default() += 1;
}
