//! The rate limit: a token bucket for each key, on this replica.

use std::{num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::StateInformationMiddleware,
    state::keyed::DefaultKeyedStateStore,
};
use kaisatsu_model::KeyId;

/// The rate limit of each key.
pub struct RateLimit {
    limiter: Option<Limiter>,
    most: u32,
}

type Limiter = RateLimiter<KeyId, DefaultKeyedStateStore<KeyId>, DefaultClock, StateInformationMiddleware>;

impl RateLimit {
    /// At most `per_second` requests a second for each key, with bursts of one second's worth; 0 for no limit.
    #[must_use]
    pub fn per_second(per_second: u32) -> Self {
        let limiter = |n| RateLimiter::keyed(Quota::per_second(n)).with_middleware::<StateInformationMiddleware>();
        Self { limiter: NonZeroU32::new(per_second).map(limiter), most: per_second }
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
    pub fn take(&self, key: &KeyId) -> Result<u32, Duration> {
        let Some(limiter) = &self.limiter else { return Ok(u32::MAX) };
        match limiter.check_key(key) {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(full) => Err(full.wait_time_from(DefaultClock::default().now())),
        }
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::KeyId;

    use super::RateLimit;

    #[test]
    fn each_key_has_its_own_bucket() {
        let limit = RateLimit::per_second(2);
        let (a, b) = (KeyId::from_random([1; 10]), KeyId::from_random([2; 10]));
        assert!(limit.take(&a).is_ok() && limit.take(&a).is_ok());
        assert!(limit.take(&a).is_err_and(|wait| !wait.is_zero()));
        assert!(limit.take(&b).is_ok());
    }

    #[test]
    fn a_rate_of_zero_is_no_limit() {
        let limit = RateLimit::per_second(0);
        let key = KeyId::from_random([1; 10]);
        assert!((0..10_000).all(|_| limit.take(&key).is_ok()));
    }
}
