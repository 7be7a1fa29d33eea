//! The rate limit: a token bucket for each key, of all servers on the database together or of this one alone.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::StateInformationMiddleware,
    state::keyed::DefaultKeyedStateStore,
};
use kaisatsu_model::KeyId;

use crate::limits::{Budget, Lease, SharedLimits, Taken};

/// When this many keys have called, the leases of those that do not call any more are dropped.
const MANY_KEYS: usize = 1024;

/// The rate limit of each key.
pub struct RateLimit {
    limiter: Option<Limiter>,
    most: u32,
    shared: Option<SharedRates>,
}

type Limiter = RateLimiter<KeyId, DefaultKeyedStateStore<KeyId>, DefaultClock, StateInformationMiddleware>;

/// The leases of all keys that call.
struct SharedRates {
    limits: Arc<SharedLimits>,
    leases: RwLock<HashMap<KeyId, Arc<Lease>>>,
}

impl RateLimit {
    /// At most `per_second` requests a second for each key, with bursts of one second's worth; 0 for no limit.
    #[must_use]
    pub fn per_second(per_second: u32) -> Self {
        let limiter = |n| RateLimiter::keyed(Quota::per_second(n)).with_middleware::<StateInformationMiddleware>();
        Self { limiter: NonZeroU32::new(per_second).map(limiter), most: per_second, shared: None }
    }

    /// The same limit for all servers together. While the database is away each keeps it by itself.
    #[must_use]
    pub fn shared(self, limits: Option<Arc<SharedLimits>>) -> Self {
        let shared = limits.map(|limits| SharedRates { limits, leases: RwLock::default() });
        Self { shared, ..self }
    }

    /// The most requests a second; `None` for no limit.
    #[must_use]
    pub fn most(&self) -> Option<u32> {
        self.limiter.as_ref().map(|_| self.most)
    }

    /// Takes one request from the key's bucket. Returns how many are left in it.
    ///
    /// # Errors
    /// How long to wait when the bucket is empty.
    pub async fn take(&self, key: &KeyId) -> Result<u32, Duration> {
        let Some(limiter) = &self.limiter else { return Ok(u32::MAX) };
        if let Some(shared) = &self.shared {
            match shared.of(key).take(self.most.into()).await {
                Taken::Passed(left) => return Ok(u32::try_from(left).unwrap_or(u32::MAX)),
                Taken::Refused(wait) => return Err(wait),
                Taken::Away => {}
            }
        }
        match limiter.check_key(key) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(full) => Err(full.wait_time_from(DefaultClock::default().now())),
        }
    }
}

impl SharedRates {
    fn of(&self, key: &KeyId) -> Arc<Lease> {
        let known = self.leases.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(lease) = known {
            return lease;
        }
        let mut leases = self.leases.write().unwrap_or_else(PoisonError::into_inner);
        if leases.len() >= MANY_KEYS && !leases.contains_key(key) {
            leases.retain(|_, lease| Arc::strong_count(lease) > 1 || !lease.is_over());
        }
        let fresh = || Lease::new(Arc::clone(&self.limits), Budget::Second(key.clone()));
        Arc::clone(leases.entry(key.clone()).or_insert_with(fresh))
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::KeyId;

    use super::RateLimit;

    #[tokio::test]
    async fn each_key_has_its_own_bucket() {
        let limit = RateLimit::per_second(2);
        let (a, b) = (KeyId::from_random([1; 10]), KeyId::from_random([2; 10]));
        assert!(limit.take(&a).await.is_ok() && limit.take(&a).await.is_ok());
        assert!(limit.take(&a).await.is_err_and(|wait| !wait.is_zero()));
        assert!(limit.take(&b).await.is_ok());
    }

    #[tokio::test]
    async fn a_rate_of_zero_is_no_limit() {
        let limit = RateLimit::per_second(0);
        let key = KeyId::from_random([1; 10]);
        for _ in 0..10_000 {
            assert!(limit.take(&key).await.is_ok());
        }
    }
}
