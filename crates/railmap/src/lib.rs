//! Route maps: file format, validation, datum shift, and selection of stations.
//!
//! A map file is read ([`mod@file`]) and validated ([`check`]). The result is an immutable [`RouteMap`], which answers
//! selections from memory. A [`MapDocument`] is the contents of a map file to be written. A [`MapRegistry`] holds the
//! current maps and replaces them without blocking readers. This crate does not depend on HTTP or on the database.

mod builtin;
pub mod check;
pub mod datum;
mod directory;
mod document;
pub mod file;
mod grid;
pub mod journey;
mod layouts;
mod map;
pub mod name_breaks;
mod registry;
mod search_key;
mod select;
mod spellings;

pub use check::{Finding, Severity};
pub use directory::{StationDirectory, StationFilter};
pub use document::MapDocument;
pub use map::{Group, Label, Line, Mark, RouteMap, Station};
pub use registry::{LoadedMap, MapRegistry};
pub use select::{Selected, Selection};
