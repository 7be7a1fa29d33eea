//! Finds the cheapest path of one corridor: A* over nodes and directions, with costs for length, bends and conflicts.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::routing_grid::{GridNode, OBSTACLE, RoutingGrid, opposite, turn_angle};

/// The cost of a bend by its angle in eighths of a circle. A horizontal or vertical step costs 1.
pub(crate) const BEND_COSTS: [f32; 5] = [0.0, 5.0, 9.0, 30.0, 1_000.0];
/// The cost of a diagonal step.
const DIAGONAL: f32 = std::f32::consts::SQRT_2;

/// A possible start or end of a path: a node of a footprint, the direction of a port, and the cost of using it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) node: GridNode,
    pub(crate) direction: usize,
    pub(crate) cost: f32,
}

/// The constraints of a path.
pub(crate) struct RouteRequest<'a> {
    pub(crate) starts: &'a [Terminal],
    pub(crate) ends: &'a [Terminal],
    /// The factor on the cost of bends.
    pub(crate) bend_weight: f32,
    /// Only cheaper paths are accepted.
    pub(crate) max_cost: f32,
    /// The cost of sharing a node with another path or crossing one; infinite if not allowed.
    pub(crate) conflict_cost: f32,
    /// The cost of each occupied neighbouring node.
    pub(crate) crowding_cost: f32,
    /// An additional cost of each node, to follow a relaxed path or to avoid earlier conflicts.
    pub(crate) node_cost: Option<&'a dyn Fn(GridNode) -> f32>,
    /// How far beyond the terminals the search extends.
    pub(crate) margin: i32,
}

/// A path from a node of the start's footprint to one of the end's, and its cost.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) path: Vec<GridNode>,
    pub(crate) cost: f32,
}

#[derive(Clone, Copy, PartialEq)]
struct OpenState {
    estimate: f32,
    cost: f32,
    state: u32,
}

impl Eq for OpenState {}

impl Ord for OpenState {
    /// Cheapest estimate first. Ties are broken by cost and state, so that the search is deterministic.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .estimate
            .total_cmp(&self.estimate)
            .then(self.cost.total_cmp(&other.cost))
            .then(self.state.cmp(&other.state))
    }
}

impl PartialOrd for OpenState {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A router, with memory that is reused between searches.
#[derive(Default)]
pub(crate) struct Router {
    best: Vec<f32>,
    from: Vec<u8>,
    stamps: Vec<u32>,
    stamp: u32,
    open: BinaryHeap<OpenState>,
    /// How many states all its searches have looked at: the effort so far, which is the same on every machine.
    pub(crate) effort: u64,
}

/// The best path so far.
#[derive(Clone, Copy)]
struct Found {
    cost: f32,
    last: Predecessor,
    end: GridNode,
}

/// What precedes the end of a path.
#[derive(Clone, Copy)]
enum Predecessor {
    /// The start: the path is a single step.
    Start(GridNode),
    /// A state of the search.
    State(u32),
}

/// The value for a state that follows the start.
const FROM_START: u8 = 8;

/// The part of the grid that is searched.
#[derive(Clone, Copy)]
struct SearchWindow {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the states of a search window fit into 32 bits"
)]
impl SearchWindow {
    fn around(grid: &RoutingGrid, request: &RouteRequest<'_>) -> Self {
        let nodes = || request.starts.iter().chain(request.ends).map(|terminal| terminal.node);
        let left = (nodes().map(|n| n.x).min().unwrap_or(0) - request.margin).max(0);
        let top = (nodes().map(|n| n.y).min().unwrap_or(0) - request.margin).max(0);
        let right = (nodes().map(|n| n.x).max().unwrap_or(0) + request.margin).min(grid.width - 1);
        let bottom = (nodes().map(|n| n.y).max().unwrap_or(0) + request.margin).min(grid.height - 1);
        Self { left, top, width: right - left + 1, height: bottom - top + 1 }
    }

    fn states(self) -> usize {
        (self.width * self.height * 8) as usize
    }

    fn contains(self, node: GridNode) -> bool {
        node.x >= self.left && node.y >= self.top && node.x < self.left + self.width && node.y < self.top + self.height
    }

    fn state(self, node: GridNode, direction: usize) -> u32 {
        (((node.y - self.top) * self.width + node.x - self.left) * 8) as u32 + direction as u32
    }

    fn node(self, state: u32) -> (GridNode, usize) {
        let at = (state / 8) as i32;
        (GridNode { x: self.left + at % self.width, y: self.top + at / self.width }, (state % 8) as usize)
    }
}

impl Router {
    /// The cheapest path that satisfies the request, if there is one.
    pub(crate) fn find(&mut self, grid: &RoutingGrid, request: &RouteRequest<'_>) -> Option<Route> {
        let window = SearchWindow::around(grid, request);
        if self.best.len() < window.states() {
            self.best.resize(window.states(), 0.0);
            self.from.resize(window.states(), 0);
            self.stamps.resize(window.states(), 0);
        }
        self.stamp += 1;
        self.open.clear();
        let mut found: Option<Found> = None;
        for start in request.starts {
            if let Some(end) = direct_terminal(start, request.ends) {
                let cost = step_cost(start.direction) + start.cost + end.cost;
                let best = found.map_or(request.max_cost, |found| found.cost);
                if cost < best && grid.crossed_diagonals(start.node, start.direction) == 0 {
                    found = Some(Found { cost, last: Predecessor::Start(start.node), end: end.node });
                }
                continue;
            }
            self.push(grid, request, window, start.node, start.direction, start.cost, FROM_START);
        }
        let mut best_end = found.map_or(request.max_cost, |found| found.cost);
        while let Some(OpenState { estimate, cost, state }) = self.open.pop() {
            self.effort += 1;
            if estimate >= best_end {
                break;
            }
            if cost > self.best[state as usize] {
                continue;
            }
            let (node, direction) = window.node(state);
            for end in request.ends {
                if end.node.step(end.direction) != node {
                    continue;
                }
                let into = opposite(end.direction);
                let crossed_diagonals = grid.crossed_diagonals(node, into);
                let mut total =
                    cost + step_cost(into) + BEND_COSTS[turn_angle(direction, into)] * request.bend_weight + end.cost;
                if crossed_diagonals > 0 {
                    total += request.conflict_cost * f32::from(crossed_diagonals);
                }
                if total < best_end {
                    best_end = total;
                    found = Some(Found { cost: total, last: Predecessor::State(state), end: end.node });
                }
            }
            for next in 0..8 {
                let angle = turn_angle(direction, next);
                if angle <= 2 {
                    self.push(
                        grid,
                        request,
                        window,
                        node,
                        next,
                        cost + BEND_COSTS[angle] * request.bend_weight,
                        u8::try_from(direction).unwrap_or(FROM_START),
                    );
                }
            }
        }
        let found = found?;
        Some(Route { path: self.trace(window, found), cost: found.cost })
    }

    #[expect(clippy::too_many_arguments, reason = "one step of the search, with all that it depends on")]
    fn push(
        &mut self,
        grid: &RoutingGrid,
        request: &RouteRequest<'_>,
        window: SearchWindow,
        from: GridNode,
        direction: usize,
        cost_so_far: f32,
        arrival: u8,
    ) {
        let node = from.step(direction);
        if !window.contains(node) {
            return;
        }
        let taken = grid.nodes[grid.index(node)];
        if taken >= OBSTACLE {
            return;
        }
        if !direction.is_multiple_of(2) && cuts_corner(grid, from, node) {
            return;
        }
        let others = taken + grid.crossed_diagonals(from, direction);
        let mut cost = cost_so_far + step_cost(direction);
        if others > 0 {
            cost += request.conflict_cost * f32::from(others);
        }
        if request.crowding_cost > 0.0 {
            cost += request.crowding_cost
                * f32::from(grid.occupied_neighbours(node, crowding_radius(request.crowding_cost)).min(3));
        }
        if let Some(node_cost) = request.node_cost {
            cost += node_cost(node);
        }
        if cost >= request.max_cost {
            return;
        }
        let state = window.state(node, direction);
        let at = state as usize;
        if self.stamps[at] == self.stamp && self.best[at] <= cost {
            return;
        }
        self.stamps[at] = self.stamp;
        self.best[at] = cost;
        self.from[at] = arrival;
        let ahead = request.ends.iter().map(|end| octile_distance(node, end.node) + end.cost).fold(f32::MAX, f32::min);
        self.open.push(OpenState { estimate: cost + ahead, cost, state });
    }

    /// Follows the predecessors back from the last state to the start.
    fn trace(&self, window: SearchWindow, found: Found) -> Vec<GridNode> {
        let mut path = vec![found.end];
        let mut state = match found.last {
            Predecessor::Start(start) => return vec![start, found.end],
            Predecessor::State(state) => state,
        };
        loop {
            let (node, direction) = window.node(state);
            path.push(node);
            let before = node.step(opposite(direction));
            match self.from[state as usize] {
                FROM_START => {
                    path.push(before);
                    path.reverse();
                    return path;
                }
                arrival => state = window.state(before, usize::from(arrival)),
            }
        }
    }
}

/// The radius in which occupied nodes are counted. A corridor with a high crowding cost looks farther.
pub(crate) fn crowding_radius(crowding_cost: f32) -> i32 {
    if crowding_cost > 1.5 { 3 } else { 1 }
}

/// Whether a diagonal step passes the corner of a footprint, so that the station's mark would cover it.
fn cuts_corner(grid: &RoutingGrid, from: GridNode, to: GridNode) -> bool {
    [GridNode { x: from.x, y: to.y }, GridNode { x: to.x, y: from.y }]
        .into_iter()
        .any(|node| grid.contains(node) && grid.nodes[grid.index(node)] >= OBSTACLE)
}

fn direct_terminal<'a>(start: &Terminal, ends: &'a [Terminal]) -> Option<&'a Terminal> {
    let node = start.node.step(start.direction);
    ends.iter().find(|end| end.node == node && end.direction == opposite(start.direction))
}

fn step_cost(direction: usize) -> f32 {
    if direction.is_multiple_of(2) { 1.0 } else { DIAGONAL }
}

/// The octile distance: the length of the shortest path in eight directions.
pub(crate) fn octile_distance(a: GridNode, b: GridNode) -> f32 {
    let (dx, dy) = ((a.x - b.x).abs(), (a.y - b.y).abs());
    #[expect(clippy::cast_precision_loss, reason = "distances on the grid are small")]
    let (long, short) = (dx.max(dy) as f32, dx.min(dy) as f32);
    long + (DIAGONAL - 1.0) * short
}

/// The length of a path on the grid.
pub(crate) fn path_length(path: &[GridNode]) -> f32 {
    path.windows(2).map(|pair| step_cost(pair[0].direction_to(pair[1]))).sum()
}
