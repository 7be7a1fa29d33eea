//! Deletes applications and accounts with everything they own.
//!
//! One transaction makes them disappear: keys are refused, names are free, nothing is listed. What they own is then
//! removed in steps that may be repeated and may be interrupted; `deleted_at` marks what is left to do, and the
//! application's row is deleted last.

use kaisatsu_model::{AccountId, AppId, DatasetId, Timestamp, UserId};

use sqlx::AssertSqlSafe;

use super::{Account, AccountRow, LOCK, RETURNED};
use crate::{
    Conflict, Missing, Store, StoreError, blobs::PUBLIC, feedback::NEXT_FEEDBACK_REVISION, keys::NEXT_KEY_REVISION,
    on_each, transactions::Transactions as _,
};

/// What is deleted with an application.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ApplicationContents {
    /// Its name.
    pub name: String,
    /// API keys.
    pub keys: i64,
    /// Users of the application who have data here.
    pub users: i64,
    /// Images in their storage areas.
    pub images: i64,
    /// Their datasets.
    pub datasets: i64,
    /// Stored recognitions.
    pub recognitions: i64,
    /// Verdicts.
    pub verdicts: i64,
}

const BELONGINGS: &str = "SELECT COALESCE(a.title, a.name) AS name, \
     (SELECT COUNT(*) FROM api_key k WHERE k.application_id = a.id AND k.pass_of IS NULL) AS keys, \
     (SELECT COUNT(*) FROM user_account u WHERE u.application_id = a.id) AS users, \
     (SELECT COUNT(*) FROM user_image i WHERE i.application_id = a.id) AS images, \
     (SELECT COUNT(*) FROM dataset d WHERE d.application_id = a.id AND d.version_of IS NULL) AS datasets, \
     (SELECT COUNT(*) FROM recognition r WHERE r.application_id = a.id) AS recognitions, \
     (SELECT COUNT(*) FROM feedback f WHERE f.application_id = a.id) AS verdicts \
     FROM application a WHERE a.deleted_at IS NULL AND a.id = $1";

/// The name becomes free at once: no valid name begins with a space.
const DELETE: &str = "UPDATE application SET deleted_at = $2, disabled_at = COALESCE(disabled_at, $2), name = ' ' || \
     id, title = NULL, account_id = NULL WHERE id = $1 AND deleted_at IS NULL RETURNING id";

const END_KEYS: &str =
    "UPDATE api_key SET disabled_at = COALESCE(disabled_at, $2), revision = $3 WHERE application_id = $1";

/// Deletes everything else, in an order that the foreign keys allow.
const REST: [&str; 10] = [
    "DELETE FROM recognition WHERE application_id = $1",
    "DELETE FROM feedback WHERE application_id = $1",
    "DELETE FROM exemplar WHERE application_id = $1",
    "DELETE FROM feedback_report WHERE application_id = $1",
    "DELETE FROM user_token WHERE application_id = $1",
    "DELETE FROM usage WHERE application_id = $1",
    "DELETE FROM idempotency WHERE application_id = $1",
    "DELETE FROM failed_request WHERE application_id = $1",
    "DELETE FROM api_key WHERE application_id = $1",
    "DELETE FROM user_account WHERE application_id = $1",
];

/// Deletes the largest tables in batches, so that no other writer waits for all of it. A verdict that was not revoked
/// keeps its exemplar.
const BATCHES: [&str; 3] = [
    "DELETE FROM recognition WHERE id IN (SELECT id FROM recognition WHERE application_id = $1 LIMIT 500)",
    "DELETE FROM feedback WHERE (recognition_id, item_id) IN \
     (SELECT recognition_id, item_id FROM feedback WHERE application_id = $1 AND standing = 'revoked' LIMIT 500)",
    "DELETE FROM exemplar WHERE recognition_id IN (SELECT recognition_id FROM exemplar e WHERE application_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM feedback f WHERE f.recognition_id = e.recognition_id) LIMIT 500)",
];

const RELEASE_BLOBS: &str =
    "UPDATE blob SET state = 'loose', touched_at = $2 WHERE application_id = $1 AND state = 'there'";

impl Store {
    /// What is deleted with an application; `None` when there is none of that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn application_contents(&self, application: &AppId) -> Result<Option<ApplicationContents>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as(BELONGINGS).bind(application.as_str()).fetch_optional(pool).await
        })?)
    }

    /// Deletes an application. What it owns is erased later.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id.
    pub async fn delete_application(&self, id: &AppId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let found: Option<String> =
                sqlx::query_scalar(DELETE).bind(id.as_str()).bind(now.0).fetch_optional(&mut *tx).await?;
            if found.is_none() {
                return Err(Missing::Application(id.clone()).into());
            }
            sqlx::query(END_KEYS).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Deletes an account and its applications, and returns it. What they own is erased later.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Conflict`] when other accounts would be left without an active
    /// operator.
    pub async fn delete_account(&self, id: &AccountId, now: Timestamp) -> Result<Account, StoreError> {
        let sql = format!("DELETE FROM account WHERE id = $1 {RETURNED}");
        let row: AccountRow = on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK).execute(&mut *tx).await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let owned: Vec<String> =
                sqlx::query_scalar("SELECT id FROM application WHERE account_id = $1 AND deleted_at IS NULL")
                    .bind(id.as_str()).fetch_all(&mut *tx).await?;
            for application in owned {
                sqlx::query(DELETE).bind(&application).bind(now.0).execute(&mut *tx).await?;
                sqlx::query(END_KEYS).bind(&application).bind(now.0).bind(revision).execute(&mut *tx).await?;
            }
            sqlx::query(super::DEMOTE_KEYS).bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            sqlx::query(super::END_CONSOLE_KEYS).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            let gone: Option<AccountRow> =
                sqlx::query_as(AssertSqlSafe(sql)).bind(id.as_str()).fetch_optional(&mut *tx).await?;
            let gone = gone.ok_or_else(|| Missing::Account(id.clone()))?;
            let left: Option<i32> = sqlx::query_scalar(super::ANY).fetch_optional(&mut *tx).await?;
            let operators: i64 = sqlx::query_scalar(super::OPERATORS).fetch_one(&mut *tx).await?;
            if left.is_some() && operators == 0 {
                return Err(Conflict::LastOperator.into());
            }
            tx.commit().await?;
            gone
        });
        row.into_account()
    }

    /// Deleted applications that still own something, and when they were deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn deleted_applications(&self) -> Result<Vec<(AppId, Timestamp)>, StoreError> {
        let rows: Vec<(String, i64)> = on_each!(self, pool => sqlx::query_as(
            "SELECT id, deleted_at FROM application WHERE deleted_at IS NOT NULL AND id <> $1 \
             ORDER BY deleted_at, id",
        ).bind(PUBLIC).fetch_all(pool).await)?;
        Ok(rows.into_iter().map(|(id, at)| (AppId::from_text(id), Timestamp(at))).collect())
    }

    /// All datasets of an application, with their users.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn datasets_of(&self, application: &AppId) -> Result<Vec<(UserId, DatasetId)>, StoreError> {
        let rows: Vec<(String, String)> = on_each!(self, pool => {
            sqlx::query_as("SELECT user_id, id FROM dataset WHERE application_id = $1 AND version_of IS NULL ORDER BY id")
                .bind(application.as_str()).fetch_all(pool).await
        })?;
        let damaged = || StoreError::Damaged("the user of a dataset".to_owned());
        let whose =
            |(user, id): (String, String)| Ok((UserId::new(&user).map_err(|_| damaged())?, DatasetId::from_text(id)));
        rows.into_iter().map(whose).collect()
    }

    /// Deletes all images of an application's users and releases their blobs.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_images(&self, application: &AppId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query("UPDATE user_account SET changed_at = $2 WHERE application_id = $1")
                .bind(application.as_str()).bind(now.0).execute(&mut *tx).await?;
            sqlx::query(RELEASE_BLOBS).bind(application.as_str()).bind(now.0).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM user_image WHERE application_id = $1")
                .bind(application.as_str()).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Restarts the waiting time of an erasure: verdicts were revoked just now, and replicas have yet to notice.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn postpone_erasure(&self, application: &AppId, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("UPDATE application SET deleted_at = $2 WHERE id = $1")
                .bind(application.as_str()).bind(now.0).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Erases what is left of an application, and then its row. Returns `false`, and keeps the row, while blobs of its
    /// users or verdicts that were not revoked exist.
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
            for batch in BATCHES {
                while sqlx::query(batch).bind(application.as_str()).execute(pool).await?.rows_affected() > 0 {}
            }
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(NEXT_FEEDBACK_REVISION).execute(&mut *tx).await?;
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
