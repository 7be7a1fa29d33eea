//! Fresh databases for tests, on SQLite or on a real PostgreSQL server, a clock that moves only when told to, and
//! repeatable random numbers.
//!
//! Without a PostgreSQL server a test fails and says how to start one. No test is skipped.
#![allow(clippy::expect_used, clippy::panic, clippy::missing_panics_doc, reason = "a test stops at the first surprise")]

mod clock;

use std::{
    path::Path,
    process,
    sync::atomic::{AtomicU32, Ordering},
};

pub use clock::ManualClock;
pub use kaisatsu_model::splitmix::{INCREMENT, splitmix64};
use sqlx::{
    AssertSqlSafe, Connection, PgConnection, PgPool, SqlitePool, migrate::Migrator, sqlite::SqliteConnectOptions,
};
use tempfile::TempDir;

/// The databases that every conformance test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A SQLite file.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
}

/// An empty database. It is removed when this is dropped (SQLite) or when the test server stops (PostgreSQL).
#[derive(Debug)]
pub struct Database {
    /// Its address, as `--database` takes it.
    pub address: String,
    _folder: Option<TempDir>,
}

impl Database {
    /// Creates an empty database.
    #[must_use]
    pub fn fresh(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let address = format!("sqlite:{}", folder.path().join("kaisatsu.db").display());
                Self { address, _folder: Some(folder) }
            }
            Backend::Postgres => Self { address: fresh_on_postgres(), _folder: None },
        }
    }

    /// A database that there is.
    #[must_use]
    pub fn at(address: &str) -> Self {
        Self { address: address.to_owned(), _folder: None }
    }

    /// A SQLite database in a folder, which the caller removes.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { address: format!("sqlite:{}", folder.join("kaisatsu.db").display()), _folder: None }
    }

    /// Runs statements without the product: to prepare a newer schema, or tables of another application. Creates the
    /// file of a SQLite database that does not exist.
    pub fn run(&self, sql: &str) {
        let mode = if self.address.starts_with("sqlite:") { "?mode=rwc" } else { "" };
        let address = format!("{}{mode}", self.address);
        block_on(async {
            sqlx::any::install_default_drivers();
            let mut connection = sqlx::AnyConnection::connect(&address).await.expect("connect");
            sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("run");
        });
    }
}

impl Database {
    /// Makes the schema of an older version, from the folder of migrations for this database.
    pub fn migrate_to(&self, migrations: &Path, version: i64) {
        let sqlite = self.address.strip_prefix("sqlite:");
        let folder = migrations.join(if sqlite.is_some() { "sqlite" } else { "postgres" });
        block_on(async {
            let schema = Migrator::new(folder).await.expect("the migrations");
            if let Some(path) = sqlite {
                let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
                let pool = SqlitePool::connect_with(options).await.expect("connect");
                schema.run_to(version, &pool).await.expect("migrate");
                pool.close().await;
            } else {
                let pool = PgPool::connect(&self.address).await.expect("connect");
                schema.run_to(version, &pool).await.expect("migrate");
                pool.close().await;
            }
        });
    }

    /// Records a migration that no version has.
    pub fn claim_to_be_newer(&self) {
        self.run(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             SELECT 999, 'from the future', success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1",
        );
    }
}

/// The addresses of empty databases on other PostgreSQL servers, one on each.
#[must_use]
pub fn fresh_shards() -> Vec<String> {
    let servers = std::env::var("KAISATSU_TEST_SHARDS")
        .unwrap_or_else(|_| panic!("this test needs several PostgreSQL servers: `make test-cluster` runs it"));
    servers.split_whitespace().map(fresh_on).collect()
}

fn fresh_on_postgres() -> String {
    let server = std::env::var("KAISATSU_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("this test needs a PostgreSQL: run it through `tools/with-postgres cargo test …`, or `make test`")
    });
    fresh_on(&server)
}

fn fresh_on(server: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}_{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    block_on(async {
        let mut connection = PgConnection::connect(server).await.expect("the PostgreSQL of KAISATSU_TEST_POSTGRES");
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut connection).await.expect("create");
    });
    let (base, _) = server.rsplit_once('/').expect("an address with a database");
    format!("{base}/{name}")
}

/// Runs on a separate thread, so that it also works inside an async test.
fn block_on<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let run =
            || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime").block_on(work);
        scope.spawn(run).join().expect("no panic")
    })
}

/// Generates a test of each function for each backend. The file's own `run_on` opens the database and calls it.
#[macro_export]
macro_rules! test_on_every_backend {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() { super::run_on($crate::Backend::Sqlite, super::$test).await; })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            #[ignore = "needs PostgreSQL; `make test` runs it"]
            async fn $test() { super::run_on($crate::Backend::Postgres, super::$test).await; })+
        }
    };
}
