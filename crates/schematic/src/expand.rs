//! Inserts columns or rows into the grid, and lengthens the paths that cross the cut.
//!
//! The paths that cross a cut continue straight through the new columns, each in a row of its own, in the order in
//! which they crossed. So no new conflicts arise. A diagonal step gets a bend, which the local search may remove.

use crate::{
    grid_layout::GridLayout,
    initial_layout::rip_up_and_reroute,
    routing_grid::{GridNode, RoutingGrid},
};

/// The most paths that are rerouted for one cut.
const MAX_REROUTED: usize = 8;

/// The axis along which space is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Inserts columns: everything after the cut moves right.
    Columns,
    /// Inserts rows: everything after the cut moves down.
    Rows,
}

/// How far a cut may be from the requested position. A short corridor is lengthened only by a cut through itself, so
/// the nearest cuts are tried first, even if paths must be rerouted.
const MAX_CUT_OFFSET: i32 = 5;

/// Inserts `count` columns or rows as near to `at` as possible. Returns the corridors that became longer.
pub(crate) fn expand(layout: &mut GridLayout<'_>, axis: Axis, at: i32, count: i32) -> Vec<usize> {
    let nearest_cuts = |reach: i32| (0..=reach).flat_map(move |off| [at - off, at + off]);
    for reach in [1, MAX_CUT_OFFSET] {
        if let Some(lengthened) = nearest_cuts(reach).find_map(|cut| cut_at(layout, axis, cut, count)) {
            return lengthened;
        }
        if let Some(lengthened) = nearest_cuts(reach).find_map(|cut| cut_with_rerouting(layout, axis, cut, count)) {
            return lengthened;
        }
    }
    Vec::new()
}

/// Cuts where some paths cannot be lengthened: they are removed and rerouted afterwards. On a large map nearly every
/// cut needs this. If one cannot be routed, the change is undone.
fn cut_with_rerouting(layout: &mut GridLayout<'_>, axis: Axis, cut: i32, count: i32) -> Option<Vec<usize>> {
    let mut removed = Vec::new();
    while let Err(blocking) = cut_crossings(layout, axis, cut) {
        removed.push(layout.remove_path(blocking)?);
        if removed.len() > MAX_REROUTED {
            break;
        }
    }
    let before = (
        layout.grid.clone(),
        layout.positions.clone(),
        layout.targets.clone(),
        layout.paths.clone(),
        layout.assigned_ports.clone(),
    );
    let corridors: Vec<usize> = removed.iter().map(|removed| removed.corridor).collect();
    let mut lengthened = if removed.len() > MAX_REROUTED { None } else { cut_at(layout, axis, cut, count) };
    if lengthened.is_some() && !rip_up_and_reroute(layout, corridors.clone(), u64::MAX).is_empty() {
        (layout.grid, layout.positions, layout.targets, layout.paths, layout.assigned_ports) = before;
        lengthened = None;
    }
    match &mut lengthened {
        Some(lengthened) => lengthened.extend(corridors),
        None => removed.into_iter().for_each(|removed| layout.restore(removed)),
    }
    lengthened
}

/// Swaps x and y if rows are inserted, so that the rest of the code handles columns only.
pub(crate) fn oriented(axis: Axis, node: GridNode) -> GridNode {
    match axis {
        Axis::Columns => node,
        Axis::Rows => GridNode { x: node.y, y: node.x },
    }
}

/// A step of a path across the cut.
struct CutCrossing {
    corridor: usize,
    /// The index of the step in the path.
    step: usize,
    /// Whether the path goes against the axis.
    backwards: bool,
    left: GridNode,
    right: GridNode,
    /// The row in which the path passes the new columns.
    row: i32,
}

fn cut_at(layout: &mut GridLayout<'_>, axis: Axis, cut: i32, count: i32) -> Option<Vec<usize>> {
    // A cut cannot pass through a footprint.
    let split = (0..layout.positions.len()).any(|junction| {
        let columns = layout.footprints[junction].nodes(layout.positions[junction]).map(|node| oriented(axis, node).x);
        let (low, high) = columns.fold((i32::MAX, i32::MIN), |(low, high), x| (low.min(x), high.max(x)));
        low <= cut && high > cut
    });
    if split {
        return None;
    }
    let cut_crossings = cut_crossings(layout, axis, cut).ok()?;
    let moved = |node: GridNode| {
        let mut node = oriented(axis, node);
        if node.x > cut {
            node.x += count;
        }
        oriented(axis, node)
    };
    let shifted = |path: &Option<Vec<GridNode>>| path.iter().flatten().map(|&node| moved(node)).collect();
    let mut paths: Vec<Vec<GridNode>> = layout.paths.iter().map(shifted).collect();
    // Last step first, so that the indices of earlier steps stay valid.
    let mut order: Vec<&CutCrossing> = cut_crossings.iter().collect();
    order.sort_by_key(|crossing| (crossing.corridor, usize::MAX - crossing.step));
    for crossing in order {
        // The nodes on both sides of the cut may be in this row already.
        let from = crossing.left.x + i32::from(crossing.left.y == crossing.row);
        let to = crossing.right.x + count - i32::from(crossing.right.y == crossing.row);
        let mut new: Vec<GridNode> = (from.max(cut + 1)..=to.min(cut + count))
            .map(|x| oriented(axis, GridNode { x, y: crossing.row }))
            .collect();
        if crossing.backwards {
            new.reverse();
        }
        let at = crossing.step + 1;
        paths[crossing.corridor].splice(at..at, new);
    }
    rebuild(layout, axis, count, cut, paths);
    Some(cut_crossings.iter().map(|crossing| crossing.corridor).collect())
}

/// The steps across the cut from top to bottom, each with its row; or a corridor that has none.
fn cut_crossings(layout: &GridLayout<'_>, axis: Axis, cut: i32) -> Result<Vec<CutCrossing>, usize> {
    let mut found = Vec::new();
    for (corridor, path) in layout.paths.iter().enumerate() {
        let Some(path) = path else { continue };
        for (step, pair) in path.windows(2).enumerate() {
            let (a, b) = (oriented(axis, pair[0]), oriented(axis, pair[1]));
            if (a.x <= cut) == (b.x <= cut) {
                continue;
            }
            let backwards = a.x > cut;
            let (left, right) = if backwards { (b, a) } else { (a, b) };
            found.push(CutCrossing { corridor, step, backwards, left, right, row: 0 });
        }
    }
    found.sort_by_key(|crossing| (crossing.left.y + crossing.right.y, crossing.left.y));
    let is_body =
        |node: GridNode| layout.grid.nodes[layout.grid.index(oriented(axis, node))] >= crate::routing_grid::OBSTACLE;
    let mut last = i32::MIN;
    for crossing in &mut found {
        let (left, right) = (crossing.left.y, crossing.right.y);
        // A step out of a footprint must keep its direction, so its row is that of its other node.
        let (low, high) = match (is_body(crossing.left), is_body(crossing.right)) {
            (true, true) if left != right => return Err(crossing.corridor),
            (true, _) => (right, right),
            (_, true) => (left, left),
            _ => (left.min(right), left.max(right)),
        };
        crossing.row = if low > last { low } else { high };
        if crossing.row <= last {
            return Err(crossing.corridor);
        }
        last = crossing.row;
    }
    Ok(found)
}

/// Rebuilds the larger grid with all footprints and paths.
fn rebuild(layout: &mut GridLayout<'_>, axis: Axis, count: i32, cut: i32, paths: Vec<Vec<GridNode>>) {
    let size = oriented(axis, GridNode { x: layout.grid.width, y: layout.grid.height });
    let size = oriented(axis, GridNode { x: size.x + count, y: size.y });
    layout.grid = RoutingGrid::new(size.x, size.y);
    for junction in 0..layout.positions.len() {
        let mut at = oriented(axis, layout.positions[junction]);
        if at.x > cut {
            at.x += count;
        }
        layout.place_footprint(junction, oriented(axis, at));
    }
    for (corridor, path) in paths.into_iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        layout.grid.count_path(&path, 1);
        layout.paths[corridor] = Some(path);
    }
    layout.reset_targets();
}
