//! A catalogue in segments answers as one in memory, through changes, merges, losses and interruptions.

use std::{fs::File, ops::RangeInclusive, path::Path, sync::Arc, time::Duration};

use kaisatsu_model::Timestamp;
use kaisatsu_store::{BlobKey, CatalogueSegment, NewItem, NewSegment, SegmentRange};
use kaisatsu_testkit::{Backend, splitmix64};
use kaisatsu_vision::object::{
    EncodedReference, ItemId, PROBES, PictureId, QueryFeature, Segment, SegmentItem, Vote, write_segment,
};

use super::{SegmentKeeper, SegmentWriter};
use crate::{
    fixture::Fixture,
    follower::ContentFollower,
    indexes::{CatalogueIndex, OpenSegment},
};

/// A server on a database, and the jobs beside it.
struct Replica {
    fixture: Fixture,
    keeper: Arc<SegmentKeeper>,
    follower: ContentFollower,
    writer: SegmentWriter,
}

impl Replica {
    async fn new(backend: Backend) -> Self {
        Self::beside(Fixture::on(backend).await)
    }

    fn beside(fixture: Fixture) -> Self {
        let keeper = Arc::new(SegmentKeeper::new(&fixture.context));
        let follower = ContentFollower::new(&fixture.context, &keeper);
        let writer = SegmentWriter::new(&fixture.context);
        Self { fixture, keeper, follower, writer }
    }

    /// One that starts now on the same database and storage.
    async fn again(&self) -> Self {
        Self::beside(self.fixture.again_with_its_storage().await)
    }

    async fn put(&self, numbers: impl IntoIterator<Item = u64>) {
        let items: Vec<NewItem> = numbers.into_iter().map(|number| item(number, 1)).collect();
        assert!(self.fixture.store.put_items(&items).await.unwrap());
    }

    async fn change(&self, number: u64) {
        assert!(self.fixture.store.put_items(&[item(number, 2)]).await.unwrap());
    }

    async fn remove(&self, number: u64) {
        assert!(self.fixture.store.remove_item(&number.to_string()).await.unwrap());
    }

    async fn keep_up(&self) {
        self.follower.catch_up().await.unwrap();
        self.keeper.keep_up().await.unwrap();
    }

    /// Does what the background work does, until all of it is done.
    async fn settle(&self) {
        self.writer.work().await.unwrap();
        self.keep_up().await;
    }

    async fn recorded(&self) -> Vec<CatalogueSegment> {
        self.fixture.store.catalogue_segments().await.unwrap()
    }

    fn in_memory(&self) -> usize {
        self.fixture.context.catalogue.in_memory()
    }

    fn votes(&self) -> Vec<Vec<Vote>> {
        let questions = (1..=30).map(|number| asked(number, 1)).chain([asked(4, 2), asked(9, 2)]);
        let catalogue = &self.fixture.context.catalogue;
        let vote = |query: Vec<QueryFeature>| {
            let all = catalogue.vote(&query, 50, None).unwrap();
            let food = catalogue.vote(&query, 50, Some("food")).unwrap();
            [all, food]
        };
        questions.flat_map(vote).collect()
    }

    /// The answers are those of a catalogue that is all in memory, to the bit.
    async fn answers_as_memory_does(&self) {
        let memory = Self::beside(self.fixture.again().await);
        let all = memory.fixture.store.changed_items((0, 0), 1_000).await.unwrap();
        memory.fixture.context.catalogue.apply(&all).unwrap();
        assert_eq!(self.fixture.context.catalogue.items(), memory.in_memory());
        assert_eq!(self.votes(), memory.votes());
    }
}

const FEATURES: u64 = 40;

/// The word and the signature of a feature of an item.
fn code(number: u64, change: u64, feature: u64) -> (u16, u64) {
    let random = splitmix64(number * 1_000_003 + change * 7_919 + feature);
    // Few words, so that items share them, and signatures of which some are near.
    (u16::try_from(random % 97).unwrap() * 600, splitmix64(random) & 0xff_ffff)
}

/// The features of an item, as they are stored.
fn sketch(number: u64, change: u64) -> Vec<u8> {
    let codes: Vec<u8> = (0..FEATURES)
        .flat_map(|feature| {
            let (word, signature) = code(number, change, feature);
            [&word.to_le_bytes()[..], &signature.to_le_bytes()].concat()
        })
        .collect();
    let count = u16::try_from(FEATURES).unwrap().to_le_bytes();
    // The stored form of one view: mark, version, how many views, then its features.
    [&b"KW\x01\x01"[..], &count, &codes].concat()
}

fn item(number: u64, change: u64) -> NewItem {
    let sketch = sketch(number, change);
    assert!(EncodedReference::from_bytes(&sketch).is_ok());
    let text = |text: &str| text.to_owned();
    NewItem {
        id: number.to_string(),
        category: text(if number.is_multiple_of(3) { "food" } else { "book" }),
        name: text("x"),
        detail: text("{}"),
        image_url: text(""),
        sites: text("[]"),
        codes: Vec::new(),
        pictures: vec![(sketch, Vec::new())],
        digest: Vec::new(),
        thumbnail: None,
    }
}

fn asked(number: u64, change: u64) -> Vec<QueryFeature> {
    let feature = |feature| {
        let (word, signature) = code(number, change, feature);
        let mut words = [word; PROBES];
        words[1] = (word / 600 + 1) % 97 * 600;
        QueryFeature { words, signature }
    };
    (0..FEATURES).map(feature).collect()
}

/// What the conformance test does on each database.
async fn segments_answer_as_memory_does(backend: Backend) {
    let replica = Replica::new(backend).await;
    replica.put(1..=5).await;
    replica.settle().await;
    assert!(replica.recorded().await.is_empty(), "there are too few for a segment");

    replica.put(6..=20).await;
    replica.settle().await;
    assert_eq!((replica.recorded().await.len(), replica.in_memory()), (2, 4));
    replica.answers_as_memory_does().await;

    // Changes of what is in segments: removed, changed, removed and put again.
    replica.remove(2).await;
    replica.change(4).await;
    replica.remove(11).await;
    replica.put([11]).await;
    replica.settle().await;
    replica.answers_as_memory_does().await;
    assert!(replica.recorded().await.len() >= 2);

    // One that starts now reads the segments, and of the rest no more than there is.
    let other = replica.again().await;
    other.keep_up().await;
    assert!(other.in_memory() < 8, "{} items are in memory", other.in_memory());
    other.answers_as_memory_does().await;

    // More items: four small segments become one.
    replica.put(21..=60).await;
    replica.settle().await;
    let recorded = replica.recorded().await;
    assert!(recorded.iter().any(|one| one.segment.entries >= 28), "{recorded:?}");
    replica.answers_as_memory_does().await;
    other.keep_up().await;
    other.answers_as_memory_does().await;
    assert!(other.in_memory() < 8, "{} items are in memory", other.in_memory());

    // Many removals: segments are written anew, and the bytes of the old ones go.
    for number in 12..=50 {
        replica.remove(number).await;
    }
    replica.keep_up().await;
    replica.answers_as_memory_does().await;
    replica.fixture.pass(Duration::from_hours(1));
    replica.settle().await;
    let entries: i64 = replica.recorded().await.iter().map(|one| one.segment.entries).sum();
    assert!(entries < 45, "{entries} of 60 items are in segments, and 20 of them are live");
    replica.answers_as_memory_does().await;
    other.keep_up().await;
    other.answers_as_memory_does().await;
    while replica.fixture.recognition.janitor.sweep().await.unwrap() > 0 {}
    let blobs = replica.fixture.store.blob_rows(None, 100).await.unwrap();
    assert_eq!(blobs.len(), replica.recorded().await.len());
    assert!(blobs.iter().all(|row| row.referenced && row.complete));
    replica.again().await.keep_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn segments_answer_as_memory_does_on_sqlite() {
    Box::pin(segments_answer_as_memory_does(Backend::Sqlite)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn segments_answer_as_memory_does_on_postgres() {
    Box::pin(segments_answer_as_memory_does(Backend::Postgres)).await;
}

/// Votes that run while segments come and go see every item, once.
#[tokio::test(flavor = "multi_thread")]
async fn votes_go_on_while_segments_are_written() {
    let replica = Replica::new(Backend::Sqlite).await;
    replica.put(1..=7).await;
    replica.keep_up().await;
    let known: Vec<u64> = (1..=7).collect();
    let (catalogue, writing) = (Arc::clone(&replica.fixture.context.catalogue), Arc::new(()));
    let lives = Arc::downgrade(&writing);
    let votes = tokio::task::spawn_blocking(move || {
        let mut rounds = 0;
        while lives.upgrade().is_some() {
            for number in &known {
                let best = catalogue.vote(&asked(*number, 1), 5, None).unwrap()[0];
                assert_eq!(best.item.0, *number, "after {rounds} rounds");
            }
            rounds += 1;
        }
        rounds
    });
    for number in 1..=9 {
        replica.put(number * 8..number * 8 + 8).await;
        replica.settle().await;
    }
    drop(writing);
    assert!(votes.await.unwrap() > 0);
    assert!(replica.recorded().await.iter().any(|one| one.segment.entries >= 32), "some were merged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_segment_is_read_from_the_database_and_written_anew() {
    Box::pin(replaced(|file| std::fs::remove_file(file).unwrap())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_segment_is_read_from_the_database_and_written_anew() {
    Box::pin(replaced(|file| {
        let bytes = std::fs::metadata(file).unwrap().len();
        std::fs::write(file, vec![0; usize::try_from(bytes).unwrap()]).unwrap();
    }))
    .await;
}

/// Harms the file of a segment: what it has is answered all the while, and it is written anew.
async fn replaced(harm: impl FnOnce(&Path)) {
    let replica = Replica::new(Backend::Sqlite).await;
    replica.put(1..=20).await;
    replica.settle().await;
    let lost = replica.recorded().await[0].clone();
    harm(&replica.fixture.context.blobs.file(&lost.key()).unwrap());

    let started = replica.again().await;
    started.keep_up().await;
    assert_eq!(started.in_memory(), 12, "the items of the lost one, and those that are in none");
    started.answers_as_memory_does().await;

    replica.fixture.pass(Duration::from_hours(1));
    replica.settle().await;
    assert!(replica.recorded().await.iter().all(|one| one.number != lost.number));
    for one in [&replica, &started, &replica.again().await] {
        one.keep_up().await;
        assert_eq!(one.in_memory(), 4);
        one.answers_as_memory_does().await;
    }
}

/// A segment of the items of these numbers, each at the revision of its number.
fn opened(folder: &Path, numbers: RangeInclusive<u64>) -> OpenSegment {
    let (first, last) = (numbers.start().cast_signed(), numbers.end().cast_signed());
    let path = folder.join(format!("{first}-{last}"));
    let item = |number| SegmentItem {
        item: ItemId(number),
        revision: number,
        category: "book".to_owned(),
        pictures: vec![(PictureId(number), EncodedReference::from_bytes(&sketch(number, 1)).unwrap())],
    };
    let written = write_segment(&path, numbers.map(item).collect()).unwrap();
    let range = SegmentRange { from: (first - 1, i64::MAX), to: (last, i64::MAX) };
    let (size, entries) = (written.bytes.cast_signed(), written.entries.cast_signed());
    let segment = NewSegment { sha256: written.sha256, size, range, entries, items: entries };
    let segment = CatalogueSegment { number: first * 100 + last, segment };
    OpenSegment { recorded: segment, segment: Segment::open(File::open(path).unwrap()).unwrap() }
}

/// A large segment that is lost is written anew as several. A server that has it open answers from it until they have
/// all of its items, and then from them.
#[test]
fn a_large_lost_segment_is_replaced_piece_by_piece() {
    let (folder, catalogue) = (tempfile::tempdir().unwrap(), CatalogueIndex::default());
    let mut recorded = Vec::new();
    let mut take_in = |numbers, replaces: bool| {
        let open = opened(folder.path(), numbers);
        if replaces {
            recorded.clear();
        }
        recorded.push(open.recorded.clone());
        catalogue.take_in(vec![open], &recorded).unwrap();
        assert_eq!(catalogue.items(), 16, "{recorded:?}");
        for number in 1..=16 {
            assert_eq!(catalogue.vote(&asked(number, 1), 5, None).unwrap()[0].item.0, number, "{recorded:?}");
        }
    };
    take_in(1..=16, false);
    take_in(1..=8, true);
    take_in(9..=16, false);
}

/// A writer that ends after it stored the bytes and before it recorded them leaves bytes that the janitor removes.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_were_never_recorded_are_removed() {
    let replica = Replica::new(Backend::Sqlite).await;
    let (store, context) = (&replica.fixture.store, &replica.fixture.context);
    let file = replica.fixture.folder.path().join("bytes");
    std::fs::write(&file, b"a segment").unwrap();
    let key = BlobKey::public(kaisatsu_store::sha256(b"a segment"));
    replica.writer.bytes.write_file(&key, &file, 9).await.unwrap();
    assert_eq!(context.blobs.get(&key).await.unwrap().unwrap(), b"a segment"[..]);
    assert_eq!(replica.fixture.recognition.janitor.sweep().await.unwrap(), 0, "its writer may be at it");
    replica.fixture.pass(Duration::from_mins(11));
    assert_eq!(replica.fixture.recognition.janitor.sweep().await.unwrap(), 1);
    assert_eq!(context.blobs.get(&key).await.unwrap(), None);

    // What was removed meanwhile is not recorded.
    let range = SegmentRange { from: (0, 0), to: (9, 0) };
    let new = NewSegment { sha256: key.sha256, size: 9, range, entries: 1, items: 1 };
    assert!(store.lease_segments("a", Timestamp(0), Timestamp(1)).await.unwrap());
    assert!(!store.replace_segments("a", &[], Some(&new), Timestamp(0)).await.unwrap());
    assert!(replica.recorded().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_writes_at_a_time() {
    let replica = Replica::new(Backend::Sqlite).await;
    replica.put(1..=20).await;
    let now = replica.fixture.context.clock.now();
    assert!(replica.fixture.store.lease_segments("another", now, now.after(Duration::from_mins(1))).await.unwrap());
    replica.settle().await;
    assert!(replica.recorded().await.is_empty(), "another one is at it");
    replica.fixture.pass(Duration::from_mins(2));
    replica.settle().await;
    assert_eq!(replica.recorded().await.len(), 2, "it has ended");
}

/// A database that was set back has other segments, or none.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_is_read_anew_with_its_segments() {
    let replica = Replica::new(Backend::Sqlite).await;
    replica.put(1..=8).await;
    replica.put(9..=20).await;
    replica.settle().await;
    assert_eq!(replica.recorded().await.len(), 2);
    replica.fixture.database.run(
        "DELETE FROM catalogue_picture WHERE item > 8; DELETE FROM catalogue_item WHERE number > 8; \
         DELETE FROM catalogue_segment WHERE to_revision > 1; UPDATE content_revision SET value = 1",
    );
    replica.keep_up().await;
    assert_eq!(replica.fixture.context.catalogue.items(), 8);
    replica.answers_as_memory_does().await;
}
