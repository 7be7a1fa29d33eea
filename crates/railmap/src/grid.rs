//! Which stations are near a window: a plain grid over the map, each cell listing the stations that reach into it.

use kaisatsu_model::Window;

use crate::Station;

/// Side of a cell: a fraction of the largest window, so that a window's cells hold little that is not in it.
const CELL: i64 = 128;

/// The most cells a grid has, however large the map.
const MAX_CELLS: i64 = 1 << 16;

#[derive(Debug)]
pub(crate) struct Grid {
    cell: i64,
    columns: i64,
    rows: i64,
    /// `items[starts[c]..starts[c + 1]]` are the stations of cell `c`.
    starts: Vec<usize>,
    items: Vec<usize>,
    /// What all shapes of each station cover together, side by side: most stations of a window are decided by it, without
    /// a look at the stations themselves.
    bounds: Vec<Window>,
}

impl Grid {
    pub(crate) fn of(extent: &Window, stations: &[Station]) -> Self {
        let mut cell = CELL;
        while (extent.width / cell + 1) * (extent.height / cell + 1) > MAX_CELLS {
            cell *= 2;
        }
        let (columns, rows) = (extent.width / cell + 1, extent.height / cell + 1);
        let mut grid = Self {
            cell,
            columns,
            rows,
            starts: Vec::new(),
            items: Vec::new(),
            bounds: stations.iter().map(covered).collect(),
        };
        let mut cells = vec![Vec::new(); grid.index(columns - 1, rows - 1) + 1];
        for (at, station) in stations.iter().enumerate() {
            for mark in &station.marks {
                grid.each_cell(&mark.shape.bounds(), |cell| {
                    if cells[cell].last() != Some(&at) {
                        cells[cell].push(at);
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

    /// Stations with a shape in the window, ascending. `touches` decides about those that are neither inside of it as a
    /// whole nor outside.
    pub(crate) fn stations_in(&self, window: &Window, touches: impl Fn(usize) -> bool) -> Vec<usize> {
        // One bit a station: a few words for a city, and ascending order comes for free.
        let mut near = vec![0_u64; self.bounds.len().div_ceil(64)];
        self.each_cell(window, |cell| {
            for &at in &self.items[self.starts[cell]..self.starts[cell + 1]] {
                near[at / 64] |= 1 << (at % 64);
            }
        });
        let mut found = Vec::with_capacity(32);
        for (word, mut bits) in near.into_iter().enumerate() {
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let bounds = &self.bounds[at];
                if window.contains(bounds) || (window.meets(bounds) && touches(at)) {
                    found.push(at);
                }
            }
        }
        found
    }

    fn each_cell(&self, window: &Window, mut visit: impl FnMut(usize)) {
        let span = |from: i64, to: i64, count: i64| {
            (from.div_euclid(self.cell).clamp(0, count - 1), to.div_euclid(self.cell).clamp(0, count - 1))
        };
        let (left, right) = span(window.x, window.right(), self.columns);
        let (top, bottom) = span(window.y, window.bottom(), self.rows);
        for row in top..=bottom {
            for column in left..=right {
                visit(self.index(column, row));
            }
        }
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
