//! Opening a database and bringing its schema up to date, safely when several processes do so at once.

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

use crate::{Address, OpenError, Pool, Store};

static SQLITE_SCHEMA: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES_SCHEMA: Migrator = sqlx::migrate!("migrations/postgres");

/// How long a statement waits for another writer, and a caller for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a statement waits for a lock on PostgreSQL, and takes at most: connections are few, and whoever waits holds one.
/// The longest statements are those of `kaisatsu check`, which read whole tables. They are set on each connection and not asked for
/// when it is made, which poolers between us and the server refuse.
const POSTGRES_LIMITS: &str = "SET lock_timeout = '4s'; SET statement_timeout = '5min'";

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
                // An upgrade of the schema takes the time it takes, and other replicas wait for it.
                let one = PgPoolOptions::new().max_connections(1).acquire_timeout(PATIENCE);
                let preparing = one.connect_with((**options).clone()).await.map_err(|e| trouble.of(e))?;
                prepare_postgres(&preparing, &trouble).await?;
                preparing.close().await;
                let many = PgPoolOptions::new().max_connections(10).acquire_timeout(PATIENCE);
                let bounded = many.after_connect(|connection, _| {
                    Box::pin(async move { connection.execute(POSTGRES_LIMITS).await.map(drop) })
                });
                Pool::Postgres(bounded.connect_with((**options).clone()).await.map_err(|e| trouble.of(e))?)
            }
        };
        Ok(Self { pool })
    }
}

async fn open_sqlite(path: &Path, trouble: &Trouble<'_>) -> Result<SqlitePool, OpenError> {
    // Looking comes first and changes nothing: opening for writing already would.
    look_at_sqlite(path, trouble).await?;
    // SQLite has no lock that covers a whole migration, so a lock file beside the database does.
    let only_one_prepares = lock_beside(path, trouble).await?;
    look_at_sqlite(path, trouble).await?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: what was acknowledged is on the disk, also after a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // What is deleted is overwritten, not only forgotten.
        .pragma("secure_delete", "ON")
        .busy_timeout(PATIENCE)
        .optimize_on_close(true, None);
    let pool = SqlitePoolOptions::new()
        .max_connections(4)
        .acquire_timeout(PATIENCE)
        .connect_with(options)
        .await
        .map_err(|e| trouble.of(e))?;
    SQLITE_SCHEMA.run(&pool).await.map_err(|e| trouble.of_migration(e))?;
    drop(only_one_prepares);
    Ok(pool)
}

/// Refuses a file that is not ours or newer than we know, without writing a byte. No file, or an empty one, is fine.
async fn look_at_sqlite(path: &Path, trouble: &Trouble<'_>) -> Result<(), OpenError> {
    if !std::fs::metadata(path).is_ok_and(|facts| facts.len() > 0) {
        return Ok(());
    }
    let options = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(PATIENCE);
    let mut connection = SqliteConnection::connect_with(&options).await.map_err(|e| trouble.of(e))?;
    let tables = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .fetch_all(&mut connection)
    .await
    .map_err(|e| trouble.of(e))?;
    let mut found = None;
    if has(&tables, MIGRATIONS) {
        let newest = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(&mut connection);
        found = newest.await.map_err(|e| trouble.of(e))?;
    }
    let _ = connection.close().await;
    judge(&tables, found, &SQLITE_SCHEMA, trouble)
}

async fn prepare_postgres(pool: &PgPool, trouble: &Trouble<'_>) -> Result<(), OpenError> {
    let mut tables = postgres_tables(pool, trouble).await?;
    let mut found = None;
    if has(&tables, MIGRATIONS) {
        let newest = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(pool);
        found = newest.await.map_err(|e| trouble.of(e))?;
        // Another replica may have migrated between the two questions: the list must not be older than the answer.
        tables = postgres_tables(pool, trouble).await?;
    }
    judge(&tables, found, &POSTGRES_SCHEMA, trouble)?;
    // Takes an advisory lock: of several replicas one migrates and the others wait.
    POSTGRES_SCHEMA.run(pool).await.map_err(|e| trouble.of_migration(e))
}

/// The tables of the schema in use. Those that an extension brought (PostGIS has some) are nobody's application.
async fn postgres_tables(pool: &PgPool, trouble: &Trouble<'_>) -> Result<Vec<String>, OpenError> {
    sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c \
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') \
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')",
    )
    .fetch_all(pool)
    .await
    .map_err(|e| trouble.of(e))
}

/// The driver's list of migrations: the first table that a start makes.
const MIGRATIONS: &str = "_sqlx_migrations";

/// A table that only our schema has.
const OURS: &str = "key_revision";

fn has(tables: &[String], name: &str) -> bool {
    tables.iter().any(|table| table == name)
}

/// Decides whether a database with these tables and this newest migration is one we may bring up to date.
fn judge(tables: &[String], found: Option<i64>, schema: &Migrator, trouble: &Trouble<'_>) -> Result<(), OpenError> {
    let address = || trouble.address.to_string();
    let known = schema.iter().map(|migration| migration.version).max().unwrap_or(0);
    match found {
        // Nothing was migrated here. A list of migrations without an entry is another replica's start in progress.
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

/// Holds an exclusive lock on `PATH.lock` until it is dropped. Asked for again and again and not waited for, because a
/// wait for a lock cannot be given up.
async fn lock_beside(path: &Path, trouble: &Trouble<'_>) -> Result<File, OpenError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let not_writable =
        |error: &io::Error| OpenError::NotWritable { address: trouble.address.to_string(), reason: error.to_string() };
    let file = File::options().create(true).truncate(false).write(true).open(name).map_err(|e| not_writable(&e))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked { address: trouble.address.to_string() }),
            Err(TryLockError::Error(error)) => return Err(not_writable(&error)),
        }
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
