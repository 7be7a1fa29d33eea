//! The servers that use a database: each says every few seconds that it lives, and what works.

use kaisatsu_model::Timestamp;

use crate::{Store, StoreError, on_each};

/// A server that uses the database.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ReplicaRow {
    /// Names the process: random, made when it started.
    pub id: String,
    /// The address that it listens on.
    pub address: String,
    /// Its version.
    pub version: String,
    /// When it started, in microseconds since 1970.
    pub started_at: i64,
    /// When it last said that it lives.
    pub seen_at: i64,
    /// What works and what does not, as JSON.
    pub parts: String,
}

const PUT: &str = "INSERT INTO replica (id, address, version, started_at, seen_at, parts) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, parts = excluded.parts";

impl Store {
    /// Writes that a server lives.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_replica(&self, replica: &ReplicaRow) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query(PUT)
            .bind(&replica.id).bind(&replica.address).bind(&replica.version).bind(replica.started_at)
            .bind(replica.seen_at).bind(&replica.parts).execute(pool).await.map(drop))?;
        Ok(())
    }

    /// The servers that were seen since a time, the oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replicas(&self, since: Timestamp) -> Result<Vec<ReplicaRow>, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_as("SELECT id, address, version, started_at, seen_at, parts \
             FROM replica WHERE seen_at >= $1 ORDER BY started_at, id").bind(since.0).fetch_all(pool).await)?)
    }

    /// Removes a server that ends.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_replica(&self, id: &str) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM replica WHERE id = $1").bind(id).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Removes the rows of other servers with an address whose names begin in the same way.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_former(&self, address: &str, beginning: &str, id: &str) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM replica WHERE address = $1 AND substr(id, 1, $2) = $3 AND id <> $4")
                .bind(address).bind(i32::try_from(beginning.chars().count()).unwrap_or(i32::MAX))
                .bind(beginning).bind(id).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Removes the servers that were last seen before a time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_replicas_before(&self, time: Timestamp) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("DELETE FROM replica WHERE seen_at < $1").bind(time.0).execute(pool).await.map(drop)
        })?;
        Ok(())
    }
}
