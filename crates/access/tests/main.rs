//! The tests of the crate from outside: one program, so that it is linked once.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod accounts;
mod common;
mod console;
mod emails;
mod keys;
mod revocation;
mod shared_limits;
