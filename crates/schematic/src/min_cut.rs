//! The cheapest set of choices that depend on each other in pairs, as a minimum cut (Dinic, 1970).

use std::collections::VecDeque;

/// More than any cut is worth: what must not happen.
pub(crate) const FORBIDDEN: i64 = 1 << 40;

/// Choices between staying and moving, with their costs.
pub(crate) struct Choices {
    /// For each arc the choice that it leads to, and the capacity that is left. Arcs and their reverses alternate.
    arcs: Vec<(u32, i64)>,
    /// The arcs from each choice. The last two entries are the source and the sink.
    from: Vec<Vec<u32>>,
    /// What moving costs by itself.
    own: Vec<i64>,
    level: Vec<u32>,
    next: Vec<usize>,
}

impl Choices {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            arcs: Vec::new(),
            from: vec![Vec::new(); count + 2],
            own: vec![0; count],
            level: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Keeps a choice from moving.
    pub(crate) fn forbid(&mut self, at: usize) {
        self.own[at] += FORBIDDEN;
    }

    /// Makes a choice move.
    pub(crate) fn force(&mut self, at: usize) {
        self.own[at] -= FORBIDDEN;
    }

    /// What it costs if only the first moves, and if only the second moves. One of them may be a gain, up to the cost
    /// of the other.
    pub(crate) fn add_both(&mut self, first: usize, second: usize, first_only: i64, second_only: i64) {
        if first == second {
            return;
        }
        // A gain is split into a part of each choice by itself and a cost of the other order.
        let (gain, rest) = (first_only.min(0), first_only.max(0));
        let (gain_of_second, rest_of_second) = (second_only.min(0), second_only.max(0));
        self.own[first] += gain - gain_of_second;
        self.own[second] += gain_of_second - gain;
        let forward = (rest + gain_of_second).max(0);
        let backward = (rest_of_second + gain).max(0);
        if forward > 0 || backward > 0 {
            self.arc(first, second, forward, backward);
        }
    }

    fn arc(&mut self, from: usize, to: usize, capacity: i64, reverse: i64) {
        let at = index(self.arcs.len());
        self.from[from].push(at);
        self.from[to].push(at + 1);
        self.arcs.push((index(to), capacity));
        self.arcs.push((index(from), reverse));
    }

    /// Which choices move in the cheapest solution, and what it gains over moving nothing.
    pub(crate) fn solve(mut self) -> (Vec<bool>, i64) {
        let (source, sink) = (self.own.len(), self.own.len() + 1);
        let mut gain = 0;
        for at in 0..self.own.len() {
            let own = self.own[at];
            if own < 0 {
                gain -= own;
                self.arc(source, at, -own, 0);
            } else if own > 0 {
                self.arc(at, sink, own, 0);
            }
        }
        while self.find_levels(source, sink) {
            self.next = vec![0; self.from.len()];
            gain -= self.push_all(source, sink);
        }
        // What the source still reaches moves.
        let moves = self.level[..source].iter().map(|level| *level != u32::MAX).collect();
        (moves, gain)
    }

    /// The distance of each choice from the source, over arcs with capacity left. Whether the sink is reached.
    fn find_levels(&mut self, source: usize, sink: usize) -> bool {
        self.level = vec![u32::MAX; self.from.len()];
        self.level[source] = 0;
        let mut open = VecDeque::from([source]);
        while let Some(here) = open.pop_front() {
            for &arc in &self.from[here] {
                let (to, capacity) = self.arcs[arc as usize];
                let to = to as usize;
                if capacity > 0 && self.level[to] == u32::MAX {
                    self.level[to] = self.level[here] + 1;
                    open.push_back(to);
                }
            }
        }
        self.level[sink] != u32::MAX
    }

    /// Pushes as much as possible along shortest ways.
    fn push_all(&mut self, source: usize, sink: usize) -> i64 {
        let mut total = 0;
        let mut way: Vec<u32> = Vec::new();
        let mut here = source;
        loop {
            if here == sink {
                let least = way.iter().map(|&arc| self.arcs[arc as usize].1).min().unwrap_or(0);
                total += least;
                let mut back = 0;
                for (at, &arc) in way.iter().enumerate().rev() {
                    self.arcs[arc as usize].1 -= least;
                    self.arcs[(arc ^ 1) as usize].1 += least;
                    if self.arcs[arc as usize].1 == 0 {
                        back = at;
                    }
                }
                here = self.arcs[(way[back] ^ 1) as usize].0 as usize;
                way.truncate(back);
                continue;
            }
            let onward = loop {
                let Some(&arc) = self.from[here].get(self.next[here]) else { break None };
                let (to, capacity) = self.arcs[arc as usize];
                if capacity > 0 && self.level[to as usize] == self.level[here] + 1 {
                    break Some(arc);
                }
                self.next[here] += 1;
            };
            if let Some(arc) = onward {
                way.push(arc);
                here = self.arcs[arc as usize].0 as usize;
            } else {
                let Some(last) = way.pop() else { return total };
                here = self.arcs[(last ^ 1) as usize].0 as usize;
                self.next[here] += 1;
            }
        }
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Choices, FORBIDDEN};

    /// What a solution costs, computed from its parts.
    fn cost(parts: &[(usize, usize, i64, i64)], moves: &[bool]) -> i64 {
        let of = |&(a, b, first_only, second_only): &(usize, usize, i64, i64)| match (moves[a], moves[b]) {
            (true, false) => first_only,
            (false, true) => second_only,
            _ => 0,
        };
        parts.iter().map(of).sum()
    }

    #[test]
    fn the_solution_is_the_cheapest_of_all() {
        let mut number = 7_u32;
        let mut next = |below: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) % below
        };
        for _ in 0..200 {
            let parts: Vec<(usize, usize, i64, i64)> = (0..14)
                .map(|_| {
                    let (a, b) = (next(7) as usize, next(7) as usize);
                    let gain = i64::from(next(9));
                    let loss = gain + i64::from(next(6));
                    match next(5) {
                        0 => (a, b, FORBIDDEN, 0),
                        1 | 2 => (a, b, -gain, loss),
                        3 => (a, b, loss, -gain),
                        _ => (a, b, loss, gain),
                    }
                })
                .filter(|(a, b, _, _)| a != b)
                .collect();
            let mut choices = Choices::new(7);
            for &(a, b, first_only, second_only) in &parts {
                choices.add_both(a, b, first_only, second_only);
            }
            let (moves, gain) = choices.solve();
            let best = (0..128_u32)
                .map(|set| cost(&parts, &(0..7).map(|at| set >> at & 1 == 1).collect::<Vec<bool>>()))
                .min()
                .unwrap_or(0);
            assert_eq!((cost(&parts, &moves), gain), (best, -best), "{parts:?}");
        }
    }
}
