//! The passes over an image, and when their result is sufficient.

use super::{
    Symbology,
    direction::directions,
    scan::{Edges, Filter, Scanner},
    symbol::Symbol,
    view::View,
    votes::{Detection, Line, Reading},
};

/// A number, its support, and the rectangle around the lines that showed it: left, top, right, bottom.
pub(super) struct Found {
    pub(super) digits: Vec<u8>,
    pub(super) symbology: Symbology,
    pub(super) bounds: [f32; 4],
    weight: f32,
    lines: u32,
}

/// The scale of the image in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Its longer side at most [`LONGEST`].
    Usual,
    /// Half of that: for large symbols, and for blur.
    Half,
    /// Twice that, if the image has so many pixels: for small symbols in large photographs.
    Double,
}

/// The direction of the scan lines.
#[derive(Debug, Clone, Copy)]
enum Way {
    Across,
    Down,
    /// Across the bars of the n-th strongest direction of the image.
    Striking(usize),
}

/// One pass over the image.
struct Pass {
    size: Size,
    way: Way,
    /// The rows that are averaged to one scan line, and the rows from one scan line to the next.
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

/// Most readable symbols are read in the first two passes, nearly all others in the next three. Passes of one scale
/// cost about the same, so the number of passes is the budget.
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

/// The longer side of the image in most passes. The bars of a symbol that fills a fifth of it are two pixels wide.
const LONGEST: usize = 1600;
/// The least support of a number: the sum over its detections of lines (at most four) times its margin over the next
/// number. It was chosen on 800 drawn photographs: none is misread with it, and three are at half of it.
const ENOUGH: f32 = 4.0;
/// A reading is dropped if its digits cost so much more per line than the best shapes.
const STRAIN: f32 = 0.3;

/// Runs the passes until a number has enough support, and returns the numbers, the surest first.
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
    // Of two numbers at one position the weaker is a misreading, except for the two that are printed together.
    let mut kept: Vec<Found> = Vec::new();
    for next in found {
        if !kept.iter().any(|heavier| heavier.overlaps(&next) && heavier.is_price() == next.is_price()) {
            kept.push(next);
        }
    }
    kept
}

impl Found {
    fn suffices(&self) -> bool {
        self.weight >= ENOUGH && self.lines >= 2
    }

    /// Whether it is the second symbol on the back of a Japanese book, which encodes category and price. It is printed
    /// so close below the ISBN that on a tilted cover their rectangles overlap by more than half.
    fn is_price(&self) -> bool {
        self.digits.len() == 13 && (self.digits.starts_with(&[1, 9, 1]) || self.digits.starts_with(&[1, 9, 2]))
    }

    /// Whether the rectangles share half of the smaller one. Those of two tilted symbols side by side share only a
    /// corner.
    fn overlaps(&self, other: &Self) -> bool {
        let area = |[left, top, right, bottom]: [f32; 4]| (right - left).max(0.0) * (bottom - top).max(0.0);
        let ([left, top, right, bottom], [l, t, r, b]) = (self.bounds, other.bounds);
        let shared = area([left.max(l), top.max(t), right.min(r), bottom.min(b)]);
        shared > 0.0 && shared * 2.0 >= area(self.bounds).min(area(other.bounds))
    }
}

/// Adds a detection to the support of its number.
fn count(found: &mut Vec<Found>, view: &View, detection: &Detection, reading: Reading) {
    // With fewer digits, a right check digit is more often chance.
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

/// All groups of scan lines in a view that look like a symbol.
fn detections(view: &View, pass: &Pass) -> Vec<Detection> {
    // One list for each filter, because lines are grouped only with lines of the same filter.
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

/// Finds the symbols that a line may cross, starting at every bar that could be their first.
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
