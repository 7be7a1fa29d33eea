//! Local search: moves each junction to the nearby position with the lowest cost, and reroutes its corridors.
//!
//! A change is kept only if every corridor can be routed, so the layout is valid before and after each step.

use crate::{
    grid_layout::{GridLayout, RemovedPath},
    routing_grid::GridNode,
};

/// How far a junction may move in one step.
const SEARCH_RADIUS: i32 = 3;
/// A change must save at least this much, so that the search terminates.
const MIN_GAIN: f32 = 0.2;
/// The search margin of rerouted corridors.
const MARGIN: i32 = 7;

/// Moves all junctions until nothing improves, for at most `rounds` rounds.
pub(crate) fn optimise(layout: &mut GridLayout<'_>, rounds: usize) {
    let all: Vec<usize> = (0..layout.topology.corridors.len()).collect();
    optimise_around(layout, &all, rounds);
}

/// Moves the junctions of some corridors, and those that they affect, until nothing improves.
pub(crate) fn optimise_around(layout: &mut GridLayout<'_>, corridors: &[usize], rounds: usize) {
    let junctions = layout.topology.junctions.len();
    let mut active = vec![false; junctions];
    for junction in corridors.iter().flat_map(|&corridor| layout.topology.corridors[corridor].junctions) {
        active[junction] = true;
    }
    let mut corridors = corridors.to_vec();
    for _ in 0..rounds {
        let mut better = false;
        for junction in 0..junctions {
            if !std::mem::take(&mut active[junction]) {
                continue;
            }
            if move_junction(layout, junction) {
                better = true;
                activate_neighbours(layout, junction, &mut active);
                corridors.extend(layout.ends_at(junction).map(|end| end.corridor));
            }
        }
        corridors.sort_unstable();
        corridors.dedup();
        for &corridor in &corridors {
            if reroute(layout, corridor) {
                better = true;
                for junction in layout.topology.corridors[corridor].junctions {
                    active[junction] = true;
                }
            }
        }
        if !better {
            return;
        }
    }
}

/// Marks a moved junction and its neighbours, which may now have better positions.
fn activate_neighbours(layout: &GridLayout<'_>, junction: usize, active: &mut [bool]) {
    active[junction] = true;
    for end in layout.ends_at(junction) {
        active[layout.topology.corridors[end.corridor].junctions[usize::from(end.first)]] = true;
    }
}

/// Tries the positions around a junction, lowest bound first. Returns whether the layout improved.
fn move_junction(layout: &mut GridLayout<'_>, junction: usize) -> bool {
    let current = layout.positions[junction];
    let mut corridors: Vec<usize> = layout.ends_at(junction).map(|end| end.corridor).collect();
    corridors.sort_unstable();
    corridors.dedup();
    if corridors.iter().any(|&corridor| layout.paths[corridor].is_none()) {
        return false;
    }
    let before = local_cost(layout, junction, &corridors);
    let mut candidates: Vec<(f32, GridNode)> = (-SEARCH_RADIUS..=SEARCH_RADIUS)
        .flat_map(|dy| {
            (-SEARCH_RADIUS..=SEARCH_RADIUS).map(move |dx| GridNode { x: current.x + dx, y: current.y + dy })
        })
        .map(|node| (layout.lower_bound(junction, node), node))
        .filter(|(least, _)| *least < before - MIN_GAIN)
        .collect();
    if candidates.is_empty() {
        return false;
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let old: Vec<RemovedPath> = corridors.iter().filter_map(|&corridor| layout.remove_path(corridor)).collect();
    layout.remove_footprint(junction);
    let order = routing_order(layout, &corridors);
    let mut best = before - MIN_GAIN;
    let mut found: Option<(GridNode, Vec<RemovedPath>)> = None;
    let mut tries = 0;
    for (least, node) in candidates {
        if least >= best || tries >= 14 {
            break;
        }
        if !layout.is_free(junction, node) {
            continue;
        }
        tries += 1;
        layout.place_footprint(junction, node);
        if route_all(layout, junction, &order, best) {
            let cost = local_cost(layout, junction, &corridors);
            let preserves_faces = cost < best && layout.preserves_faces(&corridors);
            let routed: Vec<RemovedPath> =
                corridors.iter().filter_map(|&corridor| layout.remove_path(corridor)).collect();
            if cost < best && preserves_faces {
                best = cost;
                found = Some((node, routed));
            }
        } else {
            for &corridor in &corridors {
                layout.remove_path(corridor);
            }
        }
        layout.remove_footprint(junction);
    }
    let moved = found.is_some();
    let (at, routed) = found.unwrap_or((current, old));
    layout.place_footprint(junction, at);
    for removed in routed {
        layout.restore(removed);
    }
    moved
}

/// Corridors with the most lines first, because they should have the straightest paths.
fn routing_order(layout: &GridLayout<'_>, corridors: &[usize]) -> Vec<usize> {
    let mut order = corridors.to_vec();
    order.sort_by_key(|&corridor| {
        (
            usize::MAX - layout.topology.corridors[corridor].lines.len(),
            layout.topology.corridors[corridor].intermediate.len(),
            corridor,
        )
    });
    order
}

/// Routes all corridors of a junction; fails if they cost `max_cost` or more.
fn route_all(layout: &mut GridLayout<'_>, junction: usize, corridors: &[usize], max_cost: f32) -> bool {
    let mut cost = layout.displacement_cost(junction, layout.positions[junction]);
    for &corridor in corridors {
        match layout.route(corridor, max_cost - cost, MARGIN) {
            Some(more) => cost += more,
            None => return false,
        }
    }
    cost < max_cost
}

/// The cost of a junction and its corridors, including the bends at both ends.
fn local_cost(layout: &GridLayout<'_>, junction: usize, corridors: &[usize]) -> f32 {
    let own: f32 = corridors.iter().map(|&corridor| layout.cost_of(corridor)).sum();
    own + layout.displacement_cost(junction, layout.positions[junction])
        + layout.bends_at(junction)
        + neighbour_bends(layout, junction, corridors)
}

/// The cost of bends at the other ends of a junction's corridors, which [`GridLayout::route`] counts for their
/// terminals.
fn neighbour_bends(layout: &GridLayout<'_>, junction: usize, corridors: &[usize]) -> f32 {
    let mut others: Vec<usize> = corridors
        .iter()
        .flat_map(|&corridor| layout.topology.corridors[corridor].junctions)
        .filter(|&other| other != junction)
        .collect();
    others.sort_unstable();
    others.dedup();
    let removed = |other: usize, slot: usize| {
        let end = layout.topology.junctions[other].ends[slot];
        corridors.contains(&end.corridor)
    };
    let mut sum = 0.0;
    for other in others {
        for &(a, b, bend_weight) in &layout.topology.junctions[other].continuations {
            if removed(other, a) || removed(other, b) {
                sum += layout.pair_cost(other, a, b) * bend_weight;
            }
        }
    }
    sum
}

/// Reroutes a single corridor.
fn reroute(layout: &mut GridLayout<'_>, corridor: usize) -> bool {
    let before = layout.cost_of(corridor);
    let bends = layout.end_bends(corridor);
    let Some(old) = layout.remove_path(corridor) else { return false };
    let max_cost = before + bends - MIN_GAIN;
    if layout.route(corridor, max_cost, MARGIN).is_some() {
        if layout.cost_of(corridor) + layout.end_bends(corridor) < max_cost && layout.preserves_faces(&[corridor]) {
            return true;
        }
        layout.remove_path(corridor);
    }
    layout.restore(old);
    false
}
