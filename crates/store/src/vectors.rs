//! Vectors of large collections, searched in the database: on PostgreSQL, by its extension pgvector.
//!
//! Each such collection has a table of its own with an HNSW index, its *part*, in 16-bit floats. The rows of
//! `collection_image` stay what counts: a part follows them, and what a search finds is looked up there. The table is
//! on this PostgreSQL server, or spread over others, the *shards*.

mod adding_shards;
mod extension;
mod filling;
mod half;
mod search;
mod sharded;
mod shards;
mod states;

pub use adding_shards::{ShardAddress, ShardError};
pub use extension::VectorSupport;
pub use filling::Followed;
pub(crate) use search::SHARD_SEARCHES;
pub use search::{NearImages, SearchConnection};
pub use shards::{Shard, ShardName, ShardState};
pub(crate) use states::table;
pub use states::{PartState, VectorPart};

/// The vector with the length 1; none if it has no direction.
fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    #[allow(clippy::cast_possible_truncation, reason = "the result is at most 1")]
    let unit = |value: &f32| (f64::from(*value) / length) as f32;
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(unit).collect())
}
