//! The gate: every key this replica knows, in memory, kept up to date from the store.
//!
//! A request costs one hash and one look-up. A background task asks the store for changed keys several times a second,
//! so a revocation anywhere is in force on every replica within a second. A key that is not known is looked for once
//! more at once, so a key made a moment ago works immediately.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::{AppId, Clock, KeyDigest, KeyId, KeyState, Timestamp};
use kaisatsu_store::{KeyGrant, Store, StoreError};
use tokio::sync::Mutex;

use crate::{KeyMeter, Usage, digest};

/// How often the store is asked for changes. Well under the second that a revocation may take.
const EVERY: Duration = Duration::from_millis(250);

/// How long one look at the store may take before it counts as failed; those who wait for it wait no longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the gate trusts what it knows when the store does not answer. Within it callers notice nothing; after it a
/// revocation might have been missed for too long, and the gate closes.
const TRUST: Duration = Duration::from_secs(30);

/// How often all keys are read, and not only those that changed.
const WHOLE_EVERY: Duration = Duration::from_hours(1);

/// Who is calling.
#[derive(Clone)]
pub struct Caller {
    /// The application.
    pub application: AppId,
    /// The key it called with.
    pub key: KeyId,
    /// What is called with that key.
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

/// One key of the gate.
struct Known {
    caller: Arc<Caller>,
    disabled: bool,
    expires_at: Option<Timestamp>,
}

impl Known {
    fn new(grant: KeyGrant, usage: &Usage) -> Self {
        let meter = usage.meter(&grant);
        let KeyGrant { key, application, disabled, expires_at, .. } = grant;
        Self { caller: Arc::new(Caller { application, key, meter }), disabled, expires_at }
    }
}

/// Why a caller is not let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such key, or it has expired.
    Unknown,
    /// The key or its application is switched off.
    Disabled(Arc<Caller>),
    /// The keys could not be read for too long.
    Unsure,
}

/// The keys of this replica.
pub struct Gate {
    store: Store,
    clock: Arc<dyn Clock>,
    usage: Arc<Usage>,
    keys: RwLock<HashMap<KeyDigest, Known>>,
    /// The last look at the store; the lock makes one reader of changes at a time.
    look: Mutex<Look>,
    /// When the last look that succeeded was begun, in microseconds of the clock's ticks.
    fresh_at: AtomicU64,
}

/// A look at the store.
#[derive(Debug, Default)]
struct Look {
    /// The revision that the keys are of.
    revision: i64,
    /// When it was begun, in ticks of the clock; `None` before the first.
    begun: Option<Duration>,
    /// When all keys were last read, and not only those that changed.
    whole: Option<Duration>,
    /// Whether it failed.
    failed: bool,
}

impl Gate {
    /// Reads all keys. What they call is counted in `usage`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open(store: Store, clock: Arc<dyn Clock>, usage: Arc<Usage>) -> Result<Arc<Self>, StoreError> {
        let (keys, look, fresh_at) = (RwLock::default(), Mutex::default(), AtomicU64::new(0));
        let gate = Self { store, clock, usage, keys, look, fresh_at };
        gate.refresh().await?;
        Ok(Arc::new(gate))
    }

    /// Follows the store until the gate is dropped.
    pub fn follow(self: &Arc<Self>) {
        let gate = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut failing = false;
            loop {
                tokio::time::sleep(EVERY).await;
                let Some(gate) = gate.upgrade() else { break };
                let refreshed = gate.refresh().await;
                match &refreshed {
                    Ok(()) if failing => tracing::info!("the keys can be read again"),
                    Err(error) if !failing => {
                        tracing::warn!(%error, "the keys cannot be read; the known ones are good for {TRUST:?}");
                    }
                    _ => {}
                }
                failing = refreshed.is_err();
            }
        });
    }

    /// Decides about the text of a key.
    ///
    /// # Errors
    /// Why the caller is refused.
    pub async fn admit(&self, key: &str) -> Result<Arc<Caller>, Refusal> {
        let digest = digest(key);
        if !self.is_sure() {
            return Err(Refusal::Unsure);
        }
        if let Some(verdict) = self.look_up(&digest) {
            return verdict;
        }
        // Not known. It may have been made a moment ago, here or elsewhere.
        match self.refresh().await {
            Ok(()) => self.look_up(&digest).unwrap_or(Err(Refusal::Unknown)),
            Err(_) => Err(Refusal::Unsure),
        }
    }

    /// Whether the keys were up to date recently enough to decide by them.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.age() <= TRUST
    }

    /// How many keys are known, for the metrics.
    #[must_use]
    pub fn known(&self) -> usize {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn look_up(&self, digest: &KeyDigest) -> Option<Result<Arc<Caller>, Refusal>> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let known = keys.get(digest)?;
        // Hardly any key ends some day: the clock is asked for those alone.
        let now = known.expires_at.map_or(Timestamp(0), |_| self.clock.now());
        Some(match KeyState::of(known.disabled, known.expires_at, now) {
            KeyState::Active => Ok(Arc::clone(&known.caller)),
            KeyState::Disabled => Err(Refusal::Disabled(Arc::clone(&known.caller))),
            KeyState::Expired => Err(Refusal::Unknown),
        })
    }

    /// Brings the keys to a state of now or later. Of many who ask at once, one looks and the others share what it
    /// sees, a failure too: nobody waits for more than the look under way and one more.
    async fn refresh(&self) -> Result<(), StoreError> {
        let asked = self.clock.ticks();
        let mut look = self.look.lock().await;
        if look.begun.is_some_and(|begun| begun > asked) {
            return if look.failed { Err(StoreError::TimedOut) } else { Ok(()) };
        }
        let begun = self.clock.ticks();
        look.begun = Some(begun);
        look.failed = true;
        // Rows of keys that ended long ago are removed. Who was not looking for a while may have missed their end, and now and
        // then what is gone is forgotten anyway.
        let missed = begun.saturating_sub(Duration::from_micros(self.fresh_at.load(Ordering::Relaxed))) > TRUST;
        let whole = missed || look.whole.is_none_or(|last| begun.saturating_sub(last) > WHOLE_EVERY);
        let since = if whole { 0 } else { look.revision };
        let asking = tokio::time::timeout(PATIENCE, self.store.keys_changed_since(since));
        if let Some(changed) = asking.await.map_err(|_| StoreError::TimedOut)?? {
            let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
            if changed.complete {
                keys.clear();
            }
            // Passes of consoles come and go by the hour.
            let now = self.clock.now();
            keys.retain(|_, known| known.expires_at.is_none_or(|end| end > now));
            keys.extend(changed.keys.into_iter().map(|(digest, grant)| (digest, Known::new(grant, &self.usage))));
            look.revision = changed.revision;
            if whole {
                look.whole = Some(begun);
            }
        }
        look.failed = false;
        self.fresh_at.store(micros(begun), Ordering::Relaxed);
        Ok(())
    }

    /// How long ago the keys were last known to be up to date. Measured in ticks: a clock that is set back must not
    /// make old knowledge look fresh.
    fn age(&self) -> Duration {
        let fresh_at = self.fresh_at.load(Ordering::Relaxed);
        Duration::from_micros(micros(self.clock.ticks()).saturating_sub(fresh_at))
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    };
    use std::time::Duration;

    use kaisatsu_model::{ApplicationName, Clock, Timestamp};
    use kaisatsu_store::Store;
    use kaisatsu_testkit::{Backend, Database};

    use super::{Gate, Refusal, TRUST};
    use crate::{Keyring, Usage};

    /// A clock that stands still until it is moved.
    #[derive(Default)]
    struct HandClock {
        now: AtomicI64,
        ticks: AtomicI64,
    }

    impl HandClock {
        fn advance(&self, span: Duration) {
            let micros = i64::try_from(span.as_micros()).unwrap();
            self.now.fetch_add(micros, Ordering::Relaxed);
            self.ticks.fetch_add(micros, Ordering::Relaxed);
        }

        fn set_back(&self, span: Duration) {
            self.now.fetch_sub(i64::try_from(span.as_micros()).unwrap(), Ordering::Relaxed);
        }
    }

    impl Clock for HandClock {
        fn now(&self) -> Timestamp {
            Timestamp(self.now.load(Ordering::Relaxed))
        }

        fn ticks(&self) -> Duration {
            Duration::from_micros(self.ticks.load(Ordering::Relaxed).try_into().unwrap())
        }
    }

    struct Scene {
        _database: Database,
        store: Store,
        clock: Arc<HandClock>,
        keyring: Keyring,
        gate: Arc<Gate>,
    }

    async fn scene() -> Scene {
        let database = Database::fresh(Backend::Sqlite);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let clock = Arc::new(HandClock::default());
        let keyring = Keyring::new(store.clone(), clock.clone());
        let usage = Usage::new(store.clone(), clock.clone(), Vec::new(), 0);
        let gate = Gate::open(store.clone(), clock.clone(), usage).await.unwrap();
        Scene { _database: database, store, clock, keyring, gate }
    }

    #[tokio::test]
    async fn a_key_works_the_moment_it_is_made_and_others_never() {
        let s = scene().await;
        let app = s.keyring.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = s.keyring.create_key(&app).await.unwrap();
        assert_eq!(s.gate.admit(key.secret.reveal()).await.unwrap().application, app);
        assert_eq!(s.gate.admit("kst_0").await, Err(Refusal::Unknown));
        assert_eq!(s.gate.admit("").await, Err(Refusal::Unknown));
    }

    #[tokio::test]
    async fn a_disabled_key_is_refused_after_the_next_look_at_the_store() {
        let s = scene().await;
        let app = s.keyring.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = s.keyring.create_key(&app).await.unwrap();
        s.gate.refresh().await.unwrap();
        s.keyring.set_key_enabled(&key.id, false).await.unwrap();
        s.gate.refresh().await.unwrap();
        assert!(matches!(s.gate.admit(key.secret.reveal()).await, Err(Refusal::Disabled(_))));
        s.keyring.set_key_enabled(&key.id, true).await.unwrap();
        s.keyring.set_application_enabled(&app, false).await.unwrap();
        s.gate.refresh().await.unwrap();
        assert!(matches!(s.gate.admit(key.secret.reveal()).await, Err(Refusal::Disabled(_))));
    }

    #[tokio::test]
    async fn a_clock_that_is_set_back_keeps_no_revocation_from_arriving() {
        let s = scene().await;
        let app = s.keyring.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = s.keyring.create_key(&app).await.unwrap();
        s.clock.advance(Duration::from_secs(20));
        assert!(s.gate.admit(key.secret.reveal()).await.is_ok());
        s.clock.set_back(Duration::from_mins(10));
        s.keyring.set_key_enabled(&key.id, false).await.unwrap();
        s.gate.refresh().await.unwrap();
        assert!(matches!(s.gate.admit(key.secret.reveal()).await, Err(Refusal::Disabled(_))));
        let new = s.keyring.create_key(&app).await.unwrap();
        assert!(s.gate.admit(new.secret.reveal()).await.is_ok());
    }

    #[tokio::test]
    async fn a_rotated_key_works_through_its_overlap_and_not_a_moment_longer() {
        let s = scene().await;
        let app = s.keyring.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let old = s.keyring.create_key(&app).await.unwrap();
        let new = s.keyring.rotate_key(&old.id, Duration::from_secs(10)).await.unwrap();
        s.clock.advance(Duration::from_micros(9_999_999));
        assert!(s.gate.admit(old.secret.reveal()).await.is_ok());
        s.clock.advance(Duration::from_micros(1));
        assert_eq!(s.gate.admit(old.secret.reveal()).await, Err(Refusal::Unknown));
        assert!(s.gate.admit(new.secret.reveal()).await.is_ok());
    }

    #[tokio::test]
    async fn a_silent_store_is_forgiven_for_a_while_and_then_the_gate_closes() {
        let s = scene().await;
        let app = s.keyring.create_application(&ApplicationName::new("a").unwrap()).await.unwrap();
        let key = s.keyring.create_key(&app).await.unwrap();
        s.gate.refresh().await.unwrap();
        s.store.close().await;
        s.clock.advance(TRUST);
        assert!(s.gate.admit(key.secret.reveal()).await.is_ok());
        assert_eq!(s.gate.admit("kst_never_seen").await, Err(Refusal::Unsure));
        s.clock.advance(Duration::from_micros(1));
        assert_eq!(s.gate.admit(key.secret.reveal()).await, Err(Refusal::Unsure));
    }
}
