//! Visual words: quantised descriptors, by which similar descriptors can be looked up.
//!
//! A word is a pair out of two tables of 256: the sum of both comes nearest to the descriptor (residual quantisation).
//! Each feature also has a signature of 64 bits that separates near from far within a word.
//!
//! The tables are in `vocabulary.bin`; `README.md` beside it says how they are trained. They do not change as a
//! catalogue grows, so stored words stay valid. Hashing without tables was tried (cross-polytopes, around the mean of
//! all descriptors): XFeat's descriptors lie so close together that it visits ten times the postings for the same share
//! of right ones.

use fearless_simd::{Level, dispatch};

use super::{
    encoded::{EncodedReference, FeatureCode},
    features::{DIMENSIONS, Descriptor, Features, Reference, WideDescriptor, dot},
    random::Random,
};

/// How many words there are.
pub const WORDS: usize = ENTRIES * ENTRIES;
/// The words in which a feature of a query is looked up. The likeliest alone finds one true partner in eight; these
/// find half.
pub const PROBES: usize = 16;

/// The entries of each table.
const ENTRIES: usize = 256;
/// The mean of all descriptors, then the first table, then the second.
const TABLES: &[u8; (1 + 2 * ENTRIES) * DIMENSIONS] = include_bytes!("vocabulary.bin");
/// How many entries of the first table are tried with all of the second.
const TRIED: usize = 8;
/// The seed of the pseudo-random rotation of signatures.
const SEED: u64 = 3;

/// A feature of a query, encoded for the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFeature {
    /// The words it may have in the catalogue, the likeliest first.
    pub words: [u16; PROBES],
    /// As in [`FeatureCode`].
    pub signature: u64,
}

/// The fixed vocabulary. All its arithmetic is of whole numbers, so every machine gives the same words.
pub struct Vocabulary {
    mean: Descriptor,
    first: Table,
    second: Table,
    /// The squared length of the sum of each pair of entries.
    squares: Vec<[i32; ENTRIES]>,
    signs: [[i32; DIMENSIONS]; 3],
}

impl Default for Vocabulary {
    fn default() -> Self {
        let (rows, _) = TABLES.as_chunks::<DIMENSIONS>();
        let mut rows = rows.iter().map(|row| row.map(u8::cast_signed));
        let mean = rows.next().unwrap_or([0; DIMENSIONS]);
        let first = Table::new(&mut rows);
        let second = Table::new(&mut rows);
        let square =
            |a: &WideDescriptor, b: &WideDescriptor| a.iter().zip(b).map(|(a, b)| i32::from(a + b).pow(2)).sum::<i32>();
        let squares = first.entries.iter().map(|a| std::array::from_fn(|at| square(a, &second.entries[at]))).collect();
        let mut random = Random::new(SEED);
        let signs = std::array::from_fn(|_| {
            let bits = random.next();
            std::array::from_fn(|at| if bits >> at & 1 == 0 { 1 } else { -1 })
        });
        Self { mean, first, second, squares, signs }
    }
}

impl Vocabulary {
    /// The word and the signature of a descriptor.
    #[must_use]
    pub fn code(&self, descriptor: &Descriptor) -> FeatureCode {
        let [word] = self.nearest(descriptor);
        FeatureCode { word, signature: self.signature(descriptor) }
    }

    /// Encodes a reference picture.
    #[must_use]
    pub fn encode(&self, reference: &Reference) -> EncodedReference {
        let codes = |view: &Features| view.descriptors().iter().map(|descriptor| self.code(descriptor)).collect();
        EncodedReference { views: reference.views().iter().map(codes).collect() }
    }

    /// Encodes the features of a query.
    #[must_use]
    pub fn encode_query(&self, query: &Features) -> Vec<QueryFeature> {
        let ask = |descriptor| QueryFeature { words: self.nearest(descriptor), signature: self.signature(descriptor) };
        query.descriptors().iter().map(ask).collect()
    }

    /// The nearest words, the nearest first.
    fn nearest<const N: usize>(&self, descriptor: &Descriptor) -> [u16; N] {
        let (first, second) = (self.first.doubled_dots(descriptor), self.second.doubled_dots(descriptor));
        let mut tried = Nearest::<TRIED>::new();
        // The squared distance from each entry, but for the descriptor's own square.
        for (at, (square, dots)) in self.first.squares.iter().zip(&first).enumerate() {
            tried.offer(square - dots, at);
        }
        let mut best = Nearest::<N>::new();
        for a in tried.places() {
            // The squared distance to a sum of entries, |x − a − b|², but for |x|², which is the same for all.
            for (b, (square, dots)) in self.squares[a].iter().zip(&second).enumerate() {
                best.offer(square - first[a] - dots, a * ENTRIES + b);
            }
        }
        best.places().map(|word| u16::try_from(word).unwrap_or(0))
    }

    /// The signs of the centred descriptor after a cheap pseudo-random rotation: three times random signs and a
    /// Hadamard transform.
    pub(super) fn signature(&self, descriptor: &Descriptor) -> u64 {
        let mut numbers: [i32; DIMENSIONS] =
            std::array::from_fn(|at| i32::from(descriptor[at]) - i32::from(self.mean[at]));
        for signs in &self.signs {
            numbers.iter_mut().zip(signs).for_each(|(number, sign)| *number *= sign);
            hadamard(&mut numbers);
        }
        numbers.iter().enumerate().fold(0, |bits, (at, number)| bits | (u64::from(*number > 0) << at))
    }
}

/// One of the two tables, with the square of each entry.
struct Table {
    entries: Box<[WideDescriptor; ENTRIES]>,
    /// Dimension by dimension, because then the products of neighbouring entries are sums in neighbouring lanes. As
    /// floating-point numbers, which multiply faster: all are whole and below 2²⁴, so sums are exact in any order.
    columns: Box<[[f32; ENTRIES]; DIMENSIONS]>,
    squares: [i32; ENTRIES],
}

impl Table {
    fn new(rows: &mut impl Iterator<Item = Descriptor>) -> Self {
        let mut entries = Box::new([[0; DIMENSIONS]; ENTRIES]);
        entries.iter_mut().zip(rows).for_each(|(entry, row)| *entry = row.map(i16::from));
        let squares = std::array::from_fn(|at| dot(&entries[at], &entries[at]));
        let mut columns = Box::new([[0.0; ENTRIES]; DIMENSIONS]);
        for (at, column) in columns.iter_mut().enumerate() {
            column.iter_mut().zip(entries.iter()).for_each(|(to, entry)| *to = f32::from(entry[at]));
        }
        Self { entries, columns, squares }
    }

    /// Twice the dot product with each entry, by the instructions that the machine has.
    fn doubled_dots(&self, descriptor: &Descriptor) -> [i32; ENTRIES] {
        let (mut dots, doubled) = ([0; ENTRIES], descriptor.map(|value| 2.0 * f32::from(value)));
        dispatch!(Level::new(), _ => doubled_dots_with(&self.columns, &doubled, &mut dots));
        dots
    }
}

/// Entries whose sums are kept in registers.
const TOGETHER: usize = 64;

#[allow(
    clippy::inline_always,
    clippy::needless_range_loop,
    clippy::cast_possible_truncation,
    reason = "the instructions are those of the function it is put into, and sums are whole numbers below 2²⁴"
)]
#[inline(always)]
fn doubled_dots_with(columns: &[[f32; ENTRIES]; DIMENSIONS], doubled: &[f32; DIMENSIONS], dots: &mut [i32; ENTRIES]) {
    for (number, dots) in dots.as_chunks_mut::<TOGETHER>().0.iter_mut().enumerate() {
        let mut sums = [0.0_f32; TOGETHER];
        for at in 0..DIMENSIONS {
            let column = &columns[at].as_chunks::<TOGETHER>().0[number];
            for lane in 0..TOGETHER {
                sums[lane] += column[lane] * doubled[at];
            }
        }
        for lane in 0..TOGETHER {
            dots[lane] = sums[lane] as i32;
        }
    }
}

/// The `N` nearest of what is offered, the nearest first; of equals, the first offered.
struct Nearest<const N: usize> {
    kept: [(i32, usize); N],
}

impl<const N: usize> Nearest<N> {
    fn new() -> Self {
        Self { kept: [(i32::MAX, 0); N] }
    }

    fn offer(&mut self, distance: i32, place: usize) {
        if self.kept.last().is_some_and(|last| distance < last.0) {
            let at = self.kept.partition_point(|kept| kept.0 <= distance);
            self.kept[at..].rotate_right(1);
            self.kept[at] = (distance, place);
        }
    }

    fn places(&self) -> [usize; N] {
        self.kept.map(|kept| kept.1)
    }
}

fn hadamard(numbers: &mut [i32; DIMENSIONS]) {
    let mut half = DIMENSIONS / 2;
    while half > 0 {
        for block in numbers.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half /= 2;
    }
}

#[cfg(test)]
mod tests;
