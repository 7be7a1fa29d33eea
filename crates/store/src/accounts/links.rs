//! Links in e-mails, the count of failed sign-ins, and the deletion of what has expired.

use kaisatsu_model::{AccountId, SecretDigest, Timestamp};

use crate::{Store, StoreError, on_each, transactions::Transactions as _};

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// To confirm the e-mail address.
    Confirm,
    /// To choose a new password.
    Reset,
}

impl LinkPurpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Reset => "reset",
        }
    }
}

const TRY: &str = "INSERT INTO sign_in_failure (subject, count, first_at) VALUES ($1, 1, $2) \
     ON CONFLICT (subject) DO UPDATE SET \
     count = CASE WHEN sign_in_failure.first_at < $3 THEN 1 ELSE sign_in_failure.count + 1 END, \
     first_at = CASE WHEN sign_in_failure.first_at < $3 THEN $2 ELSE sign_in_failure.first_at END \
     RETURNING count, first_at";

impl Store {
    /// Stores a link, with the hash of the password that was chosen with it, if any. Earlier links for the same
    /// purpose stop working.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_link(
        &self,
        digest: SecretDigest,
        account: &AccountId,
        purpose: LinkPurpose,
        password: Option<&str>,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            sqlx::query("DELETE FROM account_link WHERE account_id = $1 AND purpose = $2")
                .bind(account.as_str()).bind(purpose.as_str()).execute(&mut *tx).await?;
            sqlx::query("INSERT INTO account_link (digest, account_id, purpose, expires_at, password) \
                 VALUES ($1, $2, $3, $4, $5)")
                .bind(&digest.0[..]).bind(account.as_str()).bind(purpose.as_str()).bind(expires_at.0).bind(password)
                .execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// The account of a valid link, which stays valid.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn peek_link(
        &self,
        digest: SecretDigest,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<Option<AccountId>, StoreError> {
        let found: Option<String> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT account_id FROM account_link WHERE digest = $1 AND purpose = $2 AND expires_at > $3",
        ).bind(&digest.0[..]).bind(purpose.as_str()).bind(now.0).fetch_optional(pool).await)?;
        Ok(found.map(AccountId::from_text))
    }

    /// Uses up a valid link: returns its account and the password that was chosen with it. A link works once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn take_link(
        &self,
        digest: SecretDigest,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<Option<(AccountId, Option<String>)>, StoreError> {
        let found: Option<(String, Option<String>)> = on_each!(self, pool => sqlx::query_as(
            "DELETE FROM account_link WHERE digest = $1 AND purpose = $2 AND expires_at > $3 \
             RETURNING account_id, password",
        ).bind(&digest.0[..]).bind(purpose.as_str()).bind(now.0).fetch_optional(pool).await)?;
        Ok(found.map(|(id, password)| (AccountId::from_text(id), password)))
    }

    /// Counts an attempt to sign in, which is a failure until it is cleared. Returns the number of attempts, this one
    /// included, and when the first was. Attempts before `since` do not count.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_sign_in_attempt(
        &self,
        subject: SecretDigest,
        now: Timestamp,
        since: Timestamp,
    ) -> Result<(i64, Timestamp), StoreError> {
        let (count, first): (i64, i64) = on_each!(self, pool => {
            sqlx::query_as(TRY).bind(&subject.0[..]).bind(now.0).bind(since.0).fetch_one(pool).await
        })?;
        Ok((count, Timestamp(first)))
    }

    /// Clears the attempts of somebody who has signed in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn clear_sign_in_attempts(&self, subject: SecretDigest) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM sign_in_failure WHERE subject = $1").bind(&subject.0[..]).execute(pool).await
                .map(drop)
        })?;
        Ok(())
    }

    /// Takes back one attempt that counts for others too.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn take_back_sign_in_attempt(&self, subject: SecretDigest) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("UPDATE sign_in_failure SET count = count - 1 WHERE subject = $1 AND count > 0")
                .bind(&subject.0[..]).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Deletes expired sessions and links, failures before `failed`, accounts that were not confirmed by
    /// `unconfirmed`, and console keys that expired before `console_keys`: long enough ago for every replica to have
    /// noticed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_expired_sign_ins(
        &self,
        now: Timestamp,
        failed: Timestamp,
        unconfirmed: Timestamp,
        console_keys: Timestamp,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM session WHERE expires_at <= $1").bind(now.0).execute(pool).await?;
            sqlx::query("DELETE FROM account_link WHERE expires_at <= $1").bind(now.0).execute(pool).await?;
            sqlx::query("DELETE FROM sign_in_failure WHERE first_at < $1").bind(failed.0).execute(pool).await?;
            sqlx::query("DELETE FROM api_key WHERE pass_of IS NOT NULL AND expires_at <= $1")
                .bind(console_keys.0).execute(pool).await?;
            sqlx::query("DELETE FROM account WHERE state = 'unconfirmed' AND created_at < $1 \
                 AND id NOT IN (SELECT account_id FROM account_link)")
                .bind(unconfirmed.0).execute(pool).await?;
        });
        Ok(())
    }
}
