//! Makes room for a label where it is missing: the cheapest set of parts moves away by one step.
//!
//! A row or a column through the whole map lengthens corridors far away. Here a minimum cut finds what must move so
//! that the station has one step more on one side, and which corridors become longer for it: short ones, and few.

use std::collections::HashMap;

use kaisatsu_model::Window;

use crate::{
    compaction::{Snapshot, has_adjacent_bodies},
    contacts::Contact,
    geometry::Point,
    grid_layout::GridLayout,
    map_geometry::MapGeometry,
    routing_grid::GridNode,
    shifts::{self, LabelCells, Shift},
};

/// How many of the cheapest ways are tried in turn.
const WAYS: usize = 3;
/// A way that lengthens corridors for more than this is none: a row or a column is better.
const MAX_COST: f32 = 40.0;

/// What a label needs: how many steps it covers across and down.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    width: i32,
    height: i32,
}

impl Need {
    /// The need of a label with a width and a height in map units.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "labels are small")]
    pub(crate) fn of((width, height): (i64, i64), cell: f64) -> Self {
        let steps = |units: i64| (units as f64 / cell).ceil() as i32;
        Self { width: steps(width), height: steps(height) }
    }
}

/// The cells of the labels, and the nodes of their stations.
pub(crate) fn label_cells(
    layout: &GridLayout<'_>,
    geometry: &MapGeometry,
    labels: impl Iterator<Item = (usize, Window, f32)>,
    (cell, shift): (f64, Point),
) -> Vec<LabelCells> {
    let node = |x: i64, y: i64| {
        #[expect(clippy::cast_precision_loss, reason = "map units are small")]
        let at = Point::new(x as f64, y as f64).plus(shift).times(1.0 / cell);
        #[expect(clippy::cast_possible_truncation, reason = "the grid is small")]
        let node = GridNode { x: at.x.floor() as i32, y: at.y.floor() as i32 };
        node
    };
    let nodes = StationNodes::of(layout);
    let cells = |(station, rect, stiffness): (usize, Window, f32)| {
        let (low, high) = (node(rect.x, rect.y), node(rect.right(), rect.bottom()));
        Some(LabelCells { low, high, station: nodes.of_station(layout, geometry, station)?, stiffness })
    };
    labels.filter_map(cells).collect()
}

/// The nodes of the stations that are junctions.
struct StationNodes(HashMap<usize, GridNode>);

impl StationNodes {
    fn of(layout: &GridLayout<'_>) -> Self {
        let junctions = layout.topology.junctions.iter().zip(&layout.positions);
        Self(junctions.filter_map(|(junction, at)| Some((junction.kind.station()?, *at))).collect())
    }

    fn of_station(&self, layout: &GridLayout<'_>, geometry: &MapGeometry, station: usize) -> Option<GridNode> {
        match geometry.stops[station].on_corridor {
            Some((corridor, order)) => {
                let path = layout.paths[corridor].as_ref()?;
                Some(path[index_on(layout, corridor, order, path)])
            }
            None => self.0.get(&station).copied(),
        }
    }
}

fn index_on(layout: &GridLayout<'_>, corridor: usize, order: usize, path: &[GridNode]) -> usize {
    (path.len() - 1) * (order + 1) / (layout.topology.corridors[corridor].intermediate.len() + 1)
}

fn minus(a: GridNode, b: GridNode) -> GridNode {
    GridNode { x: a.x - b.x, y: a.y - b.y }
}

/// A way to make room: what stays, what goes, and in which direction.
struct Choice {
    by: GridNode,
    stay: Vec<GridNode>,
    go: Vec<GridNode>,
}

impl Choice {
    /// In one of the four directions of shifts: the others are shifts of everything else.
    fn new(by: GridNode, stay: Vec<GridNode>, go: Vec<GridNode>) -> Self {
        if shifts::DIRECTIONS.contains(&by) {
            return Self { by, stay, go };
        }
        Self { by: GridNode { x: -by.x, y: -by.y }, stay: go, go: stay }
    }
}

/// Makes room of one step for a station. `attempt` chooses among the cheapest ways, so that another one is tried when
/// the first did not help. Returns whether there was a way.
pub(crate) fn make_room(
    layout: &mut GridLayout<'_>,
    geometry: &MapGeometry,
    (station, need, attempt): (usize, Need, usize),
    labels: &[LabelCells],
) -> bool {
    let Some(at) = StationNodes::of(layout).of_station(layout, geometry, station) else { return false };
    let mut found = Vec::new();
    for choice in choices(layout, geometry, (station, at), need, labels) {
        found.extend(shifts::find_between(layout, choice.by, labels, (&choice.stay, &choice.go)));
    }
    if found.is_empty() {
        return false;
    }
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    let ways = found.len().min(WAYS);
    found.truncate(ways);
    found.rotate_left(attempt % ways);
    found.into_iter().any(|(shift, cost)| cost <= MAX_COST && is_applied(layout, &shift))
}

/// Moves two corridors that touch apart by one step. Returns whether there was a way.
pub(crate) fn move_apart(layout: &mut GridLayout<'_>, contact: &Contact, labels: &[LabelCells]) -> bool {
    let [one, two] = contact.corridors[..] else { return false };
    let (Some(first), Some(second)) = (&layout.paths[one], &layout.paths[two]) else { return false };
    let square = |a: &GridNode, b: &GridNode| (a.x - b.x).pow(2) + (a.y - b.y).pow(2);
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b);
    let Some((a, b)) = pairs.min_by_key(|(a, b)| (square(a, b), *a, *b)) else { return false };
    let apart = minus(b, a);
    let ways = [GridNode { x: apart.x.signum(), y: 0 }, GridNode { x: 0, y: apart.y.signum() }];
    let mut found = Vec::new();
    for by in ways.into_iter().filter(|by| *by != GridNode::default()) {
        let choice = Choice::new(by, vec![a], vec![b]);
        found.extend(shifts::find_between(layout, choice.by, labels, (&choice.stay, &choice.go)));
    }
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found.into_iter().any(|(shift, _)| is_applied(layout, &shift))
}

/// Applies a shift, unless the layout would not be sound.
fn is_applied(layout: &mut GridLayout<'_>, shift: &Shift) -> bool {
    let before = Snapshot::of(layout);
    let is_sound = shift.apply(layout) && !has_adjacent_bodies(layout) && layout.faces.inverted(&layout.paths) == 0;
    if !is_sound {
        before.restore(layout);
    }
    is_sound
}

/// The ways to make room: longer corridors on both sides of the station, and more distance from what is beside it.
fn choices(
    layout: &GridLayout<'_>,
    geometry: &MapGeometry,
    (station, at): (usize, GridNode),
    need: Need,
    labels: &[LabelCells],
) -> Vec<Choice> {
    let mut choices = Vec::new();
    let mut own: Vec<GridNode> = vec![at];
    if let Some((corridor, order)) = geometry.stops[station].on_corridor {
        if let Some(path) = &layout.paths[corridor] {
            let here = index_on(layout, corridor, order, path);
            for next in [here.checked_sub(1), (here + 1 < path.len()).then_some(here + 1)].into_iter().flatten() {
                choices.push(Choice::new(minus(path[next], path[here]), vec![path[here]], vec![path[next]]));
            }
            own.extend(path);
        }
    } else {
        let junction = layout.topology.junctions.iter().position(|j| j.kind.station() == Some(station));
        for end in junction.into_iter().flat_map(|junction| layout.ends_at(junction)) {
            let Some(path) = &layout.paths[end.corridor] else { continue };
            let last = path.len() - 1;
            let (start, next) = if end.first { (path[0], path[1]) } else { (path[last], path[last - 1]) };
            if layout.topology.corridors[end.corridor].walk.is_none() {
                choices.push(Choice::new(minus(next, start), vec![start], vec![next]));
            }
            own.extend(path);
        }
    }
    let beside = |by: GridNode| {
        let (x, y) = if by.x != 0 {
            let span = if by.x > 0 { (at.x + 1, at.x + need.width + 1) } else { (at.x - need.width - 1, at.x - 1) };
            (span, (at.y - 1, at.y + 1))
        } else {
            let half = need.width / 2 + 1;
            let span = if by.y > 0 { (at.y + 1, at.y + need.height + 1) } else { (at.y - need.height - 1, at.y - 1) };
            ((at.x - half, at.x + half), span)
        };
        let rows = (y.0..=y.1).flat_map(|y| (x.0..=x.1).map(move |x| GridNode { x, y }));
        let mut nodes: Vec<GridNode> = rows.filter(|node| !own.contains(node)).collect();
        let overlaps = |label: &&LabelCells| {
            label.low.x <= x.1 && label.high.x >= x.0 && label.low.y <= y.1 && label.high.y >= y.0
        };
        nodes.extend(labels.iter().filter(overlaps).map(|label| label.station).filter(|node| !own.contains(node)));
        nodes
    };
    for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        let by = GridNode { x, y };
        choices.push(Choice::new(by, vec![at], beside(by)));
    }
    choices
}
