//! The requests that an application may still make today.

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use kaisatsu_model::{AppId, Clock, Timestamp};
use kaisatsu_store::StoreError;

use super::DAY;
use crate::limits::{Budget, Lease, SharedLimits, Taken};

/// No limit.
pub(super) const UNBOUNDED: u64 = u64::MAX;

/// The requests that an application may still make today: leased from the database, or else counted by this server and
/// compared with the stored counts.
pub(super) struct Allowance {
    clock: Arc<dyn Clock>,
    per_day: AtomicU64,
    lease: Option<Arc<Lease>>,
    /// The day that the counts are of.
    day: AtomicI64,
    /// Requests of that day that all replicas have stored.
    stored: AtomicU64,
    /// Requests that this replica let through since.
    pending: AtomicU64,
}

impl Allowance {
    pub(super) fn new(clock: Arc<dyn Clock>, shared: Option<&Arc<SharedLimits>>, application: &AppId) -> Self {
        let lease = shared.map(|shared| Lease::new(Arc::clone(shared), Budget::Day(application.clone())));
        let day = AtomicI64::new(day(clock.now()));
        let (stored, pending) = (AtomicU64::default(), AtomicU64::default());
        Self { clock, per_day: UNBOUNDED.into(), lease, day, stored, pending }
    }

    pub(super) fn set_limit(&self, per_day: u64) {
        self.per_day.store(per_day, Ordering::Relaxed);
    }

    fn limit(&self) -> u64 {
        self.per_day.load(Ordering::Relaxed)
    }

    pub(super) fn is_bounded(&self) -> bool {
        self.limit() != UNBOUNDED
    }

    /// Takes one request.
    ///
    /// # Errors
    /// The quota, when it is used up.
    pub(super) async fn take(&self) -> Result<(), u64> {
        let limit = self.limit();
        if limit == UNBOUNDED {
            return Ok(());
        }
        let Some(lease) = &self.lease else { return self.take_here(limit) };
        let mut taken = lease.take(limit).await;
        if taken == Taken::Away {
            taken = lease.take_on_credit();
        }
        if matches!(taken, Taken::Refused(_)) { Err(limit) } else { Ok(()) }
    }

    fn take_here(&self, limit: u64) -> Result<(), u64> {
        self.begin_day(self.clock.now());
        if self.used() >= limit {
            return Err(limit);
        }
        self.pending.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// A request that was taken has failed, and does not count. Stored counts leave such requests out.
    pub(super) fn give_back(&self) {
        if let Some(lease) = self.lease.as_ref().filter(|_| self.is_bounded()) {
            lease.give_back();
        }
    }

    /// The quota, and what is left of it; `None` for no limit.
    pub(super) fn left(&self) -> Option<(u64, u64)> {
        let limit = self.limit();
        let left = || match &self.lease {
            Some(lease) => lease.left().unwrap_or(limit).min(limit),
            None => limit.saturating_sub(self.used()),
        };
        (limit != UNBOUNDED).then(|| (limit, left()))
    }

    fn used(&self) -> u64 {
        self.stored.load(Ordering::Relaxed).saturating_add(self.pending())
    }

    /// Requests that this replica let through and that are not among the stored ones.
    pub(super) fn pending(&self) -> u64 {
        self.pending.load(Ordering::Relaxed)
    }

    /// Sets what all replicas have stored, of which this one had let through `seen`.
    pub(super) fn refresh(&self, now: Timestamp, stored: u64, seen: u64) {
        if self.day.load(Ordering::Relaxed) > day(now) {
            // A day has begun since the counts were read.
            return;
        }
        self.begin_day(now);
        self.stored.store(stored, Ordering::Relaxed);
        // Requests that came in since are not among the stored ones.
        let less = |pending: u64| Some(pending.saturating_sub(seen));
        let _ = self.pending.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Returns what is leased and not used.
    pub(super) async fn settle(&self, in_any_case: bool) -> Result<(), StoreError> {
        match &self.lease {
            Some(lease) => lease.settle(self.limit(), in_any_case).await,
            None => Ok(()),
        }
    }

    /// Starts anew if a day has begun since. The stored counts are read every few seconds only; without this, a request
    /// just after midnight would be refused, and told to come back a day later.
    fn begin_day(&self, now: Timestamp) {
        let today = day(now);
        if self.day.swap(today, Ordering::Relaxed) != today {
            self.stored.store(0, Ordering::Relaxed);
            self.pending.store(0, Ordering::Relaxed);
        }
    }
}

/// The number of a day in UTC.
fn day(now: Timestamp) -> i64 {
    now.0.div_euclid(DAY)
}
