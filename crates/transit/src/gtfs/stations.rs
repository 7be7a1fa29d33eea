//! Which stops are one station.

use std::collections::{BTreeMap, HashMap};

use kaisatsu_model::StationName;

use super::feed::Feed;
use crate::{
    Error, Summary,
    geo::{self, Place},
};

/// Stops of the same name that are nearer than this are one station.
const SAME_STATION_M: f64 = 300.0;

/// One station of the feed.
#[derive(Debug)]
pub(super) struct FeedStation {
    /// The smallest `stop_id` of those that it consists of.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) place: Place,
}

/// All stations, and which one a `stop_id` belongs to.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) stations: Vec<FeedStation>,
    pub(super) by_stop: HashMap<String, usize>,
}

struct Entry {
    name: String,
    place: Option<Place>,
    parent: String,
    line: u64,
}

pub(super) fn read(feed: &mut Feed, summary: &mut Summary) -> Result<Places, Error> {
    let entries = entries(feed, summary)?;
    // Each stop under the outermost station that it is part of.
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let roots = roots(&entries);
    for (id, entry) in &entries {
        let root = roots.get(id.as_str()).copied().flatten().unwrap_or_else(|| {
            summary.drop(
                "parent_station that leads into a circle (the stop is a station of its own)",
                format!("{id} at stops.txt:{}", entry.line),
            );
            id
        });
        let above = &entries[root];
        if !above.parent.is_empty() && !entries.contains_key(&above.parent) {
            summary.drop(
                "parent_station that is not in stops.txt",
                format!("{} at stops.txt:{}", above.parent, above.line),
            );
        }
        members.entry(root).or_default().push(id);
    }
    let joined = join_same_names(feed, &entries, &members)?;
    let mut places = Places { stations: Vec::new(), by_stop: HashMap::new() };
    let mut index_of: HashMap<&str, usize> = HashMap::new();
    for (root, stops) in &members {
        let head = joined.get(root).copied().unwrap_or(root);
        let at = *index_of.entry(head).or_insert_with(|| {
            places.stations.push(FeedStation {
                id: head.to_owned(),
                name: entries[head].name.clone(),
                place: Place { lat: 0.0, lon: 0.0 },
            });
            places.stations.len() - 1
        });
        for stop in stops {
            places.by_stop.insert((*stop).to_owned(), at);
        }
    }
    // Where a station is: the middle of what was joined to it.
    let mut parts = vec![Vec::new(); places.stations.len()];
    for root in members.keys() {
        let entry = &entries[*root];
        let Some(place) = entry.place.or_else(|| members[root].iter().find_map(|stop| entries[*stop].place)) else {
            return Err(Error::line("stops.txt", entry.line, format!("stop {root} {} has no position", entry.name)));
        };
        parts[places.by_stop[*root]].push(place);
    }
    for (station, parts) in places.stations.iter_mut().zip(parts) {
        station.place = geo::mean(parts).unwrap_or(station.place);
    }
    Ok(places)
}

fn entries(feed: &mut Feed, summary: &mut Summary) -> Result<BTreeMap<String, Entry>, Error> {
    let (mut table, _) = feed.needed("stops.txt")?;
    let id_column = table.needed("stop_id")?;
    let [name, lat, lon, kind, parent] =
        ["stop_name", "stop_lat", "stop_lon", "location_type", "parent_station"].map(|name| table.column(name));
    let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
    while let Some(row) = table.next()? {
        summary.read("stops read", 1);
        // Entrances and corridors are no stops. An odd number is one that came after this was written.
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
        let place = lat.zip(lon).map(|(lat, lon)| Place { lat, lon });
        if place.is_some_and(|place| !place.is_valid()) {
            return Err(row.error(format!("stop {id}: its position is no place on the earth")));
        }
        let name = row.text(name).to_owned();
        if place.is_none() && parent.is_empty() {
            return Err(row.error(format!("stop {id} {name} has no position")));
        }
        let entry = Entry { name: if name.is_empty() { id.to_owned() } else { name }, place, parent, line: row.line };
        if let Some(first) = entries.insert(id.to_owned(), entry) {
            return Err(row.error(format!("stop_id {id} is used before, at line {}", first.line)));
        }
    }
    Ok(entries)
}

/// The outermost station of each stop; `None` where the way up leads into a circle. Each step is gone once, however deep.
fn roots(entries: &BTreeMap<String, Entry>) -> HashMap<&str, Option<&str>> {
    let mut found: HashMap<&str, Option<&str>> = HashMap::with_capacity(entries.len());
    for (id, entry) in entries {
        let mut way: Vec<&str> = Vec::new();
        let (mut here, mut above) = (id.as_str(), entry);
        let root = loop {
            if let Some(known) = found.get(here) {
                break *known;
            }
            // Whoever comes here again on the same way finds it marked as a circle.
            found.insert(here, None);
            way.push(here);
            match entries.get_key_value(&above.parent) {
                Some((parent, next)) => (here, above) = (parent, next),
                None => break Some(here),
            }
        };
        found.extend(way.into_iter().map(|stop| (stop, root)));
    }
    found
}

/// Stations of one name near each other become the one with the smallest id. Where the feed says between which stations
/// people change, it knows better than the distance which of them are one.
fn join_same_names<'a>(
    feed: &mut Feed,
    entries: &'a BTreeMap<String, Entry>,
    members: &BTreeMap<&'a str, Vec<&'a str>>,
) -> Result<HashMap<&'a str, &'a str>, Error> {
    let mut heads = Heads((0..members.len()).collect());
    let root_of: HashMap<&str, &str> =
        members.iter().flat_map(|(root, stops)| stops.iter().map(move |stop| (*stop, *root))).collect();
    let mut by_name: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for (index, root) in members.keys().enumerate() {
        by_name.entry(format!("{:?}", StationName::fold(&entries[*root].name))).or_default().push((index, root));
    }
    let changes = transfers(feed, &root_of)?;
    let is_station = |root: &str| members[root].len() > 1;
    for roots in by_name.values().filter(|roots| roots.len() > 1) {
        for (at, &(a_index, a)) in roots.iter().enumerate() {
            for &(b_index, b) in &roots[at + 1..] {
                let near =
                    entries[a].place.zip(entries[b].place).is_some_and(|(p, q)| p.metres_to(q) <= SAME_STATION_M);
                let is_one = if changes.is_empty() || !is_station(a) || !is_station(b) {
                    near
                } else {
                    changes.contains(&(a, b)) || changes.contains(&(b, a))
                };
                if is_one {
                    heads.join(a_index, b_index);
                }
            }
        }
    }
    let ids: Vec<&str> = members.keys().copied().collect();
    Ok(ids.iter().enumerate().map(|(index, id)| (*id, ids[heads.of(index)])).collect())
}

/// What was joined to what: each points to a smaller one of its own, or to itself.
struct Heads(Vec<usize>);

impl Heads {
    fn of(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            // The way is halved for whoever asks next.
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

fn transfers<'a>(
    feed: &mut Feed,
    root_of: &HashMap<&'a str, &'a str>,
) -> Result<std::collections::HashSet<(&'a str, &'a str)>, Error> {
    let mut found = std::collections::HashSet::new();
    if let Some((mut table, _)) = feed.table("transfers.txt")? {
        let [from, to, kind] = ["from_stop_id", "to_stop_id", "transfer_type"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let pair = root_of.get(row.text(from)).copied().zip(root_of.get(row.text(to)).copied());
            // 3 says that nobody can change there.
            found.extend(pair.filter(|(a, b)| a != b && row.text(kind) != "3"));
        }
    }
    Ok(found)
}
