//! Makes a finished layout smaller and more even, as long as every label still fits.

use std::collections::HashMap;

use kaisatsu_model::Window;

use crate::{
    expand::Axis,
    geometry::Point,
    grid_layout::GridLayout,
    labels::PlacedLabel,
    map_geometry::MapGeometry,
    room::label_cells,
    routing_grid::{GridNode, RoutingGrid},
    seams,
    shift_costs::total_cost,
    shifts::{self, LabelCells},
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
/// What a corridor costs more in further seams and shifts after one that it was part of failed.
const FAILURE_PENALTY: f32 = 0.6;
/// The share of the label placements that seams may cost. The others are for shifts.
const SEAM_TRIES: (usize, usize) = (3, 5);
/// The shifts that are made at once, at first.
const FIRST_SHIFTS: usize = 3;
/// After so many shifts that turn out to be worth nothing, a batch ends.
const MAX_REJECTED: usize = 12;
/// A shift must lower the cost of the layout by this much.
const MIN_SAVING: f32 = 0.2;

/// How many times all of this is done, with enough effort.
const PASSES: usize = 3;
/// How much more the room of a label costs after it found no place.
const STIFFER: f32 = 4.0;
const MAX_STIFFNESS: f32 = 64.0;

/// A layout with its geometry and labels.
pub(crate) struct Labelled {
    pub(crate) geometry: MapGeometry,
    pub(crate) placed: Vec<PlacedLabel>,
    /// Map units per grid step, and the origin of the map on the grid.
    pub(crate) cell: f64,
    pub(crate) shift: Point,
}

impl Labelled {
    fn cells(&self, layout: &GridLayout<'_>, stiffness: &[f32]) -> Vec<LabelCells> {
        let labels = self.placed.iter().map(|placed| placed.rect).enumerate();
        let with_stiffness = labels.map(|(station, rect)| (station, rect, stiffness[station]));
        label_cells(layout, &self.geometry, with_stiffness, (self.cell, self.shift))
    }
}

/// Places the labels on a changed layout. The error has the stations whose labels do not fit; none if the layout is
/// not acceptable for another reason.
pub(crate) type Label<'a> = dyn FnMut(&GridLayout<'_>) -> Result<Labelled, Vec<usize>> + 'a;

/// Removes seams, then shifts parts, while `label` finds a place for every label. With more effort, it does so for
/// longer, and again.
pub(crate) fn compact(
    layout: &mut GridLayout<'_>,
    mut current: Labelled,
    label: &mut Label<'_>,
    effort: usize,
) -> Labelled {
    let stations = current.placed.len().max(1);
    let tries = if stations > LARGE { MIN_TRIES } else { (EFFORT / stations).clamp(MIN_TRIES, MAX_TRIES) };
    for _ in 0..effort.min(PASSES) {
        current = compact_once(layout, current, label, (tries * effort, effort > 1));
    }
    current
}

/// With `learns`, the room of labels that found no place becomes more expensive, and what failed is tried again later.
/// It takes longer.
fn compact_once(
    layout: &mut GridLayout<'_>,
    mut current: Labelled,
    label: &mut Label<'_>,
    (tries, learns): (usize, bool),
) -> Labelled {
    let mut penalties = vec![0.0; layout.paths.len()];
    let mut stiffness = vec![1.0_f32; current.placed.len()];
    let mut axes = [(Axis::Columns, FIRST_BATCH, 0), (Axis::Rows, FIRST_BATCH, 0)];
    let seam_tries = tries * SEAM_TRIES.0 / SEAM_TRIES.1;
    for turn in 0..seam_tries {
        let (axis, batch, failures) = axes[turn % 2];
        if failures > MAX_FAILURES {
            if axes.iter().all(|axis| axis.2 > MAX_FAILURES) {
                break;
            }
            continue;
        }
        let before = Snapshot::of(layout);
        let crossed = remove_batch(layout, axis, batch, &current, (&penalties, &stiffness));
        if crossed.is_empty() {
            axes[turn % 2].2 = MAX_FAILURES + 1;
            continue;
        }
        let is_sound = !has_adjacent_bodies(layout) && layout.faces.inverted(&layout.paths) == 0;
        let result = if is_sound { label(layout) } else { Err(Vec::new()) };
        if let Ok(labelled) = result {
            current = labelled;
            axes[turn % 2] = (axis, batch, 0);
        } else {
            before.restore(layout);
            if batch == 1 {
                if learns {
                    stiffen(&mut stiffness, result.err().unwrap_or_default());
                }
                for corridor in crossed {
                    penalties[corridor] += FAILURE_PENALTY;
                }
            }
            axes[turn % 2] = (axis, batch.div_ceil(3), failures + usize::from(batch == 1));
        }
    }
    shift_parts(layout, current, label, (tries - seam_tries, learns, stiffness))
}

/// Makes the room of labels that found no place more expensive.
fn stiffen(stiffness: &mut [f32], missing: Vec<usize>) {
    for station in missing {
        stiffness[station] = (stiffness[station] * STIFFER).min(MAX_STIFFNESS);
    }
}

/// Shifts parts of the map while `label` finds a place for every label.
fn shift_parts(
    layout: &mut GridLayout<'_>,
    mut current: Labelled,
    label: &mut Label<'_>,
    (tries, learns, mut stiffness): (usize, bool, Vec<f32>),
) -> Labelled {
    let mut shifting = Shifting::of(layout);
    let (mut batch, mut failures, mut is_steady) = (FIRST_SHIFTS, 0, false);
    let mut fresh = 0;
    for _ in 0..tries {
        let before = Snapshot::of(layout);
        let (changed, done) = shifting.shift(layout, batch, &current.cells(layout, &stiffness));
        if done == 0 && fresh > 0 && learns {
            // What was not worth it may be now.
            shifting.penalties.fill(0.0);
            fresh = 0;
            continue;
        }
        if done == 0 || failures > MAX_FAILURES {
            before.restore(layout);
            break;
        }
        match label(layout) {
            Ok(labelled) => {
                current = labelled;
                failures = 0;
                batch += usize::from(is_steady);
                is_steady = true;
                fresh += done;
            }
            Err(missing) => {
                before.restore(layout);
                is_steady = false;
                batch = done.div_ceil(3);
                if done == 1 {
                    failures += 1;
                    let is_learnt = learns && missing.iter().any(|&station| stiffness[station] < MAX_STIFFNESS);
                    if learns {
                        stiffen(&mut stiffness, missing);
                    }
                    if !is_learnt {
                        shifting.penalise(changed);
                    }
                }
            }
        }
    }
    current
}

/// A search for shifts, with what it has learnt.
struct Shifting {
    /// What each corridor costs more, because a shift of it failed.
    penalties: Vec<f32>,
    /// How many directions were tried.
    turns: usize,
}

impl Shifting {
    fn of(layout: &GridLayout<'_>) -> Self {
        Self { penalties: vec![0.0; layout.paths.len()], turns: 0 }
    }

    fn penalise(&mut self, corridors: Vec<usize>) {
        for corridor in corridors {
            self.penalties[corridor] += FAILURE_PENALTY;
        }
    }

    /// Makes up to `most` shifts that are worth it. Returns the corridors that they changed, and their number.
    fn shift(&mut self, layout: &mut GridLayout<'_>, most: usize, labels: &[LabelCells]) -> (Vec<usize>, usize) {
        let mut changed = Vec::new();
        let (mut done, mut idle, mut rejected) = (0, 0, 0);
        while done < most && idle < shifts::DIRECTIONS.len() && rejected <= MAX_REJECTED {
            let by = shifts::DIRECTIONS[self.turns % shifts::DIRECTIONS.len()];
            self.turns += 1;
            let Some(shift) = shifts::find(layout, by, labels, &self.penalties) else {
                idle += 1;
                continue;
            };
            let corridors = shift.changed(layout);
            let (before, cost) = (Snapshot::of(layout), total_cost(layout));
            let is_better = shift.apply(layout)
                && total_cost(layout) < cost - MIN_SAVING
                && !has_adjacent_bodies(layout)
                && layout.faces.inverted(&layout.paths) == 0;
            if is_better {
                changed.extend(corridors);
                done += 1;
                idle = 0;
            } else {
                // The cut counts each step by itself; some do not fit together.
                before.restore(layout);
                rejected += 1;
                self.penalise(corridors);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        (changed, done)
    }
}

/// Removes some seams. Returns the corridors that they crossed.
fn remove_batch(
    layout: &mut GridLayout<'_>,
    axis: Axis,
    batch: usize,
    current: &Labelled,
    (penalties, stiffness): (&[f32], &[f32]),
) -> Vec<usize> {
    let labels: Vec<(Window, f32)> =
        current.placed.iter().map(|placed| placed.rect).zip(stiffness.iter().copied()).collect();
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
pub(crate) fn has_adjacent_bodies(layout: &GridLayout<'_>) -> bool {
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
pub(crate) struct Snapshot {
    positions: Vec<GridNode>,
    paths: Vec<Option<Vec<GridNode>>>,
    grid: RoutingGrid,
}

impl Snapshot {
    pub(crate) fn of(layout: &GridLayout<'_>) -> Self {
        Self { positions: layout.positions.clone(), paths: layout.paths.clone(), grid: layout.grid.clone() }
    }

    pub(crate) fn restore(self, layout: &mut GridLayout<'_>) {
        layout.positions = self.positions;
        layout.paths = self.paths;
        layout.grid = self.grid;
        layout.reset_targets();
    }
}
