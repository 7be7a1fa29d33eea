//! The body of a joint on the grid, and the ports around it where links leave.

use crate::board::Node;

/// How many nodes a joint covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// Where a link leaves a body: from which of its nodes, in which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Port {
    /// From the body's upper left node.
    pub(crate) offset: Node,
    pub(crate) direction: usize,
}

impl Body {
    /// One node for up to six links; more links get a longer body, with one or two ports to spare. It lies, so that names fit above and
    /// below.
    pub(crate) fn for_links(links: usize) -> Self {
        let long = i32::try_from(links.saturating_sub(5) / 2 + 1).unwrap_or(1).max(1);
        Self { width: long, height: 1 }
    }

    pub(crate) fn nodes(self, at: Node) -> impl Iterator<Item = Node> {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Node { x: at.x + x, y: at.y + y }))
    }

    /// All ports, clockwise from the upper right one that looks right.
    pub(crate) fn ports(self) -> Vec<Port> {
        let (right, bottom) = (self.width - 1, self.height - 1);
        let port = |x: i32, y: i32, direction: usize| Port { offset: Node { x, y }, direction };
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
