//! What each key calls: counted in memory on the way, kept by the hour, and held against the application's quota.
//!
//! A request costs a few additions. What was counted is kept every few seconds, and when the server ends; a crash loses
//! those seconds. Quotas are shared by all replicas as far as these have kept what they counted.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::{AppId, Clock, Timestamp};
use kaisatsu_store::{KeyGrant, Store, StoreError, UsageOutcome, UsageRow};

/// How often what was counted is kept.
const EVERY: Duration = Duration::from_secs(5);

/// How long it is kept.
const KEPT: Duration = Duration::from_hours(24 * 92);

const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;

/// Upper bounds of the classes of times, in milliseconds; one more class is above the last.
pub const TIME_BOUNDS: [u64; 8] = [1, 3, 10, 30, 100, 300, 1_000, 3_000];

const CLASSES: usize = TIME_BOUNDS.len() + 1;
const OUTCOMES: usize = UsageOutcome::ALL.len();

/// No limit.
const UNBOUNDED: u64 = u64::MAX;

/// How much an application may still call today.
struct Allowance {
    per_day: AtomicU64,
    /// What all replicas have kept of today.
    before: AtomicU64,
    /// What this one let through since.
    here: AtomicU64,
}

#[derive(Default)]
struct Cell {
    requests: AtomicU64,
    micros: AtomicU64,
}

/// What was called of one operation, by how it ended and how long it took.
type Tally = [[Cell; CLASSES]; OUTCOMES];

/// What one key calls.
pub struct KeyMeter {
    allowance: Arc<Allowance>,
    /// One for each operation, made when it is first called.
    operations: Box<[OnceLock<Box<Tally>>]>,
}

impl KeyMeter {
    /// Takes one request out of the application's quota of the day.
    ///
    /// # Errors
    /// The quota, when it is used up.
    pub fn take(&self) -> Result<(), u64> {
        let Allowance { per_day, before, here } = &*self.allowance;
        let most = per_day.load(Ordering::Relaxed);
        if most == UNBOUNDED {
            return Ok(());
        }
        if before.load(Ordering::Relaxed).saturating_add(here.load(Ordering::Relaxed)) >= most {
            return Err(most);
        }
        here.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Counts a request that was answered.
    pub fn count(&self, operation: usize, outcome: UsageOutcome, took: Duration) {
        let Some(tally) = self.operations.get(operation) else { return };
        let tally = tally.get_or_init(Box::default);
        let millis = took.as_millis();
        let class = TIME_BOUNDS.iter().position(|bound| millis < u128::from(*bound)).unwrap_or(CLASSES - 1);
        let cell = &tally[outcome as usize][class];
        cell.requests.fetch_add(1, Ordering::Relaxed);
        cell.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// All that is counted on this replica.
pub struct Usage {
    store: Store,
    clock: Arc<dyn Clock>,
    operations: Vec<String>,
    /// What an application may call a day of which nothing else was said.
    per_day: u64,
    allowances: Mutex<HashMap<AppId, Arc<Allowance>>>,
    /// By application and key; what consoles call is under no key.
    meters: Mutex<HashMap<(AppId, String), Arc<KeyMeter>>>,
    keeping: tokio::sync::Mutex<()>,
}

impl Usage {
    /// Counts calls of `operations`, of which an application may make `per_day` where nothing else is said; 0 is no limit.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, operations: Vec<String>, per_day: u64) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            operations,
            per_day,
            allowances: Mutex::default(),
            meters: Mutex::default(),
            keeping: tokio::sync::Mutex::default(),
        })
    }

    /// The quota of an application of which `own` was said.
    #[must_use]
    pub fn quota(&self, own: Option<i64>) -> Option<u64> {
        let per_day = own.and_then(|own| u64::try_from(own).ok()).unwrap_or(self.per_day);
        (per_day > 0).then_some(per_day)
    }

    /// When the day of a moment ends, in UTC: quotas begin anew.
    #[must_use]
    pub fn day_ends(now: Timestamp) -> Timestamp {
        Timestamp(now.0 - now.0.rem_euclid(DAY) + DAY)
    }

    /// How long it is until quotas begin anew.
    #[must_use]
    pub fn until_tomorrow(&self) -> Duration {
        let now = self.clock.now();
        Duration::from_micros(u64::try_from(Self::day_ends(now).0 - now.0).unwrap_or_default())
    }

    /// The meter of a key; what it had counted before stays.
    pub(crate) fn meter(&self, grant: &KeyGrant) -> Arc<KeyMeter> {
        let most = self.quota(grant.requests_per_day).unwrap_or(UNBOUNDED);
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || Allowance { per_day: most.into(), before: AtomicU64::default(), here: AtomicU64::default() };
        let allowance = allowances.entry(grant.application.clone()).or_insert_with(|| Arc::new(fresh()));
        allowance.per_day.store(most, Ordering::Relaxed);
        let name = if grant.pass { String::new() } else { grant.key.as_str().to_owned() };
        let mut meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
        let meter = meters.entry((grant.application.clone(), name)).or_insert_with(|| {
            let operations = self.operations.iter().map(|_| OnceLock::new()).collect();
            Arc::new(KeyMeter { allowance: Arc::clone(allowance), operations })
        });
        Arc::clone(meter)
    }

    /// Drops the meters of keys that the gate no longer knows, once what they counted is kept.
    fn drop_idle(&self) {
        let mut meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
        meters.retain(|_, meter| Arc::strong_count(meter) > 1);
        drop(meters);
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        allowances.retain(|_, allowance| Arc::strong_count(allowance) > 1);
    }

    /// Keeps what was counted, for as long as it is polled.
    pub async fn keep_in_time(self: Arc<Self>) {
        let mut forgotten = Duration::ZERO;
        let mut failing = false;
        loop {
            let mut kept = self.keep().await;
            let ticks = self.clock.ticks();
            if kept.is_ok() && (forgotten.is_zero() || ticks.saturating_sub(forgotten) > Duration::from_hours(1)) {
                self.drop_idle();
                kept = self.store.forget_usage(self.clock.now().before(KEPT)).await;
                forgotten = ticks.max(Duration::from_nanos(1));
            }
            if let Err(error) = &kept
                && !failing
            {
                tracing::warn!(%error, "what was called cannot be kept; it is tried again");
            }
            failing = kept.is_err();
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Keeps what was counted since the last time, and learns what is left of quotas.
    ///
    /// # Errors
    /// When the database fails; what was counted is then kept the next time.
    pub async fn keep(self: &Arc<Self>) -> Result<(), StoreError> {
        // A task of its own: whoever asks and hangs up must not take along what was counted.
        let me = Arc::clone(self);
        tokio::spawn(async move { me.keep_now().await }).await.map_err(|_| StoreError::TimedOut)?
    }

    async fn keep_now(&self) -> Result<(), StoreError> {
        let _alone = self.keeping.lock().await;
        let now = self.clock.now();
        let taken = self.take_counted(now);
        if !taken.rows.is_empty() {
            if let Err(error) = self.store.add_usage(&taken.rows).await {
                taken.put_back();
                return Err(error);
            }
            self.store.note_used(&taken.used).await?;
        }
        self.learn_quotas(now).await
    }

    fn take_counted(&self, now: Timestamp) -> Taken {
        let mut meters: Vec<_> = {
            let meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
            meters.iter().map(|(whose, meter)| (whose.clone(), Arc::clone(meter))).collect()
        };
        // Every replica keeps its rows in this order, so that none waits for another in a circle.
        meters.sort_by(|(one, _), (other, _)| one.cmp(other));
        let hour = Timestamp(now.0 - now.0.rem_euclid(HOUR));
        let mut taken = Taken::default();
        for ((application, key), meter) in meters {
            let before = taken.rows.len();
            for (operation, tally) in self.operations.iter().zip(&meter.operations) {
                let Some(tally) = tally.get() else { continue };
                for (outcome, classes) in UsageOutcome::ALL.into_iter().zip(tally.iter()) {
                    for (class, cell) in (0..).zip(classes) {
                        let requests = signed(cell.requests.swap(0, Ordering::Relaxed));
                        if requests == 0 {
                            continue;
                        }
                        let micros = signed(cell.micros.swap(0, Ordering::Relaxed));
                        let (application, key, operation) = (application.clone(), key.clone(), operation.clone());
                        taken.rows.push(UsageRow {
                            application,
                            key,
                            operation,
                            hour,
                            outcome,
                            class,
                            requests,
                            micros,
                        });
                        taken.meters.push(Arc::clone(&meter));
                    }
                }
            }
            if taken.rows.len() > before && !key.is_empty() {
                taken.used.push((key, now));
            }
        }
        taken.operations.clone_from(&self.operations);
        taken
    }

    async fn learn_quotas(&self, now: Timestamp) -> Result<(), StoreError> {
        let bounded: Vec<_> = {
            let allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
            let is_bounded = |one: &&Arc<Allowance>| one.per_day.load(Ordering::Relaxed) != UNBOUNDED;
            let those = allowances.iter().filter(|(_, one)| is_bounded(one));
            those.map(|(id, one)| (id.clone(), Arc::clone(one), one.here.load(Ordering::Relaxed))).collect()
        };
        if bounded.is_empty() {
            return Ok(());
        }
        let taken: HashMap<_, _> =
            self.store.taken_since(Timestamp(now.0 - now.0.rem_euclid(DAY)), None).await?.into_iter().collect();
        for (id, allowance, seen) in bounded {
            let kept = taken.get(&id).copied().unwrap_or_default();
            allowance.before.store(u64::try_from(kept).unwrap_or_default(), Ordering::Relaxed);
            // What came in since is not among what was kept.
            allowance.here.fetch_sub(seen, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// What was counted, on its way to the database.
#[derive(Default)]
struct Taken {
    operations: Vec<String>,
    rows: Vec<UsageRow>,
    /// The meter of each row.
    meters: Vec<Arc<KeyMeter>>,
    used: Vec<(String, Timestamp)>,
}

impl Taken {
    /// Counts it once more, for the next time.
    fn put_back(self) {
        for (row, meter) in self.rows.iter().zip(&self.meters) {
            let operation = self.operations.iter().position(|name| *name == row.operation);
            let Some(tally) = operation.and_then(|at| meter.operations[at].get()) else { continue };
            let Ok(class) = usize::try_from(row.class) else { continue };
            let cell = &tally[row.outcome as usize][class];
            cell.requests.fetch_add(row.requests.unsigned_abs(), Ordering::Relaxed);
            cell.micros.fetch_add(row.micros.unsigned_abs(), Ordering::Relaxed);
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use kaisatsu_model::{AppId, ApplicationName, Clock, KeyId, SystemClock, Timestamp};
    use kaisatsu_store::{KeyGrant, Store, UsageOutcome};
    use kaisatsu_testkit::{Backend, Database};

    use super::{Usage, UsageOutcome::Answered};

    fn grant(pass: bool, requests_per_day: Option<i64>) -> KeyGrant {
        let (key, application) = (KeyId::from_random([1; 10]), AppId::from_random([1; 10]));
        KeyGrant { key, application, disabled: false, expires_at: None, pass, requests_per_day }
    }

    async fn open(database: &Database) -> Store {
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let name = ApplicationName::new("a").unwrap();
        let _ = store.create_application(&AppId::from_random([1; 10]), &name, Timestamp(0)).await;
        store
    }

    fn usage(store: &Store, per_day: u64) -> Arc<Usage> {
        Usage::new(store.clone(), Arc::new(SystemClock), vec!["one".to_owned(), "two".to_owned()], per_day)
    }

    #[tokio::test]
    async fn keys_and_consoles_are_counted_apart_and_what_fails_is_counted_later() {
        let database = Database::fresh(Backend::Sqlite);
        let store = open(&database).await;
        let usage = usage(&store, 0);
        let (key, pass) = (usage.meter(&grant(false, None)), usage.meter(&grant(true, None)));
        key.count(0, Answered, Duration::from_millis(2));
        key.count(0, Answered, Duration::from_millis(4));
        pass.count(1, UsageOutcome::Refused, Duration::from_secs(9));
        pass.count(7, Answered, Duration::ZERO);
        store.close().await;
        assert!(usage.keep().await.is_err());
        let store = open(&database).await;
        let usage = Arc::new(Usage { store: store.clone(), ..Arc::into_inner(usage).unwrap() });
        usage.keep().await.unwrap();
        usage.keep().await.unwrap();
        let sums = store.usage(&AppId::from_random([1; 10]), Timestamp(0), Timestamp(i64::MAX), 1).await.unwrap();
        let short: Vec<_> =
            sums.iter().map(|s| (s.operation.as_str(), s.key_id.is_empty(), s.class, s.requests)).collect();
        assert_eq!(short, [("two", true, 8, 1), ("one", false, 1, 1), ("one", false, 2, 1)]);
    }

    #[tokio::test]
    async fn a_quota_holds_and_follows_what_is_said() {
        let database = Database::fresh(Backend::Sqlite);
        let store = open(&database).await;
        let usage = usage(&store, 2);
        assert_eq!((usage.quota(None), usage.quota(Some(0)), usage.quota(Some(9))), (Some(2), None, Some(9)));
        let meter = usage.meter(&grant(false, None));
        for _ in 0..2 {
            assert_eq!(meter.take(), Ok(()));
            meter.count(0, Answered, Duration::ZERO);
        }
        assert_eq!(meter.take(), Err(2));
        usage.keep().await.unwrap();
        assert_eq!(meter.take(), Err(2), "what was kept counts, and counts once");
        let meter = usage.meter(&grant(false, Some(4)));
        assert_eq!((meter.take(), meter.take(), meter.take()), (Ok(()), Ok(()), Err(4)));
        assert_eq!(usage.meter(&grant(false, Some(0))).take(), Ok(()), "0 is no limit");
        assert!(usage.until_tomorrow() <= Duration::from_hours(24));
        assert!(Usage::day_ends(SystemClock.now()) > SystemClock.now());
    }
}
