//! The rate limit: a token bucket for each key, on this replica.

use std::{num::NonZeroU32, time::Duration};

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use kaisatsu_model::KeyId;

/// The rate limit of each key.
pub struct RateLimit {
    limiter: Option<DefaultKeyedRateLimiter<KeyId>>,
}

impl RateLimit {
    /// At most `per_second` requests a second for each key, with bursts of one second's worth; 0 for no limit.
    #[must_use]
    pub fn per_second(per_second: u32) -> Self {
        Self { limiter: NonZeroU32::new(per_second).map(|n| RateLimiter::keyed(Quota::per_second(n))) }
    }

    /// Takes one request from the key's bucket.
    ///
    /// # Errors
    /// How long to wait when the bucket is empty.
    pub fn take(&self, key: &KeyId) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        limiter.check_key(key).map_err(|full| full.wait_time_from(DefaultClock::default().now()))
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
