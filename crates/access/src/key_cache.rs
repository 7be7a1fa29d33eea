//! The key cache: every API key in memory, refreshed from the store.
//!
//! A request costs one hash and one lookup. A background task asks the store for changed keys several times a second,
//! so a revocation takes effect on every replica within a second. For an unknown key the store is asked once more at
//! once, so a new key works immediately.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::{AppId, Clock, KeyDigest, KeyId, KeyScope, KeyState, Timestamp};
use kaisatsu_store::{KeyGrant, Store, StoreError};
use tokio::sync::Mutex;

use crate::{AllowedPlaces, KeyMeter, Usage, digest};

/// The interval between refreshes: well under the second that a revocation may take.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

/// How long one refresh may take before it counts as failed.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);

/// After so long without a refresh all keys are read, not only the changed ones.
const MISSED: Duration = Duration::from_secs(30);

/// How often all keys are read, not only the changed ones.
const FULL_REFRESH_INTERVAL: Duration = Duration::from_hours(1);

/// The caller of an authenticated request.
#[derive(Clone)]
pub struct Caller {
    /// The application.
    pub application: AppId,
    /// Its key.
    pub key: KeyId,
    /// What the key may do.
    pub scope: KeyScope,
    /// Where it may be used from.
    pub allowed: AllowedPlaces,
    /// Counts the requests of the key.
    pub meter: Arc<KeyMeter>,
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Caller {}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("application", &self.application).field("key", &self.key).finish_non_exhaustive()
    }
}

/// A cached key.
struct CachedKey {
    caller: Arc<Caller>,
    disabled: bool,
    expires_at: Option<Timestamp>,
}

impl CachedKey {
    fn new(grant: KeyGrant, usage: &Usage) -> Self {
        let meter = usage.meter(&grant);
        let allowed = AllowedPlaces::read(grant.allowed_places.as_deref());
        let KeyGrant { key, application, disabled, expires_at, scope, .. } = grant;
        Self { caller: Arc::new(Caller { application, key, scope, allowed, meter }), disabled, expires_at }
    }
}

/// Why a key is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRejection {
    /// There is no such key, or it has expired.
    Unknown,
    /// The key, its application or the owner's account is disabled.
    Disabled(Arc<Caller>),
    /// The keys have not been refreshed for too long.
    Unavailable,
}

/// The keys of this replica.
pub struct KeyCache {
    store: Store,
    clock: Arc<dyn Clock>,
    usage: Arc<Usage>,
    keys: RwLock<HashMap<KeyDigest, CachedKey>>,
    /// The latest refresh; the lock admits one refresh at a time.
    refresh: Mutex<Refresh>,
    /// When the latest successful refresh began, in microseconds of the clock's ticks.
    fresh_at: AtomicU64,
    /// How long the cached keys are used when the store does not answer. Until then callers notice nothing; after it a
    /// revocation might have been missed for too long, and every key is refused.
    max_age: Duration,
}

/// The state of a refresh.
#[derive(Debug, Default)]
struct Refresh {
    /// The revision of the cached keys.
    revision: i64,
    /// When it began, in ticks of the clock; `None` before the first.
    begun: Option<Duration>,
    /// When all keys were last read.
    full_at: Option<Duration>,
    /// Whether it failed.
    failed: bool,
}

impl KeyCache {
    /// Loads all keys. Their requests are counted in `usage`. When the database cannot be read they are used for up to
    /// `max_age`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(
        store: Store,
        clock: Arc<dyn Clock>,
        usage: Arc<Usage>,
        max_age: Duration,
    ) -> Result<Arc<Self>, StoreError> {
        let (keys, refresh, fresh_at) = (RwLock::default(), Mutex::default(), AtomicU64::new(0));
        let cache = Self { store, clock, usage, keys, refresh, fresh_at, max_age };
        cache.refresh().await?;
        Ok(Arc::new(cache))
    }

    /// Refreshes the keys in the background until the cache is dropped.
    pub fn refresh_in_background(self: &Arc<Self>) {
        let cache = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut failing = false;
            loop {
                tokio::time::sleep(REFRESH_INTERVAL).await;
                let Some(cache) = cache.upgrade() else { break };
                let refreshed = cache.refresh().await;
                match &refreshed {
                    Ok(()) if failing => tracing::info!("the keys can be read again"),
                    Err(error) if !failing => {
                        let most = cache.max_age;
                        tracing::warn!(%error, "the keys cannot be read; the cached ones are used for up to {most:?}");
                    }
                    _ => {}
                }
                failing = refreshed.is_err();
            }
        });
    }

    /// Authenticates a key.
    ///
    /// # Errors
    /// Why the key is rejected.
    pub async fn authenticate(&self, key: &str) -> Result<Arc<Caller>, KeyRejection> {
        let digest = digest(key);
        if !self.is_fresh() {
            return Err(KeyRejection::Unavailable);
        }
        if let Some(verdict) = self.lookup(&digest) {
            return verdict;
        }
        // The key may have been created a moment ago, here or on another replica.
        match self.refresh().await {
            Ok(()) => self.lookup(&digest).unwrap_or(Err(KeyRejection::Unknown)),
            Err(_) => Err(KeyRejection::Unavailable),
        }
    }

    /// Whether the latest refresh is recent enough to decide by the cached keys.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.age() <= self.max_age
    }

    /// The number of cached keys, for the metrics.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn lookup(&self, digest: &KeyDigest) -> Option<Result<Arc<Caller>, KeyRejection>> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let known = keys.get(digest)?;
        // Few keys expire, so the clock is read only for those.
        let now = known.expires_at.map_or(Timestamp(0), |_| self.clock.now());
        Some(match KeyState::of(known.disabled, known.expires_at, now) {
            KeyState::Active => Ok(Arc::clone(&known.caller)),
            KeyState::Disabled => Err(KeyRejection::Disabled(Arc::clone(&known.caller))),
            KeyState::Expired => Err(KeyRejection::Unknown),
        })
    }

    /// Refreshes the keys to a state no older than this call. Of concurrent callers one asks the store, and the others
    /// share its result or its failure: nobody waits for more than the running refresh and one more.
    async fn refresh(&self) -> Result<(), StoreError> {
        let asked = self.clock.ticks();
        let mut latest = self.refresh.lock().await;
        if latest.begun.is_some_and(|begun| begun > asked) {
            return if latest.failed { Err(StoreError::TimedOut) } else { Ok(()) };
        }
        let begun = self.clock.ticks();
        // Keys that expired long ago are deleted from the store without a new revision. A cache that missed refreshes
        // may have missed their end, so it reads all keys; and it does so once an hour anyway.
        let missed = begun.saturating_sub(Duration::from_micros(self.fresh_at.load(Ordering::Relaxed))) > MISSED;
        let full = missed || latest.full_at.is_none_or(|last| begun.saturating_sub(last) > FULL_REFRESH_INTERVAL);
        let since = if full { 0 } else { latest.revision };
        let asked = tokio::time::timeout(REFRESH_TIMEOUT, self.store.keys_changed_since(since)).await;
        // Not before: a caller who hangs up meanwhile must not leave a failure to the others.
        latest.begun = Some(begun);
        latest.failed = true;
        if let Some(changed) = asked.map_err(|_| StoreError::TimedOut)?? {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            if changed.complete {
                keys.clear();
            }
            // Console keys expire every hour.
            let now = self.clock.now();
            keys.retain(|_, known| known.expires_at.is_none_or(|end| end > now));
            keys.extend(changed.keys.into_iter().map(|(digest, grant)| (digest, CachedKey::new(grant, &self.usage))));
            latest.revision = changed.revision;
            if full {
                latest.full_at = Some(begun);
            }
        }
        latest.failed = false;
        self.fresh_at.store(micros(begun), Ordering::Relaxed);
        Ok(())
    }

    /// The time since the latest successful refresh. Measured in ticks: setting the clock back must not make old keys
    /// look fresh.
    fn age(&self) -> Duration {
        let fresh_at = self.fresh_at.load(Ordering::Relaxed);
        Duration::from_micros(micros(self.clock.ticks()).saturating_sub(fresh_at))
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use kaisatsu_model::{ApplicationName, Clock};
    use kaisatsu_store::Store;
    use kaisatsu_testkit::{Backend, Database, ManualClock};

    use super::{KeyCache, KeyRejection, MISSED};
    use crate::{KeyService, Usage};

    const MAX_AGE: Duration = Duration::from_mins(10);

    struct Fixture {
        _database: Database,
        store: Store,
        clock: Arc<ManualClock>,
        key_service: KeyService,
        cache: Arc<KeyCache>,
    }

    async fn fixture() -> Fixture {
        let database = Database::fresh(Backend::Sqlite);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let clock = Arc::new(ManualClock::default());
        let key_service = KeyService::new(store.clone(), clock.clone());
        let usage = Usage::new(store.clone(), clock.clone(), Vec::new(), 0);
        let cache = KeyCache::load(store.clone(), clock.clone(), usage, MAX_AGE).await.unwrap();
        Fixture { _database: database, store, clock, key_service, cache }
    }

    #[tokio::test]
    async fn a_new_key_works_at_once_and_unknown_keys_never() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = f.key_service.create_key(&app).await.unwrap();
        assert_eq!(f.cache.authenticate(key.secret.reveal()).await.unwrap().application, app);
        assert_eq!(f.cache.authenticate("kst_0").await, Err(KeyRejection::Unknown));
        assert_eq!(f.cache.authenticate("").await, Err(KeyRejection::Unknown));
    }

    #[tokio::test]
    async fn a_disabled_key_or_application_is_rejected_after_the_next_refresh() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = f.key_service.create_key(&app).await.unwrap();
        f.cache.refresh().await.unwrap();
        f.key_service.set_key_enabled(&key.id, false).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert!(matches!(f.cache.authenticate(key.secret.reveal()).await, Err(KeyRejection::Disabled(_))));
        f.key_service.set_key_enabled(&key.id, true).await.unwrap();
        f.key_service.set_application_enabled(&app, false).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert!(matches!(f.cache.authenticate(key.secret.reveal()).await, Err(KeyRejection::Disabled(_))));
    }

    #[tokio::test]
    async fn setting_the_clock_back_delays_no_revocation() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = f.key_service.create_key(&app).await.unwrap();
        f.clock.advance(Duration::from_secs(20));
        assert!(f.cache.authenticate(key.secret.reveal()).await.is_ok());
        f.clock.set_back(Duration::from_mins(10));
        f.key_service.set_key_enabled(&key.id, false).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert!(matches!(f.cache.authenticate(key.secret.reveal()).await, Err(KeyRejection::Disabled(_))));
        let new = f.key_service.create_key(&app).await.unwrap();
        assert!(f.cache.authenticate(new.secret.reveal()).await.is_ok());
    }

    #[tokio::test]
    async fn a_rotated_key_works_until_its_overlap_ends() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let old = f.key_service.create_key(&app).await.unwrap();
        let new = f.key_service.rotate_key(&old.id, Duration::from_secs(10)).await.unwrap();
        f.clock.advance(Duration::from_micros(9_999_999));
        assert!(f.cache.authenticate(old.secret.reveal()).await.is_ok());
        f.clock.advance(Duration::from_micros(1));
        assert_eq!(f.cache.authenticate(old.secret.reveal()).await, Err(KeyRejection::Unknown));
        assert!(f.cache.authenticate(new.secret.reveal()).await.is_ok());
    }

    #[tokio::test]
    async fn cached_keys_work_for_a_while_without_the_store_and_then_none_does() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = f.key_service.create_key(&app).await.unwrap();
        f.cache.refresh().await.unwrap();
        f.store.close().await;
        f.clock.advance(MAX_AGE);
        assert!(f.cache.authenticate(key.secret.reveal()).await.is_ok());
        assert_eq!(f.cache.authenticate("kst_never_seen").await, Err(KeyRejection::Unavailable));
        f.clock.advance(Duration::from_micros(1));
        assert_eq!(f.cache.authenticate(key.secret.reveal()).await, Err(KeyRejection::Unavailable));
    }

    #[tokio::test]
    async fn callers_are_equal_if_they_use_the_same_key() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let (one, other) =
            (f.key_service.create_key(&app).await.unwrap(), f.key_service.create_key(&app).await.unwrap());
        let caller = f.cache.authenticate(one.secret.reveal()).await.unwrap();
        assert_eq!(f.cache.authenticate(one.secret.reveal()).await.as_ref(), Ok(&caller));
        assert_ne!(f.cache.authenticate(other.secret.reveal()).await.as_ref(), Ok(&caller));
        let shown = format!("{caller:?}");
        assert!(shown.contains(app.as_str()) && shown.contains(one.id.as_str()), "{shown}");
    }

    #[tokio::test]
    async fn an_expired_key_is_forgotten_with_the_next_change() {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let old = f.key_service.create_key(&app).await.unwrap();
        f.key_service.rotate_key(&old.id, Duration::from_secs(10)).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert_eq!(f.cache.key_count(), 2);
        f.clock.advance(Duration::from_micros(9_999_999));
        f.key_service.create_key(&app).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert_eq!(f.cache.key_count(), 3, "it works for another microsecond");
        f.clock.advance(Duration::from_micros(1));
        f.key_service.create_key(&app).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert_eq!(f.cache.key_count(), 3, "one more, one less");
    }

    /// A cache with a key whose application has been erased since, without a new revision.
    async fn with_erased_key() -> Fixture {
        let f = fixture().await;
        let app = f.key_service.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        f.key_service.create_key(&app).await.unwrap();
        f.store.delete_application(&app, f.clock.now()).await.unwrap();
        f.cache.refresh().await.unwrap();
        assert!(f.store.erase_application(&app).await.unwrap());
        f
    }

    #[tokio::test]
    async fn all_keys_are_read_after_refreshes_were_missed() {
        let f = with_erased_key().await;
        f.clock.advance(MISSED);
        f.cache.refresh().await.unwrap();
        assert_eq!(f.cache.key_count(), 1, "none was missed");
        f.clock.advance(MISSED + Duration::from_micros(1));
        f.cache.refresh().await.unwrap();
        assert_eq!(f.cache.key_count(), 0);
    }

    #[tokio::test]
    async fn all_keys_are_read_once_an_hour() {
        let f = with_erased_key().await;
        for _ in 0..120 {
            f.clock.advance(Duration::from_secs(30));
            f.cache.refresh().await.unwrap();
        }
        assert_eq!(f.cache.key_count(), 1);
        f.clock.advance(Duration::from_micros(1));
        f.cache.refresh().await.unwrap();
        assert_eq!(f.cache.key_count(), 0);
    }
}
