//! Which stops are one station, and what it is called and where it is.

use std::collections::{BTreeMap, HashMap};

use kaisatsu_model::{StationCode, StationName};

use super::{DraftStation, Scope, names};
use crate::{
    Error,
    corrections::{Corrections, Merge, ways_to_name},
    geo::{self, Area},
    raw::{Raw, Stop},
};

/// Stops of one group that are further apart are not averaged: the group's own stop says where the station is.
const LARGEST_SPREAD_M: f64 = 300.0;

type GroupKey<'a> = (&'a str, Option<&'a str>);

fn group_key(stop: &Stop, merge: Merge) -> GroupKey<'_> {
    (&stop.group, (merge == Merge::GroupAndName).then_some(stop.name.as_str()))
}

/// Which stops are on the map: whole lines, and whatever lies in the area. A station is on it with all its stops.
pub(super) fn choose(raw: &Raw, corrections: &Corrections, area: Option<Area>) -> Vec<bool> {
    let Some(area) = area.or(corrections.area()) else { return vec![true; raw.stops.len()] };
    let merge = corrections.merge();
    let mut chosen: HashMap<GroupKey<'_>, bool> = HashMap::new();
    for stop in &raw.stops {
        *chosen.entry(group_key(stop, merge)).or_default() |= area.contains(stop.place);
    }
    for line in raw.lines.iter().filter(|line| corrections.takes_whole(line.code, &line.key)) {
        for &stop in line.runs.iter().flatten() {
            chosen.insert(group_key(&raw.stops[stop], merge), true);
        }
    }
    raw.stops.iter().map(|stop| chosen.get(&group_key(stop, merge)).copied().unwrap_or(false)).collect()
}

/// One station for each group. Returns them and the station of each stop.
pub(super) fn merge(
    raw: &Raw,
    chosen: &[bool],
    earlier_names: &HashMap<usize, String>,
    corrections: &Corrections,
    scope: &Scope,
) -> Result<(Vec<DraftStation>, Vec<Option<usize>>), Error> {
    let merge = corrections.merge();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<GroupKey<'_>, usize> = HashMap::new();
    let mut station_of = vec![None; raw.stops.len()];
    for (index, stop) in raw.stops.iter().enumerate().filter(|(index, _)| chosen[*index]) {
        let at = *known.entry(group_key(stop, merge)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(index);
        station_of[index] = Some(at);
    }
    let mut stations = Vec::with_capacity(groups.len());
    let mut codes: HashMap<StationCode, usize> = HashMap::new();
    for group in &groups {
        let mut station = station_of_group(raw, group, earlier_names, merge);
        let ways = ways_to_name(&station.name, station.code, station.prefecture);
        if let Some(prefecture) = scope.first(corrections, group, |layer| layer.prefecture(&ways)) {
            station.prefecture = Some(prefecture);
        }
        let ways = ways_to_name(&station.name, station.code, station.prefecture);
        if let Some(place) = scope.first(corrections, group, |layer| layer.position(&ways)) {
            station.place = place;
        }
        if let Some(yomi) = scope.first(corrections, group, |layer| layer.reading(&ways)) {
            yomi.clone_into(&mut station.yomi);
        }
        if let Some(translation) = scope.first(corrections, group, |layer| layer.translation(&ways)) {
            translation.clone_into(&mut station.translation);
        }
        if let Some(earlier) = scope.first(corrections, group, |layer| layer.formerly(&ways)) {
            let renamed = std::mem::replace(&mut station.formerly, earlier.clone());
            let fresh: Vec<_> = renamed.into_iter().filter(|name| !earlier.contains(name)).collect();
            station.formerly.extend(fresh);
            names::keep_other(&mut station.formerly, &station.name);
        }
        station.place = station.place.rounded();
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

/// The station that a group of stops is.
fn station_of_group(raw: &Raw, group: &[usize], earlier_names: &HashMap<usize, String>, merge: Merge) -> DraftStation {
    let stops = || group.iter().map(|&index| &raw.stops[index]);
    let own_codes: Vec<_> = stops().filter_map(|stop| stop.code).collect();
    let group_code = stops().find_map(|stop| stop.group_code);
    let code = match merge {
        Merge::Group => group_code.or_else(|| own_codes.iter().min().copied()),
        // Of the several names of a group, the one whose stop gave the group its code keeps it.
        Merge::GroupAndName => {
            group_code.filter(|code| own_codes.contains(code)).or_else(|| own_codes.iter().min().copied())
        }
    };
    let own = group.iter().copied().find(|&index| code.is_some() && raw.stops[index].code == code).unwrap_or(group[0]);
    let own_stop = &raw.stops[own];
    let spread = stops().flat_map(|a| stops().map(move |b| a.place.metres_to(b.place))).fold(0.0, f64::max);
    let middle = geo::mean(stops().map(|stop| stop.place)).filter(|_| spread <= LARGEST_SPREAD_M);
    let place = middle.unwrap_or(own_stop.place);
    let mut counted: BTreeMap<u8, usize> = BTreeMap::new();
    for prefecture in stops().filter_map(|stop| stop.prefecture) {
        *counted.entry(prefecture.code()).or_default() += 1;
    }
    let most = counted.values().max().copied();
    // Of equals the first one named, as a reader of the source would say.
    let prefecture = stops().filter_map(|stop| stop.prefecture).find(|p| counted.get(&p.code()).copied() == most);
    let mut earlier: Vec<String> = group.iter().filter_map(|index| earlier_names.get(index).cloned()).collect();
    earlier.sort();
    let mut formerly: Vec<String> = Vec::new();
    for name in stops().flat_map(|stop| stop.formerly.iter().cloned()).chain(earlier) {
        let is_other = StationName::fold(&name) != StationName::fold(&own_stop.name);
        if is_other && !formerly.contains(&name) {
            formerly.push(name);
        }
    }
    let first_text =
        |of: fn(&Stop) -> &String| stops().map(of).find(|text| !text.is_empty()).cloned().unwrap_or_default();
    DraftStation {
        key: own_stop.key.clone(),
        code,
        is_fixed: raw.codes_are_fixed,
        name: own_stop.name.clone(),
        yomi: first_text(|stop| &stop.yomi),
        translation: first_text(|stop| &stop.translation),
        kind: own_stop.kind,
        prefecture,
        place,
        formerly,
    }
}
