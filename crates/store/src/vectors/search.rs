//! Searching a part.

use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, pool::PoolConnection};
use tokio::sync::SemaphorePermit;

use super::{VectorPart, half::HalfVector, unit};
use crate::{
    ImageRecord, Pool, Store, StoreError,
    collections::{EXISTING_IMAGES, bytes_to_floats},
    open::TIMEOUT,
    transactions::Transactions as _,
};

/// Candidates beyond those asked for: 16-bit floats may confuse neighbours that 32-bit floats tell apart.
const SPARE: usize = 16;

/// The candidates that a search keeps at a time, at least. With 80, 0.986 of the ten nearest of a million images are
/// answered, because candidates are compared again in full precision; plain SQL has 0.982 with 120. pgvector allows up
/// to 1,000.
const LEAST_BEAM: usize = 80;
const MOST_BEAM: usize = 1_000;

/// The searches on shards that go on at the same time: half of the connections.
pub(crate) const SHARD_SEARCHES: usize = 5;

/// On shards, the nearest are read from the index of each in its order and merged here, as many as are needed: the
/// planner, who does not know what is there, must not fetch everything and sort it. The shards have their own settings
/// for the search, which come with the connection. A shard may take a connection and say nothing: from version 16 on,
/// `postgres_fdw` does not keep `connect_timeout`.
const MERGED: &str = "SET LOCAL enable_sort = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; \
     SET LOCAL enable_seqscan = off; SET LOCAL jit = off; SET LOCAL statement_timeout = '10s'";

/// How far a search goes.
#[derive(Clone, Copy, PartialEq)]
enum Effort {
    /// The nearest in the index, of which some may be removed: then others are missing. An operator may have switched
    /// `hnsw.iterative_scan` on for all; it makes no difference.
    First,
    /// On through the index until there are enough that were not removed.
    Full,
}

/// What a search has found.
#[derive(Debug, Default)]
pub struct NearImages {
    /// The images in any order, each with its vector.
    pub images: Vec<(i64, Vec<f32>)>,
    /// What it was found on, for the look at the rows that ends a search.
    pub connection: Option<SearchConnection>,
}

/// A connection to PostgreSQL that a search has used and goes on with. Giving one back and taking another costs about
/// as much as a small statement.
#[derive(Debug)]
pub struct SearchConnection(PoolConnection<Postgres>);

impl SearchConnection {
    /// The existing ones of these images, in any order: those that are not removed now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn images(&mut self, numbers: &[i64]) -> Result<Vec<ImageRecord>, StoreError> {
        Ok(sqlx::query_as(EXISTING_IMAGES).bind(numbers).fetch_all(&mut *self.0).await?)
    }
}

impl Store {
    /// The images of a part that are about the nearest to a vector: somewhat more than `most`, so that whoever compares
    /// them exactly has the `most` nearest. Only images that were not removed when the search began. Of images with
    /// equal vectors, those that were added first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn nearest_images(
        &self,
        part: &VectorPart,
        vector: &[f32],
        most: usize,
    ) -> Result<NearImages, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(NearImages::default()) };
        let Some(vector) = unit(vector).filter(|_| most > 0) else { return Ok(NearImages::default()) };
        if part.is_sharded() {
            let images = self.nearest_on_shards(pool, part, vector, most).await?;
            return Ok(NearImages { images, connection: None });
        }
        let mut connection = pool.acquire().await?;
        let mut found = near(&mut connection, part, &vector, most, Effort::First).await?;
        if found.iter().filter(|(.., among_most)| *among_most).count() < most {
            // Some of the nearest have been removed and are in the table yet, or there are no more.
            found = near(&mut connection, part, &vector, most, Effort::Full).await?;
        }
        let images = found.into_iter().map(|(number, vector, _)| (number, bytes_to_floats(&vector))).collect();
        Ok(NearImages { images, connection: Some(SearchConnection(connection)) })
    }

    async fn nearest_on_shards(
        &self,
        pool: &PgPool,
        part: &VectorPart,
        vector: Vec<f32>,
        most: usize,
    ) -> Result<Vec<(i64, Vec<f32>)>, StoreError> {
        let failed = |error| part.failed(error);
        let _turn = self.shard_search().await?;
        // The plan is made for this very limit, under settings that only this transaction has.
        let mut tx = pool.transaction_with(AssertSqlSafe(format!("BEGIN READ ONLY; {MERGED}"))).await?;
        let nearest = sqlx::query_as(AssertSqlSafe(over_shards(part, most.saturating_add(SPARE)))).persistent(false);
        let rows: Vec<(i64, Vec<u8>)> =
            nearest.bind(vector).bind(&part.collection).fetch_all(&mut *tx).await.map_err(failed)?;
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

/// The candidates of a search on this server: their numbers and vectors, and whether they are as near, by 16-bit
/// floats, as the `most` nearest.
///
/// One statement without a transaction around it: one round trip, and a plan that the connection keeps.
async fn near(
    connection: &mut PgConnection,
    part: &VectorPart,
    unit: &[f32],
    most: usize,
    effort: Effort,
) -> Result<Vec<(i64, Vec<u8>, bool)>, StoreError> {
    let vector = HalfVector::new(unit, part.halfvec);
    let slack = vector.slack();
    let sql = sqlx::query_as(AssertSqlSafe(here(part, most, effort)));
    Ok(sql.bind(vector).bind(&part.collection).bind(slack).fetch_all(connection).await?)
}

/// The statement that searches a part on this server.
///
/// The index gives `most` rows and some more, and 16-bit floats tell how far they are. Those that may be among the
/// nearest by 32-bit floats (see [`HalfVector::slack`]), and all with the same digest, are looked up where the whole
/// vectors are, which costs more than all else that is not the index. Of equal vectors, no more than `most` matter.
///
/// With `relaxed_order` the index gives rows nearly in order, and PostgreSQL 17 believes that they are: `+ 0` has them
/// sorted.
///
/// Of a database that was set back, a part may have numbers that another collection uses since, hence `$2`.
///
/// What a search is compared with is computed before the index is read, so the settings of the search are there by
/// then. They are those of the transaction, which is this statement: a pooler may give the connection to others.
fn here(part: &VectorPart, most: usize, effort: Effort) -> String {
    let wanted = most.saturating_add(SPARE);
    let beam = wanted.saturating_mul(2).clamp(LEAST_BEAM, MOST_BEAM);
    let (table, schema) = (part.table(), &part.schema);
    let (scan, existing) = match effort {
        Effort::First => ("", ""),
        Effort::Full => (
            "AND set_config('hnsw.iterative_scan', 'relaxed_order', true) IS NOT NULL",
            "JOIN collection_image i ON i.number = p.number AND i.removed = 0",
        ),
    };
    let last = most.saturating_sub(1);
    format!(
        "WITH near AS MATERIALIZED (SELECT p.digest, p.vector OPERATOR({schema}.<#>) \
         (SELECT CASE WHEN set_config('hnsw.ef_search', '{beam}', true) IS NOT NULL {scan} THEN $1 END) AS distance \
         FROM {table} p {existing} ORDER BY distance LIMIT {wanted}), \
         edge AS MATERIALIZED (SELECT COALESCE(\
         (SELECT distance FROM near ORDER BY distance + 0 OFFSET {last} LIMIT 1), 'Infinity') AS distance), \
         alike AS (SELECT digest, MIN(distance) AS distance FROM near \
         WHERE distance <= (SELECT distance FROM edge) + $3 GROUP BY digest) \
         SELECT m.number, m.vector, alike.distance <= (SELECT distance FROM edge) FROM alike \
         CROSS JOIN LATERAL (SELECT i.number, i.vector FROM {table} p \
         JOIN collection_image i ON i.number = p.number AND i.removed = 0 \
         WHERE p.digest = alike.digest AND i.collection = $2 ORDER BY p.number LIMIT {most}) m"
    )
}

/// The statement that searches a part on shards: images with equal vectors are found by one question to each.
fn over_shards(part: &VectorPart, wanted: usize) -> String {
    let (table, schema) = (part.table(), &part.schema);
    let distance = format!("p.vector OPERATOR({schema}.<#>) $1::real[]::{schema}.halfvec({})", part.dims);
    format!(
        "WITH near AS MATERIALIZED (SELECT p.digest, {distance} AS distance \
         FROM {table} p JOIN collection_image i ON i.number = p.number AND i.removed = 0 \
         ORDER BY {distance} LIMIT {wanted}), \
         alike AS (SELECT digest, MIN(distance) AS distance FROM near GROUP BY digest), \
         chosen AS (SELECT m.number FROM alike JOIN {table} m ON m.digest = alike.digest \
         JOIN collection_image i ON i.number = m.number AND i.removed = 0 \
         WHERE m.digest = ANY(ARRAY(SELECT digest FROM alike)) \
         ORDER BY alike.distance, m.number LIMIT {wanted}) \
         SELECT i.number, i.vector FROM chosen JOIN collection_image i ON i.number = chosen.number \
         WHERE i.collection = $2"
    )
}
