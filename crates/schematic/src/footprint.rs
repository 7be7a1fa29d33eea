//! The nodes that a junction covers on the grid, and its ports, at which corridors leave.

use crate::routing_grid::GridNode;

/// The size of a junction in nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// A port: the node and the direction in which a corridor leaves a junction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Port {
    /// Relative to the upper left node of the footprint.
    pub(crate) offset: GridNode,
    pub(crate) direction: usize,
}

impl Footprint {
    /// One node for up to six corridors; more corridors get a wider footprint, with one or two spare ports. It is
    /// horizontal, so that labels fit above and below.
    pub(crate) fn for_degree(corridors: usize) -> Self {
        let long = i32::try_from(corridors.saturating_sub(5) / 2 + 1).unwrap_or(1).max(1);
        Self { width: long, height: 1 }
    }

    pub(crate) fn nodes(self, at: GridNode) -> impl Iterator<Item = GridNode> {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| GridNode { x: at.x + x, y: at.y + y }))
    }

    /// All ports, clockwise from the upper one at the right side.
    pub(crate) fn ports(self) -> Vec<Port> {
        let (right, bottom) = (self.width - 1, self.height - 1);
        let port = |x: i32, y: i32, direction: usize| Port { offset: GridNode { x, y }, direction };
        let mut ports: Vec<Port> = (0..self.height).map(|y| port(right, y, 0)).collect();
        ports.push(port(right, bottom, 1));
        ports.extend((0..self.width).rev().map(|x| port(x, bottom, 2)));
        ports.push(port(0, bottom, 3));
        ports.extend((0..self.height).rev().map(|y| port(0, y, 4)));
        ports.push(port(0, 0, 5));
        ports.extend((0..self.width).map(|x| port(x, 0, 6)));
        ports.push(port(right, 0, 7));
        ports
    }
}
