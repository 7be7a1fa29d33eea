//! Railway networks before they are drawn: stations, lines, where they are on the earth.
//!
//! A [`Network`] is imported from open data, kept in a file that people can read and edit, and laid out by another room.
//! [`import`] is the whole way; each source has a module that reads it into the same raw shape, and nothing after
//! that knows where it came from.

mod assemble;
mod codes;
mod corrections;
mod csv_form;
mod error;
pub mod file;
mod geo;
mod gtfs;
mod import;
mod n02;
mod network;
mod palette;
mod progress;
mod raw;
mod readings;
mod summary;
mod table;
mod train_data;
mod walk;
mod way;

pub use corrections::Corrections;
pub use csv_form::write as write_csv;
pub use error::Error;
pub use geo::{Area, Place};
pub use gtfs::Choice;
pub use import::{Options, Source, import};
pub use network::{GoneLine, GoneStation, Line, Memory, Network, Station};
pub use progress::{Progress, unwatched};
pub use readings::Readings;
pub use summary::{Dropped, Summary, Unsettled};
