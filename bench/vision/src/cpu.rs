//! The time that this thread has run, which does not grow while others have the core.

use std::{fs, thread, time::Duration};

/// The CPU time of this thread so far.
pub(crate) fn now() -> Duration {
    // The kernel brings the account up to date when the thread gives up its core.
    thread::yield_now();
    let account = fs::read_to_string("/proc/thread-self/schedstat").expect("the account of this thread");
    let nanoseconds = account.split_whitespace().next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("a number"))
}

/// The milliseconds of CPU time since `began`.
pub(crate) fn milliseconds(began: Duration) -> f64 {
    now().saturating_sub(began).as_secs_f64() * 1e3
}
