//! Validates the contents of a network file.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use kaisatsu_model::{
    LineIndex, MapId, Prefecture, StationCode, StationName,
    text::{MAX_CREDITS, MAX_NAME, MAX_NUMBERS, MAX_SYMBOL, abbreviate, check_length},
};
use toml::Spanned;

use super::{
    error::{Finding, ParseError},
    schema::{GroupEntry, LineEntry, NetworkFile, StationEntry},
};
use crate::{ImportHistory, Line, Network, RetiredLine, RetiredStation, Station, geo::LatLon, palette};

struct Report<'a> {
    lines: &'a LineIndex,
    findings: Vec<Finding>,
}

impl Report<'_> {
    fn error(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.findings.push(Finding { line: self.lines.number(at), message: message.into() });
    }

    /// Reports the texts that no map could have, with a limit for all of them.
    fn lengths<'t>(&mut self, at: &Range<usize>, most: usize, texts: impl IntoIterator<Item = (String, &'t String)>) {
        for (what, text) in texts {
            if let Err(message) = check_length(text, most, &what) {
                self.error(at, message);
            }
        }
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

    fn position(&mut self, at: &Range<usize>, who: &str, position: LatLon) {
        if !position.is_valid() {
            self.error(at, format!("{who}: lat {} and lon {} are no place on the earth", position.lat, position.lon));
        }
    }
}

pub(super) fn check(file: NetworkFile, lines: &LineIndex) -> Result<Network, ParseError> {
    let mut report = Report { lines, findings: Vec::new() };
    if let Err(rule) = MapId::new(file.id.get_ref()) {
        report.error(&file.id.span(), rule.to_string());
    }
    if file.name.get_ref().trim().is_empty() {
        report.error(&file.name.span(), "a network needs a name");
    }
    let top = file.name.span();
    for (most, what, text) in [
        (MAX_NAME, "the name of the network", file.name.get_ref()),
        (MAX_NAME, "the translation of the network's name", &file.translation),
        (MAX_NAME, "the edition", &file.edition),
        (MAX_CREDITS, "the text of the credits", &file.credits),
    ] {
        report.lengths(&top, most, [(what.to_owned(), text)]);
    }
    let mut history = ImportHistory::default();
    let mut stations = check_stations(&file.station, &mut history, &mut report);
    let known: HashSet<_> = stations.iter().map(|station| station.code).collect();
    let mut lines = check_lines(&file.line, &known, &mut history, &mut report);
    let groups = check_groups(&file.group, &known, &mut report);
    check_retired(&file, &known, &mut history, &mut report);
    if !report.findings.is_empty() {
        report.findings.sort_by_key(|finding| finding.line);
        return Err(ParseError { findings: report.findings });
    }
    stations.sort_by_key(|station| station.code);
    lines.sort_by_key(|line| line.code);
    history.retired_stations.sort_by_key(|retired| retired.code);
    history.retired_lines.sort_by_key(|retired| retired.code);
    Ok(Network {
        id: file.id.into_inner(),
        name: file.name.into_inner(),
        edition: file.edition,
        translation: file.translation,
        credits: file.credits,
        stations,
        lines,
        groups,
        history,
    })
}

fn check_stations(
    entries: &[Spanned<StationEntry>],
    history: &mut ImportHistory,
    report: &mut Report<'_>,
) -> Vec<Station> {
    let mut seen: HashMap<i64, Range<usize>> = HashMap::new();
    let mut stations = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("station {} {}", entry.code, abbreviate(&entry.name));
        if let Some(first) = seen.insert(entry.code, at.clone()) {
            let first = report.lines.number(&first);
            report.error(&at, format!("{who}: the code is used before, at line {first}"));
            continue;
        }
        if StationName::fold(&entry.name).is_empty() {
            report.error(&at, format!("{who}: a station needs a name"));
        }
        check_lengths(entry, &at, &who, report);
        report.formerly(&at, &who, &entry.name, &entry.formerly);
        let prefecture = report.prefecture(&at, &who, entry.prefecture);
        let position = LatLon { lat: entry.lat, lon: entry.lon };
        report.position(&at, &who, position);
        match StationCode::new(entry.code) {
            Err(rule) => report.error(&at, format!("{who}: {rule}")),
            Ok(code) => {
                if !entry.key.is_empty() {
                    history.station_keys.insert(code, entry.key.clone());
                }
                stations.push(Station {
                    code,
                    name: entry.name.clone(),
                    yomi: entry.yomi.clone(),
                    translation: entry.translation.clone(),
                    kind: entry.kind,
                    prefecture,
                    lat: position.lat,
                    lon: position.lon,
                    formerly: entry.formerly.clone(),
                    numbers: entry.numbers.clone(),
                });
            }
        }
    }
    stations
}

fn check_lengths(entry: &StationEntry, at: &Range<usize>, who: &str, report: &mut Report<'_>) {
    let main_texts = [("name", &entry.name), ("reading", &entry.yomi), ("translation", &entry.translation)];
    let names = main_texts.into_iter().chain(entry.formerly.iter().map(|old| ("former name", old)));
    report.lengths(at, MAX_NAME, names.map(|(word, text)| (format!("{who}: its {word}"), text)));
    report.lengths(at, MAX_SYMBOL, entry.numbers.iter().map(|number| (format!("{who}: its number"), number)));
    if entry.numbers.len() > MAX_NUMBERS {
        report.error(at, format!("{who}: it has {} numbers; at most {MAX_NUMBERS} are taken", entry.numbers.len()));
    }
}

fn check_lines(
    entries: &[Spanned<LineEntry>],
    stations: &HashSet<StationCode>,
    history: &mut ImportHistory,
    report: &mut Report<'_>,
) -> Vec<Line> {
    let mut seen: HashMap<i64, Range<usize>> = HashMap::new();
    let mut lines = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("line {} {}", entry.code, abbreviate(&entry.name));
        if let Some(first) = seen.insert(entry.code, at.clone()) {
            let first = report.lines.number(&first);
            report.error(&at, format!("{who}: the code is used before, at line {first}"));
        }
        if entry.name.trim().is_empty() {
            report.error(&at, format!("{who}: a line needs a name"));
        }
        let names = [("name", &entry.name), ("translation", &entry.translation), ("operator", &entry.operator)];
        report.lengths(&at, MAX_NAME, names.map(|(word, text)| (format!("{who}: its {word}"), text)));
        report.lengths(&at, MAX_SYMBOL, [(format!("{who}: its symbol"), &entry.symbol)]);
        if palette::normalise(&entry.color).is_none_or(|color| !color.eq_ignore_ascii_case(&entry.color)) {
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
        let known = |number: &i64| StationCode::new(*number).ok().filter(|code| stations.contains(code));
        let pair = |[a, b]: &[i64; 2]| Some([known(a)?, known(b)?]);
        let direct: Vec<[StationCode; 2]> = entry.direct.iter().filter_map(pair).collect();
        if direct.len() < entry.direct.len() {
            report.error(&at, format!("{who}: direct has a station that is not in this network"));
        }
        let mut along = Vec::with_capacity(entry.along.len());
        for way in &entry.along {
            let stations: Vec<StationCode> = way.iter().filter_map(known).collect();
            let distinct: HashSet<&StationCode> = stations.iter().collect();
            if stations.len() < way.len() {
                report.error(&at, format!("{who}: along has a station that is not in this network"));
            } else if stations.len() < 3 || distinct.len() < stations.len() {
                report.error(&at, format!("{who}: along has three different stations or more"));
            }
            along.push(stations);
        }
        if !entry.key.is_empty() {
            history.line_keys.insert(entry.code, entry.key.clone());
        }
        lines.push(Line {
            code: entry.code,
            name: entry.name.clone(),
            translation: entry.translation.clone(),
            color: entry.color.clone(),
            symbol: entry.symbol.clone(),
            operator: entry.operator.clone(),
            runs,
            is_loop: entry.is_loop,
            direct,
            along,
        });
    }
    lines
}

/// Checks groups: each has two stations of the network or more, and no station is in two of them.
fn check_groups(
    entries: &[Spanned<GroupEntry>],
    stations: &HashSet<StationCode>,
    report: &mut Report<'_>,
) -> Vec<Vec<StationCode>> {
    let mut seen = HashSet::new();
    let mut groups = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, numbers) = (spanned.span(), &spanned.get_ref().stations);
        if numbers.len() < 2 {
            report.error(&at, "a group has two stations or more");
        }
        let mut group = Vec::with_capacity(numbers.len());
        for &number in numbers {
            match StationCode::new(number).ok().filter(|code| stations.contains(code)) {
                Some(code) if seen.insert(code) => group.push(code),
                Some(_) => report.error(&at, format!("station {number} is in a group before")),
                None => report.error(&at, format!("a group has {number}, which is no station of this network")),
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups.sort_unstable();
    groups
}

/// Checks retired stations and lines. Their codes stay reserved, so an active station or line must not have one of
/// them.
fn check_retired(
    file: &NetworkFile,
    stations: &HashSet<StationCode>,
    history: &mut ImportHistory,
    report: &mut Report<'_>,
) {
    let mut seen: HashSet<StationCode> = stations.clone();
    for spanned in &file.gone_station {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("gone station {} {}", entry.code, entry.name);
        report.formerly(&at, &who, &entry.name, &entry.formerly);
        let prefecture = report.prefecture(&at, &who, entry.prefecture);
        report.position(&at, &who, LatLon { lat: entry.lat, lon: entry.lon });
        match StationCode::new(entry.code) {
            Err(rule) => report.error(&at, format!("{who}: {rule}")),
            Ok(code) if !seen.insert(code) => report.error(&at, format!("{who}: the code is used")),
            Ok(code) => history.retired_stations.push(RetiredStation {
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
        history.retired_lines.push(RetiredLine { code: entry.code, name: entry.name.clone(), key: entry.key.clone() });
    }
}
