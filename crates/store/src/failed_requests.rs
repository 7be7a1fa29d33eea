//! The latest requests of each application that were not answered with success.

use kaisatsu_model::{AppId, Timestamp};

use crate::{Store, StoreError, on_each, transactions::Transactions as _};

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRequest {
    /// The application that sent it.
    pub application: AppId,
    /// When it failed.
    pub at: Timestamp,
    /// Its id, as in `X-Request-Id`.
    pub request_id: String,
    /// The key it was sent with; empty for requests of the console.
    pub key: String,
    /// The operation.
    pub operation: String,
    /// The HTTP status.
    pub status: u16,
    /// The code of the error.
    pub code: String,
    /// What the caller was told.
    pub message: String,
}

const ADD: &str = "INSERT INTO failed_request \
     (application_id, failed_at, request_id, key_id, operation, status, code, message) \
     SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT 1 FROM application WHERE id = $1) \
     ON CONFLICT (application_id, failed_at, request_id) DO NOTHING";

/// Leaves the latest requests of an application.
const TRIM: &str = "DELETE FROM failed_request WHERE application_id = $1 AND failed_at < \
     (SELECT failed_at FROM failed_request WHERE application_id = $1 ORDER BY failed_at DESC LIMIT 1 OFFSET $2)";

const LIST: &str = "SELECT failed_at, request_id, key_id, operation, status, code, message FROM failed_request \
     WHERE application_id = $1 AND failed_at < $2 AND failed_at >= $3 ORDER BY failed_at DESC, request_id LIMIT $4";

type Row = (i64, String, String, String, i64, String, String);

impl Store {
    /// Adds requests, and leaves `keep` of each application that has new ones.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn add_failed_requests(&self, requests: &[FailedRequest], keep: i64) -> Result<(), StoreError> {
        let mut applications: Vec<&str> = requests.iter().map(|request| request.application.as_str()).collect();
        applications.sort_unstable();
        applications.dedup();
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            for request in requests {
                sqlx::query(ADD)
                    .bind(request.application.as_str()).bind(request.at.0).bind(&request.request_id)
                    .bind(&request.key).bind(&request.operation).bind(i64::from(request.status))
                    .bind(&request.code).bind(&request.message).execute(&mut *tx).await?;
            }
            for application in applications {
                sqlx::query(TRIM).bind(application).bind(keep - 1).execute(&mut *tx).await?;
            }
            tx.commit().await?;
        });
        Ok(())
    }

    /// The failed requests of an application between two times, the latest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn failed_requests(
        &self,
        application: &AppId,
        before: Timestamp,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<FailedRequest>, StoreError> {
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(LIST).bind(application.as_str()).bind(before.0)
            .bind(since.0).bind(limit).fetch_all(pool).await)?;
        let request = |(at, request_id, key, operation, status, code, message): Row| FailedRequest {
            application: application.clone(),
            at: Timestamp(at),
            request_id,
            key,
            operation,
            status: u16::try_from(status).unwrap_or_default(),
            code,
            message,
        };
        Ok(rows.into_iter().map(request).collect())
    }

    /// Deletes requests that failed before a time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_failed_requests(&self, before: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM failed_request WHERE failed_at < $1").bind(before.0).execute(pool).await.map(drop)
        })?;
        Ok(())
    }
}
