//! Local search: each joint tries the places around it, with all its links laid anew, and stays where the drawing is cheapest.
//!
//! A change is kept only when every link found a way, so the drawing is valid before and after each step.

use crate::{
    board::Node,
    draft::{Draft, Lifted},
};

/// How far a joint looks around in one step.
const REACH: i32 = 3;
/// A change must save this much, so that the search ends.
const WORTH: f32 = 0.2;
/// How far around their ends links may go when they are laid anew.
const MARGIN: i32 = 7;

/// Moves all joints until nothing gets better, at most so many rounds.
pub(crate) fn improve(draft: &mut Draft<'_>, rounds: usize) {
    let all: Vec<usize> = (0..draft.skeleton.links.len()).collect();
    improve_around(draft, &all, rounds);
}

/// Moves the joints of some links, and whoever that stirs, until nothing gets better.
pub(crate) fn improve_around(draft: &mut Draft<'_>, links: &[usize], rounds: usize) {
    let joints = draft.skeleton.joints.len();
    let mut stirred = vec![false; joints];
    for joint in links.iter().flat_map(|&link| draft.skeleton.links[link].joints) {
        stirred[joint] = true;
    }
    let mut links = links.to_vec();
    for _ in 0..rounds {
        let mut better = false;
        for joint in 0..joints {
            if !std::mem::take(&mut stirred[joint]) {
                continue;
            }
            if move_joint(draft, joint) {
                better = true;
                stir(draft, joint, &mut stirred);
                links.extend(draft.links_of(joint).map(|end| end.link));
            }
        }
        links.sort_unstable();
        links.dedup();
        for &link in &links {
            if straighten(draft, link) {
                better = true;
                for joint in draft.skeleton.links[link].joints {
                    stirred[joint] = true;
                }
            }
        }
        if !better {
            return;
        }
    }
}

/// Whoever is joined to a moved joint, or stands near it, may have a better place now.
fn stir(draft: &Draft<'_>, joint: usize, stirred: &mut [bool]) {
    stirred[joint] = true;
    for end in draft.links_of(joint) {
        stirred[draft.skeleton.links[end.link].joints[usize::from(end.first)]] = true;
    }
}

/// Tries the places around a joint, best hope first; returns whether it moved or found better ways.
fn move_joint(draft: &mut Draft<'_>, joint: usize) -> bool {
    let home = draft.at[joint];
    let mut links: Vec<usize> = draft.links_of(joint).map(|end| end.link).collect();
    links.sort_unstable();
    links.dedup();
    if links.iter().any(|&link| draft.paths[link].is_none()) {
        return false;
    }
    let before = cost_around(draft, joint, &links);
    let mut places: Vec<(f32, Node)> = (-REACH..=REACH)
        .flat_map(|dy| (-REACH..=REACH).map(move |dx| Node { x: home.x + dx, y: home.y + dy }))
        .map(|node| (draft.at_least(joint, node), node))
        .filter(|(least, _)| *least < before - WORTH)
        .collect();
    if places.is_empty() {
        return false;
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let old: Vec<Lifted> = links.iter().filter_map(|&link| draft.lift(link)).collect();
    draft.clear_body(joint);
    let order = laying_order(draft, &links);
    let mut best = before - WORTH;
    let mut found: Option<(Node, Vec<Lifted>)> = None;
    let mut tries = 0;
    for (least, node) in places {
        if least >= best || tries >= 14 {
            break;
        }
        if !draft.is_free(joint, node) {
            continue;
        }
        tries += 1;
        draft.set_body(joint, node);
        if lay_all(draft, joint, &order, best) {
            let cost = cost_around(draft, joint, &links);
            let keeps_faces = cost < best && draft.keeps_faces(&links);
            let laid: Vec<Lifted> = links.iter().filter_map(|&link| draft.lift(link)).collect();
            if cost < best && keeps_faces {
                best = cost;
                found = Some((node, laid));
            }
        } else {
            for &link in &links {
                draft.lift(link);
            }
        }
        draft.clear_body(joint);
    }
    let moved = found.is_some();
    let (at, laid) = found.unwrap_or((home, old));
    draft.set_body(joint, at);
    for lifted in laid {
        draft.restore(lifted);
    }
    moved
}

/// The links with the most lines first: they should have the straightest ways.
fn laying_order(draft: &Draft<'_>, links: &[usize]) -> Vec<usize> {
    let mut order = links.to_vec();
    order.sort_by_key(|&link| {
        (usize::MAX - draft.skeleton.links[link].lines.len(), draft.skeleton.links[link].inner.len(), link)
    });
    order
}

/// Lays all links of a joint; gives up when they cost `limit` or more.
fn lay_all(draft: &mut Draft<'_>, joint: usize, links: &[usize], limit: f32) -> bool {
    let mut cost = draft.displaced(joint, draft.at[joint]);
    for &link in links {
        match draft.insert(link, limit - cost, MARGIN) {
            Some(more) => cost += more,
            None => return false,
        }
    }
    cost < limit
}

/// What a joint and its links cost, with the bends at both ends.
fn cost_around(draft: &Draft<'_>, joint: usize, links: &[usize]) -> f32 {
    let own: f32 = links.iter().map(|&link| draft.cost_of(link)).sum();
    own + draft.displaced(joint, draft.at[joint]) + draft.bends_at(joint) + outside_bends(draft, joint, links)
}

/// The bends at the other ends of a joint's links: what [`Draft::insert`] counts for the gates there.
fn outside_bends(draft: &Draft<'_>, joint: usize, links: &[usize]) -> f32 {
    let mut others: Vec<usize> =
        links.iter().flat_map(|&link| draft.skeleton.links[link].joints).filter(|&other| other != joint).collect();
    others.sort_unstable();
    others.dedup();
    let lifted = |other: usize, slot: usize| {
        let end = draft.skeleton.joints[other].ends[slot];
        links.contains(&end.link)
    };
    let mut sum = 0.0;
    for other in others {
        for &(a, b, weight) in &draft.skeleton.joints[other].through {
            if lifted(other, a) || lifted(other, b) {
                sum += draft.pair_cost(other, a, b) * weight;
            }
        }
    }
    sum
}

/// Lays a single link anew.
fn straighten(draft: &mut Draft<'_>, link: usize) -> bool {
    let before = draft.cost_of(link);
    let bends = draft.end_bends(link);
    let Some(old) = draft.lift(link) else { return false };
    let limit = before + bends - WORTH;
    if draft.insert(link, limit, MARGIN).is_some() {
        if draft.cost_of(link) + draft.end_bends(link) < limit && draft.keeps_faces(&[link]) {
            return true;
        }
        draft.lift(link);
    }
    draft.restore(old);
    false
}
