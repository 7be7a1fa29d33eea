//! The tests of the crate from outside: one program, so that it is linked once.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod bullets;
mod common;
mod corridors;
mod legends;
mod networks;
mod random_networks;
