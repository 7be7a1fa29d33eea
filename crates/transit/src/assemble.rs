//! From what a source says, and what people know better, to stations and lines without codes.

mod merge;
mod names;
mod runs;

use std::collections::HashMap;

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

use crate::{
    Error, Summary,
    corrections::{Corrections, OtherLines, ways_to_name},
    geo::{Area, Place},
    palette,
    raw::{Raw, RawLine},
};

/// A station that has no code yet.
#[derive(Debug, Clone)]
pub(crate) struct DraftStation {
    pub(crate) key: String,
    pub(crate) code: Option<StationCode>,
    /// Whether the code was written by a person.
    pub(crate) is_fixed: bool,
    pub(crate) name: String,
    pub(crate) yomi: String,
    pub(crate) translation: String,
    pub(crate) kind: TransportKind,
    pub(crate) prefecture: Option<Prefecture>,
    pub(crate) place: Place,
    pub(crate) formerly: Vec<String>,
}

/// A line that has no code yet.
#[derive(Debug, Clone)]
pub(crate) struct DraftLine {
    pub(crate) key: String,
    pub(crate) code: Option<i64>,
    pub(crate) name: String,
    pub(crate) translation: String,
    pub(crate) color: String,
    /// Runs of indices into the stations.
    pub(crate) runs: Vec<Vec<usize>>,
    pub(crate) is_loop: bool,
}

/// A network without codes.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) stations: Vec<DraftStation>,
    pub(crate) lines: Vec<DraftLine>,
}

/// What the caller wants besides the corrections.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// In place of the area of the corrections.
    pub(crate) area: Option<Area>,
    /// A longer edge is taken for a slip of the source, unless the corrections say otherwise.
    pub(crate) longest_edge_m: Option<f64>,
}

pub(crate) fn assemble(
    mut raw: Raw,
    corrections: &Corrections,
    wanted: Wanted,
    summary: &mut Summary,
) -> Result<Draft, Error> {
    let scope = Scope::of(&raw, corrections);
    let mut wrong = Vec::new();
    let was = correct_names(&mut raw, corrections, &scope, &mut wrong);
    let chosen = merge::choose(&raw, corrections, wanted.area);
    let (mut stations, station_of) = merge::merge(&raw, &chosen, &was, corrections, &scope)?;
    open_new(&mut stations, corrections);
    let mut builder = runs::Builder {
        stations: &stations,
        station_of: &station_of,
        by_name: runs::by_name(&stations),
        longest_edge_m: corrections.longest_edge_m().or(wanted.longest_edge_m),
        corrections,
        summary,
    };
    let mut lines = Vec::new();
    for line in with_new_lines(&raw.lines, corrections) {
        match build_line(&line, corrections, &mut builder) {
            Ok(built) => lines.extend(built),
            Err(error) => wrong.push(error),
        }
    }
    let mut draft = Draft { stations, lines };
    drop_lonely(&mut draft, raw.keep_lonely, corrections, summary);
    wrong.extend(names::missing(&draft, corrections));
    wrong.extend(corrections.unused());
    Error::from_all(wrong)?;
    Ok(draft)
}

/// Which stops the station facts of each layer are about.
struct Scope {
    by_layer: Vec<Vec<bool>>,
}

impl Scope {
    fn of(raw: &Raw, corrections: &Corrections) -> Self {
        let of_layer = |layer: &Corrections| match layer.area() {
            None => vec![true; raw.stops.len()],
            Some(area) => {
                let mut inside: Vec<bool> = raw.stops.iter().map(|stop| area.contains(stop.place)).collect();
                for line in raw.lines.iter().filter(|line| layer.takes_whole(line.code, &line.key)) {
                    line.runs.iter().flatten().for_each(|&stop| inside[stop] = true);
                }
                inside
            }
        };
        Self { by_layer: corrections.layers().into_iter().map(of_layer).collect() }
    }

    /// The first answer of a layer that speaks of one of these stops.
    fn first<'a, T>(
        &self,
        corrections: &'a Corrections,
        stops: &[usize],
        ask: impl Fn(&'a Corrections) -> Option<T>,
    ) -> Option<T> {
        let layers = corrections.layers().into_iter().zip(&self.by_layer);
        layers.filter(|(_, inside)| stops.iter().any(|&stop| inside[stop])).find_map(|(layer, _)| ask(layer))
    }
}

/// Brings each name to its spelling of today. Returns what those that were renamed were called before.
fn correct_names(
    raw: &mut Raw,
    corrections: &Corrections,
    scope: &Scope,
    wrong: &mut Vec<Error>,
) -> HashMap<usize, String> {
    let mut was = HashMap::new();
    let mut hits = Vec::new();
    for line in &raw.lines {
        let (fix, _) = corrections.line(line.code, &line.key);
        for (is_new, names) in [(false, &fix.spelling), (true, &fix.renamed)] {
            for (old, new) in names.iter().flatten() {
                let mut found = 0;
                for &stop in line.runs.iter().flatten().filter(|stop| raw.stops[**stop].name == *old) {
                    hits.push((stop, is_new, new.clone()));
                    found += 1;
                }
                if found == 0 && !fix.is_inherited {
                    let message = format!("line {}: there is no station {old} to be called {new}", line.name);
                    wrong.push(corrections.line_error(line.code, &line.key, message));
                }
            }
        }
    }
    for (stop, is_new, name) in hits {
        let old = std::mem::replace(&mut raw.stops[stop].name, name);
        if is_new {
            was.insert(stop, old);
        }
    }
    for (index, stop) in raw.stops.iter_mut().enumerate() {
        let spelling = scope.first(corrections, &[index], |layer| layer.spelling(&stop.name)).map(str::to_owned);
        if let Some(spelling) = spelling {
            stop.name = spelling;
        }
        let renamed = scope.first(corrections, &[index], |layer| layer.renamed(&stop.name)).map(str::to_owned);
        if let Some(now) = renamed {
            was.insert(index, std::mem::replace(&mut stop.name, now));
        }
    }
    was
}

/// Stations opened since the state of the source.
fn open_new(stations: &mut Vec<DraftStation>, corrections: &Corrections) {
    for opened in corrections.opened() {
        let prefecture = opened.prefecture.and_then(Prefecture::from_code);
        let code = StationCode::new(opened.code).ok();
        let ways = ways_to_name(&opened.name, code, prefecture);
        let reading = corrections.layers().into_iter().find_map(|layer| layer.reading(&ways)).unwrap_or(&opened.yomi);
        let earlier = corrections.layers().into_iter().find_map(|layer| layer.formerly(&ways));
        let mut formerly = earlier.cloned().unwrap_or_default();
        names::keep_other(&mut formerly, &opened.name);
        stations.push(DraftStation {
            key: String::new(),
            code,
            is_fixed: true,
            name: opened.name.clone(),
            yomi: reading.to_owned(),
            translation: opened.translation.clone(),
            kind: TransportKind::Train,
            prefecture,
            place: Place { lat: opened.lat, lon: opened.lon }.rounded(),
            formerly,
        });
    }
}

/// The lines of the source, and those that only the corrections know.
fn with_new_lines(lines: &[RawLine], corrections: &Corrections) -> Vec<RawLine> {
    let mut all = lines.to_vec();
    for code in corrections.new_lines() {
        if !lines.iter().any(|line| line.code == Some(code)) {
            all.push(RawLine {
                key: String::new(),
                code: Some(code),
                name: String::new(),
                translation: String::new(),
                color: None,
                runs: Vec::new(),
                is_loop: false,
            });
        }
    }
    all
}

fn build_line(
    line: &RawLine,
    corrections: &Corrections,
    builder: &mut runs::Builder<'_>,
) -> Result<Option<DraftLine>, Error> {
    let (fix, is_own) = corrections.line(line.code, &line.key);
    if let Some(reason) = fix.drop.as_ref().filter(|reason| !reason.is_empty()) {
        builder
            .summary
            .drop("lines left out by hand", format!("{} ({reason})", fix.name.as_ref().unwrap_or(&line.name)));
        return Ok(None);
    }
    let is_listed = is_own || corrections.layers().len() == 1 && fix.code.is_some();
    if !is_listed {
        match corrections.other_lines() {
            OtherLines::Keep => {}
            OtherLines::Drop => return Ok(None),
            OtherLines::Refuse => {
                let on_map = line.runs.iter().flatten().filter(|stop| builder.station_of[**stop].is_some()).count();
                if on_map < 2 {
                    return Ok(None);
                }
                let who = line.code.map_or_else(|| line.key.clone(), |code| code.to_string());
                let message = format!("line {who} {} is on the map but not in the file", line.name);
                return Err(corrections.line_error(None, "", message));
            }
        }
    }
    let name = fix.name.clone().unwrap_or_else(|| line.name.clone());
    let (runs, is_loop) = builder.build(line, &fix, &name)?;
    if runs.is_empty() {
        if is_own {
            let message = format!("line {fix} has no two neighbours on the map");
            return Err(corrections.line_error(line.code, &line.key, message));
        }
        return Ok(None);
    }
    let color = fix.color.as_ref().or(line.color.as_ref()).and_then(|color| palette::normal(color));
    Ok(Some(DraftLine {
        key: line.key.clone(),
        code: line.code,
        color: color.unwrap_or_else(|| palette::color_of(&name).to_owned()),
        name,
        translation: fix.translation.clone().unwrap_or_else(|| line.translation.clone()),
        runs,
        is_loop,
    }))
}

/// A station that no line calls at is nowhere on the map.
fn drop_lonely(draft: &mut Draft, keep: bool, corrections: &Corrections, summary: &mut Summary) {
    let mut on_line = vec![keep; draft.stations.len()];
    for line in &draft.lines {
        line.runs.iter().flatten().for_each(|&station| on_line[station] = true);
    }
    let mut renumbered = vec![0; draft.stations.len()];
    let mut kept = Vec::with_capacity(draft.stations.len());
    for (index, station) in std::mem::take(&mut draft.stations).into_iter().enumerate() {
        if on_line[index] {
            renumbered[index] = kept.len();
            if let Some(code) = station.code {
                corrections.mark_opened(i64::from(code.get()));
            }
            kept.push(station);
        } else if !station.is_fixed || keep {
            summary.drop("stations without a neighbour", station.name);
        }
    }
    draft.stations = kept;
    for station in draft.lines.iter_mut().flat_map(|line| line.runs.iter_mut().flatten()) {
        *station = renumbered[*station];
    }
}
