//! Route maps: the file format, its validation, the datum shift, and the selection of stations.
//!
//! A map is read from a file ([`mod@file`]), checked ([`check`]), and becomes an immutable [`RouteMap`] that answers
//! selections from memory. A [`Sheet`] is one to be written. A [`Library`] holds the current maps and replaces them without disturbing a reader.
//! Nothing here knows of HTTP or of the database.

mod builtin;
pub mod check;
pub mod datum;
pub mod file;
mod grid;
mod library;
mod map;
mod select;
mod sheet;

pub use check::{Finding, Severity};
pub use datum::Position;
pub use library::{Library, Shelved};
pub use map::{Label, Line, Mark, RouteMap, Station};
pub use select::{Selected, Selection};
pub use sheet::Sheet;
