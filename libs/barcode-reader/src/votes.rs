//! Adds up the votes of all scan lines through a symbol, and then chooses its number.

use super::{
    digits,
    symbol::{Costs, FIRST_DIGIT, SHAPES, SHORT_CHECK, Symbol},
    view::View,
};

/// Lines further apart than this many rows, or than this part of their length, belong to two symbols. The two on the
/// back of a Japanese book are printed one above the other, a third of their length apart.
const FAR: f32 = 40.0;
const FAR_PART: f32 = 0.25;

/// A scan line across a possible symbol.
pub(super) struct Line<'a> {
    pub(super) row: usize,
    /// The symbol's ends.
    pub(super) left: f32,
    pub(super) right: f32,
    /// Its bars and spaces.
    pub(super) runs: &'a [f32],
    /// Whether they fit as they lie, and upside down.
    pub(super) fits: [bool; 2],
}

/// The scan lines across one symbol, and their votes.
pub(super) struct Detection {
    pub(super) symbol: Symbol,
    /// For the symbol as it lies and upside down: the sum of the costs, and the number of lines.
    votes: [(Vec<Costs>, u32); 2],
    /// Left and right ends of every line, with its row.
    ends: Vec<(f32, f32, f32)>,
}

/// A number and its support.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) digits: Vec<u8>,
    /// The extra cost per line of these digits over the best shape at each position.
    pub(super) strain: f32,
    /// The extra cost per line of the next best valid number.
    pub(super) margin: f32,
    pub(super) lines: u32,
}

impl Detection {
    pub(super) fn new(symbol: Symbol, line: &Line<'_>) -> Self {
        let mut detection = Self { symbol, votes: Default::default(), ends: Vec::new() };
        detection.add(line);
        detection
    }

    /// Whether a line belongs to the same symbol: it is a few rows away, and its ends have moved no further than those
    /// of a slanted symbol would.
    pub(super) fn continues(&self, symbol: Symbol, line: &Line<'_>) -> bool {
        let Some(&(left, right, row)) = self.ends.last() else { return false };
        let rows = line.row as f32 - row;
        let slack = 2.0 + rows * 0.75;
        let near = (line.left - left).abs() < slack && (line.right - right).abs() < slack;
        symbol == self.symbol && rows <= FAR.min(FAR_PART * (right - left)) && near
    }

    pub(super) fn add(&mut self, line: &Line<'_>) {
        let upside_down: Vec<f32> = line.runs.iter().rev().copied().collect();
        for (way, runs) in [line.runs, &upside_down].into_iter().enumerate().filter(|(way, _)| line.fits[*way]) {
            let (sums, lines) = &mut self.votes[way];
            let costs = self.symbol.costs(runs);
            sums.resize(costs.len(), [0.0; SHAPES]);
            for (sum, cost) in sums.iter_mut().flatten().zip(costs.iter().flatten()) {
                *sum += cost;
            }
            *lines += 1;
        }
        self.ends.push((line.left, line.right, line.row as f32));
    }

    /// The rectangle around its lines in the original image: left, top, right, bottom.
    pub(super) fn bounds(&self, view: &View) -> [f32; 4] {
        let ends = self.ends.iter().flat_map(|&(left, right, row)| [(left, row), (right, row)]);
        ends.map(|end| view.back(end)).fold([f32::MAX, f32::MAX, f32::MIN, f32::MIN], |[l, t, r, b], (x, y)| {
            [l.min(x), t.min(y), r.max(x), b.max(y)]
        })
    }

    /// The number that all lines together support best.
    pub(super) fn reading(&self) -> Option<Reading> {
        let either = self.votes.iter().filter(|(_, lines)| *lines > 0).filter_map(|(costs, lines)| {
            let each = 1.0 / *lines as f32;
            let choice = choose(self.symbol, costs)?;
            Some((choice.cost * each, choice.next * each, choice.strain * each, *lines, choice.digits))
        });
        let mut either: Vec<_> = either.collect();
        either.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut either = either.into_iter();
        let (cost, next, strain, lines, digits) = either.next()?;
        // The best number of the other orientation competes too.
        let next = either.next().map_or(next, |other| next.min(other.0));
        Some(Reading { digits, strain, margin: next - cost, lines })
    }
}

/// The best number for some costs.
struct Choice {
    digits: Vec<u8>,
    cost: f32,
    strain: f32,
    /// The cost of the next best number that is valid.
    next: f32,
}

/// The valid number with the least cost. Each allowed mixture of plain and mirrored shapes is tried with its best
/// digits, and with one or two of them replaced by the second best. A number further away is not worth reading.
fn choose(symbol: Symbol, costs: &[Costs]) -> Option<Choice> {
    let floor: f32 = costs.iter().map(|costs| costs.iter().copied().fold(f32::MAX, f32::min)).sum();
    let mut best: Option<(Vec<u8>, f32)> = None;
    let mut next = f32::MAX;
    for mixture in mixtures(symbol) {
        let places: Vec<[(u8, f32); 2]> =
            costs.iter().zip(&mixture.mirrored).map(|(costs, mirrored)| two_best(costs, *mirrored)).collect();
        let plain: f32 = places.iter().map(|[first, _]| first.1).sum();
        // Even the best digits of this mixture cost too much.
        if plain > next.min(best.as_ref().map_or(f32::MAX, |(_, cost)| *cost) + 40.0) {
            continue;
        }
        let mut consider = |swaps: &[usize]| {
            let extra: f32 =
                swaps.iter().filter_map(|at| places.get(*at)).map(|[first, second]| second.1 - first.1).sum();
            let cost = plain + extra;
            if cost >= next {
                return;
            }
            let shown = places.iter().enumerate().map(
                |(at, [first, second])| {
                    if swaps.contains(&at) { second.0 } else { first.0 }
                },
            );
            let Some(digits) = complete(symbol, mixture.hidden, shown) else { return };
            match &mut best {
                Some((known, least)) if cost < *least => {
                    if *known != digits {
                        next = *least;
                    }
                    (*known, *least) = (digits, cost);
                }
                Some((known, _)) => {
                    if *known != digits {
                        next = cost;
                    }
                }
                None => best = Some((digits, cost)),
            }
        };
        consider(&[]);
        for first in 0..places.len() {
            consider(&[first]);
            for second in first + 1..places.len() {
                consider(&[first, second]);
            }
        }
    }
    let (digits, cost) = best?;
    Some(Choice { digits, cost, strain: cost - floor, next: next.min(cost + 40.0) })
}

/// An allowed mixture of plain and mirrored digits, and the digits that it stands for.
struct Mixture {
    mirrored: Vec<bool>,
    hidden: [u8; 2],
}

fn mixtures(symbol: Symbol) -> Vec<Mixture> {
    let bits = |mask: u8| (0..6).rev().map(move |bit| mask >> bit & 1 == 1);
    let numbered = |masks: [u8; 10]| masks.into_iter().zip(0u8..);
    match symbol {
        Symbol::Long => {
            let right = [false; 6];
            let mixture = |(mask, first)| Mixture { mirrored: bits(mask).chain(right).collect(), hidden: [first, 0] };
            numbered(FIRST_DIGIT).map(mixture).collect()
        }
        Symbol::Eight => vec![Mixture { mirrored: vec![false; 8], hidden: [0, 0] }],
        Symbol::Short => {
            let mixture = |(mask, check)| Mixture { mirrored: bits(mask).collect(), hidden: [0, check] };
            numbered(SHORT_CHECK).map(mixture).collect()
        }
    }
}

fn two_best(costs: &Costs, mirrored: bool) -> [(u8, f32); 2] {
    let mut two = [(0, f32::MAX); 2];
    for (digit, &cost) in (0u8..10).zip(costs.iter().skip(if mirrored { 10 } else { 0 })) {
        if cost < two[0].1 {
            two = [(digit, cost), two[0]];
        } else if cost < two[1].1 {
            two[1] = (digit, cost);
        }
    }
    two
}

/// The whole number, if its check digit is right: EAN-13 for long and short symbols, eight digits for EAN-8.
fn complete(symbol: Symbol, hidden: [u8; 2], shown: impl Iterator<Item = u8>) -> Option<Vec<u8>> {
    let number: Vec<u8> = match symbol {
        Symbol::Long => std::iter::once(hidden[0]).chain(shown).collect(),
        Symbol::Eight => shown.collect(),
        Symbol::Short => {
            let short: Vec<u8> = std::iter::once(hidden[0]).chain(shown).chain([hidden[1]]).collect();
            let long = digits::expand_upc_e(short.try_into().ok()?)?;
            std::iter::once(0).chain(long).collect()
        }
    };
    digits::is_valid(&number).then_some(number)
}
