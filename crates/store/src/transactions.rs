//! Transactions whose caller may go away at any moment, as a request does when its client hangs up.

use sqlx::{Database, Error, Pool, SqlSafeStr, SqlStr, Transaction};

/// Begins transactions, in place of `Pool::begin` and `Pool::begin_with`, which clippy refuses.
///
/// What waits for PostgreSQL's answer to `BEGIN` must not be dropped: sqlx 0.9.0 rolls back only after that answer has
/// come, and gives the connection to others with the transaction open, in which what they write is lost
/// ([transact-rs/sqlx#4393](https://github.com/transact-rs/sqlx/issues/4393)). So a task of its own waits. A later
/// version needs it no more.
pub(crate) trait Transactions {
    type Database: Database;

    /// Begins a transaction with the plain statement.
    async fn transaction(&self) -> Result<Transaction<'static, Self::Database>, Error>;

    /// Begins a transaction with this statement.
    async fn transaction_with(
        &self,
        statement: impl SqlSafeStr + Send,
    ) -> Result<Transaction<'static, Self::Database>, Error>;
}

impl<DB: Database> Transactions for Pool<DB> {
    type Database = DB;

    async fn transaction(&self) -> Result<Transaction<'static, DB>, Error> {
        begin(self, None).await
    }

    async fn transaction_with(&self, statement: impl SqlSafeStr + Send) -> Result<Transaction<'static, DB>, Error> {
        begin(self, Some(statement.into_sql_str())).await
    }
}

async fn begin<DB: Database>(pool: &Pool<DB>, statement: Option<SqlStr>) -> Result<Transaction<'static, DB>, Error> {
    // Waiting for a connection may end with the caller.
    let connection = pool.acquire().await?;
    tokio::spawn(Transaction::begin(connection, statement)).await.map_err(|_| Error::WorkerCrashed)?
}
