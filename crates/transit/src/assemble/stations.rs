//! Groups stops into stations, and determines the name and the position of each station.

use std::collections::{BTreeMap, HashMap};

use kaisatsu_model::{StationCode, StationName};

use super::{draft::DraftStation, layer_scope::LayerScope, names};
use crate::{
    Error,
    corrections::{Corrections, StationGrouping, qualified_names},
    geo::{self, BoundingBox},
    source_data::{SourceData, SourceStop},
};

/// The positions of stops in a larger group are not averaged; the group's main stop determines the position.
const MAX_GROUP_SPREAD_M: f64 = 300.0;

type GroupKey<'a> = (&'a str, Option<&'a str>);

fn group_key(stop: &SourceStop, grouping: StationGrouping) -> GroupKey<'_> {
    (&stop.group, (grouping == StationGrouping::GroupAndName).then_some(stop.name.as_str()))
}

/// Which stops are on the map: those of whole lines and those within the area. A station is selected with all its
/// stops.
pub(super) fn select_stops(data: &SourceData, corrections: &Corrections, area: Option<BoundingBox>) -> Vec<bool> {
    let Some(area) = area.or(corrections.area()) else { return vec![true; data.stops.len()] };
    let grouping = corrections.grouping();
    let mut is_selected: HashMap<GroupKey<'_>, bool> = HashMap::new();
    for stop in &data.stops {
        *is_selected.entry(group_key(stop, grouping)).or_default() |= area.contains(stop.position);
    }
    for line in data.lines.iter().filter(|line| corrections.takes_whole(line.code, &line.key)) {
        for &stop in line.runs.iter().flatten() {
            is_selected.insert(group_key(&data.stops[stop], grouping), true);
        }
    }
    data.stops.iter().map(|stop| is_selected.get(&group_key(stop, grouping)).copied().unwrap_or(false)).collect()
}

/// Creates one station for each group. Returns the stations, and the station of each stop.
pub(super) fn group_stops(
    data: &SourceData,
    is_selected: &[bool],
    former_names: &HashMap<usize, String>,
    corrections: &Corrections,
    scope: &LayerScope,
) -> Result<(Vec<DraftStation>, Vec<Option<usize>>), Error> {
    let grouping = corrections.grouping();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<GroupKey<'_>, usize> = HashMap::new();
    let mut station_of = vec![None; data.stops.len()];
    for (index, stop) in data.stops.iter().enumerate().filter(|(index, _)| is_selected[*index]) {
        let at = *group_of.entry(group_key(stop, grouping)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(index);
        station_of[index] = Some(at);
    }
    let mut stations = Vec::with_capacity(groups.len());
    let mut codes: HashMap<StationCode, usize> = HashMap::new();
    for group in &groups {
        let mut station = station_of_group(data, group, former_names, grouping);
        let names = qualified_names(&station.name, station.code, station.prefecture);
        if let Some(prefecture) = scope.first(corrections, group, |layer| layer.prefecture(&names)) {
            station.prefecture = Some(prefecture);
        }
        let names = qualified_names(&station.name, station.code, station.prefecture);
        if let Some(position) = scope.first(corrections, group, |layer| layer.position(&names)) {
            station.position = position;
        }
        if let Some(yomi) = scope.first(corrections, group, |layer| layer.reading(&names)) {
            yomi.clone_into(&mut station.yomi);
        }
        if let Some(translation) = scope.first(corrections, group, |layer| layer.translation(&names)) {
            translation.clone_into(&mut station.translation);
        }
        if let Some(former) = scope.first(corrections, group, |layer| layer.formerly(&names)) {
            let renamed = std::mem::replace(&mut station.formerly, former.clone());
            let fresh: Vec<_> = renamed.into_iter().filter(|name| !former.contains(name)).collect();
            station.formerly.extend(fresh);
            names::retain_different(&mut station.formerly, &station.name);
        }
        station.position = station.position.rounded();
        if let Some(code) = station.code
            && let Some(other) = codes.insert(code, stations.len())
        {
            let other: &DraftStation = &stations[other];
            let message = format!("{} and {} have the same code {code}", other.name, station.name);
            return Err(Error::file("the source", message));
        }
        stations.push(station);
    }
    Ok((stations, station_of))
}

/// The station of a group of stops.
fn station_of_group(
    data: &SourceData,
    group: &[usize],
    former_names: &HashMap<usize, String>,
    grouping: StationGrouping,
) -> DraftStation {
    let stops = || group.iter().map(|&index| &data.stops[index]);
    let own_codes: Vec<_> = stops().filter_map(|stop| stop.code).collect();
    let group_code = stops().find_map(|stop| stop.group_code);
    let code = match grouping {
        StationGrouping::Group => group_code.or_else(|| own_codes.iter().min().copied()),
        // If a group has several names, the station whose stop has the group's code keeps that code.
        StationGrouping::GroupAndName => {
            group_code.filter(|code| own_codes.contains(code)).or_else(|| own_codes.iter().min().copied())
        }
    };
    let own_index =
        group.iter().copied().find(|&index| code.is_some() && data.stops[index].code == code).unwrap_or(group[0]);
    let own_stop = &data.stops[own_index];
    let spread = stops().flat_map(|a| stops().map(move |b| a.position.metres_to(b.position))).fold(0.0, f64::max);
    let middle = geo::mean(stops().map(|stop| stop.position)).filter(|_| spread <= MAX_GROUP_SPREAD_M);
    let position = middle.unwrap_or(own_stop.position);
    let mut votes: BTreeMap<u8, usize> = BTreeMap::new();
    for prefecture in stops().filter_map(|stop| stop.prefecture) {
        *votes.entry(prefecture.code()).or_default() += 1;
    }
    let most = votes.values().max().copied();
    // In a tie, the first prefecture in the order of the source wins.
    let prefecture = stops().filter_map(|stop| stop.prefecture).find(|p| votes.get(&p.code()).copied() == most);
    let mut former: Vec<String> = group.iter().filter_map(|index| former_names.get(index).cloned()).collect();
    former.sort();
    let mut formerly: Vec<String> = Vec::new();
    for name in stops().flat_map(|stop| stop.formerly.iter().cloned()).chain(former) {
        let is_other = StationName::fold(&name) != StationName::fold(&own_stop.name);
        if is_other && !formerly.contains(&name) {
            formerly.push(name);
        }
    }
    let first_text =
        |of: fn(&SourceStop) -> &String| stops().map(of).find(|text| !text.is_empty()).cloned().unwrap_or_default();
    DraftStation {
        key: own_stop.key.clone(),
        code,
        is_fixed: data.codes_are_fixed,
        name: own_stop.name.clone(),
        yomi: first_text(|stop| &stop.yomi),
        translation: first_text(|stop| &stop.translation),
        kind: own_stop.kind,
        prefecture,
        position,
        formerly,
        numbers: Vec::new(),
    }
}
