//! Groups the stops of a feed into stations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kaisatsu_model::{StationName, text::tidy};

use super::{
    feed::Feed,
    platform_names::{place, place_without_number},
    walks::{self, RootPairs},
};
use crate::{
    Error, Summary,
    geo::{self, LatLon},
};

/// Stops of the same place, by their names without platform and direction, within this distance are one station.
const MAX_SAME_NAME_DISTANCE_M: f64 = 300.0;
/// Stops whose names differ in a last letter or number within this distance are one station.
const MAX_PLATFORM_DISTANCE_M: f64 = 100.0;

/// A station of the feed.
#[derive(Debug)]
pub(super) struct FeedStation {
    /// The smallest `stop_id` of its stops.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) position: LatLon,
    /// Where `stops.txt` has its name.
    pub(super) line: u64,
}

/// All stations, and the station of each `stop_id`.
#[derive(Debug)]
pub(super) struct StopIndex {
    pub(super) stations: Vec<FeedStation>,
    pub(super) by_stop: HashMap<String, usize>,
    /// Pairs of stations between which the feed has transfers or pathways.
    pub(super) walks: Vec<(usize, usize)>,
    /// How many pairs of parent stations the feed connects, also those that are merged.
    pub(super) walk_count: usize,
}

struct StopRow {
    name: String,
    position: Option<LatLon>,
    parent: String,
    line: u64,
}

pub(super) fn read(feed: &mut Feed, summary: &mut Summary) -> Result<StopIndex, Error> {
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
    let root_of: HashMap<&str, &str> =
        members.iter().flat_map(|(root, stops)| stops.iter().map(move |stop| (*stop, *root))).collect();
    let transfers = walks::transfers(feed, &root_of)?;
    let merged = merge_same_names(&stop_rows, &members, &transfers);
    let mut index = StopIndex { stations: Vec::new(), by_stop: HashMap::new(), walks: Vec::new(), walk_count: 0 };
    let mut index_of: HashMap<&str, usize> = HashMap::new();
    for (root, stops) in &members {
        let representative = merged.get(root).copied().unwrap_or(root);
        let at = *index_of.entry(representative).or_insert_with(|| {
            index.stations.push(FeedStation {
                id: representative.to_owned(),
                name: merged_name(&stop_rows, &merged, representative).to_owned(),
                position: LatLon { lat: 0.0, lon: 0.0 },
                line: stop_rows[representative].line,
            });
            index.stations.len() - 1
        });
        for stop in stops {
            index.by_stop.insert((*stop).to_owned(), at);
        }
    }
    // The position of a station is the mean of its members' positions.
    let mut parts = vec![Vec::new(); index.stations.len()];
    for root in members.keys() {
        let stop_row = &stop_rows[*root];
        let Some(position) =
            stop_row.position.or_else(|| members[root].iter().find_map(|stop| stop_rows[*stop].position))
        else {
            return Err(Error::line(
                "stops.txt",
                stop_row.line,
                format!("stop {root} {} has no position", stop_row.name),
            ));
        };
        parts[index.by_stop[*root]].push(position);
    }
    for (station, parts) in index.stations.iter_mut().zip(parts) {
        station.position = geo::mean(parts).unwrap_or(station.position);
    }
    let pathways = walks::pathways(feed, &root_of, &entrances)?;
    let pairs: BTreeSet<(&str, &str)> = transfers.iter().chain(&pathways).map(|&(a, b)| (a.min(b), a.max(b))).collect();
    index.walk_count = pairs.len();
    let walks = pairs.iter().map(|(a, b)| (index.by_stop[*a], index.by_stop[*b]));
    index.walks = walks.filter(|(a, b)| a != b).collect();
    Ok(index)
}

/// The name of a station: that of its first stop, without what tells its stops apart.
fn merged_name<'a>(
    stop_rows: &'a BTreeMap<String, StopRow>,
    merged: &HashMap<&str, &str>,
    representative: &str,
) -> &'a str {
    let own = stop_rows[representative].name.as_str();
    let places: BTreeSet<&str> =
        merged.iter().filter(|(_, to)| **to == representative).map(|(root, _)| place(&stop_rows[*root].name)).collect();
    if places.len() > 1 { place_without_number(own).unwrap_or_else(|| place(own)) } else { place(own) }
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
        let stop_row =
            StopRow { name: if name.is_empty() { tidy(id) } else { name }, position, parent, line: row.line };
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

/// Merges the stations of one place, under the smallest id: those with the same name, apart from platform and
/// direction, within a distance. Between stations with several stops, transfers decide instead of the distance if the
/// feed has any.
fn merge_same_names<'a>(
    stop_rows: &'a BTreeMap<String, StopRow>,
    members: &BTreeMap<&'a str, Vec<&'a str>>,
    transfers: &RootPairs<'a>,
) -> HashMap<&'a str, &'a str> {
    let mut sets = DisjointSets((0..members.len()).collect());
    let mut by_name: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    let mut by_numbered_name: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    let is_station = |root: &str| members[root].len() > 1;
    let fold = |name: &str| StationName::fold(name).as_str().to_owned();
    for (index, root) in members.keys().enumerate() {
        let name = &stop_rows[*root].name;
        by_name.entry(fold(place(name))).or_default().push((index, root));
        if !is_station(root) {
            let place = place_without_number(name).unwrap_or_else(|| place(name));
            by_numbered_name.entry(fold(place)).or_default().push((index, root));
        }
    }
    let near = |a: &str, b: &str, most: f64| {
        stop_rows[a].position.zip(stop_rows[b].position).is_some_and(|(p, q)| p.metres_to(q) <= most)
    };
    let is_one = |a: &str, b: &str| {
        if transfers.is_empty() || !is_station(a) || !is_station(b) {
            near(a, b, MAX_SAME_NAME_DISTANCE_M)
        } else {
            transfers.contains(&(a, b)) || transfers.contains(&(b, a))
        }
    };
    let mut join = |roots: &[(usize, &str)], is_one: &dyn Fn(&str, &str) -> bool| {
        for (at, &(a_index, a)) in roots.iter().enumerate() {
            for &(b_index, b) in &roots[at + 1..] {
                if is_one(a, b) {
                    sets.join(a_index, b_index);
                }
            }
        }
    };
    for roots in by_name.values() {
        join(roots, &is_one);
    }
    for roots in by_numbered_name.values() {
        join(roots, &|a, b| near(a, b, MAX_PLATFORM_DISTANCE_M));
    }
    let ids: Vec<&str> = members.keys().copied().collect();
    ids.iter().enumerate().map(|(index, id)| (*id, ids[sets.of(index)])).collect()
}

/// A union-find structure. Each element points to a smaller one of its set, or to itself.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn of(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            // Path halving, for later lookups.
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}
