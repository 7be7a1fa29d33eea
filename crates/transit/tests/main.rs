//! The tests of the crate from outside: one program, so that it is linked once.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod codes;
mod common;
mod correction_rules;
mod corrections;
mod csv_tables;
mod file;
mod groups;
mod gtfs;
mod gtfs_limits;
mod gtfs_route_filter;
mod gtfs_service;
mod import_rules;
mod line_identities;
mod match_distances;
mod n02;
mod names;
mod passes;
mod recipes;
mod romaji;
mod station_identity;
mod valid_output;
