//! Requests with an `Idempotency-Key`: who is at work on one, and what it was answered.

use kaisatsu_model::{AppId, Timestamp};

use crate::{Store, StoreError, on_each};

/// The size of a seed.
pub const SEED_BYTES: usize = 20;

/// How often a claim is tried again when the row changes at the same time.
const ROUNDS: usize = 5;

/// A request that wants to begin.
#[derive(Debug, Clone)]
pub struct NewClaim {
    /// SHA-256 of the application, the user and the key.
    pub digest: [u8; 32],
    /// The application that asks.
    pub application: AppId,
    /// SHA-256 of the request.
    pub request: [u8; 32],
    /// Random bytes, from which what is created takes its id.
    pub seed: [u8; SEED_BYTES],
    /// The time now.
    pub now: Timestamp,
    /// Until when it is leased.
    pub leased_until: Timestamp,
    /// Rows from before this time have expired.
    pub expired_before: Timestamp,
}

/// An answer that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body; empty when there is none.
    pub body: Vec<u8>,
}

/// What becomes of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The caller does the work, with this seed: an earlier one's, if that one was interrupted.
    Claimed([u8; SEED_BYTES]),
    /// The work is done.
    Answered(StoredAnswer),
    /// Somebody else is at work on it.
    Running,
    /// The key belongs to another request.
    OtherRequest,
}

const INSERT: &str = "INSERT INTO idempotency (digest, application_id, request, seed, created_at, leased_until) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO NOTHING";

const SELECT: &str = "SELECT request, seed, created_at, leased_until, status, body FROM idempotency WHERE digest = $1";

const DELETE_EXPIRED_ONE: &str = "DELETE FROM idempotency WHERE digest = $1 AND created_at < $2";

const TAKE_OVER: &str = "UPDATE idempotency SET leased_until = $2 \
     WHERE digest = $1 AND leased_until = $3 AND status IS NULL";

const RENEW: &str = "UPDATE idempotency SET leased_until = $2 WHERE digest = $1 AND status IS NULL";

const FINISH: &str = "UPDATE idempotency SET status = $2, body = $3 WHERE digest = $1 AND status IS NULL";

const RELEASE: &str = "DELETE FROM idempotency WHERE digest = $1 AND status IS NULL";

const DELETE_EXPIRED: &str = "DELETE FROM idempotency WHERE created_at < $1";

type Row = (Vec<u8>, Vec<u8>, i64, i64, Option<i64>, Option<Vec<u8>>);

impl Store {
    /// Claims a request for its first caller, or says what became of it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn claim_request(&self, claim: &NewClaim) -> Result<ClaimOutcome, StoreError> {
        let (digest, until) = (&claim.digest[..], claim.leased_until.0);
        on_each!(self, pool => {
            for _ in 0..ROUNDS {
                let inserted = sqlx::query(INSERT)
                    .bind(digest).bind(claim.application.as_str()).bind(&claim.request[..]).bind(&claim.seed[..])
                    .bind(claim.now.0).bind(until)
                    .execute(pool).await?;
                if inserted.rows_affected() == 1 {
                    return Ok(ClaimOutcome::Claimed(claim.seed));
                }
                let row: Option<Row> = sqlx::query_as(SELECT).bind(digest).fetch_optional(pool).await?;
                let Some((request, seed, created_at, leased_until, status, body)) = row else { continue };
                if created_at < claim.expired_before.0 {
                    sqlx::query(DELETE_EXPIRED_ONE)
                        .bind(digest).bind(claim.expired_before.0)
                        .execute(pool).await?;
                    continue;
                }
                if request != claim.request {
                    return Ok(ClaimOutcome::OtherRequest);
                }
                if let Some(status) = status {
                    let damaged = |_| StoreError::Damaged("the status of an answer".to_owned());
                    let status = u16::try_from(status).map_err(damaged)?;
                    return Ok(ClaimOutcome::Answered(StoredAnswer { status, body: body.unwrap_or_default() }));
                }
                if leased_until > claim.now.0 {
                    return Ok(ClaimOutcome::Running);
                }
                let taken = sqlx::query(TAKE_OVER)
                    .bind(digest).bind(until).bind(leased_until)
                    .execute(pool).await?;
                if taken.rows_affected() == 1 {
                    let damaged = |_| StoreError::Damaged("the seed of a request".to_owned());
                    return seed.try_into().map(ClaimOutcome::Claimed).map_err(damaged);
                }
            }
        });
        // Others change the row all the time, so somebody is at work.
        Ok(ClaimOutcome::Running)
    }

    /// Moves the end of a lease: later while the work goes on, to now when it is interrupted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lease_request(&self, digest: [u8; 32], until: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(RENEW).bind(&digest[..]).bind(until.0).execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Stores the answer of a request.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn store_answer(&self, digest: [u8; 32], answer: &StoredAnswer) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(FINISH)
            .bind(&digest[..]).bind(i64::from(answer.status)).bind(&answer.body)
            .execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Forgets a request that had no effect, so that its key may be used for another one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_request(&self, digest: [u8; 32]) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(RELEASE).bind(&digest[..]).execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Deletes requests from before a time; returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_expired_requests(&self, before: Timestamp) -> Result<u64, StoreError> {
        Ok(on_each!(self, pool => sqlx::query(DELETE_EXPIRED).bind(before.0).execute(pool).await?.rows_affected()))
    }
}
