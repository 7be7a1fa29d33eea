//! The shapes of EAN and UPC symbols: where their digits lie among bars and spaces, and how well a digit fits.

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

/// How far a witness of the ink reaches, in modules.
const REACH: f32 = 14.0;

/// By how many times the variance of an edge the next shape must be worse for the best one to be a witness.
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
    pub(super) fn costs(self, runs: &[f32]) -> Vec<Costs> {
        let module = runs.iter().sum::<f32>() / self.modules();
        // An edge is uncertain by a part of a module, and by a part of a pixel.
        let (edge, ink) = (0.30 + 0.25 / module, 0.55 + 0.35 / module);
        let digits: Vec<Seen> = self.each_digit(runs).map(|(bar_first, digit)| Seen::new(bar_first, digit)).collect();
        let witnesses = self.witnesses(runs, &digits, edge);
        let costs = digits.iter().enumerate().map(|(at, seen)| {
            let growth = growth(&witnesses, self.place(at));
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

    /// What is known of the ink before the digits are: from the guards, whose widths are given, and from the digits that their edges alone name.
    fn witnesses(self, runs: &[f32], digits: &[Seen], edge: f32) -> Vec<Witness> {
        let module = runs.iter().sum::<f32>() / self.modules();
        let guards = self.guards().iter().map(|&(first, many)| {
            let mean = |odd: usize| {
                let same = (first..first + many).filter(|run| run % 2 == odd).filter_map(|run| runs.get(run));
                same.clone().sum::<f32>() / same.count() as f32
            };
            let before: f32 = runs.iter().take(first).sum();
            let within: f32 = runs.iter().skip(first).take(many).sum();
            Witness { place: (before + within / 2.0) / module, growth: (mean(0) - mean(1)) / (2.0 * module) }
        });
        let named = digits.iter().enumerate().filter_map(|(at, seen)| {
            let wanted = seen.named(edge)?;
            Some(Witness { place: self.place(at), growth: (seen.bars - wanted) / 2.0 })
        });
        guards.chain(named).map(|seen| Witness { growth: seen.growth.clamp(-0.6, 0.6), ..seen }).collect()
    }
}

/// By how many modules bars are too wide at some place: ink spreads, and glare and blur eat bars.
struct Witness {
    place: f32,
    growth: f32,
}

/// What the witnesses say of a place; the nearer ones count more, because glare is not everywhere.
fn growth(witnesses: &[Witness], place: f32) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for witness in witnesses {
        let far = (witness.place - place) / REACH;
        let weight = 1.0 / (1.0 + far * far);
        sum += weight * witness.growth;
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The four runs of a digit, in modules.
struct Seen {
    bar_first: bool,
    widths: [f32; 4],
    /// How wide its two bars are together.
    bars: f32,
}

impl Seen {
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

    /// How far the distances between edges of one kind are from those of a shape, squared. They stand still when ink spreads.
    fn edges(&self, shape: usize) -> f32 {
        let wanted = widths(shape).map(f32::from);
        let off = |at: usize| self.widths[at] + self.widths[at + 1] - wanted[at] - wanted[at + 1];
        off(0).powi(2) + off(1).powi(2)
    }

    /// How wide the bars should be, if the edges leave no doubt: 1 and 7 have the same, and so have 2 and 8.
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
