//! What an older version kept is there after an upgrade.

use std::path::Path;

use kaisatsu_model::{RecognitionId, Timestamp, Verdict};
use kaisatsu_store::{FeedbackFilter, Standing, Store};
use kaisatsu_testkit::{Backend, Database};
use sqlx::{Connection, Executor, PgConnection};

/// The migrations of both databases.
fn migrations() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn feedback_from_before_it_was_a_memory() {
    for (backend, bytes) in [(Backend::Sqlite, "X'0000003f'"), (Backend::Postgres, "'\\x0000003f'::bytea")] {
        let database = Database::fresh(backend);
        database.migrate_to(migrations(), 5);
        database.run("INSERT INTO application (id, name, created_at) VALUES ('app_one', 'one', 0)");
        // One recognition is still there, one is forgotten; that one has two verdicts.
        database.run(&format!(
            "INSERT INTO recognition (id, application_id, task, model, created_at, expires_at, items, vector) VALUES \
             ('there', 'app_one', 'classify', 'general', 3, 1000, \
             '[{{\"id\":\"a\",\"subject\":\"s-a\",\"name\":\"cat\",\"score\":0.5}}]', {bytes})"
        ));
        database.run(&format!(
            "INSERT INTO feedback (recognition_id, item_id, application_id, task, model, subject, score, is_valid, comment, \
             vector, rated_at) VALUES \
             ('there', 'a', 'app_one', 'classify', 'general', 's-a', 0.5, 1, 'so it is', {bytes}, 10), \
             ('gone', '', 'app_one', 'classify', 'general', '', NULL, 0, NULL, {bytes}, 11), \
             ('gone', 'b', 'app_one', 'classify', 'general', 's-b', 0.25, 0, NULL, {bytes}, 12)"
        ));
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        assert_eq!(store.feedback_revision().await.unwrap(), 1);
        let start = (0, String::new(), String::new());
        let told = store.changed_feedback(&start, 10).await.unwrap();
        let facts: Vec<_> =
            told.iter().map(|change| (change.recognition.as_str(), change.item.as_deref(), change.verdict)).collect();
        let expected = [
            ("gone", None, Verdict::Invalid),
            ("gone", Some("b"), Verdict::Invalid),
            ("there", Some("a"), Verdict::Valid),
        ];
        assert_eq!(facts, expected);
        assert!(told.iter().all(|change| change.vector.as_deref() == Some(&[0.5])));
        assert!(told.iter().all(|change| (change.revision, change.standing) == (1, Standing::Active)));
        assert_eq!(told.iter().map(|change| change.items.len()).collect::<Vec<_>>(), [0, 0, 1]);
        let rows = store.feedback_page(&FeedbackFilter::default(), &start, 10, false).await.unwrap();
        assert_eq!((rows[0].name.as_deref(), rows[0].recognised_at), (Some("cat"), Timestamp(3)));
        assert_eq!((rows[2].name.as_deref(), rows[2].recognised_at), (None, Timestamp(11)));
        // A recognition from before reads as one from now.
        let record = store.recognition_record(None, &RecognitionId::from_text("there"), Timestamp(20)).await.unwrap();
        assert_eq!((record.items[0].base, record.items[0].moved.len()), (None, 0));
    }
}

/// As beside `pg_dump`, which has all tables to the end.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn whoever_asks_does_not_wait_while_a_migration_waits_for_a_reader() {
    let database = Database::fresh(Backend::Postgres);
    database.migrate_to(migrations(), 23);
    let connect = async || PgConnection::connect(&database.address).await.unwrap();
    let (mut reader, mut caller, mut observer) = (connect().await, connect().await, connect().await);
    reader.execute("BEGIN; LOCK TABLE collection_image IN ACCESS SHARE MODE").await.unwrap();
    let address = database.address.parse().unwrap();
    let opening = tokio::spawn(async move { Store::open(&address).await });
    // The limit of every connection of a server.
    caller.execute("SET lock_timeout = '4s'").await.unwrap();
    for _ in 0..2 {
        while !migration_waits(&mut observer).await {
            tokio::task::yield_now().await;
        }
        caller.execute("SELECT COUNT(*) FROM collection_image").await.unwrap();
    }
    assert!(!opening.is_finished());
    reader.execute("COMMIT").await.unwrap();
    let store = opening.await.unwrap().unwrap();
    assert!(store.collection_list().await.unwrap().is_empty());
}

async fn migration_waits(observer: &mut PgConnection) -> bool {
    let waits = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'collection_image'::regclass \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    sqlx::query_scalar(waits).fetch_one(observer).await.unwrap()
}
