//! Vectors on other PostgreSQL servers. `make test-cluster` runs these tests, by the name of their module.

use std::{collections::BTreeSet, net::TcpListener, time::Duration};

use kaisatsu_model::Timestamp;
use kaisatsu_store::{Collection, Followed, NewImage, PartState, ShardError, ShardName, Store, StoreError, VectorPart};
use kaisatsu_testkit::{Backend, Database, fresh_shards, splitmix64};
use sqlx::PgPool;

const NOW: Timestamp = Timestamp(0);

fn name(text: &str) -> ShardName {
    ShardName::new(text).unwrap()
}

struct Main {
    database: Database,
    store: Store,
    collection: Collection,
}

impl Main {
    async fn new() -> Self {
        let database = Database::fresh(Backend::Postgres);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let collection = Collection { name: "c".into(), model: "m".into(), model_sha256: "aa".into() };
        store.ensure_collection(&collection, NOW).await.unwrap();
        store.enable_vectors().await.unwrap();
        Self { database, store, collection }
    }

    async fn add_shard(&self, shard: &str, address: &str) -> bool {
        self.store.add_shard(&name(shard), &address.parse().unwrap(), NOW).await.unwrap()
    }

    async fn refusal(&self, shard: &str, address: &str) -> String {
        let refused = self.store.add_shard(&name(shard), &address.parse().unwrap(), NOW).await;
        let Err(ShardError::Refused(words)) = refused else { panic!("{refused:?}") };
        words
    }

    async fn put(&self, images: impl IntoIterator<Item = (String, Vec<f32>)>) {
        let image = |(image_id, vector)| NewImage {
            image_id,
            image_url: String::new(),
            tag: String::new(),
            vector,
            thumbnail: None,
        };
        self.store.put_images("c", &images.into_iter().map(image).collect::<Vec<_>>()).await.unwrap();
    }

    async fn part(&self, state: PartState) -> VectorPart {
        let parts = self.store.vector_parts().await.unwrap();
        parts.into_iter().find(|part| part.state() == state).unwrap()
    }

    async fn follow(&self, part: &VectorPart) {
        while self.store.follow_part(part, 100).await.unwrap() == Followed::More {}
    }

    /// Fills a part on the shards there are, and lets it answer.
    async fn spread(&self) -> VectorPart {
        assert!(self.store.begin_part(&self.collection, 16, NOW).await.unwrap());
        let filling = self.part(PartState::Filling).await;
        self.follow(&filling).await;
        assert!(self.store.index_part(&filling).await.unwrap());
        self.follow(&filling).await;
        assert!(self.store.answer_from_part(&filling, NOW).await.unwrap());
        self.part(PartState::Answering).await
    }

    /// The four nearest images. A search answers with somewhat more, to be compared exactly.
    async fn found(&self, part: &VectorPart, vector: &[f32]) -> BTreeSet<i64> {
        let mut near = self.store.nearest_images(part, vector, 4).await.unwrap().images;
        near.sort_by(|(first, one), (second, other)| {
            cosine(other, vector).total_cmp(&cosine(one, vector)).then(first.cmp(second))
        });
        near.into_iter().map(|(number, _)| number).take(4).collect()
    }
}

#[allow(clippy::cast_precision_loss)]
fn vector(of: u64) -> Vec<f32> {
    (0..16).map(|at| (splitmix64(of * 16 + at) >> 40) as f32 - (1u64 << 23) as f32).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

fn images(count: u64) -> impl Iterator<Item = (String, Vec<f32>)> {
    (0..count).map(|of| (format!("i{of}"), vector(of)))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn a_part_on_shards_finds_what_one_here_finds_and_takes_its_place() {
    let (main, addresses) = (Main::new().await, fresh_shards());
    main.put(images(300)).await;
    let here = main.spread().await;
    assert!(here.shards.is_empty());
    assert!(main.add_shard("west", &addresses[1]).await && main.add_shard("east", &addresses[0]).await);
    let there = main.spread().await;
    assert_eq!((there.shards.join(","), there.images), ("east,west".to_owned(), 300));
    assert_eq!(main.part(PartState::Leaving).await.number, here.number);
    for of in 0..40 {
        assert_eq!(main.found(&there, &vector(of)).await, main.found(&here, &vector(of)).await, "{of}");
    }
    // What is removed is not found, whatever the shards still have; others take its place.
    assert!(main.found(&there, &vector(7)).await.contains(&8));
    main.store.remove_images("c", Some("i7")).await.unwrap();
    let found = main.found(&there, &vector(7)).await;
    assert!(!found.contains(&8) && found.len() >= 4, "{found:?}");
    // Images with equal vectors: those that were added first.
    main.put((0..60).map(|of| (format!("copy{of}"), vector(1_000)))).await;
    main.put([("i9".to_owned(), vector(2_000))]).await;
    main.follow(&there).await;
    let copies = main.found(&there, &vector(1_000)).await;
    assert_eq!(copies.range(301..).take(4).copied().collect::<Vec<_>>(), [301, 302, 303, 304], "{copies:?}");
    assert!(main.found(&there, &vector(2_000)).await.contains(&10), "it was replaced");
    let now = main.part(PartState::Answering).await;
    assert_eq!(now.images, 300 - 1 + 60, "one removed, one replaced");
    assert_eq!(main.store.part_images(&now, 0, 1_000).await.unwrap().len(), 359);
    assert!(main.store.part_bytes(&now).await.unwrap() > 16_384);
    // Both shards have a share, and give it back.
    for shard in main.store.shards().await.unwrap() {
        assert!(main.store.ask_shard(&shard).await.unwrap().unwrap() > 16_384);
        assert!(main.store.leave_shard(&name(&shard.name), false).await.unwrap());
    }
    main.store.drop_part(&main.part(PartState::Leaving).await).await.unwrap();
    let back = main.spread().await;
    assert!(back.shards.is_empty());
    main.store.finish_shards().await.unwrap();
    assert_eq!(main.store.shards().await.unwrap().len(), 2, "there are tables on them");
    main.store.drop_part(&main.part(PartState::Leaving).await).await.unwrap();
    main.store.finish_shards().await.unwrap();
    assert!(main.store.shards().await.unwrap().is_empty());
    let nothing_left = "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_namespace WHERE nspname LIKE 'kaisatsu%') THEN \
                        RAISE 'a schema is left'; END IF; END $$";
    Database::at(&addresses[0]).run(nothing_left);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn a_shard_that_is_away_is_named_and_one_that_is_lost_is_not_asked() {
    let (main, addresses) = (Main::new().await, fresh_shards());
    main.put(images(100)).await;
    main.add_shard("east", &addresses[0]).await;
    main.add_shard("west", &addresses[1]).await;
    let part = main.spread().await;
    main.database.run("ALTER SERVER kaisatsu_shard_west OPTIONS (SET port '1')");
    let away = |error: StoreError| match error {
        StoreError::ShardAway { name, .. } => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(away(main.store.nearest_images(&part, &vector(1), 4).await.unwrap_err()), "west");
    // So many that both shards get some.
    main.put((0..30).map(|of| (format!("new{of}"), vector(5_000 + of)))).await;
    assert_eq!(away(main.store.follow_part(&part, 100).await.unwrap_err()), "west");
    assert_eq!(away(main.store.part_bytes(&part).await.unwrap_err()), "west");
    let shards = main.store.shards().await.unwrap();
    assert!(main.store.ask_shard(&shards[0]).await.unwrap().is_ok());
    let said = main.store.ask_shard(&shards[1]).await.unwrap().unwrap_err();
    assert!(said.contains("port 1 failed"), "{said}");
    main.store.leave_shard(&name("west"), true).await.unwrap();
    let rest = main.spread().await;
    assert_eq!(rest.shards, ["east"]);
    assert!(main.found(&rest, &vector(5_000)).await.contains(&101), "what came meanwhile is there");
    main.store.drop_part(&main.part(PartState::Leaving).await).await.unwrap();
    main.store.finish_shards().await.unwrap();
    assert_eq!(main.store.shards().await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn a_shard_that_says_nothing_leaves_connections_to_others_and_searches_end() {
    let (main, addresses) = (Main::new().await, fresh_shards());
    main.put(images(50)).await;
    main.add_shard("east", &addresses[0]).await;
    let part = main.spread().await;
    // It takes connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    main.database.run(&format!("ALTER SERVER kaisatsu_shard_east OPTIONS (SET port '{port}')"));
    let searches: Vec<_> = (0..20)
        .map(|of| {
            let (store, part) = (main.store.clone(), part.clone());
            tokio::spawn(async move { store.nearest_images(&part, &vector(of), 4).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shards = main.store.shards().await.unwrap();
    assert!(searches.iter().all(|search| !search.is_finished()), "others do not wait for them");
    let mut named = 0;
    for search in searches {
        match search.await.unwrap() {
            Err(StoreError::ShardAway { name, .. }) if name == "east" => named += 1,
            Err(StoreError::TimedOut) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(named > 0, "those that had a turn say what they waited for");
    assert!(main.store.ask_shard(&shards[0]).await.unwrap().is_err());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn the_command_can_be_run_again_and_what_a_crash_left_is_removed() {
    let (main, addresses) = (Main::new().await, fresh_shards());
    assert!(main.add_shard("east", &addresses[0]).await);
    let there = Database::at(&addresses[0]);
    // Tables that no part knows of, one with the number to come.
    there.run(
        "DO $$ DECLARE place text; BEGIN \
         SELECT nspname INTO place FROM pg_namespace WHERE nspname LIKE 'kaisatsu_east_%'; \
         EXECUTE format('CREATE TABLE %I.collection_vectors_1 (other text)', place); \
         EXECUTE format('CREATE TABLE %I.collection_vectors_77 (other text)', place); END $$",
    );
    main.put(images(50)).await;
    let part = main.spread().await;
    there.run(
        "DO $$ BEGIN IF (SELECT count(*) FROM pg_tables WHERE tablename LIKE 'collection_vectors_%') <> 1 THEN \
         RAISE 'there are others'; END IF; END $$",
    );
    assert!(!main.add_shard("east", &addresses[0]).await, "it was there");
    let words = main.refusal("east", &addresses[1]).await;
    assert!(words.contains("this database has nothing of it"), "{words}");
    assert!(main.found(&part, &vector(7)).await.contains(&8), "it is where it was");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn servers_that_cannot_be_shards_are_refused_with_the_reason() {
    let (main, addresses) = (Main::new().await, fresh_shards());
    let (front, database) = addresses[0].rsplit_once('/').unwrap();
    let (user, place) = front.rsplit_once('@').unwrap();
    let host = place.split(':').next().unwrap();
    for (bad, reason) in [
        (format!("{user}@{host}:1/{database}"), "Connection refused"),
        (format!("postgres://kaisatsu:wr0ng@{place}/{database}"), "password authentication failed"),
        (format!("{front}/none_such"), "database \"none_such\" does not exist"),
    ] {
        let words = main.refusal("east", &bad).await;
        assert!(words.contains(reason) && words.contains("shard 'east'"), "{words}");
        assert!(!words.contains("wr0ng"), "{words}");
    }
    // Past a pooler, whose connections do not take the settings of a search.
    let pool = PgPool::connect(&main.database.address).await.unwrap();
    let port: i32 = sqlx::query_scalar("SELECT inet_server_port()").fetch_one(&pool).await.unwrap();
    let (front, database) = main.database.address.rsplit_once('/').unwrap();
    let (front, _) = front.rsplit_once(':').unwrap();
    // A time zone of the database is that of the connections to a shard, and not that of ours.
    main.database.run(&format!("ALTER DATABASE \"{database}\" SET timezone = 'Asia/Tokyo'"));
    let words = main.refusal("east", &format!("{front}:{port}/{database}")).await;
    assert!(words.contains("that is this very database"), "{words}");
    Database::at(&addresses[0]).run("CREATE SCHEMA elsewhere; CREATE EXTENSION vector SCHEMA elsewhere");
    let words = main.refusal("east", &addresses[0]).await;
    assert!(words.contains("ALTER EXTENSION vector SET SCHEMA public"), "{words}");
    assert!(main.store.shards().await.unwrap().is_empty(), "none of them is left half");
}
