//! Counts the requests of each key in memory, stores them by the hour, and enforces the daily quota of applications.
//!
//! A request costs a few additions. Counts are stored every few seconds and when the server stops; a crash loses those
//! seconds.

mod allowance;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::{AppId, Clock, Timestamp};
use kaisatsu_store::{KeyGrant, Store, StoreError, UsageOutcome, UsageRow};

use self::allowance::{Allowance, UNBOUNDED};
use crate::limits::SharedLimits;

/// How often counts are stored.
const FLUSH_INTERVAL: Duration = Duration::from_secs(5);

/// How often old counts are deleted.
const CLEANING_INTERVAL: Duration = Duration::from_hours(1);

/// How long counts are kept.
const RETENTION: Duration = Duration::from_hours(24 * 92);

const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;

/// Upper bounds of the latency buckets, in milliseconds; one more bucket is above the last.
pub const TIME_BOUNDS: [u64; 8] = [1, 3, 10, 30, 100, 300, 1_000, 3_000];

const BUCKETS: usize = TIME_BOUNDS.len() + 1;
const OUTCOMES: usize = UsageOutcome::ALL.len();

#[derive(Default)]
struct Counter {
    requests: AtomicU64,
    micros: AtomicU64,
}

/// The requests of one operation, by outcome and latency bucket.
type OperationCounts = [[Counter; BUCKETS]; OUTCOMES];

/// Counts the requests of one key.
pub struct KeyMeter {
    /// What the application may do today; none for keys of the console, which no quota limits.
    allowance: Option<Arc<Allowance>>,
    /// One for each operation, allocated by its first request.
    operations: Box<[OnceLock<Box<OperationCounts>>]>,
    /// How many requests the key could make at once after its last one.
    burst_left: AtomicU32,
}

impl KeyMeter {
    /// Takes one request from the application's quota of the day, if the key is subject to it.
    ///
    /// # Errors
    /// The quota, when it is used up.
    pub async fn take(&self) -> Result<(), u64> {
        match &self.allowance {
            Some(allowance) => allowance.take().await,
            None => Ok(()),
        }
    }

    /// Notes how many requests the key may still make at once.
    pub fn set_burst_left(&self, left: u32) {
        self.burst_left.store(left, Ordering::Relaxed);
    }

    /// How many requests the key could make at once after its last one.
    #[must_use]
    pub fn burst_left(&self) -> u32 {
        self.burst_left.load(Ordering::Relaxed)
    }

    /// The quota of the application for a day, and what is left of it; `None` where none limits the key.
    #[must_use]
    pub fn day(&self) -> Option<(u64, u64)> {
        self.allowance.as_ref()?.left()
    }

    /// Counts an answered request.
    pub fn count(&self, operation: usize, outcome: UsageOutcome, took: Duration) {
        if let (UsageOutcome::Failed, Some(allowance)) = (outcome, &self.allowance) {
            allowance.give_back();
        }
        let Some(counts) = self.operations.get(operation) else { return };
        let counts = counts.get_or_init(Box::default);
        let millis = took.as_millis();
        let class = TIME_BOUNDS.iter().position(|bound| millis < u128::from(*bound)).unwrap_or(BUCKETS - 1);
        let counter = &counts[outcome as usize][class];
        counter.requests.fetch_add(1, Ordering::Relaxed);
        counter.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Counts all requests on this replica.
pub struct Usage {
    store: Store,
    clock: Arc<dyn Clock>,
    operations: Vec<String>,
    /// The daily quota of applications without a limit of their own.
    per_day: u64,
    /// Where quotas are leased from; without it, replicas share them through the stored counts.
    shared: Option<Arc<SharedLimits>>,
    allowances: Mutex<HashMap<AppId, Arc<Allowance>>>,
    /// By application and key; all console keys of an application share one meter, under an empty key.
    meters: Mutex<HashMap<(AppId, String), Arc<KeyMeter>>>,
    flushing: tokio::sync::Mutex<()>,
}

impl Usage {
    /// Counts requests of `operations`. Applications without a limit of their own may make `per_day`; 0 for no limit.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, operations: Vec<String>, per_day: u64) -> Arc<Self> {
        Self::sharing(None, store, clock, operations, per_day)
    }

    /// The same with quotas that all servers lease from the database.
    #[must_use]
    pub fn sharing(
        shared: Option<Arc<SharedLimits>>,
        store: Store,
        clock: Arc<dyn Clock>,
        operations: Vec<String>,
        per_day: u64,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            operations,
            per_day,
            shared,
            allowances: Mutex::default(),
            meters: Mutex::default(),
            flushing: tokio::sync::Mutex::default(),
        })
    }

    /// The daily quota of an application whose own limit is `own`.
    #[must_use]
    pub fn quota(&self, own: Option<i64>) -> Option<u64> {
        let per_day = own.and_then(|own| u64::try_from(own).ok()).unwrap_or(self.per_day);
        (per_day > 0).then_some(per_day)
    }

    /// When the day of `now` ends, in UTC: then quotas start anew.
    #[must_use]
    pub fn day_ends(now: Timestamp) -> Timestamp {
        Timestamp(now.0 - now.0.rem_euclid(DAY) + DAY)
    }

    /// The time until quotas start anew.
    #[must_use]
    pub fn until_tomorrow(&self) -> Duration {
        let now = self.clock.now();
        Duration::from_micros(u64::try_from(Self::day_ends(now).0 - now.0).unwrap_or_default())
    }

    /// The meter of a key. A meter that exists already goes on counting.
    pub(crate) fn meter(&self, grant: &KeyGrant) -> Arc<KeyMeter> {
        let allowance = (!grant.console).then(|| self.allowance(grant));
        let name = if grant.console { String::new() } else { grant.key.as_str().to_owned() };
        let mut meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
        let meter = meters.entry((grant.application.clone(), name)).or_insert_with(|| {
            let operations = self.operations.iter().map(|_| OnceLock::new()).collect();
            Arc::new(KeyMeter { allowance, operations, burst_left: AtomicU32::new(u32::MAX) })
        });
        Arc::clone(meter)
    }

    /// What the application of a key may still do today, with the limit that it has now.
    fn allowance(&self, grant: &KeyGrant) -> Arc<Allowance> {
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || Arc::new(Allowance::new(Arc::clone(&self.clock), self.shared.as_ref(), &grant.application));
        let allowance = allowances.entry(grant.application.clone()).or_insert_with(fresh);
        allowance.set_limit(self.quota(grant.requests_per_day).unwrap_or(UNBOUNDED));
        Arc::clone(allowance)
    }

    /// Drops the meters of keys that are no longer cached, once their counts are stored.
    fn drop_idle(&self) {
        let mut meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
        meters.retain(|_, meter| Arc::strong_count(meter) > 1);
        drop(meters);
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        allowances.retain(|_, allowance| Arc::strong_count(allowance) > 1);
    }

    /// Stores the counts every few seconds, for as long as it is polled.
    pub async fn flush_periodically(self: Arc<Self>) {
        let mut cleaned_at = None;
        let mut failing = false;
        loop {
            let kept = self.flush_and_clean(&mut cleaned_at).await;
            if let Err(error) = &kept
                && !failing
            {
                tracing::warn!(%error, "usage cannot be stored; it is tried again");
            }
            failing = kept.is_err();
            tokio::time::sleep(FLUSH_INTERVAL).await;
        }
    }

    /// Stores the counts. Once an hour it also drops idle meters and deletes old counts.
    async fn flush_and_clean(self: &Arc<Self>, cleaned_at: &mut Option<Duration>) -> Result<(), StoreError> {
        self.flush().await?;
        let ticks = self.clock.ticks();
        if cleaned_at.is_none_or(|last| ticks.saturating_sub(last) > CLEANING_INTERVAL) {
            self.drop_idle();
            self.store.delete_old_usage(self.clock.now().before(RETENTION)).await?;
            self.store.delete_old_limits(self.clock.now()).await?;
            *cleaned_at = Some(ticks);
        }
        Ok(())
    }

    /// Stores what was counted since the last time, and refreshes the quotas.
    ///
    /// # Errors
    /// When the database fails; the counts are then stored the next time.
    pub async fn flush(self: &Arc<Self>) -> Result<(), StoreError> {
        // A separate task: a caller that is cancelled must not lose the counts.
        let me = Arc::clone(self);
        tokio::spawn(async move { me.flush_now().await }).await.map_err(|_| StoreError::TimedOut)?
    }

    async fn flush_now(&self) -> Result<(), StoreError> {
        let _guard = self.flushing.lock().await;
        let now = self.clock.now();
        let batch = self.take_counts(now);
        if !batch.rows.is_empty() {
            if let Err(error) = self.store.add_usage(&batch.rows).await {
                batch.restore();
                return Err(error);
            }
            self.store.record_key_use(&batch.used).await?;
        }
        self.refresh_quotas(now).await
    }

    fn take_counts(&self, now: Timestamp) -> Batch {
        let mut meters: Vec<_> = {
            let meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
            meters.iter().map(|(whose, meter)| (whose.clone(), Arc::clone(meter))).collect()
        };
        // Every replica stores its rows in this order, so that they cannot deadlock.
        meters.sort_by(|(one, _), (other, _)| one.cmp(other));
        let hour = Timestamp(now.0 - now.0.rem_euclid(HOUR));
        let mut batch = Batch::default();
        for ((application, key), meter) in meters {
            let before = batch.rows.len();
            for (operation, counts) in self.operations.iter().zip(&meter.operations) {
                let Some(counts) = counts.get() else { continue };
                for (outcome, classes) in UsageOutcome::ALL.into_iter().zip(counts.iter()) {
                    for (class, counter) in (0..).zip(classes) {
                        let requests = signed(counter.requests.swap(0, Ordering::Relaxed));
                        if requests == 0 {
                            continue;
                        }
                        let micros = signed(counter.micros.swap(0, Ordering::Relaxed));
                        let (application, key, operation) = (application.clone(), key.clone(), operation.clone());
                        batch.rows.push(UsageRow {
                            application,
                            key,
                            operation,
                            hour,
                            outcome,
                            class,
                            requests,
                            micros,
                        });
                        batch.meters.push(Arc::clone(&meter));
                    }
                }
            }
            if batch.rows.len() > before && !key.is_empty() {
                batch.used.push((key, now));
            }
        }
        batch.operations.clone_from(&self.operations);
        batch
    }

    async fn refresh_quotas(&self, now: Timestamp) -> Result<(), StoreError> {
        let bounded = self.bounded();
        if bounded.is_empty() {
            return Ok(());
        }
        if self.shared.is_some() {
            return self.settle(bounded, false).await;
        }
        let seen: Vec<_> = bounded.iter().map(|(_, allowance)| allowance.pending()).collect();
        let today = Timestamp(now.0 - now.0.rem_euclid(DAY));
        let stored: HashMap<_, _> = self.store.requests_since(today, None).await?.into_iter().collect();
        for ((id, allowance), seen) in bounded.into_iter().zip(seen) {
            let stored = stored.get(&id).copied().unwrap_or_default();
            allowance.refresh(now, u64::try_from(stored).unwrap_or_default(), seen);
        }
        Ok(())
    }

    /// The allowances that have a limit.
    fn bounded(&self) -> Vec<(AppId, Arc<Allowance>)> {
        let allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        let those = allowances.iter().filter(|(_, one)| one.is_bounded());
        those.map(|(id, one)| (id.clone(), Arc::clone(one))).collect()
    }

    async fn settle(&self, bounded: Vec<(AppId, Arc<Allowance>)>, in_any_case: bool) -> Result<(), StoreError> {
        for (_, allowance) in bounded {
            allowance.settle(in_any_case).await?;
        }
        Ok(())
    }

    /// Stores the last counts, and returns what this server has leased.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn close(self: &Arc<Self>) -> Result<(), StoreError> {
        self.flush().await?;
        self.settle(self.bounded(), true).await
    }
}

/// Counts on their way to the database.
#[derive(Default)]
struct Batch {
    operations: Vec<String>,
    rows: Vec<UsageRow>,
    /// The meter of each row.
    meters: Vec<Arc<KeyMeter>>,
    used: Vec<(String, Timestamp)>,
}

impl Batch {
    /// Adds them to the meters again, to be stored the next time.
    fn restore(self) {
        for (row, meter) in self.rows.iter().zip(&self.meters) {
            let operation = self.operations.iter().position(|name| *name == row.operation);
            let Some(counts) = operation.and_then(|at| meter.operations[at].get()) else { continue };
            let Ok(class) = usize::try_from(row.class) else { continue };
            let counter = &counts[row.outcome as usize][class];
            counter.requests.fetch_add(row.requests.unsigned_abs(), Ordering::Relaxed);
            counter.micros.fetch_add(row.micros.unsigned_abs(), Ordering::Relaxed);
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
