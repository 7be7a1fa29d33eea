//! The shapes of EAN and UPC symbols: where their digits lie among bars and spaces, and how well a digit fits.

use super::Kind;

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

/// The same for each check digit of UPC-E in number system 0. Number system 1 mirrors the others instead, and so does the left half of every
/// EAN-13 that does not begin with 0: seen at a slant, with paper behind its middle, one in ten would be read as a number that it is not. So system 1,
/// which hardly any product has, is not read at all.
pub(super) const SHORT_CHECK: [u8; 10] = [0x38, 0x34, 0x32, 0x31, 0x2c, 0x26, 0x23, 0x2a, 0x29, 0x25];

/// What a digit can be: 0 to 9 as written, 10 to 19 mirrored.
pub(super) const SHAPES: usize = 20;

/// How badly each shape fits at one place.
pub(super) type Costs = [f32; SHAPES];

/// No digit costs more than this over the best one at its place: one scratched scan line must not outvote the others.
const WORST: f32 = 10.0;

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

    pub(super) fn kind(self, digits: &[u8]) -> Kind {
        match self {
            Self::Long if digits.first() == Some(&0) => Kind::UpcA,
            Self::Long => Kind::Ean13,
            Self::Eight => Kind::Ean8,
            Self::Short => Kind::UpcE,
        }
    }

    /// Whether runs could be this symbol as it lies, and upside down. `around` are the widths of the spaces before and after.
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
        // Where the paper bends away modules shrink, but not by half.
        let near = |wide: f32, modules: f32, slack: f32| (wide / module - modules).abs() < slack;
        let guards = self.guards().iter().all(|&(first, many)| {
            let guard = runs.get(first..first + many).unwrap_or_default();
            // A bar and a space together: their sum stands still when ink spreads or blur widens one of them.
            guard.windows(2).all(|pair| near(pair.iter().sum(), 2.0, 0.95))
        });
        guards && self.each_digit(runs).all(|(_, digit)| near(digit.iter().sum(), 7.0, 2.0))
    }

    /// The runs of each digit, and whether it begins with a bar.
    fn each_digit(self, runs: &[f32]) -> impl Iterator<Item = (bool, &[f32])> {
        let (middle, left, right) = self.digits();
        let left = left.map(|place| (false, 3 + 4 * place));
        let right = right.map(move |place| (true, middle + 4 * place));
        left.chain(right).map(|(bar, first)| (bar, runs.get(first..first + 4).unwrap_or_default()))
    }

    /// How badly each shape fits at each place.
    #[allow(clippy::many_single_char_names, reason = "four widths seen, four wanted")]
    pub(super) fn costs(self, runs: &[f32]) -> Vec<Costs> {
        let module = runs.iter().sum::<f32>() / self.modules();
        let growth = self.growth(runs);
        // An edge is uncertain by a part of a module, and by a part of a pixel.
        let (edge, ink) = (0.30 + 0.25 / module, 0.55 + 0.35 / module);
        let costs = self.each_digit(runs).map(|(bar_first, digit)| {
            let sum: f32 = digit.iter().sum();
            let [a, b, c, d] = std::array::from_fn(|at| digit.get(at).copied().unwrap_or(0.0) * 7.0 / sum.max(1e-6));
            let bars = if bar_first { a + c } else { b + d };
            let mut costs = [0.0; SHAPES];
            for (shape, cost) in costs.iter_mut().enumerate() {
                let [p, q, r, s] = widths(shape).map(f32::from);
                let wanted = if bar_first { p + r } else { q + s } + 2.0 * growth;
                let edges = (a + b - p - q).powi(2) + (b + c - q - r).powi(2);
                *cost = edges / (2.0 * edge * edge) + (bars - wanted).powi(2) / (2.0 * ink * ink);
            }
            let best = costs.iter().copied().fold(f32::MAX, f32::min);
            costs.map(|cost| (cost - best).min(WORST))
        });
        costs.collect()
    }

    /// By how many modules a bar is wider than it should be, from the guards, whose widths are known.
    fn growth(self, runs: &[f32]) -> f32 {
        let module = runs.iter().sum::<f32>() / self.modules();
        let (mut bars, mut spaces) = ((0.0, 0.0), (0.0, 0.0));
        for &(first, many) in self.guards() {
            for (run, width) in runs.iter().enumerate().skip(first).take(many) {
                let side = if run % 2 == 0 { &mut bars } else { &mut spaces };
                *side = (side.0 + width, side.1 + 1.0);
            }
        }
        ((bars.0 / bars.1 - spaces.0 / spaces.1) / (2.0 * module)).clamp(-0.6, 0.6)
    }
}

/// The widths of a shape; mirrored shapes are the others backwards.
fn widths(shape: usize) -> [u8; 4] {
    let [a, b, c, d] = WIDTHS.get(shape % 10).copied().unwrap_or_default();
    if shape < 10 { [a, b, c, d] } else { [d, c, b, a] }
}
