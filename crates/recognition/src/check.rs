//! Comparing the database with the storage: rows without bytes, bytes without rows, datasets left half report.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};

use futures_util::TryStreamExt;
use kaisatsu_model::{Clock, SystemClock};
use kaisatsu_store::{BlobRow, Blobs, Store, StoredBlob};

use crate::RecognitionError;

/// How old a half-written file is when its writer is taken for dead.
const STALE: Duration = Duration::from_mins(10);

/// Rows that are read at once.
const PAGE: i64 = 1_000;

/// A server may be running. A fault that is gone after this long was only a change in progress.
const RECHECK_AFTER: Duration = Duration::from_secs(2);

/// How to check.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions {
    /// Read all bytes, and compare them with their hashes.
    pub deep: bool,
    /// Remove bytes without a row, and release those that nothing refers to.
    pub repair: bool,
}

/// What was checked, and what is wrong with it.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Images in the storage.
    pub stored: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Rows in the database that they belong to.
    pub known: usize,
    /// What is wrong, in sentences.
    pub faults: Vec<String>,
    /// What was removed.
    pub removed: usize,
}

/// Checks everything.
///
/// # Errors
/// When the database or the storage fails.
pub async fn check(store: &Store, blobs: &Blobs, options: CheckOptions) -> Result<CheckReport, RecognitionError> {
    let mut first = scan(store, blobs).await?;
    if !first.faults.is_empty() {
        tokio::time::sleep(RECHECK_AFTER).await;
        let second = scan(store, blobs).await?;
        let lasting = |fault: &Fault| second.faults.contains(fault);
        first = Scan { faults: first.faults.into_iter().filter(lasting).collect(), ..second };
    }
    let mut report =
        CheckReport { stored: first.stored, bytes: first.bytes, known: first.rows.len(), ..CheckReport::default() };
    for fault in &first.faults {
        report.faults.push(fault.to_string());
        if options.repair {
            report.removed += usize::from(fault.repair(store, blobs).await?);
        }
    }
    if options.deep {
        for row in first.rows.iter().filter(|row| row.complete) {
            if blobs.digest(&row.key).await?.is_some_and(|digest| digest != row.key.sha256) {
                report.faults.push(format!("image {} is damaged: its bytes do not have its hash", row.key.name()));
            }
        }
    }
    Ok(report)
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    Described(String),
    Unknown(StoredBlob),
    Unowned(kaisatsu_store::BlobKey),
    HalfWritten(PathBuf),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Described(text) => f.write_str(text),
            Self::Unknown(listed) => {
                write!(f, "{} is in the storage, and the database knows nothing of it", listed.name)
            }
            Self::Unowned(key) => write!(f, "image {} is nobody's, and nobody removes it", key.name()),
            Self::HalfWritten(file) => write!(f, "{} was never finished", file.display()),
        }
    }
}

impl Fault {
    /// Removes what is too much. What is missing cannot be restored here.
    async fn repair(&self, store: &Store, blobs: &Blobs) -> Result<bool, RecognitionError> {
        match self {
            // Files that are not named like ours are somebody else's.
            Self::Described(_) | Self::Unknown(StoredBlob { ours: false, .. }) => Ok(false),
            Self::Unknown(listed) => {
                // A user may have uploaded the same image since it was listed.
                if store.has_blob(&listed.name).await? {
                    return Ok(false);
                }
                blobs.remove(&listed.name).await.map(|()| true).map_err(Into::into)
            }
            Self::HalfWritten(file) => Ok(std::fs::remove_file(file).is_ok()),
            Self::Unowned(key) => {
                store.release_blob(key, SystemClock.now()).await?;
                Ok(true)
            }
        }
    }
}

#[derive(Default)]
struct Scan {
    stored: usize,
    bytes: u64,
    rows: Vec<BlobRow>,
    faults: Vec<Fault>,
}

async fn scan(store: &Store, blobs: &Blobs) -> Result<Scan, RecognitionError> {
    let described = store.integrity().await?.into_iter().chain(store.dataset_faults().await?);
    let mut found = Scan { faults: described.map(Fault::Described).collect(), ..Scan::default() };
    found.faults.extend(blobs.unfinished_writes(STALE).await.into_iter().map(Fault::HalfWritten));
    // Bytes are claimed before they are written: what is listed now has its row when the rows are read.
    let listed: Vec<StoredBlob> = blobs.list().try_collect().await?;
    let mut after = None;
    loop {
        let page = store.blob_rows(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        found.rows.extend(page);
    }
    found.stored = listed.len();
    found.bytes = listed.iter().map(|listed| listed.size).sum();

    let known: BTreeSet<String> = found.rows.iter().map(|row| row.key.name()).collect();
    let sizes: BTreeMap<&str, u64> = listed.iter().map(|listed| (listed.name.as_str(), listed.size)).collect();
    let unknown = listed.iter().filter(|listed| !known.contains(&listed.name));
    found.faults.extend(unknown.map(|listed| Fault::Unknown(listed.clone())));
    for row in &found.rows {
        let name = row.key.name();
        if row.referenced && row.pending && !row.complete {
            found.faults.push(Fault::Described(format!(
                "image {name} is somebody's, and is being removed or was never written"
            )));
        }
        if !row.referenced && !row.pending {
            found.faults.push(Fault::Unowned(row.key.clone()));
        }
        if !row.complete {
            continue;
        }
        match sizes.get(name.as_str()).copied() {
            None => found.faults.push(Fault::Described(format!("image {name} is missing from the storage"))),
            Some(size) if i64::try_from(size) != Ok(row.size) => {
                found
                    .faults
                    .push(Fault::Described(format!("image {name} has {size} bytes, and should have {}", row.size)));
            }
            Some(_) => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use kaisatsu_model::Timestamp;
    use kaisatsu_store::{BlobKey, StoredBlob};

    use super::Fault;
    use crate::fixture::Fixture;

    #[tokio::test]
    async fn an_image_that_was_uploaded_since_it_was_listed_is_not_removed() {
        let fixture = Fixture::new().await;
        let key = BlobKey::of(&fixture.user.application, &fixture.user.id, b"cat");
        fixture.context.blobs.put(&key, Bytes::from_static(b"cat")).await.unwrap();
        let fault = Fault::Unknown(StoredBlob { name: key.name(), ours: true, size: 3 });
        fixture.store.claim_blob(&key, 3, 1_000, Timestamp(0)).await.unwrap();
        assert!(!fault.repair(&fixture.store, &fixture.context.blobs).await.unwrap());
        assert!(fixture.context.blobs.get(&key).await.unwrap().is_some());

        fixture.store.release_blob(&key, Timestamp(0)).await.unwrap();
        let deleting = fixture.store.mark_blobs_deleting(Timestamp(1), Timestamp(0), Timestamp(0), 10).await.unwrap();
        fixture.store.delete_blob_rows(&deleting, Timestamp(1)).await.unwrap();
        assert!(fault.repair(&fixture.store, &fixture.context.blobs).await.unwrap(), "nobody knows of it now");
        assert_eq!(fixture.context.blobs.get(&key).await.unwrap(), None);
    }
}
