//! Segments on the disk of this machine: where the storage is a folder, they are read there; of an S3 server, every
//! process keeps copies in a folder of its own.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use kaisatsu_store::{BlobKey, Blobs, CatalogueSegment, hex};
use kaisatsu_vision::object::{Segment, SegmentError};

use crate::{RecognitionError, SegmentSettings};

/// How old an unfinished file is when its writer is taken for dead.
const STALE: Duration = Duration::from_hours(1);

/// How unfinished files end.
const UNFINISHED: &str = "unfinished";

/// Opens segments.
pub(crate) struct SegmentCache {
    blobs: Blobs,
    folder: PathBuf,
    most_bytes: u64,
    /// The number of the next new file. The first one is random: processes in containers may share a folder and have
    /// the same process number.
    files: AtomicU64,
}

impl SegmentCache {
    pub(crate) fn new(blobs: Blobs, settings: &SegmentSettings) -> Self {
        let mut first = [0; 8];
        let _ = getrandom::fill(&mut first);
        let files = AtomicU64::new(u64::from_le_bytes(first));
        Self { blobs, folder: settings.folder.clone(), most_bytes: settings.cache_bytes, files }
    }

    /// Refuses segments that do not fit.
    pub(crate) fn has_room(&self, recorded: &[CatalogueSegment]) -> Result<(), RecognitionError> {
        let sizes = recorded.iter().map(|one| u64::try_from(one.segment.size).unwrap_or(0));
        let (bytes, most) = (sizes.sum::<u64>(), self.most_bytes);
        if bytes <= most || recorded.first().is_none_or(|one| self.blobs.file(&one.key()).is_some()) {
            return Ok(());
        }
        let told = format!("the segments of the catalogue have {bytes} bytes, and catalogue_cache allows {most}");
        Err(RecognitionError::Failed(told))
    }

    /// Opens a segment, fetching it first where that is needed. Nothing when the storage does not have it, or something
    /// else in its place.
    pub(crate) async fn open(&self, recorded: &CatalogueSegment) -> Result<Option<Segment>, RecognitionError> {
        let key = recorded.key();
        if let Some(stored) = self.blobs.file(&key) {
            return opened(&stored);
        }
        let cached = self.folder.join(hex(&key.sha256));
        if let Some(segment) = opened(&cached)? {
            return Ok(Some(segment));
        }
        let unfinished = self.new_file()?;
        let fetched = self.blobs.get_file(&key, &unfinished).await;
        if matches!(fetched, Ok(Some(digest)) if digest == key.sha256) {
            fs::rename(&unfinished, &cached).map_err(|error| failed(&cached, &error))?;
            return opened(&cached);
        }
        let _ = fs::remove_file(&unfinished);
        fetched?;
        Ok(None)
    }

    /// Whether the storage is a folder and has a damaged file for a segment. A server is asked for the bytes only when
    /// they are needed, and they are compared with their digest then.
    pub(crate) fn is_damaged(&self, recorded: &CatalogueSegment) -> Result<bool, RecognitionError> {
        let Some(stored) = self.blobs.file(&recorded.key()) else { return Ok(false) };
        Ok(opened(&stored)?.is_none())
    }

    /// A new file, for a segment that is being written.
    pub(crate) fn new_file(&self) -> Result<PathBuf, RecognitionError> {
        fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, &error))?;
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        Ok(self.folder.join(format!("{}-{number:016x}.{UNFINISHED}", process::id())))
    }

    /// Keeps the file of a segment that was written here, or removes it where the storage's own file is read.
    pub(crate) fn keep(&self, file: &Path, sha256: [u8; 32]) {
        let stored = self.blobs.file(&BlobKey::public(sha256)).is_some();
        let done = if stored { fs::remove_file(file) } else { fs::rename(file, self.folder.join(hex(&sha256))) };
        if let Err(error) = done {
            tracing::warn!(%error, "a written segment does not stay in the cache");
        }
    }

    /// Removes the copies of segments that are no longer recorded, and what writers that have ended left. A file that
    /// is open can still be read.
    pub(crate) fn tidy(&self, recorded: &[CatalogueSegment]) {
        let names: Vec<String> = recorded.iter().map(|one| hex(&one.segment.sha256)).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let age = entry.metadata().ok().and_then(|facts| facts.modified().ok()?.elapsed().ok());
            let is_copy = kaisatsu_store::from_hex(&name).is_some();
            let is_left = name.ends_with(UNFINISHED) && age.is_some_and(|age| age > STALE);
            if (is_copy && !names.contains(&name)) || is_left {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Opens a file that may not be there, or be no segment.
fn opened(path: &Path) -> Result<Option<Segment>, RecognitionError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path, &error)),
    };
    // A directory has to be read and checked, which takes a while if it is large.
    match tokio::task::block_in_place(|| Segment::open(file)) {
        Ok(segment) => Ok(Some(segment)),
        Err(SegmentError::Io(error)) => Err(failed(path, &error)),
        Err(error @ SegmentError::Malformed(_)) => {
            tracing::error!(%error, file = %path.display(), "a segment of the catalogue is damaged");
            Ok(None)
        }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> RecognitionError {
    RecognitionError::Failed(format!("{}: {error}", path.display()))
}
