//! The rows of a table, from PostgreSQL into a file, some at a time.

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, PgConnection, SqliteConnection};

use super::{OnRows, layout::Table, value::Value};
use crate::StoreError;

/// The most rows of one statement: more are hardly faster.
const BATCH: usize = 100;

/// The most bytes of one statement, but for a single row.
const BATCH_BYTES: usize = 1 << 20;

/// Copies a table. The rows arrive as they are taken, so that few of them are in memory.
pub(super) async fn read_rows(
    from: &mut PgConnection,
    file: &mut SqliteConnection,
    table: &Table,
    on_rows: OnRows<'_>,
) -> Result<(), StoreError> {
    let sql = format!("SELECT {} FROM {}", table.column_list(), table.name);
    let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(from);
    let (mut batch, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        let values: Vec<Value> =
            (0..table.columns.len()).map(|column| Value::of_postgres(&row, column)).collect::<Result<_, _>>()?;
        bytes += values.iter().map(Value::size).sum::<usize>();
        batch.push(values);
        if batch.len() == BATCH || bytes >= BATCH_BYTES {
            insert(file, table, std::mem::take(&mut batch), on_rows).await?;
            bytes = 0;
        }
    }
    insert(file, table, batch, on_rows).await
}

async fn insert(
    file: &mut SqliteConnection,
    table: &Table,
    rows: Vec<Vec<Value>>,
    on_rows: OnRows<'_>,
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let count = rows.len();
    let row = |number: usize| {
        let first = number * table.columns.len() + 1;
        let places: Vec<String> = (first..first + table.columns.len()).map(|place| format!("${place}")).collect();
        format!("({})", places.join(", "))
    };
    let places: Vec<String> = (0..count).map(row).collect();
    let sql = format!("INSERT INTO {} ({}) VALUES {}", table.name, table.column_list(), places.join(", "));
    let statement = sqlx::query(AssertSqlSafe(sql)).persistent(count == BATCH);
    rows.into_iter().flatten().fold(statement, |statement, value| value.bind(statement)).execute(file).await?;
    on_rows(count as u64);
    Ok(())
}
