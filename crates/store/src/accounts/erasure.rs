//! Deleting applications and accounts with everything they own.
//!
//! For everybody who asks they are gone in one transaction: keys are refused, names are free, nothing is listed. What they
//! own is then removed in steps that may run twice and may stop anywhere; `deleted_at` says what there is left to do, and
//! the application's row goes last.

use kaisatsu_model::{AccountId, AppId, DatasetId, Timestamp, UserId};

use super::LOCK;
use crate::{Store, StoreError, feedback::RAISE_FEEDBACK, keys::RAISE_REVISION, on_each};

/// What goes with an application.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Belongings {
    /// Its name.
    pub name: String,
    /// API keys.
    pub keys: i64,
    /// Users of the application who have something here.
    pub users: i64,
    /// Images in their storage areas.
    pub images: i64,
    /// Their datasets.
    pub datasets: i64,
    /// Recognitions that are kept.
    pub recognitions: i64,
    /// Verdicts.
    pub verdicts: i64,
}

const BELONGINGS: &str = "SELECT a.name, \
     (SELECT COUNT(*) FROM api_key k WHERE k.application_id = a.id AND k.pass_of IS NULL) AS keys, \
     (SELECT COUNT(*) FROM user_account u WHERE u.application_id = a.id) AS users, \
     (SELECT COUNT(*) FROM user_image i WHERE i.application_id = a.id) AS images, \
     (SELECT COUNT(*) FROM dataset d WHERE d.application_id = a.id) AS datasets, \
     (SELECT COUNT(*) FROM recognition r WHERE r.application_id = a.id) AS recognitions, \
     (SELECT COUNT(*) FROM feedback f WHERE f.application_id = a.id) AS verdicts \
     FROM application a WHERE a.deleted_at IS NULL AND a.id = $1";

/// Its name is free at once: no name begins with a space.
const DELETE: &str = "UPDATE application SET deleted_at = $2, disabled_at = COALESCE(disabled_at, $2), name = ' ' || id, \
     account_id = NULL WHERE id = $1 AND deleted_at IS NULL RETURNING id";

const END_KEYS: &str =
    "UPDATE api_key SET disabled_at = COALESCE(disabled_at, $2), revision = $3 WHERE application_id = $1";

/// What has nothing below it, in an order in which each may go.
const REST: [&str; 8] = [
    "DELETE FROM recognition WHERE application_id = $1",
    "DELETE FROM feedback WHERE application_id = $1",
    "DELETE FROM exemplar WHERE application_id = $1",
    "DELETE FROM feedback_report WHERE application_id = $1",
    "DELETE FROM user_token WHERE application_id = $1",
    "DELETE FROM usage WHERE application_id = $1",
    "DELETE FROM api_key WHERE application_id = $1",
    "DELETE FROM user_account WHERE application_id = $1",
];

/// What there may be very much of, in lots: nobody else's writing waits for all of it. A verdict that was not taken back
/// keeps what it is about.
const LOTS: [&str; 3] = [
    "DELETE FROM recognition WHERE id IN (SELECT id FROM recognition WHERE application_id = $1 LIMIT 500)",
    "DELETE FROM feedback WHERE (recognition_id, item_id) IN \
     (SELECT recognition_id, item_id FROM feedback WHERE application_id = $1 AND standing = 'revoked' LIMIT 500)",
    "DELETE FROM exemplar WHERE recognition_id IN (SELECT recognition_id FROM exemplar e WHERE application_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM feedback f WHERE f.recognition_id = e.recognition_id) LIMIT 500)",
];

const LET_GO: &str = "UPDATE blob SET state = 'loose', touched_at = $2 WHERE application_id = $1 AND state = 'there'";

impl Store {
    /// What goes with an application; `None` when there is none of that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn belongings(&self, application: &AppId) -> Result<Option<Belongings>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as(BELONGINGS).bind(application.as_str()).fetch_optional(pool).await
        })?)
    }

    /// Deletes an application for everybody who asks.
    ///
    /// # Errors
    /// [`StoreError::NoApplication`] when there is none of that id.
    pub async fn delete_application(&self, id: &AppId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(RAISE_REVISION).fetch_one(&mut *tx).await?;
            let found: Option<String> =
                sqlx::query_scalar(DELETE).bind(id.as_str()).bind(now.0).fetch_optional(&mut *tx).await?;
            if found.is_none() {
                return Err(StoreError::NoApplication(id.clone()));
            }
            sqlx::query(END_KEYS).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Deletes an account, and its applications for everybody who asks.
    ///
    /// # Errors
    /// [`StoreError::NoAccount`]; [`StoreError::LastOperator`] when others would be left without an operator.
    pub async fn delete_account(&self, id: &AccountId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query(LOCK).execute(&mut *tx).await?;
            let revision: i64 = sqlx::query_scalar(RAISE_REVISION).fetch_one(&mut *tx).await?;
            let owned: Vec<String> =
                sqlx::query_scalar("SELECT id FROM application WHERE account_id = $1 AND deleted_at IS NULL")
                    .bind(id.as_str()).fetch_all(&mut *tx).await?;
            for application in owned {
                sqlx::query(DELETE).bind(&application).bind(now.0).execute(&mut *tx).await?;
                sqlx::query(END_KEYS).bind(&application).bind(now.0).bind(revision).execute(&mut *tx).await?;
            }
            sqlx::query(super::END_PASSES).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            let gone = sqlx::query("DELETE FROM account WHERE id = $1").bind(id.as_str()).execute(&mut *tx).await?;
            if gone.rows_affected() == 0 {
                return Err(StoreError::NoAccount(id.clone()));
            }
            let left: Option<i32> = sqlx::query_scalar(super::ANY).fetch_optional(&mut *tx).await?;
            let operators: i64 = sqlx::query_scalar(super::OPERATORS).fetch_one(&mut *tx).await?;
            if left.is_some() && operators == 0 {
                return Err(StoreError::LastOperator);
            }
            tx.commit().await?;
        });
        Ok(())
    }

    /// Applications that are deleted and still own something, and since when they are deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn deleted_applications(&self) -> Result<Vec<(AppId, Timestamp)>, StoreError> {
        let rows: Vec<(String, i64)> = on_each!(self, pool => sqlx::query_as(
            "SELECT id, deleted_at FROM application WHERE deleted_at IS NOT NULL ORDER BY deleted_at, id",
        ).fetch_all(pool).await)?;
        Ok(rows.into_iter().map(|(id, at)| (AppId::from_text(id), Timestamp(at))).collect())
    }

    /// All datasets of an application, with their users.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn datasets_of(&self, application: &AppId) -> Result<Vec<(UserId, DatasetId)>, StoreError> {
        let rows: Vec<(String, String)> = on_each!(self, pool => {
            sqlx::query_as("SELECT user_id, id FROM dataset WHERE application_id = $1 ORDER BY id")
                .bind(application.as_str()).fetch_all(pool).await
        })?;
        let damaged = || StoreError::Damaged("the user of a dataset".to_owned());
        let whose =
            |(user, id): (String, String)| Ok((UserId::new(&user).map_err(|_| damaged())?, DatasetId::from_text(id)));
        rows.into_iter().map(whose).collect()
    }

    /// Lets go of all images of an application's users, for the sweeper to remove.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn let_go_of_images(&self, application: &AppId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query("UPDATE user_account SET changed_at = $2 WHERE application_id = $1")
                .bind(application.as_str()).bind(now.0).execute(&mut *tx).await?;
            sqlx::query(LET_GO).bind(application.as_str()).bind(now.0).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM user_image WHERE application_id = $1")
                .bind(application.as_str()).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Counts the time of a deletion from now on: something was taken back just now that replicas have yet to see.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_later(&self, application: &AppId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("UPDATE application SET deleted_at = $2 WHERE id = $1")
                .bind(application.as_str()).bind(now.0).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Removes what is left of an application, and then itself, unless bytes of its users are still there or a verdict that
    /// was not taken back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erase_application(&self, application: &AppId) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let bytes: Option<i32> = sqlx::query_scalar("SELECT 1 FROM blob WHERE application_id = $1 LIMIT 1")
                .bind(application.as_str()).fetch_optional(pool).await?;
            if bytes.is_some() {
                return Ok(false);
            }
            for lot in LOTS {
                while sqlx::query(lot).bind(application.as_str()).execute(pool).await?.rows_affected() > 0 {}
            }
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query(RAISE_FEEDBACK).execute(&mut *tx).await?;
            let acts: Option<i32> = sqlx::query_scalar(
                "SELECT 1 FROM feedback WHERE application_id = $1 AND standing <> 'revoked' LIMIT 1",
            ).bind(application.as_str()).fetch_optional(&mut *tx).await?;
            if acts.is_some() {
                return Ok(false);
            }
            for statement in REST {
                sqlx::query(statement).bind(application.as_str()).execute(&mut *tx).await?;
            }
            sqlx::query("DELETE FROM application WHERE id = $1").bind(application.as_str()).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(true)
    }
}
