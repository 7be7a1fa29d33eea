//! Getting images from addresses that strangers name, without being turned against the operator.
//!
//! Whoever may name an address may try to make the server knock at doors that only it can reach: the cloud's metadata,
//! a database, the router. So every address is judged before it is connected to, at the first request and at every
//! redirect (`ranges.rs`); the connection goes to the very address that was judged (`hop.rs`); and what comes back is
//! bounded in time and in size.

mod address;
mod allowed;
mod error;
mod fetcher;
mod hop;
mod names;
mod ranges;
mod tls;

#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;
#[cfg(test)]
mod tests;

pub use allowed::{Allowed, AllowedUnreadable};
pub use error::FetchError;
pub use fetcher::{Fetcher, Policy};
