//! Looking for what does not fit together: rows without their bytes, bytes that nobody knows of, datasets left half done.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};

use futures_util::TryStreamExt;
use kaisatsu_model::{Clock, SystemClock};
use kaisatsu_store::{BlobRow, Blobs, Listed, Store};

use crate::RecognitionError;

/// How old a half-written file is when nobody is at it any more.
const STALE: Duration = Duration::from_mins(10);

/// Rows that are read at once.
const PAGE: i64 = 1_000;

/// A server may be at work while this looks. What is wrong only for a moment is not there any more after this long.
const SECOND_LOOK: Duration = Duration::from_secs(2);

/// What is to be done.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckAsk {
    /// Read all bytes, and compare them with their hashes.
    pub deep: bool,
    /// Remove bytes that nobody knows of, and those that are nobody's.
    pub repair: bool,
}

/// What was looked at, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Checked {
    /// Images in the storage.
    pub kept: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Rows in the database that they belong to.
    pub known: usize,
    /// What is wrong, in sentences.
    pub faults: Vec<String>,
    /// What was removed.
    pub removed: usize,
}

/// Looks at everything.
///
/// # Errors
/// When the database or the storage fails.
pub async fn check(store: &Store, blobs: &Blobs, ask: CheckAsk) -> Result<Checked, RecognitionError> {
    let mut first = look(store, blobs).await?;
    if !first.faults.is_empty() {
        tokio::time::sleep(SECOND_LOOK).await;
        let second = look(store, blobs).await?;
        let lasting = |fault: &Fault| second.faults.contains(fault);
        first = Look { faults: first.faults.into_iter().filter(lasting).collect(), ..second };
    }
    let mut done = Checked { kept: first.kept, bytes: first.bytes, known: first.rows.len(), ..Checked::default() };
    for fault in &first.faults {
        done.faults.push(fault.to_string());
        if ask.repair {
            done.removed += usize::from(fault.repair(store, blobs).await?);
        }
    }
    if ask.deep {
        for row in first.rows.iter().filter(|row| row.settled) {
            if let Some(bytes) = blobs.get(&row.key).await?
                && kaisatsu_store::sha256(&bytes) != row.key.sha256
            {
                done.faults.push(format!("image {} is damaged: its bytes do not have its hash", row.key.name()));
            }
        }
    }
    Ok(done)
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    Told(String),
    Unknown(Listed),
    Unowned(kaisatsu_store::BlobKey),
    HalfWritten(PathBuf),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Told(told) => f.write_str(told),
            Self::Unknown(listed) => {
                write!(f, "{} is in the storage, and the database knows nothing of it", listed.name)
            }
            Self::Unowned(key) => write!(f, "image {} is nobody's, and nobody removes it", key.name()),
            Self::HalfWritten(file) => write!(f, "{} was never finished", file.display()),
        }
    }
}

impl Fault {
    /// Does away with what is too much. What is missing cannot be brought back here.
    async fn repair(&self, store: &Store, blobs: &Blobs) -> Result<bool, RecognitionError> {
        match self {
            // What we have not put there is not ours to remove.
            Self::Told(_) | Self::Unknown(Listed { ours: false, .. }) => Ok(false),
            Self::Unknown(listed) => {
                // A user may have sent the same image again since it was looked at.
                if store.knows_blob(&listed.name).await? {
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
struct Look {
    kept: usize,
    bytes: u64,
    rows: Vec<BlobRow>,
    faults: Vec<Fault>,
}

async fn look(store: &Store, blobs: &Blobs) -> Result<Look, RecognitionError> {
    let told = store.integrity().await?.into_iter().chain(store.data_set_faults().await?);
    let mut look = Look { faults: told.map(Fault::Told).collect(), ..Look::default() };
    look.faults.extend(blobs.half_written(STALE).await.into_iter().map(Fault::HalfWritten));
    // Bytes are claimed before they are written: what is listed first has its row by the time the rows are read.
    let listed: Vec<Listed> = blobs.list().try_collect().await?;
    let mut after = None;
    loop {
        let page = store.blob_rows(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        look.rows.extend(page);
    }
    look.kept = listed.len();
    look.bytes = listed.iter().map(|listed| listed.size).sum();

    let known: BTreeSet<String> = look.rows.iter().map(|row| row.key.name()).collect();
    let sizes: BTreeMap<&str, u64> = listed.iter().map(|listed| (listed.name.as_str(), listed.size)).collect();
    let unknown = listed.iter().filter(|listed| !known.contains(&listed.name));
    look.faults.extend(unknown.map(|listed| Fault::Unknown(listed.clone())));
    for row in &look.rows {
        let name = row.key.name();
        if row.owned && row.watched && !row.settled {
            look.faults
                .push(Fault::Told(format!("image {name} is somebody's, and is being removed or was never written")));
        }
        if !row.owned && !row.watched {
            look.faults.push(Fault::Unowned(row.key.clone()));
        }
        if !row.settled {
            continue;
        }
        match sizes.get(name.as_str()).copied() {
            None => look.faults.push(Fault::Told(format!("image {name} is missing from the storage"))),
            Some(size) if i64::try_from(size) != Ok(row.size) => {
                look.faults.push(Fault::Told(format!("image {name} has {size} bytes, and should have {}", row.size)));
            }
            Some(_) => {}
        }
    }
    Ok(look)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use kaisatsu_model::Timestamp;
    use kaisatsu_store::{BlobKey, Listed};

    use super::Fault;
    use crate::sweep::stage::Stage;

    #[tokio::test]
    async fn what_was_uploaded_again_meanwhile_is_not_removed() {
        let stage = Stage::set().await;
        let key = BlobKey::of(&stage.user.application, &stage.user.id, b"cat");
        stage.blobs().put(&key, Bytes::from_static(b"cat")).await.unwrap();
        let seen = Fault::Unknown(Listed { name: key.name(), ours: true, size: 3 });
        stage.store.claim_blob(&key, 3, 1_000, Timestamp(0)).await.unwrap();
        assert!(!seen.repair(&stage.store, stage.blobs()).await.unwrap());
        assert!(stage.blobs().get(&key).await.unwrap().is_some());

        stage.store.release_blob(&key, Timestamp(0)).await.unwrap();
        let doomed = stage.store.doom_blobs(Timestamp(1), Timestamp(0), Timestamp(0), 10).await.unwrap();
        stage.store.forget_blobs(&doomed, Timestamp(1)).await.unwrap();
        assert!(seen.repair(&stage.store, stage.blobs()).await.unwrap(), "nobody knows of it now");
        assert_eq!(stage.blobs().get(&key).await.unwrap(), None);
    }
}
