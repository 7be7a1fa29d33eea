//! Everything that can be wrong with a network file whose shape is right.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use kaisatsu_model::{Lines, MapId, Prefecture, StationCode, StationName};
use toml::Spanned;

use super::{Finding, LineEntry, NetworkFile, StationEntry, Unreadable};
use crate::{GoneLine, GoneStation, Line, Memory, Network, Station, geo::Place, palette};

struct Report<'a> {
    lines: &'a Lines,
    findings: Vec<Finding>,
}

impl Report<'_> {
    fn error(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.findings.push(Finding { line: self.lines.number(at), message: message.into() });
    }

    fn formerly(&mut self, at: &Range<usize>, who: &str, name: &str, formerly: &[String]) {
        for old in formerly {
            if StationName::fold(old).is_empty() || StationName::fold(old) == StationName::fold(name) {
                self.error(at, format!("{who}: formerly '{old}' is no other name"));
            }
        }
    }

    fn prefecture(&mut self, at: &Range<usize>, who: &str, code: Option<i64>) -> Option<Prefecture> {
        let number = code?;
        let prefecture = Prefecture::from_code(number);
        if prefecture.is_none() {
            self.error(at, format!("{who}: prefecture is {number}; the codes are 1 to 47"));
        }
        prefecture
    }

    fn place(&mut self, at: &Range<usize>, who: &str, place: Place) {
        if !place.is_valid() {
            self.error(at, format!("{who}: lat {} and lon {} are no place on the earth", place.lat, place.lon));
        }
    }
}

pub(super) fn check(file: NetworkFile, lines: &Lines) -> Result<Network, Unreadable> {
    let mut report = Report { lines, findings: Vec::new() };
    if let Err(rule) = MapId::new(file.id.get_ref()) {
        report.error(&file.id.span(), rule.to_string());
    }
    if file.name.get_ref().trim().is_empty() {
        report.error(&file.name.span(), "a network needs a name");
    }
    let mut memory = Memory::default();
    let mut stations = check_stations(&file.station, &mut memory, &mut report);
    let known: HashSet<_> = stations.iter().map(|station| station.code).collect();
    let mut lines = check_lines(&file.line, &known, &mut memory, &mut report);
    check_gone(&file, &known, &mut memory, &mut report);
    if !report.findings.is_empty() {
        report.findings.sort_by_key(|finding| finding.line);
        return Err(Unreadable { findings: report.findings });
    }
    stations.sort_by_key(|station| station.code);
    lines.sort_by_key(|line| line.code);
    memory.gone_stations.sort_by_key(|gone| gone.code);
    memory.gone_lines.sort_by_key(|gone| gone.code);
    Ok(Network {
        id: file.id.into_inner(),
        name: file.name.into_inner(),
        edition: file.edition,
        credits: file.credits,
        stations,
        lines,
        memory,
    })
}

fn check_stations(entries: &[Spanned<StationEntry>], memory: &mut Memory, report: &mut Report<'_>) -> Vec<Station> {
    let mut seen: HashMap<i64, Range<usize>> = HashMap::new();
    let mut stations = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("station {} {}", entry.code, entry.name);
        if let Some(first) = seen.insert(entry.code, at.clone()) {
            let first = report.lines.number(&first);
            report.error(&at, format!("{who}: the code is used before, at line {first}"));
            continue;
        }
        if StationName::fold(&entry.name).is_empty() {
            report.error(&at, format!("{who}: a station needs a name"));
        }
        report.formerly(&at, &who, &entry.name, &entry.formerly);
        let prefecture = report.prefecture(&at, &who, entry.prefecture);
        let place = Place { lat: entry.lat, lon: entry.lon };
        report.place(&at, &who, place);
        match StationCode::new(entry.code) {
            Err(rule) => report.error(&at, format!("{who}: {rule}")),
            Ok(code) => {
                if !entry.key.is_empty() {
                    memory.station_keys.insert(code, entry.key.clone());
                }
                stations.push(Station {
                    code,
                    name: entry.name.clone(),
                    yomi: entry.yomi.clone(),
                    translation: entry.translation.clone(),
                    kind: entry.kind,
                    prefecture,
                    lat: place.lat,
                    lon: place.lon,
                    formerly: entry.formerly.clone(),
                });
            }
        }
    }
    stations
}

fn check_lines(
    entries: &[Spanned<LineEntry>],
    stations: &HashSet<StationCode>,
    memory: &mut Memory,
    report: &mut Report<'_>,
) -> Vec<Line> {
    let mut seen: HashMap<i64, Range<usize>> = HashMap::new();
    let mut lines = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("line {} {}", entry.code, entry.name);
        if let Some(first) = seen.insert(entry.code, at.clone()) {
            let first = report.lines.number(&first);
            report.error(&at, format!("{who}: the code is used before, at line {first}"));
        }
        if entry.name.trim().is_empty() {
            report.error(&at, format!("{who}: a line needs a name"));
        }
        if palette::normal(&entry.color).is_none_or(|color| !color.eq_ignore_ascii_case(&entry.color)) {
            report.error(&at, format!("{who}: color is '{}'; it is written #rrggbb", entry.color));
        }
        let mut runs = Vec::with_capacity(entry.stations.len());
        for run in &entry.stations {
            if run.len() < 2 {
                report.error(&at, format!("{who}: a run joins two stations or more"));
            }
            if run.windows(2).any(|pair| pair[0] == pair[1]) {
                report.error(&at, format!("{who}: a station follows itself"));
            }
            let mut known = Vec::with_capacity(run.len());
            for &number in run {
                match StationCode::new(number).ok().filter(|code| stations.contains(code)) {
                    Some(code) => known.push(code),
                    None => report.error(&at, format!("{who}: stops at {number}, which is no station of this network")),
                }
            }
            runs.push(known);
        }
        if !entry.key.is_empty() {
            memory.line_keys.insert(entry.code, entry.key.clone());
        }
        lines.push(Line {
            code: entry.code,
            name: entry.name.clone(),
            translation: entry.translation.clone(),
            color: entry.color.clone(),
            runs,
            is_loop: entry.is_loop,
        });
    }
    lines
}

/// A code belongs to what it was given to: nothing may be there and gone.
fn check_gone(file: &NetworkFile, stations: &HashSet<StationCode>, memory: &mut Memory, report: &mut Report<'_>) {
    let mut seen: HashSet<StationCode> = stations.clone();
    for spanned in &file.gone_station {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("gone station {} {}", entry.code, entry.name);
        report.formerly(&at, &who, &entry.name, &entry.formerly);
        let prefecture = report.prefecture(&at, &who, entry.prefecture);
        report.place(&at, &who, Place { lat: entry.lat, lon: entry.lon });
        match StationCode::new(entry.code) {
            Err(rule) => report.error(&at, format!("{who}: {rule}")),
            Ok(code) if !seen.insert(code) => report.error(&at, format!("{who}: the code is used")),
            Ok(code) => memory.gone_stations.push(GoneStation {
                code,
                name: entry.name.clone(),
                key: entry.key.clone(),
                yomi: entry.yomi.clone(),
                translation: entry.translation.clone(),
                prefecture,
                lat: entry.lat,
                lon: entry.lon,
                formerly: entry.formerly.clone(),
            }),
        }
    }
    let mut seen: HashSet<i64> = file.line.iter().map(|line| line.get_ref().code).collect();
    for spanned in &file.gone_line {
        let entry = spanned.get_ref();
        if !seen.insert(entry.code) {
            report.error(&spanned.span(), format!("gone line {} {}: the code is used", entry.code, entry.name));
        }
        memory.gone_lines.push(GoneLine { code: entry.code, name: entry.name.clone(), key: entry.key.clone() });
    }
}
