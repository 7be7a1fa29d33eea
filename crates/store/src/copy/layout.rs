//! The tables of a copy: their columns, and an order in which rows find those that they refer to.

use std::collections::BTreeSet;

use sqlx::{PgConnection, SqlitePool};

use crate::StoreError;

/// A table, with its columns in the order in which they are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
}

impl Table {
    pub(super) fn column_list(&self) -> String {
        self.columns.join(", ")
    }
}

/// The tables that are not copied: the servers of the moment, and what sqlx records.
const LEFT_OUT: [&str; 2] = ["replica", "_sqlx_migrations"];

/// The tables of a file, each after those that it refers to.
pub(super) async fn tables(file: &SqlitePool) -> Result<Vec<Table>, StoreError> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .fetch_all(file)
    .await?;
    let mut waiting = Vec::new();
    for name in names.into_iter().filter(|name| !LEFT_OUT.contains(&name.as_str())) {
        let columns =
            sqlx::query_scalar("SELECT name FROM pragma_table_info($1) ORDER BY cid").bind(&name).fetch_all(file);
        let columns = columns.await?;
        let referred: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT \"table\" FROM pragma_foreign_key_list($1) WHERE \"table\" <> $1")
                .bind(&name)
                .fetch_all(file)
                .await?;
        waiting.push((Table { name, columns }, referred));
    }
    let (mut ordered, mut done) = (Vec::new(), BTreeSet::new());
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|(table, referred)| {
            let ready = referred.iter().all(|other| done.contains(other));
            if ready {
                done.insert(table.name.clone());
                ordered.push(table.clone());
            }
            !ready
        });
        if waiting.len() == before {
            return Err(StoreError::Damaged("tables refer to each other in a circle".to_owned()));
        }
    }
    Ok(ordered)
}

/// The sequence that numbers the rows of a table on PostgreSQL, quoted; none where rows have no numbers.
pub(super) async fn sequence(connection: &mut PgConnection, table: &Table) -> Result<Option<String>, StoreError> {
    let sql = "SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) FROM information_schema.columns \
               WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'";
    let found: Option<Option<String>> = sqlx::query_scalar(sql).bind(&table.name).fetch_optional(connection).await?;
    Ok(found.flatten())
}
