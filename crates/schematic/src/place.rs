//! The first drawing on the grid: joints at their places, links laid by negotiation.
//!
//! The ports are given out first, in the order around each joint. Then every link takes its cheapest way, sharing what it
//! must; whatever is shared becomes dearer from round to round until nobody wants to share any more (the way circuit boards are
//! routed: `McMurchie` and Ebeling, "`PathFinder`", 1995).

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use crate::{
    board::{Board, Node, back, turn},
    body::{Body, Port},
    draft::{Draft, Lifted, crosses_itself},
    faces::Faces,
    geometry::{Point, nearest_on},
    router::{BENDS, Gate, Router, Terms},
    skeleton::{Joint, Skeleton, weight},
};

/// Rounds of negotiation.
const ROUNDS: usize = 48;
/// Free nodes around everything.
const MARGIN: i32 = 12;

/// The most nodes that a grid may have.
const MOST_NODES: f64 = 64.0e6;

/// Puts a skeleton on a grid with `steps` steps for one station distance. The links that found no way are listed; `None` when the grid
/// would be too large, or a joint finds no place at all.
pub(crate) fn place(skeleton: &Skeleton, steps: f64) -> Option<(Draft<'_>, Vec<usize>)> {
    let mut draft = blank(skeleton, steps)?;
    for joint in order(skeleton) {
        let home = draft.home[joint];
        let at = nearest_free(&draft, joint, home)?;
        draft.set_body(joint, at);
    }
    let given: Vec<Vec<usize>> = (0..skeleton.joints.len()).map(|joint| give_ports(&draft, joint)).collect();
    negotiate(&mut draft, &given, steps);
    let missing = settle(&mut draft);
    let missing = push_in(&mut draft, missing);
    Some((draft, missing))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the grid is small")]
fn blank(skeleton: &Skeleton, steps: f64) -> Option<Draft<'_>> {
    let places: Vec<Point> = skeleton.joints.iter().map(|joint| joint.place.times(steps)).collect();
    let (low, high) = crate::plane::bounds(&places).unwrap_or_default();
    let border = f64::from(2 * MARGIN + 2);
    if (high.x - low.x + border) * (high.y - low.y + border) > MOST_NODES {
        return None;
    }
    let home: Vec<(f32, f32)> =
        places.iter().map(|p| ((p.x - low.x) as f32 + MARGIN as f32, (p.y - low.y) as f32 + MARGIN as f32)).collect();
    let (width, height) = ((high.x - low.x) as i32 + 2 * MARGIN + 2, (high.y - low.y) as i32 + 2 * MARGIN + 2);
    let bodies: Vec<Body> = skeleton.joints.iter().map(|joint| Body::for_links(joint.ends.len())).collect();
    Some(Draft {
        skeleton,
        board: Board::new(width, height),
        ports: bodies.iter().map(|body| body.ports()).collect(),
        at: vec![Node::default(); bodies.len()],
        home: home
            .iter()
            .zip(&bodies)
            .map(|((x, y), body)| (x - (body.width - 1) as f32 / 2.0, y - (body.height - 1) as f32 / 2.0))
            .collect(),
        bodies,
        chosen: skeleton.joints.iter().map(|joint| vec![None; joint.ends.len()]).collect(),
        paths: vec![None; skeleton.links.len()],
        stay: 0.25,
        wants: skeleton.links.iter().map(|link| link.wants as f32).collect(),
        room: skeleton.links.iter().map(|link| if link.inner.is_empty() { 0.25 } else { 0.7 }).collect(),
        faces: Faces::of(skeleton),
        router: Router::default(),
    })
}

/// Joints with many links first: they are the hardest to move aside.
fn order(skeleton: &Skeleton) -> Vec<usize> {
    let mut order: Vec<usize> = (0..skeleton.joints.len()).collect();
    order.sort_by_key(|&joint| (usize::MAX - skeleton.joints[joint].ends.len(), joint));
    order
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the grid is small")]
fn nearest_free(draft: &Draft<'_>, joint: usize, (x, y): (f32, f32)) -> Option<Node> {
    let home = Node { x: x.round() as i32, y: y.round() as i32 };
    for reach in 0..4 * MARGIN {
        let ring = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
        let best = ring
            .filter(|(dx, dy)| dx.abs().max(dy.abs()) == reach)
            .map(|(dx, dy)| Node { x: home.x + dx, y: home.y + dy })
            .filter(|node| draft.is_free(joint, *node))
            .min_by(|a, b| {
                let far = |n: &Node| (n.x as f32 - x).hypot(n.y as f32 - y);
                far(a).total_cmp(&far(b))
            });
        if best.is_some() {
            return best;
        }
    }
    None
}

/// A port for each slot: in order, near the wanted angles, lines straight through where that is cheap.
fn give_ports(draft: &Draft<'_>, joint: usize) -> Vec<usize> {
    let (ports, here) = (&draft.ports[joint], &draft.skeleton.joints[joint]);
    let wanted: Vec<f64> = here
        .ends
        .iter()
        .map(|end| {
            let trace = &draft.skeleton.links[end.link].trace;
            angle_of(trace, end.first)
        })
        .collect();
    let body = draft.bodies[joint];
    let angles: Vec<f64> = ports.iter().map(|port| port_angle(*port, body)).collect();
    let slots = wanted.len();
    if slots == 0 {
        return Vec::new();
    }
    let off = |slot: usize, port: usize| {
        let d = (wanted[slot] - angles[port]).rem_euclid(TAU);
        let d = d.min(TAU - d) / FRAC_PI_4;
        d * d * 4.0
    };
    let mut best: Option<(f64, Vec<usize>)> = None;
    for first in 0..ports.len() {
        // costs[slot][k]: the cheapest way to give ports up to this slot when it gets port first + k, and the k of the slot before.
        let mut costs: Vec<Vec<(f64, usize)>> = vec![vec![(f64::MAX, 0); ports.len()]; slots];
        costs[0][0] = (off(0, first), 0);
        for slot in 1..slots {
            let mut low = (f64::MAX, 0);
            for k in slot..ports.len() {
                if costs[slot - 1][k - 1].0 < low.0 {
                    low = (costs[slot - 1][k - 1].0, k - 1);
                }
                costs[slot][k] = (low.0 + off(slot, (first + k) % ports.len()), low.1);
            }
        }
        let Some((k, (cost, _))) = costs[slots - 1].iter().copied().enumerate().min_by(|a, b| a.1.0.total_cmp(&b.1.0))
        else {
            continue;
        };
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            let (mut given, mut k) = (vec![0; slots], k);
            for slot in (0..slots).rev() {
                given[slot] = (first + k) % ports.len();
                k = costs[slot][k].1;
            }
            best = Some((cost, given));
        }
    }
    let mut given = best.map(|(_, given)| given).unwrap_or_default();
    straighten(&mut given, ports, here, &off);
    given
}

/// Moves single slots to a neighbouring free port while that saves more in bends than it costs in angle.
fn straighten(given: &mut [usize], ports: &[Port], joint: &Joint, off: &dyn Fn(usize, usize) -> f64) {
    let cost = |given: &[usize]| -> f64 {
        let bends: f32 = joint
            .through
            .iter()
            .map(|&(a, b, weight)| BENDS[turn(back(ports[given[a]].direction), ports[given[b]].direction)] * weight)
            .sum();
        f64::from(bends) + given.iter().enumerate().map(|(slot, &port)| off(slot, port)).sum::<f64>()
    };
    let mut least = cost(given);
    for _ in 0..4 {
        let before = least;
        for slot in 0..given.len() {
            let old = given[slot];
            for to in [(old + 1) % ports.len(), (old + ports.len() - 1) % ports.len()] {
                if given.contains(&to) {
                    continue;
                }
                given[slot] = to;
                let now = cost(given);
                if now < least {
                    least = now;
                    break;
                }
                given[slot] = old;
            }
        }
        if least >= before {
            return;
        }
    }
}

/// The direction in which a trace leaves one of its ends, looking about one station distance ahead.
fn angle_of(trace: &[Point], first: bool) -> f64 {
    let points: Vec<Point> = if first { trace.to_vec() } else { trace.iter().rev().copied().collect() };
    let here = points[0];
    let ahead = points[1..].iter().find(|p| p.distance(here) >= 0.6).or(points.last()).copied().unwrap_or(here);
    let way = ahead.minus(here);
    way.y.atan2(way.x)
}

#[expect(clippy::cast_precision_loss, reason = "directions and bodies are small")]
fn port_angle(port: Port, body: Body) -> f64 {
    let out = port.offset.step(port.direction);
    let (cx, cy) = (f64::from(body.width - 1) / 2.0, f64::from(body.height - 1) / 2.0);
    let outward = (f64::from(out.y) - cy).atan2(f64::from(out.x) - cx);
    let own = port.direction as f64 * FRAC_PI_4;
    // Half where the port is, half where it looks.
    let d = (own - outward + PI).rem_euclid(TAU) - PI;
    outward + d / 2.0
}

fn negotiate(draft: &mut Draft<'_>, given: &[Vec<usize>], steps: f64) {
    let mut history = vec![0.0_f32; draft.board.nodes.len()];
    let low = draft
        .skeleton
        .joints
        .iter()
        .fold((f64::MAX, f64::MAX), |(x, y), joint| (x.min(joint.place.x), y.min(joint.place.y)));
    let mut links: Vec<usize> = (0..draft.skeleton.links.len()).collect();
    // Short ones first: they have the least choice.
    links.sort_by(|&a, &b| {
        let far = |link: usize| draft.skeleton.links[link].trace.windows(2).map(|p| p[0].distance(p[1])).sum::<f64>();
        far(a).total_cmp(&far(b)).then(a.cmp(&b))
    });
    let mut sharing = 2.0_f32;
    for round in 0..ROUNDS {
        let mut quarrels = 0;
        for &link in &links {
            let quarrelling = draft.paths[link].as_ref().is_none_or(|path| draft.board.conflicts(path));
            if round > 0 && !quarrelling {
                continue;
            }
            quarrels += 1;
            draft.lift(link);
            let trace: Vec<Point> = draft.skeleton.links[link]
                .trace
                .iter()
                .map(|p| {
                    Point::new((p.x - low.0) * steps + f64::from(MARGIN), (p.y - low.1) * steps + f64::from(MARGIN))
                })
                .collect();
            let gate = |side: usize| {
                let (joint, slot) = (draft.skeleton.links[link].joints[side], draft.skeleton.links[link].slots[side]);
                let port = draft.ports[joint][given[joint][slot]];
                let at = draft.at[joint];
                Gate {
                    node: Node { x: at.x + port.offset.x, y: at.y + port.offset.y },
                    direction: port.direction,
                    cost: 0.0,
                }
            };
            let width = draft.board.width;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the grid is small")]
            let extra = |node: Node| {
                let here = Point::new(f64::from(node.x), f64::from(node.y));
                let off =
                    trace.windows(2).map(|p| nearest_on(p[0], p[1], here).distance(here)).fold(f64::MAX, f64::min);
                history[(node.y * width + node.x) as usize] + (off as f32 - 0.7).max(0.0) * 0.3
            };
            let (starts, ends) = ([gate(0)], [gate(1)]);
            let weight = weight(draft.skeleton.links[link].lines.len());
            let mut way = None;
            for margin in [6, 20, 60] {
                let terms = Terms {
                    starts: &starts,
                    ends: &ends,
                    weight,
                    limit: f32::MAX,
                    sharing,
                    company: 0.0,
                    extra: Some(&extra),
                    margin,
                };
                way = draft.router.find(&draft.board, &terms);
                if way.is_some() {
                    break;
                }
            }
            if let Some(way) = way {
                let ports = [0, 1]
                    .map(|side| given[draft.skeleton.links[link].joints[side]][draft.skeleton.links[link].slots[side]]);
                draft.lay(link, way.path, ports);
            }
        }
        if quarrels == 0 {
            return;
        }
        for (at, taken) in draft.board.nodes.iter().enumerate() {
            if *taken > 1 && *taken < crate::board::BODY {
                history[at] += f32::from(*taken - 1) * 1.5;
            }
        }
        sharing = (sharing * 1.35).min(80.0);
    }
}

/// Lifts links until none is in conflict; returns those that found no place again.
fn settle(draft: &mut Draft<'_>) -> Vec<usize> {
    let mut lifted: Vec<usize> = (0..draft.paths.len()).filter(|&link| draft.paths[link].is_none()).collect();
    for link in 0..draft.paths.len() {
        let bad = draft.paths[link].as_ref().is_some_and(|path| draft.board.conflicts(path) || crosses_itself(path));
        if bad {
            draft.lift(link);
            lifted.push(link);
        }
    }
    lifted.retain(|&link| !find_room(draft, link));
    lifted
}

/// Lays a link where there is room, looking farther and farther.
fn find_room(draft: &mut Draft<'_>, link: usize) -> bool {
    [8, 30, 80].iter().any(|&margin| {
        let laid = draft.insert(link, f32::MAX, margin).is_some();
        let good = laid && draft.keeps_faces(&[link]);
        if laid && !good {
            draft.lift(link);
        }
        good
    })
}

/// Lays those links that found no place by pushing others aside, which then have to find new ways; what does not come out even is
/// undone. Returns the links that are still without a way.
pub(crate) fn push_in(draft: &mut Draft<'_>, missing: Vec<usize>) -> Vec<usize> {
    missing
        .into_iter()
        .filter(|&link| !find_room(draft, link) && ![6.0, 15.0, 40.0].iter().any(|&sharing| push(draft, link, sharing)))
        .collect()
}

fn push(draft: &mut Draft<'_>, link: usize, sharing: f32) -> bool {
    let (starts, ends) = (draft.gates(link, 0), draft.gates(link, 1));
    let weight = weight(draft.skeleton.links[link].lines.len());
    let terms =
        Terms { starts: &starts, ends: &ends, weight, limit: f32::MAX, sharing, company: 0.0, extra: None, margin: 30 };
    let Some(way) = draft.router.find(&draft.board, &terms) else { return false };
    if crosses_itself(&way.path) {
        return false;
    }
    let ports = [draft.port_of(link, 0, &way.path), draft.port_of(link, 1, &way.path)];
    draft.lay(link, way.path, ports);
    let in_the_way: Vec<usize> = (0..draft.paths.len())
        .filter(|&other| other != link && draft.paths[other].as_ref().is_some_and(|path| draft.board.conflicts(path)))
        .collect();
    let lifted: Vec<Lifted> = in_the_way.iter().filter_map(|&other| draft.lift(other)).collect();
    if in_the_way.iter().all(|&other| find_room(draft, other)) && draft.keeps_faces(&[link]) {
        return true;
    }
    for &other in &in_the_way {
        draft.lift(other);
    }
    draft.lift(link);
    for old in lifted {
        draft.restore(old);
    }
    false
}
