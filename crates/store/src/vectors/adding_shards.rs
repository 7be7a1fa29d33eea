//! Adding a shard: what it needs is checked, and added where that can be done from here.
//!
//! All of it is one transaction of this database, but for an empty schema on the shard. Whatever fails, nothing is
//! added, and the same command can be run again; for a shard that is there it changes address and credentials.

use kaisatsu_model::Timestamp;
use percent_encoding::percent_decode_str;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, postgres::PgConnectOptions};

use super::{
    extension::{VectorSupport, is_recent},
    shards::{SHARDS_LOCK, ShardName, ShardState, dblink_schema, number_on, on_shard, reason, server},
};
use crate::{DatabaseAddress, Pool, Store, StoreError, address::sslmode, transactions::Transactions as _};

/// The extensions that this database needs for shards.
const EXTENSIONS: [&str; 2] = ["postgres_fdw", "dblink"];

/// Where a shard is, with its credentials. `Debug` hides the password.
#[derive(Clone)]
pub struct ShardAddress {
    options: PgConnectOptions,
    password: Option<String>,
}

impl std::fmt::Debug for ShardAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        DatabaseAddress::Postgres(Box::new(self.options.clone())).fmt(f)
    }
}

impl std::str::FromStr for ShardAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "postgres://USER:PASSWORD@HOST:PORT/DATABASE, with ?sslmode=… or without";
        // PostgreSQL has no text with the character 0, and would quote what is around it.
        if text.contains("%00") {
            return Err(format!("the character 0 cannot be part of it: expected {FORM}"));
        }
        let address: DatabaseAddress = text.parse().map_err(|_| format!("expected {FORM}"))?;
        let DatabaseAddress::Postgres(options) = address else { return Err(format!("expected {FORM}")) };
        let (_, rest) = text.split_once("://").unwrap_or_default();
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        if query.split('&').any(|pair| !pair.is_empty() && !pair.starts_with("sslmode=")) {
            return Err(format!("the database connects to a shard, which takes sslmode alone: expected {FORM}"));
        }
        let authority = place.split('/').next().unwrap_or_default();
        let password = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
        let password = password.map(|(_, password)| percent_decode_str(password).decode_utf8_lossy().into_owned());
        Ok(Self { options: *options, password })
    }
}

impl ShardAddress {
    /// What [`SERVER`] takes.
    fn as_json(&self, name: &ShardName) -> String {
        serde_json::json!({
            "server": server(name.as_str()), "host": self.options.get_host(),
            "port": self.options.get_port().to_string(), "sslmode": sslmode(&self.options),
            "dbname": self.options.get_database().unwrap_or(self.options.get_username()),
            "user": self.options.get_username(), "password": self.password,
        })
        .to_string()
    }
}

/// Why a shard was not added.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// Something is missing or wrong; these words say what to do.
    #[error("{0}")]
    Refused(String),
    /// This database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ShardError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Values are handed over as parameters, which the first setting keeps out of the server's log. The second one keeps
/// the statements inside of a block out of the table of `pg_stat_statements`. Without the right to set them, the
/// password is there only where an operator has all parameters logged, or all nested statements counted.
const UNLOGGED: &str = "DO $$ BEGIN PERFORM set_config('log_parameter_max_length', '0', true); \
     EXCEPTION WHEN insufficient_privilege THEN NULL; END $$; \
     DO $$ BEGIN PERFORM set_config('pg_stat_statements.track', 'none', true); \
     EXCEPTION WHEN insufficient_privilege THEN NULL; END $$";

/// Makes the foreign server, or changes its address. A statement inside of a block is not logged, and its text is not
/// part of an error that it raises.
///
/// The planner of a shard sees the query of a cursor, of which few rows are read: `cursor_tuple_fraction` says so.
const SERVER: &str = "DO $$ DECLARE given json := current_setting('kaisatsu.shard')::json; \
     name text := given ->> 'server'; \
     BEGIN \
     IF EXISTS (SELECT 1 FROM pg_foreign_server WHERE srvname = name) THEN \
     EXECUTE format('ALTER SERVER %I OPTIONS (SET host %L, SET port %L, SET dbname %L, SET sslmode %L)', \
     name, given ->> 'host', given ->> 'port', given ->> 'dbname', given ->> 'sslmode'); \
     ELSE \
     EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, \
     sslmode %L, connect_timeout ''3'', tcp_user_timeout ''10000'', keepalives_idle ''5'', keepalives_interval ''2'', \
     keepalives_count ''3'', extensions ''vector'', fetch_size ''50'', batch_size ''200'', async_capable ''true'', \
     options ''-c hnsw.ef_search=200 -c hnsw.iterative_scan=relaxed_order -c cursor_tuple_fraction=0.001 -c jit=off \
     -c statement_timeout=5min -c lock_timeout=4s'')', \
     name, given ->> 'host', given ->> 'port', given ->> 'dbname', given ->> 'sslmode'); \
     END IF; \
     EXECUTE format('DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER %I', name); \
     EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I OPTIONS (user %L %s)', name, given ->> 'user', \
     CASE WHEN given ->> 'password' IS NULL THEN '' ELSE format(', password %L', given ->> 'password') END); \
     EXCEPTION WHEN OTHERS THEN RAISE EXCEPTION USING MESSAGE = SQLERRM, ERRCODE = SQLSTATE; \
     END $$";

impl Store {
    /// Adds a shard, or changes the address and the credentials of one. Returns whether it is new.
    ///
    /// # Errors
    /// What is missing or wrong, and what the operator can do about it.
    pub async fn add_shard(
        &self,
        name: &ShardName,
        address: &ShardAddress,
        now: Timestamp,
    ) -> Result<bool, ShardError> {
        let Pool::Postgres(pool) = &self.pool else {
            return Err(refused("shards are for PostgreSQL; this database is SQLite"));
        };
        if let VectorSupport::Missing(reason) = self.enable_vectors().await? {
            return Err(ShardError::Refused(reason));
        }
        for extension in EXTENSIONS {
            enable(pool, extension).await?;
        }
        let mut tx = pool.transaction().await?;
        // A server that takes connections and says nothing is given up, too.
        sqlx::raw_sql("SET LOCAL lock_timeout = '1min'; SET LOCAL statement_timeout = '1min'")
            .execute(&mut *tx)
            .await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(SHARDS_LOCK).execute(&mut *tx).await?;
        let known = super::shards::all(&mut tx).await?.into_iter().find(|shard| shard.name == name.as_str());
        if known.as_ref().is_some_and(|shard| shard.state() != ShardState::Active) {
            return Err(ShardError::Refused(format!(
                "shard '{name}' is being removed; add it again when `kaisatsu shard list` does not show it any more"
            )));
        }
        make_server(&mut tx, name, address).await?;
        check(&mut tx, name).await?;
        if let Some(shard) = &known {
            let sql = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{}'", shard.schema);
            if number_on(&mut tx, name.as_str(), &sql).await? == 0 {
                return Err(ShardError::Refused(format!(
                    "there is a shard '{name}', and this database has nothing of it. Choose another name; if the \
                         server of '{name}' is gone, run `kaisatsu shard remove {name} --lost` first"
                )));
            }
        } else {
            let schema: String = sqlx::query_scalar(
                "INSERT INTO shard (name, schema, state, added_at) SELECT $1, 'kaisatsu_' || $1 || '_' || \
                     left(md5(current_database() || system_identifier), 12), 'active', $2 FROM pg_control_system() \
                     RETURNING schema",
            )
            .bind(name.as_str())
            .bind(now.0)
            .fetch_one(&mut *tx)
            .await?;
            let sql = format!("CREATE SCHEMA IF NOT EXISTS {schema}");
            on_shard(&mut tx, name.as_str(), &sql).await.map_err(|error| on_that_server(name, &error))?;
        }
        tx.commit().await?;
        Ok(known.is_none())
    }
}

async fn make_server(tx: &mut PgConnection, name: &ShardName, address: &ShardAddress) -> Result<(), ShardError> {
    sqlx::raw_sql(UNLOGGED).execute(&mut *tx).await?;
    sqlx::query("SELECT set_config('kaisatsu.shard', $1, true)").bind(address.as_json(name)).execute(&mut *tx).await?;
    match sqlx::raw_sql(SERVER).execute(&mut *tx).await {
        Ok(_) => Ok(()),
        Err(error) if code(&error) == "42501" => Err(ShardError::Refused(format!(
            "this database's user may not add a foreign server ({}); let a superuser run GRANT USAGE ON FOREIGN DATA \
             WRAPPER postgres_fdw TO that user",
            reason(&error)
        ))),
        Err(error) => Err(ShardError::Refused(reason(&error))),
    }
}

/// What a server says of itself.
#[derive(sqlx_macros::FromRow)]
struct Facts {
    version: i64,
    standby: bool,
    place: String,
    installed: Option<String>,
    schema: Option<String>,
    available: Option<String>,
}

/// The time of the start is taken as a number. As a text it is in the time zone of the connection, which need not be
/// the same for both.
const FACTS: &str = "SELECT current_setting('server_version_num')::bigint AS version, pg_is_in_recovery() AS standby, \
     extract(epoch FROM pg_postmaster_start_time())::text || current_database() AS place, \
     (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed, \
     (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
     WHERE extname = 'vector') AS schema, \
     (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available";

/// The earliest version of PostgreSQL that takes several rows of a foreign table at a time.
const EARLIEST: i64 = 140_000;

/// Checks that the server can be reached and can search vectors, and adds the extension to its database.
async fn check(tx: &mut PgConnection, name: &ShardName) -> Result<(), ShardError> {
    let refuse = |words: String| Err(ShardError::Refused(format!("shard '{name}': {words}")));
    let here: Facts = sqlx::query_as(FACTS).fetch_one(&mut *tx).await?;
    let sql = format!(
        "SELECT * FROM {}.dblink($1, $2) AS t (version bigint, standby bool, place text, installed text, schema text, \
         available text)",
        dblink_schema(tx).await?
    );
    let asked = sqlx::query_as(AssertSqlSafe(sql)).bind(server(name.as_str())).bind(FACTS).fetch_one(&mut *tx).await;
    let there: Facts = match asked {
        Ok(facts) => facts,
        Err(error @ sqlx::Error::Database(_)) => {
            return refuse(format!(
                "this database cannot connect to it ({}). The address is the one that the database server reaches it by",
                reason(&error)
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let schema = here.schema.unwrap_or_default();
    if there.place == here.place {
        return refuse("that is this very database; name one on another server".to_owned());
    }
    if there.standby {
        return refuse("that server is a standby and can only be read; name its primary".to_owned());
    }
    if there.version.min(here.version) < EARLIEST {
        return refuse(format!(
            "shards need PostgreSQL 14 on both sides; it has {}, this database {}",
            there.version / 10_000,
            here.version / 10_000
        ));
    }
    match (&there.installed, &there.available) {
        (Some(version), _) if !is_recent(version) => refuse(format!(
            "its database has version {version} of the extension pgvector, 0.8 or later is needed; update it there \
             with ALTER EXTENSION vector UPDATE"
        )),
        (Some(_), _) if there.schema.as_ref() != Some(&schema) => refuse(format!(
            "its extension vector is in the schema {}, and in {schema} here; both must have it in the same schema: \
             ALTER EXTENSION vector SET SCHEMA {schema}",
            there.schema.unwrap_or_default()
        )),
        (Some(_), _) => Ok(()),
        (None, None) => refuse("that server has no extension pgvector; install it there".to_owned()),
        (None, Some(version)) if !is_recent(version) => {
            refuse(format!("the extension pgvector of that server is {version}, 0.8 or later is needed"))
        }
        (None, Some(_)) => {
            let sql = format!("CREATE EXTENSION IF NOT EXISTS vector SCHEMA {schema}");
            on_shard(tx, name.as_str(), &sql).await.map_err(|error| on_that_server(name, &error))
        }
    }
}

/// Adds an extension to this database.
async fn enable(pool: &PgPool, extension: &str) -> Result<(), ShardError> {
    let installed = "SELECT installed_version IS NOT NULL FROM pg_available_extensions WHERE name = $1";
    let installed: Option<bool> = sqlx::query_scalar(installed).bind(extension).fetch_optional(pool).await?;
    match installed {
        Some(true) => Ok(()),
        Some(false) => {
            let made = sqlx::raw_sql(AssertSqlSafe(format!("CREATE EXTENSION IF NOT EXISTS {extension}")));
            made.execute(pool).await.map_err(|error| ShardError::Refused(format!(
                "the extension {extension} cannot be added to this database ({}); let a superuser run CREATE EXTENSION \
                 {extension}",
                reason(&error)
            )))?;
            Ok(())
        }
        None => Err(ShardError::Refused(format!(
            "this PostgreSQL server has no extension {extension}; install PostgreSQL's contrib package there"
        ))),
    }
}

fn on_that_server(name: &ShardName, error: &sqlx::Error) -> ShardError {
    ShardError::Refused(format!(
        "shard '{name}': its user may not do what is needed there ({}); let the owner of that database do it, or make \
         the user its owner",
        reason(error)
    ))
}

fn refused(words: &str) -> ShardError {
    ShardError::Refused(words.to_owned())
}

fn code(error: &sqlx::Error) -> String {
    error.as_database_error().and_then(|cause| Some(cause.code()?.into_owned())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{ShardAddress, ShardName};

    #[test]
    fn the_password_goes_to_the_database_and_is_not_printed() {
        let address: ShardAddress =
            "postgres://me:s3%40cret%2F@db.example:5433/gate?sslmode=verify-full".parse().unwrap();
        let given: serde_json::Value =
            serde_json::from_str(&address.as_json(&ShardName::new("east").unwrap())).unwrap();
        let expected = serde_json::json!({
            "server": "kaisatsu_shard_east", "host": "db.example", "port": "5433", "dbname": "gate",
            "sslmode": "verify-full", "user": "me", "password": "s3@cret/",
        });
        assert_eq!(given, expected);
        assert_eq!(format!("{address:?}"), "postgres://me@db.example:5433/gate?sslmode=verify-full");
    }

    #[test]
    fn addresses_that_a_database_cannot_use_are_refused_without_their_password() {
        for bad in [
            "sqlite:a.db",
            "east",
            "postgres://me:s3cret@h/d?sslrootcert=a",
            "postgres://me:s3cret@h:x/d",
            "postgres://me:s3cret%00@h/d",
        ] {
            let message = bad.parse::<ShardAddress>().unwrap_err();
            assert!(message.contains("postgres://USER:PASSWORD@HOST"), "{bad}: {message}");
            assert!(!message.contains("s3cret"), "{message}");
        }
    }
}
