//! The layout on the grid: the position of each junction, and the ports and the path of each corridor.
//!
//! The layout preserves the embedding if every corridor has a path, no two paths share a node or cross, and the ports
//! of each junction follow its rotation. All changes are made through this type.

use crate::{
    dimensions::STEPS_PER_STATION,
    faces::Faces,
    footprint::{Footprint, Port},
    router::{BEND_COSTS, Route, RouteRequest, Router, Terminal, crowding_radius, octile_distance, path_length},
    routing_grid::{GridNode, OBSTACLE, RoutingGrid, opposite, turn_angle},
    topology::{CorridorEnd, Topology, bend_weight},
};

/// The cost of each missing step.
const SHORTFALL_COST: f32 = 8.0;

/// The cost of each step of a walk beyond its desired length, in addition to the step itself.
pub(crate) const WALK_COST: f32 = 8.0;

/// The state of a layout.
pub(crate) struct GridLayout<'a> {
    pub(crate) topology: &'a Topology,
    pub(crate) grid: RoutingGrid,
    pub(crate) footprints: Vec<Footprint>,
    pub(crate) ports: Vec<Vec<Port>>,
    /// The upper left node of each junction's footprint.
    pub(crate) positions: Vec<GridNode>,
    /// The preferred position of each junction.
    pub(crate) targets: Vec<(f32, f32)>,
    /// The port of each end, by junction and slot.
    pub(crate) assigned_ports: Vec<Vec<Option<usize>>>,
    pub(crate) paths: Vec<Option<Vec<GridNode>>>,
    /// The cost of each step between a junction and its target.
    pub(crate) displacement_weight: f32,
    /// The desired length of each corridor, in station distances.
    pub(crate) desired_lengths: Vec<f32>,
    /// The cost of each step of a walk beyond its desired length.
    pub(crate) walk_costs: Vec<f32>,
    /// The cost of each occupied node next to a corridor. A corridor with stations needs space for their labels.
    pub(crate) crowding_costs: Vec<f32>,
    pub(crate) faces: Faces,
    pub(crate) router: Router,
}

/// A path that was removed from the grid and can be restored.
pub(crate) struct RemovedPath {
    pub(crate) corridor: usize,
    path: Vec<GridNode>,
    ports: [usize; 2],
}

impl GridLayout<'_> {
    pub(crate) fn ends_at(&self, junction: usize) -> impl Iterator<Item = CorridorEnd> + '_ {
        self.topology.junctions[junction].ends.iter().copied()
    }

    /// The upper left corner of all junctions and paths.
    pub(crate) fn min_corner(&self) -> GridNode {
        let nodes = || self.positions.iter().chain(self.paths.iter().flatten().flatten());
        let (x, y) = (nodes().map(|node| node.x).min(), nodes().map(|node| node.y).min());
        GridNode { x: x.unwrap_or(0), y: y.unwrap_or(0) }
    }

    /// Makes the current positions the targets.
    #[expect(clippy::cast_precision_loss, reason = "the grid is small")]
    pub(crate) fn reset_targets(&mut self) {
        self.targets = self.positions.iter().map(|at| (at.x as f32, at.y as f32)).collect();
    }

    /// Removes the path of a corridor.
    pub(crate) fn remove_path(&mut self, corridor: usize) -> Option<RemovedPath> {
        let path = self.paths[corridor].take()?;
        self.grid.count_path(&path, -1);
        let mut ports = [0; 2];
        for side in [0, 1] {
            let (junction, slot) =
                (self.topology.corridors[corridor].junctions[side], self.topology.corridors[corridor].slots[side]);
            ports[side] = self.assigned_ports[junction][slot].take().unwrap_or(0);
        }
        Some(RemovedPath { corridor, path, ports })
    }

    /// Whether the faces beside these corridors keep their orientation.
    pub(crate) fn preserves_faces(&self, corridors: &[usize]) -> bool {
        self.faces.are_preserved(corridors, &self.paths)
    }

    /// Restores a removed path.
    pub(crate) fn restore(&mut self, removed: RemovedPath) {
        self.set_path(removed.corridor, removed.path, removed.ports);
    }

    pub(crate) fn set_path(&mut self, corridor: usize, path: Vec<GridNode>, ports: [usize; 2]) {
        self.grid.count_path(&path, 1);
        for side in [0, 1] {
            let (junction, slot) =
                (self.topology.corridors[corridor].junctions[side], self.topology.corridors[corridor].slots[side]);
            self.assigned_ports[junction][slot] = Some(ports[side]);
        }
        self.paths[corridor] = Some(path);
    }

    /// Places the footprint of a junction on the grid.
    pub(crate) fn place_footprint(&mut self, junction: usize, at: GridNode) {
        self.positions[junction] = at;
        for node in self.footprints[junction].nodes(at) {
            let node = self.grid.index(node);
            self.grid.nodes[node] += OBSTACLE;
        }
    }

    pub(crate) fn remove_footprint(&mut self, junction: usize) {
        for node in self.footprints[junction].nodes(self.positions[junction]) {
            let node = self.grid.index(node);
            self.grid.nodes[node] -= OBSTACLE;
        }
    }

    /// Whether a footprint fits at a position: its nodes are free, and no other footprint is adjacent.
    pub(crate) fn is_free(&self, junction: usize, at: GridNode) -> bool {
        let footprint = self.footprints[junction];
        let inside = |node: GridNode| {
            node.x >= at.x && node.y >= at.y && node.x < at.x + footprint.width && node.y < at.y + footprint.height
        };
        (at.y - 1..=at.y + footprint.height).all(|y| {
            (at.x - 1..=at.x + footprint.width).all(|x| {
                let node = GridNode { x, y };
                self.grid.contains(node) && {
                    let taken = self.grid.nodes[self.grid.index(node)];
                    if inside(node) { taken == 0 } else { taken < OBSTACLE }
                }
            })
        })
    }

    /// The ports that a corridor may use at one of its ends: those between its assigned neighbours in the rotation,
    /// except as many as unassigned corridors between them need. The cost of each is that of the bends of lines through
    /// the junction.
    pub(crate) fn terminals(&self, corridor: usize, side: usize) -> Vec<Terminal> {
        let (junction, slot) =
            (self.topology.corridors[corridor].junctions[side], self.topology.corridors[corridor].slots[side]);
        let (ports, assigned_ports) = (&self.ports[junction], &self.assigned_ports[junction]);
        let slots = assigned_ports.len();
        let before = (1..slots).find(|behind| assigned_ports[(slot + slots - behind) % slots].is_some());
        let (low, high) = match before {
            None => (0, ports.len()),
            Some(gap) => {
                let first = assigned_ports[(slot + slots - gap) % slots].unwrap_or(0);
                let ahead = (1..=slots).find(|ahead| assigned_ports[(slot + ahead) % slots].is_some()).unwrap_or(slots);
                let last = assigned_ports[(slot + ahead) % slots].unwrap_or(0);
                let span = match (last + ports.len() - first) % ports.len() {
                    0 => ports.len(),
                    span => span,
                };
                (first + gap, (first + span + 1).saturating_sub(ahead))
            }
        };
        (low..high)
            .map(|at| at % ports.len())
            .filter(|at| !assigned_ports.contains(&Some(*at)))
            .map(|at| {
                let Port { offset, direction } = ports[at];
                let from = self.positions[junction];
                let node = GridNode { x: from.x + offset.x, y: from.y + offset.y };
                Terminal { node, direction, cost: self.through_cost(junction, slot, direction) }
            })
            .collect()
    }

    /// The cost of bends at a junction if the corridor at this slot left in a direction.
    fn through_cost(&self, junction: usize, slot: usize, direction: usize) -> f32 {
        let pairs = &self.topology.junctions[junction].continuations;
        let other = |&(a, b, bend_weight): &(usize, usize, f32)| {
            let other = if a == slot {
                b
            } else if b == slot {
                a
            } else {
                return None;
            };
            let port = self.assigned_ports[junction][other]?;
            Some(BEND_COSTS[turn_angle(opposite(self.ports[junction][port].direction), direction)] * bend_weight)
        };
        pairs.iter().filter_map(other).sum()
    }

    /// The cost of the bend between two slots of a junction.
    pub(crate) fn pair_cost(&self, junction: usize, a: usize, b: usize) -> f32 {
        let direction =
            |slot: usize| self.assigned_ports[junction][slot].map(|port| self.ports[junction][port].direction);
        match (direction(a), direction(b)) {
            (Some(a), Some(b)) => BEND_COSTS[turn_angle(opposite(a), b)],
            _ => 0.0,
        }
    }

    /// The cost of the bends at both ends of a corridor.
    pub(crate) fn end_bends(&self, corridor: usize) -> f32 {
        let ends = &self.topology.corridors[corridor];
        [0, 1]
            .into_iter()
            .filter_map(|side| {
                let (junction, slot) = (ends.junctions[side], ends.slots[side]);
                let port = self.assigned_ports[junction][slot]?;
                Some(self.through_cost(junction, slot, self.ports[junction][port].direction))
            })
            .sum()
    }

    /// The cost of all bends at a junction.
    pub(crate) fn bends_at(&self, junction: usize) -> f32 {
        self.topology.junctions[junction]
            .continuations
            .iter()
            .map(|&(a, b, bend_weight)| self.pair_cost(junction, a, b) * bend_weight)
            .sum()
    }

    /// Routes a corridor on the current grid. Returns its cost, including the bends at its ends.
    pub(crate) fn route(&mut self, corridor: usize, max_cost: f32, margin: i32) -> Option<f32> {
        let (starts, ends) = (self.terminals(corridor, 0), self.terminals(corridor, 1));
        let bend_weight = bend_weight(self.topology.corridors[corridor].lines.len());
        let (conflict_cost, crowding_cost) = (f32::INFINITY, self.crowding_costs[corridor]);
        let request = RouteRequest {
            starts: &starts,
            ends: &ends,
            bend_weight,
            max_cost,
            conflict_cost,
            crowding_cost,
            node_cost: None,
            margin,
        };
        let Route { path, cost } = self.router.find(&self.grid, &request)?;
        if crosses_itself(&path) {
            return None;
        }
        let ports = [self.port_of(corridor, 0, &path), self.port_of(corridor, 1, &path)];
        let cost = cost + self.shortfall_cost(corridor, &path) + self.walk_cost(corridor, path_length(&path));
        self.set_path(corridor, path, ports);
        Some(cost)
    }

    /// The port that a path uses at one of its ends.
    pub(crate) fn port_of(&self, corridor: usize, side: usize, path: &[GridNode]) -> usize {
        let junction = self.topology.corridors[corridor].junctions[side];
        let (end, next) = if side == 0 { (path[0], path[1]) } else { (path[path.len() - 1], path[path.len() - 2]) };
        let (from, direction) = (self.positions[junction], end.direction_to(next));
        let offset = GridNode { x: end.x - from.x, y: end.y - from.y };
        self.ports[junction].iter().position(|port| *port == Port { offset, direction }).unwrap_or(0)
    }

    /// The cost of a path that is too short for its stations.
    pub(crate) fn shortfall_cost(&self, corridor: usize, path: &[GridNode]) -> f32 {
        self.shortfall_cost_for(corridor, path_length(path))
    }

    pub(crate) fn shortfall_cost_for(&self, corridor: usize, length: f32) -> f32 {
        let wanted = self.desired_lengths[corridor] * STEPS_PER_STATION;
        let topology = &self.topology.corridors[corridor];
        // A corridor that only connects two components needs no length, unless it has stations.
        let needs_none = topology.lines.is_empty() && topology.intermediate.is_empty() && topology.walk.is_none();
        if needs_none { 0.0 } else { (wanted - length).max(0.0) * SHORTFALL_COST }
    }

    /// The cost of a walk that is longer than it must be: its stations belong together.
    fn walk_cost(&self, corridor: usize, length: f32) -> f32 {
        match self.topology.corridors[corridor].walk {
            Some(_) => {
                (length - self.desired_lengths[corridor] * STEPS_PER_STATION).max(0.0) * self.walk_costs[corridor]
            }
            None => 0.0,
        }
    }

    /// The cost of a routed corridor, without the bends at its ends.
    pub(crate) fn cost_of(&self, corridor: usize) -> f32 {
        let Some(path) = &self.paths[corridor] else { return f32::INFINITY };
        let bends: f32 = path
            .windows(3)
            .map(|three| BEND_COSTS[turn_angle(three[0].direction_to(three[1]), three[1].direction_to(three[2]))])
            .sum();
        let crowding_cost: u8 = (1..path.len().saturating_sub(1))
            .map(|at| self.occupied_neighbours_on(corridor, path, at))
            .fold(0, u8::saturating_add);
        path_length(path)
            + bends * bend_weight(self.topology.corridors[corridor].lines.len())
            + self.shortfall_cost(corridor, path)
            + self.walk_cost(corridor, path_length(path))
            + f32::from(crowding_cost) * self.crowding_costs[corridor]
    }

    /// How many nodes of other paths are next to a path at one of its nodes.
    fn occupied_neighbours_on(&self, corridor: usize, path: &[GridNode], at: usize) -> u8 {
        let reach = crowding_radius(self.crowding_costs[corridor]);
        let query = |other: &GridNode| {
            *other != path[at] && (other.x - path[at].x).abs().max((other.y - path[at].y).abs()) <= reach
        };
        // The ends of a path are footprints, which do not count.
        let around = path[at.saturating_sub(6).max(1)..(at + 7).min(path.len() - 1)].iter();
        let own = u8::try_from(around.filter(|node| query(node)).count()).unwrap_or(0);
        self.grid.occupied_neighbours(path[at], reach).saturating_sub(own).min(3)
    }

    pub(crate) fn displacement_cost(&self, junction: usize, at: GridNode) -> f32 {
        let (x, y) = self.targets[junction];
        #[expect(clippy::cast_precision_loss, reason = "the grid is small")]
        let far = (at.x as f32 - x).hypot(at.y as f32 - y);
        far * self.displacement_weight
    }

    /// A lower bound of the cost of a junction and its corridors at a position.
    pub(crate) fn lower_bound(&self, junction: usize, at: GridNode) -> f32 {
        let footprint = self.footprints[junction];
        let middle = GridNode { x: at.x + footprint.width / 2, y: at.y + footprint.height / 2 };
        let slack = if footprint.width + footprint.height > 2 { footprint.width + footprint.height } else { 0 };
        let mut least = self.displacement_cost(junction, at);
        for end in self.ends_at(junction) {
            let corridor = &self.topology.corridors[end.corridor];
            let other = corridor.junctions[usize::from(end.first)];
            if other == junction {
                continue;
            }
            let there = GridNode {
                x: self.positions[other].x + self.footprints[other].width / 2,
                y: self.positions[other].y + self.footprints[other].height / 2,
            };
            #[expect(clippy::cast_precision_loss, reason = "footprints are small")]
            let slack = (slack + self.footprints[other].width + self.footprints[other].height - 2) as f32;
            let far = (octile_distance(middle, there) - slack).max(0.0);
            least += far
                + self.walk_cost(end.corridor, far)
                + if slack <= 0.0 { self.alignment_cost(middle, there, end.corridor, far) } else { 0.0 };
        }
        least
    }

    fn alignment_cost(&self, a: GridNode, b: GridNode, corridor: usize, far: f32) -> f32 {
        let (dx, dy) = ((a.x - b.x).abs(), (a.y - b.y).abs());
        if dx == 0 || dy == 0 || dx == dy {
            self.shortfall_cost_for(corridor, far).min(BEND_COSTS[1])
        } else {
            BEND_COSTS[1] * bend_weight(self.topology.corridors[corridor].lines.len())
        }
    }
}

/// Whether a path visits a node twice or crosses itself.
pub(crate) fn crosses_itself(path: &[GridNode]) -> bool {
    let mut nodes = path.to_vec();
    nodes.sort_unstable();
    nodes.windows(2).any(|pair| pair[0] == pair[1])
        || path.windows(2).enumerate().any(|(at, one)| {
            path.windows(2).skip(at + 2).any(|two| {
                let middle = |pair: &[GridNode]| (pair[0].x + pair[1].x, pair[0].y + pair[1].y);
                middle(one) == middle(two)
            })
        })
}
