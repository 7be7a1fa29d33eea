//! That searches beside changes see what was promised.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use super::{
    super::{Settings, SharedVectorIndex, VectorIndex},
    data::{DIMS, embeddings},
};

#[test]
fn a_removed_vector_is_not_found_by_any_later_search() {
    let (stored, queries) = embeddings(1_500, 20);
    let settings = Settings { graph_from: 100, beam: 32, spare: 14 };
    let index = SharedVectorIndex::new(VectorIndex::build(DIMS, settings, stored.clone()).unwrap());
    // All ids below are gone.
    let gone = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for (id, vector) in &stored[..1_000] {
                assert!(index.remove(*id));
                gone.store(id + 1, Ordering::SeqCst);
                index.insert(id + 10_000, vector).unwrap();
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while gone.load(Ordering::SeqCst) < 1_000 {
                    for query in &queries {
                        let gone = gone.load(Ordering::SeqCst);
                        let found = index.search(query, 10).unwrap();
                        assert!(found.len() == 10 && found.iter().all(|found| found.id >= gone));
                    }
                }
            });
        }
    });
    assert_eq!(index.len(), 1_500);
}

#[test]
fn an_index_can_be_replaced() {
    let index = SharedVectorIndex::new(VectorIndex::new(2, Settings::default()));
    assert!(index.is_empty());
    index.replace(VectorIndex::build(2, Settings::default(), [(1, [1.0, 0.0])]).unwrap());
    assert_eq!(index.search(&[1.0, 0.0], 1).unwrap().len(), 1);
    assert_eq!(index.ids(), [1]);
    assert_eq!(index.cosines(&[1, 2], &[0.0, 1.0]), [Some(0.0), None]);
}
