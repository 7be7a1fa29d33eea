//! Shortens long corridors by moving a part of the map by one step, whatever its outline.
//!
//! A seam moves everything behind a line through the whole map, and only where every corridor on its way runs straight
//! across it. A shift moves any set of junctions and path nodes one step in one direction. Which set is best is a
//! minimum cut: nodes that would collide with a neighbour take it along, a corridor between a moved and an unmoved node
//! becomes a step shorter or longer, and bends that this makes or removes count.

use crate::{
    grid_layout::GridLayout,
    min_cut::{Choices, FORBIDDEN},
    movables::{Movables, ZERO, length, minus, plus, replaced, steps_around},
    routing_grid::{GridNode, RoutingGrid, turn_angle},
    shift_costs::{Gain, gains},
    topology::bend_weight,
};

/// The directions of shifts. The opposite ones are shifts of everything else.
pub(crate) const DIRECTIONS: [GridNode; 4] =
    [GridNode { x: 1, y: 0 }, GridNode { x: 0, y: 1 }, GridNode { x: 1, y: 1 }, GridNode { x: 1, y: -1 }];

/// A longer corridor costs this much more than a shorter one gains, so that nothing moves in vain.
const MOVE_COST: f32 = 0.02;
/// The cost of a longer walk.
const WALK_LOSS: f32 = 4.0;
/// Nodes between which a step would cost more than this move together, which makes the cut smaller.
const RIGID: f32 = 8.0;
/// The cost of each cell of a label without room on one side.
const LABEL_COST: f32 = 0.5;
/// A shift with less gain is not worth it.
const MIN_GAIN: f32 = 0.4;
/// Costs are counted in hundredths.
const SCALE: f32 = 100.0;

/// What is at a free node of the grid.
const NOTHING: u32 = u32::MAX;

/// A label on the grid: the corners of its cells, and the node of its station.
pub(crate) struct LabelCells {
    pub(crate) low: GridNode,
    pub(crate) high: GridNode,
    pub(crate) station: GridNode,
    /// What its room costs more than that of others.
    pub(crate) stiffness: f32,
}

/// A set of junctions and path nodes that moves by one step.
pub(crate) struct Shift {
    by: GridNode,
    moves: Vec<bool>,
    movables: Movables,
}

fn hundredths(cost: f32) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "costs are small")]
    let rounded = (cost.clamp(-1.0e6, 1.0e6) * SCALE).round() as i64;
    rounded
}

/// The choice of what moves in one direction.
struct Problem<'a> {
    layout: &'a GridLayout<'a>,
    by: GridNode,
    movables: Movables,
    /// What is at each node of the grid.
    owners: Vec<u32>,
    /// The movable with which each one moves.
    together: Vec<usize>,
    /// What it costs if the first moves and the second does not, and the other way round.
    pairs: Vec<(usize, usize, i64, i64)>,
    forbidden: Vec<usize>,
    forced: Vec<usize>,
}

/// The shift in a direction with the largest gain, if one is worth it.
pub(crate) fn find(layout: &GridLayout<'_>, by: GridNode, labels: &[LabelCells], penalties: &[f32]) -> Option<Shift> {
    let mut problem = Problem::of(layout, by);
    let gains = gains(layout);
    for corridor in 0..layout.paths.len() {
        problem.add_path(corridor, gains[corridor], penalties[corridor]);
    }
    problem.add_neighbours();
    problem.add_labels(labels);
    problem.solve(hundredths(MIN_GAIN)).map(|(shift, _)| shift)
}

/// The cheapest shift in a direction that moves some nodes and keeps others where they are, with its cost.
pub(crate) fn find_between(
    layout: &GridLayout<'_>,
    by: GridNode,
    labels: &[LabelCells],
    (stay, go): (&[GridNode], &[GridNode]),
) -> Option<(Shift, f32)> {
    let mut problem = Problem::of(layout, by);
    for (corridor, gain) in gains(layout).into_iter().enumerate() {
        problem.add_path(corridor, gain, 0.0);
    }
    problem.add_neighbours();
    problem.add_labels(labels);
    let owners = |nodes: &[GridNode]| nodes.iter().filter_map(|node| problem.owner(*node)).collect::<Vec<usize>>();
    let (stay, go) = (owners(stay), owners(go));
    if stay.is_empty() || go.is_empty() {
        return None;
    }
    problem.forbidden.extend(stay);
    problem.forced = go;
    problem.solve(i64::MIN)
}

impl<'a> Problem<'a> {
    fn of(layout: &'a GridLayout<'a>, by: GridNode) -> Self {
        let movables = Movables::of(layout);
        let mut owners = vec![NOTHING; layout.grid.nodes.len()];
        let id = |at: usize| u32::try_from(at).unwrap_or(NOTHING);
        for junction in 0..layout.positions.len() {
            for node in layout.footprints[junction].nodes(layout.positions[junction]) {
                owners[layout.grid.index(node)] = id(junction);
            }
        }
        for (corridor, path) in layout.paths.iter().enumerate() {
            let Some(path) = path else { continue };
            for at in 1..path.len() - 1 {
                owners[layout.grid.index(path[at])] = id(movables.at(layout, corridor, at, path.len()));
            }
        }
        let together = (0..movables.count).collect();
        Self { layout, by, movables, owners, together, pairs: Vec::new(), forbidden: Vec::new(), forced: Vec::new() }
    }

    fn owner(&self, node: GridNode) -> Option<usize> {
        let there = if self.layout.grid.contains(node) { self.owners[self.layout.grid.index(node)] } else { NOTHING };
        (there != NOTHING).then_some(there as usize)
    }

    fn root(&self, mut at: usize) -> usize {
        while self.together[at] != at {
            at = self.together[at];
        }
        at
    }

    /// What shorter and longer steps of a path cost.
    fn add_path(&mut self, corridor: usize, gain: Gain, penalty: f32) {
        let layout = self.layout;
        let Some(path) = &layout.paths[corridor] else { return };
        let here = &layout.topology.corridors[corridor];
        let loss = if here.walk.is_some() { WALK_LOSS } else { gain.step + MOVE_COST };
        for at in 0..path.len() - 1 {
            let (step, around) = (minus(path[at + 1], path[at]), steps_around(path, at));
            let cost = |apart: GridNode| {
                let (steps, bends) = replaced(step, apart, around)?;
                let grown = steps.iter().map(|step| length(*step)).sum::<f32>() - length(step);
                let by_length = grown * if grown < 0.0 { gain.step } else { loss };
                let is_possible = grown > -0.1 || gain.may_shrink;
                is_possible.then_some(by_length + bends * bend_weight(here.lines.len()) + penalty)
            };
            let costs = [cost(minus(ZERO, self.by)), cost(self.by)];
            let of = |node: usize| self.movables.at(layout, corridor, node, path.len());
            let (first, second) = (of(at), of(at + 1));
            if costs.iter().all(|cost| cost.is_none_or(|cost| cost > RIGID)) {
                let (a, b) = (self.root(first), self.root(second));
                self.together[a.max(b)] = a.min(b);
            } else {
                let [back, onward] = costs.map(|cost| cost.map_or(FORBIDDEN, hundredths));
                self.pairs.push((first, second, back, onward));
            }
        }
    }

    /// Nothing moves onto its neighbours, or past them.
    fn add_neighbours(&mut self) {
        let layout = self.layout;
        for junction in 0..layout.positions.len() {
            for node in layout.footprints[junction].nodes(layout.positions[junction]) {
                let leads_to = |to: GridNode| {
                    layout.ends_at(junction).any(|end| {
                        let Some(path) = &layout.paths[end.corridor] else { return false };
                        let last = path.len() - 1;
                        let (start, next) = if end.first { (0, 1) } else { (last, last - 1) };
                        path[start] == node && path[next] == to
                    })
                };
                self.keep_apart(node, junction, leads_to(plus(node, self.by)));
                self.keep_bodies_apart(node, junction);
            }
        }
        for (corridor, path) in layout.paths.iter().enumerate() {
            let Some(path) = path else { continue };
            for at in 1..path.len() - 1 {
                let to = plus(path[at], self.by);
                let own = self.movables.at(layout, corridor, at, path.len());
                self.keep_apart(path[at], own, path[at - 1] == to || path[at + 1] == to);
            }
        }
    }

    /// What is at the next node moves along, unless the path leads there: then it becomes shorter.
    fn keep_apart(&mut self, node: GridNode, own: usize, leads_there: bool) {
        let to = plus(node, self.by);
        if !self.layout.grid.contains(plus(to, self.by)) {
            self.forbidden.push(own);
        }
        if let Some(other) = self.owner(to).filter(|_| !leads_there) {
            self.pairs.push((own, other, FORBIDDEN, 0));
        }
        if self.by.x != 0 && self.by.y != 0 {
            // A diagonal way leads between two nodes.
            for beside in [GridNode { x: to.x, y: node.y }, GridNode { x: node.x, y: to.y }] {
                if let Some(other) = self.owner(beside) {
                    self.pairs.push((own, other, FORBIDDEN, 0));
                }
            }
        }
    }

    /// A junction keeps a node between itself and the next.
    fn keep_bodies_apart(&mut self, node: GridNode, junction: usize) {
        let to = plus(node, self.by);
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| GridNode { x: dx, y: dy }));
        for other in around.filter_map(|offset| self.owner(plus(to, offset))).collect::<Vec<usize>>() {
            if other < self.layout.positions.len() {
                self.pairs.push((junction, other, FORBIDDEN, 0));
            }
        }
    }

    /// Labels move with their stations, and need the room that they have.
    fn add_labels(&mut self, labels: &[LabelCells]) {
        let mut covered = vec![NOTHING; if labels.is_empty() { 0 } else { self.owners.len() }];
        let mut cells = Vec::new();
        for label in labels {
            let Some(own) = self.owner(label.station) else { continue };
            let rows = label.low.y..=label.high.y;
            for at in rows.flat_map(|y| (label.low.x..=label.high.x).map(move |x| GridNode { x, y })) {
                if self.layout.grid.contains(at) && self.owner(at).is_none() {
                    covered[self.layout.grid.index(at)] = u32::try_from(own).unwrap_or(NOTHING);
                    cells.push((at, own, hundredths(LABEL_COST * label.stiffness)));
                }
            }
        }
        for (at, own, cost) in cells {
            let (ahead, behind) = (plus(at, self.by), minus(at, self.by));
            if let Some(path) = self.owner(behind) {
                self.pairs.push((path, own, cost, 0));
            }
            if let Some(path) = self.owner(ahead) {
                self.pairs.push((own, path, cost, 0));
            } else if self.layout.grid.contains(ahead) && covered[self.layout.grid.index(ahead)] != NOTHING {
                self.pairs.push((own, covered[self.layout.grid.index(ahead)] as usize, cost, 0));
            }
        }
    }

    fn solve(self, least: i64) -> Option<(Shift, f32)> {
        let roots: Vec<usize> = (0..self.movables.count).map(|at| self.root(at)).collect();
        let mut numbers = vec![usize::MAX; roots.len()];
        let mut count = 0;
        for (at, root) in roots.iter().enumerate() {
            // The root of a set is its first member.
            if *root == at {
                numbers[at] = count;
                count += 1;
            }
        }
        let number = |at: usize| numbers[roots[at]];
        let mut pairs: Vec<(usize, usize, i64, i64)> = self
            .pairs
            .iter()
            .map(|&(a, b, first_only, second_only)| (number(a), number(b), first_only, second_only))
            .filter(|(a, b, _, _)| a != b)
            .collect();
        pairs.sort_unstable();
        pairs.dedup_by(|later, earlier| {
            let is_same = later.2 == FORBIDDEN && (later.0, later.1, later.3) == (earlier.0, earlier.1, earlier.3);
            is_same && earlier.2 == FORBIDDEN
        });
        let mut choices = Choices::new(count);
        for (a, b, first_only, second_only) in pairs {
            choices.add_both(a, b, first_only, second_only);
        }
        for &at in &self.forbidden {
            choices.forbid(number(at));
        }
        for &at in &self.forced {
            choices.force(number(at));
        }
        let (moves, gain) = choices.solve();
        let moves: Vec<bool> = (0..roots.len()).map(|at| moves[number(at)]).collect();
        let is_possible = self.forced.iter().all(|&at| moves[at]) && !self.forbidden.iter().any(|&at| moves[at]);
        let forced = i64::try_from(self.forced.len()).unwrap_or(0) * FORBIDDEN;
        let gain = gain - forced;
        #[expect(clippy::cast_precision_loss, reason = "costs are small")]
        let cost = -gain as f32 / SCALE;
        (is_possible && gain >= least && gain > -FORBIDDEN / 2)
            .then_some((Shift { by: self.by, moves, movables: self.movables }, cost))
    }
}

impl Shift {
    /// The corridors that become shorter or longer.
    pub(crate) fn changed(&self, layout: &GridLayout<'_>) -> Vec<usize> {
        let changes = |corridor: usize, nodes: usize| {
            let moves = |at: usize| self.moves[self.movables.at(layout, corridor, at, nodes)];
            (1..nodes).any(|at| moves(at - 1) != moves(at))
        };
        let is_changed = |at: &usize| layout.paths[*at].as_ref().is_some_and(|path| changes(*at, path.len()));
        (0..layout.paths.len()).filter(is_changed).collect()
    }

    /// Moves everything. Returns whether all paths are still apart and smooth; if not, the caller goes back.
    pub(crate) fn apply(&self, layout: &mut GridLayout<'_>) -> bool {
        let mut paths = Vec::with_capacity(layout.paths.len());
        for (corridor, path) in layout.paths.iter().enumerate() {
            let moved = path.as_ref().map(|path| self.moved_path(layout, corridor, path));
            if matches!(moved, Some(None)) {
                return false;
            }
            paths.push(moved.flatten());
        }
        layout.grid = RoutingGrid::new(layout.grid.width, layout.grid.height);
        for junction in 0..layout.positions.len() {
            let at = layout.positions[junction];
            layout.place_footprint(junction, if self.moves[junction] { plus(at, self.by) } else { at });
        }
        for path in paths.iter().flatten() {
            layout.grid.count_path(path, 1);
        }
        layout.paths = paths;
        layout.reset_targets();
        layout.paths.iter().flatten().all(|path| !layout.grid.conflicts(path))
    }

    fn moved_path(&self, layout: &GridLayout<'_>, corridor: usize, path: &[GridNode]) -> Option<Vec<GridNode>> {
        let moves = |at: usize| self.moves[self.movables.at(layout, corridor, at, path.len())];
        let mut here = if moves(0) { plus(path[0], self.by) } else { path[0] };
        let mut new = vec![here];
        for at in 0..path.len() - 1 {
            let step = minus(path[at + 1], path[at]);
            let apart = match (moves(at), moves(at + 1)) {
                (true, false) => minus(ZERO, self.by),
                (false, true) => self.by,
                _ => ZERO,
            };
            let steps = if apart == ZERO { vec![step] } else { replaced(step, apart, steps_around(path, at))?.0 };
            for step in steps {
                here = plus(here, step);
                new.push(here);
            }
        }
        let angle = |three: &[GridNode]| turn_angle(three[0].direction_to(three[1]), three[1].direction_to(three[2]));
        let is_smooth = new.windows(3).all(|three| angle(three) <= 2);
        (is_smooth && new.len() > 2 && new.iter().all(|node| layout.grid.contains(*node))).then_some(new)
    }
}
