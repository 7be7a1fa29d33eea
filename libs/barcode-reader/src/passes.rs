//! The looks at an image and its parts, and when their result is sufficient.

use super::{
    Symbology,
    locate::{Region, regions},
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

/// How scan lines are taken from a view.
struct Look {
    /// How many regions are looked at in this way, the likeliest first.
    regions: usize,
    /// The length to which a region of bars is scaled, in pixels. A symbol that fills it has bars a hundredth as wide.
    length: f32,
    /// The rows that are averaged to one scan line, and the rows from one scan line to the next.
    rows: usize,
    pace: usize,
    filters: &'static [Filter],
}

const fn filter(prominence: f32, sharpen: f32, reach: usize) -> Filter {
    Filter { prominence, sharpen, reach }
}

const fn look(regions: usize, length: f32, (rows, pace): (usize, usize), filters: &'static [Filter]) -> Look {
    Look { regions, length, rows, pace, filters }
}

const PLAIN: &[Filter] = &[filter(0.16, 0.0, 0)];
const USUAL: &[Filter] = &[filter(0.16, 0.0, 0), filter(0.16, 1.5, 2), filter(0.16, 2.0, 1)];
const BLURRED: &[Filter] = &[filter(0.16, 4.0, 2), filter(0.10, 8.0, 2)];

/// The look at the whole image, along its rows and along its columns: most symbols that fill a good part of a picture
/// are read here.
const WHOLE: Look = look(0, 0.0, (3, 4), PLAIN);
/// The looks at regions: the usual one, one for symbols that take a part of their region, and one for blur. Of several
/// regions the first is nearly always the symbol, so those behind them are for the first few only.
const LOOKS: [Look; 6] = [
    look(MOST_REGIONS, 320.0, (6, 4), USUAL),
    look(2, 640.0, (10, 6), USUAL),
    look(3, 240.0, (12, 4), BLURRED),
    look(1, 440.0, (8, 4), USUAL),
    look(1, 400.0, (16, 6), BLURRED),
    look(2, 200.0, (8, 4), USUAL),
];

/// The longer side of the image for looks at the whole of it. The bars of a symbol that fills a fifth of it are two
/// pixels wide.
const LONGEST: usize = 1600;
/// The longer side at which regions of bars are looked for.
const SEARCHED: usize = 2100;
/// How many regions are looked at, and how many of them in a finer image.
const MOST_REGIONS: usize = 6;
const MOST_FINER: usize = 3;
/// The most rows of a view of a region, which bounds the time for walls and fences. Two symbols below each other fit.
const MOST_ROWS: f32 = 400.0;
/// Of a region only so many lines, evenly spaced, are looked at first, and the rest of it if one of them may cross a
/// symbol: most regions are textures, and most of the time goes into turning and scaling them. Of 361 drawn symbols
/// that are read without probes 3 are lost, and a picture without a barcode takes three fifths of the time.
const PROBES: usize = 14;
/// A region shorter than this may hold a symbol whose bars a finer image shows better.
const SMALL: f32 = 300.0;
/// More than this a region is not enlarged: it would have no more to show.
const MOST_ENLARGED: f32 = 4.0;
/// What is looked at on either side of a region, as a part of its length: the margins of the symbol.
const MARGIN: f32 = 0.2;
/// The least support of a number: the sum over its detections of lines (at most four) times its margin over the next
/// number. It was chosen on 800 drawn photographs: none is misread with it, and three are at half of it.
const ENOUGH: f32 = 4.0;
/// A reading is dropped if its digits cost so much more per line than the best shapes.
const STRAIN: f32 = 0.3;

/// Looks at the image, and at those of its parts that are full of bars, until a number has enough support. Returns the
/// numbers, the surest first. `finer` is the same image with more pixels; it is asked for only where there are small
/// bars.
pub(super) fn run(image: View, finer: impl FnOnce() -> Option<View>) -> Vec<Found> {
    let base_width = image.width;
    let factor = image.width.max(image.height).div_ceil(SEARCHED).max(1);
    let (first, whole) = if factor > 1 { (image.shrunk(factor), Some(image)) } else { (image, None) };
    let sizes = halves(first);
    let mut found: Vec<Found> = Vec::new();
    if let Some(usual) = sizes.iter().find(|view| view.width.max(view.height) <= LONGEST) {
        gather(&mut found, usual, &WHOLE);
        if !sufficient(&found) {
            gather(&mut found, &usual.transposed(), &WHOLE);
        }
    }
    if !sufficient(&found) {
        let regions = regions(&sizes, MOST_REGIONS);
        look_at(&mut found, &sizes, &regions, 0);
        let small = |region: &&Region| region.length < SMALL * factor as f32;
        let small: Vec<Region> = regions.iter().take(MOST_FINER).filter(small).copied().collect();
        if !sufficient(&found)
            && !small.is_empty()
            && let Some(finer) = whole.or_else(|| finer().map(|finer| finer.over(base_width)))
        {
            let finest: Vec<View> = std::iter::once(finer).chain(sizes).collect();
            look_at(&mut found, &finest, &small, 1);
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

/// A view and its half, quarter and so on.
fn halves(first: View) -> Vec<View> {
    let mut sizes = vec![first];
    while let Some(half) = sizes.last().filter(|view| view.width.min(view.height) >= 64).map(|view| view.shrunk(2)) {
        sizes.push(half);
    }
    sizes
}

/// Whether a number was read that is not only the price of a book.
fn sufficient(found: &[Found]) -> bool {
    found.iter().any(|found| found.suffices() && !found.is_price())
}

/// Looks at every region in the same way before the next way: beside a number there may be others. The first `whole`
/// regions are looked at without probes: small bars in a fine image fit on few lines.
fn look_at(found: &mut Vec<Found>, sizes: &[View], regions: &[Region], whole: usize) {
    for look in &LOOKS {
        for (at, region) in regions.iter().take(look.regions).enumerate() {
            scaled(found, sizes, region, look, at >= whole);
        }
        if sufficient(found) {
            return;
        }
    }
}

/// Looks at a region with its margins, its bars upright, and as long as the look wants it.
fn scaled(found: &mut Vec<Found>, sizes: &[View], region: &Region, look: &Look, probed: bool) {
    let Some(finest) = sizes.first() else { return };
    // Pixels of the original for a pixel of the result.
    let step = (region.length / look.length).max(finest.scale() / MOST_ENLARGED);
    let from = sizes.iter().rev().find(|view| view.scale() <= step).unwrap_or(finest);
    // Rows are averaged anyway, so bars are made wider only, not longer.
    let down = step.max(from.scale());
    let width = (region.length * (1.0 + 2.0 * MARGIN) / step) as usize;
    let height = (region.breadth.min(1.5 * region.length) / down).min(MOST_ROWS) as usize;
    if width == 0 || height == 0 {
        return;
    }
    let rows = |rows: usize| ((rows as f32 * step / down).round() as usize).max(1);
    let look = Look { rows: rows(look.rows).max(2), pace: rows(look.pace), ..*look };
    let step = step / from.scale();
    let cut = |middle: (f32, f32), height: usize| from.cut(middle, region.degrees, (width, height), step);
    if probed && height > PROBES * look.rows {
        let (sin, cos) = region.degrees.to_radians().sin_cos();
        let strip = |at: usize| {
            let away = ((at as f32 + 0.5) / PROBES as f32 - 0.5) * (height - look.rows) as f32 * down;
            cut((region.middle.0 - sin * away, region.middle.1 + cos * away), look.rows)
        };
        if (0..PROBES).all(|at| detections(&strip(at), &look).is_empty()) {
            return;
        }
    }
    gather(found, &cut(region.middle, height), &look);
}

/// Adds what a view shows to what was found.
fn gather(found: &mut Vec<Found>, view: &View, look: &Look) {
    for detection in detections(view, look) {
        if let Some(reading) = detection.reading().filter(|reading| reading.strain <= STRAIN) {
            count(found, view, &detection, reading);
        }
    }
}

impl Found {
    fn suffices(&self) -> bool {
        // With fewer digits a texture looks more easily like a symbol: a few lines beside each other are no evidence.
        let lines = match self.symbology {
            Symbology::Ean13 | Symbology::UpcA => 2,
            Symbology::Ean8 => 4,
            Symbology::UpcE => 7,
        };
        self.weight >= ENOUGH && self.lines >= lines
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
fn detections(view: &View, look: &Look) -> Vec<Detection> {
    // One list for each filter, because lines are grouped only with lines of the same filter.
    let mut found: Vec<Vec<Detection>> = look.filters.iter().map(|_| Vec::new()).collect();
    let (mut scanner, mut edges) = (Scanner::default(), Edges::default());
    let mut runs: Vec<f32> = Vec::new();
    let rows = look.rows.min(view.height);
    for top in (0..=view.height - rows).step_by(look.pace) {
        scanner.take((top..top + rows).map(|row| view.row(row)));
        for (filter, found) in look.filters.iter().zip(&mut found) {
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
