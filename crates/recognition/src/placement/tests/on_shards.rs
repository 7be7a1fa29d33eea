//! Collections that move between this server and others while they answer. `make test-cluster` runs these tests.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use kaisatsu_store::{PartState, ShardName, StoreError, VectorPart};
use kaisatsu_testkit::{Backend, fresh_shards};

use super::{LEAVING, Replica, clustered, named};

fn name(text: &str) -> ShardName {
    ShardName::new(text).unwrap()
}

impl Replica {
    /// Where the part is that answers.
    fn shards(&self) -> Vec<String> {
        self.collections.get("c").unwrap().part().unwrap().shards.clone()
    }

    async fn settle_on(&self, shards: &[&str]) {
        for _ in 0..20 {
            self.settle().await;
            if self.shards() == shards {
                return;
            }
        }
        panic!("it is on {:?}", self.shards());
    }

    async fn remove_shard(&self, shard: &str, lost: bool) {
        assert!(self.fixture.store.leave_shard(&name(shard), lost).await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn a_collection_moves_to_shards_and_back_while_it_answers() {
    let replica = Arc::new(Replica::new(Backend::Postgres).await);
    let addresses = fresh_shards();
    let vectors = Arc::new(clustered(1_000, 1));
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    assert!(replica.is_in_database() && replica.shards().is_empty());
    let before = replica.search(&vectors[3], 20).await;
    let ends = Arc::new(AtomicBool::new(false));
    let searching = {
        let (replica, vectors, ends) = (Arc::clone(&replica), Arc::clone(&vectors), Arc::clone(&ends));
        tokio::spawn(async move {
            let mut places = HashSet::new();
            let mut at = 0;
            while !ends.load(Ordering::Relaxed) {
                at = (at + 7) % 300;
                places.insert(replica.shards());
                assert_eq!(replica.ids(&vectors[at], 10).await[0], format!("i{at}"));
            }
            places
        })
    };
    replica.add_shard("east", &addresses[0]).await;
    replica.settle_on(&["east"]).await;
    assert_eq!(replica.search(&vectors[3], 20).await, before);
    // A second one gets its share, though the former part is still there.
    replica.add_shard("west", &addresses[1]).await;
    replica.settle_on(&["east", "west"]).await;
    assert_eq!(replica.search(&vectors[3], 20).await, before);
    // A removal that no table knows of yet, and an image that comes.
    replica.remove("i3").await;
    assert!(!replica.ids(&vectors[3], 20).await.contains(&"i3".to_owned()));
    replica.put(&[("new".to_owned(), vec![1.0; super::DIMS])]).await;
    replica.settle().await;
    assert_eq!(replica.ids(&[1.0; super::DIMS], 1).await, ["new"]);
    replica.put(&[("i3".to_owned(), vectors[3].clone())]).await;
    let images: Vec<i64> = replica.fixture.store.vector_parts().await.unwrap().iter().map(|part| part.images).collect();
    assert_eq!(images.last(), Some(&1_000), "counted as they come and go");
    // Back to this server.
    replica.remove_shard("east", false).await;
    replica.remove_shard("west", false).await;
    replica.settle_on(&[]).await;
    assert_eq!(replica.search(&vectors[3], 20).await.len(), 20);
    let shards = async || replica.fixture.store.shards().await.unwrap();
    assert_eq!(shards().await.len(), 2, "others may search there until they have heard of it");
    replica.fixture.pass(LEAVING);
    replica.settle().await;
    replica.settle().await;
    assert!(shards().await.is_empty(), "nothing is left there");
    let states: Vec<_> = replica.fixture.store.vector_parts().await.unwrap().iter().map(VectorPart::state).collect();
    assert_eq!(states, [PartState::Answering]);
    ends.store(true, Ordering::Relaxed);
    let places = searching.await.unwrap();
    assert!(places.len() >= 3, "searches ran in all places: {places:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
async fn a_lost_shard_is_named_and_what_it_had_is_made_again() {
    let replica = Replica::sharded().await;
    let vectors = clustered(500, 1);
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    assert_eq!(replica.shards(), ["east", "west"]);
    let before = replica.search(&vectors[3], 10).await;
    // The server is there no more.
    replica.fixture.database.run("ALTER SERVER kaisatsu_shard_west OPTIONS (SET port '1')");
    let part = replica.collections.get("c").unwrap().part().unwrap().clone();
    let failed = replica.fixture.store.nearest_images(&part, &vectors[3], 10).await;
    let Err(StoreError::ShardAway { name, .. }) = &failed else { panic!("{failed:?}") };
    assert_eq!(name, "west");
    // So many that both shards get some.
    replica.put(&[("new".to_owned(), vec![1.0; super::DIMS])]).await;
    replica.put(&named(&vectors)[..30]).await;
    let failed = replica.placement.keep_up().await;
    assert!(matches!(failed, Err(StoreError::ShardAway { .. })), "{failed:?}");
    let shards = replica.fixture.store.shards().await.unwrap();
    assert!(replica.fixture.store.ask_shard(&shards[0]).await.unwrap().is_ok());
    let said = replica.fixture.store.ask_shard(&shards[1]).await.unwrap().unwrap_err();
    assert!(said.contains("port 1 failed"), "{said}");
    replica.remove_shard("west", true).await;
    for _ in 0..5 {
        // The part that answers cannot follow any more, which is an error until the other one answers.
        let _ = replica.placement.arrange().await;
        replica.follower.catch_up().await.unwrap();
    }
    assert_eq!(replica.shards(), ["east"]);
    assert_eq!(replica.search(&vectors[3], 10).await, before);
    assert_eq!(replica.ids(&[1.0; super::DIMS], 1).await, ["new"], "nothing that was added meanwhile is missing");
    replica.fixture.pass(LEAVING);
    replica.settle().await;
    replica.settle().await;
    let left = replica.fixture.store.shards().await.unwrap();
    assert_eq!(left.iter().map(|shard| shard.name.as_str()).collect::<Vec<_>>(), ["east"]);
}
