//! Where PostgreSQL keeps the vectors of collections: in their rows, as they are.

use kaisatsu_model::Timestamp;
use kaisatsu_store::{Collection, Followed, NewImage, Store};
use kaisatsu_testkit::{Backend, Database};
use sqlx::{AssertSqlSafe, PgPool};

const DIMS: usize = 1_280;

/// A vector that compresses well, as those with many zeros do.
fn image(id: &str) -> NewImage {
    let mut vector = vec![0.0; DIMS];
    vector[7] = 1.0;
    NewImage { image_id: id.into(), image_url: String::new(), tag: String::new(), vector, thumbnail: None }
}

/// The bytes that the vector of each row takes, and those of the table beside.
async fn sizes(pool: &PgPool, table: &str) -> (Vec<i32>, i64) {
    let of_vectors = format!("SELECT pg_column_size(vector) FROM {table} ORDER BY number");
    let beside = format!("SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = '{table}'::regclass");
    let of_vectors = sqlx::query_scalar(AssertSqlSafe(of_vectors)).fetch_all(pool).await.unwrap();
    (of_vectors, sqlx::query_scalar(AssertSqlSafe(beside)).fetch_one(pool).await.unwrap())
}

#[tokio::test]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn vectors_lie_in_their_rows_as_they_are() {
    let database = Database::fresh(Backend::Postgres);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let pool = PgPool::connect(&database.address).await.unwrap();
    let collection = Collection { name: "c".into(), model: "m".into(), model_sha256: "aa".into() };
    store.ensure_collection(&collection, Timestamp(0)).await.unwrap();
    // One from before, which PostgreSQL compresses.
    database.run("ALTER TABLE collection_image ALTER COLUMN vector SET STORAGE EXTENDED");
    database.run("ALTER TABLE collection_image RESET (toast_tuple_target)");
    store.put_images("c", &[image("old")]).await.unwrap();
    database.run(include_str!("../migrations/postgres/0024_vectors_beside_their_rows.sql"));
    store.put_images("c", &[image("new")]).await.unwrap();
    let whole = i32::try_from(DIMS * 4 + 4).unwrap();
    let (of_vectors, beside) = sizes(&pool, "collection_image").await;
    assert!(of_vectors[0] < whole / 10 && of_vectors[1] == whole && beside == 0, "{of_vectors:?} {beside}");
    // What docs/upgrading.md says brings the old one into the new form, and changes nothing else.
    let before = store.changed_images("c", (0, 0), 10).await.unwrap();
    database.run("UPDATE collection_image SET vector = vector || ''::bytea WHERE number > 0 AND number <= 5000");
    assert_eq!(sizes(&pool, "collection_image").await, (vec![whole, whole], 0));
    let after = store.changed_images("c", (0, 0), 10).await.unwrap();
    assert_eq!(format!("{before:?}"), format!("{after:?}"));
    // The table that is searched too.
    store.enable_vectors().await.unwrap();
    assert!(store.begin_part(&collection, i64::try_from(DIMS).unwrap(), Timestamp(0)).await.unwrap());
    let part = store.vector_parts().await.unwrap().remove(0);
    assert_eq!(store.follow_part(&part, 10).await.unwrap(), Followed::All);
    let halves = i32::try_from(DIMS * 2 + 8).unwrap();
    assert_eq!(sizes(&pool, "collection_vectors_1").await, (vec![halves, halves], 0));
}
