//! What shifts are worth: the cost of the lengths and the bends of a layout, and of one step less of each corridor.

use crate::{
    dimensions::STEPS_PER_STATION,
    grid_layout::GridLayout,
    router::{BEND_COSTS, path_length},
    routing_grid::{GridNode, turn_angle},
    topology::{Corridor, bend_weight},
};

/// A corridor with fewer steps per station distance is not shortened.
const MIN_STEPS: f32 = 2.2;
/// What a step is worth for each step per station distance beyond the least.
const LENGTH_GAIN: f32 = 0.12;
/// From so many steps per station distance on, a corridor is far longer than others: 96 map units.
const LONG: f32 = 6.0;
/// What a step is worth for each squared step beyond that. At 300 map units it is worth two bends.
const LONG_GAIN: f32 = 0.05;
/// What a step of a walk is worth beyond its desired length.
const WALK_GAIN: f32 = 1.0;
/// What a step is worth of an edge that only connects two components.
const EMPTY_GAIN: f32 = 0.05;
/// A path is not shortened to fewer nodes.
const MIN_NODES: usize = 3;

/// What a step less of a corridor is worth, and whether it may lose one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Gain {
    pub(crate) step: f32,
    pub(crate) may_shrink: bool,
}

/// Whether a corridor only connects two components.
fn is_empty(corridor: &Corridor) -> bool {
    corridor.lines.is_empty() && corridor.intermediate.is_empty() && corridor.walk.is_none()
}

/// The length in steps and the station distances of the edges that each corridor is a part of: an edge that crosses
/// others has several corridors, none of which is long by itself.
fn whole_lengths(layout: &GridLayout<'_>) -> Vec<(f32, f32)> {
    let topology = layout.topology;
    let mut whole: Vec<usize> = (0..topology.corridors.len()).collect();
    let root = |whole: &[usize], mut at: usize| {
        while whole[at] != at {
            at = whole[at];
        }
        at
    };
    for junction in topology.junctions.iter().filter(|junction| junction.kind.station().is_none()) {
        for &(a, b, _) in &junction.continuations {
            let (a, b) = (root(&whole, junction.ends[a].corridor), root(&whole, junction.ends[b].corridor));
            whole[a.max(b)] = a.min(b);
        }
    }
    let mut lengths = vec![(0.0_f32, 1.0_f32); whole.len()];
    for (corridor, path) in layout.paths.iter().enumerate() {
        let total = &mut lengths[root(&whole, corridor)];
        total.0 += path.as_deref().map_or(0.0, path_length);
        #[expect(clippy::cast_precision_loss, reason = "a corridor has few stations")]
        let stations = topology.corridors[corridor].intermediate.len() as f32;
        total.1 += stations;
    }
    (0..whole.len()).map(|corridor| lengths[root(&whole, corridor)]).collect()
}

/// How far a walk is beyond its desired length.
fn excess(layout: &GridLayout<'_>, corridor: usize, path: &[GridNode]) -> f32 {
    (path_length(path) - layout.desired_lengths[corridor] * STEPS_PER_STATION).max(0.0)
}

/// What the lengths and the bends of all corridors cost. A shift that does not lower it is not worth it.
pub(crate) fn total_cost(layout: &GridLayout<'_>) -> f32 {
    let lengths = whole_lengths(layout);
    let of = |(corridor, path): (usize, &Option<Vec<GridNode>>)| {
        let Some(path) = path else { return 0.0 };
        let here = &layout.topology.corridors[corridor];
        let angle = |three: &[GridNode]| turn_angle(three[0].direction_to(three[1]), three[1].direction_to(three[2]));
        let bends: f32 = path.windows(3).map(|three| BEND_COSTS[angle(three)]).sum();
        let by_length = if here.walk.is_some() {
            excess(layout, corridor, path) * WALK_GAIN
        } else if is_empty(here) {
            path_length(path) * EMPTY_GAIN
        } else {
            let (length, distances) = lengths[corridor];
            let each = length / distances;
            let (more, beyond) = ((each - MIN_STEPS).max(0.0), (each - LONG).max(0.0));
            let each_cost = more.powi(2) * LENGTH_GAIN / 2.0 + beyond.powi(3) * LONG_GAIN / 3.0;
            // This corridor's part of the whole edge.
            each_cost * distances * path_length(path) / length.max(1.0)
        };
        by_length + bends * bend_weight(here.lines.len())
    };
    layout.paths.iter().enumerate().map(of).sum()
}

/// What one step less of each corridor gains.
pub(crate) fn gains(layout: &GridLayout<'_>) -> Vec<Gain> {
    let lengths = whole_lengths(layout);
    let of = |corridor: usize| {
        let Some(path) = &layout.paths[corridor] else { return Gain::default() };
        let here = &layout.topology.corridors[corridor];
        let has_nodes = path.len() > MIN_NODES;
        if here.walk.is_some() {
            let is_long = excess(layout, corridor, path) > 0.5;
            return Gain { step: if is_long { WALK_GAIN } else { 0.0 }, may_shrink: has_nodes };
        }
        if is_empty(here) {
            return Gain { step: EMPTY_GAIN, may_shrink: has_nodes };
        }
        let (length, distances) = lengths[corridor];
        let each = length / distances;
        #[expect(clippy::cast_precision_loss, reason = "corridors are short")]
        let own = (path.len() - 1) as f32 / (here.intermediate.len() + 1) as f32;
        let has_room = each >= MIN_STEPS && (here.intermediate.is_empty() || own >= MIN_STEPS);
        let (more, beyond) = ((each - MIN_STEPS).max(0.0), (each - LONG).max(0.0));
        Gain { step: more * LENGTH_GAIN + beyond.powi(2) * LONG_GAIN, may_shrink: has_nodes && has_room }
    };
    (0..layout.paths.len()).map(of).collect()
}
