//! The parts there are, and their states: filling, answering, leaving, gone.

use kaisatsu_model::Timestamp;
use sqlx::{AssertSqlSafe, postgres::types::Oid};

use super::{
    sharded,
    shards::{SHARDS_LOCK, away},
};
use crate::{
    Collection, Pool, Store, StoreError, content_revision::NEXT_CONTENT_REVISION, transactions::Transactions as _,
};

/// The longest vectors that pgvector indexes in 16-bit floats.
const MOST_DIMS: i64 = 4_000;

/// How far a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartState {
    /// It is being filled; replicas search their memory.
    Filling,
    /// Every replica searches it.
    Answering,
    /// Replicas load the vectors into their memory again.
    Leaving,
}

impl PartState {
    fn as_str(self) -> &'static str {
        match self {
            Self::Filling => "filling",
            Self::Answering => "answering",
            Self::Leaving => "leaving",
        }
    }
}

/// The vectors of a collection in the database.
#[derive(Debug, Clone, PartialEq, sqlx_macros::FromRow)]
pub struct VectorPart {
    /// The collection.
    pub collection: String,
    /// Its own number: a collection that moves has two parts for a while.
    pub number: i64,
    /// The hash of the weights that made the vectors.
    pub model_sha256: String,
    /// The length of the vectors.
    pub dims: i64,
    state: String,
    changed_at: i64,
    /// The revision of the last change that it has.
    pub revision: i64,
    /// How many images it has.
    pub images: i64,
    /// A picture whose cosine with the nearest image is below this is like none of them.
    pub unlike_below: f32,
    /// How many images it had when that was learned.
    pub learned_from: i64,
    /// The shards that it lies on, in the order of its partitions. None: on this server.
    pub shards: Vec<String>,
    /// The schema of the extension, quoted.
    pub(super) schema: String,
    /// The number of its type.
    pub(super) halfvec: Oid,
}

impl VectorPart {
    /// How far it is.
    #[must_use]
    pub fn state(&self) -> PartState {
        match self.state.as_str() {
            "answering" => PartState::Answering,
            "leaving" => PartState::Leaving,
            _ => PartState::Filling,
        }
    }

    /// When it came into its state.
    #[must_use]
    pub fn changed_at(&self) -> Timestamp {
        Timestamp(self.changed_at)
    }

    /// Whether it holds the vectors of this collection as it is now: one that was emptied may have other weights.
    #[must_use]
    pub fn is_of(&self, collection: &Collection) -> bool {
        (&self.collection, &self.model_sha256) == (&collection.name, &collection.model_sha256)
    }

    pub(super) fn table(&self) -> String {
        table(self.number)
    }

    pub(super) fn is_sharded(&self) -> bool {
        !self.shards.is_empty()
    }

    /// The error of a statement on its table: a shard that does not answer is named.
    pub(super) fn failed(&self, error: sqlx::Error) -> StoreError {
        if self.is_sharded() { away(&self.shards.join(", "), error) } else { error.into() }
    }
}

/// The table of a part.
pub(crate) fn table(number: i64) -> String {
    format!("collection_vectors_{number}")
}

/// The columns of the table. The digest finds the images with the same vector: there may be many, and the oldest of
/// them come first.
pub(super) fn columns(schema: &str, dims: i64) -> String {
    format!("number BIGINT NOT NULL, digest BIGINT NOT NULL, vector {schema}.halfvec({dims}) NOT NULL")
}

/// Vectors lie in their rows as long as these fit into a page: a search computes with 26 of them, and an index is built
/// from all.
pub(super) const INLINE: &str = "WITH (toast_tuple_target = 8160)";

/// The schema of the extension; no row where the extension is not there.
pub(super) const SCHEMA: &str = "(SELECT quote_ident(nspname) AS schema, t.oid AS halfvec FROM pg_extension \
     JOIN pg_namespace ON pg_namespace.oid = extnamespace \
     JOIN pg_type t ON t.typnamespace = extnamespace AND t.typname = 'halfvec' WHERE extname = 'vector') e";

impl Store {
    /// The parts there are. None without the extension, whatever there was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn vector_parts(&self) -> Result<Vec<VectorPart>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT collection, number, model_sha256, dims, state, changed_at, revision, images, unlike_below, \
             learned_from, shards, schema, halfvec FROM collection_part CROSS JOIN {SCHEMA} ORDER BY collection, number"
        );
        Ok(sqlx::query_as(AssertSqlSafe(sql)).fetch_all(pool).await?)
    }

    /// Makes an empty part for a collection, on the shards there are. Returns whether it did: one may be being filled,
    /// and vectors may be too long.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin_part(&self, collection: &Collection, dims: i64, now: Timestamp) -> Result<bool, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(false) };
        if !(1..=MOST_DIMS).contains(&dims) {
            return Ok(false);
        }
        let mut tx = pool.transaction().await?;
        // Another replica at it makes a part too, and shards come and go one at a time.
        let free = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)").bind(SHARDS_LOCK);
        if !free.fetch_one(&mut *tx).await? {
            return Ok(false);
        }
        let shards = sharded::layout(&mut tx).await?;
        let names: Vec<&str> = shards.iter().map(|shard| shard.name.as_str()).collect();
        let sql = format!(
            "INSERT INTO collection_part (collection, model_sha256, dims, state, changed_at, shards) \
             SELECT $1, $2, $3, 'filling', $4, $5 FROM {SCHEMA} ON CONFLICT DO NOTHING \
             RETURNING number, (SELECT schema FROM {SCHEMA})"
        );
        let row: Option<(i64, String)> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(&collection.name)
            .bind(&collection.model_sha256)
            .bind(dims)
            .bind(now.0)
            .bind(names)
            .fetch_optional(&mut *tx)
            .await?;
        let Some((number, schema)) = row else { return Ok(false) };
        if shards.is_empty() {
            let (table, columns) = (table(number), columns(&schema, dims));
            let sql = format!(
                "CREATE TABLE {table} ({columns}, PRIMARY KEY (number)) {INLINE}; \
                 CREATE INDEX {table}_by_digest ON {table} (digest, number)"
            );
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        } else {
            sharded::create(&mut tx, number, &schema, dims, &shards).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Lets every replica search a part that has all vectors, in place of the one that answered. Returns whether it has
    /// them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn answer_from_part(&self, part: &VectorPart, now: Timestamp) -> Result<bool, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(false) };
        let mut tx = pool.transaction().await?;
        // Nobody can change a collection until this transaction ends.
        let _: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
        sqlx::query(
            "UPDATE collection_part SET state = 'leaving', changed_at = $2 \
             WHERE collection = $1 AND state = 'answering'",
        )
        .bind(&part.collection)
        .bind(now.0)
        .execute(&mut *tx)
        .await?;
        let done = sqlx::query(
            "UPDATE collection_part p SET state = 'answering', changed_at = $2 \
             WHERE number = $1 AND state = 'filling' AND NOT EXISTS (SELECT 1 FROM collection_image i \
             WHERE i.collection = p.collection AND (i.revision, i.number) > (p.revision, p.image))",
        )
        .bind(part.number)
        .bind(now.0)
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Lets every replica return to its memory. The part can be dropped when they have.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn leave_part(&self, part: &VectorPart, now: Timestamp) -> Result<(), StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(()) };
        let mut tx = pool.transaction().await?;
        let _: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
        sqlx::query("UPDATE collection_part SET state = $2, changed_at = $3 WHERE number = $1 AND state = $4")
            .bind(part.number)
            .bind(PartState::Leaving.as_str())
            .bind(now.0)
            .bind(PartState::Answering.as_str())
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Removes a part, unless a replica is at work on it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drop_part(&self, part: &VectorPart) -> Result<(), StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(()) };
        if part.is_sharded() {
            // Nobody may let it answer once its tables begin to go.
            let left = sqlx::query(
                "UPDATE collection_part SET state = 'leaving' WHERE number = \
                 (SELECT number FROM collection_part WHERE number = $1 AND state <> 'answering' \
                 FOR UPDATE SKIP LOCKED)",
            );
            if left.bind(part.number).execute(pool).await?.rows_affected() == 0 {
                return Ok(());
            }
            // Before the content is locked: a shard may take its time.
            sharded::drop_tables(pool, part).await?;
        }
        let mut tx = pool.transaction().await?;
        let _: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
        let gone = sqlx::query(
            "DELETE FROM collection_part WHERE number = \
             (SELECT number FROM collection_part WHERE number = $1 FOR UPDATE SKIP LOCKED)",
        )
        .bind(part.number)
        .execute(&mut *tx)
        .await?;
        if gone.rows_affected() > 0 {
            let sql = format!("DROP TABLE IF EXISTS {}", part.table());
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        }
        Ok(tx.commit().await?)
    }

    /// The size of a part with its indexes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn part_bytes(&self, part: &VectorPart) -> Result<i64, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(0) };
        if part.is_sharded() {
            return sharded::bytes(pool, part).await;
        }
        let size = sqlx::query_scalar("SELECT pg_total_relation_size($1::text::regclass)").bind(part.table());
        Ok(size.fetch_one(pool).await?)
    }

    /// Stores what was learned from the images of a part, for all replicas.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_unlike_below(&self, part: &VectorPart, unlike_below: f32) -> Result<(), StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(()) };
        let mut tx = pool.transaction().await?;
        let _: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
        sqlx::query("UPDATE collection_part SET unlike_below = $2, learned_from = $3 WHERE number = $1")
            .bind(part.number)
            .bind(unlike_below)
            .bind(part.images)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }
}
