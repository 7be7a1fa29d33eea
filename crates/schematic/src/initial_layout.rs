//! The initial layout: positions junctions on the grid and routes corridors by negotiated congestion.
//!
//! First, ports are assigned in the order of each rotation. Then every corridor takes its cheapest path and may share
//! nodes. Shared nodes become more expensive in each round, until no path shares any (`McMurchie` and Ebeling,
//! "`PathFinder`", 1995).

use std::{
    f64::consts::{FRAC_PI_4, PI, TAU},
    ops::Range,
};

use crate::{
    faces::Faces,
    footprint::{Footprint, Port},
    geometry::{Point, nearest_on},
    grid_layout::{GridLayout, RemovedPath, WALK_COST, crosses_itself},
    router::{BEND_COSTS, RouteRequest, Router, Terminal},
    routing_grid::{GridNode, RoutingGrid, opposite, turn_angle},
    topology::{Junction, Topology, bend_weight},
};

/// The most rounds of negotiation.
const MAX_ROUNDS: usize = 48;
/// Free nodes around the layout.
const MARGIN: i32 = 12;

/// The largest number of nodes in a grid.
const MAX_NODES: f64 = 64.0e6;

/// Lays out a topology on a grid with `steps` steps per station distance. Returns the layout and the corridors that
/// could not be routed; `None` if the grid would be too large, or a junction cannot be placed. The effort of the router
/// begins at the start of `effort`, and no path is ripped up after its end.
pub(crate) fn initial_layout(
    topology: &Topology,
    steps: f64,
    effort: Range<u64>,
) -> Option<(GridLayout<'_>, Vec<usize>)> {
    let mut layout = empty_layout(topology, steps)?;
    layout.router.effort = effort.start;
    for junction in placement_order(topology) {
        let targets = layout.targets[junction];
        let at = nearest_free(&layout, junction, targets)?;
        layout.place_footprint(junction, at);
    }
    let assigned: Vec<Vec<usize>> =
        (0..topology.junctions.len()).map(|junction| assign_ports(&layout, junction)).collect();
    negotiate(&mut layout, &assigned, steps);
    let missing = remove_conflicts(&mut layout);
    let missing = rip_up_and_reroute(&mut layout, missing, effort.end);
    Some((layout, missing))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the grid is small")]
fn empty_layout(topology: &Topology, steps: f64) -> Option<GridLayout<'_>> {
    let positions: Vec<Point> = topology.junctions.iter().map(|junction| junction.position.times(steps)).collect();
    let (low, high) = crate::geometry::bounds(&positions).unwrap_or_default();
    let border = f64::from(2 * MARGIN + 2);
    if (high.x - low.x + border) * (high.y - low.y + border) > MAX_NODES {
        return None;
    }
    let targets: Vec<(f32, f32)> = positions
        .iter()
        .map(|p| ((p.x - low.x) as f32 + MARGIN as f32, (p.y - low.y) as f32 + MARGIN as f32))
        .collect();
    let (width, height) = ((high.x - low.x) as i32 + 2 * MARGIN + 2, (high.y - low.y) as i32 + 2 * MARGIN + 2);
    let footprints: Vec<Footprint> =
        topology.junctions.iter().map(|junction| Footprint::for_degree(junction.ends.len())).collect();
    Some(GridLayout {
        topology,
        grid: RoutingGrid::new(width, height),
        ports: footprints.iter().map(|footprint| footprint.ports()).collect(),
        positions: vec![GridNode::default(); footprints.len()],
        targets: targets
            .iter()
            .zip(&footprints)
            .map(|((x, y), footprint)| {
                (x - (footprint.width - 1) as f32 / 2.0, y - (footprint.height - 1) as f32 / 2.0)
            })
            .collect(),
        footprints,
        assigned_ports: topology.junctions.iter().map(|junction| vec![None; junction.ends.len()]).collect(),
        paths: vec![None; topology.corridors.len()],
        displacement_weight: 0.25,
        desired_lengths: topology.corridors.iter().map(|corridor| corridor.desired_length as f32).collect(),
        walk_costs: vec![WALK_COST; topology.corridors.len()],
        crowding_costs: topology
            .corridors
            .iter()
            .map(|corridor| match corridor.walk {
                Some(_) => 0.05,
                None if corridor.intermediate.is_empty() => 0.25,
                None => 0.7,
            })
            .collect(),
        faces: Faces::of(topology),
        router: Router::default(),
    })
}

/// Junctions with many corridors first, because they are the hardest to place.
fn placement_order(topology: &Topology) -> Vec<usize> {
    let mut placement_order: Vec<usize> = (0..topology.junctions.len()).collect();
    placement_order.sort_by_key(|&junction| (usize::MAX - topology.junctions[junction].ends.len(), junction));
    placement_order
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the grid is small")]
fn nearest_free(layout: &GridLayout<'_>, junction: usize, (x, y): (f32, f32)) -> Option<GridNode> {
    let targets = GridNode { x: x.round() as i32, y: y.round() as i32 };
    for reach in 0..4 * MARGIN {
        let ring = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
        let best = ring
            .filter(|(dx, dy)| dx.abs().max(dy.abs()) == reach)
            .map(|(dx, dy)| GridNode { x: targets.x + dx, y: targets.y + dy })
            .filter(|node| layout.is_free(junction, *node))
            .min_by(|a, b| {
                let far = |n: &GridNode| (n.x as f32 - x).hypot(n.y as f32 - y);
                far(a).total_cmp(&far(b))
            });
        if best.is_some() {
            return best;
        }
    }
    None
}

/// Assigns a port to each slot, in the order of the rotation, close to the desired angles, with few bends.
fn assign_ports(layout: &GridLayout<'_>, junction: usize) -> Vec<usize> {
    let (ports, here) = (&layout.ports[junction], &layout.topology.junctions[junction]);
    let wanted: Vec<f64> = here
        .ends
        .iter()
        .map(|end| {
            let relaxed_path = &layout.topology.corridors[end.corridor].relaxed_path;
            departure_angle(relaxed_path, end.first)
        })
        .collect();
    let footprint = layout.footprints[junction];
    let angles: Vec<f64> = ports.iter().map(|port| port_angle(*port, footprint)).collect();
    let slots = wanted.len();
    if slots == 0 {
        return Vec::new();
    }
    let off = |slot: usize, port: usize| {
        let d = (wanted[slot] - angles[port]).rem_euclid(TAU);
        let d = d.min(TAU - d) / FRAC_PI_4;
        d * d * 4.0
    };
    let mut best: Option<(f64, Vec<usize>)> = None;
    for first in 0..ports.len() {
        // costs[slot][k]: the cost of the best assignment up to this slot if it gets port first + k, and the k of the
        // slot before.
        let mut costs: Vec<Vec<(f64, usize)>> = vec![vec![(f64::MAX, 0); ports.len()]; slots];
        costs[0][0] = (off(0, first), 0);
        for slot in 1..slots {
            let mut low = (f64::MAX, 0);
            for k in slot..ports.len() {
                if costs[slot - 1][k - 1].0 < low.0 {
                    low = (costs[slot - 1][k - 1].0, k - 1);
                }
                costs[slot][k] = (low.0 + off(slot, (first + k) % ports.len()), low.1);
            }
        }
        let Some((k, (cost, _))) = costs[slots - 1].iter().copied().enumerate().min_by(|a, b| a.1.0.total_cmp(&b.1.0))
        else {
            continue;
        };
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            let (mut assigned, mut k) = (vec![0; slots], k);
            for slot in (0..slots).rev() {
                assigned[slot] = (first + k) % ports.len();
                k = costs[slot][k].1;
            }
            best = Some((cost, assigned));
        }
    }
    let mut assigned = best.map(|(_, assigned)| assigned).unwrap_or_default();
    straighten_ports(&mut assigned, ports, here, &off);
    assigned
}

/// Moves single slots to adjacent free ports while that saves more in bends than it costs in angle.
fn straighten_ports(assigned: &mut [usize], ports: &[Port], junction: &Junction, off: &dyn Fn(usize, usize) -> f64) {
    let cost = |assigned: &[usize]| -> f64 {
        let bends: f32 = junction
            .continuations
            .iter()
            .map(|&(a, b, bend_weight)| {
                BEND_COSTS[turn_angle(opposite(ports[assigned[a]].direction), ports[assigned[b]].direction)]
                    * bend_weight
            })
            .sum();
        f64::from(bends) + assigned.iter().enumerate().map(|(slot, &port)| off(slot, port)).sum::<f64>()
    };
    let mut least = cost(assigned);
    for _ in 0..4 {
        let before = least;
        for slot in 0..assigned.len() {
            let old = assigned[slot];
            for to in [(old + 1) % ports.len(), (old + ports.len() - 1) % ports.len()] {
                if assigned.contains(&to) {
                    continue;
                }
                assigned[slot] = to;
                let now = cost(assigned);
                if now < least {
                    least = now;
                    break;
                }
                assigned[slot] = old;
            }
        }
        if least >= before {
            return;
        }
    }
}

/// The direction in which a relaxed path leaves one of its ends, measured about one station distance ahead.
fn departure_angle(relaxed_path: &[Point], first: bool) -> f64 {
    let points: Vec<Point> = if first { relaxed_path.to_vec() } else { relaxed_path.iter().rev().copied().collect() };
    let here = points[0];
    let ahead = points[1..].iter().find(|p| p.distance(here) >= 0.6).or(points.last()).copied().unwrap_or(here);
    let direction = ahead.minus(here);
    direction.y.atan2(direction.x)
}

#[expect(clippy::cast_precision_loss, reason = "directions and footprints are small")]
fn port_angle(port: Port, footprint: Footprint) -> f64 {
    let out = port.offset.step(port.direction);
    let (cx, cy) = (f64::from(footprint.width - 1) / 2.0, f64::from(footprint.height - 1) / 2.0);
    let outward = (f64::from(out.y) - cy).atan2(f64::from(out.x) - cx);
    let own = port.direction as f64 * FRAC_PI_4;
    // The mean of the port's position and its direction.
    let d = (own - outward + PI).rem_euclid(TAU) - PI;
    outward + d / 2.0
}

fn negotiate(layout: &mut GridLayout<'_>, assigned: &[Vec<usize>], steps: f64) {
    let mut history = vec![0.0_f32; layout.grid.nodes.len()];
    let low = layout
        .topology
        .junctions
        .iter()
        .fold((f64::MAX, f64::MAX), |(x, y), junction| (x.min(junction.position.x), y.min(junction.position.y)));
    let mut corridors: Vec<usize> = (0..layout.topology.corridors.len()).collect();
    // Short corridors first, because they have the fewest alternatives.
    corridors.sort_by(|&a, &b| {
        let far = |corridor: usize| {
            layout.topology.corridors[corridor].relaxed_path.windows(2).map(|p| p[0].distance(p[1])).sum::<f64>()
        };
        far(a).total_cmp(&far(b)).then(a.cmp(&b))
    });
    let mut conflict_cost = 2.0_f32;
    for round in 0..MAX_ROUNDS {
        let mut conflicts = 0;
        for &corridor in &corridors {
            let in_conflict = layout.paths[corridor].as_ref().is_none_or(|path| layout.grid.conflicts(path));
            if round > 0 && !in_conflict {
                continue;
            }
            conflicts += 1;
            layout.remove_path(corridor);
            let relaxed_path: Vec<Point> = layout.topology.corridors[corridor]
                .relaxed_path
                .iter()
                .map(|p| {
                    Point::new((p.x - low.0) * steps + f64::from(MARGIN), (p.y - low.1) * steps + f64::from(MARGIN))
                })
                .collect();
            let terminal = |side: usize| {
                let (junction, slot) = (
                    layout.topology.corridors[corridor].junctions[side],
                    layout.topology.corridors[corridor].slots[side],
                );
                let port = layout.ports[junction][assigned[junction][slot]];
                let at = layout.positions[junction];
                Terminal {
                    node: GridNode { x: at.x + port.offset.x, y: at.y + port.offset.y },
                    direction: port.direction,
                    cost: 0.0,
                }
            };
            let width = layout.grid.width;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the grid is small")]
            let node_cost = |node: GridNode| {
                let here = Point::new(f64::from(node.x), f64::from(node.y));
                let off = relaxed_path
                    .windows(2)
                    .map(|p| nearest_on(p[0], p[1], here).distance(here))
                    .fold(f64::MAX, f64::min);
                history[(node.y * width + node.x) as usize] + (off as f32 - 0.7).max(0.0) * 0.3
            };
            let (starts, ends) = ([terminal(0)], [terminal(1)]);
            let bend_weight = bend_weight(layout.topology.corridors[corridor].lines.len());
            let mut route = None;
            for margin in [6, 20, 60] {
                let request = RouteRequest {
                    starts: &starts,
                    ends: &ends,
                    bend_weight,
                    max_cost: f32::MAX,
                    conflict_cost,
                    crowding_cost: 0.0,
                    node_cost: Some(&node_cost),
                    margin,
                };
                route = layout.router.find(&layout.grid, &request);
                if route.is_some() {
                    break;
                }
            }
            if let Some(route) = route {
                let ports = [0, 1].map(|side| {
                    assigned[layout.topology.corridors[corridor].junctions[side]]
                        [layout.topology.corridors[corridor].slots[side]]
                });
                layout.set_path(corridor, route.path, ports);
            }
        }
        if conflicts == 0 {
            return;
        }
        for (at, taken) in layout.grid.nodes.iter().enumerate() {
            if *taken > 1 && *taken < crate::routing_grid::OBSTACLE {
                history[at] += f32::from(*taken - 1) * 1.5;
            }
        }
        conflict_cost = (conflict_cost * 1.35).min(80.0);
    }
}

/// Removes all paths that are in conflict and routes them again. Returns the corridors that could not be routed.
fn remove_conflicts(layout: &mut GridLayout<'_>) -> Vec<usize> {
    let mut removed: Vec<usize> =
        (0..layout.paths.len()).filter(|&corridor| layout.paths[corridor].is_none()).collect();
    for corridor in 0..layout.paths.len() {
        let bad =
            layout.paths[corridor].as_ref().is_some_and(|path| layout.grid.conflicts(path) || crosses_itself(path));
        if bad {
            layout.remove_path(corridor);
            removed.push(corridor);
        }
    }
    removed.retain(|&corridor| !try_route(layout, corridor));
    removed
}

/// Routes a corridor without conflicts, with a growing search area.
fn try_route(layout: &mut GridLayout<'_>, corridor: usize) -> bool {
    [8, 30, 80].iter().any(|&margin| {
        let routed = layout.route(corridor, f32::MAX, margin).is_some();
        let good = routed && layout.preserves_faces(&[corridor]);
        if routed && !good {
            layout.remove_path(corridor);
        }
        good
    })
}

/// Routes the given corridors by ripping up the paths in their way, which are then rerouted. If that fails, the change
/// is undone. Returns the corridors that could not be routed, without trying any after an effort of `max_effort`.
pub(crate) fn rip_up_and_reroute(layout: &mut GridLayout<'_>, missing: Vec<usize>, max_effort: u64) -> Vec<usize> {
    let mut is_routed = |corridor: usize| {
        layout.router.effort < max_effort && try_route(layout, corridor)
            || [6.0, 15.0, 40.0]
                .iter()
                .any(|&conflict_cost| layout.router.effort < max_effort && rip_up(layout, corridor, conflict_cost))
    };
    missing.into_iter().filter(|&corridor| !is_routed(corridor)).collect()
}

fn rip_up(layout: &mut GridLayout<'_>, corridor: usize, conflict_cost: f32) -> bool {
    let (starts, ends) = (layout.terminals(corridor, 0), layout.terminals(corridor, 1));
    let bend_weight = bend_weight(layout.topology.corridors[corridor].lines.len());
    let request = RouteRequest {
        starts: &starts,
        ends: &ends,
        bend_weight,
        max_cost: f32::MAX,
        conflict_cost,
        crowding_cost: 0.0,
        node_cost: None,
        margin: 30,
    };
    let Some(route) = layout.router.find(&layout.grid, &request) else { return false };
    if crosses_itself(&route.path) {
        return false;
    }
    let ports = [layout.port_of(corridor, 0, &route.path), layout.port_of(corridor, 1, &route.path)];
    layout.set_path(corridor, route.path, ports);
    let blocking: Vec<usize> = (0..layout.paths.len())
        .filter(|&other| {
            other != corridor && layout.paths[other].as_ref().is_some_and(|path| layout.grid.conflicts(path))
        })
        .collect();
    let removed: Vec<RemovedPath> = blocking.iter().filter_map(|&other| layout.remove_path(other)).collect();
    if blocking.iter().all(|&other| try_route(layout, other)) && layout.preserves_faces(&[corridor]) {
        return true;
    }
    for &other in &blocking {
        layout.remove_path(other);
    }
    layout.remove_path(corridor);
    for old in removed {
        layout.restore(old);
    }
    false
}
