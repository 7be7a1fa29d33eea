//! Limits that all servers on a database keep together, in leases: a server takes a few requests of a budget from the
//! database, lets them through without asking again, and returns what it does not use (decision 55).

mod lease;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::Clock;
use kaisatsu_store::Store;

pub(crate) use self::lease::{Budget, Lease, Taken};

/// How long a lease may take. A database that is slower counts as away.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long nobody asks a database that is away.
const AWAY: Duration = Duration::from_secs(1);

/// The database that limits are leased from.
pub struct SharedLimits {
    store: Store,
    clock: Arc<dyn Clock>,
    /// Until when the database counts as away, in microseconds of the clock's ticks.
    away_until: AtomicU64,
}

impl SharedLimits {
    /// Limits on this database.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock, away_until: AtomicU64::new(0) })
    }

    /// Whether the database did not answer a moment ago.
    fn is_away(&self) -> bool {
        self.away_until.load(Ordering::Relaxed) > micros(self.clock.ticks())
    }

    fn note_away(&self) {
        self.away_until.store(micros(self.clock.ticks() + AWAY), Ordering::Relaxed);
    }
}

fn micros(ticks: Duration) -> u64 {
    u64::try_from(ticks.as_micros()).unwrap_or(u64::MAX)
}
