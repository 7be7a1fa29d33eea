//! GTFS static feeds, from a zip file or a folder.
//!
//! We read them with `csv` and `zip` rather than with a crate for GTFS: `stop_times.txt` may have tens of millions of rows, of
//! which only the patterns of trips are of interest, so it is streamed; and an error must name the file and the line
//! while a slip that does no harm must not stop the import.

mod choice;
mod feed;
mod patterns;
mod routes;
mod stations;
mod thin;

use std::{collections::HashMap, path::Path};

use kaisatsu_model::TransportKind;

pub use choice::Choice;
use routes::Route;
use thin::Runs;

use crate::{
    Error, Summary,
    progress::Progress,
    raw::{Raw, RawLine, Stop},
};

pub(crate) fn read(path: &Path, choice: &Choice, progress: Progress<'_>, summary: &mut Summary) -> Result<Raw, Error> {
    let mut feed = feed::Feed::open(path)?;
    let routes = routes::read(&mut feed, choice, summary)?;
    let places = stations::read(&mut feed, summary)?;
    let found = patterns::read(&mut feed, &routes, &places, progress, summary)?;
    let thinned = thin::thin(&found, routes.len(), &places.stations, summary);
    let kinds = strongest_kinds(&routes, &thinned);
    // Only stations that a wanted route calls at; a feed has entrances, bus stops and much else.
    let mut raw = Raw::default();
    let mut stop_of: HashMap<usize, usize> = HashMap::new();
    for (route, (runs, is_loop)) in routes.iter().zip(thinned) {
        if runs.is_empty() {
            summary.drop("routes without two stops", route.name.clone());
            continue;
        }
        for &station in runs.iter().flatten() {
            stop_of.entry(station).or_insert_with(|| {
                let known = &places.stations[station];
                raw.stops.push(Stop {
                    group: known.id.clone(),
                    key: format!("gtfs:{}", known.id),
                    code: None,
                    group_code: None,
                    name: known.name.clone(),
                    yomi: String::new(),
                    translation: String::new(),
                    kind: kinds[&station],
                    prefecture: None,
                    place: known.place,
                    formerly: Vec::new(),
                });
                raw.stops.len() - 1
            });
        }
        raw.lines.push(RawLine {
            key: format!("gtfs:{}", route.id),
            code: None,
            name: route.name.clone(),
            translation: String::new(),
            color: route.color.clone(),
            runs: runs.iter().map(|run| run.iter().map(|station| stop_of[station]).collect()).collect(),
            is_loop,
        });
    }
    Ok(raw)
}

/// What stops at each station. Where trains stop it is a railway station, whatever else does: after them ships, then buses.
fn strongest_kinds(routes: &[Route], runs: &[Runs]) -> HashMap<usize, TransportKind> {
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
