//! Requests by the hour: how many, how they ended, and how long they took.

use kaisatsu_model::{AppId, Timestamp};

use crate::{Store, StoreError, on_each, transactions::Transactions as _};

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UsageOutcome {
    /// Answered.
    Answered,
    /// Refused: the caller made a mistake.
    Refused,
    /// Failed: the server made one.
    Failed,
    /// Turned away: over a limit.
    TurnedAway,
}

impl UsageOutcome {
    /// All outcomes.
    pub const ALL: [Self; 4] = [Self::Answered, Self::Refused, Self::Failed, Self::TurnedAway];

    /// The stored form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TurnedAway => "turned_away",
        }
    }
}

/// Requests to add to the stored counts.
#[derive(Debug, Clone)]
pub struct UsageRow {
    /// The application that called.
    pub application: AppId,
    /// Its key; empty for calls of the console.
    pub key: String,
    /// The operation.
    pub operation: String,
    /// When the hour begins.
    pub hour: Timestamp,
    /// How they ended.
    pub outcome: UsageOutcome,
    /// The index of the latency bucket.
    pub class: i64,
    /// How many requests.
    pub requests: i64,
    /// The sum of their durations.
    pub micros: i64,
}

/// Requests of one kind in one interval.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct UsageTotal {
    /// When the interval begins, in microseconds since 1970.
    pub begins: i64,
    /// The key; empty for calls of the console.
    pub key_id: String,
    /// The operation.
    pub operation: String,
    /// How they ended, in its stored form.
    pub outcome: String,
    /// The index of the latency bucket.
    pub class: i64,
    /// How many requests.
    pub requests: i64,
    /// The sum of their durations.
    pub micros: i64,
}

const ADD: &str = "INSERT INTO usage (application_id, hour, key_id, operation, outcome, class, requests, micros) \
     SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT 1 FROM application WHERE id = $1) \
     ON CONFLICT (application_id, hour, key_id, operation, outcome, class) DO UPDATE SET \
     requests = usage.requests + excluded.requests, micros = usage.micros + excluded.micros";

const SUMS: &str = "SELECT hour - hour % $4 AS begins, key_id, operation, outcome, class, \
     CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(micros) AS BIGINT) AS micros FROM usage \
     WHERE application_id = $1 AND hour >= $2 AND hour < $3 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

/// Calls of the console, which have no key, count against no quota.
const TAKEN: &str = "SELECT application_id, CAST(SUM(requests) AS BIGINT) FROM usage \
     WHERE hour >= $1 AND key_id <> '' AND outcome IN ('answered', 'refused') AND ($2 IS NULL OR application_id = $2) \
     GROUP BY application_id";

impl Store {
    /// Adds requests to the stored counts, all or none. Replicas pass the rows in the same order, so that they cannot
    /// deadlock.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn add_usage(&self, rows: &[UsageRow]) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            for row in rows {
                sqlx::query(ADD)
                    .bind(row.application.as_str()).bind(row.hour.0).bind(&row.key).bind(&row.operation)
                    .bind(row.outcome.as_str()).bind(row.class).bind(row.requests).bind(row.micros)
                    .execute(&mut *tx).await?;
            }
            tx.commit().await?;
        });
        Ok(())
    }

    /// Stores when keys were last used. One statement a key: a transaction that updates all keys of an application
    /// must not deadlock with this one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_key_use(&self, used: &[(String, Timestamp)]) -> Result<(), StoreError> {
        on_each!(self, pool => {
            for (key, at) in used {
                sqlx::query("UPDATE api_key SET last_used_at = $2 \
                     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)")
                    .bind(key).bind(at.0).execute(pool).await?;
            }
        });
        Ok(())
    }

    /// The requests of an application, by intervals of `step_micros`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn usage(
        &self,
        application: &AppId,
        from: Timestamp,
        to: Timestamp,
        step_micros: i64,
    ) -> Result<Vec<UsageTotal>, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_as(SUMS)
            .bind(application.as_str()).bind(from.0).bind(to.0).bind(step_micros.max(1)).fetch_all(pool).await)?)
    }

    /// How many requests count against the quota of each application, or of one, since a time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn requests_since(
        &self,
        since: Timestamp,
        application: Option<&AppId>,
    ) -> Result<Vec<(AppId, i64)>, StoreError> {
        let rows: Vec<(String, i64)> = on_each!(self, pool => sqlx::query_as(TAKEN)
            .bind(since.0).bind(application.map(AppId::as_str)).fetch_all(pool).await)?;
        Ok(rows.into_iter().map(|(id, count)| (AppId::from_text(id), count)).collect())
    }

    /// Deletes counts from before a time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_old_usage(&self, before: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM usage WHERE hour < $1").bind(before.0).execute(pool).await.map(drop)
        })?;
        Ok(())
    }
}
