//! Bytes outside of the database, one story for a folder and for a real S3 server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use bytes::Bytes;
use futures_util::TryStreamExt;
use kaisatsu_model::{AppId, UserId};
use kaisatsu_store::{BlobAddress, BlobKey, Blobs, StoredBlob};
use tempfile::TempDir;

/// A storage of the test's own. It is gone when this is dropped (a folder) or when the test server stops (S3).
struct Place {
    blobs: Blobs,
    folder: Option<TempDir>,
}

fn folder() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(&BlobAddress::Folder(folder.path().join("a/b"))).unwrap();
    Place { blobs, folder: Some(folder) }
}

fn s3(test: &str) -> Place {
    let server = std::env::var("KAISATSU_TEST_S3").unwrap_or_else(|_| {
        panic!("this test needs an S3 server: run it through `tools/with-s3 cargo test …`, or `make test`")
    });
    let BlobAddress::S3 { bucket, endpoint, region, .. } = server.parse().unwrap() else { panic!("{server}") };
    let prefix = format!("store-{}-{test}", std::process::id());
    Place { blobs: Blobs::open(&BlobAddress::S3 { bucket, prefix, endpoint, region }).unwrap(), folder: None }
}

macro_rules! on_every_storage {
    ($($story:ident),+ $(,)?) => {
        mod in_a_folder { $(#[tokio::test] async fn $story() { super::$story(super::folder()).await; })+ }
        mod on_s3 {
            $(#[tokio::test]
            #[ignore = "needs an S3 server; `make test` runs it"]
            async fn $story() { super::$story(super::s3(stringify!($story))).await; })+
        }
    };
}

on_every_storage![
    what_is_put_is_there_until_it_is_removed,
    the_same_name_holds_the_last_bytes,
    large_things_come_back_whole,
    all_is_listed_with_its_size,
];

fn key(user: &str, bytes: &[u8]) -> BlobKey {
    BlobKey::of(&AppId::from_random([1; 10]), &UserId::new(user).unwrap(), bytes)
}

async fn what_is_put_is_there_until_it_is_removed(place: Place) {
    let blobs = &place.blobs;
    // A user may be called anything.
    let (mine, theirs) = (key("../../etc/passwd", b"cat"), key("山田 太郎/%2e", b"cat"));
    assert_eq!(blobs.get(&mine).await.unwrap(), None);
    blobs.put(&mine, Bytes::from_static(b"cat")).await.unwrap();
    assert_eq!(blobs.get(&mine).await.unwrap().as_deref(), Some(&b"cat"[..]));
    assert_eq!((blobs.size(&mine).await.unwrap(), blobs.size(&theirs).await.unwrap()), (Some(3), None));
    assert_eq!(blobs.get(&theirs).await.unwrap(), None, "what one user has another has not");
    blobs.put(&theirs, Bytes::from_static(b"cat")).await.unwrap();
    blobs.remove(&mine.name()).await.unwrap();
    assert_eq!(blobs.get(&mine).await.unwrap(), None);
    assert!(blobs.get(&theirs).await.unwrap().is_some());
    blobs.remove(&mine.name()).await.unwrap();
    blobs.sync_removed(&[mine.name(), theirs.name()]).await.unwrap();
    blobs.remove(&theirs.name()).await.unwrap();
    blobs.sync_removed(&[theirs.name()]).await.unwrap();
    if let Some(folder) = &place.folder {
        let left: Vec<_> = std::fs::read_dir(folder.path().join("a/b")).unwrap().collect();
        assert!(left.is_empty(), "folders go with their last file: {left:?}");
    }
}

async fn the_same_name_holds_the_last_bytes(place: Place) {
    let key = key("u", b"x");
    for bytes in [&b"one"[..], b"a longer one", b""] {
        place.blobs.put(&key, Bytes::copy_from_slice(bytes)).await.unwrap();
        assert_eq!(place.blobs.get(&key).await.unwrap().as_deref(), Some(bytes));
    }
}

async fn large_things_come_back_whole(place: Place) {
    let bytes: Bytes = (0..20_000_000u32).map(|at| at.to_le_bytes()[1]).collect::<Vec<_>>().into();
    let key = key("u", &bytes);
    place.blobs.put(&key, bytes.clone()).await.unwrap();
    assert!(place.blobs.get(&key).await.unwrap() == Some(bytes));
}

async fn all_is_listed_with_its_size(place: Place) {
    let mut expected = Vec::new();
    for number in 0..30u8 {
        let bytes = vec![number; usize::from(number)];
        let key = key(&format!("user {}", number % 3), &bytes);
        place.blobs.put(&key, bytes.into()).await.unwrap();
        expected.push(StoredBlob { name: key.name(), ours: true, size: number.into() });
    }
    let order = |listed: &StoredBlob| (listed.name.clone(), listed.size);
    let mut found: Vec<StoredBlob> = place.blobs.list().try_collect().await.unwrap();
    found.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(found, expected);
    place.blobs.remove(&expected[0].name).await.unwrap();
    assert_eq!(place.blobs.list().try_collect::<Vec<_>>().await.unwrap().len(), expected.len() - 1);
}

#[test]
fn a_folder_that_cannot_be_made_says_so() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Blobs::open(&BlobAddress::Folder(file.path().join("below"))).unwrap_err().to_string();
    assert!(error.contains("Check that the folder exists"), "{error}");
}
