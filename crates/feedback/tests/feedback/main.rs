//! What the crate promises its callers, through its public functions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod audience;
mod estimate;
mod guard;
mod known_answers;
mod liars;
mod memory;
mod model;
mod named;
mod order;
mod quorum;
mod support;
mod world;
