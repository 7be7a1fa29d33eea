//! The structure of EAN and UPC symbols: the runs of each digit, and how well a digit fits them.

use super::Symbology;

/// Bars and spaces of a digit in modules, as the left half of EAN writes them (space, bar, space, bar).
const WIDTHS: [[u8; 4]; 10] = [
    [3, 2, 1, 1],
    [2, 2, 2, 1],
    [2, 1, 2, 2],
    [1, 4, 1, 1],
    [1, 1, 3, 2],
    [1, 2, 3, 1],
    [1, 1, 1, 4],
    [1, 3, 1, 2],
    [1, 2, 1, 3],
    [3, 1, 1, 2],
];

/// Which of the six left digits are mirrored, for each first digit of EAN-13; the leftmost is the highest bit.
pub(super) const FIRST_DIGIT: [u8; 10] = [0x00, 0x0b, 0x0d, 0x0e, 0x13, 0x19, 0x1c, 0x15, 0x16, 0x1a];

/// The same for each check digit of UPC-E in number system 0. Number system 1 mirrors the others instead, and so does
/// the left half of every EAN-13 that does not begin with 0: a slanted line that leaves such a symbol behind its middle
/// would read one in ten as a UPC-E. Hardly any product uses system 1, so it is not read.
pub(super) const SHORT_CHECK: [u8; 10] = [0x38, 0x34, 0x32, 0x31, 0x2c, 0x26, 0x23, 0x2a, 0x29, 0x25];

/// What a digit can be: 0 to 9 as written, 10 to 19 mirrored.
pub(super) const SHAPES: usize = 20;

/// The cost of each shape at one position.
pub(super) type Costs = [f32; SHAPES];

/// The most that a digit costs over the best one at its position, so that one scratched scan line does not outvote the
/// others.
const WORST: f32 = 10.0;

/// The distance at which a sample of the ink spread counts half, in modules.
const REACH: f32 = 14.0;

/// How many variances of an edge the next shape must be worse for a digit to serve as a sample of the ink spread.
const CLEAR: f32 = 4.0;

/// The structure of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    /// EAN-13, and UPC-A, which is an EAN-13 that begins with 0.
    Long,
    /// EAN-8.
    Eight,
    /// UPC-E.
    Short,
}

impl Symbol {
    pub(super) const ALL: [Self; 3] = [Self::Long, Self::Eight, Self::Short];

    /// Bars and spaces from the first bar to the last.
    pub(super) fn runs(self) -> usize {
        match self {
            Self::Long => 59,
            Self::Eight => 43,
            Self::Short => 33,
        }
    }

    pub(super) fn modules(self) -> f32 {
        match self {
            Self::Long => 95.0,
            Self::Eight => 67.0,
            Self::Short => 51.0,
        }
    }

    /// Least width of the empty margins, in modules. The standard asks for 7 to 11 and packages give less; the fewer
    /// digits a symbol has, the easier it is found inside another one, and the more margin we ask for: the left half of
    /// EAN-13 with its middle is built like a UPC-E.
    fn margin(self) -> f32 {
        match self {
            Self::Long => 2.6,
            Self::Eight => 4.6,
            Self::Short => 6.2,
        }
    }

    /// The first run of each digit.
    fn digits(self) -> (usize, std::ops::Range<usize>, std::ops::Range<usize>) {
        match self {
            Self::Long => (32, 0..6, 0..6),
            Self::Eight => (24, 0..4, 0..4),
            Self::Short => (0, 0..6, 0..0),
        }
    }

    /// The runs of one module each: first run and number.
    fn guards(self) -> &'static [(usize, usize)] {
        match self {
            Self::Long => &[(0, 3), (27, 5), (56, 3)],
            Self::Eight => &[(0, 3), (19, 5), (40, 3)],
            Self::Short => &[(0, 3), (27, 6)],
        }
    }

    pub(super) fn symbology(self, digits: &[u8]) -> Symbology {
        match self {
            Self::Long if digits.first() == Some(&0) => Symbology::UpcA,
            Self::Long => Symbology::Ean13,
            Self::Eight => Symbology::Ean8,
            Self::Short => Symbology::UpcE,
        }
    }

    /// Whether runs could be this symbol as it lies, and upside down. `around` are the widths of the spaces before and
    /// after.
    pub(super) fn fits(self, runs: &[f32], around: (f32, f32)) -> [bool; 2] {
        let fits = self.plausible(runs, around);
        if self != Self::Short {
            // From either end it looks the same.
            return [fits; 2];
        }
        let upside_down: Vec<f32> = runs.iter().rev().copied().collect();
        [fits, self.plausible(&upside_down, around)]
    }

    /// Margins, guards, and every digit seven modules wide.
    fn plausible(self, runs: &[f32], (before, after): (f32, f32)) -> bool {
        let total: f32 = runs.iter().sum();
        let module = total / self.modules();
        if module < 0.8 || before < self.margin() * module || after < self.margin() * module {
            return false;
        }
        // On curved paper modules shrink, but not by half.
        let near = |wide: f32, modules: f32, slack: f32| (wide / module - modules).abs() < slack;
        let guards = self.guards().iter().all(|&(first, many)| {
            let guard = runs.get(first..first + many).unwrap_or_default();
            // A bar and a space together: ink spread and blur do not change their sum.
            guard.windows(2).all(|pair| near(pair.iter().sum(), 2.0, 0.95))
        });
        guards && self.each_digit(runs).all(|(_, digit)| near(digit.iter().sum(), 7.0, 2.3))
    }

    /// The runs of each digit, and whether it begins with a bar.
    fn each_digit(self, runs: &[f32]) -> impl Iterator<Item = (bool, &[f32])> {
        let (middle, left, right) = self.digits();
        let left = left.map(|place| (false, 3 + 4 * place));
        let right = right.map(move |place| (true, middle + 4 * place));
        left.chain(right).map(|(bar, first)| (bar, runs.get(first..first + 4).unwrap_or_default()))
    }

    /// The cost of each shape at each position.
    pub(super) fn costs(self, runs: &[f32]) -> Vec<Costs> {
        let module = runs.iter().sum::<f32>() / self.modules();
        // An edge is uncertain by a part of a module, and by a part of a pixel.
        let (edge, ink) = (0.30 + 0.25 / module, 0.55 + 0.35 / module);
        let digits: Vec<DigitRuns> =
            self.each_digit(runs).map(|(bar_first, digit)| DigitRuns::new(bar_first, digit)).collect();
        let ink_samples = self.ink_samples(runs, &digits, edge);
        let costs = digits.iter().enumerate().map(|(at, seen)| {
            let growth = growth(&ink_samples, self.place(at));
            let costs: Costs = std::array::from_fn(|shape| {
                let bars = seen.bars - seen.wanted(shape) - 2.0 * growth;
                seen.edges(shape) / (2.0 * edge * edge) + bars * bars / (2.0 * ink * ink)
            });
            let best = costs.iter().copied().fold(f32::MAX, f32::min);
            costs.map(|cost| (cost - best).min(WORST))
        });
        costs.collect()
    }

    /// The middle of a digit, in modules from the left.
    fn place(self, digit: usize) -> f32 {
        let (_, left, _) = self.digits();
        let middle = if digit < left.len() { 0.0 } else { 5.0 };
        6.5 + 7.0 * digit as f32 + middle
    }

    /// Samples of the ink spread: from the guards, whose widths are known, and from the digits that their edges
    /// identify.
    fn ink_samples(self, runs: &[f32], digits: &[DigitRuns], edge: f32) -> Vec<InkSample> {
        let module = runs.iter().sum::<f32>() / self.modules();
        let guards = self.guards().iter().map(|&(first, many)| {
            let mean = |odd: usize| {
                let same = (first..first + many).filter(|run| run % 2 == odd).filter_map(|run| runs.get(run));
                same.clone().sum::<f32>() / same.count() as f32
            };
            let before: f32 = runs.iter().take(first).sum();
            let within: f32 = runs.iter().skip(first).take(many).sum();
            InkSample { place: (before + within / 2.0) / module, growth: (mean(0) - mean(1)) / (2.0 * module) }
        });
        let named = digits.iter().enumerate().filter_map(|(at, seen)| {
            let wanted = seen.named(edge)?;
            Some(InkSample { place: self.place(at), growth: (seen.bars - wanted) / 2.0 })
        });
        guards.chain(named).map(|seen| InkSample { growth: seen.growth.clamp(-0.6, 0.6), ..seen }).collect()
    }
}

/// By how many modules bars are too wide at a position: ink spreads, and glare and blur thin bars.
struct InkSample {
    place: f32,
    growth: f32,
}

/// The ink spread at a position; nearer samples count more, because glare is local.
fn growth(ink_samples: &[InkSample], place: f32) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for sample in ink_samples {
        let far = (sample.place - place) / REACH;
        let weight = 1.0 / (1.0 + far * far);
        sum += weight * sample.growth;
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The four runs of a digit, in modules.
struct DigitRuns {
    bar_first: bool,
    widths: [f32; 4],
    /// How wide its two bars are together.
    bars: f32,
}

impl DigitRuns {
    fn new(bar_first: bool, runs: &[f32]) -> Self {
        let sum: f32 = runs.iter().sum();
        let widths = std::array::from_fn(|at| runs.get(at).copied().unwrap_or(0.0) * 7.0 / sum.max(1e-6));
        let [a, b, c, d] = widths;
        Self { bar_first, widths, bars: if bar_first { a + c } else { b + d } }
    }

    /// How wide the two bars of a shape are.
    fn wanted(&self, shape: usize) -> f32 {
        let [a, b, c, d] = widths(shape).map(f32::from);
        if self.bar_first { a + c } else { b + d }
    }

    /// The squared difference between the distances of like edges and those of a shape. Ink spread does not change
    /// them.
    fn edges(&self, shape: usize) -> f32 {
        let wanted = widths(shape).map(f32::from);
        let off = |at: usize| self.widths[at] + self.widths[at + 1] - wanted[at] - wanted[at + 1];
        off(0).powi(2) + off(1).powi(2)
    }

    /// The width that the bars should have, if the edges identify the digit; 1 and 7 have the same edges, and so have 2
    /// and 8.
    fn named(&self, edge: f32) -> Option<f32> {
        let best = (0..SHAPES).min_by(|a, b| self.edges(*a).total_cmp(&self.edges(*b)))?;
        let wanted = self.wanted(best);
        let rival =
            (0..SHAPES).filter(|shape| (self.wanted(*shape) - wanted).abs() > 0.5).map(|shape| self.edges(shape));
        let rival = rival.fold(f32::MAX, f32::min);
        (rival - self.edges(best) > CLEAR * edge * edge).then_some(wanted)
    }
}

/// The widths of a shape; mirrored shapes are the others backwards.
fn widths(shape: usize) -> [u8; 4] {
    let [a, b, c, d] = WIDTHS.get(shape % 10).copied().unwrap_or_default();
    if shape < 10 { [a, b, c, d] } else { [d, c, b, a] }
}
