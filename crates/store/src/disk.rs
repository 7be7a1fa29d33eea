//! How much room a disk has, and whether a folder can be written to.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    process,
};

/// The room on the disk of a folder, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// What this process may still write.
    pub free: u64,
    /// All of it.
    pub total: u64,
}

impl DiskSpace {
    /// The room on the disk that a folder is on.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let facts = rustix::fs::statvfs(folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(facts.f_frsize);
        Ok(Self { free: bytes(facts.f_bavail), total: bytes(facts.f_blocks) })
    }
}

/// How many bytes are written to try a folder: a few blocks, so that a disk with a last free block counts as full.
const TRIAL: usize = 16 * 1024;

/// Writes a small file into a folder and removes it again.
///
/// # Errors
/// Why the folder cannot be written to: a full disk, a quota, a disk that is mounted read-only, a missing permission.
pub fn try_writing(folder: &Path) -> io::Result<()> {
    let path: PathBuf = folder.join(format!(".kaisatsu-trial-{}", process::id()));
    let write = || {
        let mut file = fs::File::create(&path)?;
        file.write_all(&[0; TRIAL])?;
        // Some file systems notice only now that there is no room.
        file.sync_all()
    };
    let written = write();
    let removed = fs::remove_file(&path);
    written?;
    removed
}

/// Why something could not be written, as far as it matters to whoever reads of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritable {
    /// The disk is full, or a quota is used up.
    Full,
    /// The disk is mounted read-only, or this user may not write there.
    ReadOnly,
}

impl Unwritable {
    /// Reads it from an error of the system; `None` for other errors.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(Self::Full),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Some(Self::ReadOnly),
            _ => None,
        }
    }

    /// Reads it from an error or from one that caused it.
    pub(crate) fn among_causes(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(one) = cause {
            if let Some(found) = one.downcast_ref::<io::Error>().and_then(Self::of) {
                return Some(found);
            }
            // The source of an error of the system that wraps another leaves that one out.
            cause = match one.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(inner) => Some(inner),
                None => one.source(),
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{DiskSpace, Unwritable, try_writing};

    #[test]
    fn a_folder_that_can_be_written_to_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        try_writing(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let space = DiskSpace::of(folder.path()).unwrap();
        assert!(space.free <= space.total && space.total > 0, "{space:?}");
    }

    #[test]
    fn a_missing_folder_is_neither_full_nor_read_only() {
        let error = try_writing("/nonexistent/folder".as_ref()).unwrap_err();
        assert_eq!(Unwritable::of(&error), None);
    }

    #[test]
    fn a_full_disk_is_found_among_the_causes_of_an_error() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let wrapped = io::Error::other(io::Error::other(full));
        assert_eq!(Unwritable::among_causes(&wrapped), Some(Unwritable::Full));
        assert_eq!(Unwritable::among_causes(&io::Error::other("broken")), None);
    }
}
