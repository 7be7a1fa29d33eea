//! The latest failed requests of each application, for its owner to read.
//!
//! They wait in memory for a few seconds and are then stored together. Both places are bounded: of an application that
//! fails thousands of times a second, the latest are kept.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use kaisatsu_model::{AppId, Clock, Timestamp};
use kaisatsu_store::{FailedRequest, Store, StoreError};

/// How often they are stored.
const FLUSH_INTERVAL: Duration = Duration::from_secs(5);

/// How often old ones are deleted.
const CLEANING_INTERVAL: Duration = Duration::from_hours(1);

/// How long they are kept.
pub const FAILED_REQUEST_RETENTION: Duration = Duration::from_hours(24 * 14);

/// How many of an application wait to be stored, and how many are kept.
const MAX_WAITING: usize = 100;
const MAX_KEPT: i64 = 1_000;

/// The longest message that is kept, in characters.
const MAX_MESSAGE: usize = 500;

/// The failed requests of this replica.
pub struct FailedRequests {
    store: Store,
    clock: Arc<dyn Clock>,
    waiting: Mutex<HashMap<AppId, VecDeque<FailedRequest>>>,
}

impl FailedRequests {
    /// Keeps failed requests in a store.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock, waiting: Mutex::default() })
    }

    /// Remembers a request that failed just now; `at` is filled in.
    pub fn record(&self, mut request: FailedRequest) {
        request.at = self.clock.now();
        if let Some((end, _)) = request.message.char_indices().nth(MAX_MESSAGE) {
            request.message.truncate(end);
            request.message.push('…');
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let own = waiting.entry(request.application.clone()).or_default();
        if own.len() >= MAX_WAITING {
            own.pop_front();
        }
        own.push_back(request);
    }

    /// Stores what waits.
    ///
    /// # Errors
    /// When the database fails; what waited is then lost, because more comes while it does.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let requests: Vec<_> = waiting.into_values().flatten().collect();
        if requests.is_empty() {
            return Ok(());
        }
        self.store.add_failed_requests(&requests, MAX_KEPT).await
    }

    /// The failed requests of an application before a time, the latest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(
        self: &Arc<Self>,
        application: &AppId,
        before: Option<Timestamp>,
        limit: i64,
    ) -> Result<Vec<FailedRequest>, StoreError> {
        // What this replica has just answered is included, if the database can be written to. A task of its own: the
        // requests of all applications must not be lost when this caller hangs up.
        let me = Arc::clone(self);
        let _ = tokio::spawn(async move { me.flush().await }).await;
        let since = self.clock.now().before(FAILED_REQUEST_RETENTION);
        self.store.failed_requests(application, before.unwrap_or(Timestamp(i64::MAX)), since, limit).await
    }

    /// Stores what waits every few seconds, for as long as it is polled, and deletes what is old.
    pub async fn flush_periodically(self: Arc<Self>) {
        let mut cleaned_at: Option<Duration> = None;
        loop {
            let flushed = self.flush().await;
            let ticks = self.clock.ticks();
            if flushed.is_ok() && cleaned_at.is_none_or(|last| ticks.saturating_sub(last) > CLEANING_INTERVAL) {
                let before = self.clock.now().before(FAILED_REQUEST_RETENTION);
                if self.store.delete_failed_requests(before).await.is_ok() {
                    cleaned_at = Some(ticks);
                }
            }
            tokio::time::sleep(FLUSH_INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use kaisatsu_model::{AppId, ApplicationName, Clock, Timestamp};
    use kaisatsu_store::{FailedRequest, Store};
    use kaisatsu_testkit::{Backend, Database, ManualClock};

    use super::{FailedRequests, MAX_MESSAGE};

    fn request(application: &AppId, id: &str) -> FailedRequest {
        FailedRequest {
            application: application.clone(),
            at: Timestamp(0),
            request_id: id.to_owned(),
            key: "key".to_owned(),
            operation: "/models".to_owned(),
            status: 400,
            code: "104".to_owned(),
            message: "wrong".to_owned(),
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_latest_are_kept_for_fourteen_days_and_the_rest_is_dropped() {
        let database = Database::fresh(Backend::Sqlite);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let app = AppId::from_random([1; 10]);
        store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let clock = Arc::new(ManualClock::default());
        let log = FailedRequests::new(store, Arc::clone(&clock) as Arc<dyn Clock>);
        for number in 0..250 {
            clock.advance(Duration::from_millis(1));
            log.record(request(&app, &number.to_string()));
        }
        let listed = log.list(&app, None, 1000).await.unwrap();
        assert_eq!((listed.len(), listed[0].request_id.as_str()), (100, "249"), "the latest, newest first");
        let rest = log.list(&app, Some(listed[9].at), 1000).await.unwrap();
        assert_eq!((rest.len(), rest[0].request_id.as_str()), (90, "239"), "and what came before one of them");

        for round in 0..15 {
            for number in 0..100 {
                clock.advance(Duration::from_millis(1));
                log.record(request(&app, &format!("{round}-{number}")));
            }
            log.flush().await.unwrap();
        }
        assert_eq!(log.list(&app, None, 5000).await.unwrap().len(), 1000);
        clock.advance(Duration::from_millis(1));
        log.record(FailedRequest { message: "あ".repeat(MAX_MESSAGE + 1), ..request(&app, "long") });
        let long = log.list(&app, None, 1).await.unwrap();
        assert_eq!(long[0].message.chars().count(), MAX_MESSAGE + 1, "with a mark that it goes on");
        clock.advance(Duration::from_hours(24 * 14 + 1));
        assert!(log.list(&app, None, 5000).await.unwrap().is_empty());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_application_that_does_not_exist_any_more_loses_only_its_own() {
        let database = Database::fresh(Backend::Sqlite);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let (app, gone) = (AppId::from_random([1; 10]), AppId::from_random([2; 10]));
        store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let log = FailedRequests::new(store, Arc::new(ManualClock::default()));
        log.record(request(&gone, "a"));
        log.record(request(&app, "b"));
        assert_eq!(log.list(&app, None, 10).await.unwrap().len(), 1);
        assert!(log.list(&gone, None, 10).await.unwrap().is_empty());
    }
}
