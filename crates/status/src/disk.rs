//! Disks: whether they have room and can be written to.

use std::path::PathBuf;

use kaisatsu_model::{Part, PartState};
use kaisatsu_store::{DiskSpace, Unwritable, try_writing};

/// What a disk is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskRole {
    /// The SQLite database.
    Database,
    /// Users' images.
    Images,
}

impl DiskRole {
    /// The name of the part of the server.
    #[must_use]
    pub fn part(self) -> &'static str {
        match self {
            Self::Database => "databaseDisk",
            Self::Images => "imagesDisk",
        }
    }

    fn holds(self) -> &'static str {
        match self {
            Self::Database => "the database",
            Self::Images => "users' images",
        }
    }
}

/// A folder that the server writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedDisk {
    /// What for.
    pub role: DiskRole,
    /// Where.
    pub folder: PathBuf,
}

/// How a disk is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskStatus {
    /// What it is used for.
    pub role: DiskRole,
    /// The folder on it.
    pub folder: PathBuf,
    /// Its room, where the system says.
    pub space: Option<DiskSpace>,
    /// How it is, for everybody.
    pub part: Part,
}

/// Below this the disk counts as full: the next image may not fit.
const FULL_BELOW: u64 = 1 << 20;

/// Below this, or a tenth of a small disk, an operator has to make room soon.
const LOW_BELOW: u64 = 256 << 20;

impl WatchedDisk {
    /// Looks at the disk and writes a small file. Blocks.
    #[must_use]
    pub fn look(&self) -> DiskStatus {
        let space = DiskSpace::of(&self.folder).ok();
        let written = try_writing(&self.folder).map_err(|error| (Unwritable::of(&error), error.to_string()));
        let part = part(self.role, space, written);
        DiskStatus { role: self.role, folder: self.folder.clone(), space, part }
    }
}

fn part(role: DiskRole, space: Option<DiskSpace>, written: Result<(), (Option<Unwritable>, String)>) -> Part {
    let (name, holds) = (role.part(), role.holds());
    let failing = |message: String| Part::new(name, PartState::Failing, message);
    let full = || failing(format!("the disk that holds {holds} is full: nothing can be stored until there is room"));
    match written {
        Err((Some(Unwritable::Full), _)) => full(),
        Err((Some(Unwritable::ReadOnly), _)) => {
            failing(format!("the folder that holds {holds} cannot be written to: it is read-only for this server"))
        }
        Err((None, error)) => failing(format!("the folder that holds {holds} cannot be written to: {error}")),
        Ok(()) => match space {
            Some(space) if space.free < FULL_BELOW => full(),
            Some(space) if space.free < LOW_BELOW.min(space.total / 10) => {
                let left = space.free >> 20;
                let message = format!("the disk that holds {holds} is nearly full: {left} MB are left");
                Part::new(name, PartState::Degraded, message)
            }
            _ => Part::ok(name),
        },
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::PartState;
    use kaisatsu_store::{DiskSpace, Unwritable};

    use super::{DiskRole, WatchedDisk, part};

    const MB: u64 = 1 << 20;

    fn state(free: u64, total: u64) -> PartState {
        part(DiskRole::Images, Some(DiskSpace { free: free * MB, total: total * MB }), Ok(())).state
    }

    #[test]
    fn a_disk_is_nearly_full_below_256_megabytes_or_a_tenth() {
        assert_eq!(state(10_000, 100_000), PartState::Ok);
        assert_eq!(state(256, 100_000), PartState::Ok);
        assert_eq!(state(255, 100_000), PartState::Degraded);
        assert_eq!(state(20, 100), PartState::Ok, "a small disk is small");
        assert_eq!(state(9, 100), PartState::Degraded);
        assert_eq!(state(0, 100), PartState::Failing);
    }

    #[test]
    fn what_keeps_a_file_from_being_written_is_said() {
        let told = |cause, text: &str| {
            let part = part(DiskRole::Database, None, Err((cause, text.to_owned())));
            assert_eq!(part.state, PartState::Failing);
            part.message.unwrap()
        };
        assert!(told(Some(Unwritable::Full), "").contains("the database is full"));
        assert!(told(Some(Unwritable::ReadOnly), "").contains("read-only"));
        assert!(told(None, "input/output error").contains("input/output error"));
    }

    #[test]
    fn a_folder_that_is_gone_fails() {
        let disk = WatchedDisk { role: DiskRole::Images, folder: "/nonexistent/folder".into() };
        let status = disk.look();
        assert_eq!((status.part.state, status.space), (PartState::Failing, None));
    }
}
