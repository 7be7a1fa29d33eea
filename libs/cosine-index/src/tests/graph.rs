//! How much of the nearest the graph finds, that it is the same each time, and how it bears removals.

use std::collections::BTreeSet;

use super::{
    super::{Match, Settings, VectorIndex, graph::Graph},
    data::{DIMS, Random, embeddings},
};

const K: usize = 10;
const GRAPH: Settings = Settings { graph_from: 100, beam: 48, spare: 14 };

fn answers(index: &VectorIndex, queries: &[Vec<f32>]) -> Vec<Vec<Match>> {
    queries.iter().map(|query| index.search(query, K).unwrap()).collect()
}

/// The share of the true nearest that is found, over all queries.
#[allow(clippy::cast_precision_loss)]
fn recall(index: &VectorIndex, queries: &[Vec<f32>]) -> f64 {
    assert!(index.graph.is_some());
    let mut hits = 0;
    for (query, found) in queries.iter().zip(answers(index, queries)) {
        let truth = index.search_exactly(query, K).unwrap();
        assert_eq!(found.len(), truth.len());
        hits += truth.iter().filter(|best| found.contains(best)).count();
    }
    hits as f64 / (K * queries.len()) as f64
}

#[test]
fn most_of_the_nearest_are_found() {
    let (stored, queries) = embeddings(5_000, 100);
    let built = VectorIndex::build(DIMS, GRAPH, stored.clone()).unwrap();
    assert!(recall(&built, &queries) >= 0.95);
    let mut grown = VectorIndex::new(DIMS, GRAPH);
    for (id, vector) in &stored {
        grown.insert(*id, vector).unwrap();
    }
    assert!(recall(&grown, &queries) >= 0.95);
}

#[test]
fn the_same_contents_give_the_same_answers() {
    let (mut stored, queries) = embeddings(2_000, 50);
    let forwards = VectorIndex::build(DIMS, GRAPH, stored.clone()).unwrap();
    stored.reverse();
    let backwards = VectorIndex::build(DIMS, GRAPH, stored).unwrap();
    assert_eq!(answers(&forwards, &queries), answers(&backwards, &queries));
    assert_eq!(answers(&forwards, &queries), answers(&forwards, &queries));
}

#[test]
fn the_same_changes_give_the_same_answers() {
    let (stored, queries) = embeddings(1_500, 50);
    let run = || {
        let mut index = VectorIndex::new(DIMS, GRAPH);
        for (id, vector) in &stored {
            index.insert(*id, vector).unwrap();
            if id % 3 == 0 {
                index.remove(id / 2);
            }
        }
        answers(&index, &queries)
    };
    assert_eq!(run(), run());
}

#[test]
fn the_number_of_threads_does_not_show() {
    let (stored, _) = embeddings(1_500, 0);
    let index = VectorIndex::build(DIMS, GRAPH, stored).unwrap();
    let build = |threads| Graph::build(&index.vectors, &index.id_map.in_use(), DIMS, threads);
    let (one, three) = (build(1), build(3));
    for slot in index.id_map.in_use() {
        assert_eq!(one.neighbours(slot), three.neighbours(slot));
    }
}

#[test]
fn after_most_are_removed_the_rest_is_found() {
    let (stored, queries) = embeddings(5_000, 100);
    let mut index = VectorIndex::build(DIMS, GRAPH, stored).unwrap();
    let mut present: BTreeSet<u64> = (0..5_000).collect();
    for id in 0..4_500 {
        let id = id * 7 % 5_000;
        assert!(index.remove(id));
        present.remove(&id);
        let found = index.search(&queries[usize::try_from(id).unwrap() % queries.len()], K).unwrap();
        assert!(found.len() == K && found.iter().all(|found| present.contains(&found.id)));
    }
    assert!(recall(&index, &queries) >= 0.95);
}

#[test]
fn a_place_without_vectors_left_does_not_hide_those_around_it() {
    let (stored, queries) = embeddings(3_000, 40);
    let mut index = VectorIndex::build(DIMS, GRAPH, stored).unwrap();
    for query in &queries[..20] {
        for gone in index.search_exactly(query, 100).unwrap() {
            assert!(index.remove(gone.id));
        }
    }
    assert!(recall(&index, &queries) >= 0.95);
}

#[test]
fn removed_vectors_make_room_for_new_ones() {
    let (stored, queries) = embeddings(1_000, 50);
    let mut index = VectorIndex::build(DIMS, GRAPH, stored.clone()).unwrap();
    for round in 1..=8 {
        for (id, vector) in &stored {
            assert!(index.remove(id + 1_000 * (round - 1)));
            index.insert(id + 1_000 * round, vector).unwrap();
        }
    }
    assert_eq!(index.len(), 1_000);
    assert!(index.vectors.len() < 1_200, "{} rows for 1000 vectors", index.vectors.len());
    assert!(recall(&index, &queries) >= 0.95);
}

#[test]
fn the_graph_comes_and_goes_with_the_number_of_vectors() {
    let (stored, _) = embeddings(200, 0);
    let mut index = VectorIndex::new(DIMS, GRAPH);
    for (id, vector) in &stored {
        assert_eq!(index.graph.is_some(), *id >= 100);
        index.insert(*id, vector).unwrap();
    }
    for id in 0..200 {
        index.remove(id);
        assert_eq!(index.graph.is_some(), 199 - id >= 50);
    }
    assert!(index.is_empty());
    index.insert(1, &stored[0].1).unwrap();
    assert_eq!(index.vectors.len(), 200);
}

/// The slots that can be reached from the entry points.
fn reachable(graph: &Graph) -> usize {
    let mut seen = BTreeSet::new();
    let mut next = graph.entry_points().to_vec();
    while let Some(slot) = next.pop() {
        if seen.insert(slot) {
            next.extend(graph.neighbours(slot));
        }
    }
    seen.len()
}

#[test]
#[allow(clippy::cast_precision_loss)]
fn a_crowd_of_nearly_equal_vectors_hides_nothing() {
    for noise in [0.0, 1e-6, 1e-4, 1e-2] {
        let (mut stored, queries) = embeddings(1_000, 50);
        let mut random = Random(7);
        let crowd = stored[5].1.clone();
        for id in 1_000..2_000 {
            let mut shake = |value: &f32| value * (1.0 + noise * ((random.next() % 2_000) as f32 / 1_000.0 - 1.0));
            stored.push((id, crowd.iter().map(&mut shake).collect()));
        }
        let mut index = VectorIndex::build(DIMS, GRAPH, stored).unwrap();
        assert!(recall(&index, &queries) >= 0.95);
        // Those that stood for others go, in the order in which they are found.
        for _ in 0..90 {
            let found = index.search(&crowd, K).unwrap();
            assert!(found.iter().all(|found| found.score > 0.9999));
            for gone in found {
                assert!(index.remove(gone.id));
            }
        }
        let graph = index.graph.as_ref().unwrap();
        assert!(reachable(graph) * 100 >= graph.live_len() * 99);
        assert!(recall(&index, &queries) >= 0.95);
    }
}

#[test]
fn a_vector_replaced_by_nearly_the_same_is_still_found() {
    let (stored, _) = embeddings(600, 0);
    let mut index = VectorIndex::build(DIMS, Settings { graph_from: 2, ..GRAPH }, stored.clone()).unwrap();
    for (id, vector) in &stored {
        let mut vector = vector.clone();
        vector[0] *= 1.000_01;
        index.insert(*id, &vector).unwrap();
        assert_eq!(index.search(&vector, 1).unwrap()[0].id, *id);
    }
}
