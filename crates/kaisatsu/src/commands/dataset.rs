//! `kaisatsu dataset`: users' datasets, for whoever runs the server.

use std::{fs, io::Write as _, path::PathBuf, process::ExitCode};

use clap::Subcommand;
use kaisatsu_model::DatasetId;
use kaisatsu_recognition::{DatasetFile, DatasetFiles, RecognitionError};
use kaisatsu_store::{Blobs, Store};

use super::{counted::counted, progress};
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the images of a dataset into a folder, with a folder for each tag
    ///
    /// A file has the name that its image has in the storage area, or the last part of its address. Deleted images are
    /// left out. The server may run.
    Export {
        /// The id of the dataset, as `createDataSet` answered
        id: String,
        /// The folder to make; it must not exist, or be empty
        folder: PathBuf,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let Command::Export { id, folder } = command;
    let told = |error: std::io::Error| CliError::Failed(format!("{}: {error}", folder.display()));
    let failed = |error: RecognitionError| match error {
        RecognitionError::NoSuchDataset => CliError::Failed(format!("there is no dataset '{id}'")),
        other => CliError::Failed(other.to_string()),
    };
    let store = Store::open(&settings.existing_database()?).await?;
    let blobs = Blobs::open(&settings.blobs()?).map_err(|error| CliError::Store(error.to_string()))?;
    let mut opened =
        DatasetFiles::new(store.clone(), blobs).open(None, &DatasetId::from_text(&id)).await.map_err(failed)?;
    fs::create_dir_all(&folder).map_err(told)?;
    if fs::read_dir(&folder).map_err(told)?.next().is_some() {
        return Err(CliError::Usage(format!("{} is not empty; name a new folder", folder.display())));
    }
    let bar = progress::counter("images");
    let broken_off = |error: RecognitionError| match error {
        RecognitionError::NoSuchDataset => CliError::Failed(format!(
            "dataset '{id}' was changed or deleted while it was read, so {} has not all of it; export it again into a \
             new folder",
            folder.display()
        )),
        other => CliError::Failed(other.to_string()),
    };
    while let Some(DatasetFile { path, bytes }) = opened.next().await.map_err(broken_off)? {
        let inner = folder.join(path.folder);
        // A name that is there is never written over, whatever system the folder is on.
        let write = || fs::File::create_new(inner.join(path.file)).and_then(|mut file| file.write_all(&bytes));
        fs::create_dir_all(&inner).and_then(|()| write()).map_err(told)?;
        bar.inc(1);
    }
    let count = bar.position();
    bar.finish_and_clear();
    outln!("{} of dataset '{}' in {}", counted(count, "image"), opened.name(), folder.display());
    store.close().await;
    Ok(ExitCode::SUCCESS)
}
