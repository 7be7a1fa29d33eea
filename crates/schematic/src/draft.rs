//! A drawing on the grid in the making: where the joints are, which port each link takes, and how it runs.
//!
//! While every link is laid, none shares a node with another or crosses one, and the ports around each joint have the order of
//! the network, the drawing keeps the embedding; every change goes through here.

use crate::{
    board::{BODY, Board, Node, back, turn},
    body::{Body, Port},
    faces::Faces,
    router::{BENDS, Gate, Router, Terms, Way, length, octile, reach},
    skeleton::{End, Skeleton, weight},
};

/// Room for one station distance, in steps of the grid.
pub(crate) const SPACING: f32 = 2.4;
/// What a missing step of room costs.
const CRAMPED: f32 = 8.0;

/// The state of a drawing.
pub(crate) struct Draft<'a> {
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) board: Board,
    pub(crate) bodies: Vec<Body>,
    pub(crate) ports: Vec<Vec<Port>>,
    /// The upper left node of each joint's body.
    pub(crate) at: Vec<Node>,
    /// Where each joint would like to be.
    pub(crate) home: Vec<(f32, f32)>,
    /// The port of each end, by joint and slot.
    pub(crate) chosen: Vec<Vec<Option<usize>>>,
    pub(crate) paths: Vec<Option<Vec<Node>>>,
    /// What a step away from the wanted place costs.
    pub(crate) stay: f32,
    /// How many station distances each link should have room for.
    pub(crate) wants: Vec<f32>,
    /// How much each link minds ways next to it: one with stations needs room for their names.
    pub(crate) room: Vec<f32>,
    pub(crate) faces: Faces,
    pub(crate) router: Router,
}

/// A link that was taken off the board, to be put back.
pub(crate) struct Lifted {
    pub(crate) link: usize,
    path: Vec<Node>,
    ports: [usize; 2],
}

impl Draft<'_> {
    pub(crate) fn links_of(&self, joint: usize) -> impl Iterator<Item = End> + '_ {
        self.skeleton.joints[joint].ends.iter().copied()
    }

    /// The upper left corner of everything that is laid.
    pub(crate) fn corner(&self) -> Node {
        let nodes = || self.at.iter().chain(self.paths.iter().flatten().flatten());
        let (x, y) = (nodes().map(|node| node.x).min(), nodes().map(|node| node.y).min());
        Node { x: x.unwrap_or(0), y: y.unwrap_or(0) }
    }

    /// From now on every joint would like to be where it is.
    #[expect(clippy::cast_precision_loss, reason = "the grid is small")]
    pub(crate) fn settle_here(&mut self) {
        self.home = self.at.iter().map(|at| (at.x as f32, at.y as f32)).collect();
    }

    /// Takes a link off the board.
    pub(crate) fn lift(&mut self, link: usize) -> Option<Lifted> {
        let path = self.paths[link].take()?;
        self.board.lay(&path, -1);
        let mut ports = [0; 2];
        for side in [0, 1] {
            let (joint, slot) = (self.skeleton.links[link].joints[side], self.skeleton.links[link].slots[side]);
            ports[side] = self.chosen[joint][slot].take().unwrap_or(0);
        }
        Some(Lifted { link, path, ports })
    }

    /// Whether the faces beside these links are where they belong.
    pub(crate) fn keeps_faces(&self, links: &[usize]) -> bool {
        self.faces.are_kept(links, &self.paths)
    }

    /// Puts a lifted link back as it was.
    pub(crate) fn restore(&mut self, lifted: Lifted) {
        self.lay(lifted.link, lifted.path, lifted.ports);
    }

    pub(crate) fn lay(&mut self, link: usize, path: Vec<Node>, ports: [usize; 2]) {
        self.board.lay(&path, 1);
        for side in [0, 1] {
            let (joint, slot) = (self.skeleton.links[link].joints[side], self.skeleton.links[link].slots[side]);
            self.chosen[joint][slot] = Some(ports[side]);
        }
        self.paths[link] = Some(path);
    }

    /// Puts a joint's body on the board, or takes it off.
    pub(crate) fn set_body(&mut self, joint: usize, at: Node) {
        self.at[joint] = at;
        for node in self.bodies[joint].nodes(at) {
            let node = self.board.at(node);
            self.board.nodes[node] += BODY;
        }
    }

    pub(crate) fn clear_body(&mut self, joint: usize) {
        for node in self.bodies[joint].nodes(self.at[joint]) {
            let node = self.board.at(node);
            self.board.nodes[node] -= BODY;
        }
    }

    /// Whether a body may stand there: free nodes, and no other body next to it.
    pub(crate) fn is_free(&self, joint: usize, at: Node) -> bool {
        let body = self.bodies[joint];
        let inside =
            |node: Node| node.x >= at.x && node.y >= at.y && node.x < at.x + body.width && node.y < at.y + body.height;
        (at.y - 1..=at.y + body.height).all(|y| {
            (at.x - 1..=at.x + body.width).all(|x| {
                let node = Node { x, y };
                self.board.holds(node) && {
                    let taken = self.board.nodes[self.board.at(node)];
                    if inside(node) { taken == 0 } else { taken < BODY }
                }
            })
        })
    }

    /// The ports that a link may take at one of its ends: those between its neighbours in the order, with one left for each
    /// link that is still to come in between. Each with what the bends of lines through the joint would cost.
    pub(crate) fn gates(&self, link: usize, side: usize) -> Vec<Gate> {
        let (joint, slot) = (self.skeleton.links[link].joints[side], self.skeleton.links[link].slots[side]);
        let (ports, chosen) = (&self.ports[joint], &self.chosen[joint]);
        let slots = chosen.len();
        let before = (1..slots).find(|back| chosen[(slot + slots - back) % slots].is_some());
        let (low, high) = match before {
            None => (0, ports.len()),
            Some(gap) => {
                let first = chosen[(slot + slots - gap) % slots].unwrap_or(0);
                let ahead = (1..=slots).find(|ahead| chosen[(slot + ahead) % slots].is_some()).unwrap_or(slots);
                let last = chosen[(slot + ahead) % slots].unwrap_or(0);
                let span = match (last + ports.len() - first) % ports.len() {
                    0 => ports.len(),
                    span => span,
                };
                (first + gap, (first + span + 1).saturating_sub(ahead))
            }
        };
        (low..high)
            .map(|at| at % ports.len())
            .filter(|at| !chosen.contains(&Some(*at)))
            .map(|at| {
                let Port { offset, direction } = ports[at];
                let from = self.at[joint];
                let node = Node { x: from.x + offset.x, y: from.y + offset.y };
                Gate { node, direction, cost: self.through_cost(joint, slot, direction) }
            })
            .collect()
    }

    /// What lines through a joint pay for bending there, if the slot left in that direction.
    fn through_cost(&self, joint: usize, slot: usize, direction: usize) -> f32 {
        let pairs = &self.skeleton.joints[joint].through;
        let other = |&(a, b, weight): &(usize, usize, f32)| {
            let other = if a == slot {
                b
            } else if b == slot {
                a
            } else {
                return None;
            };
            let port = self.chosen[joint][other]?;
            Some(BENDS[turn(back(self.ports[joint][port].direction), direction)] * weight)
        };
        pairs.iter().filter_map(other).sum()
    }

    /// What lines that run through two slots of a joint pay for the bend between them.
    pub(crate) fn pair_cost(&self, joint: usize, a: usize, b: usize) -> f32 {
        let direction = |slot: usize| self.chosen[joint][slot].map(|port| self.ports[joint][port].direction);
        match (direction(a), direction(b)) {
            (Some(a), Some(b)) => BENDS[turn(back(a), b)],
            _ => 0.0,
        }
    }

    /// What the bends at both ends of a link cost.
    pub(crate) fn end_bends(&self, link: usize) -> f32 {
        let ends = &self.skeleton.links[link];
        [0, 1]
            .into_iter()
            .filter_map(|side| {
                let (joint, slot) = (ends.joints[side], ends.slots[side]);
                let port = self.chosen[joint][slot]?;
                Some(self.through_cost(joint, slot, self.ports[joint][port].direction))
            })
            .sum()
    }

    /// What all bends at a joint cost.
    pub(crate) fn bends_at(&self, joint: usize) -> f32 {
        self.skeleton.joints[joint].through.iter().map(|&(a, b, weight)| self.pair_cost(joint, a, b) * weight).sum()
    }

    /// Looks for the best way of a link on the board as it is, and lays it. Returns what it costs, ends included.
    pub(crate) fn insert(&mut self, link: usize, limit: f32, margin: i32) -> Option<f32> {
        let (starts, ends) = (self.gates(link, 0), self.gates(link, 1));
        let weight = weight(self.skeleton.links[link].lines.len());
        let (sharing, company) = (f32::INFINITY, self.room[link]);
        let terms = Terms { starts: &starts, ends: &ends, weight, limit, sharing, company, extra: None, margin };
        let Way { path, cost } = self.router.find(&self.board, &terms)?;
        if crosses_itself(&path) {
            return None;
        }
        let ports = [self.port_of(link, 0, &path), self.port_of(link, 1, &path)];
        let cost = cost + self.cramped(link, &path);
        self.lay(link, path, ports);
        Some(cost)
    }

    /// Which port a path takes at one of its ends.
    pub(crate) fn port_of(&self, link: usize, side: usize, path: &[Node]) -> usize {
        let joint = self.skeleton.links[link].joints[side];
        let (end, next) = if side == 0 { (path[0], path[1]) } else { (path[path.len() - 1], path[path.len() - 2]) };
        let (from, direction) = (self.at[joint], end.direction_to(next));
        let offset = Node { x: end.x - from.x, y: end.y - from.y };
        self.ports[joint].iter().position(|port| *port == Port { offset, direction }).unwrap_or(0)
    }

    /// What a way costs when its stations have too little room on it.
    pub(crate) fn cramped(&self, link: usize, path: &[Node]) -> f32 {
        self.cramped_length(link, length(path))
    }

    pub(crate) fn cramped_length(&self, link: usize, length: f32) -> f32 {
        let wanted = self.wants[link] * SPACING;
        let skeleton = &self.skeleton.links[link];
        // What only ties two parts together needs no room, unless stations without a line lie on it.
        let needs_none = skeleton.lines.is_empty() && skeleton.inner.is_empty();
        if needs_none { 0.0 } else { (wanted - length).max(0.0) * CRAMPED }
    }

    /// What a laid link costs by itself, without the bends at its ends.
    pub(crate) fn cost_of(&self, link: usize) -> f32 {
        let Some(path) = &self.paths[link] else { return f32::INFINITY };
        let bends: f32 = path
            .windows(3)
            .map(|three| BENDS[turn(three[0].direction_to(three[1]), three[1].direction_to(three[2]))])
            .sum();
        let company: u8 =
            (1..path.len().saturating_sub(1)).map(|at| self.company_on(link, path, at)).fold(0, u8::saturating_add);
        length(path)
            + bends * weight(self.skeleton.links[link].lines.len())
            + self.cramped(link, path)
            + f32::from(company) * self.room[link]
    }

    /// How many ways of others are next to a laid way at one of its nodes.
    fn company_on(&self, link: usize, path: &[Node], at: usize) -> u8 {
        let reach = reach(self.room[link]);
        let near = |other: &Node| {
            *other != path[at] && (other.x - path[at].x).abs().max((other.y - path[at].y).abs()) <= reach
        };
        // The ends of a way are bodies, which do not count.
        let around = path[at.saturating_sub(6).max(1)..(at + 7).min(path.len() - 1)].iter();
        let own = u8::try_from(around.filter(|node| near(node)).count()).unwrap_or(0);
        self.board.company(path[at], reach).saturating_sub(own).min(3)
    }

    pub(crate) fn displaced(&self, joint: usize, at: Node) -> f32 {
        let (x, y) = self.home[joint];
        #[expect(clippy::cast_precision_loss, reason = "the grid is small")]
        let far = (at.x as f32 - x).hypot(at.y as f32 - y);
        far * self.stay
    }

    /// The least that the links of a joint could cost from there.
    pub(crate) fn at_least(&self, joint: usize, at: Node) -> f32 {
        let body = self.bodies[joint];
        let middle = Node { x: at.x + body.width / 2, y: at.y + body.height / 2 };
        let slack = if body.width + body.height > 2 { body.width + body.height } else { 0 };
        let mut least = self.displaced(joint, at);
        for end in self.links_of(joint) {
            let link = &self.skeleton.links[end.link];
            let other = link.joints[usize::from(end.first)];
            if other == joint {
                continue;
            }
            let there = Node {
                x: self.at[other].x + self.bodies[other].width / 2,
                y: self.at[other].y + self.bodies[other].height / 2,
            };
            #[expect(clippy::cast_precision_loss, reason = "bodies are small")]
            let slack = (slack + self.bodies[other].width + self.bodies[other].height - 2) as f32;
            let far = (octile(middle, there) - slack).max(0.0);
            least += far + if slack <= 0.0 { self.unaligned(middle, there, end.link, far) } else { 0.0 };
        }
        least
    }

    fn unaligned(&self, a: Node, b: Node, link: usize, far: f32) -> f32 {
        let (dx, dy) = ((a.x - b.x).abs(), (a.y - b.y).abs());
        if dx == 0 || dy == 0 || dx == dy {
            self.cramped_length(link, far).min(BENDS[1])
        } else {
            BENDS[1] * weight(self.skeleton.links[link].lines.len())
        }
    }
}

/// Whether a way meets itself.
pub(crate) fn crosses_itself(path: &[Node]) -> bool {
    let mut nodes = path.to_vec();
    nodes.sort_unstable();
    nodes.windows(2).any(|pair| pair[0] == pair[1])
        || path.windows(2).enumerate().any(|(at, one)| {
            path.windows(2).skip(at + 2).any(|two| {
                let middle = |pair: &[Node]| (pair[0].x + pair[1].x, pair[0].y + pair[1].y);
                middle(one) == middle(two)
            })
        })
}
