//! Progress reports of long operations.

/// Receives the name of the operation, the amount done, and the total amount.
pub type Progress<'a> = &'a dyn Fn(&str, u64, u64);

/// Ignores progress reports.
pub fn no_progress(_what: &str, _done: u64, _all: u64) {}
