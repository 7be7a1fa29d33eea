//! What an operator manages over HTTP: the items of the catalogue, and the images of collections, one at a time. Every
//! replica takes a change up as it takes up an import.

mod catalogue;
mod collections;

pub use catalogue::Catalogue;
pub use collections::{CollectionImage, Collections};
