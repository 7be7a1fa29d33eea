//! User tokens. They are looked up in the database each time: what is revoked is revoked at once, on every replica.

use kaisatsu_model::{AppId, Timestamp, TokenDigest, UserId};

use crate::{Store, StoreError, on_each};

/// A token about to be kept.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// SHA-256 of the secret.
    pub digest: TokenDigest,
    /// Whose user.
    pub application: AppId,
    /// The user.
    pub user: UserId,
    /// When it is made.
    pub created_at: Timestamp,
    /// Until when it is good.
    pub expires_at: Timestamp,
}

/// A user who has tokens, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenHolder {
    /// The application's own name for the user.
    pub user: String,
    /// How many tokens are good now.
    pub live: i64,
    /// Until when the last of them is.
    pub expires_at: Timestamp,
}

const INSERT: &str = "INSERT INTO user_token (digest, application_id, user_id, created_at, expires_at) \
                      VALUES ($1, $2, $3, $4, $5)";

/// All but the newest of a user's good tokens.
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

const FORGET: &str = "DELETE FROM user_token WHERE expires_at <= $1";

impl Store {
    /// Keeps a token, and revokes the oldest of this user's when there are more than `most` good ones.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_token(&self, token: &NewToken, most: i64) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut transaction = pool.begin_with(self.begin_writing()).await?;
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
                .bind(most)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
        });
        Ok(())
    }

    /// The user whom a token of this application stands for, while it is good.
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

    /// Revokes the tokens of a user, or of all users of an application; how many were good until now.
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

    /// The users of an application who have good tokens.
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

    /// Forgets tokens that expired; how many there were.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_tokens(&self, now: Timestamp) -> Result<u64, StoreError> {
        Ok(
            on_each!(self, pool => sqlx::query(FORGET).bind(now.0).execute(pool).await.map(|done| done.rows_affected()))?,
        )
    }
}
