//! Making, replacing and switching off keys: what `kaisatsu app` and `kaisatsu key` do.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{ApiKey, AppId, Application, ApplicationName, Clock, KeyId, KeyRecord, Timestamp, UserId};
use kaisatsu_store::{NewKey, Store, StoreError, TokenHolder};

use crate::digest;

/// A key at the one moment its secret is known.
#[derive(Debug)]
pub struct IssuedKey {
    /// Its id.
    pub id: KeyId,
    /// The secret, to be shown once.
    pub secret: ApiKey,
}

/// The applications and keys of one store.
#[derive(Clone)]
pub struct Keyring {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl Keyring {
    /// The keyring of a store.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// The current time, as this keyring judges the state of keys.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Makes an application.
    ///
    /// # Errors
    /// When the name is taken or the database fails.
    pub async fn create_application(&self, name: &ApplicationName) -> Result<AppId, StoreError> {
        let id = AppId::from_random(random());
        self.store.create_application(&id, name, self.now()).await?;
        Ok(id)
    }

    /// Makes an application together with its first key: both are there, or neither.
    ///
    /// # Errors
    /// When the name is taken or the database fails.
    pub async fn create_application_with_key(&self, name: &ApplicationName) -> Result<IssuedKey, StoreError> {
        let (issued, kept) = fresh_key(self.now());
        self.store.create_application_with_key(&AppId::from_random(random()), name, None, &kept).await?;
        Ok(issued)
    }

    /// All applications by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn applications(&self) -> Result<Vec<Application>, StoreError> {
        self.store.applications().await
    }

    /// The application of that name, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn application_named(&self, name: &ApplicationName) -> Result<Option<Application>, StoreError> {
        self.store.application_named(name).await
    }

    /// Switches an application and all of its keys on or off.
    ///
    /// # Errors
    /// When there is no such application or the database fails.
    pub async fn set_application_enabled(&self, id: &AppId, enabled: bool) -> Result<(), StoreError> {
        self.store.set_application_disabled(id, (!enabled).then(|| self.now())).await
    }

    /// Makes a key for an application.
    ///
    /// # Errors
    /// When there is no such application or the database fails.
    pub async fn create_key(&self, application: &AppId) -> Result<IssuedKey, StoreError> {
        let (issued, kept) = fresh_key(self.now());
        self.store.create_key(application, &kept).await?;
        Ok(issued)
    }

    /// All keys, or those of one application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys(&self, application: Option<&AppId>) -> Result<Vec<KeyRecord>, StoreError> {
        self.store.keys(application).await
    }

    /// Switches a key on or off.
    ///
    /// # Errors
    /// When there is no such key or the database fails.
    pub async fn set_key_enabled(&self, id: &KeyId, enabled: bool) -> Result<(), StoreError> {
        self.store.set_key_disabled(id, (!enabled).then(|| self.now())).await
    }

    /// Makes a successor of a key; the old one goes on working for `overlap`.
    ///
    /// # Errors
    /// When there is no such key, it has ended already, or the database fails.
    pub async fn rotate_key(&self, old: &KeyId, overlap: Duration) -> Result<IssuedKey, StoreError> {
        let (issued, kept) = fresh_key(self.now());
        self.store.rotate_key(old, &kept, kept.created_at.after(overlap)).await?;
        Ok(issued)
    }

    /// The users of an application who have good tokens.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_holders(&self, application: &AppId) -> Result<Vec<TokenHolder>, StoreError> {
        self.store.token_holders(application, self.now()).await
    }

    /// Revokes the tokens of a user, or of all users of an application; how many were good until now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_tokens(&self, application: &AppId, user: Option<&UserId>) -> Result<u64, StoreError> {
        self.store.revoke_tokens(application, user, self.now()).await
    }
}

/// A new key, and what is kept of it.
pub(crate) fn fresh_key(now: Timestamp) -> (IssuedKey, NewKey) {
    let secret = ApiKey::from_random(random());
    let id = KeyId::from_random(random());
    let kept = NewKey {
        id: id.clone(),
        digest: digest(secret.reveal()),
        hint: secret.hint().to_owned(),
        created_at: now,
        pass: None,
    };
    (IssuedKey { id, secret }, kept)
}

/// Random bytes from the operating system.
#[expect(clippy::expect_used, reason = "a system without randomness cannot make keys; there is nothing to go on with")]
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}
