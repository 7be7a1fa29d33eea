//! Makes a finished layout smaller, as long as every label still fits.

use std::collections::HashMap;

use kaisatsu_model::Window;

use crate::{
    expand::Axis,
    geometry::Point,
    grid_layout::GridLayout,
    labels::PlacedLabel,
    map_geometry::MapGeometry,
    routing_grid::{GridNode, RoutingGrid},
    seams,
};

/// The seams that are removed at once, at first.
const FIRST_BATCH: usize = 12;
/// How many label placements the search may cost: fewer on a large map, where each takes longer.
const EFFORT: usize = 60_000;
const MIN_TRIES: usize = 10;
/// With more stations, a placement takes about a second.
const LARGE: usize = 1_500;
const MAX_TRIES: usize = 60;
/// Failures in a row after which an axis is done.
const MAX_FAILURES: usize = 5;
/// What a corridor costs more in further seams after its seam failed.
const FAILURE_PENALTY: f32 = 0.6;

/// A layout with its geometry and labels.
pub(crate) struct Labelled {
    pub(crate) geometry: MapGeometry,
    pub(crate) placed: Vec<PlacedLabel>,
    /// Map units per grid step, and the origin of the map on the grid.
    pub(crate) cell: f64,
    pub(crate) shift: Point,
}

/// Removes seams while `label` finds a place for every label. It returns `None` where the layout is not acceptable.
pub(crate) fn compact(
    layout: &mut GridLayout<'_>,
    mut current: Labelled,
    label: &mut dyn FnMut(&GridLayout<'_>) -> Option<Labelled>,
) -> Labelled {
    let stations = current.placed.len().max(1);
    let tries = if stations > LARGE { MIN_TRIES } else { (EFFORT / stations).clamp(MIN_TRIES, MAX_TRIES) };
    let mut penalties = vec![0.0; layout.paths.len()];
    let mut axes = [(Axis::Columns, FIRST_BATCH, 0), (Axis::Rows, FIRST_BATCH, 0)];
    for turn in 0..tries {
        let (axis, batch, failures) = axes[turn % 2];
        if failures > MAX_FAILURES {
            if axes.iter().all(|axis| axis.2 > MAX_FAILURES) {
                break;
            }
            continue;
        }
        let before = Snapshot::of(layout);
        let crossed = remove_batch(layout, axis, batch, &current, &penalties);
        if crossed.is_empty() {
            axes[turn % 2].2 = MAX_FAILURES + 1;
            continue;
        }
        let is_sound = !has_adjacent_bodies(layout) && layout.faces.inverted(&layout.paths) == 0;
        if let Some(labelled) = is_sound.then(|| label(layout)).flatten() {
            current = labelled;
            axes[turn % 2] = (axis, batch, 0);
        } else {
            before.restore(layout);
            if batch == 1 {
                for corridor in crossed {
                    penalties[corridor] += FAILURE_PENALTY;
                }
            }
            axes[turn % 2] = (axis, batch.div_ceil(3), failures + usize::from(batch == 1));
        }
    }
    current
}

/// Removes some seams. Returns the corridors that they crossed.
fn remove_batch(
    layout: &mut GridLayout<'_>,
    axis: Axis,
    batch: usize,
    current: &Labelled,
    penalties: &[f32],
) -> Vec<usize> {
    let labels: Vec<Window> = current.placed.iter().map(|placed| placed.rect).collect();
    let mut crossed = Vec::new();
    for _ in 0..batch {
        let Some(seam) = seams::find(layout, axis, &labels, (current.cell, current.shift), penalties) else { break };
        crossed.extend(seams::crossed(layout, axis, &seam));
        seams::remove(layout, axis, &seam);
    }
    crossed.sort_unstable();
    crossed.dedup();
    crossed
}

/// Whether two junctions are side by side, so that their marks would touch.
fn has_adjacent_bodies(layout: &GridLayout<'_>) -> bool {
    let mut owner: HashMap<GridNode, usize> = HashMap::new();
    for junction in 0..layout.positions.len() {
        owner.extend(layout.footprints[junction].nodes(layout.positions[junction]).map(|node| (node, junction)));
    }
    owner.iter().any(|(node, junction)| {
        (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).any(|(dx, dy)| {
            let near = GridNode { x: node.x + dx, y: node.y + dy };
            owner.get(&near).is_some_and(|other| other != junction)
        })
    })
}

/// The state of a layout, to go back to.
struct Snapshot {
    positions: Vec<GridNode>,
    paths: Vec<Option<Vec<GridNode>>>,
    grid: RoutingGrid,
}

impl Snapshot {
    fn of(layout: &GridLayout<'_>) -> Self {
        Self { positions: layout.positions.clone(), paths: layout.paths.clone(), grid: layout.grid.clone() }
    }

    fn restore(self, layout: &mut GridLayout<'_>) {
        layout.positions = self.positions;
        layout.paths = self.paths;
        layout.grid = self.grid;
        layout.reset_targets();
    }
}
