//! Matches features of two pictures: pairs that are mutual nearest neighbours.

use fearless_simd::{Level, dispatch};

use super::{
    features::{Features, UNITY, WideDescriptor, dot},
    vocabulary::Vocabulary,
};

/// Descriptors with a lower dot product do not match (a cosine of 0.82, as published with XFeat).
const LEAST_DOT: i32 = UNITY * 82 / 100;

/// Signatures of like descriptors differ in fewer bits than this, but for one pair in fifty.
const MOST_BITS: u32 = 22;

/// A feature of the reference and the feature of the query that it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) reference: usize,
    pub(crate) query: usize,
    /// The dot product of their descriptors.
    pub(crate) alike: i32,
}

/// Features made ready for comparison: descriptors widened, so that products need no widening of their own, and
/// signatures, which rule out most pairs at a tenth of the cost of a product.
pub(crate) struct Comparable {
    descriptors: Vec<WideDescriptor>,
    signatures: Vec<u64>,
}

impl Comparable {
    pub(crate) fn new(features: &Features, vocabulary: &Vocabulary) -> Self {
        let descriptors = features.descriptors();
        Self {
            descriptors: descriptors.iter().map(|descriptor| descriptor.map(i16::from)).collect(),
            signatures: descriptors.iter().map(|descriptor| vocabulary.signature(descriptor)).collect(),
        }
    }
}

/// The pairs that are each other's nearest and alike enough, the most alike first.
pub(crate) fn mutual(reference: &Comparable, query: &Comparable) -> Vec<Pair> {
    let mut best_of_reference = vec![(LEAST_DOT - 1, usize::MAX); reference.descriptors.len()];
    let mut best_of_query = vec![(LEAST_DOT - 1, usize::MAX); query.descriptors.len()];
    // Most of the time of a verification is spent here, so it is compiled for the instructions that the machine has.
    dispatch!(Level::new(), _ => compare(reference, query, &mut best_of_reference, &mut best_of_query));
    let chosen_back = |&(q, &(_, r)): &(usize, &(i32, usize))| best_of_reference.get(r).is_some_and(|back| back.1 == q);
    let mut pairs: Vec<Pair> = (best_of_query.iter().enumerate())
        .filter(chosen_back)
        .map(|(query, &(alike, reference))| Pair { reference, query, alike })
        .collect();
    pairs.sort_by(|a, b| b.alike.cmp(&a.alike).then(a.query.cmp(&b.query)));
    pairs
}

/// The likeness of each feature's best partner, and which one that is.
type Best = (i32, usize);

#[allow(clippy::inline_always, reason = "the instructions are those of the function it is put into")]
#[inline(always)]
fn compare(reference: &Comparable, query: &Comparable, best_of_reference: &mut [Best], best_of_query: &mut [Best]) {
    let (mut bits, mut near) = (vec![0; reference.signatures.len()], vec![0; reference.signatures.len()]);
    let queries = query.descriptors.iter().zip(&query.signatures);
    for (q, ((descriptor, signature), best)) in queries.zip(best_of_query).enumerate() {
        // By themselves in a loop, the counts of bits are vector instructions.
        for (bits, other) in bits.iter_mut().zip(&reference.signatures) {
            *bits = (signature ^ other).count_ones();
        }
        // A list instead of a branch for each: which are near cannot be foretold.
        let mut count = 0;
        for (r, bits) in bits.iter().enumerate() {
            near[count] = r;
            count += usize::from(*bits <= MOST_BITS);
        }
        for &r in &near[..count] {
            let alike = dot(descriptor, &reference.descriptors[r]);
            if alike > best.0 {
                *best = (alike, r);
            }
            if alike > best_of_reference[r].0 {
                best_of_reference[r] = (alike, q);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;

    use super::{Comparable, LEAST_DOT, Pair, compare, mutual};
    use crate::object::{
        features::{DIMENSIONS, Descriptor, Features, Point, UNITY},
        instruction_sets::levels,
        vocabulary::Vocabulary,
    };

    fn axis(at: usize) -> Descriptor {
        let mut descriptor = [0; DIMENSIONS];
        descriptor[at] = 127;
        descriptor
    }

    fn features(descriptors: &[Descriptor]) -> Comparable {
        let features = descriptors.iter().map(|descriptor| (Point { x: 0, y: 0 }, *descriptor)).collect();
        Comparable::new(&Features::new(1, 1, features).unwrap(), &Vocabulary::default())
    }

    #[test]
    fn those_that_choose_each_other_are_pairs() {
        let (reference, query) = (features(&[axis(0), axis(1), axis(2)]), features(&[axis(2), axis(5), axis(0)]));
        let expected =
            vec![Pair { reference: 2, query: 0, alike: UNITY }, Pair { reference: 0, query: 2, alike: UNITY }];
        assert_eq!(mutual(&reference, &query), expected);
    }

    #[test]
    fn one_feature_is_in_one_pair_only() {
        let pairs = mutual(&features(&[axis(0), axis(0)]), &features(&[axis(0), axis(0), axis(0)]));
        assert_eq!(pairs.len(), 1);
    }

    #[test]
    fn nothing_matches_nothing() {
        assert!(mutual(&features(&[]), &features(&[axis(0)])).is_empty());
        assert!(mutual(&features(&[axis(0)]), &features(&[])).is_empty());
    }
    #[test]
    fn every_instruction_set_finds_the_same_partners() {
        // More than a register of references, some of them alike.
        let reference: Vec<Descriptor> = (0..70).map(|at| axis(at % DIMENSIONS)).collect();
        let query: Vec<Descriptor> = (0..33).map(|at| axis((at * 5) % DIMENSIONS)).collect();
        let expected = |at: usize| {
            let first = reference.iter().position(|other| *other == query[at]);
            first.map_or((LEAST_DOT - 1, usize::MAX), |first| (UNITY, first))
        };
        let expected: Vec<_> = (0..query.len()).map(expected).collect();
        let (reference, query) = (features(&reference), features(&query));
        for level in levels() {
            let mut of_reference = vec![(LEAST_DOT - 1, usize::MAX); 70];
            let mut of_query = vec![(LEAST_DOT - 1, usize::MAX); 33];
            dispatch!(level, _ => compare(&reference, &query, &mut of_reference, &mut of_query));
            assert_eq!(of_query, expected, "{level:?}");
        }
    }
}
