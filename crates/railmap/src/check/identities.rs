//! Warns about lines that cannot be told apart, and about numbers of stations that are in doubt.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ops::Range,
};

use toml::Spanned;

use super::{report::Report, text_length::abbreviate};
use crate::{Station, file::LineEntry};

pub(super) fn check(stations: &[(Station, Range<usize>)], lines: &[Spanned<LineEntry>], report: &mut Report) {
    check_colors(lines, report);
    check_numbers(stations, lines, report);
}

/// Two lines of one colour that meet are told apart by their symbols.
fn check_colors(lines: &[Spanned<LineEntry>], report: &mut Report) {
    let mut at_station: HashMap<i64, Vec<usize>> = HashMap::new();
    for (index, spanned) in lines.iter().enumerate() {
        let stops: BTreeSet<i64> = spanned.get_ref().stations.iter().flatten().copied().collect();
        for stop in stops {
            at_station.entry(stop).or_default().push(index);
        }
    }
    let meeting: BTreeSet<(usize, usize)> = at_station
        .values()
        .flat_map(|on| on.iter().enumerate().flat_map(|(at, a)| on[at + 1..].iter().map(|b| (*a, *b))))
        .filter(|(a, b)| lines[*a].get_ref().color.eq_ignore_ascii_case(&lines[*b].get_ref().color))
        .collect();
    let mut reported = HashSet::new();
    for (a, b) in meeting {
        for (at, other) in [(a, b), (b, a)] {
            let (entry, met) = (lines[at].get_ref(), lines[other].get_ref());
            if entry.symbol.trim().is_empty() && reported.insert(at) {
                let who = format!("line {} {}", entry.code, abbreviate(&entry.name));
                let (met, color) = (abbreviate(&met.name), &entry.color);
                report.warning(&lines[at].span(), format!("{who}: it meets {met}, also {color}, and has no symbol"));
            }
        }
    }
}

/// A number belongs to one station of a line. Two lines may have the same symbol, and so the same numbers.
fn check_numbers(stations: &[(Station, Range<usize>)], lines: &[Spanned<LineEntry>], report: &mut Report) {
    let of_code: HashMap<i64, &(Station, Range<usize>)> =
        stations.iter().map(|one| (i64::from(one.0.code.get()), one)).collect();
    let mut reported = HashSet::new();
    for entry in lines.iter().map(Spanned::get_ref) {
        let mut seen: HashMap<&str, &Station> = HashMap::new();
        for (station, span) in entry.stations.iter().flatten().filter_map(|code| of_code.get(code)) {
            for number in &station.numbers {
                let Some(first) = seen.insert(number, station).filter(|first| first.code != station.code) else {
                    continue;
                };
                if reported.insert((number, first.code.min(station.code))) {
                    let who = format!("station {} {}", station.code, abbreviate(&station.name));
                    let other = format!("{} {}", first.code, abbreviate(&first.name));
                    report.warning(span, format!("{who}: {number} is the number of station {other} too"));
                }
            }
        }
    }
    for (station, span) in stations {
        for number in station.numbers.iter().filter(|number| !number.ends_with(|c: char| c.is_ascii_digit())) {
            let who = format!("station {} {}", station.code, abbreviate(&station.name));
            report.warning(span, format!("{who}: '{}' is no number of a station", abbreviate(number)));
        }
    }
}
