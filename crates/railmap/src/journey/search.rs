//! The best way from one station to another: Dijkstra's algorithm.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};

use super::{Leg, Network, Order, network::Step, ride};

/// What a way must not use: lines by their indices, and walking as `None`.
pub(super) type Forbidden = BTreeSet<Option<usize>>;

/// What a way to a node costs, by the order: seconds before boardings, or boardings before seconds. Every boarding
/// costs a change, the first one too. All ways with a ride have a first one, so it does not change which of them is
/// the best.
type Cost = (u32, u32);

/// A node that has not been reached.
const NEVER: Cost = (u32::MAX, u32::MAX);

/// No node leads to this one.
const NOWHERE: usize = usize::MAX;

impl Network {
    /// The best way from one station to another that uses nothing forbidden; `None` if there is none.
    pub(super) fn best(&self, from: usize, to: usize, order: Order, forbidden: &Forbidden) -> Option<Vec<Leg>> {
        // Nodes in this order: at each station, ready at each station, after each ride, boarded on each platform. Who
        // has boarded rides, and not back to where the train came from: otherwise a train that goes nowhere would join
        // two walks.
        let stations = self.stations();
        let (ready, ridden) = (|station: usize| stations + station, |ride: usize| 2 * stations + ride);
        let boarded = |platform: usize| ridden(self.rides.len() + platform);
        let nodes = boarded(self.platforms.len());
        let goal = ready(to);
        let mut cost = vec![NEVER; nodes];
        let mut came_from = vec![NOWHERE; nodes];
        let mut queue = BinaryHeap::new();
        cost[from] = (0, 0);
        queue.push(Reverse((cost[from], from)));
        while let Some(Reverse((known, node))) = queue.pop() {
            if node == goal {
                return Some(self.legs(&came_from, goal));
            }
            if known > cost[node] {
                continue;
            }
            let mut step = |to: usize, seconds: u32, boardings: u32| {
                let more = match order {
                    Order::Time => (seconds, boardings),
                    Order::Transfers => (boardings, seconds),
                };
                let new = (known.0 + more.0, known.1 + more.1);
                if new < cost[to] {
                    cost[to] = new;
                    came_from[to] = node;
                    queue.push(Reverse((new, to)));
                }
            };
            if node < stations {
                step(ready(node), 0, 0);
                if !forbidden.contains(&None) {
                    self.walks(node).iter().for_each(|walk| step(ready(walk.to), walk.seconds, 0));
                }
            } else if node < 2 * stations {
                for at in self.platforms_of(node - stations) {
                    if !forbidden.contains(&Some(self.platforms[at].1)) {
                        step(boarded(at), ride::CHANGE, 1);
                    }
                }
            } else {
                let last = self.rides.get(node - ridden(0));
                let at = last.map_or_else(|| node - boarded(0), |ride| ride.step.to);
                if last.is_some() {
                    step(self.platforms[at].0, 0, 0);
                }
                for ride in self.rides_from(at) {
                    let next = self.rides[ride].step;
                    if last.is_none_or(|last| last.from != next.to) {
                        step(ridden(ride), next.seconds, 0);
                    }
                }
            }
        }
        None
    }

    /// The legs of the way that was found to a node.
    fn legs(&self, came_from: &[usize], goal: usize) -> Vec<Leg> {
        let stations = self.stations();
        let before = |node: &usize| Some(came_from[*node]).filter(|at| *at != NOWHERE);
        let mut nodes: Vec<usize> = std::iter::successors(Some(goal), before).collect();
        nodes.reverse();
        let mut legs: Vec<Leg> = Vec::new();
        for pair in nodes.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if from < stations && to - stations != from {
                let walk = self.walks(from).iter().find(|walk| walk.to == to - stations);
                legs.extend(walk.map(|walk| Leg::begin(None, from).and(walk.to, *walk)));
            } else if from < 2 * stations && to >= 2 * stations {
                let (station, line) = self.platforms[to - 2 * stations - self.rides.len()];
                legs.push(Leg::begin(Some(line), station));
            } else if to >= 2 * stations {
                let ride = self.rides[to - 2 * stations].step;
                let leg = legs.pop();
                legs.extend(leg.map(|leg| leg.and(self.platforms[ride.to].0, ride)));
            }
        }
        legs
    }
}

impl Leg {
    fn begin(line: Option<usize>, station: usize) -> Self {
        Self { line, stations: vec![station], seconds: 0, metres: 0 }
    }

    /// The leg with one more step.
    fn and(mut self, station: usize, step: Step) -> Self {
        self.stations.push(station);
        self.seconds += step.seconds;
        self.metres += step.metres;
        self
    }
}
