//! The same search in memory and in PostgreSQL, one query at a time, as the server does it.

use std::{path::Path, time::Instant};

use cosine_index::{FewVectors, Settings};
use kaisatsu_model::Timestamp;
use kaisatsu_store::{Collection, Followed, NewImage, Store, VectorPart, VectorSupport};
use kaisatsu_testkit::{Backend, Database};

use crate::{K, Outcome, build, data::Vectors, ids, recall_of, stored_truth};

/// Images that are stored and indexed at once.
const BATCH: usize = 500;

/// Prints a row of a table for each.
pub(crate) fn compare(dir: &Path, dims: usize) -> Outcome<()> {
    let stored = Vectors::read(&dir.join("vectors.f32"), dims)?;
    let asked = Vectors::read(&dir.join("queries.f32"), dims)?;
    let truth = stored_truth(dir)?;
    println!("| vectors | where | recall@10 | ms a query | MB | ready after s |\n|---|---|---|---|---|---|");
    let began = Instant::now();
    let index = build(&stored, Settings::default().graph_from, Settings::default().beam)?;
    let ready = began.elapsed().as_secs_f64();
    let search = |query: &[f32]| Ok(ids(&index.search(query, K)?));
    row(&stored, "memory of each replica", measure(&asked, &truth, search)?, index.heap_bytes(), ready);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (store, part, ready) = runtime.block_on(filled(&stored))?;
    let bytes = runtime.block_on(store.part_bytes(&part))?;
    let search = |query: &[f32]| {
        let near = runtime.block_on(store.nearest_images(&part, query, K))?;
        let near = near.images.into_iter().map(|(number, vector)| (number.unsigned_abs() - 1, vector));
        Ok(ids(&FewVectors::new(dims, near)?.nearest(query, K)?))
    };
    row(&stored, "PostgreSQL", measure(&asked, &truth, search)?, usize::try_from(bytes)?, ready);
    Ok(())
}

/// A database with the vectors, and how long filling and indexing the part took.
async fn filled(stored: &Vectors) -> Outcome<(Store, VectorPart, f64)> {
    let store = Store::open(&Database::fresh(Backend::Postgres).address.parse()?).await?;
    if store.enable_vectors().await? != VectorSupport::Ready {
        return Err("this PostgreSQL has no pgvector".into());
    }
    let collection = Collection { name: "c".into(), model: "m".into(), model_sha256: "s".into() };
    store.ensure_collection(&collection, Timestamp(0)).await?;
    let vectors: Vec<&[f32]> = stored.iter().collect();
    for (at, some) in vectors.chunks(BATCH).enumerate() {
        let image = |(within, vector): (usize, &&[f32])| NewImage {
            image_id: (at * BATCH + within).to_string(),
            image_url: String::new(),
            tag: String::new(),
            vector: vector.to_vec(),
            thumbnail: None,
        };
        store.put_images("c", &some.iter().enumerate().map(image).collect::<Vec<_>>()).await?;
    }
    let began = Instant::now();
    store.begin_part(&collection, i64::try_from(stored.dims)?, Timestamp(0)).await?;
    let part = async || store.vector_parts().await.map(|parts| parts.into_iter().next());
    let empty = part().await?.ok_or("there is no part")?;
    while store.follow_part(&empty, 500).await? == Followed::More {}
    let full = part().await?.ok_or("there is no part")?;
    store.index_part(&full).await?;
    Ok((store, full, began.elapsed().as_secs_f64()))
}

/// Recall, and milliseconds a query by the clock: the best of three rounds.
fn measure(asked: &Vectors, truth: &[u32], search: impl Fn(&[f32]) -> Outcome<Vec<u32>>) -> Outcome<(f64, f64)> {
    let recall = recall_of(asked, truth, &search)?;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let began = Instant::now();
        for query in asked.iter() {
            search(query)?;
        }
        best = best.min(began.elapsed().as_secs_f64() * 1_000.0 / asked.len() as f64);
    }
    Ok((recall, best))
}

fn row(stored: &Vectors, place: &str, (recall, milliseconds): (f64, f64), bytes: usize, ready: f64) {
    let (count, dims, megabytes) = (stored.len(), stored.dims, bytes / 1_000_000);
    println!("| {count} × {dims} | {place} | {recall:.4} | {milliseconds:.2} | {megabytes} | {ready:.0} |");
}
