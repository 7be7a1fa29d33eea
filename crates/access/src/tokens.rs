//! The tokens that an application's users come with.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{AppId, Clock, Timestamp, TokenDigest, UserId, UserToken};
use kaisatsu_store::{NewToken, Store, StoreError};
use sha2::{Digest, Sha256};

use crate::issue::random;

/// How many tokens of one user are good at a time: an application that asks for one at every start must not fill the
/// database, and the ones before the last few are lost anyway.
const MOST: i64 = 20;

/// A token at the one moment its secret is known.
#[derive(Debug)]
pub struct IssuedToken {
    /// The secret, to be shown once.
    pub secret: UserToken,
    /// Until when it is good.
    pub expires_at: Timestamp,
}

/// The tokens of one store.
#[derive(Clone)]
pub struct Tokens {
    store: Store,
    clock: Arc<dyn Clock>,
    lifetime: Duration,
}

impl Tokens {
    /// The tokens of a store, each good for `lifetime`.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, lifetime: Duration) -> Self {
        Self { store, clock, lifetime }
    }

    /// Makes a token for a user. Those made before go on working until they expire, so nobody is left without one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn issue(&self, application: &AppId, user: UserId) -> Result<IssuedToken, StoreError> {
        let secret = UserToken::from_random(random());
        let now = self.clock.now();
        let token = NewToken {
            digest: digest(secret.reveal()),
            application: application.clone(),
            user,
            created_at: now,
            expires_at: now.after(self.lifetime),
        };
        self.store.put_token(&token, MOST).await?;
        Ok(IssuedToken { secret, expires_at: token.expires_at })
    }

    /// The user whom a token stands for; `None` when it is unknown, revoked, expired or another application's.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn owner(&self, application: &AppId, token: &str) -> Result<Option<UserId>, StoreError> {
        let user = self.store.token_owner(digest(token), application, self.clock.now()).await?;
        Ok(user.and_then(|user| UserId::new(&user).ok()))
    }

    /// Forgets tokens that expired, now and then, for as long as it is polled.
    pub async fn forget_expired(self) {
        loop {
            if let Err(error) = self.store.forget_tokens(self.clock.now()).await {
                tracing::warn!(%error, "expired tokens could not be forgotten");
            }
            tokio::time::sleep(Duration::from_hours(1)).await;
        }
    }
}

fn digest(text: &str) -> TokenDigest {
    TokenDigest(Sha256::digest(text.as_bytes()).into())
}
