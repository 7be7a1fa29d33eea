//! Extracts the trip patterns of routes from `stop_times.txt`: sequences of places, with the number of their trips.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    feed::Feed,
    routes::{Route, RouteLines},
    service::{self, ServiceProfile, Timetable},
    stations::Places,
};
use crate::{Error, Summary, progress::Progress};

/// The number of trips for each route and sequence of places, or of stations, for which both directions are one. A trip
/// counts for each day on which it runs.
pub(super) type Patterns = BTreeMap<(usize, Vec<usize>), usize>;

/// The progress is reported once per so many rows.
const ROWS_BETWEEN_REPORTS: u64 = 50_000;

/// The most stop times of one trip. The longest real trips have a few hundred.
const MAX_STOP_TIMES_PER_TRIP: usize = 65_536;

/// One stop time of a trip: its `stop_sequence`, its place, and the time if it has one.
type StopTime = (u32, usize, Option<u32>);

/// A trip of a selected route.
#[derive(Debug, Clone, Copy)]
struct Trip {
    route: usize,
    /// How much it counts.
    weight: usize,
    /// Whether it counts only if it runs at the right time of the day.
    is_timed: bool,
}

/// Which trips are wanted.
pub(super) struct Selection<'a> {
    /// Their routes.
    pub(super) routes: &'a [Route],
    /// All routes of the feed.
    pub(super) known_routes: &'a RouteLines,
    /// The part of the timetable.
    pub(super) profile: ServiceProfile,
}

pub(super) fn read(
    feed: &mut Feed,
    selection: &Selection<'_>,
    places: &Places,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<Patterns, Error> {
    let profile = selection.profile;
    let timetable = Timetable::read(feed, profile, summary)?;
    let trips = trips(feed, selection, &timetable, summary)?;
    let source = StopTimes { trips: &trips, places, timetable: &timetable, progress };
    let mut first = Summary::default();
    let (mut counted, interleaved) = source.read(feed, &HashSet::new(), &mut first)?;
    summary.append(first);
    if !interleaved.is_empty() {
        // The rows of some trips are not consecutive. A second pass buffers those trips.
        counted = source.read(feed, &interleaved, &mut Summary::default())?.0;
    }
    if !counted.patterns.is_empty() {
        return Ok(counted.patterns);
    }
    Err(if trips.is_empty() {
        Error::file("trips.txt", "no trip is of a route that is imported")
    } else if counted.other_services > 0 {
        let message = format!("no trip belongs to the service {}: choose another with --service", profile.word());
        Error::file("trips.txt", message)
    } else {
        no_pattern()
    })
}

/// The trips of a feed.
#[derive(Default)]
struct Counted {
    patterns: Patterns,
    /// The number of trips with two stops or more that do not belong to the service.
    other_services: usize,
}

/// The trips of the selected routes.
fn trips(
    feed: &mut Feed,
    selection: &Selection<'_>,
    timetable: &Timetable,
    summary: &mut Summary,
) -> Result<HashMap<String, Trip>, Error> {
    let routes = selection.routes.iter().enumerate();
    let wanted: HashMap<&str, usize> = routes.map(|(at, route)| (route.id.as_str(), at)).collect();
    let mut unknown: HashMap<String, u64> = HashMap::new();
    let (mut table, _) = feed.required("trips.txt")?;
    let (id, route) = (table.required("trip_id")?, table.required("route_id")?);
    let service = table.column("service_id");
    let mut trips = HashMap::new();
    while let Some(row) = table.next()? {
        summary.count("trips read", 1);
        if let Some(&route) = wanted.get(row.text(route)) {
            let (weight, is_timed) = timetable.weight(row.text(id), row.text(service));
            trips.insert(row.text(id).to_owned(), Trip { route, weight, is_timed });
        } else if !selection.known_routes.contains_key(row.text(route)) {
            let route = row.text(route);
            let first = *unknown.entry(route.to_owned()).or_insert(row.line);
            summary.omit("trips of routes that are not in routes.txt", format!("{route} at trips.txt:{first}"));
        }
    }
    Ok(trips)
}

/// What is needed to read the stop times.
struct StopTimes<'a> {
    trips: &'a HashMap<String, Trip>,
    places: &'a Places,
    timetable: &'a Timetable,
    progress: Progress<'a>,
}

impl StopTimes<'_> {
    /// Reads the stop times. Holds one trip at a time, and all trips that are known to be interleaved. Returns the
    /// patterns, and the trips that were found to be interleaved.
    fn read(
        &self,
        feed: &mut Feed,
        interleaved: &HashSet<String>,
        summary: &mut Summary,
    ) -> Result<(Counted, HashSet<String>), Error> {
        let (mut table, size) = feed.required("stop_times.txt")?;
        let [trip, stop, order] = ["trip_id", "stop_id", "stop_sequence"].map(|name| table.required(name));
        let (trip_column, stop_column, order_column) = (trip?, stop?, order?);
        let [pickup, drop_off, arrival, departure] =
            ["pickup_type", "drop_off_type", "arrival_time", "departure_time"].map(|name| table.column(name));
        let mut counted = Counted::default();
        let mut buffered: BTreeMap<String, Vec<StopTime>> = BTreeMap::new();
        let mut finished: HashSet<String> = HashSet::new();
        let mut reopened = HashSet::new();
        let (mut current, mut stop_times): (String, Vec<StopTime>) = (String::new(), Vec::new());
        let mut rows: u64 = 0;
        while let Some(row) = table.next()? {
            rows += 1;
            if rows.is_multiple_of(ROWS_BETWEEN_REPORTS) {
                (self.progress)("stop_times.txt", row.byte, size);
            }
            let trip = row.text(trip_column);
            if trip != current {
                if let Some(known) = self.trips.get(&current) {
                    self.count_trip(&mut counted, *known, &mut stop_times);
                    finished.insert(std::mem::take(&mut current));
                }
                trip.clone_into(&mut current);
                if finished.contains(trip) {
                    reopened.insert(trip.to_owned());
                }
            }
            if !self.trips.contains_key(trip) {
                continue;
            }
            // No pickup and no drop-off: the train does not stop for passengers.
            if row.text(pickup) == "1" && row.text(drop_off) == "1" {
                summary.omit("stop times without pickup or drop-off", row.text(stop_column));
                continue;
            }
            let order: u32 = row.number(order_column, "stop_sequence")?;
            let Some(&place) = self.places.by_stop.get(row.text(stop_column)) else {
                let example = format!("{} at stop_times.txt:{}", row.text(stop_column), row.line);
                summary.omit("stop times at stops that are not in stops.txt", example);
                continue;
            };
            let stop_times =
                if interleaved.contains(trip) { buffered.entry(trip.to_owned()).or_default() } else { &mut stop_times };
            if stop_times.len() == MAX_STOP_TIMES_PER_TRIP {
                return Err(row.error(format!("trip {trip} has more than {MAX_STOP_TIMES_PER_TRIP} stop times")));
            }
            let time = service::time(row.text(departure)).or_else(|| service::time(row.text(arrival)));
            stop_times.push((order, place, time));
        }
        (self.progress)("stop_times.txt", size, size);
        if let Some(known) = self.trips.get(&current) {
            self.count_trip(&mut counted, *known, &mut stop_times);
        }
        for (trip, mut stop_times) in buffered {
            if let Some(known) = self.trips.get(&trip) {
                self.count_trip(&mut counted, *known, &mut stop_times);
            }
        }
        summary.count("stop times read", usize::try_from(rows).unwrap_or(usize::MAX));
        Ok((counted, reopened))
    }

    /// Counts one trip, if it belongs to the service.
    fn count_trip(&self, counted: &mut Counted, trip: Trip, stop_times: &mut Vec<StopTime>) {
        stop_times.sort_by_key(|(order, ..)| *order);
        let times: Vec<u32> = stop_times.iter().filter_map(|(_, _, time)| *time).collect();
        let middle = times.first().zip(times.last()).map(|(first, last)| first.midpoint(*last));
        let mut pattern: Vec<usize> = stop_times.drain(..).map(|(_, place, _)| place).collect();
        pattern.dedup();
        let is_drawn = trip.weight > 0 && (!trip.is_timed || middle.is_none_or(|at| self.timetable.runs_at(at)));
        if pattern.len() < 2 {
            return;
        }
        if !is_drawn {
            counted.other_services += 1;
            return;
        }
        *counted.patterns.entry((trip.route, pattern)).or_default() += trip.weight;
    }
}

/// The pattern of a trip, in the direction with the smaller numbers; `None` if it has no two stops at different
/// stations.
fn undirected(calls: impl Iterator<Item = usize>) -> Option<Vec<usize>> {
    let mut forwards: Vec<usize> = calls.collect();
    forwards.dedup();
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    (forwards.len() > 1).then(|| forwards.min(backwards))
}

/// Converts patterns of places into patterns of stations, both directions together.
pub(super) fn at_stations(patterns: Patterns, by_place: &[usize]) -> Result<Patterns, Error> {
    let mut converted = Patterns::new();
    for ((route, places), count) in patterns {
        if let Some(pattern) = undirected(places.into_iter().map(|place| by_place[place])) {
            *converted.entry((route, pattern)).or_default() += count;
        }
    }
    if converted.is_empty() { Err(no_pattern()) } else { Ok(converted) }
}

fn no_pattern() -> Error {
    Error::file("stop_times.txt", "no trip of the routes that are imported has two stops at different stations")
}
