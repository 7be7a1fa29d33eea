//! The steps by which a picture is looked at, and when what they found is enough.

use super::{
    Symbology,
    direction::directions,
    scan::{Edges, Filter, Scanner},
    symbol::Symbol,
    view::View,
    votes::{Detection, Line, Reading},
};

/// A number, what speaks for it, and the rectangle around the lines that showed it: left, top, right, bottom.
pub(super) struct Found {
    pub(super) digits: Vec<u8>,
    pub(super) symbology: Symbology,
    pub(super) bounds: [f32; 4],
    weight: f32,
    lines: u32,
}

/// How large the picture is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Its longer side at most [`LONGEST`].
    Usual,
    /// Half of that: for large symbols, and for blur.
    Half,
    /// Twice that, where the picture has so many pixels: for small symbols in large photographs.
    Double,
}

/// Which way the scan lines run.
#[derive(Debug, Clone, Copy)]
enum Way {
    Across,
    Down,
    /// Across the bars of the n-th most striking direction of the picture.
    Striking(usize),
}

/// A pass of the ladder.
struct Pass {
    size: Size,
    way: Way,
    /// How many rows make one line, and from how many rows to how many a line is taken.
    rows: usize,
    pace: usize,
    filters: &'static [Filter],
}

const fn filter(prominence: f32, sharpen: f32, reach: usize) -> Filter {
    Filter { prominence, sharpen, reach }
}

const fn pass(size: Size, way: Way, rows: usize, pace: usize, filters: &'static [Filter]) -> Pass {
    Pass { size, way, rows, pace, filters }
}

const PLAIN: &[Filter] = &[filter(0.16, 0.0, 0)];
const USUAL: &[Filter] = &[filter(0.16, 0.0, 0), filter(0.16, 1.5, 2), filter(0.16, 2.0, 1)];
const BLURRED: &[Filter] = &[filter(0.16, 4.0, 2), filter(0.10, 8.0, 2)];

/// Most readable symbols are read in the first two steps, nearly all others in the next three. A pass costs about as much
/// as every other of its size, so the number of steps is the budget.
const PASSES: &[Pass] = &[
    pass(Size::Usual, Way::Across, 3, 4, PLAIN),
    pass(Size::Usual, Way::Down, 3, 4, PLAIN),
    pass(Size::Usual, Way::Striking(0), 8, 4, USUAL),
    pass(Size::Usual, Way::Striking(1), 8, 4, USUAL),
    pass(Size::Usual, Way::Striking(2), 8, 4, USUAL),
    pass(Size::Half, Way::Striking(0), 4, 2, USUAL),
    pass(Size::Usual, Way::Striking(0), 16, 4, BLURRED),
    pass(Size::Usual, Way::Striking(1), 16, 4, BLURRED),
    pass(Size::Half, Way::Striking(1), 4, 2, USUAL),
    pass(Size::Double, Way::Striking(0), 12, 8, USUAL),
    pass(Size::Double, Way::Striking(1), 12, 8, USUAL),
    pass(Size::Usual, Way::Striking(3), 8, 4, USUAL),
];

/// The longer side that a picture is usually looked at with: the bars of a symbol that fills a fifth of it are two pixels wide.
const LONGEST: usize = 1600;
/// What must speak for a number: the sum over its detections of lines (four at most) times how much better it is than the next.
/// It was chosen on 800 drawn photographs, of which none is misread with it and three at half of it. (Of the 400 that `bench/accuracy` draws now, one is.)
const ENOUGH: f32 = 4.0;
/// Votes count while the best shapes and the number agree but for so much a line.
const STRAIN: f32 = 0.3;

/// Climbs until something is found, and gives the numbers, the surest first.
pub(super) fn run(width: usize, height: usize, grey: Vec<u8>) -> Vec<Found> {
    let base = View::new(width, height, grey);
    let factor = width.max(height).div_ceil(LONGEST).max(1);
    let usual = base.shrunk(factor);
    let (mut half, mut double, mut striking) = (None, None, None);
    let mut found: Vec<Found> = Vec::new();
    for pass in PASSES {
        let sized = match pass.size {
            Size::Usual => &usual,
            Size::Half => half.get_or_insert_with(|| usual.shrunk(2)),
            Size::Double if factor == 1 => continue,
            Size::Double => double.get_or_insert_with(|| base.shrunk(factor / 2)),
        };
        let view = match pass.way {
            Way::Across => sized.turned(0.0),
            Way::Down => sized.transposed(),
            Way::Striking(which) => {
                let directions = striking.get_or_insert_with(|| directions(&usual, 4));
                let Some(degrees) = directions.get(which) else { continue };
                sized.turned(*degrees)
            }
        };
        for detection in detections(&view, pass) {
            if let Some(reading) = detection.reading().filter(|reading| reading.strain <= STRAIN) {
                count(&mut found, &view, &detection, reading);
            }
        }
        if found.iter().any(|found| found.suffices() && !found.is_price()) {
            break;
        }
    }
    found.retain(Found::suffices);
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    // Of two numbers at one place the lighter is a misreading, but for the two that are printed together.
    let mut kept: Vec<Found> = Vec::new();
    for next in found {
        if !kept.iter().any(|heavier| heavier.is_at_the_place_of(&next) && heavier.is_price() == next.is_price()) {
            kept.push(next);
        }
    }
    kept
}

impl Found {
    fn suffices(&self) -> bool {
        self.weight >= ENOUGH && self.lines >= 2
    }

    /// Whether it is the second of the two symbols on the back of a Japanese book, which says kind and price. It stands so
    /// close below the ISBN that on a tilted cover the rectangles around the two share more than half.
    fn is_price(&self) -> bool {
        self.digits.len() == 13 && (self.digits.starts_with(&[1, 9, 1]) || self.digits.starts_with(&[1, 9, 2]))
    }

    /// Whether the rectangles share half of the smaller one. Those of two tilted symbols side by side share a corner.
    fn is_at_the_place_of(&self, other: &Self) -> bool {
        let area = |[left, top, right, bottom]: [f32; 4]| (right - left).max(0.0) * (bottom - top).max(0.0);
        let ([left, top, right, bottom], [l, t, r, b]) = (self.bounds, other.bounds);
        let shared = area([left.max(l), top.max(t), right.min(r), bottom.min(b)]);
        shared > 0.0 && shared * 2.0 >= area(self.bounds).min(area(other.bounds))
    }
}

/// Adds a detection to what is known of its number.
fn count(found: &mut Vec<Found>, view: &View, detection: &Detection, reading: Reading) {
    // The fewer digits, the more often chance makes them right.
    let trust = match detection.symbol {
        Symbol::Long => 1.0,
        Symbol::Eight => 0.5,
        Symbol::Short => 0.3,
    };
    let weight = trust * (reading.margin - reading.strain) * reading.lines.min(4) as f32;
    let bounds = detection.bounds(view);
    if let Some(known) = found.iter_mut().find(|known| known.digits == reading.digits) {
        known.weight += weight;
        known.lines += reading.lines;
        let ([left, top, right, bottom], [l, t, r, b]) = (bounds, known.bounds);
        known.bounds = [left.min(l), top.min(t), right.max(r), bottom.max(b)];
    } else {
        let symbology = detection.symbol.symbology(&reading.digits);
        found.push(Found { digits: reading.digits, symbology, bounds, weight, lines: reading.lines });
    }
}

/// Everything in a view that looks like a symbol.
fn detections(view: &View, pass: &Pass) -> Vec<Detection> {
    // One list for each filter: the lines of one filter are compared among themselves.
    let mut found: Vec<Vec<Detection>> = pass.filters.iter().map(|_| Vec::new()).collect();
    let (mut scanner, mut edges) = (Scanner::default(), Edges::default());
    let mut runs: Vec<f32> = Vec::new();
    for top in (0..view.height.saturating_sub(pass.rows - 1)).step_by(pass.pace) {
        scanner.take((top..top + pass.rows).map(|row| view.row(row)));
        for (filter, found) in pass.filters.iter().zip(&mut found) {
            scanner.edges(*filter, &mut edges);
            runs.clear();
            runs.extend(edges.at.windows(2).map(|pair| pair[1] - pair[0]));
            symbols(found, top, &edges, &runs, scanner.len() as f32);
        }
    }
    found.into_iter().flatten().collect()
}

/// The symbols that a line may run through, at every bar that could be their first.
fn symbols(found: &mut Vec<Detection>, row: usize, edges: &Edges, runs: &[f32], length: f32) {
    let first_bar = usize::from(!edges.dark_first);
    for first in (first_bar..runs.len()).step_by(2) {
        for symbol in Symbol::ALL {
            let end = first + symbol.runs();
            let (Some(inside), Some(&left), Some(&right)) =
                (runs.get(first..end), edges.at.get(first), edges.at.get(end))
            else {
                continue;
            };
            let before = first.checked_sub(1).and_then(|before| runs.get(before)).copied().unwrap_or(left);
            let after = runs.get(end).copied().unwrap_or(length - right);
            let fits = symbol.fits(inside, (before, after));
            if fits == [false; 2] {
                continue;
            }
            let line = Line { row, left, right, runs: inside, fits };
            match found.iter_mut().rev().find(|seen| seen.continues(symbol, &line)) {
                Some(seen) => seen.add(&line),
                None => found.push(Detection::new(symbol, &line)),
            }
        }
    }
}
