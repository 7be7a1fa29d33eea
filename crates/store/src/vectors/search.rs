//! Searching a part.

use sqlx::AssertSqlSafe;
use tokio::sync::SemaphorePermit;

use super::{VectorPart, unit};
use crate::{Pool, Store, StoreError, collections::bytes_to_floats, open::TIMEOUT};

/// Candidates beyond those asked for: 16-bit floats may confuse neighbours that 32-bit floats tell apart.
const SPARE: usize = 16;

/// The candidates that a search keeps at a time, at least. pgvector allows up to 1,000.
const LEAST_BEAM: usize = 120;
const MOST_BEAM: usize = 1_000;

/// The searches on shards that go on at the same time: half of the connections.
pub(crate) const SHARD_SEARCHES: usize = 5;

/// On shards, the nearest are read from the index of each in its order and merged here, as many as are needed: the
/// planner, who does not know what is there, must not fetch everything and sort it. The shards have their own settings
/// for the search, which come with the connection. A shard may take a connection and say nothing: from version 16 on,
/// `postgres_fdw` does not keep `connect_timeout`.
const MERGED: &str = "SET LOCAL enable_sort = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; \
     SET LOCAL enable_seqscan = off; SET LOCAL jit = off; SET LOCAL statement_timeout = '10s'";

impl Store {
    /// The images of a part that are about the nearest to a vector, in any order, each with its vector: somewhat more
    /// than `most`, so that whoever compares them exactly has the `most` nearest. Only images that were not removed
    /// when the search began. Of images with equal vectors, those that were added first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn nearest_images(
        &self,
        part: &VectorPart,
        vector: &[f32],
        most: usize,
    ) -> Result<Vec<(i64, Vec<f32>)>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Vec::new()) };
        let Some(vector) = unit(vector) else { return Ok(Vec::new()) };
        let wanted = most.saturating_add(SPARE);
        let beam = wanted.saturating_mul(2).clamp(LEAST_BEAM, MOST_BEAM);
        // Settings of this transaction only, so that a connection pooler may give the connection to others. The plan is
        // made for this very limit.
        let settings = if part.is_sharded() {
            MERGED.to_owned()
        } else {
            format!("SET LOCAL hnsw.ef_search = {beam}; SET LOCAL hnsw.iterative_scan = 'relaxed_order'")
        };
        let begin = format!("BEGIN READ ONLY; {settings}");
        let (table, schema) = (part.table(), &part.schema);
        let distance = format!("p.vector OPERATOR({schema}.<#>) $1::real[]::{schema}.halfvec({})", part.dims);
        // All images with an equal vector: here by a look into the index for each, on shards by one question to each.
        let copies = if part.is_sharded() {
            format!(
                "FROM alike JOIN {table} m ON m.digest = alike.digest \
                 JOIN collection_image i ON i.number = m.number AND i.removed = 0 \
                 WHERE m.digest = ANY(ARRAY(SELECT digest FROM alike))"
            )
        } else {
            format!(
                "FROM alike CROSS JOIN LATERAL (SELECT p.number FROM {table} p \
                 JOIN collection_image i ON i.number = p.number AND i.removed = 0 \
                 WHERE p.digest = alike.digest ORDER BY p.number LIMIT {wanted}) m"
            )
        };
        let sql = format!(
            "WITH near AS MATERIALIZED (SELECT p.digest, {distance} AS distance \
             FROM {table} p JOIN collection_image i ON i.number = p.number AND i.removed = 0 \
             ORDER BY {distance} LIMIT {wanted}), \
             alike AS (SELECT digest, MIN(distance) AS distance FROM near GROUP BY digest), \
             chosen AS (SELECT m.number {copies} \
             ORDER BY alike.distance, m.number LIMIT {wanted}) \
             SELECT i.number, i.vector FROM chosen JOIN collection_image i ON i.number = chosen.number \
             WHERE i.collection = $2"
        );
        let failed = |error| part.failed(error);
        let _turn = if part.is_sharded() { Some(self.shard_search().await?) } else { None };
        let mut tx = pool.begin_with(AssertSqlSafe(begin)).await?;
        let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(AssertSqlSafe(sql))
            .persistent(false)
            .bind(vector)
            // Of a database that was set back, a part may have numbers that another collection uses since.
            .bind(&part.collection)
            .fetch_all(&mut *tx)
            .await
            .map_err(failed)?;
        tx.commit().await.map_err(failed)?;
        Ok(rows.into_iter().map(|(number, vector)| (number, bytes_to_floats(&vector))).collect())
    }

    /// Waits for the turn of a search on shards, not longer than for a connection.
    async fn shard_search(&self) -> Result<SemaphorePermit<'_>, StoreError> {
        let turn = tokio::time::timeout(TIMEOUT, self.shard_searches.acquire()).await;
        turn.ok().and_then(Result::ok).ok_or(StoreError::TimedOut)
    }

    /// The vectors of these images, of those that exist, in any order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn image_vectors(&self, numbers: &[i64]) -> Result<Vec<(i64, Vec<f32>)>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Vec::new()) };
        let rows: Vec<(i64, Vec<u8>)> =
            sqlx::query_as("SELECT number, vector FROM collection_image WHERE removed = 0 AND number = ANY($1)")
                .bind(numbers)
                .fetch_all(pool)
                .await?;
        Ok(rows.into_iter().map(|(number, vector)| (number, bytes_to_floats(&vector))).collect())
    }

    /// The numbers of the images of a part after a number, in order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn part_images(&self, part: &VectorPart, after: i64, limit: i64) -> Result<Vec<i64>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Vec::new()) };
        let sql = format!("SELECT number FROM {} WHERE number > $1 ORDER BY number LIMIT $2", part.table());
        let numbers = sqlx::query_scalar(AssertSqlSafe(sql)).bind(after).bind(limit);
        numbers.fetch_all(pool).await.map_err(|error| part.failed(error))
    }
}
