//! The wanted routes of a feed, and what they are called.

use std::collections::{BTreeMap, HashMap};

use kaisatsu_model::TransportKind;

use super::{
    choice::{Asked, Candidate, Choice},
    feed::Feed,
};
use crate::{Error, Summary, palette};

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
    let agencies = Agencies::read(feed)?;
    let (mut table, _) = feed.needed("routes.txt")?;
    let id_column = table.needed("route_id")?;
    let type_column = table.needed("route_type")?;
    let agency_column = table.column("agency_id");
    let [short, long, color] = ["route_short_name", "route_long_name", "route_color"].map(|name| table.column(name));
    let mut routes: Vec<Route> = Vec::new();
    let mut seen: HashMap<String, u64> = HashMap::new();
    let mut asked = Asked::of(choice);
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
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
        let route_type: u16 = row.number(type_column, "route_type")?;
        let agency = agencies.of(row.text(agency_column));
        let kind = match asked.judge(&Candidate { names: [&id, short, long, &name], agency, route_type }) {
            Ok(kind) => kind,
            Err(reason) => {
                summary.drop(&reason, name);
                *left_out.entry(reason).or_default() += 1;
                continue;
            }
        };
        let text = row.text(color);
        let color = palette::normal(text);
        if color.is_none() && !text.is_empty() {
            summary.drop("route_color that is no colour", format!("{text} at routes.txt:{}", row.line));
        }
        // White and black are what feeds write for "none".
        let color = color.filter(|color| !matches!(color.as_str(), "#ffffff" | "#000000"));
        routes.push(Route { id, name, color, kind });
    }
    asked.all_found(agencies.names())?;
    if routes.is_empty() {
        let reasons: Vec<_> = left_out.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let message = match seen.len() {
            0 => "there is no route in it".to_owned(),
            all => format!("none of its {all} routes is taken: {}", reasons.join(", ")),
        };
        return Err(Error::file("routes.txt", message));
    }
    routes.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(routes)
}

/// The agencies of a feed: id and name of each.
struct Agencies(Vec<[String; 2]>);

impl Agencies {
    fn read(feed: &mut Feed) -> Result<Self, Error> {
        let mut found = Vec::new();
        if let Some((mut table, _)) = feed.table("agency.txt")? {
            let (id, name) = (table.column("agency_id"), table.column("agency_name"));
            while let Some(row) = table.next()? {
                found.push([row.text(id).to_owned(), row.text(name).to_owned()]);
            }
        }
        Ok(Self(found))
    }

    /// The id and the name of a route's agency. Where there is only one, a route need not say that it is its own.
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

/// The long name is for people; the short one goes before it unless it is in it already.
fn name_of(short: &str, long: &str, id: &str) -> String {
    match (short, long) {
        ("", "") => id.to_owned(),
        ("", only) | (only, "") => only.to_owned(),
        (short, long) if long.split_whitespace().any(|word| word == short) => long.to_owned(),
        (short, long) => format!("{short} {long}"),
    }
}
