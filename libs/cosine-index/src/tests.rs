//! What an index promises, checked against a plain scan.

mod data;
mod graph;
mod shared;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use proptest::prelude::*;

use super::{Error, FewVectors, Match, Settings, VectorIndex};

/// Always compares with every vector.
const EXACT: Settings = Settings { graph_from: usize::MAX, beam: 64, spare: 14 };

/// Has a graph even for few vectors, and looks for no more than it must.
const EAGER: Settings = Settings { graph_from: 2, beam: 1, spare: 14 };

type Contents = BTreeMap<u64, Vec<f32>>;
type Check = fn(&[Match], &Contents, &[f32], usize);

/// The cosine in double precision.
fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let dot = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(&left, &right)| f64::from(left) * f64::from(right)).sum()
    };
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

/// The scores of the best `k`, best first.
fn naive(contents: &Contents, query: &[f32], k: usize) -> Vec<f64> {
    let mut scores: Vec<f64> = contents.values().map(|vector| cosine(vector, query)).collect();
    scores.sort_by(|left, right| right.total_cmp(left));
    scores.truncate(k);
    scores
}

/// Checks what holds for approximate answers too: as many as there can be, of stored ids only, each once, in order, and
/// with exact scores.
fn assert_sound(found: &[Match], contents: &Contents, query: &[f32], k: usize) {
    assert_eq!(found.len(), k.min(contents.len()));
    assert_eq!(found.iter().map(|found| found.id).collect::<BTreeSet<_>>().len(), found.len());
    for found in found {
        assert!((f64::from(found.score) - cosine(&contents[&found.id], query)).abs() < 1e-6);
    }
    for pair in found.windows(2) {
        let order = pair[1].score.total_cmp(&pair[0].score).then(pair[0].id.cmp(&pair[1].id));
        assert!(order.is_lt());
    }
}

fn assert_exact(found: &[Match], contents: &Contents, query: &[f32], k: usize) {
    assert_sound(found, contents, query, k);
    for (found, expected) in found.iter().zip(naive(contents, query, k)) {
        assert!((f64::from(found.score) - expected).abs() < 1e-6);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, Vec<f32>),
    Remove(u64),
    Search(Vec<f32>, usize),
}

/// Few values, so that equal vectors and equal scores are common.
fn vector(dims: usize) -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec((-2_i8..=2).prop_map(f32::from), dims)
        .prop_filter("a direction", |vector| vector.iter().any(|&value| value != 0.0))
}

fn step(dims: usize, ids: u64, most: usize) -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..ids, vector(dims)).prop_map(|(id, vector)| Step::Insert(id, vector)),
        2 => (0..ids).prop_map(Step::Remove),
        1 => (vector(dims), 0..most).prop_map(|(query, k)| Step::Search(query, k)),
    ]
}

/// Some steps with so many ids, and searches for fewer than `most`.
fn steps(count: Range<usize>, ids: u64, most: usize) -> impl Strategy<Value = (usize, Vec<Step>)> {
    let steps = move |dims| (Just(dims), prop::collection::vec(step(dims, ids, most), count.clone()));
    (1_usize..70).prop_flat_map(steps)
}

/// Takes the steps, and hands every answer over for a check.
fn follow(settings: Settings, dims: usize, steps: &[Step], check: Check) {
    let mut index = VectorIndex::new(dims, settings);
    let mut contents = BTreeMap::new();
    for step in steps {
        match step {
            Step::Insert(id, vector) => {
                index.insert(*id, vector).unwrap();
                contents.insert(*id, vector.clone());
            }
            Step::Remove(id) => assert_eq!(index.remove(*id), contents.remove(id).is_some()),
            Step::Search(query, k) => check(&index.search(query, *k).unwrap(), &contents, query, *k),
        }
        assert_eq!(index.len(), contents.len());
    }
    assert!(index.ids().eq(contents.keys().copied()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_scan_equals_the_plain_one((dims, steps) in steps(1..200, 60, 70)) {
        follow(EXACT, dims, &steps, assert_exact);
    }

    #[test]
    fn a_walk_returns_stored_vectors_with_exact_scores((dims, steps) in steps(300..500, 300, 8)) {
        follow(EAGER, dims, &steps, assert_sound);
    }

    #[test]
    fn building_at_once_equals_the_plain_scan(
        vectors in prop::collection::vec((0_u64..40, vector(5)), 0..60),
        query in vector(5),
        k in 0_usize..50,
    ) {
        let index = VectorIndex::build(5, EXACT, vectors.clone()).unwrap();
        assert_exact(&index.search(&query, k).unwrap(), &vectors.into_iter().collect(), &query, k);
    }
}

#[test]
fn an_empty_index_finds_nothing() {
    let index = VectorIndex::new(3, Settings::default());
    assert!(index.is_empty());
    assert_eq!(index.search(&[1.0, 0.0, 0.0], 5), Ok(Vec::new()));
    let built = VectorIndex::build(3, EAGER, Vec::<(u64, Vec<f32>)>::new()).unwrap();
    assert_eq!(built.search(&[1.0, 0.0, 0.0], 5), Ok(Vec::new()));
}

#[test]
fn equal_vectors_come_in_the_order_of_their_ids() {
    for settings in [EXACT, EAGER] {
        let mut index = VectorIndex::new(2, settings);
        for id in [9, 3, 7, 1, 5] {
            index.insert(id, &[0.6, 0.8]).unwrap();
        }
        index.insert(2, &[0.8, 0.6]).unwrap();
        assert!(index.remove(7));
        let found: Vec<u64> = index.search(&[0.6, 0.8], 4).unwrap().iter().map(|found| found.id).collect();
        assert_eq!(found, [1, 3, 5, 9]);
    }
}

#[test]
fn an_id_keeps_only_its_last_vector() {
    let mut index = VectorIndex::new(2, EAGER);
    index.insert(1, &[1.0, 0.0]).unwrap();
    index.insert(2, &[1.0, 0.0]).unwrap();
    index.insert(1, &[0.0, 1.0]).unwrap();
    assert_eq!(index.search(&[0.0, 1.0], 1).unwrap(), [Match { id: 1, score: 1.0 }]);
    assert_eq!(index.search(&[1.0, 0.0], 1).unwrap(), [Match { id: 2, score: 1.0 }]);
    assert_eq!(index.len(), 2);
}

#[test]
fn a_vector_without_direction_or_of_another_size_is_refused() {
    let mut index = VectorIndex::new(2, Settings::default());
    let cases: [(&[f32], Error); 5] = [
        (&[1.0], Error::Dimensions { expected: 2, found: 1 }),
        (&[1.0, 2.0, 3.0], Error::Dimensions { expected: 2, found: 3 }),
        (&[f32::NAN, 1.0], Error::NotFinite),
        (&[1.0, f32::NEG_INFINITY], Error::NotFinite),
        (&[0.0, -0.0], Error::Zero),
    ];
    for (vector, error) in cases {
        assert_eq!(index.insert(1, vector), Err(error));
        assert_eq!(index.search(vector, 1), Err(error));
        assert_eq!(VectorIndex::build(2, EXACT, [(1, vector)]).err(), Some(error));
    }
    assert!(index.is_empty());
}

#[test]
fn the_cosine_with_an_id_is_the_one_that_a_search_gives() {
    let mut index = VectorIndex::new(2, EAGER);
    for (id, vector) in [(9, [1.0, 0.0]), (4, [0.6, 0.8]), (7, [-3.0, 3.0]), (2, [0.1, 0.9])] {
        index.insert(id, &vector).unwrap();
    }
    assert!(index.remove(2));
    let query = [0.3, 0.5];
    let found = index.search(&query, 3).unwrap();
    let ids: Vec<u64> = found.iter().map(|found| found.id).collect();
    assert_eq!(index.cosines(&ids, &query), found.iter().map(|found| Some(found.score)).collect::<Vec<_>>());
    assert_eq!(index.cosine(4, &query), index.cosines(&[2, 4, 5, 4], &query)[3]);
    assert_eq!(index.cosines(&[2, 5], &query), [None, None]);
    assert_eq!(index.cosine(9, &[2.0, 0.0]), Some(1.0));
    assert!(index.ids().eq([4, 7, 9]));
    for refused in [&[1.0][..], &[f32::NAN, 1.0], &[0.0, 0.0]] {
        assert_eq!(index.cosines(&[4, 9], refused), [None, None]);
    }
}

#[test]
fn length_does_not_matter_however_large_or_small() {
    let mut index = VectorIndex::new(2, EXACT);
    index.insert(1, &[1e38, 1e38]).unwrap();
    index.insert(2, &[1e-45, -1e-45]).unwrap();
    let found = index.search(&[3e38, 3e38], 2).unwrap();
    assert!((found[0].score - 1.0).abs() < 1e-6 && found[1].score.abs() < 1e-6);
}

#[test]
fn a_few_vectors_have_the_scores_and_the_order_of_an_index() {
    let (mut stored, queries) = data::embeddings(40, 5);
    let copy = stored[3].1.clone();
    stored.extend([(900, copy.clone()), (41, copy.iter().map(|value| value * 3.0).collect())]);
    let index = VectorIndex::build(data::DIMS, EXACT, stored.clone()).unwrap();
    stored.reverse();
    let few = FewVectors::new(data::DIMS, stored).unwrap();
    let bits = |found: Vec<Match>| found.iter().map(|found| (found.id, found.score.to_bits())).collect::<Vec<_>>();
    for query in queries.iter().chain([&copy]) {
        for k in [0, 1, 7, 100] {
            assert_eq!(bits(few.nearest(query, k).unwrap()), bits(index.search(query, k).unwrap()));
        }
        assert_eq!(few.cosines(&[900, 5, 77], query), index.cosines(&[900, 5, 77], query));
    }
    assert_eq!(few.nearest(&[1.0], 1), Err(Error::Dimensions { expected: data::DIMS, found: 1 }));
    assert_eq!(FewVectors::new(1, [(1, [0.0])]).unwrap_err(), Error::Zero);
}
