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
        // Nodes in this order: at each station, ready at each station, arrived on each platform, boarded on each
        // platform. Who has boarded rides: otherwise a train that goes nowhere would join two walks.
        let (stations, platforms) = (self.stations(), self.platforms.len());
        let (ready, arrived) = (|station: usize| stations + station, |platform: usize| 2 * stations + platform);
        let boarded = |platform: usize| arrived(platforms + platform);
        let nodes = boarded(platforms);
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
                let at = (node - 2 * stations) % platforms;
                if node < boarded(0) {
                    step(self.platforms[at].0, 0, 0);
                }
                self.rides(at).iter().for_each(|ride| step(arrived(ride.to), ride.seconds, 0));
            }
        }
        None
    }

    /// The legs of the way that was found to a node.
    fn legs(&self, came_from: &[usize], goal: usize) -> Vec<Leg> {
        let stations = self.stations();
        let platform = |node: usize| (node - 2 * stations) % self.platforms.len();
        let before = |node: &usize| Some(came_from[*node]).filter(|at| *at != NOWHERE);
        let mut nodes: Vec<usize> = std::iter::successors(Some(goal), before).collect();
        nodes.reverse();
        let mut legs: Vec<Leg> = Vec::new();
        for pair in nodes.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if from < stations && to - stations != from {
                let walk = step(self.walks(from), to - stations);
                legs.push(Leg::begin(None, from).and(to - stations, walk));
            } else if from < 2 * stations && to >= 2 * stations {
                let (station, line) = self.platforms[platform(to)];
                legs.push(Leg::begin(Some(line), station));
            } else if from >= 2 * stations && to >= 2 * stations {
                let ride = step(self.rides(platform(from)), platform(to));
                let leg = legs.pop();
                legs.extend(leg.map(|leg| leg.and(self.platforms[platform(to)].0, ride)));
            }
        }
        legs
    }
}

/// The seconds and metres of the step to a node.
fn step(steps: &[Step], to: usize) -> (u32, u32) {
    steps.iter().find(|step| step.to == to).map_or((0, 0), |step| (step.seconds, step.metres))
}

impl Leg {
    fn begin(line: Option<usize>, station: usize) -> Self {
        Self { line, stations: vec![station], seconds: 0, metres: 0 }
    }

    /// The leg with one more step.
    fn and(mut self, station: usize, (seconds, metres): (u32, u32)) -> Self {
        self.stations.push(station);
        self.seconds += seconds;
        self.metres += metres;
        self
    }
}
