//! A replica that starts: large collections go to the database without a way through its memory.

use kaisatsu_store::{PartState, VectorPart};
use kaisatsu_testkit::Backend;

use super::{Replica, clustered, named};
use crate::{VectorPlace, VectorSettings, fixture::Fixture};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_large_collection_is_not_read_into_memory_first() {
    let settings = VectorSettings { place: VectorPlace::Auto, threshold: 1_000 };
    let replica = Replica::beside(Fixture::on(Backend::Postgres).await, settings);
    replica.weigh("aa").await;
    let vectors = clustered(1_200, 1);
    replica.put(&named(&vectors)).await;
    replica.follower.catch_up().await.unwrap();
    assert!(replica.collections.get("c").is_none(), "nothing was read");
    assert!(!replica.follower.is_loaded(), "there is a collection that cannot be searched yet");
    // A second one starts meanwhile and waits too.
    let other = Replica::beside(replica.fixture.again().await, settings);
    other.follower.catch_up().await.unwrap();
    assert!(other.collections.get("c").is_none() && !other.follower.is_loaded());
    replica.placement.arrange().await.unwrap();
    for one in [&replica, &other] {
        one.follower.catch_up().await.unwrap();
        assert!(one.is_in_database() && one.follower.is_loaded());
        assert_eq!(one.ids(&vectors[1_100], 1).await, ["i1100"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_small_collection_is_and_so_is_one_that_must_not_be_in_the_database() {
    let fixture = Fixture::on(Backend::Postgres).await;
    let auto = |threshold| VectorSettings { place: VectorPlace::Auto, threshold };
    let replica = Replica::beside(fixture, auto(1_000));
    replica.weigh("aa").await;
    replica.put(&named(&clustered(900, 1))).await;
    replica.follower.catch_up().await.unwrap();
    assert!(replica.follower.is_loaded() && !replica.is_in_database());
    // One begins to move it, and one that was told otherwise starts.
    let moving = Replica::beside(replica.fixture.again().await, auto(500));
    moving.follower.catch_up().await.unwrap();
    assert!(!moving.follower.is_loaded());
    let memory = VectorSettings { place: VectorPlace::Memory, threshold: 500 };
    let other = Replica::beside(replica.fixture.again().await, memory);
    other.settle().await;
    assert!(other.follower.is_loaded() && !other.is_in_database());
    let parts = replica.fixture.store.vector_parts().await.unwrap();
    assert!(parts.iter().all(|part| part.state() != PartState::Filling));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_replica_that_answers_does_not_stop_when_a_new_collection_moves() {
    let settings = VectorSettings { place: VectorPlace::Database, threshold: 1 };
    let replica = Replica::beside(Fixture::on(Backend::Postgres).await, settings);
    let other = Replica::beside(replica.fixture.again().await, settings);
    replica.follower.catch_up().await.unwrap();
    other.follower.catch_up().await.unwrap();
    replica.weigh("aa").await;
    replica.put(&named(&clustered(50, 1))).await;
    replica.follower.catch_up().await.unwrap();
    replica.placement.begin_large().await.unwrap();
    let parts = replica.fixture.store.vector_parts().await.unwrap();
    assert_eq!(parts.iter().map(VectorPart::state).collect::<Vec<_>>(), [PartState::Filling]);
    other.follower.catch_up().await.unwrap();
    assert!(other.follower.is_loaded() && !other.is_in_database(), "it answers from its memory until the move is done");
}
