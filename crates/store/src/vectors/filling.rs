//! Filling a part, and keeping it as the collection is: the same steps, one batch of changes after another.
//!
//! A step locks the row of the part. A replica that comes meanwhile skips it, and one that fails leaves nothing behind:
//! the lock ends with its connection.

use sqlx::{AssertSqlSafe, PgConnection};

use super::{VectorPart, sharded, unit};
use crate::{
    ChangedImage, Pool, Store, StoreError,
    collections::{CHANGED_IMAGES, ChangedRow, changed},
    recognitions::floats_to_bytes,
    sha256,
    transactions::Transactions as _,
};

/// The candidates of a node of the graph while it is built, and its links.
pub(super) const INDEX: &str = "WITH (m = 16, ef_construction = 100)";

/// The most memory that building an index asks the server for: beyond it, building takes longer.
const MOST_MEMORY_KB: i64 = 1 << 20;

/// What a step has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Another replica is at it.
    Busy,
    /// Some changes were applied, and there are more.
    More,
    /// The part has all changes.
    All,
}

impl Store {
    /// Applies the next changes of a collection to its part, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn follow_part(&self, part: &VectorPart, limit: i64) -> Result<Followed, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Followed::All) };
        let mut tx = pool.transaction().await?;
        let Some(after) = lock(&mut tx, part).await? else { return Ok(Followed::Busy) };
        if part.is_sharded() {
            // The lock must not be held for long when a shard says nothing: whoever lets another part answer needs it.
            sqlx::query("SET LOCAL statement_timeout = '1min'").execute(&mut *tx).await?;
        }
        // Read before the changes: whoever changes a collection holds the revision until it commits.
        let revision: i64 = sqlx::query_scalar("SELECT value FROM content_revision").fetch_one(&mut *tx).await?;
        let changes: Vec<ChangedRow> = sqlx::query_as(CHANGED_IMAGES)
            .bind(&part.collection)
            .bind(after.0)
            .bind(after.1)
            .bind(limit)
            .fetch_all(&mut *tx)
            .await?;
        let changes: Vec<ChangedImage> = changes.into_iter().map(changed).collect();
        let last = changes.last().map(|change| (change.revision, change.number));
        let more = i64::try_from(changes.len()).is_ok_and(|read| read == limit);
        let (revision, image) = match last {
            Some(last) if more => last,
            last => (revision.max(last.map_or(0, |(revision, _)| revision)), i64::MAX),
        };
        let added = put(&mut tx, part, &changes).await?;
        let removed = remove(&mut tx, part, &changes).await?;
        sqlx::query(
            "UPDATE collection_part SET revision = $2, image = $3, images = images + $4 WHERE number = $1 \
             AND (revision, image) <> ($2, $3)",
        )
        .bind(part.number)
        .bind(revision)
        .bind(image)
        .bind(added - removed)
        .execute(&mut *tx)
        .await?;
        // What shards have done is committed there first. Should that of this database be lost, it is done again.
        tx.commit().await.map_err(|error| part.failed(error))?;
        Ok(if more { Followed::More } else { Followed::All })
    }

    /// Builds the index of a part, unless it has one or another replica is at it. Returns whether it has one now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn index_part(&self, part: &VectorPart) -> Result<bool, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(false) };
        let mut tx = pool.transaction().await?;
        if lock(&mut tx, part).await?.is_none() {
            return Ok(false);
        }
        // The graph has the vectors in it and some links. An operator's own setting holds where it is higher.
        let servers = i64::try_from(part.shards.len().max(1)).unwrap_or(1);
        let wanted = (part.images / servers * (part.dims * 2 + 600) / 1_000).min(MOST_MEMORY_KB);
        if part.is_sharded() {
            let images = sharded::index(pool, part, wanted).await?;
            let sql = "UPDATE collection_part SET images = $2 WHERE number = $1";
            sqlx::query(sql).bind(part.number).bind(images).execute(&mut *tx).await?;
            tx.commit().await?;
            return Ok(true);
        }
        let (table, schema) = (part.table(), &part.schema);
        let sql = format!(
            "SET LOCAL statement_timeout = 0; \
             SELECT set_config('maintenance_work_mem', GREATEST(setting::bigint, {wanted}) || 'kB', true) \
             FROM pg_settings WHERE name = 'maintenance_work_mem'; \
             CREATE INDEX IF NOT EXISTS {table}_by_vector ON {table} \
             USING hnsw (vector {schema}.halfvec_ip_ops) {INDEX}; \
             SET LOCAL statement_timeout = '5min'; ANALYZE {table}"
        );
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Locks the row of a part until the transaction ends, and returns the last change that it has. `None` when another
/// replica holds the lock, or the part is gone.
async fn lock(tx: &mut PgConnection, part: &VectorPart) -> Result<Option<(i64, i64)>, StoreError> {
    let row = sqlx::query_as("SELECT revision, image FROM collection_part WHERE number = $1 FOR UPDATE SKIP LOCKED")
        .bind(part.number)
        .fetch_optional(tx)
        .await?;
    Ok(row)
}

/// Stores the vectors of images. Returns how many of them are new.
async fn put(tx: &mut PgConnection, part: &VectorPart, changes: &[ChangedImage]) -> Result<i64, StoreError> {
    let (mut numbers, mut digests, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for change in changes {
        let Some(vector) = &change.vector else { continue };
        let Some(unit) = unit(vector).filter(|unit| i64::try_from(unit.len()).is_ok_and(|len| len == part.dims)) else {
            tracing::error!(image = change.number, "a vector of a collection cannot be used");
            continue;
        };
        numbers.push(change.number);
        digests.push(digest(vector));
        values.extend(unit);
    }
    if numbers.is_empty() {
        return Ok(0);
    }
    // One array for all vectors: PostgreSQL cuts it without looking at what is before.
    let (table, schema) = (part.table(), &part.schema);
    let insert = format!(
        "INSERT INTO {table} (number, digest, vector) SELECT n, d, \
         ($3::real[])[(at - 1) * $4 + 1 : at * $4]::{schema}.halfvec \
         FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS new (n, d, at)"
    );
    if part.is_sharded() {
        // Foreign tables know no conflicts. An image stays on its shard, where it is replaced in one transaction.
        let replaced = delete(tx, part, &numbers).await?;
        let put = sqlx::query(AssertSqlSafe(insert)).persistent(false);
        let put = put.bind(numbers).bind(digests).bind(values).bind(part.dims).execute(tx).await;
        let put = put.map_err(|error| part.failed(error))?;
        return Ok(i64::try_from(put.rows_affected()).unwrap_or(i64::MAX) - replaced);
    }
    let sql = format!(
        "{insert} ON CONFLICT (number) DO UPDATE SET digest = excluded.digest, vector = excluded.vector \
         RETURNING xmax = 0"
    );
    let new: Vec<bool> = sqlx::query_scalar(AssertSqlSafe(sql))
        .persistent(false)
        .bind(numbers)
        .bind(digests)
        .bind(values)
        .bind(part.dims)
        .fetch_all(tx)
        .await?;
    Ok(i64::try_from(new.into_iter().filter(|new| *new).count()).unwrap_or(i64::MAX))
}

/// Removes the vectors of removed images. Returns how many there were.
async fn remove(tx: &mut PgConnection, part: &VectorPart, changes: &[ChangedImage]) -> Result<i64, StoreError> {
    let gone: Vec<i64> = changes.iter().filter(|change| change.vector.is_none()).map(|change| change.number).collect();
    if gone.is_empty() { Ok(0) } else { delete(tx, part, &gone).await }
}

/// Removes the vectors of images, and returns how many there were.
async fn delete(tx: &mut PgConnection, part: &VectorPart, numbers: &[i64]) -> Result<i64, StoreError> {
    let sql = format!("DELETE FROM {} WHERE number = ANY($1)", part.table());
    let done = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(numbers).execute(tx).await;
    let done = done.map_err(|error| part.failed(error))?;
    Ok(i64::try_from(done.rows_affected()).unwrap_or(i64::MAX))
}

/// Equal for equal vectors. For different ones it may be equal too, which costs a comparison and nothing else.
fn digest(vector: &[f32]) -> i64 {
    let hash = sha256(&floats_to_bytes(vector));
    i64::from_le_bytes(*hash.first_chunk().unwrap_or(&[0; 8]))
}
