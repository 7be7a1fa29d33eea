//! Copies of a database in a SQLite file, whichever database it is: backups.
//!
//! Both databases have the same tables and columns, so the rows of either fit into the other. See decision 54.

mod binary_copy;
mod layout;
mod read_rows;
mod restore;
mod value;

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection, PgPool, Row, SqlitePool, sqlite::SqliteConnectOptions};

use crate::{DatabaseAddress, OpenError, Pool, Store, StoreError, transactions::Transactions as _};
use layout::{Table, tables};
use read_rows::read_rows;

/// Is told the number of rows that were copied since it was last told.
pub type OnRows<'a> = &'a (dyn Fn(u64) + Send + Sync);

/// Why a copy could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The file could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database or the file failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One snapshot for all tables. A table may take longer than other statements are allowed to.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0; \
     SET LOCAL idle_in_transaction_session_timeout = 0";

impl Store {
    /// Writes a copy of the database as it is at one moment into a new SQLite file. The database may be in use.
    ///
    /// # Errors
    /// When the database fails, or the file exists or cannot be written.
    pub async fn copy_to(&self, file: &Path, on_rows: OnRows<'_>) -> Result<(), CopyError> {
        match &self.pool {
            Pool::Sqlite(pool) => {
                let copied = sqlx::query("VACUUM INTO $1").bind(file.to_string_lossy().into_owned()).execute(pool);
                copied.await.map_err(StoreError::from)?;
            }
            Pool::Postgres(pool) => {
                let copy = Self::open(&DatabaseAddress::Sqlite(file.to_owned())).await?;
                if let Pool::Sqlite(file) = &copy.pool {
                    copy_rows(pool, file, on_rows).await?;
                }
                copy.close().await;
            }
        }
        Ok(())
    }

    /// Opens a copy without changing it. None if an older version made it: then it must be migrated, which changes it.
    ///
    /// # Errors
    /// When the file is no database of Kaisatsu's, or of a newer one.
    pub async fn open_copy(file: &Path) -> Result<Option<Self>, OpenError> {
        let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
        let pool = crate::open::open_unchanged(file, options).await?;
        Ok(pool.map(|pool| Self::over(Pool::Sqlite(pool))))
    }

    /// Whether nothing was stored here yet: no account, no application, no public image or item.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_empty(&self) -> Result<bool, StoreError> {
        let any: i64 = crate::on_each!(self, pool => sqlx::query_scalar(ANYTHING).fetch_one(pool).await)?;
        Ok(any == 0)
    }
}

/// The application `public` is there from the beginning: it owns the thumbnails.
const ANYTHING: &str = "SELECT CAST(CASE WHEN EXISTS (SELECT 1 FROM application WHERE id <> 'public') \
     OR EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM collection) OR EXISTS (SELECT 1 FROM catalogue_item) \
     THEN 1 ELSE 0 END AS BIGINT)";

/// Copies every table from PostgreSQL into a new file.
async fn copy_rows(from: &PgPool, file: &SqlitePool, on_rows: OnRows<'_>) -> Result<(), StoreError> {
    let tables = tables(file).await?;
    let mut file = file.acquire().await?;
    // The rows that every new database has are in the copied tables too.
    let mut cleared = file.begin().await?;
    for table in tables.iter().rev() {
        sqlx::query(AssertSqlSafe(format!("DELETE FROM {}", table.name))).execute(&mut *cleared).await?;
    }
    cleared.commit().await?;
    let mut snapshot = from.transaction_with(BEGIN_SNAPSHOT).await?;
    for table in &tables {
        // One transaction a table, so that the write-ahead log of the file does not become as long as the file. Rows
        // may refer to later ones of their table.
        let mut tx = file.begin().await?;
        sqlx::query("PRAGMA defer_foreign_keys = ON").execute(&mut *tx).await?;
        read_rows(&mut snapshot, &mut tx, table, on_rows).await?;
        if let Some(last) = last_number(&mut snapshot, table).await? {
            sqlx::query("DELETE FROM sqlite_sequence WHERE name = $1").bind(&table.name).execute(&mut *tx).await?;
            sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)")
                .bind(&table.name)
                .bind(last)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
    }
    Ok(snapshot.commit().await?)
}

/// The last number that a table has given to a row, if it numbers them: no number is given twice, also after a restore.
async fn last_number(snapshot: &mut sqlx::PgConnection, table: &Table) -> Result<Option<i64>, StoreError> {
    let Some(sequence) = layout::sequence(snapshot, table).await? else { return Ok(None) };
    let sql = format!("SELECT last_value, is_called FROM {sequence}");
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(snapshot).await?;
    Ok(row.try_get::<bool, _>(1)?.then_some(row.try_get(0)?))
}
