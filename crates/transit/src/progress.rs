//! How far long work has come, for whoever watches.

/// Called with what is being done, how much of it is done, and how much there is of it.
pub type Progress<'a> = &'a dyn Fn(&str, u64, u64);

/// For whoever does not watch.
pub fn unwatched(_what: &str, _done: u64, _all: u64) {}
