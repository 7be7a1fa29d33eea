//! A clock for tests of expiry and retries, without sleeping.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use kaisatsu_model::{Clock, Timestamp};

/// A clock that moves only when told to. It starts at zero.
#[derive(Debug, Default)]
pub struct ManualClock {
    now: AtomicI64,
    ticks: AtomicI64,
}

impl ManualClock {
    /// Lets time pass.
    pub fn advance(&self, duration: Duration) {
        let micros = micros(duration);
        self.now.fetch_add(micros, Ordering::Relaxed);
        self.ticks.fetch_add(micros, Ordering::Relaxed);
    }

    /// Sets the calendar time back, as an administrator might. The ticks go on.
    pub fn set_back(&self, duration: Duration) {
        self.now.fetch_sub(micros(duration), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Relaxed))
    }

    fn ticks(&self) -> Duration {
        Duration::from_micros(self.ticks.load(Ordering::Relaxed).try_into().expect("ticks never go back"))
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).expect("a duration that a test means")
}
