//! More room where it is missing: columns or rows of the grid are put in, and whatever crosses the cut is made longer.
//!
//! Ways that cross the cut run straight through the new columns, one in each row, in the order in which they crossed it. So nothing
//! meets that did not meet before. A diagonal gets a bend there, which the local search takes out again where it can.

use crate::{
    board::{Board, Node},
    draft::Draft,
    place::push_in,
};

/// More knots than this are not worth untying.
const MOST_KNOTS: usize = 8;

/// Across which axis the room is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// New columns: things move right.
    Columns,
    /// New rows: things move down.
    Rows,
}

/// How far from the wanted place a cut may be. A short link is stretched only by a cut through itself, so the nearest are tried first,
/// even where links are in the way.
const ASIDE: i32 = 5;

/// Adds `count` columns (or rows) as near to `at` as it can be done. Returns the links that became longer.
pub(crate) fn stretch(draft: &mut Draft<'_>, axis: Axis, at: i32, count: i32) -> Vec<usize> {
    let near = |reach: i32| (0..=reach).flat_map(move |off| [at - off, at + off]);
    for reach in [1, ASIDE] {
        if let Some(longer) = near(reach).find_map(|cut| cut_at(draft, axis, cut, count)) {
            return longer;
        }
        if let Some(longer) = near(reach).find_map(|cut| cut_knots(draft, axis, cut, count)) {
            return longer;
        }
    }
    Vec::new()
}

/// Cuts where some links are in the way: they are lifted first and look for new ways afterwards. On a large map nearly every cut
/// meets one somewhere. When one finds no way everything is as before.
fn cut_knots(draft: &mut Draft<'_>, axis: Axis, cut: i32, count: i32) -> Option<Vec<usize>> {
    let mut lifted = Vec::new();
    while let Err(knot) = crossings(draft, axis, cut) {
        lifted.push(draft.lift(knot)?);
        if lifted.len() > MOST_KNOTS {
            break;
        }
    }
    let before = (draft.board.clone(), draft.at.clone(), draft.home.clone(), draft.paths.clone(), draft.chosen.clone());
    let links: Vec<usize> = lifted.iter().map(|lifted| lifted.link).collect();
    let mut longer = if lifted.len() > MOST_KNOTS { None } else { cut_at(draft, axis, cut, count) };
    if longer.is_some() && !push_in(draft, links.clone()).is_empty() {
        (draft.board, draft.at, draft.home, draft.paths, draft.chosen) = before;
        longer = None;
    }
    match &mut longer {
        Some(longer) => longer.extend(links),
        None => lifted.into_iter().for_each(|lifted| draft.restore(lifted)),
    }
    longer
}

/// Exchanges x and y when rows are added, so that the rest speaks of columns only.
fn seen(axis: Axis, node: Node) -> Node {
    match axis {
        Axis::Columns => node,
        Axis::Rows => Node { x: node.y, y: node.x },
    }
}

/// One step of a way over the cut.
struct Crossing {
    link: usize,
    /// The step's index in the path.
    step: usize,
    /// Whether the way goes against the axis.
    backwards: bool,
    left: Node,
    right: Node,
    /// The row in which it runs through the new columns.
    row: i32,
}

fn cut_at(draft: &mut Draft<'_>, axis: Axis, cut: i32, count: i32) -> Option<Vec<usize>> {
    // A body that the cut would go through has no rows to give.
    let split = (0..draft.at.len()).any(|joint| {
        let columns = draft.bodies[joint].nodes(draft.at[joint]).map(|node| seen(axis, node).x);
        let (low, high) = columns.fold((i32::MAX, i32::MIN), |(low, high), x| (low.min(x), high.max(x)));
        low <= cut && high > cut
    });
    if split {
        return None;
    }
    let crossings = crossings(draft, axis, cut).ok()?;
    let moved = |node: Node| {
        let mut node = seen(axis, node);
        if node.x > cut {
            node.x += count;
        }
        seen(axis, node)
    };
    let shifted = |path: &Option<Vec<Node>>| path.iter().flatten().map(|&node| moved(node)).collect();
    let mut paths: Vec<Vec<Node>> = draft.paths.iter().map(shifted).collect();
    // From the last step to the first, so that the indices of earlier steps stay right.
    let mut order: Vec<&Crossing> = crossings.iter().collect();
    order.sort_by_key(|crossing| (crossing.link, usize::MAX - crossing.step));
    for crossing in order {
        // The node on the left in this row may be the way's own, and likewise on the right.
        let from = crossing.left.x + i32::from(crossing.left.y == crossing.row);
        let to = crossing.right.x + count - i32::from(crossing.right.y == crossing.row);
        let mut new: Vec<Node> =
            (from.max(cut + 1)..=to.min(cut + count)).map(|x| seen(axis, Node { x, y: crossing.row })).collect();
        if crossing.backwards {
            new.reverse();
        }
        let at = crossing.step + 1;
        paths[crossing.link].splice(at..at, new);
    }
    rebuild(draft, axis, count, cut, paths);
    Some(crossings.iter().map(|crossing| crossing.link).collect())
}

/// The steps over the cut from top to bottom, each with a row of its own; or a link that finds none.
fn crossings(draft: &Draft<'_>, axis: Axis, cut: i32) -> Result<Vec<Crossing>, usize> {
    let mut found = Vec::new();
    for (link, path) in draft.paths.iter().enumerate() {
        let Some(path) = path else { continue };
        for (step, pair) in path.windows(2).enumerate() {
            let (a, b) = (seen(axis, pair[0]), seen(axis, pair[1]));
            if (a.x <= cut) == (b.x <= cut) {
                continue;
            }
            let backwards = a.x > cut;
            let (left, right) = if backwards { (b, a) } else { (a, b) };
            found.push(Crossing { link, step, backwards, left, right, row: 0 });
        }
    }
    found.sort_by_key(|crossing| (crossing.left.y + crossing.right.y, crossing.left.y));
    let is_body = |node: Node| draft.board.nodes[draft.board.at(seen(axis, node))] >= crate::board::BODY;
    let mut last = i32::MIN;
    for crossing in &mut found {
        let (left, right) = (crossing.left.y, crossing.right.y);
        // A step out of a body must keep its direction: its row is the one on the other side of it.
        let (low, high) = match (is_body(crossing.left), is_body(crossing.right)) {
            (true, true) if left != right => return Err(crossing.link),
            (true, _) => (right, right),
            (_, true) => (left, left),
            _ => (left.min(right), left.max(right)),
        };
        crossing.row = if low > last { low } else { high };
        if crossing.row <= last {
            return Err(crossing.link);
        }
        last = crossing.row;
    }
    Ok(found)
}

/// Lays everything again on a longer board.
fn rebuild(draft: &mut Draft<'_>, axis: Axis, count: i32, cut: i32, paths: Vec<Vec<Node>>) {
    let size = seen(axis, Node { x: draft.board.width, y: draft.board.height });
    let size = seen(axis, Node { x: size.x + count, y: size.y });
    draft.board = Board::new(size.x, size.y);
    for joint in 0..draft.at.len() {
        let mut at = seen(axis, draft.at[joint]);
        if at.x > cut {
            at.x += count;
        }
        draft.set_body(joint, seen(axis, at));
    }
    for (link, path) in paths.into_iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        draft.board.lay(&path, 1);
        draft.paths[link] = Some(path);
    }
    draft.settle_here();
}
