//! The rows of a file, into PostgreSQL.

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, PgConnection, SqlitePool};

use super::{
    OnRows,
    binary_copy::{ColumnType, HEADER, TRAILER, write_row},
    layout::{Table, sequence, tables},
    value::Value,
};
use crate::{Pool, Store, StoreError, transactions::Transactions as _};

/// The bytes that are sent at once, but for a single row.
const CHUNK: usize = 1 << 18;

/// How many rows are copied between two reports.
const REPORTED: u64 = 100;

impl Store {
    /// Replaces everything in this database, which is on PostgreSQL, by the rows of a copy. All of it is one
    /// transaction: it is there whole or not at all. Large collections are moved to their tables again by the servers.
    ///
    /// # Errors
    /// When the database fails, or the copy cannot be read.
    pub async fn restore_from(&self, copy: &Self, on_rows: OnRows<'_>) -> Result<(), StoreError> {
        let (Pool::Postgres(pool), Pool::Sqlite(file)) = (&self.pool, &copy.pool) else {
            return Err(StoreError::Damaged("only files are restored, and only into PostgreSQL".to_owned()));
        };
        let tables = tables(file).await?;
        let mut tx = pool.transaction().await?;
        let limits = "SET LOCAL lock_timeout = '30s'; SET LOCAL statement_timeout = 0; \
                      SET LOCAL idle_in_transaction_session_timeout = 0";
        sqlx::raw_sql(limits).execute(&mut *tx).await?;
        drop_parts(&mut tx).await?;
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        let sql = format!("TRUNCATE {}, collection_part", names.join(", "));
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        for table in &tables {
            copy_table(file, &mut tx, table, on_rows).await?;
            continue_numbers(file, &mut tx, table).await?;
        }
        tx.commit().await?;
        // The planner would take the tables for empty until the server looks at them by itself.
        sqlx::query(AssertSqlSafe(format!("ANALYZE {}", names.join(", ")))).execute(pool).await?;
        Ok(())
    }
}

/// Removes the tables of large collections.
async fn drop_parts(tx: &mut PgConnection) -> Result<(), StoreError> {
    let numbers: Vec<i64> = sqlx::query_scalar("SELECT number FROM collection_part").fetch_all(&mut *tx).await?;
    for number in numbers {
        let sql = format!("DROP TABLE IF EXISTS {}", crate::vectors::table(number));
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *tx).await?;
    }
    Ok(())
}

async fn copy_table(
    file: &SqlitePool,
    tx: &mut PgConnection,
    table: &Table,
    on_rows: OnRows<'_>,
) -> Result<(), StoreError> {
    let types = column_types(tx, table).await?;
    let sql = format!("SELECT {} FROM {}", table.column_list(), table.name);
    let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(file);
    let into = format!("COPY {} ({}) FROM STDIN (FORMAT binary)", table.name, table.column_list());
    let mut sink = tx.copy_in_raw(&into).await?;
    let (mut chunk, mut count) = (HEADER.to_vec(), 0_u64);
    while let Some(row) = rows.try_next().await? {
        let values: Vec<Value> =
            (0..types.len()).map(|column| Value::of_sqlite(&row, column)).collect::<Result<_, _>>()?;
        write_row(&mut chunk, &types, &values)?;
        count += 1;
        if count.is_multiple_of(REPORTED) {
            on_rows(REPORTED);
        }
        if chunk.len() >= CHUNK {
            sink.send(std::mem::take(&mut chunk)).await?;
        }
    }
    chunk.extend(TRAILER);
    sink.send(chunk).await?;
    sink.finish().await?;
    on_rows(count % REPORTED);
    Ok(())
}

/// The types of the columns, in the order of the table's columns.
async fn column_types(tx: &mut PgConnection, table: &Table) -> Result<Vec<ColumnType>, StoreError> {
    let sql = "SELECT column_name::text, udt_name::text FROM information_schema.columns \
               WHERE table_schema = current_schema() AND table_name = $1";
    let found: Vec<(String, String)> = sqlx::query_as(sql).bind(&table.name).fetch_all(tx).await?;
    let of = |column: &String| {
        let named = found.iter().find(|(name, _)| name == column);
        let missing = || StoreError::Damaged(format!("the column {column} of {}, which is not here", table.name));
        ColumnType::named(&named.ok_or_else(missing)?.1)
    };
    table.columns.iter().map(of).collect()
}

/// Lets the numbers of rows go on after the last one that was given.
async fn continue_numbers(file: &SqlitePool, tx: &mut PgConnection, table: &Table) -> Result<(), StoreError> {
    let Some(sequence) = sequence(tx, table).await? else { return Ok(()) };
    let last: Option<i64> = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = $1")
        .bind(&table.name)
        .fetch_optional(file)
        .await?;
    let (value, was_given) = last.filter(|last| *last > 0).map_or((1, false), |last| (last, true));
    sqlx::query("SELECT setval($1::text::regclass, $2, $3)")
        .bind(sequence)
        .bind(value)
        .bind(was_given)
        .execute(tx)
        .await?;
    Ok(())
}
