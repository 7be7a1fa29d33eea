//! Other PostgreSQL servers, on which parts lie.
//!
//! PostgreSQL's own means do the work: a shard is a foreign server (`postgres_fdw`), a part on shards is a table whose
//! partitions are foreign tables, and what `postgres_fdw` cannot do there goes through `dblink`, inside the database
//! too. So the servers of Kaisatsu need neither a way to the shards nor their credentials.

use std::fmt;

use kaisatsu_model::Timestamp;
use sqlx::{AssertSqlSafe, PgConnection};

use crate::{Pool, Store, StoreError, transactions::Transactions as _};

/// Held until the end of the transaction by whoever changes which shards there are, or makes a part on them.
pub(super) const SHARDS_LOCK: i64 = 7_310_291_954_433;

/// Ends what waits for a shard that takes a connection and says nothing. PostgreSQL's own `connect_timeout` is not kept
/// from version 16 on.
pub(super) const PATIENCE: &str = "SET LOCAL statement_timeout = '10s'";

/// The name of a shard, as operators choose it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardName(String);

impl ShardName {
    /// Checks a name: lower-case letters, digits and `_`, a letter first, at most 30 of them.
    ///
    /// # Errors
    /// What a name looks like.
    pub fn new(text: &str) -> Result<Self, String> {
        let letter_first = text.starts_with(|first: char| first.is_ascii_lowercase());
        let fits = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if letter_first && fits && text.len() <= 30 {
            return Ok(Self(text.to_owned()));
        }
        Err("the name of a shard is a lower-case letter and up to 29 lower-case letters, digits and '_'".to_owned())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ShardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What becomes of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardState {
    /// It has a share of every part, or will have.
    Active,
    /// Parts move away from it. It is removed when none is left.
    Leaving,
    /// As leaving, and it is not asked any more.
    Lost,
}

impl ShardState {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Leaving => "leaving",
            Self::Lost => "lost",
        }
    }
}

/// Another PostgreSQL server on which parts lie.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Shard {
    /// Its name.
    pub name: String,
    /// Host, port and database, as this database reaches it.
    pub address: String,
    pub(super) schema: String,
    state: String,
    added_at: i64,
}

impl Shard {
    /// What becomes of it.
    #[must_use]
    pub fn state(&self) -> ShardState {
        match self.state.as_str() {
            "leaving" => ShardState::Leaving,
            "lost" => ShardState::Lost,
            _ => ShardState::Active,
        }
    }

    /// When it was added.
    #[must_use]
    pub fn added_at(&self) -> Timestamp {
        Timestamp(self.added_at)
    }
}

/// The name of the foreign server. A shard's name needs no quotes.
pub(super) fn server(shard: &str) -> String {
    format!("kaisatsu_shard_{shard}")
}

const SHARDS: &str = "SELECT name, schema, state, added_at, \
     COALESCE((SELECT string_agg(option_value, CASE option_name WHEN 'host' THEN '' WHEN 'port' THEN ':' ELSE '/' END \
     ORDER BY array_position(ARRAY['host', 'port', 'dbname'], option_name)) \
     FROM pg_foreign_server f, pg_options_to_table(f.srvoptions) \
     WHERE f.srvname = 'kaisatsu_shard_' || name AND option_name IN ('host', 'port', 'dbname')), '') AS address \
     FROM shard ORDER BY name";

pub(super) async fn all(connection: &mut PgConnection) -> Result<Vec<Shard>, sqlx::Error> {
    sqlx::query_as(SHARDS).fetch_all(connection).await
}

impl Store {
    /// The shards there are, by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn shards(&self) -> Result<Vec<Shard>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Vec::new()) };
        Ok(sqlx::query_as(SHARDS).fetch_all(pool).await?)
    }

    /// The bytes that the part of this database takes on a shard, asked there; otherwise why it does not answer.
    ///
    /// # Errors
    /// When the database itself fails.
    pub async fn ask_shard(&self, shard: &Shard) -> Result<Result<i64, String>, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(Err("it is PostgreSQL's alone".to_owned())) };
        let mut tx = pool.transaction().await?;
        sqlx::query(PATIENCE).execute(&mut *tx).await?;
        let asked = format!(
            "SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c \
             WHERE relkind = 'r' AND relnamespace = to_regnamespace('{}')",
            shard.schema
        );
        match number_on(&mut tx, &shard.name, &asked).await {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(error @ sqlx::Error::Database(_)) => Ok(Err(reason(&error))),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets all parts move away from a shard, which is removed when they have: see [`Self::finish_shards`]. One that is
    /// lost is not asked any more. Returns false if there is none of that name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn leave_shard(&self, name: &ShardName, lost: bool) -> Result<bool, StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(false) };
        let state = if lost { ShardState::Lost } else { ShardState::Leaving };
        let done = sqlx::query("UPDATE shard SET state = $2 WHERE name = $1")
            .bind(name.as_str())
            .bind(state.as_str())
            .execute(pool)
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Forgets the shards that no part lies on any more, and what they have of this database.
    ///
    /// # Errors
    /// When the database fails, or a shard that leaves does not answer.
    pub async fn finish_shards(&self) -> Result<(), StoreError> {
        let Pool::Postgres(pool) = &self.pool else { return Ok(()) };
        for shard in self.shards().await? {
            if shard.state() == ShardState::Active {
                continue;
            }
            let mut tx = pool.transaction().await?;
            let lock = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)").bind(SHARDS_LOCK);
            let is_alone: bool = lock.fetch_one(&mut *tx).await?;
            if !is_alone {
                continue;
            }
            // A statement of its own: only one that begins under the lock sees every part that was made before.
            let free = "SELECT EXISTS (SELECT 1 FROM shard WHERE name = $1 AND state <> 'active') \
                        AND NOT EXISTS (SELECT 1 FROM collection_part WHERE $1 = ANY(shards))";
            let is_free: bool = sqlx::query_scalar(free).bind(&shard.name).fetch_one(&mut *tx).await?;
            if !is_free {
                continue;
            }
            if shard.state() == ShardState::Leaving {
                let failed = |error| away(&shard.name, error);
                // Whoever makes a part needs the lock: a shard that says nothing must not hold it for long.
                sqlx::query(PATIENCE).execute(&mut *tx).await?;
                number_on(&mut tx, &shard.name, "SELECT 1").await.map_err(failed)?;
                sqlx::query("SET LOCAL statement_timeout = '5min'").execute(&mut *tx).await?;
                let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", shard.schema);
                on_shard(&mut tx, &shard.name, &sql).await.map_err(failed)?;
            }
            let sql = format!("DROP SERVER IF EXISTS {} CASCADE", server(&shard.name));
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM shard WHERE name = $1").bind(&shard.name).execute(&mut *tx).await?;
            tx.commit().await?;
            tracing::info!(shard = shard.name, "no vectors are left on the shard; it is removed");
        }
        Ok(())
    }
}

/// Runs statements on a shard, in a connection of their own: they are in force there when this returns.
pub(super) async fn on_shard(connection: &mut PgConnection, shard: &str, sql: &str) -> Result<(), sqlx::Error> {
    let call = format!("SELECT {}.dblink_exec($1, $2)", dblink_schema(connection).await?);
    sqlx::query(AssertSqlSafe(call)).bind(server(shard)).bind(sql).execute(connection).await?;
    Ok(())
}

/// What a query on a shard says, which is one number.
pub(super) async fn number_on(connection: &mut PgConnection, shard: &str, sql: &str) -> Result<i64, sqlx::Error> {
    let call = format!("SELECT value FROM {}.dblink($1, $2) AS t (value bigint)", dblink_schema(connection).await?);
    sqlx::query_scalar(AssertSqlSafe(call)).bind(server(shard)).bind(sql).fetch_one(connection).await
}

/// Where dblink's functions are, quoted.
pub(super) async fn dblink_schema(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    let sql = "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
               WHERE extname = 'dblink'";
    sqlx::query_scalar(sql).fetch_one(connection).await
}

/// What PostgreSQL says of a failure, with the detail that names the cause. It never contains a password.
pub(super) fn reason(error: &sqlx::Error) -> String {
    let cause = error.as_database_error().and_then(|cause| cause.try_downcast_ref::<sqlx::postgres::PgDatabaseError>());
    let Some(cause) = cause else { return error.to_string() };
    let words = format!("{}: {}", cause.message(), cause.detail().unwrap_or_default());
    words.trim_end_matches(": ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The error of a statement that involves shards: a shard that does not answer is named. `shards` are those that the
/// statement may have asked.
pub(super) fn away(shards: &str, error: sqlx::Error) -> StoreError {
    let cause = error.as_database_error().and_then(|cause| cause.try_downcast_ref::<sqlx::postgres::PgDatabaseError>());
    let Some(cause) = cause else { return error.into() };
    let remote = cause.r#where().is_some_and(|context| context.contains("remote SQL command"));
    // Class 08 is of connections. Of its own connection to us, the server could not say so. 57014: it took too long.
    let code = cause.code();
    let connection = code.starts_with("08") || (remote && code.starts_with("57P")) || code == "57014";
    if !connection {
        return error.into();
    }
    let named = cause.message().split('"').nth(1).and_then(|name| name.strip_prefix("kaisatsu_shard_"));
    let name = named.unwrap_or(shards).to_owned();
    StoreError::ShardAway { name, source: error }
}

#[cfg(test)]
mod tests {
    use super::ShardName;

    #[test]
    fn names_of_shards_need_no_quotes() {
        for good in ["east", "s1", "rack_2"] {
            assert_eq!(ShardName::new(good).unwrap().to_string(), good);
        }
        for bad in ["", "1", "East", "a-b", "a b", "a\"", "_a", "é", &"a".repeat(31)] {
            assert!(ShardName::new(bad).is_err(), "{bad}");
        }
    }
}
