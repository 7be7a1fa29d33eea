//! Which blobs are stored, and whose they are: the database's side of [`crate::Blobs`].
//!
//! A blob is claimed before its bytes are written, and referenced by an image afterwards. A blob without a reference
//! is marked as being deleted before its bytes are removed. After a crash between two of these steps, its row shows
//! the last one.

use kaisatsu_model::{AppId, BlobState, Timestamp, UserId};

use crate::{BlobKey, Pool, Store, StoreError, on_each, transactions::Transactions as _};

/// The result of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobClaim {
    /// The bytes are stored: nothing has to be written.
    Exists,
    /// The bytes must be written.
    Write,
    /// The blob is being deleted; it can be claimed again shortly.
    Deleting,
    /// The bytes exceed the user's quota.
    QuotaExceeded,
}

/// Serialises changes of what a user owns.
pub(crate) const LOCK_ACCOUNT: &str = "INSERT INTO user_account (application_id, user_id, changed_at) \
     VALUES ($1, $2, $3) ON CONFLICT (application_id, user_id) DO UPDATE SET changed_at = excluded.changed_at";

const STATE: &str = "SELECT state FROM blob WHERE application_id = $1 AND user_id = $2 AND sha256 = $3";

const USED: &str = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM blob \
     WHERE application_id = $1 AND user_id = $2 AND state <> 'doomed'";

const INSERT: &str = "INSERT INTO blob (application_id, user_id, sha256, size, state, touched_at) \
     VALUES ($1, $2, $3, $4, 'writing', $5)";

const TOUCH: &str = "UPDATE blob SET touched_at = $4 WHERE application_id = $1 AND user_id = $2 AND sha256 = $3";

/// Marks a blob as stored and referenced; changes no row when it is being deleted.
pub(crate) const MARK_STORED: &str = "UPDATE blob SET state = 'there', touched_at = $4 \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 AND state <> 'doomed'";

/// Marks a blob that may no longer be referenced.
pub(crate) const MARK_RELEASED: &str = "UPDATE blob SET state = 'loose', touched_at = $4 \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 AND state <> 'doomed'";

/// Blobs that may be unreferenced: released, claimed by a process that has ended, or half deleted. PostgreSQL skips
/// rows that another transaction has locked, so that nobody waits; the next run looks at them. The first condition
/// follows from the others; it makes the partial index usable.
macro_rules! unreferenced {
    ($skip:literal) => {
        concat!(
            "SELECT application_id, user_id, sha256 FROM blob WHERE state <> 'there' AND (state = 'loose' \
             OR (state = 'writing' AND touched_at < $1) OR (state = 'doomed' AND touched_at < $2)) LIMIT $3",
            $skip
        )
    };
}

/// A separate statement after the rows are locked: only then does it see every earlier reference.
const MARK_UNREFERENCED: &str = "UPDATE blob SET touched_at = $4, state = CASE WHEN \
     EXISTS (SELECT 1 FROM user_image i WHERE i.application_id = $1 AND i.user_id = $2 AND i.sha256 = $3) \
     OR EXISTS (SELECT 1 FROM dataset_image d WHERE d.application_id = $1 AND d.user_id = $2 AND d.sha256 = $3) \
     OR ($1 = 'public' AND (EXISTS (SELECT 1 FROM collection_image c WHERE c.thumbnail = $3) \
     OR EXISTS (SELECT 1 FROM catalogue_item m WHERE m.thumbnail = $3) \
     OR EXISTS (SELECT 1 FROM catalogue_segment g WHERE g.sha256 = $3))) \
     THEN 'there' ELSE 'doomed' END \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 RETURNING state";

/// Only the process that marked the blob last deletes its row: another one, which took over, may be about to delete
/// what is written there next.
const DELETE_ROW: &str = "DELETE FROM blob \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 AND state = 'doomed' AND touched_at = $4";

const USERS_OF_HASH: &str = "SELECT user_id FROM blob WHERE application_id = $1 AND sha256 = $2";

impl Store {
    /// Claims a blob for a user whose blobs may have `quota` bytes in total. A claimed blob that nothing comes to
    /// reference is deleted later.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim_blob(
        &self,
        key: &BlobKey,
        size: i64,
        quota: i64,
        now: Timestamp,
    ) -> Result<BlobClaim, StoreError> {
        let (app, user, sha256) = (key.application.as_str(), key.user.as_str(), &key.sha256[..]);
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now.0).execute(&mut *tx).await?;
            let state: Option<String> =
                sqlx::query_scalar(STATE).bind(app).bind(user).bind(sha256).fetch_optional(&mut *tx).await?;
            let claim = match state.map(|word| blob_state(&word)).transpose()?.map(BlobState::claim) {
                Some(Err(_)) => BlobClaim::Deleting,
                Some(Ok(state)) if state.is_complete() => BlobClaim::Exists,
                Some(Ok(_)) => {
                    sqlx::query(TOUCH).bind(app).bind(user).bind(sha256).bind(now.0).execute(&mut *tx).await?;
                    BlobClaim::Write
                }
                None => {
                    // Without a limit nothing has to be added up.
                    let stored: i64 = if quota == i64::MAX {
                        0
                    } else {
                        sqlx::query_scalar(USED).bind(app).bind(user).fetch_one(&mut *tx).await?
                    };
                    if stored.saturating_add(size) > quota {
                        BlobClaim::QuotaExceeded
                    } else {
                        sqlx::query(INSERT).bind(app).bind(user).bind(sha256).bind(size).bind(now.0)
                            .execute(&mut *tx).await?;
                        BlobClaim::Write
                    }
                }
            };
            tx.commit().await?;
            Ok(claim)
        })
    }

    /// Releases a claimed blob that is not needed after all.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_blob(&self, key: &BlobKey, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(MARK_RELEASED)
            .bind(key.application.as_str()).bind(key.user.as_str()).bind(&key.sha256[..]).bind(now.0)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Marks unreferenced blobs as being deleted, at most `limit`, and returns them for the caller to delete: released
    /// ones at once, those claimed before `claimed_before` and never written, and those marked before `marked_before`
    /// and never deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn mark_blobs_deleting(
        &self,
        now: Timestamp,
        claimed_before: Timestamp,
        marked_before: Timestamp,
        limit: i64,
    ) -> Result<Vec<BlobKey>, StoreError> {
        let sql = match self.pool {
            Pool::Sqlite(_) => unreferenced!(""),
            Pool::Postgres(_) => unreferenced!(" FOR UPDATE SKIP LOCKED"),
        };
        let deleting = on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            let unreferenced: Vec<(String, String, Vec<u8>)> =
                sqlx::query_as(sql).bind(claimed_before.0).bind(marked_before.0).bind(limit).fetch_all(&mut *tx).await?;
            let mut deleting = Vec::new();
            for (app, user, sha256) in unreferenced {
                let state: String = sqlx::query_scalar(MARK_UNREFERENCED).bind(&app).bind(&user).bind(&sha256)
                    .bind(now.0)
                    .fetch_one(&mut *tx).await?;
                if blob_state(&state)? == BlobState::Deleting {
                    deleting.push((app, user, sha256));
                }
            }
            tx.commit().await?;
            deleting
        });
        deleting.into_iter().map(|(app, user, sha256)| blob_key(app, &user, &sha256)).collect()
    }

    /// Deletes the rows of blobs that were marked at `marked_at` and whose bytes are deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_blob_rows(&self, keys: &[BlobKey], marked_at: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            for key in keys {
                sqlx::query(DELETE_ROW)
                    .bind(key.application.as_str()).bind(key.user.as_str()).bind(&key.sha256[..]).bind(marked_at.0)
                    .execute(&mut *tx).await?;
            }
            tx.commit().await?;
        });
        Ok(())
    }

    /// Whether the database has a row for a name (see [`BlobKey::name`]), in any state.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_blob(&self, name: &str) -> Result<bool, StoreError> {
        let mut parts = name.split('/');
        let (Some(app), Some(_), Some(digits)) = (parts.next(), parts.next(), parts.next()) else { return Ok(false) };
        let Some(sha256) = from_hex(digits) else { return Ok(false) };
        let users: Vec<String> = on_each!(self, pool => sqlx::query_scalar(USERS_OF_HASH).bind(app).bind(&sha256[..])
            .fetch_all(pool).await)?;
        for user in users {
            // The name contains a hash of the user, so it cannot be turned back into the key.
            if blob_key(app.to_owned(), &user, &sha256)?.name() == name {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Bytes from hexadecimal digits.
#[must_use]
pub fn from_hex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != bytes.len() * 2 {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Parses a stored state.
pub(crate) fn blob_state(word: &str) -> Result<BlobState, StoreError> {
    BlobState::from_text(word).ok_or_else(|| StoreError::Damaged(format!("the state '{word}' of a blob")))
}

/// Parses a stored key.
pub(crate) fn blob_key(app: String, user: &str, sha256: &[u8]) -> Result<BlobKey, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(format!("the {what} of a blob"));
    let user = UserId::new(user).map_err(|_| damaged("user"))?;
    let sha256 = sha256.try_into().map_err(|_| damaged("hash"))?;
    Ok(BlobKey { application: AppId::from_text(app), user, sha256 })
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{AppId, ApplicationName, BlobState, IllegalStep, Timestamp, UserId};

    use super::{BlobClaim, INSERT, LOCK_ACCOUNT, MARK_RELEASED, MARK_STORED, STATE};
    use crate::{BlobKey, Store};

    async fn open(folder: &tempfile::TempDir) -> Store {
        let address = format!("sqlite:{}", folder.path().join("kaisatsu.db").display());
        Store::open(&address.parse().unwrap()).await.unwrap()
    }

    /// The statements take exactly the steps that the states allow, and to the same state.
    #[tokio::test]
    async fn the_statements_follow_the_states() {
        type Step = fn(BlobState) -> Result<BlobState, IllegalStep>;
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder).await;
        let crate::Pool::Sqlite(pool) = &store.pool else { unreachable!() };
        let (app, user) = (AppId::from_random([1; 10]), UserId::new("u").unwrap());
        store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let account = sqlx::query(LOCK_ACCOUNT).bind(app.as_str()).bind(user.as_str()).bind(0_i64);
        account.execute(pool).await.unwrap();
        let steps: [(&str, Step); 2] = [(MARK_STORED, BlobState::refer), (MARK_RELEASED, BlobState::release)];
        let cases = steps.iter().flat_map(|step| BlobState::ALL.map(|state| (step, state)));
        for (number, ((sql, step), state)) in (0_u8..).zip(cases) {
            let key = BlobKey::of(&app, &user, &[number]);
            let insert = sqlx::query(INSERT).bind(app.as_str()).bind(user.as_str()).bind(&key.sha256[..]);
            insert.bind(1_i64).bind(0_i64).execute(pool).await.unwrap();
            let set = sqlx::query("UPDATE blob SET state = $2 WHERE sha256 = $1").bind(&key.sha256[..]);
            set.bind(state.as_str()).execute(pool).await.unwrap();
            let run = sqlx::query(sqlx::AssertSqlSafe(*sql)).bind(app.as_str()).bind(user.as_str());
            let changed = run.bind(&key.sha256[..]).bind(1_i64).execute(pool).await.unwrap().rows_affected();
            let after = sqlx::query_scalar(STATE).bind(app.as_str()).bind(user.as_str()).bind(&key.sha256[..]);
            let after: String = after.fetch_one(pool).await.unwrap();
            assert_eq!(changed == 1, step(state).is_ok(), "{sql} of {state:?}");
            assert_eq!(after, step(state).unwrap_or(state).as_str(), "{sql} of {state:?}");
        }
    }

    #[tokio::test]
    async fn a_claim_follows_from_the_state_of_the_blob() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder).await;
        let crate::Pool::Sqlite(pool) = &store.pool else { unreachable!() };
        let (app, user) = (AppId::from_random([1; 10]), UserId::new("u").unwrap());
        store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let key = BlobKey::of(&app, &user, b"cat");
        assert_eq!(store.claim_blob(&key, 1, 9, Timestamp(0)).await.unwrap(), BlobClaim::Write);
        for (state, claim) in BlobState::ALL.into_iter().zip([
            BlobClaim::Write,
            BlobClaim::Exists,
            BlobClaim::Exists,
            BlobClaim::Deleting,
        ]) {
            sqlx::query("UPDATE blob SET state = $1").bind(state.as_str()).execute(pool).await.unwrap();
            assert_eq!(store.claim_blob(&key, 1, 9, Timestamp(0)).await.unwrap(), claim, "{state:?}");
        }
    }

    #[tokio::test]
    async fn the_query_for_unreferenced_blobs_uses_the_partial_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder).await;
        let crate::Pool::Sqlite(pool) = &store.pool else { unreachable!() };
        let plan: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(concat!("EXPLAIN QUERY PLAN ", unreferenced!(""))).fetch_all(pool).await.unwrap();
        assert!(plan.iter().all(|(.., step)| !step.contains("SCAN") || step.contains("blob_to_sweep")), "{plan:?}");
    }
}
