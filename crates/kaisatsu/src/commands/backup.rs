//! `kaisatsu backup` and `kaisatsu restore`: a copy of the database and the images in one folder.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use futures_util::TryStreamExt as _;
use kaisatsu_recognition::check::{CheckOptions, check};
use kaisatsu_store::{BlobAddress, BlobError, Blobs, DatabaseAddress, Store};

use crate::{database_lock, error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The folder to make; it must not exist, or be empty
    folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The folder that `kaisatsu backup` made
    folder: PathBuf,
}

/// The parts of a backup.
const DATABASE: &str = "kaisatsu.db";
const IMAGES: &str = "images";

const POSTGRES: &str = "this command copies SQLite databases. Back up PostgreSQL with pg_dump and an S3 bucket with its \
                        own tools, the database first: docs/operations.md";

/// Copies the database, then the images: the copy then has every image that a row refers to. The server may run.
pub(crate) async fn backup(command: &Backup, settings: &Settings) -> Result<ExitCode, CliError> {
    let address = settings.database()?;
    let DatabaseAddress::Sqlite(_) = &address else { return Err(CliError::Usage(POSTGRES.to_owned())) };
    let folder = &command.folder;
    let told = |error: std::io::Error| CliError::Failed(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(told)?;
    if fs::read_dir(folder).map_err(told)?.next().is_some() {
        return Err(CliError::Usage(format!("{} is not empty; name a new folder", folder.display())));
    }
    let store = Store::open(&address).await?;
    store.copy_to(&folder.join(DATABASE)).await?;
    store.close().await;
    let images = Blobs::open(&settings.blobs()?).map_err(|error| stored(&error))?;
    let target = Blobs::open(&BlobAddress::Folder(folder.join(IMAGES))).map_err(|error| stored(&error))?;
    let count = copy(&images, &target).await?;
    outln!("the database and {count} images are in {}", folder.display());
    verify(&folder.join(DATABASE), &target).await
}

/// Copies a backup to where a server with these settings looks for its data. Nothing that is there is overwritten.
pub(crate) async fn restore(command: &Restore, settings: &Settings) -> Result<ExitCode, CliError> {
    let address = settings.database()?;
    let DatabaseAddress::Sqlite(path) = &address else { return Err(CliError::Usage(POSTGRES.to_owned())) };
    database_lock::refuse_if_taken(&address)?;
    let source = command.folder.join(DATABASE);
    if !source.is_file() {
        return Err(CliError::Usage(format!("{} is no backup: it has no {DATABASE}", command.folder.display())));
    }
    if path.exists() {
        let remedy = "move it away first, or name another with --data or --database";
        return Err(CliError::Usage(format!("{} exists and is not overwritten; {remedy}", path.display())));
    }
    let images = Blobs::open(&BlobAddress::Folder(command.folder.join(IMAGES))).map_err(|error| stored(&error))?;
    let target = Blobs::open(&settings.blobs()?).map_err(|error| stored(&error))?;
    let count = copy(&images, &target).await?;
    // The database last, and under its name only when it is complete.
    let part = path.with_extension("restoring");
    let told = |error: std::io::Error| CliError::Store(format!("{}: {error}", path.display()));
    fs::copy(&source, &part).and_then(|_| fs::File::open(&part)?.sync_all()).map_err(told)?;
    fs::rename(&part, path).map_err(told)?;
    outln!("the database and {count} images are restored");
    verify(path, &target).await
}

async fn copy(from: &Blobs, to: &Blobs) -> Result<u64, CliError> {
    let mut names = std::pin::pin!(from.list());
    let mut count = 0;
    while let Some(blob) = names.try_next().await.map_err(|error| stored(&error))? {
        // An image that was removed since it was listed is not part of the copy.
        if blob.ours && from.copy_to(to, &blob.name).await.map_err(|error| stored(&error))? {
            count += 1;
        }
    }
    Ok(count)
}

/// Compares the copied database with the copied images.
async fn verify(database: &Path, images: &Blobs) -> Result<ExitCode, CliError> {
    let store = Store::open(&DatabaseAddress::Sqlite(database.to_owned())).await?;
    let options = CheckOptions { deep: true, repair: false };
    let checked = check(&store, images, options).await.map_err(|error| CliError::Store(error.to_string()))?;
    store.close().await;
    for fault in &checked.faults {
        outln!("{fault}");
    }
    if checked.faults.is_empty() {
        outln!("checked: all is well");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

fn stored(error: &BlobError) -> CliError {
    CliError::Store(error.to_string())
}
