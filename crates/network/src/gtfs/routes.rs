//! Which routes of a feed are wanted, and what they are called.

use std::collections::HashMap;

use kaisatsu_model::TransportKind;

use super::feed::Feed;
use crate::{Error, Summary, palette};

/// Which routes are wanted.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Buses and trolleybuses as well as what runs on rails.
    pub buses: bool,
    /// Ferries as well.
    pub ships: bool,
    /// Only those of these agencies, by id or name; all when empty.
    pub agencies: Vec<String>,
    /// Only those with one of these ids or names; all when empty.
    pub routes: Vec<String>,
}

/// One route.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) color: Option<String>,
    pub(super) kind: TransportKind,
}

/// Reads the wanted routes.
pub(super) fn read(feed: &mut Feed, choice: &Choice, summary: &mut Summary) -> Result<Vec<Route>, Error> {
    let agencies = agency_names(feed)?;
    let (mut table, _) = feed.needed("routes.txt")?;
    let id_column = table.needed("route_id")?;
    let type_column = table.needed("route_type")?;
    let agency_column = table.column("agency_id");
    let [short, long, color] = ["route_short_name", "route_long_name", "route_color"].map(|name| table.column(name));
    let mut routes: Vec<Route> = Vec::new();
    let mut seen: HashMap<String, u64> = HashMap::new();
    while let Some(row) = table.next()? {
        let id = row.text(id_column).to_owned();
        if id.is_empty() {
            return Err(row.error("a route needs a route_id"));
        }
        if let Some(first) = seen.insert(id.clone(), row.line) {
            return Err(row.error(format!("route_id {id} is used before, at line {first}")));
        }
        summary.read("routes read", 1);
        let (short, long) = (row.text(short), row.text(long));
        let name = name_of(short, long, &id);
        let number: u16 = row.number(type_column, "route_type")?;
        let Some(kind) = kind_of(number, choice) else {
            summary.drop(&format!("routes of a kind that is not wanted (route_type {number})"), name);
            continue;
        };
        let agency = row.text(agency_column);
        let agency_name = agencies.get(agency).map_or("", String::as_str);
        if !choice.agencies.is_empty() && !choice.agencies.iter().any(|want| want == agency || want == agency_name) {
            summary.drop("routes of other agencies", name);
            continue;
        }
        if !choice.routes.is_empty()
            && !choice.routes.iter().any(|want| [&id, short, long, &name].contains(&want.as_str()))
        {
            summary.drop("routes that were not asked for", name);
            continue;
        }
        let text = row.text(color);
        let color = palette::normal(text);
        if color.is_none() && !text.is_empty() {
            summary.drop("route_color that is no colour", format!("{text} at routes.txt:{}", row.line));
        }
        // White and black are what feeds write for "none".
        let color = color.filter(|color| !matches!(color.as_str(), "#ffffff" | "#000000"));
        routes.push(Route { id, name, color, kind });
    }
    if routes.is_empty() {
        return Err(Error::file("routes.txt", "no route of it is wanted"));
    }
    routes.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(routes)
}

fn agency_names(feed: &mut Feed) -> Result<HashMap<String, String>, Error> {
    let mut found = HashMap::new();
    if let Some((mut table, _)) = feed.table("agency.txt")? {
        let (id, name) = (table.column("agency_id"), table.column("agency_name"));
        while let Some(row) = table.next()? {
            found.insert(row.text(id).to_owned(), row.text(name).to_owned());
        }
    }
    Ok(found)
}

/// The long name is for people; the short one goes before it unless it is in it already.
fn name_of(short: &str, long: &str, id: &str) -> String {
    match (short, long) {
        ("", "") => id.to_owned(),
        ("", only) | (only, "") => only.to_owned(),
        (short, long) if long.split_whitespace().any(|word| word == short) => long.to_owned(),
        (short, long) => format!("{short} {long}"),
    }
}

/// What runs on a route, if it is wanted. The numbers are those of the reference and of its extension.
fn kind_of(route_type: u16, choice: &Choice) -> Option<TransportKind> {
    match route_type {
        // Trams, subways, railways, cable trams, funiculars, monorails; and the extended ones of railways, urban railways, trams,
        // funiculars.
        0 | 1 | 2 | 5 | 7 | 12 | 100..=199 | 300..=499 | 900..=999 | 1400..=1499 => Some(TransportKind::Train),
        3 | 11 | 200..=299 | 700..=899 if choice.buses => Some(TransportKind::Bus),
        4 | 1000..=1099 | 1200..=1299 if choice.ships => Some(TransportKind::Ship),
        _ => None,
    }
}
