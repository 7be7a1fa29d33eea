//! API keys.
//!
//! Every change that affects what a key may do raises `key_revision` first and writes it to the key, in one
//! transaction. A replica that has revision `n` asks for newer rows and misses nothing.

use kaisatsu_model::{AccountId, AppId, Application, KeyDigest, KeyId, KeyRecord, KeyScope, Timestamp};

use crate::{Conflict, Missing, Store, StoreError, on_each, transactions::Transactions as _};

/// A new key: the digest and the last four characters of the secret, never the secret itself.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Its id.
    pub id: KeyId,
    /// SHA-256 of the secret.
    pub digest: KeyDigest,
    /// The last four characters of the secret.
    pub hint: String,
    /// What it may do. A successor takes over the scope, the places and the lifetime of the key that it replaces.
    pub scope: KeyScope,
    /// The places that it may be used from, as a list; from everywhere without it.
    pub allowed_places: Option<String>,
    /// When it is created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Who made it in the console: a key of the scope `operator` is one as long as this person is an operator.
    pub made_by: Option<AccountId>,
    /// For a key that a console made for itself: when it expires, and whose console it was.
    pub console: Option<(Timestamp, AccountId)>,
}

/// What the key cache stores of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrant {
    /// The key.
    pub key: KeyId,
    /// Its application.
    pub application: AppId,
    /// Whether the key, its application or the owner's account is disabled.
    pub disabled: bool,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// What it may do.
    pub scope: KeyScope,
    /// The places that it may be used from, as a list; from everywhere without it.
    pub allowed_places: Option<String>,
    /// Whether a console made it for itself.
    pub console: bool,
    /// The application's own limit of requests a day, if it has one.
    pub requests_per_day: Option<i64>,
}

/// The keys that changed after some revision.
#[derive(Debug)]
pub struct ChangedKeys {
    /// The revision of the reader after taking over the list.
    pub revision: i64,
    /// Whether `keys` is the complete list, which replaces all that the reader has.
    pub complete: bool,
    /// Each changed key in its present form.
    pub keys: Vec<(KeyDigest, KeyGrant)>,
}

/// Takes the next revision, and a lock on keys until the transaction ends.
pub(crate) const NEXT_KEY_REVISION: &str = "UPDATE key_revision SET value = value + 1 RETURNING value";

/// What an operator disabled can be enabled, or disabled again, by operators only.
const SWITCH: &str = "UPDATE api_key SET disabled_at = $2, revision = $3, disabled_by_operator = $4 \
     WHERE id = $1 AND ($4 = 1 OR disabled_by_operator = 0 OR disabled_at IS NULL) RETURNING created_at";

pub(crate) const INSERT_KEY: &str = "INSERT INTO api_key \
     (id, application_id, digest, hint, created_at, revision, expires_at, pass_of, scope, allowed_places, made_by) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// Binds the values of [`INSERT_KEY`].
macro_rules! insert_key {
    ($key:expr, $application:expr, $revision:expr) => {
        $crate::keys::insert_key!(
            $key,
            $application,
            $revision,
            $key.scope.as_str(),
            &$key.allowed_places,
            $key.expires_at
        )
    };
    ($key:expr, $application:expr, $revision:expr, $scope:expr, $places:expr, $end:expr) => {
        sqlx::query($crate::keys::INSERT_KEY)
            .bind($key.id.as_str())
            .bind($application)
            .bind(&$key.digest.0[..])
            .bind(&$key.hint)
            .bind($key.created_at.0)
            .bind($revision)
            .bind($key.console.as_ref().map(|(end, _)| *end).or($end).map(|end| end.0))
            .bind($key.console.as_ref().map(|(_, account)| account.as_str()))
            .bind($scope)
            .bind($places)
            .bind($key.made_by.as_ref().map(|account| account.as_str()))
    };
}
pub(crate) use insert_key;

/// Fails when somebody makes a key of the scope `operator` who is no operator any more: the role may have been lost
/// since it was read. Whoever takes it away had the next revision before, or waits for it until the key is there to be
/// changed.
macro_rules! refuse_former_operator {
    ($tx:expr, $key:expr, $scope:expr) => {
        let maker = $key.made_by.as_ref().or($key.console.as_ref().map(|(_, account)| account));
        if let Some(maker) = maker.filter(|_| $scope == KeyScope::Operator.as_str()) {
            let operator: Option<i32> =
                sqlx::query_scalar(ACTIVE_OPERATOR).bind(maker.as_str()).fetch_optional($tx).await?;
            if operator.is_none() {
                return Err(Conflict::NotOperator.into());
            }
        }
    };
}

/// Whether an account is an operator that can sign in.
const ACTIVE_OPERATOR: &str = "SELECT 1 FROM account WHERE id = $1 AND role = 'operator' AND state = 'active'";

/// Lets a key end, unless it has ended or has a successor. A key that expires anyway does not live longer for it, and
/// its successor gets the same lifetime.
const ROTATE: &str = "UPDATE api_key SET rotated_at = $4, revision = $3, lifetime = expires_at - created_at, \
     expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END \
     WHERE id = $1 AND rotated_at IS NULL AND disabled_at IS NULL AND (expires_at IS NULL OR expires_at > $4) \
     RETURNING application_id, scope, allowed_places, lifetime";

const LIST_KEYS: &str = "SELECT k.id, k.hint, k.scope, k.allowed_places, k.created_at, k.expires_at, k.disabled_at, \
     k.last_used_at, \
     a.id AS app_id, COALESCE(a.title, a.name) AS app_name, a.created_at AS app_created_at, \
     a.disabled_at AS app_disabled_at \
     FROM api_key k JOIN application a ON a.id = k.application_id \
     WHERE a.deleted_at IS NULL AND k.pass_of IS NULL AND ($1 IS NULL OR a.id = $1) \
     ORDER BY app_name, k.created_at, k.id";

impl Store {
    /// Creates a key of an application.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id; [`StoreError::Conflict`] when the key is an operator's
    /// and whoever makes it is no operator any more.
    pub async fn create_key(&self, application: &AppId, key: &NewKey) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            refuse_former_operator!(&mut *tx, key, key.scope.as_str());
            let made = insert_key!(key, application.as_str(), revision).execute(&mut *tx).await;
            match made {
                Err(e) if e.as_database_error().is_some_and(sqlx::error::DatabaseError::is_foreign_key_violation) => {
                    return Err(Missing::Application(application.clone()).into());
                }
                made => made?,
            };
            tx.commit().await?;
        });
        Ok(())
    }

    /// How many unexpired keys an account's consoles made for themselves.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_console_keys(&self, account: &AccountId, now: Timestamp) -> Result<i64, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_scalar("SELECT COUNT(*) FROM api_key WHERE pass_of = $1 AND expires_at > $2")
                .bind(account.as_str()).bind(now.0).fetch_one(pool).await
        })?)
    }

    /// All keys, or those of one application, by application and age.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys(&self, application: Option<&AppId>) -> Result<Vec<KeyRecord>, StoreError> {
        let rows: Vec<KeyRow> = on_each!(self, pool => {
            sqlx::query_as(LIST_KEYS).bind(application.map(AppId::as_str)).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(KeyRow::into_record).collect())
    }

    /// Disables (`Some`) or enables (`None`) a key.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id; [`StoreError::Conflict`] when an operator disabled it
    /// and somebody else makes the change.
    pub async fn set_key_disabled(
        &self,
        id: &KeyId,
        since: Option<Timestamp>,
        by_operator: bool,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let found: Option<i64> = sqlx::query_scalar(SWITCH)
                .bind(id.as_str()).bind(since.map(|t| t.0)).bind(revision).bind(i64::from(by_operator))
                .fetch_optional(&mut *tx).await?;
            if found.is_none() {
                let exists: Option<String> = sqlx::query_scalar("SELECT id FROM api_key WHERE id = $1")
                    .bind(id.as_str()).fetch_optional(&mut *tx).await?;
                return Err(match exists {
                    Some(_) => Conflict::DisabledByOperator.into(),
                    None => Missing::Key(id.clone()).into(),
                });
            }
            tx.commit().await?;
        });
        Ok(())
    }

    /// Creates `new` as the successor of `old`, which expires at `old_ends`. In one transaction: at every moment one
    /// of them works, and a key has at most one successor.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no `old`, [`StoreError::Conflict`] when it is disabled or has a
    /// successor, or is an operator's and whoever replaces it is no operator any more.
    pub async fn rotate_key(&self, old: &KeyId, new: &NewKey, old_ends: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let replaced: Option<Replaced> = sqlx::query_as(ROTATE)
                .bind(old.as_str()).bind(old_ends.0).bind(revision).bind(new.created_at.0)
                .fetch_optional(&mut *tx).await?;
            let Some(Replaced { application_id, scope, allowed_places, lifetime }) = replaced else {
                let exists: Option<String> = sqlx::query_scalar("SELECT id FROM api_key WHERE id = $1")
                    .bind(old.as_str()).fetch_optional(&mut *tx).await?;
                return Err(match exists {
                    Some(_) => Conflict::EndedKey(old.clone()).into(),
                    None => Missing::Key(old.clone()).into(),
                });
            };
            refuse_former_operator!(&mut *tx, new, scope);
            let end = lifetime.map(|lifetime| Timestamp(new.created_at.0.saturating_add(lifetime)));
            insert_key!(new, application_id, revision, scope, allowed_places, end).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// The keys that changed after `revision`; all of them for 0. `None` when none did, which reads a single row.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys_changed_since(&self, revision: i64) -> Result<Option<ChangedKeys>, StoreError> {
        let current: i64 = on_each!(self, pool => {
            sqlx::query_scalar("SELECT value FROM key_revision").fetch_one(pool).await
        })?;
        if current == revision {
            return Ok(None);
        }
        // A revision lower than the reader's means that a backup was restored: all that the reader has may be wrong.
        let since = if current < revision { 0 } else { revision };
        // A change between the two queries is read now, and again later because its revision is higher than `current`.
        let rows: Vec<GrantRow> = on_each!(self, pool => {
            sqlx::query_as(
                "SELECT k.digest, k.id, k.application_id, k.expires_at, k.scope, k.allowed_places, k.pass_of, \
                 a.requests_per_day, \
                 CASE o.state WHEN 'disabled' THEN k.created_at ELSE COALESCE(k.disabled_at, a.disabled_at) END \
                 AS disabled_at \
                 FROM api_key k JOIN application a ON a.id = k.application_id \
                 LEFT JOIN account o ON o.id = a.account_id WHERE k.revision > $1",
            )
            .bind(since).fetch_all(pool).await
        })?;
        let keys = rows.into_iter().filter_map(GrantRow::into_grant).collect();
        Ok(Some(ChangedKeys { revision: current, complete: since == 0, keys }))
    }
}

/// A scope by its name. One that this version does not know may do the least.
fn scope(name: &str) -> KeyScope {
    KeyScope::new(name).unwrap_or(KeyScope::Restricted)
}

/// What a successor takes over.
#[derive(sqlx_macros::FromRow)]
struct Replaced {
    application_id: String,
    scope: String,
    allowed_places: Option<String>,
    lifetime: Option<i64>,
}

#[derive(sqlx_macros::FromRow)]
struct KeyRow {
    id: String,
    hint: String,
    scope: String,
    allowed_places: Option<String>,
    created_at: i64,
    expires_at: Option<i64>,
    disabled_at: Option<i64>,
    last_used_at: Option<i64>,
    app_id: String,
    app_name: String,
    app_created_at: i64,
    app_disabled_at: Option<i64>,
}

impl KeyRow {
    fn into_record(self) -> KeyRecord {
        let application = Application {
            id: AppId::from_text(self.app_id),
            name: self.app_name,
            created_at: Timestamp(self.app_created_at),
            disabled_at: self.app_disabled_at.map(Timestamp),
        };
        KeyRecord {
            id: KeyId::from_text(self.id),
            application,
            hint: self.hint,
            scope: scope(&self.scope),
            allowed_places: self.allowed_places,
            created_at: Timestamp(self.created_at),
            expires_at: self.expires_at.map(Timestamp),
            disabled_at: self.disabled_at.map(Timestamp),
            last_used_at: self.last_used_at.map(Timestamp),
        }
    }
}

#[derive(sqlx_macros::FromRow)]
struct GrantRow {
    digest: Vec<u8>,
    id: String,
    application_id: String,
    expires_at: Option<i64>,
    scope: String,
    allowed_places: Option<String>,
    pass_of: Option<String>,
    requests_per_day: Option<i64>,
    disabled_at: Option<i64>,
}

impl GrantRow {
    /// `None` for a digest of the wrong length, which this code never writes: no secret can match it.
    fn into_grant(self) -> Option<(KeyDigest, KeyGrant)> {
        let grant = KeyGrant {
            key: KeyId::from_text(self.id),
            application: AppId::from_text(self.application_id),
            disabled: self.disabled_at.is_some(),
            expires_at: self.expires_at.map(Timestamp),
            scope: scope(&self.scope),
            allowed_places: self.allowed_places,
            console: self.pass_of.is_some(),
            requests_per_day: self.requests_per_day,
        };
        Some((KeyDigest(self.digest.try_into().ok()?), grant))
    }
}
