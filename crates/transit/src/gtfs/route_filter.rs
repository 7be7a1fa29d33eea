//! Selects routes of a feed, and checks that each requested agency and route exists.

use kaisatsu_model::TransportKind;

use super::service::ServiceProfile;
use crate::Error;

/// How many agencies an error message lists.
const EXAMPLES: usize = 12;

/// Which routes to import.
#[derive(Debug, Clone, Default)]
pub struct RouteFilter {
    /// Whether to import buses and trolleybuses, in addition to rail.
    pub buses: bool,
    /// Whether to import ferries.
    pub ships: bool,
    /// Import only the routes of these agencies, by id or name; all if empty.
    pub agencies: Vec<String>,
    /// Import only the routes with one of these ids or names; all if empty.
    pub routes: Vec<String>,
    /// Which of their trips to draw.
    pub service: ServiceProfile,
}

/// The names, agency and type of a route.
pub(super) struct RouteAttributes<'a> {
    pub(super) names: [&'a str; 4],
    /// The id and the name of its agency.
    pub(super) agency: [&'a str; 2],
    pub(super) route_type: u16,
}

/// A filter, with what each of its terms has matched so far.
pub(super) struct FilterMatcher<'a> {
    filter: &'a RouteFilter,
    agencies: Vec<bool>,
    routes: Vec<TermOutcome>,
}

#[derive(Debug, Clone)]
enum TermOutcome {
    Unmatched,
    /// The term matches a route that is excluded for this reason.
    Excluded(String),
    Included,
}

impl<'a> FilterMatcher<'a> {
    pub(super) fn of(filter: &'a RouteFilter) -> Self {
        let (agencies, routes) =
            (vec![false; filter.agencies.len()], vec![TermOutcome::Unmatched; filter.routes.len()]);
        Self { filter, agencies, routes }
    }

    /// The mode of transport of an included route, or the reason why it is excluded.
    pub(super) fn classify(&mut self, route: &RouteAttributes<'_>) -> Result<TransportKind, String> {
        let decision = self.decide(route);
        for (term, is_known) in self.filter.agencies.iter().zip(&mut self.agencies) {
            *is_known |= route.agency.contains(&term.as_str());
        }
        let terms_and_outcomes = self.filter.routes.iter().zip(&mut self.routes);
        for (_, outcome) in terms_and_outcomes.filter(|(term, _)| route.names.contains(&term.as_str())) {
            match (&decision, &outcome) {
                (Ok(_), _) => *outcome = TermOutcome::Included,
                (Err(reason), TermOutcome::Unmatched) => *outcome = TermOutcome::Excluded(reason.clone()),
                (Err(_), _) => {}
            }
        }
        decision
    }

    fn decide(&self, route: &RouteAttributes<'_>) -> Result<TransportKind, String> {
        let matches_any = |terms: &[String], names: &[&str]| {
            terms.is_empty() || terms.iter().any(|term| names.contains(&term.as_str()))
        };
        let number = route.route_type;
        match kind_of(number) {
            None => Err(format!("routes of a kind that is not drawn (route_type {number})")),
            Some(TransportKind::Bus) if !self.filter.buses => {
                Err(format!("routes of a kind that is not wanted (route_type {number}: take them with --buses)"))
            }
            Some(TransportKind::Ship) if !self.filter.ships => {
                Err(format!("routes of a kind that is not wanted (route_type {number}: take them with --ships)"))
            }
            Some(_) if !matches_any(&self.filter.agencies, &route.agency) => Err("routes of other agencies".to_owned()),
            Some(_) if !matches_any(&self.filter.routes, &route.names) => {
                Err("routes that were not asked for".to_owned())
            }
            Some(kind) => Ok(kind),
        }
    }

    /// Reports each term that matched no route.
    pub(super) fn check_all_matched<'b>(&self, agencies: impl Iterator<Item = &'b str>) -> Result<(), Error> {
        let mut messages = Vec::new();
        let unmatched = self.filter.agencies.iter().zip(&self.agencies).filter(|(_, is_known)| !**is_known);
        let known_agencies: Vec<&str> = agencies.take(EXAMPLES).collect();
        for (term, _) in unmatched {
            let hint = if known_agencies.is_empty() {
                String::new()
            } else {
                format!("; there is {}", known_agencies.join(", "))
            };
            messages.push(format!("no route is of an agency with the id or name '{term}'{hint}"));
        }
        for (term, outcome) in self.filter.routes.iter().zip(&self.routes) {
            match outcome {
                TermOutcome::Unmatched => messages.push(format!("no route has the id or name '{term}'")),
                TermOutcome::Excluded(reason) => messages.push(format!("route '{term}' is among the {reason}")),
                TermOutcome::Included => {}
            }
        }
        Error::from_all(messages.into_iter().map(|message| Error::file("routes.txt", message)).collect())
    }
}

/// The mode of transport of a `route_type`, from the GTFS reference and its extended route types.
fn kind_of(route_type: u16) -> Option<TransportKind> {
    match route_type {
        // Tram, subway, rail, cable tram, funicular and monorail, and the extended types of railway, suburban and urban
        // railway, metro, underground, tram and funicular services.
        0 | 1 | 2 | 5 | 7 | 12 | 100..=199 | 300..=699 | 900..=999 | 1400..=1499 => Some(TransportKind::Train),
        3 | 11 | 200..=299 | 700..=899 => Some(TransportKind::Bus),
        4 | 1000..=1099 | 1200..=1299 => Some(TransportKind::Ship),
        _ => None,
    }
}
