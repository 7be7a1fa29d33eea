//! `Idempotency-Key`: a request that a client sends again does its work once.
//!
//! Whoever comes first leases the request, does the work and stores the answer. A lease that ends without an answer, by
//! a crash or because the client hung up, is taken over by the next one, with the seed of the first: what was created
//! before the interruption has its id from that seed, and is found.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{ANSWERS_KEPT, AppId, Clock, IdempotencyKey, UserId};
use kaisatsu_store::{ClaimOutcome, NewClaim, SEED_BYTES, Store, StoreError, StoredAnswer};
use sha2::{Digest, Sha256};

use crate::key_service::random_bytes;

/// How long a lease is good without being renewed.
const LEASE: Duration = Duration::from_secs(10);

/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(3);

/// Requests with an `Idempotency-Key`, on a store.
#[derive(Clone)]
pub struct Idempotency {
    store: Store,
    clock: Arc<dyn Clock>,
}

/// What becomes of a request with a key.
pub enum Attempt {
    /// Its work is to be done.
    First(Claim),
    /// It was done; this is the answer.
    Repeated(StoredAnswer),
    /// It is being done.
    Running,
    /// The key belongs to another request.
    OtherRequest,
}

impl Idempotency {
    /// Requests on this store.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Begins a request. Keys of different applications, and of different users of one, are different keys.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin(
        &self,
        application: &AppId,
        user: Option<&UserId>,
        key: &IdempotencyKey,
        request: [u8; 32],
    ) -> Result<Attempt, StoreError> {
        let now = self.clock.now();
        let claim = NewClaim {
            digest: digest(application, user, key),
            application: application.clone(),
            request,
            seed: random_bytes(),
            now,
            leased_until: now.after(LEASE),
            expired_before: now.before(ANSWERS_KEPT),
        };
        Ok(match self.store.claim_request(&claim).await? {
            ClaimOutcome::Claimed(seed) => {
                Attempt::First(Claim { service: self.clone(), digest: claim.digest, seed, settled: false })
            }
            ClaimOutcome::Answered(answer) => Attempt::Repeated(answer),
            ClaimOutcome::Running => Attempt::Running,
            ClaimOutcome::OtherRequest => Attempt::OtherRequest,
        })
    }
}

/// The right to do the work of a request. Dropping it without an answer lets the next request go on.
pub struct Claim {
    service: Idempotency,
    digest: [u8; 32],
    seed: [u8; SEED_BYTES],
    settled: bool,
}

impl Claim {
    /// What is created takes its id from these bytes.
    #[must_use]
    pub fn seed(&self) -> [u8; SEED_BYTES] {
        self.seed
    }

    /// Does the work, and keeps the lease meanwhile.
    pub async fn work<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(RENEW, &mut work).await {
                return done;
            }
            let until = self.service.clock.now().after(LEASE);
            if let Err(error) = self.service.store.lease_request(self.digest, until).await {
                tracing::warn!(%error, "the lease of a request with an Idempotency-Key cannot be renewed");
            }
        }
    }

    /// Stores the answer. When that fails the work is done nevertheless, and the next request finds what it created.
    pub async fn finish(mut self, answer: &StoredAnswer) {
        match self.service.store.store_answer(self.digest, answer).await {
            Ok(()) => self.settled = true,
            Err(error) => tracing::warn!(%error, "an answer cannot be kept for requests that repeat it"),
        }
    }

    /// The work was refused and had no effect: the key is free again.
    pub async fn release(mut self) {
        match self.service.store.release_request(self.digest).await {
            Ok(()) => self.settled = true,
            Err(error) => tracing::warn!(%error, "an Idempotency-Key cannot be released"),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if self.settled {
            return;
        }
        let (service, digest) = (self.service.clone(), self.digest);
        runtime.spawn(async move {
            // If this fails, the lease ends by itself.
            let _ = service.store.lease_request(digest, service.clock.now()).await;
        });
    }
}

/// No part can be mistaken for another: ids have no NUL.
fn digest(application: &AppId, user: Option<&UserId>, key: &IdempotencyKey) -> [u8; 32] {
    let user = user.map_or("", UserId::as_str);
    Sha256::digest([application.as_str(), "\0", user, "\0", key.as_str()].concat()).into()
}
