//! Vectors in memory, in the database and on its shards give the same answers.

mod on_shards;
mod with_little_memory;

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use cosine_index::{Match, VectorIndex};
use kaisatsu_model::{Function, Timestamp, splitmix::splitmix64};
use kaisatsu_store::{Collection, NewImage, PartState, ShardName, VectorPart};
use kaisatsu_testkit::Backend;

use super::{LEAVING, Placement};
use crate::{
    VectorPlace, VectorSettings,
    fixture::Fixture,
    follower::ContentFollower,
    functions::FoundImages,
    indexes::{CollectionIndexes, Nearest},
    segments::SegmentKeeper,
};

const DIMS: usize = 256;

/// A replica with one collection, "c".
struct Replica {
    fixture: Fixture,
    follower: ContentFollower,
    placement: Placement,
    collections: Arc<CollectionIndexes>,
}

impl Replica {
    /// Its vectors are in memory with SQLite, and in the database with PostgreSQL once it has caught up.
    async fn new(backend: Backend) -> Self {
        let fixture = Fixture::on(backend).await;
        let place = if backend == Backend::Postgres { VectorPlace::Database } else { VectorPlace::Memory };
        let replica = Self::beside(fixture, VectorSettings { place, threshold: 1, memory: usize::MAX });
        replica.weigh("aa").await;
        replica
    }

    /// Its vectors are on shards once it has caught up.
    async fn sharded() -> Self {
        let replica = Self::new(Backend::Postgres).await;
        for (name, address) in ["east", "west"].into_iter().zip(kaisatsu_testkit::fresh_shards()) {
            replica.add_shard(name, &address).await;
        }
        replica
    }

    async fn add_shard(&self, name: &str, address: &str) {
        let (name, address) = (ShardName::new(name).unwrap(), address.parse().unwrap());
        self.fixture.store.add_shard(&name, &address, Timestamp(0)).await.unwrap();
    }

    fn beside(fixture: Fixture, settings: VectorSettings) -> Self {
        let follower = ContentFollower::new(&fixture.context, &Arc::new(SegmentKeeper::new(&fixture.context)));
        let mut placement = Placement::new(&fixture.context);
        placement.settings = settings;
        let collections = Arc::clone(&fixture.context.collections);
        Self { fixture, follower, placement, collections }
    }

    async fn weigh(&self, weights: &str) -> Collection {
        let wanted = Collection { name: "c".into(), model: "general".into(), model_sha256: weights.into() };
        self.fixture.store.ensure_collection(&wanted, Timestamp(0)).await.unwrap()
    }

    async fn put(&self, vectors: &[(String, Vec<f32>)]) {
        self.put_into("c", vectors).await;
    }

    async fn put_into(&self, collection: &str, vectors: &[(String, Vec<f32>)]) {
        let image = |(id, vector): &(String, Vec<f32>)| NewImage {
            image_id: id.clone(),
            image_url: String::new(),
            tag: String::new(),
            vector: vector.clone(),
            thumbnail: None,
        };
        for some in vectors.chunks(500) {
            let images: Vec<NewImage> = some.iter().map(image).collect();
            self.fixture.store.put_images(collection, &images).await.unwrap();
        }
    }

    async fn remove(&self, id: &str) {
        assert_eq!(self.fixture.store.remove_images("c", Some(id)).await.unwrap(), 1);
    }

    /// Does what the background work does, until all of it is done.
    async fn settle(&self) {
        for _ in 0..3 {
            self.follower.catch_up().await.unwrap();
            self.placement.arrange().await.unwrap();
            self.placement.keep_up().await.unwrap();
        }
        self.follower.catch_up().await.unwrap();
    }

    async fn nearest(&self, vector: &[f32], most: usize) -> Nearest {
        let collection = self.collections.get("c").unwrap();
        let found = collection.search(vector, most).unwrap();
        let function = Function::SimilarSearch.into();
        Nearest::new(&self.fixture.store, function, &collection, found, vector, most).await.unwrap()
    }

    /// Ids and scores, best first.
    async fn search(&self, vector: &[f32], most: usize) -> Vec<(String, f32)> {
        self.existing(self.nearest(vector, most).await).await
    }

    async fn existing(&self, nearest: Nearest) -> Vec<(String, f32)> {
        let found = FoundImages::existing(&self.fixture.store, nearest).await.unwrap();
        found.records.into_iter().map(|record| record.image_id).zip(found.base).collect()
    }

    async fn ids(&self, vector: &[f32], most: usize) -> Vec<String> {
        self.search(vector, most).await.into_iter().map(|(id, _)| id).collect()
    }

    fn is_in_database(&self) -> bool {
        self.collections.get("c").unwrap().part().is_some()
    }
}

/// Normal enough: the sum of four uniform numbers.
#[allow(clippy::cast_precision_loss)]
fn noise(state: &mut u64) -> f32 {
    let mut uniform = || {
        *state += 1;
        (splitmix64(*state) >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    (0..4).map(|_| uniform()).sum()
}

/// Vectors around some centres, as pictures of some subjects have.
fn clustered(count: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut of_centres = 7 << 32;
    let centres: Vec<Vec<f32>> = (0..40).map(|_| (0..DIMS).map(|_| noise(&mut of_centres)).collect()).collect();
    let mut state = seed << 32;
    let around = |centre: &Vec<f32>, state: &mut u64| centre.iter().map(|value| value + 0.4 * noise(state)).collect();
    (0..count).map(|at| around(&centres[at % centres.len()], &mut state)).collect()
}

fn named(vectors: &[Vec<f32>]) -> Vec<(String, Vec<f32>)> {
    vectors.iter().enumerate().map(|(at, vector)| (format!("i{at}"), vector.clone())).collect()
}

macro_rules! in_every_place {
    ($($test:ident),+ $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() { super::$test(super::Replica::new(super::Backend::Sqlite).await, false).await; })+
        }
        mod database {
            $(#[tokio::test(flavor = "multi_thread")]
            #[ignore = "needs PostgreSQL; `make test` runs it"]
            async fn $test() { super::$test(super::Replica::new(super::Backend::Postgres).await, true).await; })+
        }
        mod spread_on_shards {
            $(#[tokio::test(flavor = "multi_thread")]
            #[ignore = "needs several PostgreSQL servers; `make test-cluster` runs it"]
            async fn $test() {
                let replica = super::Replica::sharded().await;
                super::$test(replica, true).await;
            })+
        }
    };
}

in_every_place![
    the_nearest_are_found_with_their_exact_scores,
    neighbours_that_16_bits_confuse_come_in_their_exact_order,
    equal_scores_come_in_the_order_in_which_images_were_added,
    a_removed_image_is_never_answered,
    other_images_take_the_place_of_removed_ones,
    a_replaced_image_is_found_as_it_is_now,
    what_is_unlike_is_learned_from_the_images,
    an_emptied_collection_takes_other_weights,
];

async fn the_nearest_are_found_with_their_exact_scores(replica: Replica, in_database: bool) {
    let vectors = clustered(4_000, 1);
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    assert_eq!(replica.is_in_database(), in_database);
    let numbered = (0..).zip(&vectors).map(|(at, vector): (u64, _)| (at, vector));
    let exact = VectorIndex::build(DIMS, cosine_index::Settings::default(), numbered).unwrap();
    let (mut found, mut wanted) = (0, 0);
    for query in clustered(120, 2) {
        let right: Vec<Match> = exact.search_exactly(&query, 10).unwrap();
        let answered = replica.search(&query, 10).await;
        assert_eq!(answered.len(), 10);
        assert!(answered.is_sorted_by(|(_, one), (_, next)| one >= next));
        for Match { id, score } in right {
            wanted += 1;
            if let Some((_, answered)) = answered.iter().find(|(name, _)| *name == format!("i{id}")) {
                found += 1;
                assert_eq!(answered.to_bits(), score.clamp(0.0, 1.0).to_bits());
            }
        }
    }
    assert!(found * 100 >= wanted * 98, "{found} of {wanted}");
}

async fn neighbours_that_16_bits_confuse_come_in_their_exact_order(replica: Replica, _: bool) {
    let mut vectors = clustered(400, 1);
    // Twenty that differ by less than 16-bit floats tell, so that the order of an index over them is not the right one,
    // and more of the nearest than half of those asked for are another than they seem.
    let (centre, mut state) = (vectors[0].clone(), 9 << 32);
    for at in (0..400).step_by(20) {
        vectors[at] = centre.iter().map(|value| value + 0.000_4 * noise(&mut state)).collect();
    }
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    let numbered = (0..).zip(&vectors).map(|(at, vector): (u64, _)| (at, vector));
    let exact = VectorIndex::build(DIMS, cosine_index::Settings::default(), numbered).unwrap();
    for query in clustered(400, 2).into_iter().step_by(40) {
        let right: Vec<String> =
            exact.search_exactly(&query, 6).unwrap().iter().map(|found| format!("i{}", found.id)).collect();
        assert_eq!(replica.ids(&query, 6).await, right);
    }
}

async fn equal_scores_come_in_the_order_in_which_images_were_added(replica: Replica, _: bool) {
    let mut vectors = clustered(600, 1);
    let copied = vectors[0].clone();
    for place in vectors.iter_mut().step_by(2) {
        place.clone_from(&copied);
    }
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    let expected: Vec<String> = (0..10).map(|at| format!("i{}", at * 2)).collect();
    assert_eq!(replica.ids(&copied, 10).await, expected);
    // Also where the copies are not the best.
    let near: Vec<f32> = vectors[1].iter().zip(&copied).map(|(one, other)| one * 0.7 + other * 0.5).collect();
    let answered = replica.ids(&near, 200).await;
    let copies: Vec<&String> = answered.iter().filter(|id| id[1..].parse::<usize>().unwrap() % 2 == 0).collect();
    let in_order: Vec<String> = (0..copies.len()).map(|at| format!("i{}", at * 2)).collect();
    assert!(copies.len() > 100 && copies.iter().zip(&in_order).all(|(id, expected)| *id == expected), "{copies:?}");
}

async fn a_removed_image_is_never_answered(replica: Replica, _: bool) {
    let vectors = clustered(300, 1);
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    // A search that began before the removal, and one after it; no index knows of the removal yet.
    let begun = replica.nearest(&vectors[7], 5).await;
    replica.remove("i7").await;
    assert!(begun.found.iter().any(|found| found.score > 0.999));
    assert!(replica.existing(begun).await.iter().all(|(id, _)| id != "i7"));
    assert!(!replica.ids(&vectors[7], 5).await.contains(&"i7".to_owned()));
    replica.settle().await;
    assert!(!replica.ids(&vectors[7], 5).await.contains(&"i7".to_owned()));
    replica.put(&[("i7".to_owned(), vectors[7].clone())]).await;
    replica.settle().await;
    assert_eq!(replica.ids(&vectors[7], 5).await[0], "i7", "it was added again");
}

async fn other_images_take_the_place_of_removed_ones(replica: Replica, in_database: bool) {
    let vectors = clustered(4_000, 1);
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    // All of the cluster of the first image, and of that of the second: more than an index in the database looks at
    // first. Indexes in memory hear of it before they are asked.
    for at in (0..4_000).filter(|at| at % 40 <= 1) {
        replica.remove(&format!("i{at}")).await;
    }
    if !in_database {
        replica.settle().await;
    }
    let answered = replica.ids(&vectors[0], 10).await;
    assert_eq!(answered.len(), 10);
    assert!(answered.iter().all(|id| id[1..].parse::<usize>().unwrap() % 40 > 1), "{answered:?}");
}

async fn a_replaced_image_is_found_as_it_is_now(replica: Replica, _: bool) {
    let vectors = clustered(300, 1);
    replica.put(&named(&vectors)).await;
    replica.settle().await;
    replica.put(&[("i5".to_owned(), vectors[9].clone())]).await;
    replica.settle().await;
    assert_eq!(replica.ids(&vectors[9], 2).await, ["i5", "i9"]);
    assert!(!replica.ids(&vectors[5], 1).await.contains(&"i5".to_owned()));
}

async fn what_is_unlike_is_learned_from_the_images(replica: Replica, in_database: bool) {
    replica.put(&named(&clustered(400, 1))).await;
    replica.settle().await;
    let learned = || replica.collections.get("c").unwrap().unlike_below();
    assert_eq!((learned().to_bits(), replica.is_in_database()), (UNLIKE_BELOW.to_bits(), in_database), "{}", learned());
    for at in 10..400 {
        replica.remove(&format!("i{at}")).await;
    }
    replica.settle().await;
    assert!(learned().abs() < 1e-6, "few are left");
}

/// What the images of `clustered(400, 1)` say, in memory and in the database.
const UNLIKE_BELOW: f32 = 0.801_901_64;

async fn an_emptied_collection_takes_other_weights(replica: Replica, in_database: bool) {
    replica.put(&named(&clustered(50, 1))).await;
    replica.settle().await;
    replica.fixture.store.remove_images("c", None).await.unwrap();
    replica.weigh("bb").await;
    replica.put(&[("x".to_owned(), vec![0.0, 1.0, 0.0]), ("y".to_owned(), vec![1.0, 0.0, 0.0])]).await;
    replica.follower.catch_up().await.unwrap();
    assert!(!replica.is_in_database(), "its part has vectors of the former weights");
    assert_eq!(replica.ids(&[0.0, 1.0, 0.0], 1).await, ["x"]);
    replica.settle().await;
    replica.fixture.pass(LEAVING);
    replica.settle().await;
    replica.settle().await;
    assert_eq!((replica.ids(&[0.0, 1.0, 0.0], 1).await, replica.is_in_database()), (vec!["x".to_owned()], in_database));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn a_collection_moves_both_ways_while_it_answers() {
    let fixture = Fixture::on(Backend::Postgres).await;
    let replica = Arc::new(Replica::beside(
        fixture,
        VectorSettings { place: VectorPlace::Auto, threshold: 1_000, memory: usize::MAX },
    ));
    replica.weigh("aa").await;
    let vectors = Arc::new(clustered(1_100, 1));
    replica.put(&named(&vectors[..900])).await;
    replica.settle().await;
    assert!(!replica.is_in_database(), "it is small");
    let (ends, searched) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let searching: Vec<_> = (0..3usize)
        .map(|thread| {
            let (replica, vectors) = (Arc::clone(&replica), Arc::clone(&vectors));
            let (ends, searched) = (Arc::clone(&ends), Arc::clone(&searched));
            tokio::spawn(async move {
                let mut places = HashSet::new();
                while !ends.load(Ordering::Relaxed) {
                    let at = searched.fetch_add(1, Ordering::Relaxed) * 7 % 300 + thread;
                    places.insert(replica.is_in_database());
                    // Others of the ten may be removed while they are looked up.
                    assert_eq!(replica.ids(&vectors[at], 10).await[0], format!("i{at}"));
                }
                places
            })
        })
        .collect();
    let waiting = async |what: bool| {
        for _ in 0..50 {
            replica.settle().await;
            if replica.is_in_database() == what {
                return;
            }
        }
        panic!("it does not move");
    };
    let all: Vec<_> = named(&vectors);
    replica.put(&all[900..]).await;
    waiting(true).await;
    assert_eq!(replica.ids(&vectors[1_099], 1).await, ["i1099"]);
    // Images that come and go while it is in the database.
    replica.put(&[("new".to_owned(), vec![1.0; DIMS])]).await;
    replica.settle().await;
    assert_eq!(replica.ids(&[1.0; DIMS], 1).await, ["new"]);
    for at in 400..1_100 {
        replica.remove(&format!("i{at}")).await;
    }
    waiting(false).await;
    assert_eq!(replica.ids(&[1.0; DIMS], 1).await, ["new"]);
    let parts = async || replica.fixture.store.vector_parts().await.unwrap();
    assert_eq!(parts().await.iter().map(VectorPart::state).collect::<Vec<_>>(), [PartState::Leaving]);
    replica.fixture.pass(LEAVING + Duration::from_secs(1));
    replica.settle().await;
    assert!(parts().await.is_empty(), "nobody needs it any more");
    ends.store(true, Ordering::Relaxed);
    for search in searching {
        assert_eq!(search.await.unwrap().len(), 2, "searches ran in both places");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn one_replica_moves_and_the_others_follow() {
    let fixture = Fixture::on(Backend::Postgres).await;
    let settings = VectorSettings { place: VectorPlace::Database, threshold: 1, memory: usize::MAX };
    let (one, other) = (Replica::beside(fixture.again().await, settings), Replica::beside(fixture, settings));
    one.weigh("aa").await;
    let vectors = clustered(1_500, 1);
    one.put(&named(&vectors)).await;
    one.follower.catch_up().await.unwrap();
    other.follower.catch_up().await.unwrap();
    let (first, second) = tokio::join!(one.placement.arrange(), other.placement.arrange());
    first.unwrap();
    second.unwrap();
    let (first, second) = tokio::join!(one.settle(), other.settle());
    let ((), ()) = (first, second);
    one.settle().await;
    other.settle().await;
    assert!(one.is_in_database() && other.is_in_database());
    let parts = one.fixture.store.vector_parts().await.unwrap();
    assert_eq!(parts.iter().map(|part| part.images).collect::<Vec<_>>(), [1_500], "each image once");
    assert_eq!(one.search(&vectors[3], 20).await, other.search(&vectors[3], 20).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_keeps_everything_in_memory() {
    let fixture = Fixture::on(Backend::Sqlite).await;
    let replica =
        Replica::beside(fixture, VectorSettings { place: VectorPlace::Auto, threshold: 1, memory: usize::MAX });
    replica.weigh("aa").await;
    replica.put(&named(&clustered(20, 1))).await;
    replica.settle().await;
    assert!(!replica.is_in_database() && replica.placement.unsupported.load(Ordering::Relaxed));
}
