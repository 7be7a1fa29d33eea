//! Groups the stops of a feed into stations.

use std::collections::{BTreeMap, HashMap};

use kaisatsu_model::StationName;

use super::feed::Feed;
use crate::{
    Error, Summary,
    geo::{self, LatLon},
};

/// Stops with the same name within this distance are one station.
const MAX_SAME_NAME_DISTANCE_M: f64 = 300.0;

/// A station of the feed.
#[derive(Debug)]
pub(super) struct FeedStation {
    /// The smallest `stop_id` of its stops.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) position: LatLon,
}

/// All stations, and the station of each `stop_id`.
#[derive(Debug)]
pub(super) struct StopIndex {
    pub(super) stations: Vec<FeedStation>,
    pub(super) by_stop: HashMap<String, usize>,
}

struct StopRow {
    name: String,
    position: Option<LatLon>,
    parent: String,
    line: u64,
}

pub(super) fn read(feed: &mut Feed, summary: &mut Summary) -> Result<StopIndex, Error> {
    let stop_rows = stop_rows(feed, summary)?;
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
    let merged = merge_same_names(feed, &stop_rows, &members)?;
    let mut index = StopIndex { stations: Vec::new(), by_stop: HashMap::new() };
    let mut index_of: HashMap<&str, usize> = HashMap::new();
    for (root, stops) in &members {
        let representative = merged.get(root).copied().unwrap_or(root);
        let at = *index_of.entry(representative).or_insert_with(|| {
            index.stations.push(FeedStation {
                id: representative.to_owned(),
                name: stop_rows[representative].name.clone(),
                position: LatLon { lat: 0.0, lon: 0.0 },
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
    Ok(index)
}

fn stop_rows(feed: &mut Feed, summary: &mut Summary) -> Result<BTreeMap<String, StopRow>, Error> {
    let (mut table, _) = feed.required("stops.txt")?;
    let id_column = table.required("stop_id")?;
    let [name, lat, lon, kind, parent] =
        ["stop_name", "stop_lat", "stop_lon", "location_type", "parent_station"].map(|name| table.column(name));
    let mut stop_rows: BTreeMap<String, StopRow> = BTreeMap::new();
    while let Some(row) = table.next()? {
        summary.count("stops read", 1);
        // Entrances and pathway nodes are not stops, nor are location types that are unknown here.
        if !matches!(row.text(kind), "" | "0" | "1" | "4") {
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
        let name = row.text(name).to_owned();
        if position.is_none() && parent.is_empty() {
            return Err(row.error(format!("stop {id} {name} has no position")));
        }
        let stop_row =
            StopRow { name: if name.is_empty() { id.to_owned() } else { name }, position, parent, line: row.line };
        if let Some(first) = stop_rows.insert(id.to_owned(), stop_row) {
            return Err(row.error(format!("stop_id {id} is used before, at line {}", first.line)));
        }
    }
    Ok(stop_rows)
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

/// Merges stations with the same name within a distance, under the smallest id. If the feed has transfers, they decide
/// instead of the distance.
fn merge_same_names<'a>(
    feed: &mut Feed,
    stop_rows: &'a BTreeMap<String, StopRow>,
    members: &BTreeMap<&'a str, Vec<&'a str>>,
) -> Result<HashMap<&'a str, &'a str>, Error> {
    let mut sets = DisjointSets((0..members.len()).collect());
    let root_of: HashMap<&str, &str> =
        members.iter().flat_map(|(root, stops)| stops.iter().map(move |stop| (*stop, *root))).collect();
    let mut by_name: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for (index, root) in members.keys().enumerate() {
        by_name.entry(format!("{:?}", StationName::fold(&stop_rows[*root].name))).or_default().push((index, root));
    }
    let transfers = read_transfers(feed, &root_of)?;
    let is_station = |root: &str| members[root].len() > 1;
    for roots in by_name.values().filter(|roots| roots.len() > 1) {
        for (at, &(a_index, a)) in roots.iter().enumerate() {
            for &(b_index, b) in &roots[at + 1..] {
                let near = stop_rows[a]
                    .position
                    .zip(stop_rows[b].position)
                    .is_some_and(|(p, q)| p.metres_to(q) <= MAX_SAME_NAME_DISTANCE_M);
                let is_one = if transfers.is_empty() || !is_station(a) || !is_station(b) {
                    near
                } else {
                    transfers.contains(&(a, b)) || transfers.contains(&(b, a))
                };
                if is_one {
                    sets.join(a_index, b_index);
                }
            }
        }
    }
    let ids: Vec<&str> = members.keys().copied().collect();
    Ok(ids.iter().enumerate().map(|(index, id)| (*id, ids[sets.of(index)])).collect())
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

fn read_transfers<'a>(
    feed: &mut Feed,
    root_of: &HashMap<&'a str, &'a str>,
) -> Result<std::collections::HashSet<(&'a str, &'a str)>, Error> {
    let mut found = std::collections::HashSet::new();
    if let Some((mut table, _)) = feed.table("transfers.txt")? {
        let [from, to, kind] = ["from_stop_id", "to_stop_id", "transfer_type"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let pair = root_of.get(row.text(from)).copied().zip(root_of.get(row.text(to)).copied());
            // Transfer type 3: no transfer is possible.
            found.extend(pair.filter(|(a, b)| a != b && row.text(kind) != "3"));
        }
    }
    Ok(found)
}
