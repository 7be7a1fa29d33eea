//! Rate limits and daily quotas that all servers on a database keep together. A server leases a few requests at a time
//! and asks again when they are used up.

use kaisatsu_model::{AppId, KeyId, Timestamp};

use crate::{Store, StoreError, on_each};

/// Requests that a server may let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct LimitLease {
    /// How many; 0 when there are too few left.
    pub granted: i64,
    /// What is left in the database: millionths of a request of a rate, requests of a day.
    pub remaining: i64,
}

/// The size of a lease of a key's rate.
#[derive(Debug, Clone, Copy)]
pub struct RateShare {
    /// Requests a second that the key may make, and at once after a pause.
    pub per_second: i64,
    /// Requests that are wanted; not more than `per_second`.
    pub wanted: i64,
    /// The fewest that are worth a lease.
    pub least: i64,
}

/// The size of a lease of an application's day.
#[derive(Debug, Clone, Copy)]
pub struct DayShare {
    /// Days since 1970, in UTC.
    pub day: i64,
    /// Requests that the application may make on it.
    pub per_day: i64,
    /// The most requests of a lease. When few are left leases become smaller, so that no server keeps them from the
    /// others.
    pub most: i64,
    /// Requests that were let through while the database was away.
    pub debt: i64,
}

/// When the day begins.
const DAY: i64 = 24 * 3_600_000_000;

/// A lease is the smaller the less is left: at most this part of it.
const PARTS: i64 = 16;

// $1 key, $2 now, $3 requests a second, $4 wanted, $5 least. A bucket is full after a second. Clocks of servers differ
// a little; one that is far ahead of this lease was set back since.
macro_rules! elapsed {
    () => {
        "(CASE WHEN rate_bucket.at - $2 > 1000000 OR $2 - rate_bucket.at > 1000000 THEN 1000000 \
         WHEN $2 < rate_bucket.at THEN 0 ELSE $2 - rate_bucket.at END)"
    };
}
macro_rules! filled {
    () => {
        concat!(
            "(CASE WHEN rate_bucket.level + ",
            elapsed!(),
            " * CAST($3 AS BIGINT) > CAST($3 AS BIGINT) * 1000000 THEN CAST($3 AS BIGINT) * 1000000 \
             ELSE rate_bucket.level + ",
            elapsed!(),
            " * CAST($3 AS BIGINT) END)"
        )
    };
}
macro_rules! granted {
    () => {
        concat!(
            "(CASE WHEN ",
            filled!(),
            " < CAST($5 AS BIGINT) * 1000000 THEN 0 WHEN ",
            filled!(),
            " < CAST($4 AS BIGINT) * 1000000 THEN ",
            filled!(),
            " / 1000000 ELSE CAST($4 AS BIGINT) END)"
        )
    };
}

/// One statement, so that leases of several servers cannot interleave.
const LEASE_RATE: &str = concat!(
    "INSERT INTO rate_bucket (key_id, level, at, granted) \
     VALUES ($1, (CAST($3 AS BIGINT) - CAST($4 AS BIGINT)) * 1000000, $2, CAST($4 AS BIGINT)) \
     ON CONFLICT (key_id) DO UPDATE SET level = ",
    filled!(),
    " - ",
    granted!(),
    " * 1000000, granted = ",
    granted!(),
    ", at = CASE WHEN rate_bucket.at > $2 AND rate_bucket.at - $2 <= 1000000 THEN rate_bucket.at ELSE $2 END \
     RETURNING granted, level AS remaining"
);

// $1 application, $2 day, $3 requests a day, $4 most, $5 debt, $6 parts.
macro_rules! day_left {
    () => {
        "(CAST($3 AS BIGINT) - day_budget.taken - CAST($5 AS BIGINT))"
    };
}
macro_rules! day_granted {
    () => {
        concat!(
            "(CASE WHEN ",
            day_left!(),
            " <= 0 THEN 0 WHEN ",
            day_left!(),
            " / CAST($6 AS BIGINT) >= CAST($4 AS BIGINT) THEN CAST($4 AS BIGINT) WHEN ",
            day_left!(),
            " < 2 * CAST($6 AS BIGINT) THEN 1 ELSE ",
            day_left!(),
            " / CAST($6 AS BIGINT) END)"
        )
    };
}

const LEASE_DAY: &str = concat!(
    "UPDATE day_budget SET taken = taken + CAST($5 AS BIGINT) + ",
    day_granted!(),
    ", granted = ",
    day_granted!(),
    " WHERE application_id = $1 AND day = $2 RETURNING granted, CAST($3 AS BIGINT) - taken AS remaining"
);

/// A day begins with what has been counted: servers may have kept the quota by themselves until now. Calls of the
/// console, which have no key, do not count.
const BEGIN_DAY: &str = "INSERT INTO day_budget (application_id, day, taken, granted) \
     SELECT id, $2, (SELECT CAST(COALESCE(SUM(requests), 0) AS BIGINT) FROM usage WHERE application_id = $1 \
     AND hour >= $3 AND key_id <> '' AND outcome IN ('answered', 'refused')), 0 FROM application WHERE id = $1 \
     ON CONFLICT (application_id, day) DO NOTHING";

const RETURN_DAY: &str = "UPDATE day_budget SET taken = CASE WHEN taken > $3 THEN taken - $3 ELSE 0 END \
     WHERE application_id = $1 AND day = $2";

impl Store {
    /// Whether several servers may use this database at the same time, from several machines.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.pool, crate::Pool::Postgres(_))
    }

    /// Leases requests of a key's rate: as many as are wanted, or what is left, or none if that is too few.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lease_rate(&self, key: &KeyId, now: Timestamp, share: RateShare) -> Result<LimitLease, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_as(LEASE_RATE)
            .bind(key.as_str()).bind(now.0).bind(share.per_second).bind(share.wanted).bind(share.least)
            .fetch_one(pool).await)?)
    }

    /// Leases requests of an application's day, and charges its debt.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lease_day(&self, application: &AppId, share: DayShare) -> Result<LimitLease, StoreError> {
        let DayShare { day, per_day, most, debt } = share;
        on_each!(self, pool => {
            for _ in 0..2 {
                let lease = sqlx::query_as(LEASE_DAY)
                    .bind(application.as_str()).bind(day).bind(per_day).bind(most).bind(debt).bind(PARTS)
                    .fetch_optional(pool).await?;
                if let Some(lease) = lease {
                    return Ok(lease);
                }
                sqlx::query(BEGIN_DAY).bind(application.as_str()).bind(day).bind(day * DAY).execute(pool).await?;
            }
        });
        // The application has been erased.
        Ok(LimitLease { granted: 0, remaining: 0 })
    }

    /// Returns requests of an application's day that were leased and not used.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn return_day_lease(&self, application: &AppId, day: i64, requests: i64) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(RETURN_DAY)
            .bind(application.as_str()).bind(day).bind(requests).execute(pool).await.map(drop))?;
        Ok(())
    }

    /// Deletes the days before that of a time, and buckets that nobody leased from for an hour before it: those are
    /// full.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_old_limits(&self, now: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM day_budget WHERE day < $1").bind(now.0.div_euclid(DAY)).execute(pool).await?;
            let idle = now.0 - 3_600_000_000;
            sqlx::query("DELETE FROM rate_bucket WHERE at < $1").bind(idle).execute(pool).await?;
        });
        Ok(())
    }
}
