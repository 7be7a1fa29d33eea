//! Combines the data of a source with the corrections into a draft network: stations and lines without codes.

mod colors;
mod draft;
mod layer_scope;
mod line_runs;
mod names;
mod numbers;
mod positions;
mod stations;

use std::collections::HashMap;

use kaisatsu_model::{Prefecture, StationCode, TransportKind};

pub(crate) use draft::{Draft, DraftLine, DraftStation};
use layer_scope::LayerScope;

use crate::{
    Error, Summary,
    corrections::{Corrections, LineCorrection, UnlistedLines, qualified_names},
    geo::{BoundingBox, LatLon},
    palette,
    source_data::{SourceData, SourceLine},
};

/// Settings of the caller, in addition to the corrections.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AssembleOptions {
    /// Replaces the area of the corrections.
    pub(crate) area: Option<BoundingBox>,
    /// A longer edge counts as an error of the source, unless the corrections keep it.
    pub(crate) max_edge_m: Option<f64>,
}

pub(crate) fn assemble(
    mut data: SourceData,
    corrections: &Corrections,
    options: AssembleOptions,
    summary: &mut Summary,
) -> Result<Draft, Error> {
    let scope = LayerScope::of(&data, corrections);
    let mut errors = Vec::new();
    let former_names = correct_names(&mut data, corrections, &scope, &mut errors);
    let chosen = stations::select_stops(&data, corrections, options.area);
    let (mut stations, station_of) = stations::group_stops(&data, &chosen, &former_names, corrections, &scope)?;
    add_opened_stations(&mut stations, corrections);
    let mut builder = line_runs::LineBuilder {
        stations: &stations,
        station_of: &station_of,
        by_name: line_runs::by_name(&stations),
        max_edge_m: corrections.max_edge_m().or(options.max_edge_m),
        corrections,
        summary,
    };
    let mut lines = Vec::new();
    let mut numbered = Vec::new();
    for line in with_correction_only_lines(&data.lines, corrections) {
        match build_line(&line, corrections, &mut builder) {
            Ok(Some(built)) => {
                match numbers::of_line(&built, corrections, &builder) {
                    Ok(numbers) => numbered.extend(numbers),
                    Err(error) => errors.push(error),
                }
                lines.push(built);
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    colors::fill_missing(&mut lines);
    numbers::assign(&mut stations, numbered);
    let walks = source_walks(&data, &station_of);
    let mut draft = Draft { stations, lines, walks, walks_suffice: data.walks_suffice };
    drop_isolated_stations(&mut draft, data.keep_isolated, corrections, summary);
    errors.extend(positions::check(&draft, summary));
    errors.extend(names::missing_names(&draft, corrections));
    errors.extend(corrections.unused());
    Error::from_all(errors)?;
    Ok(draft)
}

/// Applies spelling corrections and renames. Returns the former names of the renamed stops.
fn correct_names(
    data: &mut SourceData,
    corrections: &Corrections,
    scope: &LayerScope,
    errors: &mut Vec<Error>,
) -> HashMap<usize, String> {
    let mut former_names = HashMap::new();
    let mut hits = Vec::new();
    for line in &data.lines {
        let (correction, _) = corrections.line(line.code, &line.key);
        for (is_new, names) in [(false, &correction.spelling), (true, &correction.renamed)] {
            for (old, new) in names.iter().flatten() {
                let before = hits.len();
                let stops = line.runs.iter().flatten().filter(|stop| data.stops[**stop].name == *old);
                hits.extend(stops.map(|&stop| (stop, is_new, new.clone())));
                if hits.len() == before && !correction.is_inherited {
                    let message = format!("line {}: there is no station {old} to be called {new}", line.name);
                    errors.push(corrections.line_error(line.code, &line.key, message));
                }
            }
        }
    }
    for (stop, is_new, name) in hits {
        let old = std::mem::replace(&mut data.stops[stop].name, name);
        if is_new {
            former_names.insert(stop, old);
        }
    }
    for (index, stop) in data.stops.iter_mut().enumerate() {
        let spelling = scope.first(corrections, &[index], |layer| layer.spelling(&stop.name)).map(str::to_owned);
        if let Some(spelling) = spelling {
            stop.name = spelling;
        }
        let renamed = scope.first(corrections, &[index], |layer| layer.renamed(&stop.name)).map(str::to_owned);
        if let Some(now) = renamed {
            former_names.insert(index, std::mem::replace(&mut stop.name, now));
        }
    }
    former_names
}

/// Adds the stations that opened after the source was published.
fn add_opened_stations(stations: &mut Vec<DraftStation>, corrections: &Corrections) {
    for opened in corrections.opened() {
        let prefecture = opened.prefecture.and_then(Prefecture::from_code);
        let code = StationCode::new(opened.code).ok();
        let names = qualified_names(&opened.name, code, prefecture);
        let reading = corrections.layers().into_iter().find_map(|layer| layer.reading(&names)).unwrap_or(&opened.yomi);
        let translation = corrections.layers().into_iter().find_map(|layer| layer.translation(&names));
        let earlier = corrections.layers().into_iter().find_map(|layer| layer.formerly(&names));
        let mut formerly = earlier.cloned().unwrap_or_default();
        names::retain_different(&mut formerly, &opened.name);
        stations.push(DraftStation {
            key: String::new(),
            code,
            is_fixed: true,
            name: opened.name.clone(),
            yomi: reading.to_owned(),
            translation: translation.unwrap_or(&opened.translation).to_owned(),
            kind: TransportKind::Train,
            prefecture,
            position: LatLon { lat: opened.lat, lon: opened.lon }.rounded(),
            formerly,
            numbers: Vec::new(),
        });
    }
}

/// The lines of the source, and those that exist only in the corrections.
fn with_correction_only_lines(lines: &[SourceLine], corrections: &Corrections) -> Vec<SourceLine> {
    let mut all = lines.to_vec();
    for code in corrections.new_lines() {
        if !lines.iter().any(|line| line.code == Some(code)) {
            all.push(SourceLine {
                key: String::new(),
                code: Some(code),
                name: String::new(),
                translation: String::new(),
                color: None,
                symbol: String::new(),
                operator: String::new(),
                runs: Vec::new(),
                is_loop: false,
            });
        }
    }
    all
}

fn build_line(
    line: &SourceLine,
    corrections: &Corrections,
    builder: &mut line_runs::LineBuilder<'_>,
) -> Result<Option<DraftLine>, Error> {
    let (correction, is_own) = corrections.line(line.code, &line.key);
    if let Some(reason) = correction.drop.as_ref().filter(|reason| !reason.is_empty()) {
        builder
            .summary
            .omit("lines left out by hand", format!("{} ({reason})", correction.name.as_ref().unwrap_or(&line.name)));
        return Ok(None);
    }
    if !is_own {
        match corrections.unlisted_lines() {
            UnlistedLines::Keep => {}
            UnlistedLines::Drop => return Ok(None),
            UnlistedLines::Refuse => {
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
    let name = correction.name.clone().unwrap_or_else(|| line.name.clone());
    let (runs, is_loop) = builder.build(line, &correction, &name)?;
    if runs.is_empty() {
        if is_own {
            let message = format!("line {correction} has no two neighbours on the map");
            return Err(corrections.line_error(line.code, &line.key, message));
        }
        return Ok(None);
    }
    let direct = builder
        .direct_pairs(&correction, &runs)
        .map_err(|problem| corrections.line_error(line.code, &line.key, format!("line {name}: direct: {problem}")))?;
    let along = builder
        .ways(&correction, &runs)
        .map_err(|problem| corrections.line_error(line.code, &line.key, format!("line {name}: along: {problem}")))?;
    let color = correction.color.as_ref().or(line.color.as_ref()).and_then(|color| palette::normalise(color));
    Ok(Some(DraftLine {
        key: line.key.clone(),
        code: line.code,
        color: color.unwrap_or_default(),
        symbol: correction.symbol.clone().unwrap_or_else(|| line.symbol.clone()),
        operator: operator(line, &correction, corrections, &name),
        name,
        translation: correction.translation.clone().unwrap_or_else(|| line.translation.clone()),
        runs,
        is_loop,
        direct,
        along,
    }))
}

/// Who runs a line: what the corrections say, else what its name begins with, else what the source says.
fn operator(line: &SourceLine, correction: &LineCorrection, corrections: &Corrections, name: &str) -> String {
    let by_name = || corrections.operators().find(|operator| name.starts_with(*operator)).map(str::to_owned);
    correction.operator.clone().or_else(by_name).unwrap_or_else(|| line.operator.clone())
}

/// The walks of the source, between different stations: those that it lists, and those within its groups.
fn source_walks(data: &SourceData, station_of: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut by_group: HashMap<&str, usize> = HashMap::new();
    let mut walks = Vec::new();
    for (stop, &station) in data.stops.iter().zip(station_of) {
        if let Some(station) = station {
            walks.push((*by_group.entry(&stop.group).or_insert(station), station));
        }
    }
    walks.extend(data.walks.iter().filter_map(|&(a, b)| station_of[a].zip(station_of[b])));
    walks.retain(|(a, b)| a != b);
    walks.sort_unstable();
    walks.dedup();
    walks
}

/// Removes the stations that are on no line.
fn drop_isolated_stations(draft: &mut Draft, keep: bool, corrections: &Corrections, summary: &mut Summary) {
    let mut on_line = vec![false; draft.stations.len()];
    for line in &draft.lines {
        line.runs.iter().flatten().for_each(|&station| on_line[station] = true);
    }
    if keep {
        let alone = draft.stations.iter().zip(&on_line).filter(|(_, on_line)| !**on_line);
        summary.note_all("stations on no line", alone.map(|(station, _)| station.name.clone()).collect());
        on_line.fill(true);
    }
    let mut renumbered = vec![0; draft.stations.len()];
    let mut remaining = Vec::with_capacity(draft.stations.len());
    for (index, station) in std::mem::take(&mut draft.stations).into_iter().enumerate() {
        if on_line[index] {
            renumbered[index] = remaining.len();
            if let Some(code) = station.code {
                corrections.mark_opened(i64::from(code.get()));
            }
            remaining.push(station);
        } else if !station.is_fixed {
            summary.omit("stations without a neighbour", station.name);
        }
    }
    draft.stations = remaining;
    for station in draft.lines.iter_mut().flat_map(|line| line.runs.iter_mut().flatten()) {
        *station = renumbered[*station];
    }
    draft.walks.retain(|&(a, b)| on_line[a] && on_line[b]);
    for station in draft.lines.iter_mut().flat_map(|line| line.direct.iter_mut().flatten()) {
        *station = renumbered[*station];
    }
    for line in &mut draft.lines {
        line.along.retain(|way| way.iter().all(|&station| on_line[station]));
        line.along.iter_mut().flatten().for_each(|station| *station = renumbered[*station]);
    }
    for (a, b) in &mut draft.walks {
        (*a, *b) = (renumbered[*a], renumbered[*b]);
    }
}
