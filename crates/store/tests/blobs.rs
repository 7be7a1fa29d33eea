//! Blob storage, in a folder and on a real S3 server.

use bytes::Bytes;
use futures_util::TryStreamExt;
use kaisatsu_model::{AppId, UserId};
use kaisatsu_store::{BlobAddress, BlobKey, Blobs, StoredBlob};
use tempfile::TempDir;

/// An empty storage. It is removed when this is dropped (a folder) or when the test server stops (S3).
struct Storage {
    blobs: Blobs,
    folder: Option<TempDir>,
}

fn folder() -> Storage {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(&BlobAddress::Folder(folder.path().join("a/b"))).unwrap();
    Storage { blobs, folder: Some(folder) }
}

fn s3(test: &str) -> Storage {
    let server = std::env::var("KAISATSU_TEST_S3").unwrap_or_else(|_| {
        panic!("this test needs an S3 server: run it through `tools/with-s3 cargo test …`, or `make test`")
    });
    let BlobAddress::S3 { bucket, endpoint, region, .. } = server.parse().unwrap() else { panic!("{server}") };
    let prefix = format!("store-{}-{test}", std::process::id());
    Storage { blobs: Blobs::open(&BlobAddress::S3 { bucket, prefix, endpoint, region }).unwrap(), folder: None }
}

macro_rules! on_every_storage {
    ($($test:ident),+ $(,)?) => {
        mod in_a_folder { $(#[tokio::test] async fn $test() { super::$test(super::folder()).await; })+ }
        mod on_s3 {
            $(#[tokio::test]
            #[ignore = "needs an S3 server; `make test` runs it"]
            async fn $test() { super::$test(super::s3(stringify!($test))).await; })+
        }
    };
}

on_every_storage![
    a_blob_exists_until_it_is_removed,
    writing_again_replaces_the_bytes,
    large_blobs_are_read_completely,
    files_of_any_size_are_stored_read_and_copied,
    blobs_are_listed_with_their_size,
];

fn key(user: &str, bytes: &[u8]) -> BlobKey {
    BlobKey::of(&AppId::from_random([1; 10]), &UserId::new(user).unwrap(), bytes)
}

async fn a_blob_exists_until_it_is_removed(storage: Storage) {
    let blobs = &storage.blobs;
    // User ids may contain any characters.
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
    if let Some(folder) = &storage.folder {
        let left: Vec<_> = std::fs::read_dir(folder.path().join("a/b")).unwrap().collect();
        assert!(left.is_empty(), "folders go with their last file: {left:?}");
    }
}

async fn writing_again_replaces_the_bytes(storage: Storage) {
    let key = key("u", b"x");
    for bytes in [&b"one"[..], b"a longer one", b""] {
        storage.blobs.put(&key, Bytes::copy_from_slice(bytes)).await.unwrap();
        assert_eq!(storage.blobs.get(&key).await.unwrap().as_deref(), Some(bytes));
    }
}

async fn large_blobs_are_read_completely(storage: Storage) {
    let bytes: Bytes = (0..20_000_000u32).map(|at| at.to_le_bytes()[1]).collect::<Vec<_>>().into();
    let key = key("u", &bytes);
    storage.blobs.put(&key, bytes.clone()).await.unwrap();
    assert!(storage.blobs.get(&key).await.unwrap() == Some(bytes));
}

async fn files_of_any_size_are_stored_read_and_copied(storage: Storage) {
    let (blobs, home, copy) = (&storage.blobs, tempfile::tempdir().unwrap(), folder());
    let (from, to) = (home.path().join("from"), home.path().join("to"));
    // Nothing, a small one, one of exactly a part, of two parts, and of three of which the last is small.
    for size in [0, 100, 16 << 20, 32 << 20, (32 << 20) + 1] {
        let bytes: Vec<u8> = (0..size).map(|at: u32| at.to_le_bytes()[1] ^ at.to_le_bytes()[2]).collect();
        std::fs::write(&from, &bytes).unwrap();
        let key = key("u", &bytes);
        assert_eq!(blobs.get_file(&key, &to).await.unwrap(), None);
        assert_eq!(blobs.digest(&key).await.unwrap(), None);
        blobs.put_file(&key, &from).await.unwrap();
        assert_eq!(blobs.size(&key).await.unwrap(), Some(size.into()));
        assert_eq!(blobs.get_file(&key, &to).await.unwrap(), Some(key.sha256), "{size} bytes");
        assert!(std::fs::read(&to).unwrap() == bytes, "{size} bytes");
        assert_eq!(blobs.digest(&key).await.unwrap(), Some(key.sha256));
        assert!(blobs.copy_to(&copy.blobs, &key.name()).await.unwrap());
        assert!(copy.blobs.get(&key).await.unwrap() == Some(bytes.into()), "{size} bytes");
        let file = blobs.file(&key);
        assert_eq!(file.as_ref().map(|file| file.is_file()), storage.folder.as_ref().map(|_| true));
    }
    assert!(blobs.put_file(&key("u", b"x"), &home.path().join("missing")).await.is_err());
}

async fn blobs_are_listed_with_their_size(storage: Storage) {
    let mut expected = Vec::new();
    for number in 0..30u8 {
        let bytes = vec![number; usize::from(number)];
        let key = key(&format!("user {}", number % 3), &bytes);
        storage.blobs.put(&key, bytes.into()).await.unwrap();
        expected.push(StoredBlob { name: key.name(), ours: true, size: number.into() });
    }
    let order = |listed: &StoredBlob| (listed.name.clone(), listed.size);
    let mut found: Vec<StoredBlob> = storage.blobs.list().try_collect().await.unwrap();
    found.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(found, expected);
    storage.blobs.remove(&expected[0].name).await.unwrap();
    assert_eq!(storage.blobs.list().try_collect::<Vec<_>>().await.unwrap().len(), expected.len() - 1);
}

#[test]
fn a_folder_that_cannot_be_created_is_reported() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Blobs::open(&BlobAddress::Folder(file.path().join("below"))).unwrap_err().to_string();
    assert!(error.contains("Check that the folder exists"), "{error}");
}
