//! Links in letters, how often signing in failed, and forgetting what is over.

use kaisatsu_model::{AccountId, SecretDigest, Timestamp};

use crate::{Store, StoreError, on_each};

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To prove that the address is the person's.
    Confirm,
    /// To choose another password.
    Reset,
}

impl Purpose {
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
    /// Keeps a link, with the hash of the password that was chosen with it if one was. Those of the same purpose that the person got before no longer work.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_link(
        &self,
        digest: SecretDigest,
        account: &AccountId,
        purpose: Purpose,
        password: Option<&str>,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
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

    /// Whose link it is, if it is good; it stays good.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_at_link(
        &self,
        digest: SecretDigest,
        purpose: Purpose,
        now: Timestamp,
    ) -> Result<Option<AccountId>, StoreError> {
        let found: Option<String> = on_each!(self, pool => sqlx::query_scalar(
            "SELECT account_id FROM account_link WHERE digest = $1 AND purpose = $2 AND expires_at > $3",
        ).bind(&digest.0[..]).bind(purpose.as_str()).bind(now.0).fetch_optional(pool).await)?;
        Ok(found.map(AccountId::from_text))
    }

    /// Takes a link: whose it is, and the password that was chosen with it, if it was good. It works only once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn take_link(
        &self,
        digest: SecretDigest,
        purpose: Purpose,
        now: Timestamp,
    ) -> Result<Option<(AccountId, Option<String>)>, StoreError> {
        let found: Option<(String, Option<String>)> = on_each!(self, pool => sqlx::query_as(
            "DELETE FROM account_link WHERE digest = $1 AND purpose = $2 AND expires_at > $3 \
             RETURNING account_id, password",
        ).bind(&digest.0[..]).bind(purpose.as_str()).bind(now.0).fetch_optional(pool).await)?;
        Ok(found.map(|(id, password)| (AccountId::from_text(id), password)))
    }

    /// Notes a try at signing in, which counts as failed until it is forgiven: how many there were with it, and when the
    /// first was. What was before `since` is over.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn try_to_sign_in(
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

    /// Forgets tries: somebody has proved who they are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forgive_sign_in(&self, subject: SecretDigest) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM sign_in_failure WHERE subject = $1").bind(&subject.0[..]).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Forgets sessions and links that are over, failures before `failed`, accounts that nobody confirmed before
    /// `unconfirmed`, and passes that ended before `passes`: long enough ago that every replica has seen their end.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_sign_ins(
        &self,
        now: Timestamp,
        failed: Timestamp,
        unconfirmed: Timestamp,
        passes: Timestamp,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM session WHERE expires_at <= $1").bind(now.0).execute(pool).await?;
            sqlx::query("DELETE FROM account_link WHERE expires_at <= $1").bind(now.0).execute(pool).await?;
            sqlx::query("DELETE FROM sign_in_failure WHERE first_at < $1").bind(failed.0).execute(pool).await?;
            sqlx::query("DELETE FROM api_key WHERE pass_of IS NOT NULL AND expires_at <= $1")
                .bind(passes.0).execute(pool).await?;
            sqlx::query("DELETE FROM account WHERE state = 'unconfirmed' AND created_at < $1 \
                 AND id NOT IN (SELECT account_id FROM account_link)")
                .bind(unconfirmed.0).execute(pool).await?;
        });
        Ok(())
    }
}
