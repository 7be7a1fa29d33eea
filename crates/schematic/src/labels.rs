//! Label placement: no label overlaps another label, a mark or a line.
//!
//! Every station has a list of label candidates that touch no line and no mark. Labels are placed one after another,
//! those with the fewest candidates first. A label without a free candidate evicts others, which are placed again. Each
//! eviction makes a label more expensive to evict, so the search does not cycle.

mod candidates;
mod variants;

use std::collections::VecDeque;

use kaisatsu_model::Window;
use kaisatsu_railmap::Label;

use crate::{
    geometry::Point,
    grid_layout::GridLayout,
    line_geometry,
    map_geometry::{MapGeometry, stop_on},
};
pub(crate) use candidates::segment_intersects_box;
use candidates::{Candidate, Obstacles};
pub(crate) use variants::LabelVariants;

/// The distance between two labels.
const LABEL_GAP: i64 = 2;

/// A placed label.
#[derive(Debug, Clone)]
pub(crate) struct PlacedLabel {
    pub(crate) label: Label,
    pub(crate) rect: Window,
}

/// Places the labels of all stations; `None` for those that do not fit.
pub(crate) fn place_labels(geometry: &MapGeometry, variants: &LabelVariants, far: bool) -> Vec<Option<PlacedLabel>> {
    let obstacles = Obstacles::of(geometry);
    let candidates: Vec<Vec<Candidate>> = geometry
        .stops
        .iter()
        .enumerate()
        .map(|(at, stop)| candidates::candidates((at, stop), variants.of_station(at), &obstacles, far))
        .collect();
    let selected = LabelPlacement::new(geometry, &candidates).solve();
    selected
        .into_iter()
        .enumerate()
        .map(|(at, selected)| {
            let candidate = &candidates[at][selected?];
            Some(PlacedLabel { label: variants.of_station(at)[candidate.variant].label.clone(), rect: candidate.rect })
        })
        .collect()
}

/// Moves stations whose labels do not fit along their corridors, to where a candidate exists. Returns whether any
/// moved.
pub(crate) fn nudge(
    geometry: &MapGeometry,
    variants: &LabelVariants,
    layout: &GridLayout<'_>,
    unplaced: &[usize],
    (cell, shift): (f64, Point),
    nudges: &mut [f64],
) -> bool {
    let obstacles = Obstacles::of(geometry);
    let centerlines = line_geometry::centerlines(layout, cell, shift);
    let mut moved = false;
    for &station in unplaced {
        let Some((corridor, order)) = geometry.stops[station].on_corridor else { continue };
        let variants = variants.of_station(station);
        let found = [0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.4, -0.4].into_iter().find(|nudge| {
            let stop = stop_on(layout.topology, corridor, order, *nudge, &centerlines[corridor]);
            (*nudge - nudges[station]).abs() > 0.01
                && !candidates::candidates((station, &stop), variants, &obstacles, false).is_empty()
        });
        nudges[station] = found.unwrap_or(0.0);
        moved |= found.is_some();
    }
    moved
}

/// Counts the labels that are nearer to the mark of another station than to their own, on the finished map.
pub(crate) fn misleading(geometry: &MapGeometry, placed: &[PlacedLabel]) -> usize {
    let obstacles = Obstacles::of(geometry);
    placed.iter().enumerate().filter(|(station, placed)| !obstacles.is_nearest(&placed.rect, *station)).count()
}

/// Counts the labels that overlap another label, a mark or a line, on the finished map.
pub(crate) fn overlaps(geometry: &MapGeometry, placed: &[PlacedLabel]) -> usize {
    let obstacles = Obstacles::of(geometry);
    let mut count = placed.iter().filter(|one| !obstacles.is_clear(&one.rect)).count();
    let mut order: Vec<&Window> = placed.iter().map(|one| &one.rect).collect();
    order.sort_by_key(|rect| (rect.x, rect.y));
    for (at, one) in order.iter().enumerate() {
        let following = order[at + 1..].iter().take_while(|two| two.x < one.right());
        count += following.filter(|two| two.y < one.bottom() && one.y < two.bottom()).count();
    }
    count
}

struct LabelPlacement<'a> {
    candidates: &'a [Vec<Candidate>],
    /// Adjacent stations on a corridor.
    neighbours: Vec<Vec<usize>>,
    selected: Vec<Option<usize>>,
    /// The cost of evicting each label.
    eviction_costs: Vec<f32>,
    index: LabelIndex,
}

impl<'a> LabelPlacement<'a> {
    fn new(geometry: &MapGeometry, candidates: &'a [Vec<Candidate>]) -> Self {
        let mut on_link: Vec<(usize, usize, usize)> = geometry
            .stops
            .iter()
            .enumerate()
            .filter_map(|(at, stop)| stop.on_corridor.map(|(corridor, order)| (corridor, order, at)))
            .collect();
        on_link.sort_unstable();
        let mut neighbours = vec![Vec::new(); candidates.len()];
        for pair in on_link.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            neighbours[pair[0].2].push(pair[1].2);
            neighbours[pair[1].2].push(pair[0].2);
        }
        Self {
            candidates,
            neighbours,
            selected: vec![None; candidates.len()],
            eviction_costs: vec![4.0; candidates.len()],
            index: LabelIndex::new(candidates),
        }
    }

    fn solve(mut self) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..self.candidates.len()).filter(|&at| !self.candidates[at].is_empty()).collect();
        order.sort_by_key(|&at| (self.candidates[at].len(), at));
        let mut waiting: VecDeque<usize> = order.iter().copied().collect();
        let mut remaining_steps = order.len() * 40 + 2_000;
        while let Some(station) = waiting.pop_front() {
            if remaining_steps == 0 {
                break;
            }
            remaining_steps -= 1;
            let (candidate, evicted) = self.best_candidate(station);
            for other in evicted {
                self.deselect(other);
                self.eviction_costs[other] += 1.5;
                waiting.push_back(other);
            }
            self.select(station, candidate);
        }
        // The remaining labels use only free candidates.
        for _ in 0..3 {
            for &station in &order {
                self.improve(station);
            }
        }
        self.selected
    }

    /// The candidate with the lowest cost, including the cost of the labels that it evicts.
    fn best_candidate(&self, station: usize) -> (usize, Vec<usize>) {
        let mut best = (f32::MAX, 0, Vec::new());
        for (at, candidate) in self.candidates[station].iter().enumerate() {
            let mut cost = candidate.cost - self.consistency_bonus(station, candidate);
            if cost >= best.0 {
                continue;
            }
            let evicted = self.index.overlapping(&candidate.rect, self.candidates, &self.selected, station);
            cost += evicted.iter().map(|&other| self.eviction_costs[other]).sum::<f32>();
            if cost < best.0 {
                best = (cost, at, evicted);
            }
        }
        (best.1, best.2)
    }

    /// The bonus for a candidate on the same side and in the same orientation as those of the neighbours.
    fn consistency_bonus(&self, station: usize, candidate: &Candidate) -> f32 {
        let alike = |other: &&usize| {
            self.selected[**other].is_some_and(|selected| {
                let there = &self.candidates[**other][selected];
                there.side == candidate.side && there.down == candidate.down
            })
        };
        #[expect(clippy::cast_precision_loss, reason = "two neighbours at most")]
        let count = self.neighbours[station].iter().filter(alike).count() as f32;
        count * 0.6
    }

    /// Moves a label to a better free candidate, if there is one.
    fn improve(&mut self, station: usize) {
        let old = self.selected[station];
        if old.is_some() {
            self.deselect(station);
        }
        let mut best: Option<(f32, usize)> = None;
        for (at, candidate) in self.candidates[station].iter().enumerate() {
            let cost = candidate.cost - self.consistency_bonus(station, candidate);
            if best.is_none_or(|(least, _)| cost < least)
                && self.index.overlapping(&candidate.rect, self.candidates, &self.selected, station).is_empty()
            {
                best = Some((cost, at));
            }
        }
        if let Some(at) = best.map(|(_, at)| at).or(old) {
            self.select(station, at);
        }
    }

    fn select(&mut self, station: usize, candidate: usize) {
        self.selected[station] = Some(candidate);
        self.index.add(station, &self.candidates[station][candidate].rect);
    }

    fn deselect(&mut self, station: usize) {
        if let Some(candidate) = self.selected[station].take() {
            self.index.remove(station, &self.candidates[station][candidate].rect);
        }
    }
}

/// Labels by the grid cells that they cover.
struct LabelIndex {
    columns: i64,
    rows: i64,
    cells: Vec<Vec<u32>>,
}

const CELL_SIZE: i64 = 64;

#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "cells are clamped; stations are few")]
impl LabelIndex {
    fn new(candidates: &[Vec<Candidate>]) -> Self {
        let rects = || candidates.iter().flatten().map(|candidate| &candidate.rect);
        let columns = rects().map(Window::right).max().unwrap_or(0).max(0) / CELL_SIZE + 1;
        let rows = rects().map(Window::bottom).max().unwrap_or(0).max(0) / CELL_SIZE + 1;
        Self { columns, rows, cells: vec![Vec::new(); (columns * rows) as usize] }
    }

    fn cells(&self, rect: &Window) -> impl Iterator<Item = usize> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        let span = |low: i64, high: i64, most: i64| {
            ((low - LABEL_GAP) / CELL_SIZE).clamp(0, most - 1)..=((high + LABEL_GAP) / CELL_SIZE).clamp(0, most - 1)
        };
        let across = span(rect.x, rect.right(), columns);
        span(rect.y, rect.bottom(), rows)
            .flat_map(move |row| across.clone().map(move |column| (row * columns + column) as usize))
    }

    fn add(&mut self, station: usize, rect: &Window) {
        for cell in self.cells(rect) {
            self.cells[cell].push(station as u32);
        }
    }

    fn remove(&mut self, station: usize, rect: &Window) {
        for cell in self.cells(rect) {
            self.cells[cell].retain(|&other| other as usize != station);
        }
    }

    /// The stations whose labels overlap a rect.
    fn overlapping(
        &self,
        rect: &Window,
        candidates: &[Vec<Candidate>],
        selected: &[Option<usize>],
        own: usize,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        for cell in self.cells(rect) {
            for &other in &self.cells[cell] {
                let other = other as usize;
                if other == own || found.contains(&other) {
                    continue;
                }
                let Some(there) = selected[other].map(|selected| &candidates[other][selected].rect) else { continue };
                let apart = rect.x >= there.right() + LABEL_GAP
                    || there.x >= rect.right() + LABEL_GAP
                    || rect.y >= there.bottom() + LABEL_GAP
                    || there.y >= rect.bottom() + LABEL_GAP;
                if !apart {
                    found.push(other);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Circle, Rect, Shape, Window};
    use kaisatsu_railmap::Label;

    use super::{PlacedLabel, candidates, misleading, variants::LabelVariant};
    use crate::map_geometry::{MapGeometry, Stop};

    /// A round mark around (100, 100) with a radius of 5, and a wide one from (130, 95) to (170, 105).
    fn geometry() -> MapGeometry {
        let marks = [
            Shape::Circle(Circle { x: 100, y: 100, r: 5 }),
            Shape::Rect(Rect { x: 130, y: 95, width: 40, height: 10 }),
        ];
        let stop = |mark: Shape| Stop { mark, chamfering: false, extent: mark.bounds(), on_corridor: None };
        MapGeometry {
            stops: marks.map(stop).to_vec(),
            line_paths: Vec::new(),
            centerlines: Vec::new(),
            connectors: Vec::new(),
            bundle_crossings: 0,
        }
    }

    fn count(first: Window, second: Window) -> usize {
        let placed = [first, second].map(|rect| PlacedLabel { label: Label::plain("駅"), rect });
        misleading(&geometry(), &placed)
    }

    #[test]
    fn a_label_belongs_to_the_nearest_mark() {
        let right_of_first = Window { x: 108, y: 94, width: 12, height: 12 };
        let left_of_second = Window { x: 115, y: 94, width: 12, height: 12 };
        let below_second = Window { x: 144, y: 108, width: 12, height: 12 };
        assert_eq!(count(right_of_first, below_second), 0);
        assert_eq!(count(left_of_second, below_second), 1, "3 from the other mark, 10 from its own");
        assert_eq!(count(right_of_first, left_of_second), 0, "the second one is 3 from its own mark");
        assert_eq!(count(below_second, right_of_first), 2);
    }

    #[test]
    fn a_place_nearer_to_another_mark_is_no_candidate() {
        let geometry = geometry();
        let obstacles = candidates::Obstacles::of(&geometry);
        // To the right of the first mark, it would be 3 from it and 2 from the second.
        let variant = LabelVariant { label: Label::plain("駅"), width: 20, height: 12, cost: 0.0 };
        let found = candidates::candidates((0, &geometry.stops[0]), &[variant], &obstacles, false);
        assert!(found.iter().any(|candidate| candidate.side == 4));
        assert!(found.iter().all(|candidate| obstacles.is_nearest(&candidate.rect, 0)));
    }

    #[test]
    fn the_distance_from_a_round_mark_is_that_from_its_rim() {
        // 7.7 from the rim, though the box around the mark is nearer, and 8.1 or 5.7 from the wide mark.
        let corner = Window { x: 109, y: 109, width: 14, height: 3 };
        assert_eq!(count(corner, Window { x: 144, y: 108, width: 12, height: 12 }), 0);
        assert_eq!(count(Window { width: 17, ..corner }, Window { x: 144, y: 108, width: 12, height: 12 }), 1);
    }
}
