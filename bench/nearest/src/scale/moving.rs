//! Moves the collection into the database by the steps of the store, without servers, which would read all of it into
//! their memory first.

use std::time::Instant;

use kaisatsu_model::Timestamp;
use kaisatsu_store::{Followed, Store, VectorPart, VectorSupport};

use super::{NAME, collection};
use crate::Outcome;

/// Images of one step: there is no index yet, so it takes no time worth sharing with others.
const BATCH: i64 = 5_000;

/// Prints how long filling the table took, and building the index.
pub(super) async fn run(address: &str, dims: i64) -> Outcome<()> {
    let store = Store::open(&address.parse()?).await?;
    if store.enable_vectors().await? != VectorSupport::Ready {
        return Err("this PostgreSQL has no pgvector".into());
    }
    let began = Instant::now();
    if !store.begin_part(&collection(), dims, Timestamp(0)).await? {
        return Err("the collection moves already".into());
    }
    follow(&store, &part(&store).await?).await?;
    let filled = began.elapsed().as_secs_f64();
    // The memory for the index depends on how much there is now.
    let full = part(&store).await?;
    if !store.index_part(&full).await? {
        return Err("another process is at it".into());
    }
    let indexed = began.elapsed().as_secs_f64() - filled;
    while !store.answer_from_part(&full, Timestamp(0)).await? {
        follow(&store, &full).await?;
    }
    println!(r#"{{"fill_seconds":{filled:.1},"index_seconds":{indexed:.1},"images":{}}}"#, full.images);
    Ok(())
}

async fn follow(store: &Store, part: &VectorPart) -> Outcome<()> {
    while store.follow_part(part, BATCH).await? == Followed::More {}
    Ok(())
}

async fn part(store: &Store) -> Outcome<VectorPart> {
    let parts = store.vector_parts().await?;
    Ok(parts.into_iter().find(|part| part.collection == NAME).ok_or("there is no part")?)
}
