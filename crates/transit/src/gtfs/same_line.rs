//! Finds routes that are one line: feeds may have a route for each direction, or for each period of the timetable.

use std::collections::{BTreeSet, HashMap};

use kaisatsu_model::StationName;

use super::{patterns::Patterns, platform_names::place, routes::Route};
use crate::Summary;

/// What stands between the two ends in the name of a route.
const BETWEEN: [&str; 12] = [" – ", " — ", " - ", "→", "⇒", "⇔", "↔", "->", " to ", "～", "〜", "–"];

/// Moves the trips of routes that are one line to the first of them, whose name loses its direction.
pub(super) fn join(routes: &mut [Route], patterns: Patterns, summary: &mut Summary) -> Patterns {
    let mut stations: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); routes.len()];
    for (route, run) in patterns.keys() {
        stations[*route].extend(run);
    }
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, route) in routes.iter().enumerate().filter(|(at, _)| !stations[*at].is_empty()) {
        by_name.entry(undirected_name(route)).or_default().push(at);
    }
    let mut line_of: Vec<usize> = (0..routes.len()).collect();
    let mut names: Vec<&Vec<usize>> = by_name.values().collect();
    names.sort_unstable();
    for (first, other) in names.into_iter().flat_map(|same| pairs(same)) {
        // Two lines of one name in two towns share no station.
        let common = stations[first].intersection(&stations[other]).count();
        let is_one = 2 * common >= stations[first].len().min(stations[other].len());
        if line_of[first] == first && line_of[other] == other && is_one && are_alike(&routes[first], &routes[other]) {
            line_of[other] = first;
            let moved = stations[other].clone();
            stations[first].extend(moved);
            summary.omit("routes that are another direction or period of a line", routes[other].name.clone());
            if routes[first].name != routes[other].name {
                let name = place(&routes[first].name).to_owned();
                routes[first].name = name;
            }
        }
    }
    for (at, route) in routes.iter_mut().enumerate() {
        route.is_joined = line_of[at] != at;
    }
    let mut joined = Patterns::new();
    for ((route, run), trips) in patterns {
        *joined.entry((line_of[route], run)).or_default() += trips;
    }
    joined
}

fn pairs(routes: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    routes.iter().enumerate().flat_map(|(at, &first)| routes[at + 1..].iter().map(move |&other| (first, other)))
}

fn are_alike(one: &Route, other: &Route) -> bool {
    one.kind == other.kind
        && one.agency == other.agency
        && (one.color == other.color || one.color.is_none() || other.color.is_none())
}

/// The short name of a route without a direction, or its long name with its two ends in one order.
fn undirected_name(route: &Route) -> String {
    let fold = |name: &str| StationName::fold(name).as_str().to_owned();
    if !route.short.is_empty() {
        return fold(place(&route.short));
    }
    let name = place(&route.name);
    match BETWEEN.iter().find_map(|between| name.split_once(between)) {
        Some((from, to)) => {
            let (from, to) = (fold(from), fold(to));
            if from <= to { format!("{from}\n{to}") } else { format!("{to}\n{from}") }
        }
        None => fold(name),
    }
}
