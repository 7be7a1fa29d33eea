//! Messages when a database cannot be opened; trying changes nothing. And connections: lost ones, abandoned ones.

use std::task::Poll;

use kaisatsu_model::{AppId, ApplicationName, Clock, RecognitionId, SystemClock, Timestamp};
use kaisatsu_store::{FeedbackFilter, NewRecognition, OpenError, Store, StoreError};
use kaisatsu_testkit::{Backend, Database};
use sqlx::Connection;

async fn refusal(address: &str) -> OpenError {
    match Store::open(&address.parse().unwrap()).await {
        Ok(_) => panic!("{address} opened"),
        Err(error) => error,
    }
}

/// The bytes of a SQLite file; empty for a server.
fn file_bytes(database: &Database) -> Vec<u8> {
    database.address.strip_prefix("sqlite:").map(|path| std::fs::read(path).unwrap()).unwrap_or_default()
}

/// Another application that uses sqlx has the same table of migrations.
#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_database_of_another_sqlx_application_is_left_unchanged() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let database = Database::fresh(backend);
        database.run("CREATE TABLE _sqlx_migrations (version BIGINT)");
        database.run("INSERT INTO _sqlx_migrations VALUES (20260101000000)");
        let error = refusal(&database.address).await;
        assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_newer_schema_is_left_unchanged() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let database = Database::fresh(backend);
        Store::open(&database.address.parse().unwrap()).await.unwrap().close().await;
        database.claim_to_be_newer();
        let error = refusal(&database.address).await;
        assert!(matches!(error, OpenError::Newer { found: 999, .. }), "{error}");
        assert!(error.to_string().contains("written by a newer Kaisatsu"), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn an_altered_schema_is_left_unchanged() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let database = Database::fresh(backend);
        Store::open(&database.address.parse().unwrap()).await.unwrap().close().await;
        database.run("UPDATE _sqlx_migrations SET checksum = '' WHERE version = 1");
        let error = refusal(&database.address).await;
        assert!(matches!(error, OpenError::Altered { version: 1, .. }), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn tables_of_another_application_are_left_unchanged() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let database = Database::fresh(backend);
        database.run("CREATE TABLE bookmarks (url TEXT)");
        let before = file_bytes(&database);
        let error = refusal(&database.address).await;
        assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
        assert_eq!(file_bytes(&database), before, "not a byte was changed");
        database.run("INSERT INTO bookmarks VALUES ('still here')");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_unchanged() {
    let database = Database::fresh(Backend::Sqlite);
    let path = database.address.trim_start_matches("sqlite:");
    let text = "These are the notes of a person who keeps them in a file named kaisatsu.db.\n".repeat(20);
    std::fs::write(path, &text).unwrap();
    let error = refusal(&database.address).await;
    assert!(matches!(error, OpenError::NotADatabase { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let error = refusal("sqlite:/nonexistent/folder/kaisatsu.db").await;
    assert!(matches!(error, OpenError::NotWritable { .. }), "{error}");
    assert!(error.to_string().contains("/nonexistent/folder/kaisatsu.db"), "{error}");
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn an_unreachable_server_a_wrong_password_and_a_missing_database_are_reported() {
    // Nothing listens on port 1 of the loopback interface.
    let error = refusal("postgres://me:s3cret@127.0.0.1:1/gate").await;
    assert!(error.to_string().contains("no server answers"), "{error}");

    let good = Database::fresh(Backend::Postgres).address;
    let (_, place) = good.rsplit_once('@').unwrap();
    let error = refusal(&format!("postgres://kaisatsu:s3cret@{place}")).await;
    assert!(error.to_string().contains("refused the user or the password"), "{error}");
    assert!(!error.to_string().contains("s3cret"), "{error}");

    let error = refusal(&format!("{good}_not")).await;
    assert!(error.to_string().contains("no database of that name"), "{error}");
}

#[tokio::test]
async fn a_locked_file_is_reported() {
    let database = Database::fresh(Backend::Sqlite);
    let path = format!("{}.lock", database.address.trim_start_matches("sqlite:"));
    let held = std::fs::File::create(path).unwrap();
    held.lock().unwrap();
    let error = refusal(&database.address).await;
    assert!(matches!(error, OpenError::Locked { .. }), "{error}");
}

/// Connections are few: a statement that waits for a lock gives up after a while.
/// Leases are compared by several machines, whose clocks may differ.
#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn the_time_is_that_of_the_database_server() {
    let database = Database::fresh(Backend::Postgres);
    // A server whose clock is an hour ahead: this function is found before the one of the system.
    database.run(
        "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS \
         $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$",
    );
    let name = database.address.rsplit('/').next().unwrap();
    database.run(&format!("ALTER DATABASE {name} SET search_path = public, pg_catalog"));
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let ahead = store.clock().await.unwrap().now().0 - SystemClock.now().0;
    assert!((3_590_000_000..3_610_000_000).contains(&ahead), "{ahead} microseconds");
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_statement_does_not_wait_for_a_lock_forever() {
    let database = Database::fresh(Backend::Postgres);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let mut other = sqlx::PgConnection::connect(&database.address).await.unwrap();
    sqlx::raw_sql("BEGIN; UPDATE feedback_revision SET value = value").execute(&mut other).await.unwrap();
    let refused = store.revoke_feedback(&FeedbackFilter::default(), 1).await.unwrap_err();
    assert!(matches!(refused, StoreError::TimedOut), "{refused}");
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    assert_eq!(store.revoke_feedback(&FeedbackFilter::default(), 1).await.unwrap(), 0);
}

/// After a checkpoint, deleted data is in none of SQLite's files.
#[tokio::test]
async fn a_checkpoint_leaves_no_deleted_data() {
    let database = Database::fresh(Backend::Sqlite);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let (app, name) = (AppId::from_random([1; 10]), ApplicationName::new("one").unwrap());
    store.create_application(&app, &name, Timestamp(0)).await.unwrap();
    let path = database.address.strip_prefix("sqlite:").unwrap().to_owned();
    let readable = |secret: &[u8]| {
        ["", "-wal"].iter().any(|end| {
            let bytes = std::fs::read(format!("{path}{end}")).unwrap();
            bytes.windows(secret.len()).any(|window| window == secret)
        })
    };
    let secret = b"a picture of somebody";
    let recognition = NewRecognition {
        id: RecognitionId::from_random([1; 16]),
        application: app,
        function: kaisatsu_model::Function::Classify,
        source: kaisatsu_model::Source::Model("general".to_owned()),
        created_at: Timestamp(0),
        expires_at: Timestamp(1),
        items: Vec::new(),
        engine: String::new(),
        vector: None,
        picture: Some(secret.repeat(1_000)),
    };
    store.save_recognition(recognition).await.unwrap();
    assert!(readable(secret));
    assert_eq!(store.delete_expired_recognitions(Timestamp(2), 10).await.unwrap(), 1);
    assert!(readable(secret), "the log has it still");
    assert!(store.wal_checkpoint().await.unwrap());
    assert!(!readable(secret));

    // The checkpoint does not wait for a reader of an older snapshot.
    let mut reader = sqlx::SqliteConnection::connect(&path).await.unwrap();
    sqlx::raw_sql("BEGIN; SELECT * FROM application").execute(&mut reader).await.unwrap();
    store
        .create_application(&AppId::from_random([2; 10]), &ApplicationName::new("two").unwrap(), Timestamp(0))
        .await
        .unwrap();
    assert!(!store.wal_checkpoint().await.unwrap());
    sqlx::raw_sql("COMMIT").execute(&mut reader).await.unwrap();
    assert!(store.wal_checkpoint().await.unwrap());
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_connection_that_was_lost_while_it_was_idle_is_replaced() {
    let database = Database::fresh(Backend::Postgres);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    assert_eq!(store.content_revision().await.unwrap(), 0);
    database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    assert_eq!(store.content_revision().await.unwrap(), 0);
}

/// A request is dropped when its client hangs up, also while PostgreSQL has not answered `BEGIN` yet.
#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_caller_that_goes_away_leaves_no_transaction_open() {
    let database = Database::fresh(Backend::Postgres);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let id = AppId::from_random([1; 10]);
    store.create_application(&id, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
    let mut observer = sqlx::PgConnection::connect(&database.address).await.unwrap();
    for patience in 1..=20 {
        let mut disabled = std::pin::pin!(store.set_application_disabled(&id, Some(Timestamp(1))));
        let mut polls = 0;
        let until_out_of_patience = std::future::poll_fn(|context| {
            polls += 1;
            if polls > patience || disabled.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        });
        until_out_of_patience.await;
    }
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let open = "SELECT COUNT(*) FROM pg_stat_activity \
                WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    let open: i64 = sqlx::query_scalar(open).fetch_one(&mut observer).await.unwrap();
    assert_eq!(open, 0);
}
