//! Which routes of a feed somebody wants, and whether the feed has everything that was asked for by name.

use kaisatsu_model::TransportKind;

use crate::Error;

/// How many agencies of a feed are named to somebody who asked for another.
const EXAMPLES: usize = 12;

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

/// What a route is called, and of which kind it is.
pub(super) struct Candidate<'a> {
    pub(super) names: [&'a str; 4],
    /// The id and the name of its agency.
    pub(super) agency: [&'a str; 2],
    pub(super) route_type: u16,
}

/// The words of a choice, and what came of each so far.
pub(super) struct Asked<'a> {
    choice: &'a Choice,
    agencies: Vec<bool>,
    routes: Vec<Answer>,
}

#[derive(Debug, Clone)]
enum Answer {
    Unknown,
    /// There is such a route, but it is among those that are left out for this reason.
    LeftOut(String),
    Taken,
}

impl<'a> Asked<'a> {
    pub(super) fn of(choice: &'a Choice) -> Self {
        let (agencies, routes) = (vec![false; choice.agencies.len()], vec![Answer::Unknown; choice.routes.len()]);
        Self { choice, agencies, routes }
    }

    /// What runs on a route that is wanted, or which routes it is left out with.
    pub(super) fn judge(&mut self, route: &Candidate<'_>) -> Result<TransportKind, String> {
        let judged = self.verdict(route);
        for (word, is_known) in self.choice.agencies.iter().zip(&mut self.agencies) {
            *is_known |= route.agency.contains(&word.as_str());
        }
        let named = self.choice.routes.iter().zip(&mut self.routes);
        for (_, answer) in named.filter(|(word, _)| route.names.contains(&word.as_str())) {
            match (&judged, &answer) {
                (Ok(_), _) => *answer = Answer::Taken,
                (Err(reason), Answer::Unknown) => *answer = Answer::LeftOut(reason.clone()),
                (Err(_), _) => {}
            }
        }
        judged
    }

    fn verdict(&self, route: &Candidate<'_>) -> Result<TransportKind, String> {
        let asks = |words: &[String], names: &[&str]| {
            words.is_empty() || words.iter().any(|word| names.contains(&word.as_str()))
        };
        let number = route.route_type;
        match kind_of(number) {
            None => Err(format!("routes of a kind that is not drawn (route_type {number})")),
            Some(TransportKind::Bus) if !self.choice.buses => {
                Err(format!("routes of a kind that is not wanted (route_type {number}: take them with --buses)"))
            }
            Some(TransportKind::Ship) if !self.choice.ships => {
                Err(format!("routes of a kind that is not wanted (route_type {number}: take them with --ships)"))
            }
            Some(_) if !asks(&self.choice.agencies, &route.agency) => Err("routes of other agencies".to_owned()),
            Some(_) if !asks(&self.choice.routes, &route.names) => Err("routes that were not asked for".to_owned()),
            Some(kind) => Ok(kind),
        }
    }

    /// A word that chose nothing is a slip of the pen, also beside one that did.
    pub(super) fn all_found<'b>(&self, agencies: impl Iterator<Item = &'b str>) -> Result<(), Error> {
        let mut wrong = Vec::new();
        let unknown = self.choice.agencies.iter().zip(&self.agencies).filter(|(_, is_known)| !**is_known);
        let there: Vec<&str> = agencies.take(EXAMPLES).collect();
        for (word, _) in unknown {
            let hint = if there.is_empty() { String::new() } else { format!("; there is {}", there.join(", ")) };
            wrong.push(format!("no route is of an agency with the id or name '{word}'{hint}"));
        }
        for (word, answer) in self.choice.routes.iter().zip(&self.routes) {
            match answer {
                Answer::Unknown => wrong.push(format!("no route has the id or name '{word}'")),
                Answer::LeftOut(reason) => wrong.push(format!("route '{word}' is among the {reason}")),
                Answer::Taken => {}
            }
        }
        Error::from_all(wrong.into_iter().map(|message| Error::file("routes.txt", message)).collect())
    }
}

/// What runs on a route. The numbers are those of the reference and of its extension.
fn kind_of(route_type: u16) -> Option<TransportKind> {
    match route_type {
        // Trams, subways, railways, cable trams, funiculars, monorails; and the extended ones of railways, suburban and urban
        // railways, metros, undergrounds, trams, funiculars.
        0 | 1 | 2 | 5 | 7 | 12 | 100..=199 | 300..=699 | 900..=999 | 1400..=1499 => Some(TransportKind::Train),
        3 | 11 | 200..=299 | 700..=899 => Some(TransportKind::Bus),
        4 | 1000..=1099 | 1200..=1299 => Some(TransportKind::Ship),
        _ => None,
    }
}
