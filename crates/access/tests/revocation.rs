//! A revocation reaches every replica within a second, and quotas are shared by replicas.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kaisatsu_access::{KeyCache, KeyRejection, KeyService, Tokens, Usage, UsageOutcome};
use kaisatsu_model::{ApplicationName, KeyScope, SystemClock, UserId};
use kaisatsu_store::Store;
use kaisatsu_testkit::{Backend, Database, test_on_every_backend};

test_on_every_backend![
    a_disabled_key_is_rejected_by_every_replica_within_a_second,
    a_disabled_application_is_rejected_by_every_replica_within_a_second,
    a_revoked_token_is_refused_at_once,
    replicas_share_a_quota_through_stored_counts,
];

async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Database) -> F) {
    test(Database::fresh(backend)).await;
}

/// A replica: a store of its own, with a key cache that is refreshed in the background.
struct Replica {
    store: Store,
    usage: Arc<Usage>,
    cache: Arc<KeyCache>,
}

impl Replica {
    async fn start(database: &Database, per_day: u64) -> Self {
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let usage = Usage::new(store.clone(), Arc::new(SystemClock), vec!["one".to_owned()], per_day);
        let cache = KeyCache::load(store.clone(), Arc::new(SystemClock), Arc::clone(&usage), Duration::from_mins(10))
            .await
            .unwrap();
        cache.refresh_in_background();
        Self { store, usage, cache }
    }

    fn keys(&self) -> KeyService {
        KeyService::new(self.store.clone(), Arc::new(SystemClock))
    }

    /// Waits until a key is rejected as disabled, for at most a second.
    async fn rejects_within_a_second(&self, key: &str) {
        let began = Instant::now();
        loop {
            match self.cache.authenticate(key).await {
                Err(KeyRejection::Disabled(_)) => return,
                other => assert!(other.is_ok(), "{other:?}"),
            }
            assert!(began.elapsed() < Duration::from_secs(1), "the revocation took longer than a second");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

fn name(text: &str) -> ApplicationName {
    ApplicationName::new(text).unwrap()
}

async fn a_disabled_key_is_rejected_by_every_replica_within_a_second(database: Database) {
    let (one, two) = (Replica::start(&database, 0).await, Replica::start(&database, 0).await);
    let key = one.keys().create_application_with_key(&name("app"), KeyScope::Standard).await.unwrap();
    for replica in [&one, &two] {
        assert!(replica.cache.authenticate(key.secret.reveal()).await.is_ok(), "a new key works at once");
    }
    one.keys().set_key_enabled(&key.id, false).await.unwrap();
    tokio::join!(one.rejects_within_a_second(key.secret.reveal()), two.rejects_within_a_second(key.secret.reveal()));
}

async fn a_disabled_application_is_rejected_by_every_replica_within_a_second(database: Database) {
    let (one, two) = (Replica::start(&database, 0).await, Replica::start(&database, 0).await);
    let key = one.keys().create_application_with_key(&name("app"), KeyScope::Standard).await.unwrap();
    let application = two.cache.authenticate(key.secret.reveal()).await.unwrap().application.clone();
    assert!(one.cache.authenticate(key.secret.reveal()).await.is_ok());
    two.keys().set_application_enabled(&application, false).await.unwrap();
    tokio::join!(one.rejects_within_a_second(key.secret.reveal()), two.rejects_within_a_second(key.secret.reveal()));
}

async fn a_revoked_token_is_refused_at_once(database: Database) {
    let (one, two) = (Replica::start(&database, 0).await, Replica::start(&database, 0).await);
    let application = one.keys().create_application(&name("app")).await.unwrap();
    let other = one.keys().create_application(&name("other")).await.unwrap();
    let tokens = |replica: &Replica| Tokens::new(replica.store.clone(), Arc::new(SystemClock), Duration::from_hours(1));
    let user = UserId::new("u").unwrap();
    let issued = tokens(&one).issue(&application, user.clone()).await.unwrap();
    let secret = issued.secret.reveal();
    assert_eq!(tokens(&two).owner(&application, secret).await.unwrap(), Some(user.clone()));
    assert_eq!(tokens(&two).owner(&other, secret).await.unwrap(), None, "a token belongs to one application");
    assert_eq!(one.keys().revoke_tokens(&application, Some(&user)).await.unwrap(), 1);
    assert_eq!(tokens(&two).owner(&application, secret).await.unwrap(), None);
}

async fn replicas_share_a_quota_through_stored_counts(database: Database) {
    let (one, two) = (Replica::start(&database, 3).await, Replica::start(&database, 3).await);
    let key = one.keys().create_application_with_key(&name("app"), KeyScope::Standard).await.unwrap();
    let caller = one.cache.authenticate(key.secret.reveal()).await.unwrap();
    for _ in 0..2 {
        assert_eq!(caller.meter.take().await, Ok(()));
        caller.meter.count(0, UsageOutcome::Answered, Duration::ZERO);
    }
    one.usage.flush().await.unwrap();
    let elsewhere = two.cache.authenticate(key.secret.reveal()).await.unwrap();
    two.usage.flush().await.unwrap();
    assert_eq!(
        (elsewhere.meter.take().await, elsewhere.meter.take().await),
        (Ok(()), Err(3)),
        "two of three are used up"
    );
}
