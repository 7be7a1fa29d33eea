//! Several ways through several places.
//!
//! The best way comes first. For another one, each line of a way that is known is forbidden in turn, and the best of
//! all ways so found comes next; its lines are forbidden in addition. So ways differ by a line, not by a stop, and
//! they come best first, because more forbidden lines never make a way better.

use std::collections::BTreeSet;

use super::{Course, Leg, Network, Order, search::Forbidden};

/// The most searches for one answer, each through all places.
const SEARCHES: usize = 40;

/// No way is listed that takes longer than twice the first one and these seconds.
const PATIENCE: u32 = 1200;

impl Network {
    /// Up to `most` ways through these stations, the best first; none if there is no way.
    ///
    /// The ways between the stations are the best ones each for itself. Who stays in the train at a station between
    /// does not change there.
    #[must_use]
    pub fn courses(&self, places: &[usize], order: Order, most: usize) -> Vec<Course> {
        let mut tried: BTreeSet<Forbidden> = BTreeSet::from([Forbidden::new()]);
        let mut open: Vec<(Course, Forbidden)> = Vec::new();
        open.extend(self.course(places, order, &Forbidden::new()).map(|best| (best, Forbidden::new())));
        let mut found: Vec<Course> = Vec::new();
        while found.len() < most {
            let next = (0..open.len()).min_by_key(|at| (open[*at].0.rank(order), &open[*at].1));
            let Some((course, forbidden)) = next.map(|at| open.swap_remove(at)) else { break };
            let slow = found.first().is_some_and(|first| course.seconds() > 2 * first.seconds() + PATIENCE);
            if !slow && !found.contains(&course) {
                found.push(course.clone());
            }
            if found.len() == most {
                break;
            }
            for used in course.legs.iter().map(|leg| leg.line) {
                let without: Forbidden = forbidden.iter().copied().chain([used]).collect();
                if tried.len() < SEARCHES && tried.insert(without.clone()) {
                    open.extend(self.course(places, order, &without).map(|course| (course, without)));
                }
            }
        }
        found.sort_by_key(|course| course.rank(order));
        found
    }

    /// The way through these stations that uses nothing forbidden.
    fn course(&self, places: &[usize], order: Order, forbidden: &Forbidden) -> Option<Course> {
        let mut legs: Vec<Leg> = Vec::new();
        for pair in places.windows(2) {
            for leg in self.ahead(pair[0], pair[1], order, forbidden)? {
                match legs.last_mut() {
                    Some(last) if goes_on(last, &leg) => {
                        last.stations.extend(&leg.stations[1..]);
                        last.seconds += leg.seconds;
                        last.metres += leg.metres;
                    }
                    _ => legs.push(leg),
                }
            }
        }
        (!legs.is_empty()).then_some(Course { legs })
    }

    /// The best way between two stations that does not come back to one where it left a train, which would only join
    /// two walks.
    fn ahead(&self, from: usize, to: usize, order: Order, forbidden: &Forbidden) -> Option<Vec<Leg>> {
        let mut forbidden = forbidden.clone();
        loop {
            let legs = self.best(from, to, order, &forbidden)?;
            let mut ends = vec![from];
            let back = legs.iter().find(|leg| {
                let end = leg.stations.last().copied().unwrap_or(from);
                let is_known = ends.contains(&end);
                ends.push(end);
                is_known
            });
            match back {
                Some(leg) => forbidden.insert(leg.line),
                None => return Some(legs),
            };
        }
    }
}

/// Whether a ride is the continuation of the one before: on the same line, and not back.
fn goes_on(last: &Leg, next: &Leg) -> bool {
    let before = last.stations.iter().rev().nth(1);
    last.line.is_some() && last.line == next.line && before != next.stations.get(1)
}
