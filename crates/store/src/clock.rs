//! The time that all servers on a database share.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::{Clock, SystemClock, Timestamp};
use sqlx::PgPool;

use crate::{Pool, Store, StoreError};

/// How often the clock of the database server is read.
const INTERVAL: Duration = Duration::from_secs(5);

/// An answer that took longer says too little about the time.
const PROMPT: Duration = Duration::from_millis(500);

/// A machine whose clock is further off than this is worth a word in the log.
const WRONG: Duration = Duration::from_secs(5);

const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";

/// Shows the time of a database server, and goes on by the machine's ticks between two readings. Leases that several
/// servers compare are then right however wrong the clocks of their machines are.
#[derive(Debug)]
struct DatabaseClock {
    /// The database's time when the ticks were zero.
    origin: AtomicI64,
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.origin.load(Ordering::Relaxed)).after(SystemClock.ticks())
    }

    fn ticks(&self) -> Duration {
        SystemClock.ticks()
    }
}

/// One reading of the database's clock.
struct Reading {
    origin: i64,
    took: Duration,
}

impl Store {
    /// The clock that all servers on this database share: on PostgreSQL that of the database server, on SQLite, which
    /// one machine uses, that of the machine.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn clock(&self) -> Result<Arc<dyn Clock>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Arc::new(SystemClock)) };
        let clock = Arc::new(DatabaseClock { origin: AtomicI64::new(read(pool).await?.origin) });
        let off = clock.now().0.abs_diff(SystemClock.now().0) / 1_000_000;
        if off > WRONG.as_secs() {
            tracing::warn!(seconds = off, "the clocks of this machine and of the database differ");
        }
        let (follower, pool) = (Arc::downgrade(&clock), pool.clone());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(INTERVAL).await;
                let Some(clock) = follower.upgrade() else { return };
                match read(&pool).await {
                    Ok(Reading { origin, took }) if took <= PROMPT => clock.origin.store(origin, Ordering::Relaxed),
                    Ok(_) => {}
                    Err(error) => tracing::debug!(%error, "the clock of the database cannot be read"),
                }
            }
        });
        Ok(clock)
    }
}

async fn read(pool: &PgPool) -> Result<Reading, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let asked = SystemClock.ticks();
    let time: i64 = sqlx::query_scalar(NOW).fetch_one(&mut *connection).await?;
    let took = SystemClock.ticks().saturating_sub(asked);
    Ok(Reading { origin: Timestamp(time).before(asked + took / 2).0, took })
}
