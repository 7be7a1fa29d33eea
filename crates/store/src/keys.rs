//! Applications and API keys.
//!
//! Every change that affects what a key may do raises `key_revision` first and writes it to the key, in one
//! transaction. A replica that has revision `n` asks for newer rows and misses nothing.

use kaisatsu_model::{
    AccountId, AppId, Application, ApplicationName, KeyDigest, KeyId, KeyRecord, KeyScope, Timestamp,
};

use crate::{Conflict, Missing, Store, StoreError, on_each};

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

const INSERT_APPLICATION: &str =
    "INSERT INTO application (id, name, created_at, account_id, title) VALUES ($1, $2, $3, $4, $5)";

/// The applications that a name may mean, the likeliest first.
const NAMED: &str = "SELECT a.id, COALESCE(a.title, a.name), a.created_at, a.disabled_at, \
     CAST(CASE WHEN a.id = $1 THEN 0 WHEN a.name = $1 THEN 1 ELSE 2 END AS BIGINT) AS distance \
     FROM application a WHERE (a.name = $1 OR a.title = $1 OR a.id = $1) AND a.deleted_at IS NULL \
     ORDER BY distance, a.id LIMIT 3";

/// Whether an owner has another application of a name.
pub(crate) const HAS_OTHER: &str = "SELECT 1 FROM application WHERE account_id = $1 AND COALESCE(title, name) = $2 \
     AND id <> $3 AND deleted_at IS NULL LIMIT 1";

/// What is in the unique column `name` for an application with an owner, and nobody sees.
pub(crate) fn handle(id: &AppId) -> String {
    format!("\u{1f}{id}")
}

/// What an operator disabled can be enabled, or disabled again, by operators only.
const SWITCH: &str = "UPDATE api_key SET disabled_at = $2, revision = $3, disabled_by_operator = $4 \
     WHERE id = $1 AND ($4 = 1 OR disabled_by_operator = 0 OR disabled_at IS NULL) RETURNING created_at";

const INSERT_KEY: &str = "INSERT INTO api_key \
     (id, application_id, digest, hint, created_at, revision, expires_at, pass_of, scope, allowed_places) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// Binds the values of [`INSERT_KEY`].
macro_rules! insert_key {
    ($key:expr, $application:expr, $revision:expr) => {
        insert_key!($key, $application, $revision, $key.scope.as_str(), &$key.allowed_places, $key.expires_at)
    };
    ($key:expr, $application:expr, $revision:expr, $scope:expr, $places:expr, $end:expr) => {
        sqlx::query(INSERT_KEY)
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
    };
}

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
    /// Creates an application.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when there is one of that name.
    pub async fn create_application(
        &self,
        id: &AppId,
        name: &ApplicationName,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let made = on_each!(self, pool => {
            sqlx::query(INSERT_APPLICATION)
                .bind(id.as_str()).bind(name.as_str()).bind(now.0).bind(None::<&str>).bind(None::<&str>)
                .execute(pool).await.map(drop)
        });
        made.map_err(|e| taken(e, name))
    }

    /// Creates an application with its first key in one transaction. Applications made on the command line have no
    /// owner.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the owner has one of that name; without an owner, when there is any.
    pub async fn create_application_with_key(
        &self,
        id: &AppId,
        name: &ApplicationName,
        owner: Option<&AccountId>,
        key: &NewKey,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            if let Some(owner) = owner {
                let other: Option<i32> = sqlx::query_scalar(HAS_OTHER)
                    .bind(owner.as_str()).bind(name.as_str()).bind(id.as_str()).fetch_optional(&mut *tx).await?;
                if other.is_some() {
                    return Err(Conflict::ApplicationName(name.clone()).into());
                }
            }
            let unique = owner.map_or_else(|| name.as_str().to_owned(), |_| handle(id));
            sqlx::query(INSERT_APPLICATION)
                .bind(id.as_str()).bind(unique).bind(key.created_at.0).bind(owner.map(AccountId::as_str))
                .bind(owner.map(|_| name.as_str())).execute(&mut *tx).await.map_err(|e| taken(e, name))?;
            insert_key!(key, id.as_str(), revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// All applications by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn applications(&self) -> Result<Vec<Application>, StoreError> {
        let rows: Vec<ApplicationRow> = on_each!(self, pool => {
            sqlx::query_as("SELECT id, COALESCE(title, name) AS name, created_at, disabled_at FROM application \
                 WHERE deleted_at IS NULL ORDER BY COALESCE(title, name), id")
                .fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(ApplicationRow::into_application).collect())
    }

    /// The application of that name or id, if there is one. A name means the application that was made on the command
    /// line rather than one that somebody owns: nobody who may register can change what a script refers to.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when several people have an application of that name.
    pub async fn application_named(&self, name: &ApplicationName) -> Result<Option<Application>, StoreError> {
        let rows: Vec<(String, String, i64, Option<i64>, i64)> = on_each!(self, pool => {
            sqlx::query_as(NAMED).bind(name.as_str()).fetch_all(pool).await
        })?;
        let best = rows.first().map_or(0, |row| row.4);
        if rows.iter().filter(|row| row.4 == best).count() > 1 {
            return Err(Conflict::SeveralApplications(name.clone()).into());
        }
        let named = rows.into_iter().next();
        let row =
            named.map(|(id, name, created_at, disabled_at, _)| ApplicationRow { id, name, created_at, disabled_at });
        Ok(row.map(ApplicationRow::into_application))
    }

    /// Disables (`Some`) or enables (`None`) an application, and with it all of its keys.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id.
    pub async fn set_application_disabled(&self, id: &AppId, since: Option<Timestamp>) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let found: Option<i64> =
                sqlx::query_scalar("UPDATE application SET disabled_at = $2, disabled_by_operator = 1 \
                     WHERE id = $1 AND deleted_at IS NULL RETURNING created_at")
                    .bind(id.as_str()).bind(since.map(|t| t.0)).fetch_optional(&mut *tx).await?;
            if found.is_none() {
                return Err(Missing::Application(id.clone()).into());
            }
            sqlx::query("UPDATE api_key SET revision = $2 WHERE application_id = $1")
                .bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Creates a key of an application.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id.
    pub async fn create_key(&self, application: &AppId, key: &NewKey) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
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
            let mut tx = pool.begin().await?;
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
    /// successor.
    pub async fn rotate_key(&self, old: &KeyId, new: &NewKey, old_ends: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
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

/// Why an application could not be stored.
pub(crate) fn taken(error: sqlx::Error, name: &ApplicationName) -> StoreError {
    match error.as_database_error() {
        Some(cause) if cause.is_unique_violation() => Conflict::ApplicationName(name.clone()).into(),
        _ => error.into(),
    }
}

#[derive(sqlx_macros::FromRow)]
struct ApplicationRow {
    id: String,
    name: String,
    created_at: i64,
    disabled_at: Option<i64>,
}

impl ApplicationRow {
    fn into_application(self) -> Application {
        Application {
            id: AppId::from_text(self.id),
            name: self.name,
            created_at: Timestamp(self.created_at),
            disabled_at: self.disabled_at.map(Timestamp),
        }
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
        let application = ApplicationRow {
            id: self.app_id,
            name: self.app_name,
            created_at: self.app_created_at,
            disabled_at: self.app_disabled_at,
        };
        KeyRecord {
            id: KeyId::from_text(self.id),
            application: application.into_application(),
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
