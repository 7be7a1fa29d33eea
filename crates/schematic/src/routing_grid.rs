//! The routing grid: how many paths occupy each node and each diagonal.

/// A node of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct GridNode {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// The eight directions, clockwise from the right, in the order in which [`crate::planar_graph`] sorts segments.
pub(crate) const DIRECTIONS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

impl GridNode {
    pub(crate) fn step(self, direction: usize) -> Self {
        let (dx, dy) = DIRECTIONS[direction];
        Self { x: self.x + dx, y: self.y + dy }
    }

    /// The direction of a neighbouring node.
    pub(crate) fn direction_to(self, other: Self) -> usize {
        let offset = ((other.x - self.x).signum(), (other.y - self.y).signum());
        DIRECTIONS.iter().position(|step| *step == offset).unwrap_or(0)
    }
}

/// The opposite direction.
pub(crate) fn opposite(direction: usize) -> usize {
    (direction + 4) % 8
}

/// The angle of a turn in eighths of a circle, from 0 (straight on) to 4 (back).
pub(crate) fn turn_angle(from: usize, to: usize) -> usize {
    let d = (8 + to - from) % 8;
    d.min(8 - d)
}

/// The occupancy of the grid.
#[derive(Debug, Clone)]
pub(crate) struct RoutingGrid {
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// The number of paths at each node. The footprint of a junction adds [`OBSTACLE`].
    pub(crate) nodes: Vec<u16>,
    /// The number of paths on the falling and on the rising diagonal of the cell to the lower right of each node.
    diagonals: Vec<[u16; 2]>,
}

/// What a footprint adds to its nodes, so that no path shares them.
pub(crate) const OBSTACLE: u16 = 10_000;

impl RoutingGrid {
    pub(crate) fn new(width: i32, height: i32) -> Self {
        let size = usize::try_from(width).unwrap_or(0) * usize::try_from(height).unwrap_or(0);
        Self { width, height, nodes: vec![0; size], diagonals: vec![[0; 2]; size] }
    }

    pub(crate) fn contains(&self, node: GridNode) -> bool {
        node.x >= 0 && node.y >= 0 && node.x < self.width && node.y < self.height
    }

    #[expect(clippy::cast_sign_loss, reason = "only nodes on the grid are looked up")]
    pub(crate) fn index(&self, node: GridNode) -> usize {
        (node.y * self.width + node.x) as usize
    }

    /// How many nodes within `reach` of a node are occupied by paths.
    pub(crate) fn occupied_neighbours(&self, node: GridNode, reach: i32) -> u8 {
        let inside = node.x >= reach && node.y >= reach && node.x + reach < self.width && node.y + reach < self.height;
        if !inside {
            return 0;
        }
        let mut count = 0;
        for y in node.y - reach..=node.y + reach {
            let from = self.index(GridNode { x: node.x - reach, y });
            let row = &self.nodes[from..=from + usize::try_from(2 * reach).unwrap_or(0)];
            count += u8::try_from(row.iter().filter(|taken| **taken > 0 && **taken < OBSTACLE).count()).unwrap_or(0);
        }
        count - u8::from((1..OBSTACLE).contains(&self.nodes[self.index(node)]))
    }

    /// How many paths a diagonal step would cross; 0 for a horizontal or vertical step.
    pub(crate) fn crossed_diagonals(&self, from: GridNode, direction: usize) -> u16 {
        match diagonal_cell(from, direction) {
            Some((cell, falling)) if self.contains(cell) => self.diagonals[self.index(cell)][usize::from(falling)],
            _ => 0,
        }
    }

    /// Adds (`by` = 1) or removes (−1) a path: the nodes between its ends, and its diagonals.
    pub(crate) fn count_path(&mut self, path: &[GridNode], by: i16) {
        for (index, pair) in path.windows(2).enumerate() {
            if index > 0 {
                let node = self.index(pair[0]);
                self.nodes[node] = self.nodes[node].saturating_add_signed(by);
            }
            if let Some((cell, falling)) = diagonal_cell(pair[0], pair[0].direction_to(pair[1])) {
                let cell = self.index(cell);
                let count = &mut self.diagonals[cell][usize::from(!falling)];
                *count = count.saturating_add_signed(by);
            }
        }
    }

    /// Whether a path on the grid shares a node with another path or crosses one.
    pub(crate) fn conflicts(&self, path: &[GridNode]) -> bool {
        path.windows(2).enumerate().any(|(index, pair)| {
            (index > 0 && self.nodes[self.index(pair[0])] > 1)
                || self.crossed_diagonals(pair[0], pair[0].direction_to(pair[1])) > 0
        })
    }
}

/// The cell of a diagonal step, and whether the step falls to the right. Falling diagonals are counted first. A step
/// conflicts with the other diagonal of its cell.
fn diagonal_cell(from: GridNode, direction: usize) -> Option<(GridNode, bool)> {
    match direction {
        1 => Some((from, true)),
        5 => Some((GridNode { x: from.x - 1, y: from.y - 1 }, true)),
        3 => Some((GridNode { x: from.x - 1, y: from.y }, false)),
        7 => Some((GridNode { x: from.x, y: from.y - 1 }, false)),
        _ => None,
    }
}
