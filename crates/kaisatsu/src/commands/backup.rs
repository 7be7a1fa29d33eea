//! `kaisatsu backup`: a copy of the database and the images in one folder.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _};
use indicatif::ProgressBar;
use kaisatsu_recognition::check::{CheckOptions, check};
use kaisatsu_store::{BlobAddress, BlobError, Blobs, DatabaseAddress, Store};

use super::{counted::counted, progress};
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// The folder to make; it must not exist, or be empty
    folder: PathBuf,
}

/// The parts of a backup.
pub(super) const DATABASE: &str = "kaisatsu.db";
pub(super) const IMAGES: &str = "images";

/// The name of the database until it is complete.
const UNFINISHED: &str = "kaisatsu.db.unfinished";

/// How many images are copied at a time.
const COPIERS: usize = 8;

/// How many rows are read at a time.
const PAGE: i64 = 1_000;

/// Copies the images, the database, and the images that came in between: the copy then has every image that a row of it
/// refers to, also if somebody deletes images meanwhile. The server may run.
pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let folder = &command.folder;
    let told = |error: std::io::Error| CliError::Failed(format!("{}: {error}", folder.display()));
    let store = Store::open(&settings.existing_database()?).await?;
    let images = Blobs::open(&settings.blobs()?).map_err(|error| stored(&error))?;
    fs::create_dir_all(folder).map_err(told)?;
    if fs::read_dir(folder).map_err(told)?.next().is_some() {
        return Err(CliError::Usage(format!("{} is not empty; name a new folder", folder.display())));
    }
    let target = Blobs::open(&BlobAddress::Folder(folder.join(IMAGES))).map_err(|error| stored(&error))?;
    let bar = progress::counter("images");
    copy_images(&images, &target, &bar).await?;
    let unfinished = folder.join(UNFINISHED);
    let rows = progress::counter("rows");
    store.copy_to(&unfinished, &|count| rows.inc(count)).await?;
    rows.finish_and_clear();
    store.close().await;
    let copy = Store::open(&DatabaseAddress::Sqlite(unfinished.clone())).await?;
    copy_later_images(&copy, &images, &target, &bar).await?;
    remove_unknown(&copy, &target).await?;
    bar.finish_and_clear();
    let outcome = verify(&copy, &target, &format!("the copy is in {}", folder.display())).await?;
    copy.close().await;
    fs::File::open(&unfinished)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, folder.join(DATABASE)))
        .map_err(told)?;
    let _ = fs::remove_file(folder.join(format!("{UNFINISHED}.lock")));
    Ok(outcome)
}

/// Copies every image of a storage.
pub(super) async fn copy_images(from: &Blobs, to: &Blobs, bar: &ProgressBar) -> Result<(), CliError> {
    let copied = from.list().try_filter(|blob| std::future::ready(blob.ours)).map(|blob| async {
        // An image that was removed since it was listed is not part of the copy.
        from.copy_to(to, &blob?.name).await
    });
    let counted = copied.buffer_unordered(COPIERS).try_for_each(|copied| {
        bar.inc(copied.into());
        std::future::ready(Ok(()))
    });
    counted.await.map_err(|error| stored(&error))
}

/// Copies the images that the copied database knows and the copy does not have yet.
async fn copy_later_images(copy: &Store, from: &Blobs, to: &Blobs, bar: &ProgressBar) -> Result<(), CliError> {
    let mut after = None;
    loop {
        let page = copy.blob_rows(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.key.clone());
        for row in page.iter().filter(|row| row.complete) {
            if to.size(&row.key).await.map_err(|error| stored(&error))?.is_none() {
                let copied = from.copy_to(to, &row.key.name()).await.map_err(|error| stored(&error))?;
                bar.inc(copied.into());
            }
        }
    }
}

/// Removes the images that a database does not know.
pub(super) async fn remove_unknown(store: &Store, images: &Blobs) -> Result<(), CliError> {
    let names = images.list().try_filter(|blob| std::future::ready(blob.ours)).map_ok(|blob| blob.name);
    let mut names = std::pin::pin!(names);
    while let Some(name) = names.try_next().await.map_err(|error| stored(&error))? {
        if !store.has_blob(&name).await? {
            images.remove(&name).await.map_err(|error| stored(&error))?;
        }
    }
    Ok(())
}

/// Compares the copied database with the copied images, whose hashes are calculated, and says what was copied.
pub(super) async fn verify(store: &Store, images: &Blobs, done: &str) -> Result<ExitCode, CliError> {
    let options = CheckOptions { deep: true, repair: false };
    let checked = check(store, images, options).await.map_err(|error| CliError::Store(error.to_string()))?;
    let (images, bytes) = (counted(checked.stored, "image"), counted(checked.bytes, "byte"));
    outln!("{done}: the database, and {images} of {bytes}");
    for fault in &checked.faults {
        outln!("{fault}");
    }
    if checked.faults.is_empty() {
        outln!("checked: all is well");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

pub(super) fn stored(error: &BlobError) -> CliError {
    CliError::Store(error.to_string())
}
