//! A uniform grid index that finds the segments near a point.

use crate::geometry::Point;

/// Ids of segments, by the cells that they pass through.
#[derive(Debug)]
pub(crate) struct SegmentIndex {
    origin: Point,
    size: f64,
    columns: i64,
    rows: i64,
    ids: Vec<Vec<u32>>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "cells are few and clamped"
)]
impl SegmentIndex {
    /// Covers the box from `low` to `high`. Segments outside it are stored in the outermost cells.
    pub(crate) fn new(low: Point, high: Point, size: f64) -> Self {
        let columns = (((high.x - low.x) / size).ceil() as i64).clamp(1, 2_000);
        let rows = (((high.y - low.y) / size).ceil() as i64).clamp(1, 2_000);
        let size = size.max((high.x - low.x) / columns as f64).max((high.y - low.y) / rows as f64);
        Self { origin: low, size, columns, rows, ids: vec![Vec::new(); (columns * rows) as usize] }
    }

    pub(crate) fn insert(&mut self, id: u32, a: Point, b: Point) {
        self.for_each_cell_mut(a, b, 0.0, |cells, at| cells[at].push(id));
    }

    pub(crate) fn remove(&mut self, id: u32, a: Point, b: Point) {
        self.for_each_cell_mut(a, b, 0.0, |cells, at| {
            if let Some(found) = cells[at].iter().position(|&other| other == id) {
                cells[at].swap_remove(found);
            }
        });
    }

    /// Calls a function for every segment in a cell within `reach`. The same segment may be passed several times.
    pub(crate) fn query(&self, a: Point, b: Point, reach: f64, mut call: impl FnMut(u32)) {
        self.for_each_cell(a, b, reach, |at| self.ids[at].iter().for_each(|&id| call(id)));
    }

    fn for_each_cell_mut(&mut self, a: Point, b: Point, reach: f64, mut call: impl FnMut(&mut Vec<Vec<u32>>, usize)) {
        let mut found = Vec::new();
        self.for_each_cell(a, b, reach, |at| found.push(at));
        for at in found {
            call(&mut self.ids, at);
        }
    }

    /// Visits the cells row by row, from the first to the last column that the segment reaches in the row.
    fn for_each_cell(&self, a: Point, b: Point, reach: f64, mut call: impl FnMut(usize)) {
        let row_of = |y: f64| (((y - self.origin.y) / self.size).floor() as i64).clamp(0, self.rows - 1);
        let column_of = |x: f64| (((x - self.origin.x) / self.size).floor() as i64).clamp(0, self.columns - 1);
        let (low, high) = if a.y <= b.y { (a, b) } else { (b, a) };
        for row in row_of(low.y - reach)..=row_of(high.y + reach) {
            let top = self.origin.y + row as f64 * self.size - reach;
            let bottom = top + self.size + 2.0 * reach;
            let at = |y: f64| {
                let t = if high.y - low.y > 1e-12 { ((y - low.y) / (high.y - low.y)).clamp(0.0, 1.0) } else { 0.0 };
                low.x + (high.x - low.x) * t
            };
            let (mut left, mut right) = if high.y - low.y > 1e-12 { (at(top), at(bottom)) } else { (low.x, high.x) };
            // The outermost rows also contain everything beyond them.
            if row == 0 || row == self.rows - 1 {
                left = left.min(low.x).min(high.x);
                right = right.max(low.x).max(high.x);
            }
            let (left, right) = (left.min(right), left.max(right));
            for column in column_of(left - reach)..=column_of(right + reach) {
                call((row * self.columns + column) as usize);
            }
        }
    }
}
