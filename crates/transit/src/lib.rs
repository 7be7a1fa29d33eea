//! Railway networks before layout: stations with their positions, and lines.
//!
//! A [`Network`] is imported from open data and stored in a file that people can read and edit; another crate lays it
//! out. [`import`] runs all steps. Each source has a module that reads it into the same intermediate form, so that
//! later steps do not depend on the source.

mod assemble;
mod codes;
mod corrections;
mod csv_tables;
mod error;
pub mod file;
mod geo;
mod groups;
mod gtfs;
mod import;
mod n02;
mod network;
mod palette;
mod passes;
mod progress;
mod readings;
mod romaji;
mod search_queue;
mod source_data;
mod summary;
mod table;
mod trails;
mod train_data;

pub use corrections::Corrections;
pub use csv_tables::write as write_csv;
pub use error::Error;
pub use geo::{BoundingBox, LatLon};
pub use gtfs::{RouteFilter, ServiceProfile};
pub use import::{Options, Source, import};
pub use network::{ImportHistory, Line, Network, RetiredLine, RetiredStation, Station};
pub use passes::Passes;
pub use progress::{Progress, no_progress};
pub use readings::Readings;
pub use summary::{Omission, Summary, UnresolvedReading};
