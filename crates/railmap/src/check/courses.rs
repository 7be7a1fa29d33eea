//! Warns about courses of lines that are probably wrong: detours, parts that nothing joins, and stops left out.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use toml::Spanned;

use super::{report::Report, text_length::abbreviate};
use crate::{Station, file::LineEntry};

/// A line that goes so much further by way of a station than past it makes a detour,
const DETOUR: f64 = 1.6;
/// if it is so many metres longer too.
const DETOUR_METRES: f64 = 400.0;

type ByCode<'a> = HashMap<i64, &'a (Station, Range<usize>)>;

pub(super) fn check(stations: &[(Station, Range<usize>)], lines: &[Spanned<LineEntry>], report: &mut Report) {
    let by_code: ByCode<'_> = stations.iter().map(|one| (i64::from(one.0.code.get()), one)).collect();
    let numbers: HashSet<&str> =
        stations.iter().flat_map(|(station, _)| station.numbers.iter().map(String::as_str)).collect();
    let mut reported = HashSet::new();
    for spanned in lines {
        let (span, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("line {} {}", entry.code, abbreviate(&entry.name));
        check_parts(entry, &by_code, &who, &span, report);
        for run in &entry.stations {
            let mut run: Vec<&(Station, Range<usize>)> =
                run.iter().filter_map(|code| by_code.get(code)).copied().collect();
            if entry.is_loop {
                run.extend_from_within(..run.len().min(2));
            }
            for three in run.windows(3) {
                let (from, via, to) = (&three[0].0, &three[1].0, &three[2].0);
                if let Some((long, short)) = detour(from, via, to)
                    && reported.insert(via.code)
                {
                    let station = format!("station {} {}", via.code, abbreviate(&via.name));
                    let message = format!(
                        "{station}: is it here? By way of it, {who} goes {long:.0} m from {} to {}, not {short:.0}",
                        abbreviate(&from.name),
                        abbreviate(&to.name)
                    );
                    report.warning(&three[1].1, message);
                }
            }
            // The first two of a loop are there twice.
            let pairs = if entry.is_loop { run.len().saturating_sub(2) } else { run.len() };
            for two in run.windows(2).take(pairs) {
                if let Some(number) = missing_number(entry, &two[0].0, &two[1].0, &numbers) {
                    let (from, to) = (abbreviate(&two[0].0.name), abbreviate(&two[1].0.name));
                    report.warning(&span, format!("{who}: no station is {number}, between {from} and {to}"));
                }
            }
        }
    }
}

/// How far it is by way of a station and without it, in metres, if that is a detour.
fn detour(from: &Station, via: &Station, to: &Station) -> Option<(f64, f64)> {
    let long = from.position.metres_to(via.position) + via.position.metres_to(to.position);
    let short = from.position.metres_to(to.position);
    (from.code != to.code && long > DETOUR * short && long - short > DETOUR_METRES).then_some((long, short))
}

/// The number between those of two neighbours, if no station has it. Operators number the stations of a line one after
/// another, so a single number that is left out is that of a stop that is missing.
fn missing_number(line: &LineEntry, one: &Station, two: &Station, known: &HashSet<&str>) -> Option<String> {
    let of_line = |station: &Station| -> Vec<(String, u32, usize)> {
        let parts = station.numbers.iter().filter_map(|number| {
            let digits = number.len() - number.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let (prefix, value) = number.split_at(number.len() - digits);
            Some((prefix.to_owned(), value.parse().ok()?, digits))
        });
        parts.filter(|(prefix, ..)| !prefix.is_empty() && prefix.trim_end_matches('-') == line.symbol).collect()
    };
    let pairs = of_line(one);
    let pairs = pairs.iter().flat_map(|a| of_line(two).into_iter().map(move |b| (a.clone(), b)));
    let between = pairs.filter(|(a, b)| a.0 == b.0 && a.1.abs_diff(b.1) == 2).map(|((prefix, value, digits), b)| {
        let middle = value.midpoint(b.1);
        format!("{prefix}{middle:0digits$}")
    });
    between.filter(|number| !known.contains(number.as_str())).min()
}

/// A line is one piece, even if it has branches.
fn check_parts(line: &LineEntry, by_code: &ByCode<'_>, who: &str, span: &Range<usize>, report: &mut Report) {
    let mut part_of: BTreeMap<i64, usize> = BTreeMap::new();
    for (index, run) in line.stations.iter().enumerate() {
        let met: HashSet<usize> = run.iter().filter_map(|code| part_of.get(code)).copied().collect();
        part_of.values_mut().filter(|part| met.contains(part)).for_each(|part| *part = index);
        part_of.extend(run.iter().map(|code| (*code, index)));
    }
    let parts: HashSet<usize> = part_of.values().copied().collect();
    if parts.len() > 1 {
        let name = |code: Option<&i64>| {
            code.and_then(|code| by_code.get(code)).map_or("?".into(), |(station, _)| abbreviate(&station.name))
        };
        let ends = line.stations.iter().map(|run| format!("{} to {}", name(run.first()), name(run.last())));
        let ends: Vec<String> = ends.take(4).collect();
        let message = format!("{who}: it has {} parts that nothing joins: {}", parts.len(), ends.join(", "));
        report.warning(span, message);
    }
}
