//! Removes space from the grid along seams.
//!
//! A cut for a label goes through the whole map and lengthens corridors far from it. A seam takes space back: it leads
//! from one side of the map to the other, and everything behind it moves by one step. It crosses corridors where they
//! run straight across it, and so makes them shorter; it never passes between two things that would collide. Seams are
//! found by dynamic programming, row by row.

use kaisatsu_model::Window;

use crate::{
    expand::{Axis, oriented},
    geometry::Point,
    grid_layout::GridLayout,
    routing_grid::{GridNode, RoutingGrid},
};

/// A corridor with fewer steps per station distance is not shortened.
const MIN_STEPS: f32 = 2.2;
/// The cost of a seam through a label, for each row.
const LABEL_COST: f32 = 0.5;
/// The cost of a diagonal step that becomes a straight one beside others: the bend moves.
const MOVED_BEND_COST: f32 = 0.5;
/// A seam with less gain is not worth it.
const MIN_GAIN: f32 = 0.4;

/// What is between two rows or two columns of the grid, in oriented coordinates.
struct Obstacles {
    width: usize,
    height: usize,
    /// The cost of a seam between each node and the next in its row.
    rows: Vec<f32>,
    /// Whether a straight step leads from each node to the next row.
    straight: Vec<bool>,
    /// The cost of crossing the diagonal step to the next row, towards the right and towards the left; 0 without one.
    right: Vec<f32>,
    left: Vec<f32>,
}

/// A seam: in each row, the last node that stays. `penalties` are added to the cost of shortening each corridor.
pub(crate) fn find(
    layout: &GridLayout<'_>,
    axis: Axis,
    labels: &[(Window, f32)],
    sides: (f64, Point),
    penalties: &[f32],
) -> Option<Vec<i32>> {
    let obstacles = Obstacles::of(layout, axis, labels, sides, penalties)?;
    obstacles.best_seam()
}

/// The corridors that a seam crosses.
pub(crate) fn crossed(layout: &GridLayout<'_>, axis: Axis, seam: &[i32]) -> Vec<usize> {
    let is_behind = |node: GridNode| {
        let node = oriented(axis, node);
        usize::try_from(node.y).ok().and_then(|row| seam.get(row)).is_some_and(|cut| node.x > *cut)
    };
    let crosses = |path: &[GridNode]| path.windows(2).any(|pair| is_behind(pair[0]) != is_behind(pair[1]));
    let paths = layout.paths.iter().enumerate();
    paths.filter(|(_, path)| path.as_deref().is_some_and(crosses)).map(|(corridor, _)| corridor).collect()
}

/// Moves everything behind a seam by one step towards it.
pub(crate) fn remove(layout: &mut GridLayout<'_>, axis: Axis, seam: &[i32]) {
    let moved = |node: GridNode| {
        let mut node = oriented(axis, node);
        let cut = usize::try_from(node.y).ok().and_then(|row| seam.get(row));
        node.x -= i32::from(cut.is_some_and(|cut| node.x > *cut));
        oriented(axis, node)
    };
    layout.grid = RoutingGrid::new(layout.grid.width, layout.grid.height);
    for junction in 0..layout.positions.len() {
        layout.place_footprint(junction, moved(layout.positions[junction]));
    }
    for corridor in 0..layout.paths.len() {
        let Some(path) = layout.paths[corridor].take() else { continue };
        let mut path: Vec<GridNode> = path.into_iter().map(moved).collect();
        path.dedup();
        layout.grid.count_path(&path, 1);
        layout.paths[corridor] = Some(path);
    }
    layout.reset_targets();
}

/// The cost of one step less for a corridor with so many steps per station distance. It is a gain from 1.5 times the
/// shortest length on.
fn shortening_cost(steps: f32) -> f32 {
    let wanted = (MIN_STEPS / steps).powi(4);
    0.5 * wanted - 0.12 * (steps - MIN_STEPS)
}

#[expect(clippy::cast_sign_loss, reason = "nodes are on the grid")]
impl Obstacles {
    fn of(
        layout: &GridLayout<'_>,
        axis: Axis,
        labels: &[(Window, f32)],
        sides: (f64, Point),
        penalties: &[f32],
    ) -> Option<Self> {
        let size = oriented(axis, GridNode { x: layout.grid.width, y: layout.grid.height });
        let (width, height) = (usize::try_from(size.x).ok()?, usize::try_from(size.y).ok()?);
        let mut new = Self {
            width,
            height,
            rows: vec![0.0; width * height],
            straight: vec![false; width * height],
            right: vec![0.0; width * height],
            left: vec![0.0; width * height],
        };
        let mut taken = vec![false; width * height];
        let at = |node: GridNode| node.y as usize * width + node.x as usize;
        for junction in 0..layout.positions.len() {
            for node in layout.footprints[junction].nodes(layout.positions[junction]) {
                taken[at(oriented(axis, node))] = true;
            }
        }
        for node in layout.paths.iter().flatten().flatten() {
            taken[at(oriented(axis, *node))] = true;
        }
        for row in 0..height {
            for x in 0..width {
                let here = row * width + x;
                if x + 1 == width || (taken[here] && taken[here + 1]) {
                    new.rows[here] = f32::INFINITY;
                }
            }
        }
        new.add_labels(axis, labels, sides);
        for (corridor, path) in layout.paths.iter().enumerate() {
            let Some(path) = path else { continue };
            let path: Vec<GridNode> = path.iter().map(|node| oriented(axis, *node)).collect();
            new.add_path(&path, length_cost(layout, corridor, path.len() - 1) + penalties[corridor]);
        }
        for junction in 0..layout.positions.len() {
            let nodes: Vec<GridNode> = layout.footprints[junction]
                .nodes(layout.positions[junction])
                .map(|node| oriented(axis, node))
                .collect();
            for pair in nodes.windows(2).filter(|pair| pair[0].y != pair[1].y) {
                new.straight[at(pair[0])] = true;
            }
        }
        Some(new)
    }

    /// A seam through a label takes the space that it needs.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the grid is small")]
    fn add_labels(&mut self, axis: Axis, labels: &[(Window, f32)], (cell, shift): (f64, Point)) {
        let node = |x: i64, y: i64| {
            let at = Point::new(x as f64, y as f64).plus(shift).times(1.0 / cell);
            oriented(axis, GridNode { x: at.x.floor() as i32, y: at.y.floor() as i32 })
        };
        for (label, stiffness) in labels {
            let (a, b) = (node(label.x, label.y), node(label.right(), label.bottom()));
            let limit = |value: i32, most: usize| (value.max(0) as usize).min(most - 1);
            for row in limit(a.y, self.height)..=limit(b.y, self.height) {
                for x in limit(a.x, self.width)..=limit(b.x, self.width) {
                    self.rows[row * self.width + x] += LABEL_COST * stiffness;
                }
            }
        }
    }

    /// Where a path may be crossed: at a step in the direction of the axis, if its ends keep their directions, and at a
    /// diagonal step beside a straight one.
    fn add_path(&mut self, path: &[GridNode], length_cost: f32) {
        let step = |at: usize| (path[at + 1].x - path[at].x, path[at + 1].y - path[at].y);
        let last = path.len() - 2;
        for at in 0..=last {
            let (from, to) = (path[at], path[at + 1]);
            let upper = if from.y <= to.y { from } else { to };
            let (dx, dy) = step(at);
            let here = upper.y as usize * self.width + upper.x as usize;
            if dy == 0 {
                let keeps_first = at != 0 || (last > 0 && step(1) == (dx, dy));
                let keeps_last = at != last || (last > 0 && step(last - 1) == (dx, dy));
                let left = from.y as usize * self.width + from.x.min(to.x) as usize;
                let label = if self.rows[left].is_finite() { self.rows[left] } else { 0.0 };
                self.rows[left] = if keeps_first && keeps_last { label + length_cost } else { f32::INFINITY };
                continue;
            }
            if dx == 0 {
                self.straight[here] = true;
                continue;
            }
            let is_beside_straight = |other: Option<usize>| other.is_some_and(|other| step(other).0 == 0);
            let moves_bend = is_beside_straight(at.checked_sub(1)) || is_beside_straight((at < last).then_some(at + 1));
            let cost = if moves_bend && at != 0 && at != last { MOVED_BEND_COST } else { f32::INFINITY };
            // Seen from the upper node.
            if dx == dy { self.right[here] = cost } else { self.left[here] = cost }
        }
    }

    /// The seam with the largest gain, if one is worth it.
    fn best_seam(&self) -> Option<Vec<i32>> {
        let mut costs = self.rows[..self.width].to_vec();
        let mut sources: Vec<Vec<u32>> = Vec::with_capacity(self.height);
        for row in 1..self.height {
            let (mut next, source) = self.advance(&costs, row - 1);
            for (cost, own) in next.iter_mut().zip(&self.rows[row * self.width..]) {
                *cost += own;
            }
            costs = next;
            sources.push(source);
        }
        let (mut at, cost) = costs.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        if cost > -MIN_GAIN {
            return None;
        }
        let mut seam = vec![i32::try_from(at).ok()?];
        for source in sources.iter().rev() {
            at = source[at] as usize;
            seam.push(i32::try_from(at).ok()?);
        }
        seam.reverse();
        Some(seam)
    }

    /// The cost of the best seam to each place in the next row, and where it comes from. Straight steps in between
    /// cannot be crossed, and diagonal ones only against their direction.
    #[expect(clippy::cast_possible_truncation, reason = "the grid is small")]
    fn advance(&self, costs: &[f32], row: usize) -> (Vec<f32>, Vec<u32>) {
        let base = row * self.width;
        let right = |x: usize| self.right[base + x];
        let left = |x: usize| if x < self.width { self.left[base + x] } else { 0.0 };
        let straight = |x: usize| x < self.width && self.straight[base + x];
        let mut next: Vec<f32> = (0..self.width).map(|c| costs[c] + left(c + 1) + right(c)).collect();
        let mut source: Vec<u32> = (0..self.width as u32).collect();
        // To the right, then to the left. `carried` is a seam on its way, with its source.
        let mut carried = (f32::INFINITY, 0_u32);
        for at in 0..self.width.saturating_sub(1) {
            let fresh = (costs[at] + left(at + 1), at as u32);
            let moving = if right(at) > 0.0 { (f32::INFINITY, 0) } else { carried };
            carried = if fresh.0 < moving.0 { fresh } else { moving };
            carried.0 = if straight(at + 1) { f32::INFINITY } else { carried.0 + left(at + 2) };
            if carried.0 < next[at + 1] {
                (next[at + 1], source[at + 1]) = carried;
            }
        }
        carried = (f32::INFINITY, 0);
        for at in (1..self.width).rev() {
            let fresh = (costs[at] + right(at), at as u32);
            let moving = if left(at + 1) > 0.0 { (f32::INFINITY, 0) } else { carried };
            carried = if fresh.0 < moving.0 { fresh } else { moving };
            carried.0 = if straight(at) { f32::INFINITY } else { carried.0 + right(at - 1) };
            if carried.0 < next[at - 1] {
                (next[at - 1], source[at - 1]) = carried;
            }
        }
        (next, source)
    }
}

/// The cost of one step less for a corridor.
#[expect(clippy::cast_precision_loss, reason = "corridors are short")]
fn length_cost(layout: &GridLayout<'_>, corridor: usize, steps: usize) -> f32 {
    let distances = layout.topology.corridors[corridor].intermediate.len() + 1;
    let each = steps as f32 / distances as f32;
    if steps < 3 || each < MIN_STEPS { f32::INFINITY } else { shortening_cost(each) }
}
