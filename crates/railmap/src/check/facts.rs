//! Warns about facts that are probably wrong: prefectures, names of lines, and former names.

use std::{collections::HashMap, ops::Range};

use kaisatsu_model::StationName;
use toml::Spanned;

use super::{report::Report, text_length::abbreviate};
use crate::{Station, file::LineEntry};

/// How far to look for other stations of a prefecture, in metres.
const FAR: f64 = 8_000.0;
/// So many stations of other prefectures nearby, and none of the own one, make a prefecture implausible.
const NEARBY: usize = 5;

pub(super) fn check(stations: &[(Station, Range<usize>)], lines: &[Spanned<LineEntry>], report: &mut Report) {
    check_prefectures(stations, report);
    check_former_names(stations, report);
    check_line_names(lines, report);
}

fn check_prefectures(stations: &[(Station, Range<usize>)], report: &mut Report) {
    let latitude = |at: usize| stations[at].0.position.degrees().0;
    let mut northward: Vec<usize> = (0..stations.len()).collect();
    northward.sort_by(|&a, &b| latitude(a).total_cmp(&latitude(b)));
    for (rank, &at) in northward.iter().enumerate() {
        let (station, span) = &stations[at];
        let Some(own) = station.prefecture else { continue };
        // A degree of latitude has 111 km.
        let in_band = |other: &&usize| (latitude(**other) - latitude(at)).abs() * 111_000.0 < FAR;
        let around = northward[rank + 1..].iter().take_while(in_band);
        let around = around.chain(northward[..rank].iter().rev().take_while(in_band));
        let near: Vec<_> = around
            .map(|&other| &stations[other].0)
            .filter(|other| other.position.metres_to(station.position) < FAR)
            .filter_map(|other| other.prefecture)
            .collect();
        if near.len() >= NEARBY && !near.contains(&own) {
            let who = format!("station {} {}", station.code, abbreviate(&station.name));
            report.warning(span, format!("{who}: no other station nearby is in its prefecture, {}", own.name()));
        }
    }
}

/// A former name that is the current name of another station never finds the one that had it.
fn check_former_names(stations: &[(Station, Range<usize>)], report: &mut Report) {
    let current: HashMap<StationName, &Station> =
        stations.iter().map(|(station, _)| (StationName::fold(&station.name), station)).collect();
    for (station, span) in stations {
        for old in &station.formerly {
            if let Some(other) = current.get(&StationName::fold(old)).filter(|other| is_far(other, station)) {
                let who = format!("station {} {}", station.code, abbreviate(&station.name));
                let (old, code) = (abbreviate(old), other.code);
                report.warning(span, format!("{who}: formerly '{old}' is the name of another station, {code}"));
            }
        }
    }
}

/// Whether two stations are not the parts of one place, such as 梅田 and 大阪梅田.
fn is_far(one: &Station, other: &Station) -> bool {
    one.position.metres_to(other.position) > 1_000.0
}

fn check_line_names(lines: &[Spanned<LineEntry>], report: &mut Report) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for spanned in lines {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("line {} {}", entry.code, abbreviate(&entry.name));
        let number = report.lines.number(&at);
        if let Some(first) = seen.insert(entry.name.trim(), number) {
            report.warning(&at, format!("{who}: another line has the same name, at line {first}"));
        }
        // A part of a line from one station to another, as timetables and registers write it.
        let inside = entry.name.split(['(', '（']).nth(1).unwrap_or("");
        if inside.contains(['～', '〜', '~']) {
            report.warning(&at, format!("{who}: passengers do not call a line by its section"));
        }
    }
}
