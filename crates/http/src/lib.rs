//! The HTTP API: a router that reads as a table of contents, one file for each operation, the wire types, the error
//! tables, and the OpenAPI document.
//!
//! A handler parses, calls one service and renders its result. No handler knows which database there is.

mod access_log;
mod app_handle;
mod body;
mod body_drain;
mod client_address;
mod compression;
mod cors;
mod deadline;
mod drawings;
mod embedding;
mod error_format;
mod etag;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod gateway;
mod hang_up;
mod idle_timeout;
mod log_context;
mod middleware;
mod openapi;
mod openapi_conventions;
mod openapi_examples;
mod operations;
mod presented_key;
mod query;
mod rate_limit_headers;
mod recent_errors;
mod recognition;
mod redact;
mod request_id;
mod response;
mod route_map;
mod router;
mod section;
mod serve;
mod tls;
mod trace_context;

pub use access_log::{AccessLine, AccessLog};
pub use app_handle::AppHandle;
pub use body::{media_type, read_body};
pub use client_address::{ClientAddress, TrustedProxies, pass_peer};
pub use cors::Cors;
pub use embedding::Embedding;
pub use etag::{Cacheable, Etag};
pub use failure::{Failure, Kind};
pub use gateway::{Gateway, PublishedLimits, Segment, Services, SettingInForce};
pub use log_context::LogContext;
pub use middleware::App;
pub use openapi::{document as openapi_document, operations};
pub use presented_key::KeyPlaces;
pub use query::Query;
pub use recent_errors::RecentError;
pub use response::plain_error;
pub use route_map::{
    course::courses_between, detail::station_detail, prepared::PreparedMap, station::language as map_language,
};
pub use router::{Apps, app};
pub use section::Section;
pub use serve::{Limits, serve};
pub use tls::Tls;
pub use trace_context::TraceParent;

/// Gives the metrics of this crate their descriptions. Call it once, after a recorder is installed.
pub fn describe_metrics() {
    operations::metrics::describe();
}
