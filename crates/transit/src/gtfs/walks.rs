//! Walks between stations that a feed lists: transfers, and pathways.

use std::collections::{BTreeSet, HashMap};

use super::feed::Feed;
use crate::Error;

/// Pairs of places, the smaller number first.
pub(super) type Pairs = BTreeSet<(usize, usize)>;

/// The pairs that `transfers.txt` connects. `place_of` has the place of each stop.
pub(super) fn transfers(feed: &mut Feed, place_of: &HashMap<String, usize>) -> Result<Pairs, Error> {
    let mut found = Pairs::new();
    if let Some((mut table, _)) = feed.table("transfers.txt")? {
        let [from, to, kind] = ["from_stop_id", "to_stop_id", "transfer_type"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let pair = pair(place_of.get(row.text(from)), place_of.get(row.text(to)));
            // Transfer type 3: no transfer is possible. 4 and 5 are about passengers who stay in the train.
            found.extend(pair.filter(|_| !matches!(row.text(kind), "3" | "4" | "5")));
        }
    }
    Ok(found)
}

/// The pairs that `pathways.txt` connects. `entrances` has the stations of entrances and pathway nodes.
pub(super) fn pathways(
    feed: &mut Feed,
    place_of: &HashMap<String, usize>,
    entrances: &HashMap<String, String>,
) -> Result<Pairs, Error> {
    let mut found = Pairs::new();
    if let Some((mut table, _)) = feed.table("pathways.txt")? {
        let [from, to] = ["from_stop_id", "to_stop_id"].map(|name| table.column(name));
        while let Some(row) = table.next()? {
            let place = |id: &str| place_of.get(id).or_else(|| place_of.get(entrances.get(id)?));
            found.extend(pair(place(row.text(from)), place(row.text(to))));
        }
    }
    Ok(found)
}

/// A pair of two different places.
fn pair(a: Option<&usize>, b: Option<&usize>) -> Option<(usize, usize)> {
    let (a, b) = (*a?, *b?);
    (a != b).then_some((a.min(b), a.max(b)))
}
