//! Tokens that identify the users of an application.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{AppId, Clock, Timestamp, TokenDigest, UserId, UserToken};
use kaisatsu_store::{NewToken, Store, StoreError};
use sha2::{Digest, Sha256};

use crate::key_service::random_bytes;

/// How many tokens of one user are valid at a time: an application that asks for one at every start must not fill the
/// database, and it has no use for older ones.
const MAX_TOKENS: i64 = 20;

/// A new token. The secret is known only here.
#[derive(Debug)]
pub struct IssuedToken {
    /// The secret, to be shown once.
    pub secret: UserToken,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Issues and checks the tokens of a store.
#[derive(Clone)]
pub struct Tokens {
    store: Store,
    clock: Arc<dyn Clock>,
    lifetime: Duration,
}

impl Tokens {
    /// Tokens on this store, each valid for `lifetime`.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, lifetime: Duration) -> Self {
        Self { store, clock, lifetime }
    }

    /// Issues a token for a user. Earlier ones stay valid until they expire.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn issue(&self, application: &AppId, user: UserId) -> Result<IssuedToken, StoreError> {
        let secret = UserToken::from_random(random_bytes());
        let now = self.clock.now();
        let token = NewToken {
            digest: digest(secret.reveal()),
            application: application.clone(),
            user,
            created_at: now,
            expires_at: now.after(self.lifetime),
        };
        self.store.put_token(&token, MAX_TOKENS).await?;
        Ok(IssuedToken { secret, expires_at: token.expires_at })
    }

    /// The user of a token; `None` when it is unknown, revoked, expired or another application's.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn owner(&self, application: &AppId, token: &str) -> Result<Option<UserId>, StoreError> {
        let user = self.store.token_owner(digest(token), application, self.clock.now()).await?;
        Ok(user.and_then(|user| UserId::new(&user).ok()))
    }

    /// Deletes expired tokens every hour, for as long as it is polled.
    pub async fn delete_expired_periodically(self) {
        loop {
            if let Err(error) = self.store.delete_expired_tokens(self.clock.now()).await {
                tracing::warn!(%error, "expired tokens could not be deleted");
            }
            tokio::time::sleep(Duration::from_hours(1)).await;
        }
    }
}

fn digest(text: &str) -> TokenDigest {
    TokenDigest(Sha256::digest(text.as_bytes()).into())
}
