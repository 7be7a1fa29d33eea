//! What is searched: public collections, the catalogue, users' datasets. They are in-memory copies of what the database
//! holds; large collections are searched in the database, and most of a large catalogue in segments on a disk.

mod catalogue;
mod collections;
mod datasets;
mod leave_one_out;
mod likeness;
mod nearest;
mod segment_cache;

pub(crate) use catalogue::{CatalogueIndex, OpenSegment};
pub(crate) use collections::CollectionIndexes;
pub(crate) use datasets::{CachedDataset, DatasetCache, class_of_each, distinct_tags};
pub(crate) use likeness::unlike_below;
pub(crate) use nearest::Nearest;
pub(crate) use segment_cache::SegmentCache;
