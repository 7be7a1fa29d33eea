//! `kaisatsu restore`: a backup becomes the data of a server with these settings, on either database and storage.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use clap::Args;
use kaisatsu_model::Timestamp;
use kaisatsu_store::{BlobAddress, Blobs, DatabaseAddress, Store};

use super::{
    backup::{DATABASE, IMAGES, copy_images, remove_unknown, stored, verify},
    confirm, progress,
};
use crate::{database_lock, error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// The folder that `kaisatsu backup` made
    folder: PathBuf,
    /// Replace what the database has; without this, only an empty one is filled
    #[arg(long)]
    yes: bool,
}

pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let address = settings.database()?;
    database_lock::refuse_if_taken(&address)?;
    let source = command.folder.join(DATABASE);
    if !source.is_file() {
        return Err(CliError::Usage(format!("{} is no backup: it has no {DATABASE}", command.folder.display())));
    }
    // Before anything is replaced: this version may not be able to read it.
    if let Some(copy) = Store::open_copy(&source).await? {
        copy.close().await;
    }
    let replaces = !is_empty(&address).await?;
    if replaces && !command.yes && !confirm(&format!("{address} has data. Replace all of it by the backup?")) {
        let remedy = "name another with --data or --database, or replace everything in it with --yes";
        return Err(CliError::Usage(format!("{address} has data and is not overwritten; {remedy}")));
    }
    let images = Blobs::open(&BlobAddress::Folder(command.folder.join(IMAGES))).map_err(|error| stored(&error))?;
    let target = Blobs::open(&settings.blobs()?).map_err(|error| stored(&error))?;
    let bar = progress::counter("images");
    copy_images(&images, &target, &bar).await?;
    bar.finish_and_clear();
    // The database last: until then a server finds what it had.
    match &address {
        DatabaseAddress::Sqlite(path) => restore_file(&source, path)?,
        DatabaseAddress::Postgres(_) => restore_rows(&source, &address).await?,
    }
    let store = Store::open(&address).await?;
    if replaces {
        remove_unknown(&store, &target).await?;
    }
    // The servers that ran when the copy was made are those of another place.
    store.remove_replicas_before(Timestamp(i64::MAX)).await?;
    let outcome = verify(&store, &target, &format!("restored to {address}")).await?;
    store.close().await;
    Ok(outcome)
}

async fn is_empty(address: &DatabaseAddress) -> Result<bool, CliError> {
    if let DatabaseAddress::Sqlite(path) = address
        && !path.exists()
    {
        return Ok(true);
    }
    let store = Store::open(address).await?;
    let empty = store.is_empty().await?;
    store.close().await;
    Ok(empty)
}

/// Copies the file, which gets its name when it is complete.
fn restore_file(source: &Path, path: &Path) -> Result<(), CliError> {
    let told = |error: std::io::Error| CliError::Store(format!("{}: {error}", path.display()));
    let beside = |end: &str| {
        let mut name = OsString::from(path);
        name.push(end);
        PathBuf::from(name)
    };
    let part = beside(".restoring");
    fs::copy(source, &part).and_then(|_| fs::File::open(&part)?.sync_all()).map_err(told)?;
    // The log of a server that was killed belongs to the file that was there, and would be written into the new one.
    for end in ["-wal", "-shm"] {
        match fs::remove_file(beside(end)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(told(error)),
            _ => {}
        }
    }
    fs::rename(&part, path).map_err(told)
}

/// Copies the rows of the file. A file of an older version is migrated first, in a copy of it: a backup stays as it is.
async fn restore_rows(source: &Path, address: &DatabaseAddress) -> Result<(), CliError> {
    if let Some(copy) = Store::open_copy(source).await? {
        return copy_rows(&copy, address).await;
    }
    let folder = env::temp_dir().join(format!("kaisatsu-restore-{}", process::id()));
    let told = |error: std::io::Error| CliError::Failed(format!("{}: {error}", folder.display()));
    // Nobody else may read it.
    fs::DirBuilder::new().mode(0o700).create(&folder).map_err(told)?;
    let path = folder.join(DATABASE);
    let restored = match fs::copy(source, &path).map_err(told) {
        Ok(_) => match Store::open(&DatabaseAddress::Sqlite(path)).await {
            Ok(copy) => copy_rows(&copy, address).await,
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error),
    };
    fs::remove_dir_all(&folder).map_err(told)?;
    restored
}

async fn copy_rows(copy: &Store, address: &DatabaseAddress) -> Result<(), CliError> {
    let store = Store::open(address).await?;
    let rows = progress::counter("rows");
    store.restore_from(copy, &|count| rows.inc(count)).await?;
    rows.finish_and_clear();
    copy.close().await;
    store.close().await;
    Ok(())
}
