//! The cheapest way of one link over the grid: A* over nodes and directions, with costs for length, bends and what is in the way.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::board::{BODY, Board, Node, back, turn};

/// What bends cost, by the sharpness of the turn in eighths of a circle, in units of a step along an axis.
pub(crate) const BENDS: [f32; 5] = [0.0, 5.0, 9.0, 30.0, 1_000.0];
/// A step along a diagonal.
const DIAGONAL: f32 = std::f32::consts::SQRT_2;

/// Where a way may begin or end: a node of a body, the direction of its port, and what choosing it costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) node: Node,
    pub(crate) direction: usize,
    pub(crate) cost: f32,
}

/// What the way may do.
pub(crate) struct Terms<'a> {
    pub(crate) starts: &'a [Gate],
    pub(crate) ends: &'a [Gate],
    /// A factor on the cost of bends.
    pub(crate) weight: f32,
    /// Ways that cost this much or more are of no use.
    pub(crate) limit: f32,
    /// What sharing a node or crossing another way costs; infinite when it may not be.
    pub(crate) sharing: f32,
    /// What each way on a neighbouring node costs.
    pub(crate) company: f32,
    /// An extra cost of each node, for ways that should follow a trace or avoid quarrels of the past.
    pub(crate) extra: Option<&'a dyn Fn(Node) -> f32>,
    /// How far around both ends a way may go.
    pub(crate) margin: i32,
}

/// A found way: from the start's body node to the end's.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) path: Vec<Node>,
    pub(crate) cost: f32,
}

#[derive(Clone, Copy, PartialEq)]
struct Open {
    estimate: f32,
    cost: f32,
    state: u32,
}

impl Eq for Open {}

impl Ord for Open {
    /// The cheapest first; of equals the one with the higher number, so that the order is fixed.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .estimate
            .total_cmp(&self.estimate)
            .then(self.cost.total_cmp(&other.cost))
            .then(self.state.cmp(&other.state))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A router with its scratch memory.
#[derive(Default)]
pub(crate) struct Router {
    best: Vec<f32>,
    from: Vec<u8>,
    stamps: Vec<u32>,
    stamp: u32,
    open: BinaryHeap<Open>,
}

/// The best way so far.
#[derive(Clone, Copy)]
struct Found {
    cost: f32,
    last: Last,
    end: Node,
}

/// What lies before the end of a way.
#[derive(Clone, Copy)]
enum Last {
    /// The start itself: a single step.
    Start(Node),
    /// A state of the search.
    State(u32),
}

/// Stands for the direction of arrival where a way begins.
const FROM_START: u8 = 8;

/// The part of the board that a search looks at.
#[derive(Clone, Copy)]
struct Frame {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "states of a frame fit into 32 bits"
)]
impl Frame {
    fn around(board: &Board, terms: &Terms<'_>) -> Self {
        let nodes = || terms.starts.iter().chain(terms.ends).map(|gate| gate.node);
        let left = (nodes().map(|n| n.x).min().unwrap_or(0) - terms.margin).max(0);
        let top = (nodes().map(|n| n.y).min().unwrap_or(0) - terms.margin).max(0);
        let right = (nodes().map(|n| n.x).max().unwrap_or(0) + terms.margin).min(board.width - 1);
        let bottom = (nodes().map(|n| n.y).max().unwrap_or(0) + terms.margin).min(board.height - 1);
        Self { left, top, width: right - left + 1, height: bottom - top + 1 }
    }

    fn states(self) -> usize {
        (self.width * self.height * 8) as usize
    }

    fn holds(self, node: Node) -> bool {
        node.x >= self.left && node.y >= self.top && node.x < self.left + self.width && node.y < self.top + self.height
    }

    fn state(self, node: Node, direction: usize) -> u32 {
        (((node.y - self.top) * self.width + node.x - self.left) * 8) as u32 + direction as u32
    }

    fn node(self, state: u32) -> (Node, usize) {
        let at = (state / 8) as i32;
        (Node { x: self.left + at % self.width, y: self.top + at / self.width }, (state % 8) as usize)
    }
}

impl Router {
    /// The cheapest way that keeps the terms, if there is one.
    pub(crate) fn find(&mut self, board: &Board, terms: &Terms<'_>) -> Option<Way> {
        let frame = Frame::around(board, terms);
        if self.best.len() < frame.states() {
            self.best.resize(frame.states(), 0.0);
            self.from.resize(frame.states(), 0);
            self.stamps.resize(frame.states(), 0);
        }
        self.stamp += 1;
        self.open.clear();
        let mut found: Option<Found> = None;
        for start in terms.starts {
            if let Some(end) = straight_in(start, terms.ends) {
                let cost = step_cost(start.direction) + start.cost + end.cost;
                let best = found.map_or(terms.limit, |found| found.cost);
                if cost < best && board.crossed(start.node, start.direction) == 0 {
                    found = Some(Found { cost, last: Last::Start(start.node), end: end.node });
                }
                continue;
            }
            self.push(board, terms, frame, start.node, start.direction, start.cost, FROM_START);
        }
        let mut best_end = found.map_or(terms.limit, |found| found.cost);
        while let Some(Open { estimate, cost, state }) = self.open.pop() {
            if estimate >= best_end {
                break;
            }
            if cost > self.best[state as usize] {
                continue;
            }
            let (node, direction) = frame.node(state);
            for end in terms.ends {
                if end.node.step(end.direction) != node {
                    continue;
                }
                let into = back(end.direction);
                let crossed = board.crossed(node, into);
                let mut total = cost + step_cost(into) + BENDS[turn(direction, into)] * terms.weight + end.cost;
                if crossed > 0 {
                    total += terms.sharing * f32::from(crossed);
                }
                if total < best_end {
                    best_end = total;
                    found = Some(Found { cost: total, last: Last::State(state), end: end.node });
                }
            }
            for next in 0..8 {
                let sharp = turn(direction, next);
                if sharp <= 2 {
                    self.push(
                        board,
                        terms,
                        frame,
                        node,
                        next,
                        cost + BENDS[sharp] * terms.weight,
                        u8::try_from(direction).unwrap_or(FROM_START),
                    );
                }
            }
        }
        let found = found?;
        Some(Way { path: self.trace(frame, found), cost: found.cost })
    }

    #[expect(clippy::too_many_arguments, reason = "one step of the search, with all that it depends on")]
    fn push(
        &mut self,
        board: &Board,
        terms: &Terms<'_>,
        frame: Frame,
        from: Node,
        direction: usize,
        so_far: f32,
        came: u8,
    ) {
        let node = from.step(direction);
        if !frame.holds(node) {
            return;
        }
        let taken = board.nodes[board.at(node)];
        if taken >= BODY {
            return;
        }
        if !direction.is_multiple_of(2) && cuts_corner(board, from, node) {
            return;
        }
        let others = taken + board.crossed(from, direction);
        let mut cost = so_far + step_cost(direction);
        if others > 0 {
            cost += terms.sharing * f32::from(others);
        }
        if terms.company > 0.0 {
            cost += terms.company * f32::from(board.company(node, reach(terms.company)).min(3));
        }
        if let Some(extra) = terms.extra {
            cost += extra(node);
        }
        if cost >= terms.limit {
            return;
        }
        let state = frame.state(node, direction);
        let at = state as usize;
        if self.stamps[at] == self.stamp && self.best[at] <= cost {
            return;
        }
        self.stamps[at] = self.stamp;
        self.best[at] = cost;
        self.from[at] = came;
        let ahead = terms.ends.iter().map(|end| octile(node, end.node) + end.cost).fold(f32::MAX, f32::min);
        self.open.push(Open { estimate: cost + ahead, cost, state });
    }

    /// Walks back from the last state to the start.
    fn trace(&self, frame: Frame, found: Found) -> Vec<Node> {
        let mut path = vec![found.end];
        let mut state = match found.last {
            Last::Start(start) => return vec![start, found.end],
            Last::State(state) => state,
        };
        loop {
            let (node, direction) = frame.node(state);
            path.push(node);
            let before = node.step(back(direction));
            match self.from[state as usize] {
                FROM_START => {
                    path.push(before);
                    path.reverse();
                    return path;
                }
                came => state = frame.state(before, usize::from(came)),
            }
        }
    }
}

/// How far a way looks around for others: one that minds them much looks farther.
pub(crate) fn reach(company: f32) -> i32 {
    if company > 1.5 { 3 } else { 1 }
}

/// Whether a diagonal step passes close by a body, so that its mark would cover it.
fn cuts_corner(board: &Board, from: Node, to: Node) -> bool {
    [Node { x: from.x, y: to.y }, Node { x: to.x, y: from.y }]
        .into_iter()
        .any(|node| board.holds(node) && board.nodes[board.at(node)] >= BODY)
}

fn straight_in<'a>(start: &Gate, ends: &'a [Gate]) -> Option<&'a Gate> {
    let node = start.node.step(start.direction);
    ends.iter().find(|end| end.node == node && end.direction == back(start.direction))
}

fn step_cost(direction: usize) -> f32 {
    if direction.is_multiple_of(2) { 1.0 } else { DIAGONAL }
}

/// The length of the shortest way in eight directions.
pub(crate) fn octile(a: Node, b: Node) -> f32 {
    let (dx, dy) = ((a.x - b.x).abs(), (a.y - b.y).abs());
    #[expect(clippy::cast_precision_loss, reason = "distances on the grid are small")]
    let (long, short) = (dx.max(dy) as f32, dx.min(dy) as f32);
    long + (DIAGONAL - 1.0) * short
}

/// The length of a way along the grid.
pub(crate) fn length(path: &[Node]) -> f32 {
    path.windows(2).map(|pair| step_cost(pair[0].direction_to(pair[1]))).sum()
}
