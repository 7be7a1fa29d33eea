//! The tests of the crate from outside: one program, so that it is linked once.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod accounts;
mod blobs;
mod conformance;
mod copies;
mod datasets;
mod feedback;
mod idempotency;
mod limits;
mod on_shards;
mod opening;
mod recognition;
mod support;
mod tokens;
mod upgrade;
mod vector_rows;
