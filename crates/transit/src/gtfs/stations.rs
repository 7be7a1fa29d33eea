//! Groups the stops of a feed into places, and those into stations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kaisatsu_model::text::tidy;

use super::{
    feed::Feed,
    patterns::Patterns,
    platform_names::{place, unnumbered_place},
    same_station::{self, fold},
    walks::{self, Pairs},
};
use crate::{
    Error, Summary,
    geo::{self, LatLon},
};

/// A station of the feed.
#[derive(Debug)]
pub(super) struct FeedStation {
    /// The smallest `stop_id` of its stops.
    pub(super) id: String,
    /// Its name, or its id if it is nameless.
    pub(super) name: String,
    /// What else its stops are called, more than by a number.
    pub(super) other_names: Vec<String>,
    pub(super) is_nameless: bool,
    pub(super) position: LatLon,
    /// Where `stops.txt` has its name.
    pub(super) line: u64,
}

/// The places of a feed: each is a parent station with its stops, or a stop without a parent. Several places may be one
/// station.
#[derive(Debug)]
pub(super) struct Places {
    stop_rows: BTreeMap<String, StopRow>,
    /// Each place has the `stop_id` of its outermost parent, by which they are ordered.
    all: Vec<Place>,
    /// The place of each `stop_id`.
    pub(super) by_stop: HashMap<String, usize>,
    /// The pairs that `transfers.txt` connects.
    transfers: Pairs,
    /// The pairs that `pathways.txt` connects.
    pathways: Pairs,
}

#[derive(Debug)]
pub(super) struct Place {
    pub(super) id: String,
    /// Its name in `stops.txt`.
    pub(super) name: String,
    pub(super) position: LatLon,
    /// Whether it has several stops.
    pub(super) has_platforms: bool,
}

/// All stations, and the station of each place.
#[derive(Debug)]
pub(super) struct StationIndex {
    pub(super) stations: Vec<FeedStation>,
    pub(super) by_place: Vec<usize>,
    /// Pairs of stations between which the feed has transfers or pathways.
    pub(super) walks: Vec<(usize, usize)>,
    /// How many pairs of places the feed connects, also those that are merged.
    pub(super) walk_count: usize,
}

#[derive(Debug)]
struct StopRow {
    name: String,
    /// Whether its name is its id.
    is_nameless: bool,
    position: Option<LatLon>,
    parent: String,
    line: u64,
}

pub(super) fn read(feed: &mut Feed, summary: &mut Summary) -> Result<Places, Error> {
    let (stop_rows, entrances) = stop_rows(feed, summary)?;
    // Each stop is a member of its outermost parent station.
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let roots = roots(&stop_rows);
    for (id, stop_row) in &stop_rows {
        let root = roots.get(id.as_str()).copied().flatten().unwrap_or_else(|| {
            summary.omit(
                "parent_station that leads into a circle (the stop is a station of its own)",
                format!("{id} at stops.txt:{}", stop_row.line),
            );
            id
        });
        let ancestor = &stop_rows[root];
        if !ancestor.parent.is_empty() && !stop_rows.contains_key(&ancestor.parent) {
            summary.omit(
                "parent_station that is not in stops.txt",
                format!("{} at stops.txt:{}", ancestor.parent, ancestor.line),
            );
        }
        members.entry(root).or_default().push(id);
    }
    let mut places = Vec::with_capacity(members.len());
    let mut by_stop = HashMap::with_capacity(stop_rows.len());
    for (root, stops) in members {
        let stop_row = &stop_rows[root];
        let position = stop_row.position.or_else(|| stops.iter().find_map(|stop| stop_rows[*stop].position));
        let Some(position) = position else {
            let message = format!("stop {root} {} has no position", stop_row.name);
            return Err(Error::line("stops.txt", stop_row.line, message));
        };
        by_stop.extend(stops.iter().map(|stop| ((*stop).to_owned(), places.len())));
        let (name, has_platforms) = (stop_row.name.clone(), stops.len() > 1);
        places.push(Place { id: root.to_owned(), name, position, has_platforms });
    }
    let transfers = walks::transfers(feed, &by_stop)?;
    let pathways = walks::pathways(feed, &by_stop, &entrances)?;
    Ok(Places { stop_rows, all: places, by_stop, transfers, pathways })
}

impl Places {
    /// Merges the places of one station, according to the patterns of the trips at places.
    pub(super) fn into_stations(self, patterns: &Patterns) -> StationIndex {
        let merged = same_station::merge(&self.all, &self.transfers, patterns);
        let mut stations: Vec<FeedStation> = Vec::new();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut by_place = Vec::with_capacity(merged.len());
        for (place, &first) in merged.iter().enumerate() {
            // The first place of a station is the one with the smallest number.
            if first == place {
                let id = self.all[place].id.clone();
                let StopRow { is_nameless, line, .. } = self.stop_rows[&id];
                let (name, position) = (String::new(), self.all[place].position);
                by_place.push(stations.len());
                stations.push(FeedStation { id, name, other_names: Vec::new(), is_nameless, position, line });
                parts.push(Vec::new());
            } else {
                by_place.push(by_place[first]);
            }
            parts[by_place[place]].push(place);
        }
        // The position of a station is the mean of its places' positions.
        for (station, parts) in stations.iter_mut().zip(parts) {
            station.name = self.name(&parts);
            station.other_names = self.other_names(&parts);
            let positions = parts.iter().map(|&place| self.all[place].position);
            station.position = geo::mean(positions).unwrap_or(station.position);
        }
        let pairs: Pairs = self.transfers.union(&self.pathways).copied().collect();
        let walks: BTreeSet<_> = pairs.iter().map(|&(a, b)| (by_place[a], by_place[b])).collect();
        let walks = walks.into_iter().filter(|(a, b)| a != b).collect();
        StationIndex { stations, by_place, walks, walk_count: pairs.len() }
    }

    /// The name of a station: that of its first place, without what tells its places apart.
    fn name(&self, parts: &[usize]) -> String {
        let own = self.all[parts[0]].name.as_str();
        let names: BTreeSet<&str> = parts.iter().map(|&part| place(&self.all[part].name)).collect();
        let name = if names.len() > 1 { unnumbered_place(own) } else { place(own) };
        name.to_owned()
    }

    /// The names of further places of a station by which it is looked for too, because they are not only other
    /// platforms: those of opposite stops.
    fn other_names(&self, parts: &[usize]) -> Vec<String> {
        let unnumbered = |name: &str| fold(unnumbered_place(name));
        let is_named = |part: &&usize| !self.stop_rows[&self.all[**part].id].is_nameless;
        let mut known: BTreeSet<String> = BTreeSet::from([unnumbered(&self.all[parts[0]].name)]);
        let others = parts[1..].iter().filter(is_named).map(|&part| &self.all[part].name);
        others.filter(|name| known.insert(unnumbered(name))).map(|name| place(name).to_owned()).collect()
    }
}

/// The stops and stations, and the station of each entrance and pathway node.
type StopRows = (BTreeMap<String, StopRow>, HashMap<String, String>);

fn stop_rows(feed: &mut Feed, summary: &mut Summary) -> Result<StopRows, Error> {
    let (mut table, _) = feed.required("stops.txt")?;
    let id_column = table.required("stop_id")?;
    let [name, lat, lon, kind, parent] =
        ["stop_name", "stop_lat", "stop_lon", "location_type", "parent_station"].map(|name| table.column(name));
    let mut stop_rows: BTreeMap<String, StopRow> = BTreeMap::new();
    let mut entrances = HashMap::new();
    while let Some(row) = table.next()? {
        summary.count("stops read", 1);
        // Entrances and pathway nodes are not stops, nor are location types that are unknown here.
        if !matches!(row.text(kind), "" | "0" | "1" | "4") {
            entrances.insert(row.text(id_column).to_owned(), row.text(parent).to_owned());
            continue;
        }
        let id = row.text(id_column);
        if id.is_empty() {
            return Err(row.error("a stop needs a stop_id"));
        }
        let parent = row.text(parent).to_owned();
        let (lat, lon): (Option<f64>, Option<f64>) =
            (row.number_if_any(lat, "stop_lat")?, row.number_if_any(lon, "stop_lon")?);
        let position = lat.zip(lon).map(|(lat, lon)| LatLon { lat, lon });
        if position.is_some_and(|position| !position.is_valid()) {
            return Err(row.error(format!("stop {id}: its position is no place on the earth")));
        }
        let name = row.name(name);
        if position.is_none() && parent.is_empty() {
            return Err(row.error(format!("stop {id} {name} has no position")));
        }
        let is_nameless = name.is_empty();
        let name = if is_nameless { tidy(id) } else { name };
        let stop_row = StopRow { name, is_nameless, position, parent, line: row.line };
        if let Some(first) = stop_rows.insert(id.to_owned(), stop_row) {
            return Err(row.error(format!("stop_id {id} is used before, at line {}", first.line)));
        }
    }
    Ok((stop_rows, entrances))
}

/// The outermost parent station of each stop; `None` if the parents form a cycle. Each link is followed once.
fn roots(stop_rows: &BTreeMap<String, StopRow>) -> HashMap<&str, Option<&str>> {
    let mut found: HashMap<&str, Option<&str>> = HashMap::with_capacity(stop_rows.len());
    for (id, stop_row) in stop_rows {
        let mut chain: Vec<&str> = Vec::new();
        let (mut here, mut ancestor) = (id.as_str(), stop_row);
        let root = loop {
            if let Some(known) = found.get(here) {
                break *known;
            }
            // If the chain comes back to this stop, it finds the mark of a cycle.
            found.insert(here, None);
            chain.push(here);
            match stop_rows.get_key_value(&ancestor.parent) {
                Some((parent, next)) => (here, ancestor) = (parent, next),
                None => break Some(here),
            }
        };
        found.extend(chain.into_iter().map(|stop| (stop, root)));
    }
    found
}
