//! Copies: what is in a database is in its copy, and in a database that is restored from it.

use std::{path::Path, sync::atomic::AtomicU64, sync::atomic::Ordering};

use kaisatsu_store::{DatabaseAddress, Store};
use kaisatsu_testkit::{Backend, Database};
use sqlx::{AssertSqlSafe, PgPool, SqlitePool};

/// Tables and columns that only PostgreSQL has: vectors of large collections, made again after a restore, and the
/// servers that they lie on.
const POSTGRES_ALONE: [&str; 2] = ["collection_part", "shard"];

fn is_left_out(table: &str) -> bool {
    table == "_sqlx_migrations" || POSTGRES_ALONE.contains(&table)
}

/// Rows of each kind: references within a table and between tables, every type, nothing, empty and large values, text
/// beyond ASCII.
const ROWS: [&str; 9] = [
    "INSERT INTO account (id, email, password, role, state, created_at) VALUES \
     ('acc_1', 'one@example.org', 'hash', 'operator', 'active', 1)",
    "INSERT INTO application (id, name, created_at, account_id) VALUES ('app_1', '改札\tand\nlines', 2, 'acc_1')",
    "INSERT INTO user_account (application_id, user_id, changed_at) VALUES ('app_1', 'u', 3)",
    // The first refers to the second, which comes later.
    "INSERT INTO dataset (id, application_id, user_id, name, phase, changed_at, created_at, model, model_sha256, \
     version_of, version, head) VALUES ('ds_b', 'app_1', 'u', 'whole', 'ready', 9223372036854775807, -1, 'm', '', \
     NULL, 1, NULL), ('ds_a', 'app_1', 'u', '', 'ready', 4, 4, 'm', '', 'ds_b', 2, NULL)",
    "INSERT INTO collection (name, model, model_sha256, created_at) VALUES ('waves', 'm', 'x', 0)",
    "INSERT INTO feedback (recognition_id, item_id, application_id, task, model, subject, score, is_valid, rated_at) \
     VALUES ('r', '', 'app_1', 't', 'm', 's', 0.1, 1, 5), ('r', 'a', 'app_1', 't', 'm', 's', NULL, 0, 6)",
    "UPDATE key_revision SET value = 17",
    "UPDATE console SET registration = 'closed'",
    "INSERT INTO feedback_report (at, task, model, held, judged, better, worse) VALUES (1, 't', 'm', 1, 2, 3, 4)",
];

/// Fills a database on PostgreSQL, also with more images than are copied at once, and removes the one with the highest
/// number: it must not be given again.
fn fill(database: &Database) {
    for sql in ROWS {
        database.run(sql);
    }
    database.run(
        "INSERT INTO collection_image (collection, image_id, image_url, tag, vector, revision) \
         SELECT 'waves', 'image ' || n, '', '猫', decode(repeat('00ff', 5000), 'hex'), n \
         FROM generate_series(1, 750) n; \
         DELETE FROM collection_image WHERE image_id = 'image 750'",
    );
}

async fn columns_of_postgres(pool: &PgPool) -> Vec<(String, String)> {
    let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns \
               WHERE table_schema = current_schema() ORDER BY 1, 2";
    sqlx::query_as(sql).fetch_all(pool).await.unwrap()
}

/// All rows of all tables that are copied, as text.
async fn rows_of_postgres(address: &str) -> Vec<String> {
    let pool = PgPool::connect(address).await.unwrap();
    let mut tables: Vec<String> = columns_of_postgres(&pool).await.into_iter().map(|(table, _)| table).collect();
    tables.dedup();
    let mut all = Vec::new();
    for table in tables.iter().filter(|table| !is_left_out(table)) {
        let sql = format!("SELECT '{table}' || t::text FROM {table} t");
        all.extend(sqlx::query_scalar::<_, String>(AssertSqlSafe(sql)).fetch_all(&pool).await.unwrap());
    }
    pool.close().await;
    all.sort();
    all
}

async fn open(database: &Database) -> Store {
    Store::open(&database.address.parse().unwrap()).await.unwrap()
}

async fn restored(copy: &Path) -> Database {
    let database = Database::fresh(Backend::Postgres);
    let store = open(&database).await;
    assert!(store.is_empty().await.unwrap());
    let copy = Store::open_copy(copy).await.unwrap().unwrap();
    store.restore_from(&copy, &|_| {}).await.unwrap();
    assert!(!store.is_empty().await.unwrap());
    database
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn both_databases_have_the_same_columns() {
    let (postgres, sqlite) = (Database::fresh(Backend::Postgres), Database::fresh(Backend::Sqlite));
    drop((open(&postgres).await, open(&sqlite).await));
    let mut ours = columns_of_postgres(&PgPool::connect(&postgres.address).await.unwrap()).await;
    ours.retain(|(table, _)| !is_left_out(table));
    let sql = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' \
               AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> '_sqlx_migrations' ORDER BY 1, 2";
    let theirs: Vec<(String, String)> =
        sqlx::query_as(sql).fetch_all(&SqlitePool::connect(&sqlite.address).await.unwrap()).await.unwrap();
    assert_eq!(ours, theirs, "a column that one of them does not have is lost in a backup");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn what_is_copied_and_restored_is_what_there_was() {
    let (database, folder) = (Database::fresh(Backend::Postgres), tempfile::tempdir().unwrap());
    let store = open(&database).await;
    fill(&database);
    let (file, counted) = (folder.path().join("copy.db"), AtomicU64::new(0));
    let count = |rows| {
        counted.fetch_add(rows, Ordering::Relaxed);
    };
    store.copy_to(&file, &count).await.unwrap();
    assert!(counted.into_inner() > 750);
    let copy = Store::open(&DatabaseAddress::Sqlite(file.clone())).await.unwrap();
    assert_eq!(copy.integrity().await.unwrap(), Vec::<String>::new());
    copy.close().await;

    let second = restored(&file).await;
    let (before, after) = (rows_of_postgres(&database.address).await, rows_of_postgres(&second.address).await);
    assert!(before.len() > 760 && before == after, "{} rows and {}", before.len(), after.len());
    second.run(
        "INSERT INTO collection_image (collection, image_id, image_url, tag, vector, revision) \
         VALUES ('waves', 'next', '', '', '', 0)",
    );
    let pool = PgPool::connect(&second.address).await.unwrap();
    let next = sqlx::query_scalar("SELECT number FROM collection_image WHERE image_id = 'next'").fetch_one(&pool);
    let next: i64 = next.await.unwrap();
    assert_eq!(next, 751, "no number is given twice");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_copy_is_of_one_moment() {
    let (database, folder) = (Database::fresh(Backend::Postgres), tempfile::tempdir().unwrap());
    let store = open(&database).await;
    fill(&database);
    // The first table is read; then a row and one that refers to it are written.
    let wrote = std::sync::Once::new();
    let write = |_| {
        wrote.call_once(|| {
            database.run(
                "INSERT INTO application (id, name, created_at) VALUES ('app_2', 'two', 2); \
                 INSERT INTO user_account (application_id, user_id, changed_at) VALUES ('app_2', 'u', 3)",
            );
        });
    };
    store.copy_to(&folder.path().join("copy.db"), &write).await.unwrap();
    assert!(wrote.is_completed());
    let second = restored(&folder.path().join("copy.db")).await;
    let rows = rows_of_postgres(&second.address).await;
    assert!(rows.iter().any(|row| row.contains("app_1")) && !rows.iter().any(|row| row.contains("app_2")));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_restore_replaces_everything_or_nothing() {
    let (database, folder) = (Database::fresh(Backend::Postgres), tempfile::tempdir().unwrap());
    let store = open(&database).await;
    let file = folder.path().join("copy.db");
    store.copy_to(&file, &|_| {}).await.unwrap();
    fill(&database);
    let full = rows_of_postgres(&database.address).await;
    // A row that PostgreSQL refuses, in the last of the tables.
    let broken = folder.path().join("broken.db");
    std::fs::copy(&file, &broken).unwrap();
    let text = format!("sqlite:{}", broken.display());
    let pool = SqlitePool::connect(&text).await.unwrap();
    sqlx::raw_sql("PRAGMA foreign_keys = OFF; INSERT INTO user_token VALUES (x'00', 'nobody', 'u', 1, 2, NULL)")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let broken = Store::open_copy(&broken).await.unwrap().unwrap();
    assert!(store.restore_from(&broken, &|_| {}).await.is_err());
    assert!(rows_of_postgres(&database.address).await == full, "as it was");
    let empty = Store::open_copy(&file).await.unwrap().unwrap();
    store.restore_from(&empty, &|_| {}).await.unwrap();
    assert!(store.is_empty().await.unwrap());
}
