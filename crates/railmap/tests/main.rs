//! The tests of the crate from outside: one program, so that it is linked once.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod built_in_maps;
mod checking;
mod facts;
mod identities;
mod journeys;
mod limits;
mod reloading;
mod selecting;
mod writing;
