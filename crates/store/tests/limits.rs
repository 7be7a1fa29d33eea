//! Leases of rates and daily quotas, on every backend.

use kaisatsu_model::{AppId, KeyId, Timestamp};
use kaisatsu_store::{DayShare, LimitLease, RateShare, Store, UsageOutcome, UsageRow};
use kaisatsu_testkit::{Backend, Database, test_on_every_backend};

use crate::support::store_with_application;

test_on_every_backend![
    a_bucket_fills_with_time_and_holds_a_second,
    a_clock_that_is_set_back_stops_no_bucket,
    leases_of_a_day_become_smaller_and_end_at_the_limit,
    many_servers_lease_no_more_than_there_is,
    a_day_begins_with_what_was_counted_and_goes_with_its_application,
];

async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Store, AppId) -> F) {
    let database = Database::fresh(backend);
    let (store, app) = store_with_application(&database).await;
    test(store, app).await;
}

const SECOND: i64 = 1_000_000;

fn lease(granted: i64, remaining: i64) -> LimitLease {
    LimitLease { granted, remaining }
}

async fn a_bucket_fills_with_time_and_holds_a_second(store: Store, _: AppId) {
    let key = KeyId::from_random([1; 10]);
    let ask = async |at, wanted, least| {
        store.lease_rate(&key, Timestamp(at), RateShare { per_second: 10, wanted, least }).await.unwrap()
    };
    let start = 5 * SECOND;
    assert_eq!(ask(start, 6, 2).await, lease(6, 4 * SECOND));
    assert_eq!(ask(start, 6, 2).await, lease(4, 0), "what is left");
    assert_eq!(ask(start + 199_999, 6, 2).await, lease(0, 1_999_990), "too few for a lease");
    assert_eq!(ask(start + 200_000, 6, 2).await, lease(2, 0));
    assert_eq!(ask(start + 190_000, 1, 1).await, lease(0, 0), "a clock a little behind");
    assert_eq!(ask(start + 300_000, 1, 1).await, lease(1, 0), "it took nothing back");
    assert_eq!(ask(start + 900 * SECOND, 10, 1).await, lease(10, 0), "no more than a second's worth");
    let other = KeyId::from_random([2; 10]);
    let share = RateShare { per_second: 10, wanted: 1, least: 1 };
    assert_eq!(store.lease_rate(&other, Timestamp(start), share).await.unwrap(), lease(1, 9 * SECOND));
    let fast = RateShare { per_second: u32::MAX.into(), wanted: 1, least: 1 };
    let full = (i64::from(u32::MAX) - 1) * SECOND;
    assert_eq!(store.lease_rate(&other, Timestamp(i64::MAX / 2), fast).await.unwrap(), lease(1, full));
}

async fn a_clock_that_is_set_back_stops_no_bucket(store: Store, _: AppId) {
    let key = KeyId::from_random([1; 10]);
    let share = RateShare { per_second: 2, wanted: 2, least: 1 };
    let ask = async |at| store.lease_rate(&key, Timestamp(at), share).await.unwrap().granted;
    assert_eq!((ask(9_000 * SECOND).await, ask(9_000 * SECOND).await), (2, 0));
    assert_eq!((ask(100 * SECOND).await, ask(100 * SECOND).await, ask(101 * SECOND).await), (2, 0, 2));
}

fn share(per_day: i64, most: i64, debt: i64) -> DayShare {
    DayShare { day: 3, per_day, most, debt }
}

async fn leases_of_a_day_become_smaller_and_end_at_the_limit(store: Store, app: AppId) {
    let ask = async |debt| store.lease_day(&app, share(100, 5, debt)).await.unwrap();
    assert_eq!(ask(0).await, lease(5, 95));
    assert_eq!(ask(50).await, lease(2, 43), "what passed on credit is charged");
    assert_eq!(ask(0).await, lease(2, 41));
    store.return_day_lease(&app, 3, 2).await.unwrap();
    assert_eq!(ask(0).await, lease(2, 41), "returned requests can be leased");
    let mut left = 41;
    while left > 0 {
        let next = ask(0).await;
        assert!(next.granted > 0 && next.granted + next.remaining == left, "{next:?}");
        left = next.remaining;
    }
    assert_eq!(ask(0).await, lease(0, 0));
    assert_eq!(ask(7).await, lease(0, -7), "a debt may pass the limit");
    assert_eq!(store.lease_day(&app, share(200, 5, 0)).await.unwrap(), lease(5, 88), "a higher limit");
    let tomorrow = DayShare { day: 4, ..share(100, 5, 0) };
    assert_eq!(store.lease_day(&app, tomorrow).await.unwrap(), lease(5, 95));
}

async fn many_servers_lease_no_more_than_there_is(store: Store, app: AppId) {
    let key = KeyId::from_random([1; 10]);
    let servers = (0..8).map(|_| {
        let (store, app, key) = (store.clone(), app.clone(), key.clone());
        tokio::spawn(async move {
            let (mut day, mut second) = (0, 0);
            loop {
                let got = store.lease_day(&app, share(500, 10, 0)).await.unwrap().granted;
                let rate = RateShare { per_second: 90, wanted: 4, least: 1 };
                second += store.lease_rate(&key, Timestamp(SECOND), rate).await.unwrap().granted;
                day += got;
                if got == 0 {
                    return (day, second);
                }
            }
        })
    });
    let mut total = (0, 0);
    for server in servers.collect::<Vec<_>>() {
        let (day, second) = server.await.unwrap();
        total = (total.0 + day, total.1 + second);
    }
    assert_eq!(total, (500, 90));
}

async fn a_day_begins_with_what_was_counted_and_goes_with_its_application(store: Store, app: AppId) {
    let row = |hour: i64, outcome, requests| UsageRow {
        application: app.clone(),
        key: "key".to_owned(),
        operation: "one".to_owned(),
        hour: Timestamp(hour * 3600 * SECOND),
        outcome,
        class: 0,
        requests,
        micros: 0,
    };
    let rows = [
        row(71, UsageOutcome::Answered, 1),
        row(72, UsageOutcome::Answered, 20),
        row(73, UsageOutcome::Refused, 3),
        row(73, UsageOutcome::Failed, 50),
        row(73, UsageOutcome::TurnedAway, 60),
    ];
    store.add_usage(&rows).await.unwrap();
    assert_eq!(store.lease_day(&app, share(1000, 5, 0)).await.unwrap(), lease(5, 972));
    store.delete_old_limits(Timestamp(4 * 24 * 3600 * SECOND - 1)).await.unwrap();
    assert_eq!(store.lease_day(&app, share(1000, 5, 0)).await.unwrap(), lease(5, 967), "it is still that day");
    store.delete_old_limits(Timestamp(4 * 24 * 3600 * SECOND)).await.unwrap();
    assert_eq!(store.lease_day(&app, share(1000, 5, 0)).await.unwrap(), lease(5, 972), "the next day it is forgotten");
    store.delete_application(&app, Timestamp(0)).await.unwrap();
    assert!(store.erase_application(&app).await.unwrap());
    assert_eq!(store.lease_day(&app, share(1000, 5, 0)).await.unwrap(), lease(0, 0));
}
