//! Opening a database and bringing its schema up to date, safely when several processes do so at once.

use std::{fs::File, io, path::Path, time::Duration};

use sqlx::{
    Connection, PgConnection, PgPool, SqlitePool,
    migrate::{MigrateError, Migrator},
    postgres::PgPoolOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{Address, OpenError, Pool, Store};

static SQLITE_SCHEMA: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES_SCHEMA: Migrator = sqlx::migrate!("migrations/postgres");

/// How long a statement waits for another writer, and a caller for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

impl Store {
    /// Opens the database, makes it if it is a SQLite file that is not there yet, and brings an older schema up to
    /// date. A database that is not ours or newer than we know is left as it is.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the address or the database.
    pub async fn open(address: &Address) -> Result<Self, OpenError> {
        let trouble = Trouble { address };
        let pool = match address {
            Address::Sqlite(path) => Pool::Sqlite(open_sqlite(path, &trouble).await?),
            Address::Postgres(options) => {
                // The pool would try a closed port again and again until its patience ends; one plain connection
                // says at once what is wrong.
                let first = tokio::time::timeout(PATIENCE, PgConnection::connect_with(options));
                match first.await {
                    Ok(connected) => drop(connected.map_err(|e| trouble.of(e))?.close().await),
                    Err(_) => return Err(trouble.of(sqlx::Error::PoolTimedOut)),
                }
                let limits = PgPoolOptions::new().max_connections(10).acquire_timeout(PATIENCE);
                let pool = limits.connect_with((**options).clone()).await.map_err(|e| trouble.of(e))?;
                prepare_postgres(&pool, &trouble).await?;
                Pool::Postgres(pool)
            }
        };
        Ok(Self { pool })
    }
}

async fn open_sqlite(path: &Path, trouble: &Trouble<'_>) -> Result<SqlitePool, OpenError> {
    // SQLite has no lock that covers a whole migration, so a lock file beside the database does.
    let _only_one_prepares = lock_beside(path, trouble).await?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: what was acknowledged is on the disk, also after a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .optimize_on_close(true, None);
    let pool = SqlitePoolOptions::new()
        .max_connections(4)
        .acquire_timeout(PATIENCE)
        .connect_with(options)
        .await
        .map_err(|e| trouble.of(e))?;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .fetch_all(&pool)
    .await
    .map_err(|e| trouble.of(e))?;
    if is_ours(&tables, trouble)? {
        let found: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations")
            .fetch_one(&pool)
            .await
            .map_err(|e| trouble.of(e))?;
        refuse_newer(found, &SQLITE_SCHEMA, trouble)?;
    }
    SQLITE_SCHEMA.run(&pool).await.map_err(|e| trouble.of_migration(e))?;
    Ok(pool)
}

async fn prepare_postgres(pool: &PgPool, trouble: &Trouble<'_>) -> Result<(), OpenError> {
    // Tables that an extension brought (PostGIS has some) are nobody's application.
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c \
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') \
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')",
    )
    .fetch_all(pool)
    .await
    .map_err(|e| trouble.of(e))?;
    if is_ours(&tables, trouble)? {
        let found: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations")
            .fetch_one(pool)
            .await
            .map_err(|e| trouble.of(e))?;
        refuse_newer(found, &POSTGRES_SCHEMA, trouble)?;
    }
    // Takes an advisory lock: of several replicas one migrates and the others wait.
    POSTGRES_SCHEMA.run(pool).await.map_err(|e| trouble.of_migration(e))
}

/// Whether the tables are those of an earlier run; an empty database is not, and another application's is refused.
/// The list of migrations is the first table to be made, so a start in progress elsewhere is never taken for foreign.
fn is_ours(tables: &[String], trouble: &Trouble<'_>) -> Result<bool, OpenError> {
    if tables.iter().any(|name| name == "_sqlx_migrations") {
        return Ok(true);
    }
    if tables.is_empty() { Ok(false) } else { Err(OpenError::Foreign { address: trouble.address.to_string() }) }
}

fn refuse_newer(found: Option<i64>, schema: &Migrator, trouble: &Trouble<'_>) -> Result<(), OpenError> {
    let known = schema.iter().map(|migration| migration.version).max().unwrap_or(0);
    match found {
        Some(found) if found > known => Err(OpenError::Newer { address: trouble.address.to_string(), found, known }),
        Some(found) if found < known => {
            tracing::info!(from = found, to = known, "bringing the schema up to date");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Holds an exclusive lock on `PATH.lock` until it is dropped.
async fn lock_beside(path: &Path, trouble: &Trouble<'_>) -> Result<File, OpenError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let locking = tokio::task::spawn_blocking(move || -> io::Result<File> {
        let file = File::options().create(true).truncate(false).write(true).open(name)?;
        file.lock()?;
        Ok(file)
    });
    let not_writable = |e: &dyn std::fmt::Display| OpenError::NotWritable {
        address: trouble.address.to_string(),
        reason: e.to_string(),
    };
    match tokio::time::timeout(PATIENCE, locking).await {
        Ok(Ok(locked)) => locked.map_err(|e| not_writable(&e)),
        Ok(Err(stopped)) => Err(not_writable(&stopped)),
        Err(_) => Err(OpenError::Locked { address: trouble.address.to_string() }),
    }
}

/// Turns what the drivers say into what the operator can do about it.
struct Trouble<'a> {
    address: &'a Address,
}

impl Trouble<'_> {
    fn of(&self, error: sqlx::Error) -> OpenError {
        let address = self.address.to_string();
        let unreachable = |reason: String| OpenError::Unreachable { address: address.clone(), reason };
        match &error {
            sqlx::Error::Database(cause) => {
                let code = cause.code().unwrap_or_default().into_owned();
                match (self.address, code.as_str()) {
                    // SQLite's primary result codes; extended ones carry them in the low byte.
                    (Address::Sqlite(_), code) => match code.parse::<u32>().map(|c| c & 0xff) {
                        Ok(5 | 6) => OpenError::Locked { address },
                        Ok(8 | 10 | 13 | 14 | 3) => {
                            OpenError::NotWritable { address, reason: cause.message().to_owned() }
                        }
                        Ok(11 | 26) => OpenError::NotADatabase { address },
                        _ => OpenError::Failed { address, source: error },
                    },
                    (_, "28P01" | "28000") => unreachable("the server refused the user or the password".to_owned()),
                    (_, "3D000") => unreachable("the server has no database of that name; create it first".to_owned()),
                    (_, "42501") => unreachable(format!(
                        "this user may not create tables there ({}); grant it, or name a database it owns",
                        cause.message()
                    )),
                    _ => unreachable(format!("the server answered: {}", cause.message())),
                }
            }
            sqlx::Error::Io(cause) if matches!(self.address, Address::Postgres(_)) => {
                unreachable(format!("no server answers there ({cause}). Check host and port, and that it runs"))
            }
            sqlx::Error::PoolTimedOut => {
                unreachable("no answer in time. Check host and port, and that it runs".to_owned())
            }
            _ => OpenError::Failed { address, source: error },
        }
    }

    fn of_migration(&self, error: MigrateError) -> OpenError {
        match error {
            MigrateError::Execute(e) | MigrateError::ExecuteMigration(e, _) => self.of(e),
            MigrateError::VersionMissing(version)
            | MigrateError::VersionMismatch(version)
            | MigrateError::Dirty(version) => OpenError::Altered { address: self.address.to_string(), version },
            other => {
                OpenError::Failed { address: self.address.to_string(), source: sqlx::Error::Migrate(Box::new(other)) }
            }
        }
    }
}
