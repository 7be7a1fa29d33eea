//! The HTTP API: a router that reads as a table of contents, one file for each operation, the wire types, the error
//! tables, and the OpenAPI document.
//!
//! A handler parses, calls once, renders. No handler knows which database there is.

mod access_log;
mod answer;
mod console;
mod cors;
mod failure;
mod families;
mod gateway;
mod intake;
mod leftover;
mod map_page;
mod observe;
mod openapi;
mod operations;
mod pictures;
mod pulse;
mod query;
mod recognition;
mod redact;
mod route_map;
mod router;
mod serve;
mod tagged;

pub use access_log::{AccessLine, AccessLog};
pub use console::document as console_document;
pub use cors::Cors;
pub use failure::{Failure, Kind};
pub use gateway::{Facts, Gateway, Parts, Segment};
pub use observe::App;
pub use openapi::{document as openapi_document, operations};
pub use query::Query;
pub use route_map::rendered::Rendered;
pub use router::app;
pub use serve::{Limits, serve};

/// Gives the metrics of this crate their descriptions. Call it once, after a recorder is installed.
pub fn describe_metrics() {
    operations::metrics::describe();
}
