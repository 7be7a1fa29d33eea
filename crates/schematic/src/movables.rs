//! What a shift moves: junctions and the nodes of paths, and the steps between moved and unmoved ones.

use crate::{
    grid_layout::GridLayout,
    router::BEND_COSTS,
    routing_grid::{GridNode, turn_angle},
};

/// Everything that can move by itself: junctions, then the nodes of paths.
pub(crate) struct Movables {
    /// The first node of each path among them.
    first: Vec<usize>,
    pub(crate) count: usize,
}

impl Movables {
    pub(crate) fn of(layout: &GridLayout<'_>) -> Self {
        let mut count = layout.positions.len();
        let mut first = Vec::with_capacity(layout.paths.len());
        for path in &layout.paths {
            first.push(count);
            count += path.as_ref().map_or(0, |path| path.len().saturating_sub(2));
        }
        Self { first, count }
    }

    /// The movable at a node of a path.
    pub(crate) fn at(&self, layout: &GridLayout<'_>, corridor: usize, node: usize, nodes: usize) -> usize {
        let junctions = layout.topology.corridors[corridor].junctions;
        match node {
            0 => junctions[0],
            _ if node + 1 == nodes => junctions[1],
            _ => self.first[corridor] + node - 1,
        }
    }
}

pub(crate) fn plus(a: GridNode, b: GridNode) -> GridNode {
    GridNode { x: a.x + b.x, y: a.y + b.y }
}

pub(crate) fn minus(a: GridNode, b: GridNode) -> GridNode {
    GridNode { x: a.x - b.x, y: a.y - b.y }
}

pub(crate) const ZERO: GridNode = GridNode { x: 0, y: 0 };

pub(crate) fn length(step: GridNode) -> f32 {
    if step.x != 0 && step.y != 0 { std::f32::consts::SQRT_2 } else { 1.0 }
}

/// The steps before and after a step of a path; none at its ends.
pub(crate) fn steps_around(path: &[GridNode], at: usize) -> [Option<GridNode>; 2] {
    let before = at.checked_sub(1).map(|before| minus(path[at], path[before]));
    let after = path.get(at + 2).map(|after| minus(*after, path[at + 1]));
    [before, after]
}

/// The steps that replace one whose ends move apart by `by`, and what their bends cost more than before. A path keeps
/// the directions at its ends.
pub(crate) fn replaced(step: GridNode, by: GridNode, around: [Option<GridNode>; 2]) -> Option<(Vec<GridNode>, f32)> {
    let sum = plus(step, by);
    let options = match sum {
        ZERO => vec![Vec::new()],
        sum if sum.x.abs().max(sum.y.abs()) == 1 => vec![vec![sum]],
        _ => vec![vec![step, by], vec![by, step]],
    };
    let bends = |steps: &[GridNode]| {
        let chain: Vec<GridNode> = around[0].iter().chain(steps).chain(&around[1]).copied().collect();
        let keeps = |beyond: Option<GridNode>, end: Option<&GridNode>| beyond.is_some() || end == Some(&step);
        if !keeps(around[0], chain.first()) || !keeps(around[1], chain.last()) {
            return None;
        }
        let direction = |step: GridNode| ZERO.direction_to(step);
        let angles = chain.windows(2).map(|pair| turn_angle(direction(pair[0]), direction(pair[1])));
        angles.map(|angle| (angle <= 2).then_some(BEND_COSTS[angle])).sum::<Option<f32>>()
    };
    let before = bends(&[step])?;
    let all = options.into_iter().filter_map(|steps| bends(&steps).map(|cost| (steps, cost - before)));
    all.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::{GridNode, replaced};

    #[test]
    fn a_bend_moves_along_a_path_without_a_cost() {
        let [across, down, slanting, back] = [(1, 0), (0, 1), (1, 1), (-1, 0)].map(|(x, y)| GridNode { x, y });
        // Straight on, a step disappears, or becomes two.
        assert_eq!(replaced(across, back, [Some(across); 2]), Some((vec![], 0.0)));
        assert_eq!(replaced(across, across, [Some(across); 2]), Some((vec![across, across], 0.0)));
        // The last slanting step before a way down becomes a step down; between slanting ones it makes two bends.
        assert_eq!(replaced(slanting, back, [Some(slanting), Some(down)]), Some((vec![down], 0.0)));
        assert_eq!(replaced(slanting, back, [Some(slanting); 2]), Some((vec![down], 10.0)));
        // A path leaves its junctions as before.
        assert_eq!(replaced(slanting, back, [None, Some(down)]), None);
    }
}
