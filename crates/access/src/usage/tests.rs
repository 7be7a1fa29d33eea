//! Counting, quotas and cleaning.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{AppId, ApplicationName, Clock, KeyId, KeyScope, SystemClock, Timestamp};
use kaisatsu_store::{KeyGrant, Store, UsageOutcome};
use kaisatsu_testkit::{Backend, Database, ManualClock};

use super::{Usage, UsageOutcome::Answered};

const DAY: Duration = Duration::from_hours(24);
const MICROSECOND: Duration = Duration::from_micros(1);

fn grant(console: bool, requests_per_day: Option<i64>) -> KeyGrant {
    let (key, application) = (KeyId::from_random([1; 10]), AppId::from_random([1; 10]));
    let scope = KeyScope::Standard;
    let (expires_at, allowed_places) = (None, None);
    KeyGrant { key, application, disabled: false, expires_at, scope, allowed_places, console, requests_per_day }
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
async fn keys_and_consoles_are_counted_separately_and_unstored_counts_are_stored_later() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let usage = usage(&store, 0);
    let (key, console) = (usage.meter(&grant(false, None)), usage.meter(&grant(true, None)));
    key.count(0, Answered, Duration::from_millis(2));
    key.count(0, Answered, Duration::from_millis(4));
    console.count(1, UsageOutcome::Refused, Duration::from_secs(9));
    console.count(7, Answered, Duration::ZERO);
    store.close().await;
    assert!(usage.flush().await.is_err());
    let store = open(&database).await;
    let usage = Arc::new(Usage { store: store.clone(), ..Arc::into_inner(usage).unwrap() });
    usage.flush().await.unwrap();
    usage.flush().await.unwrap();
    let sums = store.usage(&AppId::from_random([1; 10]), Timestamp(0), Timestamp(i64::MAX), 1).await.unwrap();
    let short: Vec<_> = sums.iter().map(|s| (s.operation.as_str(), s.key_id.is_empty(), s.class, s.requests)).collect();
    assert_eq!(short, [("two", true, 8, 1), ("one", false, 1, 1), ("one", false, 2, 1)]);
}

#[tokio::test]
async fn a_quota_is_enforced_and_can_be_changed() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let usage = usage(&store, 2);
    assert_eq!((usage.quota(None), usage.quota(Some(0)), usage.quota(Some(9))), (Some(2), None, Some(9)));
    let meter = usage.meter(&grant(false, None));
    for _ in 0..2 {
        assert_eq!(meter.take().await, Ok(()));
        meter.count(0, Answered, Duration::ZERO);
    }
    assert_eq!(meter.take().await, Err(2));
    usage.flush().await.unwrap();
    assert_eq!(meter.take().await, Err(2), "what was kept counts, and counts once");
    let meter = usage.meter(&grant(false, Some(4)));
    assert_eq!((meter.take().await, meter.take().await, meter.take().await), (Ok(()), Ok(()), Err(4)));
    assert_eq!(usage.meter(&grant(false, Some(0))).take().await, Ok(()), "0 is no limit");
    assert!(usage.until_tomorrow() <= Duration::from_hours(24));
    assert!(Usage::day_ends(SystemClock.now()) > SystemClock.now());
}

fn usage_at(store: &Store, clock: &Arc<ManualClock>, per_day: u64) -> Arc<Usage> {
    Usage::new(store.clone(), clock.clone(), vec!["one".to_owned()], per_day)
}

/// All stored counts of the application: latency bucket, requests and microseconds.
async fn stored(store: &Store) -> Vec<(i64, i64, i64)> {
    let all = store.usage(&AppId::from_random([1; 10]), Timestamp(0), Timestamp(i64::MAX), i64::MAX).await.unwrap();
    all.iter().map(|total| (total.class, total.requests, total.micros)).collect()
}

#[tokio::test]
async fn a_request_is_counted_in_the_bucket_of_its_duration() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let usage = usage_at(&store, &Arc::default(), 0);
    let meter = usage.meter(&grant(false, None));
    for micros in [0, 999, 1_000, 2_999, 3_000, 2_999_999, 3_000_000, 60_000_000] {
        meter.count(0, Answered, Duration::from_micros(micros));
    }
    usage.flush().await.unwrap();
    let expected = [(0, 2, 999), (1, 2, 3_999), (2, 1, 3_000), (7, 1, 2_999_999), (8, 2, 63_000_000)];
    assert_eq!(stored(&store).await, expected);
}

#[tokio::test]
async fn a_quota_starts_anew_at_midnight() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let clock = Arc::<ManualClock>::default();
    clock.advance(5 * DAY + Duration::from_hours(23));
    let usage = usage_at(&store, &clock, 1);
    let meter = usage.meter(&grant(false, None));
    assert_eq!(meter.take().await, Ok(()));
    meter.count(0, Answered, Duration::ZERO);
    assert_eq!(usage.until_tomorrow(), Duration::from_hours(1));
    clock.advance(Duration::from_hours(1).saturating_sub(MICROSECOND));
    usage.flush().await.unwrap();
    assert_eq!((meter.take().await, usage.until_tomorrow()), (Err(1), MICROSECOND));
    clock.advance(MICROSECOND);
    // At once, and not when the counts are read the next time: `Retry-After` named this moment.
    assert_eq!((meter.take().await, usage.until_tomorrow()), (Ok(()), DAY));
    meter.count(0, Answered, Duration::ZERO);
    assert_eq!(meter.take().await, Err(1));
    usage.flush().await.unwrap();
    assert_eq!(meter.take().await, Err(1), "what was let through today still counts");
    assert_eq!(Usage::day_ends(clock.now()), Timestamp(0).after(7 * DAY));
}

#[tokio::test]
async fn counts_are_stored_in_the_background() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let usage = usage_at(&store, &Arc::default(), 0);
    usage.meter(&grant(false, None)).count(0, Answered, Duration::ZERO);
    let storing = tokio::spawn(Arc::clone(&usage).flush_periodically());
    let began = std::time::Instant::now();
    while stored(&store).await.is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1), "nothing was stored");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    storing.abort();
}

#[tokio::test]
async fn counts_are_kept_for_92_days_and_deleted_once_an_hour() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let clock = Arc::<ManualClock>::default();
    let usage = usage_at(&store, &clock, 0);
    usage.meter(&grant(false, None)).count(0, Answered, Duration::ZERO);
    let mut cleaned_at = None;
    for (passed, left) in [(Duration::ZERO, 1), (92 * DAY, 1), (Duration::from_hours(1), 1), (MICROSECOND, 0)] {
        clock.advance(passed);
        usage.flush_and_clean(&mut cleaned_at).await.unwrap();
        assert_eq!(stored(&store).await.len(), left, "after another {passed:?}");
    }
}

#[tokio::test]
async fn the_meter_of_a_cached_key_stays_and_any_other_goes_once_its_counts_are_stored() {
    let database = Database::fresh(Backend::Sqlite);
    let store = open(&database).await;
    let clock = Arc::<ManualClock>::default();
    let usage = usage_at(&store, &clock, 0);
    let kept = || (usage.meters.lock().unwrap().len(), usage.allowances.lock().unwrap().len());
    let cached = usage.meter(&grant(false, None));
    usage.meter(&grant(true, None)).count(0, Answered, Duration::ZERO);
    let mut cleaned_at = None;
    usage.flush_and_clean(&mut cleaned_at).await.unwrap();
    assert_eq!(kept(), (1, 1));
    cached.count(0, Answered, Duration::ZERO);
    drop(cached);
    clock.advance(Duration::from_hours(1) + MICROSECOND);
    usage.flush_and_clean(&mut cleaned_at).await.unwrap();
    assert_eq!(kept(), (0, 0));
    assert_eq!(stored(&store).await, [(0, 1, 0), (0, 1, 0)], "of the console and of the key");
}
