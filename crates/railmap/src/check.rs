//! The validator: reports every problem in a map file, with its line.
//!
//! A [`Severity::Error`] keeps a map from being used. A [`Severity::Warning`] is for the person who draws the map.

mod courses;
mod facts;
mod groups;
mod identities;
mod labels;
mod overlap;
mod report;
mod stations;
mod text_length;

use std::{collections::HashMap, ops::Range};

use kaisatsu_model::{LineIndex, MapId, MapLanguage, StationCode, Window};
use report::Report;
pub use report::{Finding, Severity};
pub use text_length::{MAX_CREDITS, MAX_NAME, MAX_NUMBERS, MAX_ROWS, MAX_SYMBOL};
use toml::Spanned;

use crate::{
    Line, RouteMap,
    file::{self, FORMAT, LegendEntry, LineEntry, MapFile},
    map::MapParts,
};

/// The largest width or height of a map, in map units.
pub const MAX_SIDE: i64 = 1_000_000;

/// The result of checking a file.
#[derive(Debug)]
pub struct Checked {
    /// The map, unless a finding is an error.
    pub map: Option<RouteMap>,
    /// All findings, ordered by line.
    pub findings: Vec<Finding>,
}

/// Reads and checks the text of a map file.
#[must_use]
pub fn check(text: &str) -> Checked {
    let file = match file::read(text) {
        Ok(file) => file,
        Err(file::ParseError { line, message }) => {
            return Checked { map: None, findings: vec![Finding { severity: Severity::Error, line, message }] };
        }
    };
    let mut report = Report::new(LineIndex::new(text));
    let parts = check_file(file, &mut report);
    let usable = !report.findings.iter().any(|finding| finding.severity == Severity::Error);
    report.findings.sort_by_key(|finding| finding.line);
    Checked { map: parts.filter(|_| usable).and_then(RouteMap::from_parts), findings: report.findings }
}

fn check_file(file: MapFile, report: &mut Report) -> Option<MapParts> {
    if *file.format.get_ref() != FORMAT {
        let message = format!("format {} is not known; this Kaisatsu reads format {FORMAT}", file.format.get_ref());
        report.error(&file.format.span(), message);
        return None;
    }
    let id = MapId::new(file.id.get_ref());
    if let Err(rule) = &id {
        report.error(&file.id.span(), rule.to_string());
    }
    let language = file.language.as_ref().map_or(MapLanguage::default(), |word| check_language(word, report));
    if file.name.get_ref().trim().is_empty() {
        report.error(&file.name.span(), "a map needs a name");
    }
    text_length::check_name(file.name.get_ref(), MAX_NAME, "the name of the map", &file.name.span(), report);
    for (text, what) in [(&file.translation, "the translation of the map's name"), (&file.edition, "the edition")] {
        if let Some(text) = text {
            text_length::check_name(text.get_ref(), MAX_NAME, what, &text.span(), report);
        }
    }
    // Credits may have several lines.
    if let Some(text) = &file.credits {
        text_length::check(text.get_ref(), MAX_CREDITS, "the text of the credits", &text.span(), report);
    }
    for (word, side) in [("width", &file.width), ("height", &file.height)] {
        if !(1..=MAX_SIDE).contains(side.get_ref()) {
            report.error(&side.span(), format!("{word} is {}; a map's side is 1 to {MAX_SIDE}", side.get_ref()));
        }
    }
    let (width, height) = (*file.width.get_ref(), *file.height.get_ref());
    let (stations, codes) = stations::check(&file.station, width, height, report);
    let centre = StationCode::new(*file.centre.get_ref()).ok().filter(|code| codes.contains_key(code));
    if centre.is_none() {
        report.error(
            &file.centre.span(),
            format!("centre is {}, which is no station of this map", file.centre.get_ref()),
        );
    }
    let lines = check_lines(&file.line, &codes, report);
    let groups = groups::check(&file.group, &codes, report);
    overlap::check(&stations, report);
    facts::check(&stations, &file.line, report);
    identities::check(&stations, &file.line, report);
    courses::check(&stations, &file.line, report);
    labels::check(&stations, language, report);
    let extent = Window { x: 0, y: 0, width, height };
    let legend = file.legend.map(|legend| check_legend(&legend, &extent, report));
    Some(MapParts {
        id: id.ok()?,
        language,
        name: file.name.into_inner(),
        translation: file.translation.map(Spanned::into_inner).unwrap_or_default(),
        edition: file.edition.map(Spanned::into_inner).unwrap_or_default(),
        credits: file.credits.map(Spanned::into_inner).unwrap_or_default(),
        width,
        height,
        centre: centre?,
        legend,
        lines,
        groups,
        stations: stations.into_iter().map(|(station, _)| station).collect(),
    })
}

fn check_language(word: &Spanned<String>, report: &mut Report) -> MapLanguage {
    MapLanguage::from_word(word.get_ref()).unwrap_or_else(|| {
        report.error(&word.span(), format!("language is '{}'; it is ja, en or ja-en", word.get_ref()));
        MapLanguage::default()
    })
}

fn check_legend(legend: &Spanned<LegendEntry>, extent: &Window, report: &mut Report) -> Window {
    let LegendEntry { x, y, width, height } = *legend.get_ref();
    let bounds = Window { x, y, width, height };
    // Each number is checked by itself first: the sum of two unchecked numbers could overflow.
    let is_near = [x, y, width, height].iter().all(|number| (0..=MAX_SIDE).contains(number));
    if !is_near || width < 1 || height < 1 || !extent.contains(&bounds) {
        report.error(&legend.span(), "the legend is not on the map");
    }
    bounds
}

fn check_lines(
    entries: &[Spanned<LineEntry>],
    stations: &HashMap<StationCode, Range<usize>>,
    report: &mut Report,
) -> Vec<Line> {
    let mut seen = HashMap::new();
    let mut lines = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("line {} {}", entry.code, text_length::abbreviate(&entry.name));
        if let Some(first) = seen.insert(entry.code, at.clone()) {
            let first = report.lines.number(&first);
            report.error(&at, format!("{who}: the code is used before, at line {first}"));
        }
        if entry.name.trim().is_empty() {
            report.error(&at, format!("{who}: a line needs a name"));
        }
        text_length::check_name(&entry.name, MAX_NAME, &format!("{who}: its name"), &at, report);
        if let Some(translation) = &entry.translation {
            text_length::check_name(translation, MAX_NAME, &format!("{who}: its translation"), &at, report);
        }
        text_length::check_name(&entry.symbol, MAX_SYMBOL, &format!("{who}: its symbol"), &at, report);
        text_length::check_name(&entry.operator, MAX_NAME, &format!("{who}: its operator"), &at, report);
        let digits = entry.color.strip_prefix('#').unwrap_or("");
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            report.error(&at, format!("{who}: color is '{}'; it is written #rrggbb", entry.color));
        }
        let mut runs = Vec::with_capacity(entry.stations.len());
        for run in &entry.stations {
            if run.len() < 2 {
                report.error(&at, format!("{who}: a run joins two stations or more"));
            }
            let mut known = Vec::with_capacity(run.len());
            for &number in run {
                match StationCode::new(number).ok().filter(|code| stations.contains_key(code)) {
                    Some(code) => known.push(code),
                    None => report.error(&at, format!("{who}: stops at {number}, which is no station of this map")),
                }
            }
            if run.windows(2).any(|pair| pair[0] == pair[1]) {
                report.error(&at, format!("{who}: a station follows itself"));
            }
            runs.push(known);
        }
        let paths = entry.paths.iter().filter_map(|path| check_path(path, &who, &at, report)).collect();
        lines.push(Line {
            code: entry.code,
            name: entry.name.clone(),
            translation: entry.translation.clone().unwrap_or_default(),
            color: entry.color.clone(),
            symbol: entry.symbol.clone(),
            operator: entry.operator.clone(),
            runs,
            is_loop: entry.is_loop,
            paths,
            bullets: check_bullets(&entry.bullets, &who, &at, report),
        });
    }
    lines
}

/// Checks that bullets are on the map.
fn check_bullets(numbers: &[f64], who: &str, at: &Range<usize>, report: &mut Report) -> Vec<(f64, f64)> {
    #[expect(clippy::cast_precision_loss, reason = "the longest side is far below the limit of exact floats")]
    let reach = MAX_SIDE as f64;
    if !numbers.len().is_multiple_of(2) || numbers.iter().any(|number| !(0.0..=reach).contains(number)) {
        report.error(at, format!("{who}: bullets are x and y by turns, each on the map"));
        return Vec::new();
    }
    numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Checks that a path has at least two points and that no coordinate exceeds the largest map.
fn check_path(numbers: &[f64], who: &str, at: &Range<usize>, report: &mut Report) -> Option<Vec<(f64, f64)>> {
    #[expect(clippy::cast_precision_loss, reason = "the longest side is far below the limit of exact floats")]
    let reach = MAX_SIDE as f64;
    if numbers.len() < 4 || !numbers.len().is_multiple_of(2) {
        report.error(at, format!("{who}: a path is x and y by turns, for two points or more"));
        return None;
    }
    if let Some(stray) = numbers.iter().find(|number| !(-reach..=reach).contains(*number)) {
        report.error(at, format!("{who}: a path goes to {stray}, which is off every map"));
        return None;
    }
    Some(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}
