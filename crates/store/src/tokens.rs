//! User tokens. They are looked up in the database each time, so a revocation takes effect at once on every replica.

use kaisatsu_model::{AppId, Timestamp, TokenDigest, UserId};

use crate::{Store, StoreError, on_each, transactions::Transactions as _};

/// A new token.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// SHA-256 of the secret.
    pub digest: TokenDigest,
    /// The application of the user.
    pub application: AppId,
    /// The user.
    pub user: UserId,
    /// When it is issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A user with valid tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenHolder {
    /// The application's own name for the user.
    pub user: String,
    /// How many valid tokens the user has.
    pub live: i64,
    /// When the last of them expires.
    pub expires_at: Timestamp,
}

const INSERT: &str = "INSERT INTO user_token (digest, application_id, user_id, created_at, expires_at) \
                      VALUES ($1, $2, $3, $4, $5)";

/// Revokes all but the newest of a user's valid tokens.
const REVOKE_OLDER: &str = "UPDATE user_token SET revoked_at = $1 \
     WHERE application_id = $2 AND user_id = $3 AND revoked_at IS NULL AND expires_at > $1 AND digest NOT IN \
     (SELECT digest FROM user_token WHERE application_id = $2 AND user_id = $3 AND revoked_at IS NULL \
     AND expires_at > $1 ORDER BY created_at DESC, digest LIMIT $4)";

const OWNER: &str = "SELECT user_id FROM user_token \
     WHERE digest = $1 AND application_id = $2 AND revoked_at IS NULL AND expires_at > $3";

const REVOKE: &str = "UPDATE user_token SET revoked_at = $1 \
     WHERE application_id = $2 AND ($3 IS NULL OR user_id = $3) AND revoked_at IS NULL AND expires_at > $1";

const HOLDERS: &str = "SELECT user_id, COUNT(*), MAX(expires_at) FROM user_token \
     WHERE application_id = $1 AND revoked_at IS NULL AND expires_at > $2 GROUP BY user_id ORDER BY user_id";

const DELETE_EXPIRED: &str = "DELETE FROM user_token WHERE expires_at <= $1";

impl Store {
    /// Stores a token, and revokes the user's oldest when more than `limit` are valid.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_token(&self, token: &NewToken, limit: i64) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut transaction = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(INSERT)
                .bind(&token.digest.0[..])
                .bind(token.application.as_str())
                .bind(token.user.as_str())
                .bind(token.created_at.0)
                .bind(token.expires_at.0)
                .execute(&mut *transaction)
                .await?;
            sqlx::query(REVOKE_OLDER)
                .bind(token.created_at.0)
                .bind(token.application.as_str())
                .bind(token.user.as_str())
                .bind(limit)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
        });
        Ok(())
    }

    /// The user of a valid token of this application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_owner(
        &self,
        digest: TokenDigest,
        application: &AppId,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_scalar::<_, String>(OWNER)
            .bind(&digest.0[..])
            .bind(application.as_str())
            .bind(now.0)
            .fetch_optional(pool)
            .await)?)
    }

    /// Revokes the valid tokens of a user, or of all users of an application; returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_tokens(
        &self,
        application: &AppId,
        user: Option<&UserId>,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        Ok(on_each!(self, pool => sqlx::query(REVOKE)
            .bind(now.0)
            .bind(application.as_str())
            .bind(user.map(UserId::as_str))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }

    /// The users of an application who have valid tokens.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_holders(&self, application: &AppId, now: Timestamp) -> Result<Vec<TokenHolder>, StoreError> {
        let rows = on_each!(self, pool => sqlx::query_as::<_, (String, i64, i64)>(HOLDERS)
            .bind(application.as_str())
            .bind(now.0)
            .fetch_all(pool)
            .await)?;
        let holder = |(user, live, expires_at)| TokenHolder { user, live, expires_at: Timestamp(expires_at) };
        Ok(rows.into_iter().map(holder).collect())
    }

    /// Deletes expired tokens; returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_expired_tokens(&self, now: Timestamp) -> Result<u64, StoreError> {
        Ok(on_each!(self, pool => sqlx::query(DELETE_EXPIRED).bind(now.0).execute(pool).await?.rows_affected()))
    }
}
