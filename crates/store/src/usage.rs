//! What was called, by the hour: how often, how it ended, and how long it took.

use kaisatsu_model::{AppId, Timestamp};

use crate::{Store, StoreError, on_each};

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UsageOutcome {
    /// Answered.
    Answered,
    /// Refused: the caller's fault.
    Refused,
    /// Failed: ours.
    Failed,
    /// Turned away, because there were too many.
    TurnedAway,
}

impl UsageOutcome {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Answered, Self::Refused, Self::Failed, Self::TurnedAway];

    /// As it is kept.
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

/// Requests to be added to what is kept.
#[derive(Debug, Clone)]
pub struct UsageRow {
    /// Who called.
    pub application: AppId,
    /// With which key; empty for what a console called.
    pub key: String,
    /// What was called.
    pub operation: String,
    /// When the hour begins.
    pub hour: Timestamp,
    /// How they ended.
    pub outcome: UsageOutcome,
    /// How long they took, as the number of a class of times.
    pub class: i64,
    /// How many there were.
    pub requests: i64,
    /// How long all of them took.
    pub micros: i64,
}

/// Requests of one kind in one stretch of time.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UsageSum {
    /// When the stretch begins, in microseconds since 1970.
    pub begins: i64,
    /// The key; empty for what a console called.
    pub key_id: String,
    /// The operation.
    pub operation: String,
    /// How they ended, as it is kept.
    pub outcome: String,
    /// The class of times.
    pub class: i64,
    /// How many there were.
    pub requests: i64,
    /// How long all of them took.
    pub micros: i64,
}

const ADD: &str = "INSERT INTO usage (application_id, hour, key_id, operation, outcome, class, requests, micros) \
     SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT 1 FROM application WHERE id = $1) \
     ON CONFLICT (application_id, hour, key_id, operation, outcome, class) DO UPDATE SET \
     requests = usage.requests + excluded.requests, micros = usage.micros + excluded.micros";

const SUMS: &str = "SELECT hour - hour % $4 AS begins, key_id, operation, outcome, class, \
     CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(micros) AS BIGINT) AS micros FROM usage \
     WHERE application_id = $1 AND hour >= $2 AND hour < $3 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

const TAKEN: &str = "SELECT application_id, CAST(SUM(requests) AS BIGINT) FROM usage \
     WHERE hour >= $1 AND outcome IN ('answered', 'refused') AND ($2 IS NULL OR application_id = $2) \
     GROUP BY application_id";

impl Store {
    /// Adds requests to what is kept, all or nothing. Replicas give the rows in the same order, so that none waits for
    /// another in a circle.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn add_usage(&self, rows: &[UsageRow]) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
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

    /// Notes when keys were last used. One by one: whoever changes all keys of an application must not meet a half-finished
    /// list of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_used(&self, used: &[(String, Timestamp)]) -> Result<(), StoreError> {
        on_each!(self, pool => {
            for (key, at) in used {
                sqlx::query("UPDATE api_key SET last_used_at = $2 \
                     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)")
                    .bind(key).bind(at.0).execute(pool).await?;
            }
        });
        Ok(())
    }

    /// What an application called, by stretches of `step_micros`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn usage(
        &self,
        application: &AppId,
        from: Timestamp,
        to: Timestamp,
        step_micros: i64,
    ) -> Result<Vec<UsageSum>, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_as(SUMS)
            .bind(application.as_str()).bind(from.0).bind(to.0).bind(step_micros.max(1)).fetch_all(pool).await)?)
    }

    /// How many requests count against the quota of each application, or of one, since a moment.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn taken_since(
        &self,
        since: Timestamp,
        application: Option<&AppId>,
    ) -> Result<Vec<(AppId, i64)>, StoreError> {
        let rows: Vec<(String, i64)> = on_each!(self, pool => sqlx::query_as(TAKEN)
            .bind(since.0).bind(application.map(AppId::as_str)).fetch_all(pool).await)?;
        Ok(rows.into_iter().map(|(id, count)| (AppId::from_text(id), count)).collect())
    }

    /// Forgets what was called before a moment.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_usage(&self, before: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM usage WHERE hour < $1").bind(before.0).execute(pool).await.map(drop)
        })?;
        Ok(())
    }
}
