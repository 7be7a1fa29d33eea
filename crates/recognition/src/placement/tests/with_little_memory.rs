//! Collections below the threshold that together take more memory than they may.

use kaisatsu_model::Timestamp;
use kaisatsu_store::Collection;
use kaisatsu_testkit::Backend;

use super::{LEAVING, Replica, clustered, named};
use crate::{VectorPlace, VectorSettings, fixture::Fixture};

/// Room for 650 images: each takes 1,472 bytes.
const LITTLE: VectorSettings = VectorSettings { place: VectorPlace::Auto, threshold: 1_000, memory: 650 * 1_472 };

/// A replica with collections of so many images.
async fn replica(backend: Backend, sizes: &[(&str, usize)]) -> Replica {
    let replica = Replica::beside(Fixture::on(backend).await, LITTLE);
    for (name, images) in sizes {
        let wanted = Collection { name: (*name).into(), model: "general".into(), model_sha256: "aa".into() };
        replica.fixture.store.ensure_collection(&wanted, Timestamp(0)).await.unwrap();
        replica.put_into(name, &named(&clustered(*images, 1))).await;
    }
    replica.settle().await;
    replica
}

/// The names of the collections that no replica holds in its memory.
fn in_database(replica: &Replica) -> Vec<String> {
    let names = replica.collections.names();
    names.into_iter().filter(|name| replica.collections.get(name).unwrap().part().is_some()).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn the_largest_move_to_the_database_until_the_rest_fits() {
    let replica = replica(Backend::Postgres, &[("one", 300), ("three", 340), ("two", 250)]).await;
    assert_eq!(in_database(&replica), ["three"]);
    assert!(!replica.placement.is_cramped());
    // Another one that does not fit beside the others.
    let wanted = Collection { name: "four".into(), model: "general".into(), model_sha256: "aa".into() };
    replica.fixture.store.ensure_collection(&wanted, Timestamp(0)).await.unwrap();
    replica.put_into("four", &named(&clustered(200, 1))).await;
    replica.settle().await;
    assert_eq!(in_database(&replica), ["one", "three"]);
    // One that starts, and has loaded nothing yet, does not think that there is room.
    let starting = Replica::beside(replica.fixture.again().await, LITTLE);
    starting.placement.arrange().await.unwrap();
    replica.settle().await;
    assert_eq!(in_database(&replica), ["one", "three"]);
    // Room for one of them again, and not with a quarter to spare.
    assert_eq!(replica.fixture.store.remove_images("four", None).await.unwrap(), 200);
    replica.settle().await;
    replica.fixture.pass(LEAVING);
    replica.settle().await;
    assert_eq!(in_database(&replica), ["one", "three"], "250 and 300 are more than three quarters");
    for at in 0..100 {
        assert_eq!(replica.fixture.store.remove_images("two", Some(&format!("i{at}"))).await.unwrap(), 1);
    }
    replica.settle().await;
    assert_eq!(in_database(&replica), ["three"], "150 and 300 are less");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_database_that_searches_an_operator_is_told() {
    let replica = replica(Backend::Sqlite, &[("one", 300), ("two", 250)]).await;
    assert!(!replica.placement.is_cramped(), "they fit");
    replica.put_into("two", &named(&clustered(400, 1))).await;
    replica.settle().await;
    assert!(replica.placement.is_cramped());
    assert!(in_database(&replica).is_empty(), "and they are searched all the same");
    assert_eq!(replica.fixture.store.remove_images("two", None).await.unwrap(), 400);
    replica.settle().await;
    assert!(!replica.placement.is_cramped());
}
