//! A lock that one server holds on a SQLite database, so that a second one is refused instead of sharing it unnoticed.
//! Commands do not take it: they run beside a server.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    process,
};

use kaisatsu_store::DatabaseAddress;

use crate::error::CliError;

/// Held for as long as the server runs; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct DatabaseLock {
    _file: Option<File>,
}

/// Refuses a database that another server has locked, before anything else waits for that server.
pub(crate) fn refuse_if_taken(address: &DatabaseAddress) -> Result<(), CliError> {
    let DatabaseAddress::Sqlite(database) = address else { return Ok(()) };
    // Where there is no file, no server has locked it.
    let Ok(mut file) = File::open(lock_file(database)) else { return Ok(()) };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(CliError::Store(taken(database, &mut file))),
        _ => Ok(()),
    }
}

/// Locks the database for this server. PostgreSQL needs no lock, and a file system without locks has none.
pub(crate) fn lock(address: &DatabaseAddress) -> Result<DatabaseLock, CliError> {
    let DatabaseAddress::Sqlite(database) = address else { return Ok(DatabaseLock { _file: None }) };
    let path = lock_file(database);
    let cannot = |error| CliError::Store(format!("{} cannot be opened: {error}", path.display()));
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => {
            // The process id is for people: the lock alone decides.
            let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", process::id()));
            Ok(DatabaseLock { _file: Some(file) })
        }
        Err(TryLockError::WouldBlock) => Err(CliError::Store(taken(database, &mut file))),
        Err(TryLockError::Error(error)) => {
            tracing::warn!(%error, "{} cannot be locked; a second server would not be noticed", path.display());
            Ok(DatabaseLock { _file: None })
        }
    }
}

fn taken(database: &Path, file: &mut File) -> String {
    let mut holder = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
    let holder = holder.trim().parse::<u32>().map_or(String::new(), |id| format!(" (process {id})"));
    format!(
        "another server{holder} uses {}. Stop it, give this one another file with --database sqlite:FILE, or let both \
         use it with --share-sqlite true",
        database.display()
    )
}

/// Not `.lock`, which is held while a schema is migrated.
fn lock_file(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(".server");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use kaisatsu_store::DatabaseAddress;

    use super::{lock, refuse_if_taken};

    #[test]
    fn a_second_server_is_refused_until_the_first_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let address = DatabaseAddress::Sqlite(folder.path().join("kaisatsu.db"));
        refuse_if_taken(&address).unwrap();
        let first = lock(&address).unwrap();
        assert!(refuse_if_taken(&address).is_err());
        let told = lock(&address).unwrap_err().to_string();
        let holder = format!("another server (process {}) uses {}", std::process::id(), folder.path().display());
        assert!(told.contains(&holder), "{told}");
        drop(first);
        refuse_if_taken(&address).unwrap();
        lock(&address).unwrap();
        let other = DatabaseAddress::Sqlite(folder.path().join("other.db"));
        lock(&other).unwrap();
    }
}
