//! Creates, rotates and disables applications and keys: the work of `kaisatsu app` and `kaisatsu key`.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{
    ApiKey, AppId, Application, ApplicationName, Clock, KeyId, KeyRecord, KeyScope, Timestamp, UserId,
};
use kaisatsu_store::{NewKey, Store, TokenHolder};

use crate::{AccessError, AllowedPlaces, digest};

/// A new key. The secret is known only here.
#[derive(Debug)]
pub struct IssuedKey {
    /// Its id.
    pub id: KeyId,
    /// The secret, to be shown once.
    pub secret: ApiKey,
}

/// What a new key may do, from where, and for how long.
#[derive(Debug, Clone, Default)]
pub struct KeyTerms {
    /// What it may do.
    pub scope: KeyScope,
    /// Where it may be used from.
    pub allowed: AllowedPlaces,
    /// After how long it expires, if it does.
    pub lifetime: Option<Duration>,
}

impl From<KeyScope> for KeyTerms {
    fn from(scope: KeyScope) -> Self {
        Self { scope, ..Self::default() }
    }
}

/// Manages the applications and keys of a store.
#[derive(Clone)]
pub struct KeyService {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl KeyService {
    /// A service on this store.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// The current time, by which the state of keys is decided.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Creates an application.
    ///
    /// # Errors
    /// When the name is taken or the database fails.
    pub async fn create_application(&self, name: &ApplicationName) -> Result<AppId, AccessError> {
        let id = AppId::from_random(random_bytes());
        self.store.create_application(&id, name, self.now()).await?;
        Ok(id)
    }

    /// Creates an application with its first key, in one transaction.
    ///
    /// # Errors
    /// When the name is taken or the database fails.
    pub async fn create_application_with_key(
        &self,
        name: &ApplicationName,
        terms: impl Into<KeyTerms>,
    ) -> Result<IssuedKey, AccessError> {
        let (issued, row) = new_key(self.now(), &terms.into());
        self.store.create_application_with_key(&AppId::from_random(random_bytes()), name, None, &row).await?;
        Ok(issued)
    }

    /// All applications by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn applications(&self) -> Result<Vec<Application>, AccessError> {
        Ok(self.store.applications().await?)
    }

    /// The application of that name or id, if there is one.
    ///
    /// # Errors
    /// When several have the name, or the database fails.
    pub async fn application_named(&self, name: &ApplicationName) -> Result<Option<Application>, AccessError> {
        Ok(self.store.application_named(name).await?)
    }

    /// Enables or disables an application and all of its keys.
    ///
    /// # Errors
    /// When there is no such application or the database fails.
    pub async fn set_application_enabled(&self, id: &AppId, enabled: bool) -> Result<(), AccessError> {
        Ok(self.store.set_application_disabled(id, (!enabled).then(|| self.now())).await?)
    }

    /// Creates a key of an application, with the usual scope.
    ///
    /// # Errors
    /// When there is no such application or the database fails.
    pub async fn create_key(&self, application: &AppId) -> Result<IssuedKey, AccessError> {
        self.create_key_with(application, KeyTerms::default()).await
    }

    /// Creates a key of an application.
    ///
    /// # Errors
    /// When there is no such application or the database fails.
    pub async fn create_key_with(&self, application: &AppId, terms: KeyTerms) -> Result<IssuedKey, AccessError> {
        let (issued, row) = new_key(self.now(), &terms);
        self.store.create_key(application, &row).await?;
        Ok(issued)
    }

    /// All keys, or those of one application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys(&self, application: Option<&AppId>) -> Result<Vec<KeyRecord>, AccessError> {
        Ok(self.store.keys(application).await?)
    }

    /// Enables or disables a key, as an operator.
    ///
    /// # Errors
    /// When there is no such key or the database fails.
    pub async fn set_key_enabled(&self, id: &KeyId, enabled: bool) -> Result<(), AccessError> {
        Ok(self.store.set_key_disabled(id, (!enabled).then(|| self.now()), true).await?)
    }

    /// Creates the successor of a key, with the same terms; the old key works for another `overlap`, but not longer
    /// than it would have without.
    ///
    /// # Errors
    /// When there is no such key, it is disabled or was rotated already, or the database fails.
    pub async fn rotate_key(&self, old: &KeyId, overlap: Duration) -> Result<IssuedKey, AccessError> {
        let (issued, row) = new_key(self.now(), &KeyTerms::default());
        self.store.rotate_key(old, &row, row.created_at.after(overlap)).await?;
        Ok(issued)
    }

    /// The users of an application who have valid tokens.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_holders(&self, application: &AppId) -> Result<Vec<TokenHolder>, AccessError> {
        Ok(self.store.token_holders(application, self.now()).await?)
    }

    /// Revokes the valid tokens of a user, or of all users of an application; returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_tokens(&self, application: &AppId, user: Option<&UserId>) -> Result<u64, AccessError> {
        Ok(self.store.revoke_tokens(application, user, self.now()).await?)
    }
}

/// A new key, and the row to store.
pub(crate) fn new_key(now: Timestamp, terms: &KeyTerms) -> (IssuedKey, NewKey) {
    let secret = ApiKey::from_random(random_bytes());
    let id = KeyId::from_random(random_bytes());
    let row = NewKey {
        id: id.clone(),
        digest: digest(secret.reveal()),
        hint: secret.hint().to_owned(),
        scope: terms.scope,
        allowed_places: terms.allowed.stored(),
        created_at: now,
        expires_at: terms.lifetime.map(|lifetime| now.after(lifetime)),
        made_by: None,
        console: None,
    };
    (IssuedKey { id, secret }, row)
}

/// Random bytes from the operating system.
#[expect(clippy::expect_used, reason = "a system without randomness cannot make keys; there is nothing to go on with")]
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random_bytes bytes");
    bytes
}
