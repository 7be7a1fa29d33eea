//! Which bytes are kept, and whose they are: the database's side of [`crate::Blobs`].
//!
//! Bytes are claimed before they are written and belong to something when they are; what belongs to nothing is doomed
//! before it is removed. A crash between two of these steps leaves a row that says which step was the last.

use kaisatsu_model::{AppId, BlobState, Timestamp, UserId};

use crate::{BlobKey, Pool, Store, StoreError, on_each};

/// What a claim came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The bytes are there: nothing has to be written.
    There,
    /// The bytes are to be written.
    Write,
    /// They are being removed at this moment; shortly they can be claimed.
    Busy,
    /// The user may not have that many bytes.
    Full,
}

/// Puts changes of what a user owns in a line.
pub(crate) const LOCK_ACCOUNT: &str = "INSERT INTO user_account (application_id, user_id, changed_at) \
     VALUES ($1, $2, $3) ON CONFLICT (application_id, user_id) DO UPDATE SET changed_at = excluded.changed_at";

const STATE: &str = "SELECT state FROM blob WHERE application_id = $1 AND user_id = $2 AND sha256 = $3";

const USED: &str = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM blob \
     WHERE application_id = $1 AND user_id = $2 AND state <> 'doomed'";

const INSERT: &str = "INSERT INTO blob (application_id, user_id, sha256, size, state, touched_at) \
     VALUES ($1, $2, $3, $4, 'writing', $5)";

const TOUCH: &str = "UPDATE blob SET touched_at = $4 WHERE application_id = $1 AND user_id = $2 AND sha256 = $3";

/// Says that bytes are there and somebody's; no row when they were removed meanwhile.
pub(crate) const SETTLE: &str = "UPDATE blob SET state = 'there', touched_at = $4 \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 AND state <> 'doomed'";

/// Says that bytes may be nobody's.
pub(crate) const LOOSEN: &str = "UPDATE blob SET state = 'loose', touched_at = $4 \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 AND state <> 'doomed'";

/// Bytes that may be nobody's: let go of, claimed by somebody who is gone, or half removed. Rows that another is just writing
/// are passed over on PostgreSQL: they are looked at the next time, and nobody waits for anybody. The first condition follows
/// from the others; it is what the partial index is found by.
macro_rules! suspects {
    ($skip:literal) => {
        concat!(
            "SELECT application_id, user_id, sha256 FROM blob WHERE state <> 'there' AND (state = 'loose' \
             OR (state = 'writing' AND touched_at < $1) OR (state = 'doomed' AND touched_at < $2)) LIMIT $3",
            $skip
        )
    };
}

/// A statement of its own, after the rows are held: only then it sees every reference that was made before.
const JUDGE: &str = "UPDATE blob SET touched_at = $4, state = CASE WHEN \
     EXISTS (SELECT 1 FROM user_image i WHERE i.application_id = $1 AND i.user_id = $2 AND i.sha256 = $3) \
     OR EXISTS (SELECT 1 FROM dataset_image d WHERE d.application_id = $1 AND d.user_id = $2 AND d.sha256 = $3) \
     THEN 'there' ELSE 'doomed' END \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 RETURNING state";

/// Only by who doomed them last: another, who took over, may be about to remove what is written there next.
const FORGET: &str = "DELETE FROM blob \
     WHERE application_id = $1 AND user_id = $2 AND sha256 = $3 AND state = 'doomed' AND touched_at = $4";

const NAMED: &str = "SELECT user_id FROM blob WHERE application_id = $1 AND sha256 = $2";

impl Store {
    /// Claims bytes for a user who may have `most` of them in all. What is claimed and then not made use of is removed
    /// after a while.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim_blob(&self, key: &BlobKey, size: i64, most: i64, now: Timestamp) -> Result<Claim, StoreError> {
        let (app, user, sha256) = (key.application.as_str(), key.user.as_str(), &key.sha256[..]);
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query(LOCK_ACCOUNT).bind(app).bind(user).bind(now.0).execute(&mut *tx).await?;
            let state: Option<String> =
                sqlx::query_scalar(STATE).bind(app).bind(user).bind(sha256).fetch_optional(&mut *tx).await?;
            let claim = match state.map(|word| blob_state(&word)).transpose()?.map(BlobState::claim) {
                Some(Err(_)) => Claim::Busy,
                Some(Ok(state)) if state.is_complete() => Claim::There,
                Some(Ok(_)) => {
                    sqlx::query(TOUCH).bind(app).bind(user).bind(sha256).bind(now.0).execute(&mut *tx).await?;
                    Claim::Write
                }
                None => {
                    let taken: i64 = sqlx::query_scalar(USED).bind(app).bind(user).fetch_one(&mut *tx).await?;
                    if taken.saturating_add(size) > most {
                        Claim::Full
                    } else {
                        sqlx::query(INSERT).bind(app).bind(user).bind(sha256).bind(size).bind(now.0)
                            .execute(&mut *tx).await?;
                        Claim::Write
                    }
                }
            };
            tx.commit().await?;
            Ok(claim)
        })
    }

    /// Lets go of bytes that were claimed and are not needed after all.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_blob(&self, key: &BlobKey, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(LOOSEN)
            .bind(key.application.as_str()).bind(key.user.as_str()).bind(&key.sha256[..]).bind(now.0)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Takes bytes that are nobody's, at most `most`, for the caller to remove: those let go of at once, those claimed
    /// before `written` and never written, and those taken before `removed` by somebody who never removed them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn doom_blobs(
        &self,
        now: Timestamp,
        written: Timestamp,
        removed: Timestamp,
        most: i64,
    ) -> Result<Vec<BlobKey>, StoreError> {
        let sql = match self.pool {
            Pool::Sqlite(_) => suspects!(""),
            Pool::Postgres(_) => suspects!(" FOR UPDATE SKIP LOCKED"),
        };
        let doomed = on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            let suspects: Vec<(String, String, Vec<u8>)> =
                sqlx::query_as(sql).bind(written.0).bind(removed.0).bind(most).fetch_all(&mut *tx).await?;
            let mut doomed = Vec::new();
            for (app, user, sha256) in suspects {
                let state: String = sqlx::query_scalar(JUDGE).bind(&app).bind(&user).bind(&sha256).bind(now.0)
                    .fetch_one(&mut *tx).await?;
                if blob_state(&state)? == BlobState::Deleting {
                    doomed.push((app, user, sha256));
                }
            }
            tx.commit().await?;
            doomed
        });
        doomed.into_iter().map(|(app, user, sha256)| blob_key(app, &user, &sha256)).collect()
    }

    /// Forgets bytes that were doomed at a time and are removed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_blobs(&self, keys: &[BlobKey], doomed: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            for key in keys {
                sqlx::query(FORGET)
                    .bind(key.application.as_str()).bind(key.user.as_str()).bind(&key.sha256[..]).bind(doomed.0)
                    .execute(&mut *tx).await?;
            }
            tx.commit().await?;
        });
        Ok(())
    }

    /// Whether the database knows of bytes under a name (see [`BlobKey::name`]), in whatever state.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn knows_blob(&self, name: &str) -> Result<bool, StoreError> {
        let mut parts = name.split('/');
        let (Some(app), Some(_), Some(digits)) = (parts.next(), parts.next(), parts.next()) else { return Ok(false) };
        let Some(sha256) = from_hex(digits) else { return Ok(false) };
        let users: Vec<String> =
            on_each!(self, pool => sqlx::query_scalar(NAMED).bind(app).bind(&sha256[..]).fetch_all(pool).await)?;
        for user in users {
            // The name has a hash of its user, who is not to be had back from it.
            if blob_key(app.to_owned(), &user, &sha256)?.name() == name {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn from_hex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != bytes.len() * 2 {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// A state as it is kept.
pub(crate) fn blob_state(word: &str) -> Result<BlobState, StoreError> {
    BlobState::from_text(word).ok_or_else(|| StoreError::Damaged(format!("the state '{word}' of a blob")))
}

/// A key as it is kept.
pub(crate) fn blob_key(app: String, user: &str, sha256: &[u8]) -> Result<BlobKey, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(format!("the {what} of a blob"));
    let user = UserId::new(user).map_err(|_| damaged("user"))?;
    let sha256 = sha256.try_into().map_err(|_| damaged("hash"))?;
    Ok(BlobKey { application: AppId::from_text(app), user, sha256 })
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{AppId, ApplicationName, BlobState, IllegalStep, Timestamp, UserId};

    use super::{Claim, INSERT, LOCK_ACCOUNT, LOOSEN, SETTLE, STATE};
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
        let steps: [(&str, Step); 2] = [(SETTLE, BlobState::refer), (LOOSEN, BlobState::release)];
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
    async fn what_is_being_removed_cannot_be_claimed() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder).await;
        let crate::Pool::Sqlite(pool) = &store.pool else { unreachable!() };
        let (app, user) = (AppId::from_random([1; 10]), UserId::new("u").unwrap());
        store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let key = BlobKey::of(&app, &user, b"cat");
        assert_eq!(store.claim_blob(&key, 1, 9, Timestamp(0)).await.unwrap(), Claim::Write);
        for (state, claim) in BlobState::ALL.into_iter().zip([Claim::Write, Claim::There, Claim::There, Claim::Busy]) {
            sqlx::query("UPDATE blob SET state = $1").bind(state.as_str()).execute(pool).await.unwrap();
            assert_eq!(store.claim_blob(&key, 1, 9, Timestamp(0)).await.unwrap(), claim, "{state:?}");
        }
    }

    #[tokio::test]
    async fn the_sweeper_does_not_look_at_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder).await;
        let crate::Pool::Sqlite(pool) = &store.pool else { unreachable!() };
        let plan: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(concat!("EXPLAIN QUERY PLAN ", suspects!(""))).fetch_all(pool).await.unwrap();
        assert!(plan.iter().all(|(.., step)| !step.contains("SCAN") || step.contains("blob_to_sweep")), "{plan:?}");
    }
}
