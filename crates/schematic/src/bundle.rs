//! The order of lines that run side by side, chosen so that they cross as seldom as can be.
//!
//! Two lines that share some links have the order in which they part at the far end, unless they enter in another: then
//! they must cross once, and do so where they come together.

use crate::skeleton::{End, Skeleton};

/// For each link its lines from left to right, as seen from the first end.
pub(crate) fn order_lines(skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = skeleton.links.iter().map(|link| link.lines.clone()).collect();
    for (at, order) in orders.iter_mut().enumerate().filter(|(_, order)| order.len() > 1) {
        let lines = skeleton.links[at].lines.clone();
        let wins =
            |line: usize| lines.iter().filter(|&&other| other != line && is_left(skeleton, at, line, other)).count();
        order.sort_by_key(|&line| (usize::MAX - wins(line), line));
    }
    improve(skeleton, &mut orders);
    orders
}

/// Whether a line should be left of another on a link, going from its first end.
fn is_left(skeleton: &Skeleton, at: usize, line: usize, other: usize) -> bool {
    parting(skeleton, at, true, line, other)
        .or_else(|| parting(skeleton, at, false, line, other).map(|left| !left))
        .unwrap_or(line < other)
}

/// Follows two lines from a link until they part: whether the one goes left of the other.
fn parting(skeleton: &Skeleton, start: usize, forward: bool, line: usize, other: usize) -> Option<bool> {
    let mut here = End { link: start, first: !forward };
    for _ in 0..skeleton.links.len() {
        match (onward(skeleton, here, line)?, onward(skeleton, here, other)?) {
            (one, two) if one == two => {
                here = End { link: one.link, first: !one.first };
            }
            (one, two) => return Some(clockwise(skeleton, here, one) < clockwise(skeleton, here, two)),
        }
        if here.link == start {
            return None;
        }
    }
    None
}

/// The end at the same joint where the line goes on; at a branch the first.
fn onward(skeleton: &Skeleton, end: End, line: usize) -> Option<End> {
    skeleton.onward(end, line).first().copied()
}

/// How many slots clockwise from an end: leaving it behind, the smallest is the leftmost.
fn clockwise(skeleton: &Skeleton, from: End, to: End) -> usize {
    let slot = |end: End| skeleton.links[end.link].slots[usize::from(!end.first)];
    let joint = skeleton.links[from.link].joints[usize::from(!from.first)];
    let slots = skeleton.joints[joint].ends.len();
    (slot(to) + slots - slot(from)) % slots
}

/// Swaps neighbours while that saves a crossing.
fn improve(skeleton: &Skeleton, orders: &mut [Vec<usize>]) {
    for _ in 0..8 {
        let mut better = false;
        for link in 0..orders.len() {
            for at in 1..orders[link].len() {
                let before = crossings_at(skeleton, orders, link);
                orders[link].swap(at - 1, at);
                if crossings_at(skeleton, orders, link) < before {
                    better = true;
                } else {
                    orders[link].swap(at - 1, at);
                }
            }
        }
        if !better {
            return;
        }
    }
}

fn crossings_at(skeleton: &Skeleton, orders: &[Vec<usize>], link: usize) -> usize {
    [true, false].into_iter().map(|first| crossings_at_end(skeleton, orders, End { link, first })).sum()
}

/// How many pairs of lines of a link cross at one of its ends.
pub(crate) fn crossings_at_end(skeleton: &Skeleton, orders: &[Vec<usize>], end: End) -> usize {
    let order = &orders[end.link];
    let mut count = 0;
    for (at, &left) in order.iter().enumerate() {
        for &right in &order[at + 1..] {
            let (Some(one), Some(two)) = (onward(skeleton, end, left), onward(skeleton, end, right)) else { continue };
            // `order` is seen from the first end; towards the first end left and right change places.
            let left_first = if one == two {
                let place = |line: usize| orders[one.link].iter().position(|other| *other == line);
                (place(left) < place(right)) == one.first
            } else {
                clockwise(skeleton, end, one) < clockwise(skeleton, end, two)
            };
            if left_first == end.first {
                count += 1;
            }
        }
    }
    count
}
