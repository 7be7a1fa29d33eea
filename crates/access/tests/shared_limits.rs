//! Limits that several servers keep together, on every backend: a server here is a store with what leases from it.

use std::{sync::Arc, time::Duration};

use kaisatsu_access::{Caller, KeyCache, KeyService, RateLimit, SharedLimits, Usage, UsageOutcome};
use kaisatsu_model::{ApplicationName, KeyId, KeyScope};
use kaisatsu_store::{DayShare, Store};
use kaisatsu_testkit::{Backend, Database, ManualClock, test_on_every_backend};

test_on_every_backend![
    three_servers_with_uneven_load_keep_a_rate_within_two_percent,
    an_old_lease_of_a_rate_is_not_used,
    three_servers_share_a_day_and_one_that_is_killed_costs_little,
    what_is_not_used_is_returned,
    a_failed_request_does_not_count,
    a_used_up_day_ends_at_midnight,
    without_the_database_each_server_limits_by_itself,
];

async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Database) -> F) {
    test(Database::fresh(backend)).await;
}

/// A server with a rate limit and a daily quota.
struct Server {
    store: Store,
    rate: RateLimit,
    usage: Arc<Usage>,
    cache: Arc<KeyCache>,
}

impl Server {
    async fn start(database: &Database, clock: &Arc<ManualClock>, per_second: u32, per_day: u64) -> Self {
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let limits = Some(SharedLimits::new(store.clone(), clock.clone()));
        let rate = RateLimit::per_second(per_second).shared(limits.clone());
        let usage = Usage::sharing(limits, store.clone(), clock.clone(), vec!["one".to_owned()], per_day);
        let cache = KeyCache::load(store.clone(), clock.clone(), Arc::clone(&usage), Duration::from_hours(99));
        let cache = cache.await.unwrap();
        Self { store, rate, usage, cache }
    }

    async fn key(&self, clock: &Arc<ManualClock>) -> String {
        let service = KeyService::new(self.store.clone(), clock.clone());
        let name = ApplicationName::new("app").unwrap();
        service.create_application_with_key(&name, KeyScope::Standard).await.unwrap().secret.reveal().to_owned()
    }

    async fn caller(&self, key: &str) -> Arc<Caller> {
        self.cache.authenticate(key).await.unwrap()
    }

    /// What the database has left of the first day, less one.
    async fn left_in_database(&self, caller: &Caller, per_day: i64) -> i64 {
        let share = DayShare { day: 0, per_day, most: 1, debt: 0 };
        self.store.lease_day(&caller.application, share).await.unwrap().remaining
    }
}

async fn three_servers_with_uneven_load_keep_a_rate_within_two_percent(database: Database) {
    let clock = Arc::<ManualClock>::default();
    let key = KeyId::from_random([1; 10]);
    let mut servers = Vec::new();
    for (every, load) in [(1, 4), (4, 3), (33, 1)] {
        servers.push((Server::start(&database, &clock, 100, 0).await, every, load));
    }
    let mut passed = [0_u32; 3];
    // Steps of 10 ms: 400, 75 and 3 requests a second.
    for step in 0..3_000 {
        for (count, (server, every, load)) in passed.iter_mut().zip(&servers) {
            for _ in 0..if step % every == 0 { *load } else { 0 } {
                *count += u32::from(server.rate.take(&key).await.is_ok());
            }
        }
        clock.advance(Duration::from_millis(10));
    }
    let (sum, limit) = (passed.iter().sum::<u32>(), 100 * 30 + 100);
    assert!(sum.abs_diff(limit) <= limit / 50, "{passed:?} of {limit}");
    assert!(passed[2] > 45, "whoever calls rarely is served: {passed:?}");
}

async fn an_old_lease_of_a_rate_is_not_used(database: Database) {
    let clock = Arc::<ManualClock>::default();
    let key = KeyId::from_random([1; 10]);
    let (paused, other) =
        (Server::start(&database, &clock, 50, 0).await, Server::start(&database, &clock, 50, 0).await);
    let take = async |server: &Server| u32::from(server.rate.take(&key).await.is_ok());
    assert_eq!(take(&paused).await, 1);
    clock.advance(Duration::from_mins(1));
    let mut passed = 0;
    for _ in 0..100 {
        passed += take(&other).await;
    }
    assert_eq!(passed, 50, "the bucket is full again, and no more");
    assert_eq!(take(&paused).await, 0, "what it leased a minute ago is over");
}

async fn three_servers_share_a_day_and_one_that_is_killed_costs_little(database: Database) {
    const LIMIT: u32 = 2_000;
    let clock = Arc::<ManualClock>::default();
    let one = Server::start(&database, &clock, 0, LIMIT.into()).await;
    let key = one.key(&clock).await;
    let (two, killed) = (
        Server::start(&database, &clock, 0, LIMIT.into()).await,
        Server::start(&database, &clock, 0, LIMIT.into()).await,
    );
    let mut passed = 0;
    let callers = [one.caller(&key).await, two.caller(&key).await, killed.caller(&key).await];
    for turn in 0..LIMIT {
        passed += u32::from(callers[0].meter.take().await.is_ok());
        if turn % 10 == 0 {
            passed += u32::from(callers[1].meter.take().await.is_ok());
        }
        if turn < 5 {
            passed += u32::from(callers[2].meter.take().await.is_ok());
        }
    }
    // The second one has something left until it returns it.
    two.usage.flush().await.unwrap();
    two.usage.flush().await.unwrap();
    clock.advance(Duration::from_secs(2));
    while callers[0].meter.take().await.is_ok() {
        passed += 1;
    }
    assert!((LIMIT - LIMIT / 50..=LIMIT).contains(&passed), "{passed} of {LIMIT}");
    assert_eq!(callers[0].meter.day(), Some((LIMIT.into(), 0)));
}

async fn what_is_not_used_is_returned(database: Database) {
    let clock = Arc::<ManualClock>::default();
    let one = Server::start(&database, &clock, 0, 1_000).await;
    let key = one.key(&clock).await;
    let caller = one.caller(&key).await;
    assert_eq!(caller.meter.take().await, Ok(()));
    assert_eq!(caller.meter.day(), Some((1_000, 999)));
    assert_eq!(one.left_in_database(&caller, 1_000).await, 994, "five are leased at once");
    one.usage.flush().await.unwrap();
    assert_eq!(one.left_in_database(&caller, 1_000).await, 993, "they are in use");
    one.usage.flush().await.unwrap();
    assert_eq!(one.left_in_database(&caller, 1_000).await, 996, "nobody asked since");
    assert_eq!(caller.meter.take().await, Ok(()));
    one.usage.close().await.unwrap();
    assert_eq!(one.left_in_database(&caller, 1_000).await, 994, "two of this server, four of this test");
}

async fn a_failed_request_does_not_count(database: Database) {
    let clock = Arc::<ManualClock>::default();
    let one = Server::start(&database, &clock, 0, 2).await;
    let key = one.key(&clock).await;
    let meter = Arc::clone(&one.caller(&key).await.meter);
    for _ in 0..9 {
        assert_eq!(meter.take().await, Ok(()));
        meter.count(0, UsageOutcome::Failed, Duration::ZERO);
    }
    assert_eq!((meter.take().await, meter.take().await, meter.take().await), (Ok(()), Ok(()), Err(2)));
}

async fn a_used_up_day_ends_at_midnight(database: Database) {
    let clock = Arc::<ManualClock>::default();
    clock.advance(Duration::from_hours(24).saturating_sub(Duration::from_micros(1)));
    let one = Server::start(&database, &clock, 0, 1).await;
    let key = one.key(&clock).await;
    let meter = Arc::clone(&one.caller(&key).await.meter);
    assert_eq!((meter.take().await, meter.take().await), (Ok(()), Err(1)));
    clock.advance(Duration::from_micros(1));
    assert_eq!((meter.take().await, meter.take().await), (Ok(()), Err(1)));
}

async fn without_the_database_each_server_limits_by_itself(database: Database) {
    let clock = Arc::<ManualClock>::default();
    let one = Server::start(&database, &clock, 3, 10).await;
    let key = one.key(&clock).await;
    let caller = one.caller(&key).await;
    assert_eq!(caller.meter.take().await, Ok(()));
    one.store.close().await;
    let mut passed = 0;
    for _ in 0..20 {
        passed += u32::from(caller.meter.take().await.is_ok());
    }
    assert_eq!(passed, 9, "what was left when the database last answered");
    let mut passed = 0;
    for _ in 0..20 {
        passed += u32::from(one.rate.take(&caller.key).await.is_ok());
    }
    assert!((3..20).contains(&passed), "{passed}");
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn what_a_slow_database_charges_late_is_charged_once() {
    let database = Arc::new(Database::fresh(Backend::Postgres));
    let clock = Arc::<ManualClock>::default();
    let one = Server::start(&database, &clock, 0, 1_000).await;
    let key = one.key(&clock).await;
    let caller = one.caller(&key).await;
    let take = async |count: u32| {
        for _ in 0..count {
            assert_eq!(caller.meter.take().await, Ok(()));
        }
    };
    // What is leased is used up.
    take(5).await;
    let held = Arc::clone(&database);
    let holding = tokio::task::spawn_blocking(move || {
        held.run("BEGIN; UPDATE day_budget SET taken = taken; SELECT pg_sleep(4); COMMIT");
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    // The first of each waits in vain for a second, and all pass on credit.
    take(10).await;
    clock.advance(Duration::from_secs(2));
    take(10).await;
    holding.await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    clock.advance(Duration::from_secs(2));
    one.usage.close().await.unwrap();
    assert_eq!(one.left_in_database(&caller, 1_000).await, 974, "25 requests, and one that this test leases");
}
