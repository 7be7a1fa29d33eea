//! Opens a database and migrates its schema, safely when several processes do so at once.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    time::{Duration, Instant},
};

use sqlx::{
    Connection, Executor, PgConnection, PgPool, SqliteConnection, SqlitePool,
    migrate::{MigrateError, Migrator},
    postgres::PgPoolOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{DatabaseAddress, OpenError, Pool, Store, transactions::Transactions as _};

static SQLITE_SCHEMA: Migrator = sqlx_macros::migrate!("migrations/sqlite");
static POSTGRES_SCHEMA: Migrator = sqlx_macros::migrate!("migrations/postgres");

/// How long a statement waits for another writer, and a caller for a connection.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that is taken is tried first, unless it was given back so recently: the pool tries it then too, and
/// under load each trial is another round trip beside one statement.
const TRUSTED: Duration = Duration::from_millis(200);

/// How long a statement on PostgreSQL waits for a lock, and how long it may run: connections are few, and a waiting
/// statement holds one. The longest statements are those of `kaisatsu check`, which read whole tables. The limits are
/// set by a statement on each connection: connection poolers reject them as startup parameters.
const POSTGRES_LIMITS: &str = "SET lock_timeout = '4s'; SET statement_timeout = '5min'";

/// Other replicas wait for the one that migrates as long as it takes. That one does not wait for a table as long as
/// statements wait for it (`POSTGRES_LIMITS`): they stand in line behind it, and whatever reads whole tables, such as
/// `pg_dump`, may take hours. A pooler may lend a connection on which the limits were set for somebody else.
const MIGRATION_LOCK: &str = "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; \
     SELECT pg_advisory_xact_lock(7310291954432); SET LOCAL lock_timeout = '500ms'";

/// When a migration that found a table in use is tried again, at first and at most: twice as late each time. Statements
/// have their turn meanwhile.
const MIGRATION_INTERVAL: Duration = Duration::from_secs(2);
const LONGEST_MIGRATION_INTERVAL: Duration = Duration::from_secs(30);

impl Store {
    /// Opens the database, creates it if it is a SQLite file that does not exist, and migrates an older schema. A
    /// database of another application, or one with a newer schema, is left unchanged.
    ///
    /// # Errors
    /// What is wrong with the address or the database, and what the operator can do about it.
    pub async fn open(address: &DatabaseAddress) -> Result<Self, OpenError> {
        let errors = OpenErrors { address };
        let pool = match address {
            DatabaseAddress::Sqlite(path) => Pool::Sqlite(open_sqlite(path, &errors).await?),
            DatabaseAddress::Postgres(options) => {
                // The pool retries a closed port until its timeout; one plain connection reports the error at once.
                let first = tokio::time::timeout(TIMEOUT, PgConnection::connect_with(options));
                match first.await {
                    Ok(connected) => drop(connected.map_err(|e| errors.of(e))?.close().await),
                    Err(_) => return Err(errors.of(sqlx::Error::PoolTimedOut)),
                }
                // A migration may take long, and other replicas wait for it, so this connection has no time limits.
                let one = PgPoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
                let migrating = one.connect_with((**options).clone()).await.map_err(|e| errors.of(e))?;
                migrate_postgres(&migrating, &errors).await?;
                migrating.close().await;
                let many = PgPoolOptions::new().max_connections(10).acquire_timeout(TIMEOUT);
                let many = many.test_before_acquire(false).before_acquire(|connection, idle| {
                    Box::pin(async move {
                        if idle.idle_for >= TRUSTED {
                            connection.ping().await?;
                        }
                        Ok(true)
                    })
                });
                let port = options.get_port();
                let bounded = many.after_connect(move |connection, _| {
                    watch_connections(port);
                    Box::pin(async move { connection.execute(POSTGRES_LIMITS).await.map(drop) })
                });
                Pool::Postgres(bounded.connect_with((**options).clone()).await.map_err(|e| errors.of(e))?)
            }
        };
        Ok(Self::over(pool))
    }
}

#[cfg(target_os = "linux")]
fn watch_connections(port: u16) {
    if let Err(error) = crate::keepalive::watch_connections(port) {
        tracing::debug!(%error, "a database that is gone will be noticed late");
    }
}

/// Other systems have no list of the open files of a process.
#[cfg(not(target_os = "linux"))]
fn watch_connections(_: u16) {}

async fn open_sqlite(path: &Path, errors: &OpenErrors<'_>) -> Result<SqlitePool, OpenError> {
    // The first inspection is read-only: opening the file for writing already changes it.
    inspect_sqlite(path, errors).await?;
    // SQLite has no lock that covers a whole migration, so a lock file beside the database does.
    let migration_lock = lock_file(path, errors).await?;
    inspect_sqlite(path, errors).await?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: an acknowledged write survives a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // Deleted rows are overwritten, so that they cannot be recovered from the file.
        .pragma("secure_delete", "ON")
        .busy_timeout(TIMEOUT)
        .optimize_on_close(true, None);
    let pool = SqlitePoolOptions::new()
        .max_connections(4)
        .acquire_timeout(TIMEOUT)
        // SQLite ends a transaction by itself when its COMMIT fails, on a full disk for example. sqlx does not notice,
        // and would begin savepoints on this connection from then on, whose COMMIT stores nothing.
        .after_release(|connection, _| {
            Box::pin(async move {
                // A rollback that waits is done first.
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
        .connect_with(options)
        .await
        .map_err(|e| errors.of(e))?;
    SQLITE_SCHEMA.run(&pool).await.map_err(|e| errors.of_migration(e))?;
    drop(migration_lock);
    Ok(pool)
}

/// Opens a file for reading only. None if its schema is older than this binary's.
pub(crate) async fn open_unchanged(
    path: &Path,
    options: SqliteConnectOptions,
) -> Result<Option<SqlitePool>, OpenError> {
    let address = DatabaseAddress::Sqlite(path.to_owned());
    let errors = OpenErrors { address: &address };
    inspect_sqlite(path, &errors).await?;
    let pool = SqlitePoolOptions::new().connect_with(options).await.map_err(|e| errors.of(e))?;
    let newest = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(&pool);
    let newest: Option<i64> = newest.await.map_err(|e| errors.of(e))?;
    if newest == SQLITE_SCHEMA.iter().map(|migration| migration.version).max() {
        return Ok(Some(pool));
    }
    pool.close().await;
    Ok(None)
}

/// Rejects a file of another application or with a newer schema, without writing to it. A missing or empty file is
/// fine.
async fn inspect_sqlite(path: &Path, errors: &OpenErrors<'_>) -> Result<(), OpenError> {
    if !std::fs::metadata(path).is_ok_and(|facts| facts.len() > 0) {
        return Ok(());
    }
    let options = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(TIMEOUT);
    let mut connection = SqliteConnection::connect_with(&options).await.map_err(|e| errors.of(e))?;
    let tables = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .fetch_all(&mut connection)
    .await
    .map_err(|e| errors.of(e))?;
    let mut found = None;
    if has(&tables, MIGRATIONS) {
        let newest = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(&mut connection);
        found = newest.await.map_err(|e| errors.of(e))?;
    }
    let _ = connection.close().await;
    check_schema(&tables, found, &SQLITE_SCHEMA, errors)
}

async fn migrate_postgres(pool: &PgPool, errors: &OpenErrors<'_>) -> Result<(), OpenError> {
    let mut tables = postgres_tables(pool, errors).await?;
    let mut found = None;
    if has(&tables, MIGRATIONS) {
        let newest = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(pool);
        found = newest.await.map_err(|e| errors.of(e))?;
        // Another replica may have migrated between the two queries: the list of tables must not be older than the
        // version.
        tables = postgres_tables(pool, errors).await?;
    }
    check_schema(&tables, found, &POSTGRES_SCHEMA, errors)?;
    let mut interval = MIGRATION_INTERVAL;
    loop {
        match run_migrations(pool).await {
            Err(error) if is_in_use(&error) => {
                if interval == MIGRATION_INTERVAL {
                    tracing::warn!(%error, "the schema cannot be changed while others use its tables; it is tried again");
                }
                tokio::time::sleep(interval).await;
                interval = (2 * interval).min(LONGEST_MIGRATION_INTERVAL);
            }
            done => return done.map_err(|e| errors.of_migration(e)),
        }
    }
}

/// One of several replicas migrates, and the others wait. All of it is one transaction, with a lock that ends with it:
/// a pooler such as pgbouncer lends a connection for one transaction only, and a lock of a session would stay behind on
/// a connection that nobody finds again.
async fn run_migrations(pool: &PgPool) -> Result<(), MigrateError> {
    let mut transaction = pool.transaction().await?;
    transaction.execute(MIGRATION_LOCK).await?;
    let mut schema = Migrator::with_migrations(POSTGRES_SCHEMA.iter().cloned().collect());
    schema.set_locking(false);
    schema.run_direct(None, &mut *transaction, false).await?;
    Ok(transaction.commit().await?)
}

/// Whether a migration gave up because somebody else has a lock on a table (`lock_not_available`), or because the two
/// waited for each other (`deadlock_detected`).
fn is_in_use(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else { return false };
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    matches!(code.as_deref(), Some("55P03" | "40P01"))
}

/// The tables of the current schema, without those that belong to an extension such as PostGIS.
async fn postgres_tables(pool: &PgPool, errors: &OpenErrors<'_>) -> Result<Vec<String>, OpenError> {
    sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c \
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') \
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')",
    )
    .fetch_all(pool)
    .await
    .map_err(|e| errors.of(e))
}

/// The table in which sqlx records migrations: the first table that a new database gets.
const MIGRATIONS: &str = "_sqlx_migrations";

/// A table that only our schema has.
const OURS: &str = "key_revision";

fn has(tables: &[String], name: &str) -> bool {
    tables.iter().any(|table| table == name)
}

/// Decides whether a database with these tables and this latest migration may be migrated.
fn check_schema(
    tables: &[String],
    found: Option<i64>,
    schema: &Migrator,
    errors: &OpenErrors<'_>,
) -> Result<(), OpenError> {
    let address = || errors.address.to_string();
    let known = schema.iter().map(|migration| migration.version).max().unwrap_or(0);
    match found {
        // No migration is recorded. An empty table of migrations means that another replica is starting.
        None if tables.is_empty() || has(tables, MIGRATIONS) => Ok(()),
        None => Err(OpenError::Foreign { address: address() }),
        Some(_) if !has(tables, OURS) => Err(OpenError::Foreign { address: address() }),
        Some(found) if found > known => Err(OpenError::Newer { address: address(), found, known }),
        Some(found) if found < known => {
            tracing::info!(from = found, to = known, "bringing the schema up to date");
            Ok(())
        }
        Some(_) => Ok(()),
    }
}

/// Holds an exclusive lock on `PATH.lock` until it is dropped. It polls, because waiting for a file lock cannot be
/// cancelled.
async fn lock_file(path: &Path, errors: &OpenErrors<'_>) -> Result<File, OpenError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let not_writable =
        |error: &io::Error| OpenError::NotWritable { address: errors.address.to_string(), reason: error.to_string() };
    let file = File::options().create(true).truncate(false).write(true).open(name).map_err(|e| not_writable(&e))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if began.elapsed() < TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked { address: errors.address.to_string() }),
            Err(TryLockError::Error(error)) => return Err(not_writable(&error)),
        }
    }
}

/// Turns driver errors into messages that say what the operator can do.
struct OpenErrors<'a> {
    address: &'a DatabaseAddress,
}

impl OpenErrors<'_> {
    fn of(&self, error: sqlx::Error) -> OpenError {
        let address = self.address.to_string();
        let unreachable = |reason: String| OpenError::Unreachable { address: address.clone(), reason };
        match &error {
            sqlx::Error::Database(cause) => {
                let code = cause.code().unwrap_or_default().into_owned();
                match (self.address, code.as_str()) {
                    // SQLite's primary result codes; extended codes carry them in the low byte.
                    (DatabaseAddress::Sqlite(_), code) => match code.parse::<u32>().map(|c| c & 0xff) {
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
            sqlx::Error::Io(cause) if matches!(self.address, DatabaseAddress::Postgres(_)) => {
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
