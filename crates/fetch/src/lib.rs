//! Fetches images from URLs that users provide, and protects the operator's network against server-side request
//! forgery.
//!
//! A user can try to make the server connect to hosts that only the server can reach: the cloud's metadata service, a
//! database, a router. Every address is therefore checked before a connection is made, for the first request and for
//! every redirect (`ranges.rs`). The connection goes to exactly the address that was checked (`request.rs`). Responses
//! are limited in time and size. Servers that the operator names have a client of their own (`trusted.rs`).

mod address;
mod allowed;
mod error;
mod fetcher;
mod ranges;
mod request;
mod resolver;
mod tls;
mod trusted;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
#[allow(dead_code, reason = "the tests of this folder use a part of it")]
mod support;
#[cfg(test)]
mod tests;

pub use allowed::{AllowedHost, InvalidAllowedHost};
pub use error::FetchError;
pub use fetcher::{Fetcher, Policy};
pub use trusted::TrustedClient;
