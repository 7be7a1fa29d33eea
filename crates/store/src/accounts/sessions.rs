//! Sessions. They are looked up in the database each time, so an ended session is refused at once on every replica.

use std::time::Duration;

use kaisatsu_model::{AccountId, SecretDigest, Timestamp};

use super::{Account, AccountRow, END_CONSOLE_KEYS};
use crate::{Store, StoreError, keys::NEXT_KEY_REVISION, on_each, transactions::Transactions as _};

/// The resolution of `seen_at`: not every request writes a row.
const SEEN_EVERY: Duration = Duration::from_mins(1);

/// A new session.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// SHA-256 of the secret.
    pub digest: SecretDigest,
    /// The account that signs in.
    pub account: AccountId,
    /// When it begins.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// The browser's user agent.
    pub agent: String,
    /// The hash of the password that was given: the session begins only if it is still the account's.
    pub password: String,
}

/// A valid session and its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSession {
    /// The account.
    pub account: Account,
    /// The digest of the session.
    pub session: SecretDigest,
}

/// A session, for listings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// SHA-256 of the secret.
    pub digest: Vec<u8>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub seen_at: Timestamp,
    /// The browser's user agent.
    pub agent: String,
}

/// Updates the account first: that locks it until the session is stored.
const SIGNED_IN: &str = "UPDATE account SET signed_in_at = $2 WHERE id = $1 AND password = $3 AND state = 'active'";

const INSERT: &str = "INSERT INTO session (digest, account_id, created_at, seen_at, expires_at, agent) \
     VALUES ($1, $2, $3, $3, $4, $5)";

const FIND: &str = "SELECT a.id, a.email, a.role, a.state, a.language, a.created_at, a.signed_in_at FROM account a \
     JOIN session s ON s.account_id = a.id WHERE s.digest = $1 AND s.expires_at > $2 AND a.state = 'active'";

const SEEN: &str = "UPDATE session SET seen_at = $2 WHERE digest = $1 AND seen_at < $3";

impl Store {
    /// Begins a session if the account is active and still has the given password; returns whether it did.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin_session(&self, new: &NewSession) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let found = sqlx::query(SIGNED_IN)
                .bind(new.account.as_str()).bind(new.created_at.0).bind(&new.password).execute(&mut *tx).await?;
            if found.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(INSERT)
                .bind(&new.digest.0[..]).bind(new.account.as_str()).bind(new.created_at.0).bind(new.expires_at.0)
                .bind(&new.agent).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(true)
    }

    /// The account of a valid session, if the account is active.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session(&self, digest: SecretDigest, now: Timestamp) -> Result<Option<AccountSession>, StoreError> {
        let row: Option<AccountRow> = on_each!(self, pool => {
            sqlx::query_as(FIND).bind(&digest.0[..]).bind(now.0).fetch_optional(pool).await
        })?;
        let Some(row) = row else { return Ok(None) };
        on_each!(self, pool => {
            sqlx::query(SEEN).bind(&digest.0[..]).bind(now.0).bind(now.before(SEEN_EVERY).0).execute(pool).await
                .map(drop)
        })?;
        Ok(Some(AccountSession { account: row.into_account()?, session: digest }))
    }

    /// The valid sessions of an account, the most recently used first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sessions(&self, account: &AccountId, now: Timestamp) -> Result<Vec<SessionRow>, StoreError> {
        let rows: Vec<(Vec<u8>, i64, i64, String)> = on_each!(self, pool => sqlx::query_as(
            "SELECT digest, created_at, seen_at, agent FROM session WHERE account_id = $1 AND expires_at > $2 \
             ORDER BY seen_at DESC, digest",
        ).bind(account.as_str()).bind(now.0).fetch_all(pool).await)?;
        let listed = |(digest, created_at, seen_at, agent)| SessionRow {
            digest,
            created_at: Timestamp(created_at),
            seen_at: Timestamp(seen_at),
            agent,
        };
        Ok(rows.into_iter().map(listed).collect())
    }

    /// Ends one session of an account, and the console keys of the account.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_session(
        &self,
        account: &AccountId,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.end_sessions(account, "digest = $2", digest, now).await
    }

    /// Ends all sessions of an account but one, and all of its console keys.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_other_sessions(
        &self,
        account: &AccountId,
        but: SecretDigest,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.end_sessions(account, "digest <> $2", but, now).await
    }

    async fn end_sessions(
        &self,
        account: &AccountId,
        which: &str,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = format!("DELETE FROM session WHERE account_id = $1 AND {which}");
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            sqlx::query(sqlx::AssertSqlSafe(sql)).bind(account.as_str()).bind(&digest.0[..]).execute(&mut *tx).await?;
            sqlx::query(END_CONSOLE_KEYS).bind(account.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }
}
