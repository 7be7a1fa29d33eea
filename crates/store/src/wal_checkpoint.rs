//! Checkpoints of SQLite's write-ahead log, which holds deleted data until then.

use std::time::Duration;

use sqlx::{Connection, SqliteConnection};

use crate::{Pool, Store, StoreError};

impl Store {
    /// Copies the write-ahead log into the database file and truncates it. Returns whether that was possible: while
    /// another connection reads an older snapshot it is not, and nobody is made to wait. On PostgreSQL there is
    /// nothing to do.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn wal_checkpoint(&self) -> Result<bool, StoreError> {
        let Pool::Sqlite(pool) = &self.pool else { return Ok(true) };
        // A separate connection with a busy timeout of zero: one that waits holds the write lock meanwhile.
        let options = (*pool.connect_options()).clone().busy_timeout(Duration::ZERO).optimize_on_close(false, None);
        let mut connection = SqliteConnection::connect_with(&options).await?;
        let busy: Result<i64, _> =
            sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await;
        connection.close().await?;
        Ok(busy? == 0)
    }
}
