//! The tables of a part that lies on shards: here a table whose partitions are foreign tables, and there what they
//! stand for.

use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, PgConnection, PgPool};

use super::{
    VectorPart,
    filling::INDEX,
    shards::{PATIENCE, Shard, ShardState, all, away, number_on, on_shard, server},
    states::{INLINE, columns, table},
};
use crate::{Pool, Store, StoreError, transactions::Transactions as _};

/// Indexes that are built at the same time, each on another shard: every one takes a connection to this database.
const BUILT_AT_ONCE: usize = 4;

/// The shards that a new part is put on, by name. None: the part is a plain table of this server.
pub(super) async fn layout(tx: &mut PgConnection) -> Result<Vec<Shard>, sqlx::Error> {
    let mut shards = all(tx).await?;
    shards.retain(|shard| shard.state() == ShardState::Active);
    Ok(shards)
}

/// Makes the tables of a part on its shards, and the table here. What is there of parts that do not exist is removed:
/// somebody may have failed between the shard and this database. The lock of the shards is held.
pub(super) async fn create(
    tx: &mut PgConnection,
    number: i64,
    schema: &str,
    dims: i64,
    shards: &[Shard],
) -> Result<(), StoreError> {
    let existing: Vec<i64> = sqlx::query_scalar("SELECT number FROM collection_part").fetch_all(&mut *tx).await?;
    let existing: Vec<String> = existing.iter().filter(|other| **other != number).map(|other| table(*other)).collect();
    let existing = existing.join("', '");
    let (table, columns) = (table(number), columns(schema, dims));
    for shard in shards {
        let place = &shard.schema;
        let sql = format!(
            "CREATE SCHEMA IF NOT EXISTS {place}; \
             DO $$ DECLARE gone text; BEGIN \
             FOR gone IN SELECT tablename FROM pg_tables WHERE schemaname = '{place}' \
             AND tablename NOT IN ('{existing}') LOOP \
             EXECUTE format('DROP TABLE {place}.%I', gone); END LOOP; END $$; \
             CREATE TABLE {place}.{table} ({columns}, PRIMARY KEY (number)) {INLINE}; \
             CREATE INDEX {table}_by_digest ON {place}.{table} (digest, number)"
        );
        on_shard(tx, &shard.name, &sql).await.map_err(|error| away(&shard.name, error))?;
    }
    let mut statements = vec![format!("CREATE TABLE {table} ({columns}) PARTITION BY HASH (number)")];
    for (at, shard) in shards.iter().enumerate() {
        statements.push(format!(
            "CREATE FOREIGN TABLE {table}_{at} PARTITION OF {table} FOR VALUES WITH (MODULUS {}, REMAINDER {at}) \
             SERVER {} OPTIONS (schema_name '{}', table_name '{table}')",
            shards.len(),
            server(&shard.name),
            shard.schema
        ));
    }
    sqlx::raw_sql(AssertSqlSafe(statements.join("; "))).execute(tx).await?;
    Ok(())
}

/// Builds the index of a part on each of its shards, and counts the images there. The row of the part is locked.
///
/// Whoever follows a collection counts as it goes, and what a shard has committed may be lost here when the connection
/// breaks at that moment: it is done again, and counted again. So the count is corrected where all of it is looked at.
pub(super) async fn index(pool: &PgPool, part: &VectorPart, memory_kb: i64) -> Result<i64, StoreError> {
    let shards = of(pool, part).await?;
    let mut images = 0;
    for some in shards.chunks(BUILT_AT_ONCE) {
        for built in join_all(some.iter().map(|shard| index_on(pool, part, shard, memory_kb))).await {
            images += built?;
        }
    }
    Ok(images)
}

async fn index_on(pool: &PgPool, part: &VectorPart, shard: &Shard, memory_kb: i64) -> Result<i64, StoreError> {
    let (table, schema, place) = (part.table(), &part.schema, &shard.schema);
    let sql = format!(
        "SET statement_timeout = 0; \
         DO $$ BEGIN PERFORM set_config('maintenance_work_mem', GREATEST(setting::bigint, {memory_kb}) || 'kB', false) \
         FROM pg_settings WHERE name = 'maintenance_work_mem'; END $$; \
         CREATE INDEX IF NOT EXISTS {table}_by_vector ON {place}.{table} \
         USING hnsw (vector {schema}.halfvec_ip_ops) {INDEX}; \
         ANALYZE {place}.{table}"
    );
    let failed = |error| away(&shard.name, error);
    let mut tx = pool.transaction().await?;
    // Building takes long. Before, the shard has to answer at all.
    sqlx::query(PATIENCE).execute(&mut *tx).await?;
    number_on(&mut tx, &shard.name, "SELECT 1").await.map_err(failed)?;
    sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *tx).await?;
    on_shard(&mut tx, &shard.name, &sql).await.map_err(failed)?;
    let sql = format!("SELECT count(*) FROM {place}.{table}");
    let images = number_on(&mut tx, &shard.name, &sql).await.map_err(failed)?;
    tx.commit().await?;
    Ok(images)
}

/// Removes the tables of a part from its shards, but for those that are lost. A part whose tables are gone must not be
/// in use any more.
pub(super) async fn drop_tables(pool: &PgPool, part: &VectorPart) -> Result<(), StoreError> {
    for shard in of(pool, part).await?.iter().filter(|shard| shard.state() != ShardState::Lost) {
        let sql = format!("DROP TABLE IF EXISTS {}.{}", shard.schema, part.table());
        on_shard(&mut *pool.acquire().await?, &shard.name, &sql).await.map_err(|error| away(&shard.name, error))?;
    }
    Ok(())
}

/// The size of the tables of a part on its shards, with their indexes.
pub(super) async fn bytes(pool: &PgPool, part: &VectorPart) -> Result<i64, StoreError> {
    let mut bytes = 0;
    for shard in of(pool, part).await? {
        let sql = format!("SELECT pg_total_relation_size('{}.{}'::regclass)", shard.schema, part.table());
        let asked = number_on(&mut *pool.acquire().await?, &shard.name, &sql).await;
        bytes += asked.map_err(|error| away(&shard.name, error))?;
    }
    Ok(bytes)
}

async fn of(pool: &PgPool, part: &VectorPart) -> Result<Vec<Shard>, sqlx::Error> {
    let mut shards = all(&mut *pool.acquire().await?).await?;
    shards.retain(|shard| part.shards.contains(&shard.name));
    Ok(shards)
}

impl Store {
    /// The names of the shards that parts belong on, in their order. None: on this server.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn shard_layout(&self) -> Result<Vec<String>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Vec::new()) };
        let shards = layout(&mut *pool.acquire().await?).await?;
        Ok(shards.into_iter().map(|shard| shard.name).collect())
    }
}
