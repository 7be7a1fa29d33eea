//! Imports GTFS static feeds, from a zip file or a folder.
//!
//! Feeds are read with `csv` and `zip` instead of a GTFS crate. `stop_times.txt` may have tens of millions of rows, of
//! which only the trip patterns are needed, so it is streamed. Errors must name the file and the line, and harmless
//! mistakes in a feed must not stop the import.

mod feed;
mod opposite_stops;
mod patterns;
mod platform_names;
mod prune;
mod route_filter;
mod routes;
mod same_line;
mod same_station;
mod service;
mod stations;
mod walks;

use std::{collections::HashMap, path::Path};

use kaisatsu_model::{
    TransportKind,
    text::{MAX_NAME, check_length},
};

use patterns::Selection;
use prune::RouteRuns;
pub use route_filter::RouteFilter;
use routes::Route;
pub use service::ServiceProfile;

use crate::{
    Error, Summary,
    progress::Progress,
    source_data::{SourceData, SourceLine, SourceStop},
};

/// A longer short name is a name, not a symbol.
const MAX_SYMBOL: usize = 4;

pub(crate) fn read(
    path: &Path,
    filter: &RouteFilter,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<SourceData, Error> {
    let mut feed = feed::Feed::open(path)?;
    let (mut routes, known_routes) = routes::read(&mut feed, filter, summary)?;
    let places = stations::read(&mut feed, summary)?;
    let selection = Selection { routes: &routes, known_routes: &known_routes, profile: filter.service };
    let patterns = patterns::read(&mut feed, &selection, &places, progress, summary)?;
    let stop_index = places.into_stations(&patterns);
    let patterns = patterns::at_stations(patterns, &stop_index.by_place)?;
    let patterns = same_line::join(&mut routes, patterns, summary);
    let pruned = prune::prune(&patterns, routes.len(), &stop_index.stations, summary);
    let kinds = strongest_kinds(&routes, &pruned);
    // Only stations at which a selected route stops. A feed also has entrances, bus stops and other locations.
    let mut data = SourceData::default();
    let mut errors = Vec::new();
    let mut stop_of: HashMap<usize, usize> = HashMap::new();
    let mut nameless = Vec::new();
    for (route, (runs, is_loop)) in routes.iter().zip(pruned).filter(|(route, _)| !route.is_joined) {
        if runs.is_empty() {
            let reason = format!("routes without two stops in the service that is drawn ({})", filter.service.word());
            summary.omit(&reason, route.name.clone());
            continue;
        }
        errors.extend(too_long("routes.txt", route.line, "the name of the route", &route.name));
        errors.extend(too_long("routes.txt", route.line, "the name of its agency", &route.operator));
        for &station in runs.iter().flatten() {
            stop_of.entry(station).or_insert_with(|| {
                let known = &stop_index.stations[station];
                for name in std::iter::once(&known.name).chain(&known.other_names) {
                    errors.extend(too_long("stops.txt", known.line, "stop_name", name));
                }
                if known.is_nameless {
                    nameless.push(known.id.clone());
                }
                data.stops.push(SourceStop {
                    group: known.id.clone(),
                    key: format!("gtfs:{}", known.id),
                    code: None,
                    group_code: None,
                    name: known.name.clone(),
                    yomi: String::new(),
                    translation: String::new(),
                    kind: kinds[&station],
                    prefecture: None,
                    position: known.position,
                    formerly: known.other_names.clone(),
                });
                data.stops.len() - 1
            });
        }
        data.lines.push(SourceLine {
            key: format!("gtfs:{}", route.id),
            code: None,
            name: route.name.clone(),
            translation: String::new(),
            color: route.color.clone(),
            symbol: Some(&route.short).filter(|short| short.chars().count() <= MAX_SYMBOL).cloned().unwrap_or_default(),
            operator: route.operator.clone(),
            runs: runs.iter().map(|run| run.iter().map(|station| stop_of[station]).collect()).collect(),
            is_loop,
        });
    }
    Error::from_all(errors)?;
    nameless.sort_unstable();
    summary.note_all("stations without a stop_name, which are called by their stop_id", nameless);
    let walks = stop_index.walks.iter().filter_map(|(a, b)| Some((*stop_of.get(a)?, *stop_of.get(b)?)));
    data.walks = walks.collect();
    // A few guaranteed connections do not mean that the feed has all places at which passengers change.
    data.walks_suffice = stop_index.walk_count * 20 >= data.stops.len();
    Ok(data)
}

/// Removes a colour that all lines have: it is the operator's, and the lines could not be told apart by it. With two
/// lines it may be a coincidence.
pub(crate) fn drop_common_color(lines: &mut [SourceLine], summary: &mut Summary) {
    let count = lines.len();
    let Some(common) = lines.first().and_then(|line| line.color.clone()).filter(|_| count > 2) else { return };
    if lines.iter().all(|line| line.color.as_ref() == Some(&common)) {
        for line in lines {
            line.color = None;
        }
        summary.note(format!(
            "all {count} lines have the route_color {common}, so each is drawn in a colour of its own; \
             common_color = \"keep\" in the corrections keeps that of the feed"
        ));
    }
}

/// The error for a text that no map could have.
fn too_long(file: &str, line: u64, what: &str, text: &str) -> Option<Error> {
    check_length(text, MAX_NAME, what).err().map(|message| Error::line(file, line, message))
}

/// The mode of transport of each station. With several, trains take precedence over ships, and ships over buses.
fn strongest_kinds(routes: &[Route], runs: &[RouteRuns]) -> HashMap<usize, TransportKind> {
    let strength = |kind: TransportKind| match kind {
        TransportKind::Train => 2,
        TransportKind::Ship => 1,
        _ => 0,
    };
    let mut kinds: HashMap<usize, TransportKind> = HashMap::new();
    for (route, (runs, _)) in routes.iter().zip(runs) {
        for &station in runs.iter().flatten() {
            let known = kinds.entry(station).or_insert(route.kind);
            if strength(route.kind) > strength(*known) {
                *known = route.kind;
            }
        }
    }
    kinds
}
