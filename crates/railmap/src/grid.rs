//! Which stations are near a window: a plain grid over the map, each cell listing the stations that reach into it.

use std::ops::RangeInclusive;

use kaisatsu_model::{Shape, Window};
use smallvec::SmallVec;

use crate::Station;

/// Side of a cell as a power of two: a fraction of the largest window, so that a window's cells hold little that is not
/// in it.
const CELL: u32 = 7;

/// The most cells a grid has, however large the map.
const MAX_CELLS: i64 = 1 << 16;

/// A shape over more cells than this is in none of them: a few large shapes would take more memory than all others. It is looked at for
/// every window.
const WIDE: i64 = 1_024;

#[derive(Debug)]
pub(crate) struct Grid {
    /// The side of a cell is two to this power.
    cell: u32,
    columns: i64,
    rows: i64,
    /// `items[starts[c]..starts[c + 1]]` are the stations of cell `c`; the cells of a row follow each other.
    starts: Vec<usize>,
    items: Vec<usize>,
    /// Stations with a shape that is too wide for cells.
    wide: Vec<usize>,
    /// What all shapes of each station cover together, side by side: most stations of a window are decided by it, without
    /// a look at the stations themselves.
    bounds: Vec<Window>,
    /// `shapes[firsts[s]..firsts[s + 1]]` are the shapes of station `s`, for those that bounds do not decide.
    firsts: Vec<usize>,
    shapes: Vec<Shape>,
}

impl Grid {
    pub(crate) fn of(extent: &Window, stations: &[Station]) -> Self {
        let mut cell = CELL;
        let size = |cell: u32| ((extent.width >> cell) + 1, (extent.height >> cell) + 1);
        while size(cell).0 * size(cell).1 > MAX_CELLS {
            cell += 1;
        }
        let (columns, rows) = size(cell);
        let mut grid = Self {
            cell,
            columns,
            rows,
            starts: Vec::new(),
            items: Vec::new(),
            wide: Vec::new(),
            bounds: stations.iter().map(covered).collect(),
            firsts: vec![0],
            shapes: Vec::new(),
        };
        let mut cells = vec![Vec::new(); grid.index(columns - 1, rows - 1) + 1];
        for (at, station) in stations.iter().enumerate() {
            grid.shapes.extend(station.marks.iter().map(|mark| mark.shape));
            grid.firsts.push(grid.shapes.len());
            for mark in &station.marks {
                if grid.count(&mark.shape.bounds()) > WIDE {
                    if grid.wide.last() != Some(&at) {
                        grid.wide.push(at);
                    }
                    continue;
                }
                grid.each_row(&mark.shape.bounds(), |row| {
                    for cell in &mut cells[row] {
                        if cell.last() != Some(&at) {
                            cell.push(at);
                        }
                    }
                });
            }
        }
        grid.starts.push(0);
        for cell in cells {
            grid.items.extend(cell);
            grid.starts.push(grid.items.len());
        }
        grid
    }

    /// The indices of the stations with a shape in the window, ascending.
    pub(crate) fn stations_in(&self, window: &Window) -> Vec<usize> {
        // One bit a station: a few words for a city, and ascending order comes for free.
        let mut near: SmallVec<[u64; 16]> = SmallVec::from_elem(0, self.bounds.len().div_ceil(64));
        self.each_row(window, |row| {
            for &at in &self.items[self.starts[*row.start()]..self.starts[row.end() + 1]] {
                near[at / 64] |= 1 << (at % 64);
            }
        });
        for &at in &self.wide {
            near[at / 64] |= 1 << (at % 64);
        }
        let mut found = Vec::with_capacity(32);
        for (word, mut bits) in near.into_iter().enumerate() {
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let bounds = &self.bounds[at];
                if window.contains(bounds) || (window.meets(bounds) && self.touches(at, window)) {
                    found.push(at);
                }
            }
        }
        found
    }

    fn touches(&self, station: usize, window: &Window) -> bool {
        let shapes = &self.shapes[self.firsts[station]..self.firsts[station + 1]];
        shapes.iter().any(|shape| shape.touches(window))
    }

    /// The cells that a window reaches into, row by row.
    fn each_row(&self, window: &Window, mut visit: impl FnMut(RangeInclusive<usize>)) {
        let ((left, right), (top, bottom)) = self.span(window);
        for row in top..=bottom {
            visit(self.index(left, row)..=self.index(right, row));
        }
    }

    /// How many cells a window reaches into.
    fn count(&self, window: &Window) -> i64 {
        let ((left, right), (top, bottom)) = self.span(window);
        (right - left + 1) * (bottom - top + 1)
    }

    /// The columns and the rows that a window reaches into: the first and the last of each.
    fn span(&self, window: &Window) -> ((i64, i64), (i64, i64)) {
        let span = |from: i64, to: i64, count: i64| {
            ((from >> self.cell).clamp(0, count - 1), (to >> self.cell).clamp(0, count - 1))
        };
        (span(window.x, window.right(), self.columns), span(window.y, window.bottom(), self.rows))
    }

    fn index(&self, column: i64, row: i64) -> usize {
        usize::try_from(row * self.columns + column).unwrap_or(0)
    }
}

/// What all shapes of a station cover together. A station without shapes, which no checked map has, covers nothing that
/// could be asked for.
fn covered(station: &Station) -> Window {
    let shapes = station.marks.iter().map(|mark| mark.shape.bounds());
    shapes.reduce(|all, one| all.union(&one)).unwrap_or(Window {
        x: i64::MIN / 4,
        y: i64::MIN / 4,
        width: 0,
        height: 0,
    })
}
