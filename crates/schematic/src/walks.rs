//! Edges between the stations of a group, which the layout keeps short and the picture shows as connectors.

use crate::{
    geometry::{Point, crossing},
    graph::Edge,
};

/// How much longer a walk may be to avoid crossing a line, as a share of its length.
const CROSSING_COST: f64 = 0.6;

/// The edges that join each group to a tree: the shortest ones, rather without a line between their ends. Neighbours on
/// a line get no walk beside it. They join the tree only if nothing else does.
pub(crate) fn walk_edges(positions: &[Point], edges: &[Edge], groups: &[Vec<usize>]) -> Vec<Edge> {
    groups.iter().flat_map(|group| tree(positions, edges, group)).collect()
}

fn tree(positions: &[Point], edges: &[Edge], group: &[usize]) -> Vec<Edge> {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, &a) in group.iter().enumerate() {
        for &b in &group[at + 1..] {
            let is_edge = edges.iter().any(|edge| (edge.a, edge.b) == (a.min(b), a.max(b)));
            let cost = if is_edge { f64::INFINITY } else { walk_cost(positions, edges, a, b) };
            pairs.push((cost, a.min(b), a.max(b)));
        }
    }
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut tree_of: Vec<usize> = (0..group.len()).collect();
    let place = |station: usize| group.iter().position(|&other| other == station).unwrap_or(0);
    let mut walks = Vec::new();
    for (cost, a, b) in pairs {
        let (one, two) = (tree_of[place(a)], tree_of[place(b)]);
        if one == two {
            continue;
        }
        tree_of.iter_mut().filter(|tree| **tree == two).for_each(|tree| *tree = one);
        if cost.is_finite() {
            walks.push(Edge { a, b, lines: Vec::new(), is_walk: true });
        }
    }
    walks
}

fn walk_cost(positions: &[Point], edges: &[Edge], a: usize, b: usize) -> f64 {
    let (from, to) = (positions[a], positions[b]);
    let crosses = |edge: &&Edge| crossing(from, to, positions[edge.a], positions[edge.b]).is_some();
    #[expect(clippy::cast_precision_loss, reason = "a walk crosses few lines")]
    let crossings = edges.iter().filter(crosses).count() as f64;
    from.distance(to) * (1.0 + CROSSING_COST * crossings)
}
