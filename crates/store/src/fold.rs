//! SQLite's write-ahead log, in which what was deleted is still to be read for a while.

use std::time::Duration;

use sqlx::{Connection, SqliteConnection};

use crate::{Pool, Store, StoreError};

impl Store {
    /// Folds the log back into the file and empties it. Whether that could be done: not while somebody reads what was there
    /// before, and nobody is made to wait. On PostgreSQL there is nothing to be done.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn fold_log(&self) -> Result<bool, StoreError> {
        let Pool::Sqlite(pool) = &self.pool else { return Ok(true) };
        // On a connection of its own, because this one has no patience: it would wait with the right to write in hand.
        let impatient = (*pool.connect_options()).clone().busy_timeout(Duration::ZERO).optimize_on_close(false, None);
        let mut connection = SqliteConnection::connect_with(&impatient).await?;
        let folded: Result<i64, _> =
            sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut connection).await;
        connection.close().await?;
        Ok(folded? == 0)
    }
}
