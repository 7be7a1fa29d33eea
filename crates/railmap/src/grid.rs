//! A uniform grid index: each cell lists the stations with a shape in it, so that a window is searched cell by cell.

use std::ops::RangeInclusive;

use kaisatsu_model::{Shape, Window};
use smallvec::SmallVec;

use crate::Station;

/// Binary logarithm of the smallest cell size. A cell is much smaller than the largest window, so that the cells of a
/// window contain few stations outside it.
const MIN_CELL_SHIFT: u32 = 7;

/// The most cells in a grid. The cells of a large map are larger instead.
const MAX_CELLS: i64 = 1 << 16;

/// A shape that covers more cells than this is not stored in cells, where a few large shapes would take more memory
/// than all others. Every search tests it.
const MAX_CELLS_PER_SHAPE: i64 = 1_024;

#[derive(Debug)]
pub(crate) struct Grid {
    /// Binary logarithm of the cell size.
    cell: u32,
    columns: i64,
    rows: i64,
    /// `cell_stations[cell_starts[c]..cell_starts[c + 1]]` are the stations of cell `c`. Cells are in row-major order.
    cell_starts: Vec<usize>,
    cell_stations: Vec<usize>,
    /// Stations with a shape that covers too many cells.
    oversized: Vec<usize>,
    /// The bounding box of each station's shapes. It decides most stations without a look at their shapes.
    bounds: Vec<Window>,
    /// `shapes[shape_starts[s]..shape_starts[s + 1]]` are the shapes of station `s`.
    shape_starts: Vec<usize>,
    shapes: Vec<Shape>,
}

impl Grid {
    pub(crate) fn of(extent: &Window, stations: &[Station]) -> Self {
        let mut cell = MIN_CELL_SHIFT;
        let size = |cell: u32| ((extent.width >> cell) + 1, (extent.height >> cell) + 1);
        while size(cell).0 * size(cell).1 > MAX_CELLS {
            cell += 1;
        }
        let (columns, rows) = size(cell);
        let mut grid = Self {
            cell,
            columns,
            rows,
            cell_starts: Vec::new(),
            cell_stations: Vec::new(),
            oversized: Vec::new(),
            bounds: stations.iter().map(station_bounds).collect(),
            shape_starts: vec![0],
            shapes: Vec::new(),
        };
        let mut cells = vec![Vec::new(); grid.index(columns - 1, rows - 1) + 1];
        for (at, station) in stations.iter().enumerate() {
            grid.shapes.extend(station.marks.iter().map(|mark| mark.shape));
            grid.shape_starts.push(grid.shapes.len());
            for mark in &station.marks {
                if grid.count(&mark.shape.bounds()) > MAX_CELLS_PER_SHAPE {
                    if grid.oversized.last() != Some(&at) {
                        grid.oversized.push(at);
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
        grid.cell_starts.push(0);
        for cell in cells {
            grid.cell_stations.extend(cell);
            grid.cell_starts.push(grid.cell_stations.len());
        }
        grid
    }

    /// The indices of the stations with a shape in the window, in ascending order.
    pub(crate) fn stations_in(&self, window: &Window) -> Vec<usize> {
        // A bit set with one bit per station: small, and iterated in ascending order.
        let mut near: SmallVec<[u64; 16]> = SmallVec::from_elem(0, self.bounds.len().div_ceil(64));
        self.each_row(window, |row| {
            for &at in &self.cell_stations[self.cell_starts[*row.start()]..self.cell_starts[row.end() + 1]] {
                near[at / 64] |= 1 << (at % 64);
            }
        });
        for &at in &self.oversized {
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
        let shapes = &self.shapes[self.shape_starts[station]..self.shape_starts[station + 1]];
        shapes.iter().any(|shape| shape.touches(window))
    }

    /// Visits the cells that a window covers, one range per row.
    fn each_row(&self, window: &Window, mut visit: impl FnMut(RangeInclusive<usize>)) {
        let ((left, right), (top, bottom)) = self.span(window);
        for row in top..=bottom {
            visit(self.index(left, row)..=self.index(right, row));
        }
    }

    /// How many cells a window covers.
    fn count(&self, window: &Window) -> i64 {
        let ((left, right), (top, bottom)) = self.span(window);
        (right - left + 1) * (bottom - top + 1)
    }

    /// The first and the last column, and the first and the last row, that a window covers.
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

/// The bounding box of a station's shapes. A station without shapes, which the validator rejects, is in no cell.
fn station_bounds(station: &Station) -> Window {
    let shapes = station.marks.iter().map(|mark| mark.shape.bounds());
    shapes.reduce(|all, one| all.union(&one)).unwrap_or(Window { x: 0, y: 0, width: 0, height: 0 })
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Circle, Position, Rect, Shape, StationCode, TransportKind, Window};

    use super::Grid;
    use crate::{Label, Mark, Station};

    fn station(code: i64, shape: Shape) -> Station {
        Station {
            code: StationCode::new(code).unwrap(),
            name: "s".to_owned(),
            yomi: String::new(),
            translation: String::new(),
            kind: TransportKind::Train,
            prefecture: None,
            position: Position::new(0.0, 0.0).unwrap(),
            formerly: Vec::new(),
            numbers: Vec::new(),
            numbers_at: None,
            label: Label::plain("s"),
            marks: vec![Mark { shape, chamfering: false, is_text: false }],
        }
    }

    fn extent(width: i64, height: i64) -> Window {
        Window { x: 0, y: 0, width, height }
    }

    /// The stations of the cells that a window covers, which a search looks at.
    fn of_cells(grid: &Grid, window: &Window) -> Vec<usize> {
        let mut found = Vec::new();
        grid.each_row(window, |row| {
            found.extend(&grid.cell_stations[grid.cell_starts[*row.start()]..grid.cell_starts[row.end() + 1]]);
        });
        found
    }

    #[test]
    fn a_search_looks_only_at_the_stations_in_the_cells_of_its_window() {
        let (columns, rows) = (5, 3);
        let middles = (0..rows).flat_map(|row| (0..columns).map(move |column| (column * 128 + 64, row * 128 + 64)));
        let stations: Vec<_> = (1..)
            .zip(middles.clone())
            .map(|(code, (x, y))| station(code, Shape::Circle(Circle { x, y, r: 5 })))
            .collect();
        let grid = Grid::of(&extent(i64::from(columns) * 128, i64::from(rows) * 128), &stations);
        assert_eq!((grid.cell, grid.columns, grid.rows), (7, 6, 4));
        for (at, (x, y)) in middles.enumerate() {
            let window = Window { x: i64::from(x), y: i64::from(y), width: 1, height: 1 };
            assert_eq!(of_cells(&grid, &window), [at]);
        }
        // The cells of four stations meet in the middle of this window.
        assert_eq!(of_cells(&grid, &Window { x: 120, y: 120, width: 16, height: 16 }), [0, 1, 5, 6]);
    }

    #[test]
    fn a_grid_has_at_most_65_536_cells() {
        let size = |width: i64, height: i64| {
            let grid = Grid::of(&extent(width, height), &[]);
            (grid.cell, grid.columns, grid.rows)
        };
        assert_eq!(size(255 * 128, 255 * 128), (7, 256, 256));
        assert_eq!(size(256 * 128, 255 * 128), (8, 129, 128));
        assert_eq!(size(1_000_000, 1_000_000), (12, 245, 245));
        assert_eq!(size(1_000_000, 1), (7, 7_813, 1));
    }

    #[test]
    fn a_shape_of_more_than_1_024_cells_is_in_no_cell() {
        // From column 10 and row 20 on, so many cells wide and high.
        let rect = |wide: i32, high: i32| {
            Shape::Rect(Rect { x: 10 * 128, y: 20 * 128, width: wide * 128 - 1, height: high * 128 - 1 })
        };
        let stations = [station(1, rect(32, 32)), station(2, rect(33, 32)), station(3, rect(32, 33))];
        let grid = Grid::of(&extent(100 * 128, 100 * 128), &stations);
        assert_eq!((grid.oversized.as_slice(), grid.cell_stations.len()), (&[1, 2][..], 32 * 32));
    }
}
