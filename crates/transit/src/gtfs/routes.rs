//! Reads the selected routes of a feed, with their names and colours.

use std::collections::{BTreeMap, HashMap};

use kaisatsu_model::{TransportKind, text::tidy};

use super::{
    feed::Feed,
    route_filter::{FilterMatcher, RouteAttributes, RouteFilter},
};
use crate::{Error, Summary, palette};

/// A selected route.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) id: String,
    pub(super) name: String,
    /// Its short name; empty if it has none.
    pub(super) short: String,
    /// The id of its agency; empty if unknown.
    pub(super) agency: String,
    /// The name of its agency; empty if unknown.
    pub(super) operator: String,
    pub(super) color: Option<String>,
    pub(super) kind: TransportKind,
    /// Whether another route has its trips, because both are one line.
    pub(super) is_joined: bool,
    /// Where `routes.txt` has it.
    pub(super) line: u64,
}

/// The line of `routes.txt` of each `route_id`, selected or not.
pub(super) type RouteLines = HashMap<String, u64>;

/// Reads the selected routes, ordered by id, and the ids of all.
pub(super) fn read(
    feed: &mut Feed,
    filter: &RouteFilter,
    summary: &mut Summary,
) -> Result<(Vec<Route>, RouteLines), Error> {
    let agencies = Agencies::read(feed)?;
    let (mut table, _) = feed.required("routes.txt")?;
    let id_column = table.required("route_id")?;
    let type_column = table.required("route_type")?;
    let agency_column = table.column("agency_id");
    let [short, long, color] = ["route_short_name", "route_long_name", "route_color"].map(|name| table.column(name));
    let mut routes: Vec<Route> = Vec::new();
    let mut seen = RouteLines::new();
    let mut matcher = FilterMatcher::of(filter);
    let mut excluded: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(row) = table.next()? {
        let id = row.text(id_column).to_owned();
        if id.is_empty() {
            return Err(row.error("a route needs a route_id"));
        }
        if let Some(first) = seen.insert(id.clone(), row.line) {
            return Err(row.error(format!("route_id {id} is used before, at line {first}")));
        }
        summary.count("routes read", 1);
        let [short, long] = [short, long].map(|column| row.name(column));
        let name = name_of(&short, &long, &id);
        let route_type: u16 = row.number(type_column, "route_type")?;
        let agency = agencies.of(row.text(agency_column));
        let kind = match matcher.classify(&RouteAttributes { names: [&id, &short, &long, &name], agency, route_type }) {
            Ok(kind) => kind,
            Err(reason) => {
                summary.omit(&reason, name);
                *excluded.entry(reason).or_default() += 1;
                continue;
            }
        };
        let text = row.text(color);
        let color = palette::normalise(text);
        if color.is_none() && !text.is_empty() {
            summary.omit("route_color that is no colour", format!("{text} at routes.txt:{}", row.line));
        }
        // Many feeds write white or black for "no colour".
        let color = color.filter(|color| !matches!(color.as_str(), "#ffffff" | "#000000"));
        let [agency, operator] = agency.map(str::to_owned);
        routes.push(Route { id, name, short, agency, operator, color, kind, is_joined: false, line: row.line });
    }
    matcher.check_all_matched(agencies.names())?;
    if routes.is_empty() {
        let reasons: Vec<_> = excluded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let message = match seen.len() {
            0 => "there is no route in it".to_owned(),
            all => format!("none of its {all} routes is taken: {}", reasons.join(", ")),
        };
        return Err(Error::file("routes.txt", message));
    }
    routes.sort_by(|a, b| a.id.cmp(&b.id));
    Ok((routes, seen))
}

/// The id and the name of each agency of a feed.
struct Agencies(Vec<[String; 2]>);

impl Agencies {
    fn read(feed: &mut Feed) -> Result<Self, Error> {
        let mut found = Vec::new();
        if let Some((mut table, _)) = feed.table("agency.txt")? {
            let (id, name) = (table.column("agency_id"), table.column("agency_name"));
            while let Some(row) = table.next()? {
                found.push([row.text(id).to_owned(), row.name(name)]);
            }
        }
        Ok(Self(found))
    }

    /// The id and the name of a route's agency. If the feed has only one, a route may leave its id out.
    fn of<'a>(&'a self, id: &'a str) -> [&'a str; 2] {
        match self.0.as_slice() {
            [only] if id.is_empty() => [&only[0], &only[1]],
            all => [id, all.iter().find(|agency| agency[0] == id).map_or("", |agency| &agency[1])],
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|[id, name]| if name.is_empty() { id.as_str() } else { name })
    }
}

/// The display name of a route: the short name and the long one, unless the long one contains the short one.
fn name_of(short: &str, long: &str, id: &str) -> String {
    match (short, long) {
        ("", "") => tidy(id),
        ("", only) | (only, "") => only.to_owned(),
        (short, long) if long.split_whitespace().any(|word| word == short) => long.to_owned(),
        (short, long) => format!("{short} {long}"),
    }
}
