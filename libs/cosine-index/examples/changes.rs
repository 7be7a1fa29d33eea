//! Searches an index while another thread replaces its vectors.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use cosine_index::{Error, Settings, SharedVectorIndex, VectorIndex};

const DIMENSIONS: usize = 64;
const VECTORS: u64 = 5_000;

/// A vector that depends on its number alone.
#[allow(clippy::cast_precision_loss, reason = "24 bits")]
fn vector(number: u64) -> Vec<f32> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..DIMENSIONS).map(|_| next()).collect()
}

fn main() -> Result<(), Error> {
    let stored = (0..VECTORS).map(|id| (id, vector(id)));
    let index = SharedVectorIndex::new(VectorIndex::build(DIMENSIONS, Settings::default(), stored)?);
    let done = AtomicBool::new(false);
    let (replaced, searches) = thread::scope(|scope| {
        let searching = scope.spawn(|| {
            let mut searches = 0u64;
            while !done.load(Ordering::Relaxed) {
                let found = index.search(&vector(searches), 10).map_or(0, |found| found.len());
                assert_eq!(found, 10);
                searches += 1;
            }
            searches
        });
        let mut replaced = 0;
        for id in 0..VECTORS / 2 {
            index.remove(id);
            replaced += u64::from(index.insert(VECTORS + id, &vector(VECTORS + id)).is_ok());
        }
        done.store(true, Ordering::Relaxed);
        (replaced, searching.join().unwrap_or(0))
    });
    println!("{replaced} vectors replaced during {searches} searches; {} vectors are stored", index.len());
    let own = vector(VECTORS);
    println!("nearest to vector {VECTORS}: {:?}", index.search(&own, 3)?);
    Ok(())
}
