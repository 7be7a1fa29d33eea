//! The grid: which node and which diagonal is taken, by how many.

/// A node of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Node {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// The eight directions, clockwise from the right: the order in which [`crate::plane`] sorts edges.
pub(crate) const STEPS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

impl Node {
    pub(crate) fn step(self, direction: usize) -> Self {
        let (dx, dy) = STEPS[direction];
        Self { x: self.x + dx, y: self.y + dy }
    }

    /// The direction of a neighbouring node.
    pub(crate) fn direction_to(self, other: Self) -> usize {
        let way = ((other.x - self.x).signum(), (other.y - self.y).signum());
        STEPS.iter().position(|step| *step == way).unwrap_or(0)
    }
}

/// The opposite direction.
pub(crate) fn back(direction: usize) -> usize {
    (direction + 4) % 8
}

/// How sharp a turn is, in eighths of a circle: 0 straight on to 4 back.
pub(crate) fn turn(from: usize, to: usize) -> usize {
    let d = (8 + to - from) % 8;
    d.min(8 - d)
}

/// Counts of what lies on the grid.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// Links on a node; a joint's body counts [`BODY`].
    pub(crate) nodes: Vec<u16>,
    /// Links on the falling and on the rising diagonal of the cell right and below of a node.
    diagonals: Vec<[u16; 2]>,
}

/// What a body adds to its nodes, so that no link ever shares them.
pub(crate) const BODY: u16 = 10_000;

impl Board {
    pub(crate) fn new(width: i32, height: i32) -> Self {
        let size = usize::try_from(width).unwrap_or(0) * usize::try_from(height).unwrap_or(0);
        Self { width, height, nodes: vec![0; size], diagonals: vec![[0; 2]; size] }
    }

    pub(crate) fn holds(&self, node: Node) -> bool {
        node.x >= 0 && node.y >= 0 && node.x < self.width && node.y < self.height
    }

    #[expect(clippy::cast_sign_loss, reason = "only nodes on the board are asked for")]
    pub(crate) fn at(&self, node: Node) -> usize {
        (node.y * self.width + node.x) as usize
    }

    /// How many of the nodes around one carry a way: of the eight next to it, or of more with a longer reach.
    pub(crate) fn company(&self, node: Node, reach: i32) -> u8 {
        let inside = node.x >= reach && node.y >= reach && node.x + reach < self.width && node.y + reach < self.height;
        if !inside {
            return 0;
        }
        let mut count = 0;
        for y in node.y - reach..=node.y + reach {
            let from = self.at(Node { x: node.x - reach, y });
            let row = &self.nodes[from..=from + usize::try_from(2 * reach).unwrap_or(0)];
            count += u8::try_from(row.iter().filter(|taken| **taken > 0 && **taken < BODY).count()).unwrap_or(0);
        }
        count - u8::from((1..BODY).contains(&self.nodes[self.at(node)]))
    }

    /// How many others a diagonal step would cross; a straight step crosses nobody.
    pub(crate) fn crossed(&self, from: Node, direction: usize) -> u16 {
        match cell_of(from, direction) {
            Some((cell, falling)) if self.holds(cell) => self.diagonals[self.at(cell)][usize::from(falling)],
            _ => 0,
        }
    }

    /// Adds (`by` = 1) or takes away (-1) the way of a link: the nodes between its ends and its diagonals.
    pub(crate) fn lay(&mut self, path: &[Node], by: i16) {
        for (at, pair) in path.windows(2).enumerate() {
            if at > 0 {
                let node = self.at(pair[0]);
                self.nodes[node] = self.nodes[node].saturating_add_signed(by);
            }
            if let Some((cell, falling)) = cell_of(pair[0], pair[0].direction_to(pair[1])) {
                let cell = self.at(cell);
                let count = &mut self.diagonals[cell][usize::from(!falling)];
                *count = count.saturating_add_signed(by);
            }
        }
    }

    /// Whether a laid way shares a node with another or crosses one.
    pub(crate) fn conflicts(&self, path: &[Node]) -> bool {
        path.windows(2).enumerate().any(|(at, pair)| {
            (at > 0 && self.nodes[self.at(pair[0])] > 1) || self.crossed(pair[0], pair[0].direction_to(pair[1])) > 0
        })
    }
}

/// The cell that a diagonal step passes, and whether it falls to the right. The counts of falling ones stand first; a step
/// looks at the other kind, which it would cross.
fn cell_of(from: Node, direction: usize) -> Option<(Node, bool)> {
    match direction {
        1 => Some((from, true)),
        5 => Some((Node { x: from.x - 1, y: from.y - 1 }, true)),
        3 => Some((Node { x: from.x - 1, y: from.y }, false)),
        7 => Some((Node { x: from.x, y: from.y - 1 }, false)),
        _ => None,
    }
}
