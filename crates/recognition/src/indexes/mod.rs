//! In-memory copies of what the database holds, for searching: public collections, the catalogue, users' datasets.

mod catalogue;
mod collections;
mod datasets;
mod leave_one_out;
mod likeness;

pub(crate) use catalogue::CatalogueIndex;
pub(crate) use collections::CollectionIndexes;
pub(crate) use datasets::{CachedDataset, DatasetCache, class_of_each, distinct_tags};
