//! Walks between stations that a feed lists: transfers, and pathways.

use std::collections::{HashMap, HashSet};

use super::feed::Feed;
use crate::Error;

/// Pairs of outermost parent stations.
pub(super) type RootPairs<'a> = HashSet<(&'a str, &'a str)>;

/// The pairs that `transfers.txt` connects.
pub(super) fn transfers<'a>(feed: &mut Feed, root_of: &HashMap<&'a str, &'a str>) -> Result<RootPairs<'a>, Error> {
    let mut found = RootPairs::new();
    if let Some((mut table, _)) = feed.table("transfers.txt")? {
        let [from, to, kind] = ["from_stop_id", "to_stop_id", "transfer_type"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let pair = root_of.get(row.text(from)).copied().zip(root_of.get(row.text(to)).copied());
            // Transfer type 3: no transfer is possible. 4 and 5 are about passengers who stay in the train.
            found.extend(pair.filter(|(a, b)| a != b && !matches!(row.text(kind), "3" | "4" | "5")));
        }
    }
    Ok(found)
}

/// The pairs that `pathways.txt` connects. `entrances` has the stations of entrances and pathway nodes.
pub(super) fn pathways<'a>(
    feed: &mut Feed,
    root_of: &HashMap<&'a str, &'a str>,
    entrances: &HashMap<String, String>,
) -> Result<RootPairs<'a>, Error> {
    let mut found = RootPairs::new();
    if let Some((mut table, _)) = feed.table("pathways.txt")? {
        let [from, to] = ["from_stop_id", "to_stop_id"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let root = |id: &str| root_of.get(id).or_else(|| root_of.get(entrances.get(id)?.as_str())).copied();
            found.extend(root(row.text(from)).zip(root(row.text(to))).filter(|(a, b)| a != b));
        }
    }
    Ok(found)
}
