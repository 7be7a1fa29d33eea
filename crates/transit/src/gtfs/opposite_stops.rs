//! Determines which stops are the two sides of a street: those at which one route calls on its ways there and back.
//!
//! Neither names nor transfers need to say so. Feeds of buses often number their stops, each by itself.

use std::collections::BTreeMap;

use super::{patterns::Patterns, stations::Place, walks::Pairs};
use crate::geo::LatLon;

/// Opposite stops are no farther from each other than this.
const MAX_DISTANCE_M: f64 = 100.0;
/// And than this if one trip calls at both: the two ways of a one-way loop may be a block apart.
const MAX_DISTANCE_OF_ONE_TRIP_M: f64 = 50.0;
/// Nor farther than this part of the way from either to the nearest stop before or after it.
const MAX_SHARE_OF_WAY: f64 = 0.5;
/// The cosine above which two directions of travel are not opposite: 120 degrees.
const MAX_COSINE: f64 = -0.5;

/// How one route calls at a place.
#[derive(Debug)]
struct Call {
    /// The sum of the unit vectors of travel, to the east and to the north, of all patterns.
    travel: (f64, f64),
    /// The patterns that call here, in the order of their numbers.
    patterns: Vec<usize>,
    /// The distance to the nearest stop before or after this one.
    way: f64,
}

/// The pairs of places that are opposite stops: of the stops of a route, each is the nearest to the other at which the
/// route calls in the opposite direction. Nearer pairs come first.
pub(super) fn pairs(places: &[Place], patterns: &Patterns) -> Vec<(usize, usize)> {
    let mut nearest: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
    for calls in calls_by_route(places, patterns).values() {
        let calls: Vec<(usize, &Call)> =
            calls.iter().map(|(at, call)| (*at, call)).filter(|(at, _)| !places[*at].has_platforms).collect();
        for (at, (a, one)) in calls.iter().enumerate() {
            for (b, other) in &calls[at + 1..] {
                let metres = places[*a].position.metres_to(places[*b].position);
                let most = if one.shares_a_trip(other) { MAX_DISTANCE_OF_ONE_TRIP_M } else { MAX_DISTANCE_M };
                let limit = most.min(MAX_SHARE_OF_WAY * one.way.min(other.way));
                if metres <= limit && one.is_opposite(other) {
                    for (from, to) in [(*a, *b), (*b, *a)] {
                        let known = nearest.entry(from).or_insert((metres, to));
                        if (metres, to) < *known {
                            *known = (metres, to);
                        }
                    }
                }
            }
        }
    }
    let is_mutual = |(a, (_, b)): &(&usize, &(f64, usize))| **a < *b && nearest[b].1 == **a;
    let mut found: Vec<_> = nearest.iter().filter(is_mutual).map(|(a, (metres, b))| (*metres, *a, *b)).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    found.into_iter().map(|(_, a, b)| (a, b)).collect()
}

/// The pairs of places at which a trip calls one directly after the other.
pub(super) fn successive(patterns: &Patterns) -> Pairs {
    let calls = patterns.keys().flat_map(|(_, calls)| calls.windows(2));
    calls.map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect()
}

fn calls_by_route(places: &[Place], patterns: &Patterns) -> BTreeMap<usize, BTreeMap<usize, Call>> {
    let mut routes: BTreeMap<usize, BTreeMap<usize, Call>> = BTreeMap::new();
    for (number, (route, calls)) in patterns.keys().enumerate() {
        let route = routes.entry(*route).or_default();
        for (at, &place) in calls.iter().enumerate() {
            let here = places[place].position;
            let before = at.checked_sub(1).map(|before| places[calls[before]].position);
            let after = calls.get(at + 1).map(|after| places[*after].position);
            let call =
                route.entry(place).or_insert(Call { travel: (0.0, 0.0), patterns: Vec::new(), way: f64::INFINITY });
            let (east, north) = direction(before.unwrap_or(here), after.unwrap_or(here));
            call.travel = (call.travel.0 + east, call.travel.1 + north);
            call.patterns.push(number);
            for other in [before, after].into_iter().flatten() {
                call.way = call.way.min(here.metres_to(other));
            }
        }
    }
    routes
}

/// The unit vector from one position to another; none if they are the same.
fn direction(from: LatLon, to: LatLon) -> (f64, f64) {
    let (east, north) = from.offset_to(to);
    let length = east.hypot(north);
    if length > 0.0 { (east / length, north / length) } else { (0.0, 0.0) }
}

impl Call {
    /// Whether the route calls here in the opposite direction. It does not at a stop that both directions share.
    fn is_opposite(&self, other: &Self) -> bool {
        let lengths = [self, other].map(|call| call.travel.0.hypot(call.travel.1));
        let product = self.travel.0 * other.travel.0 + self.travel.1 * other.travel.1;
        // A stop of both directions has no direction: its vectors cancel each other.
        let are_directed = [self, other].iter().zip(lengths).all(|(call, length)| 2.0 * length > call.count());
        are_directed && product <= MAX_COSINE * lengths[0] * lengths[1]
    }

    fn shares_a_trip(&self, other: &Self) -> bool {
        self.patterns.iter().any(|pattern| other.patterns.binary_search(pattern).is_ok())
    }

    #[expect(clippy::cast_precision_loss, reason = "no feed has so many patterns")]
    fn count(&self) -> f64 {
        self.patterns.len() as f64
    }
}
