//! `kaisatsu check`: checks that database, images and datasets are consistent.

use std::process::ExitCode;

use clap::Args;
use kaisatsu_recognition::check::{CheckOptions, check};
use kaisatsu_store::{Blobs, Store};

use super::counted::counted;
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// Read every image too, and compare it with its hash
    #[arg(long)]
    deep: bool,
    /// Remove images that the database does not know, and those that nothing refers to
    #[arg(long)]
    repair: bool,
}

pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = Store::open(&settings.existing_database()?).await?;
    let blobs = Blobs::open(&settings.blobs()?).map_err(|error| CliError::Store(error.to_string()))?;
    let ask = CheckOptions { deep: command.deep, repair: command.repair };
    let done = check(&store, &blobs, ask).await.map_err(|error| CliError::Store(error.to_string()))?;
    store.close().await;
    for fault in &done.faults {
        outln!("{fault}");
    }
    let (files, images) = (counted(done.stored, "file"), counted(done.known, "image"));
    outln!("{files} of {} in the storage, {images} in the database", counted(done.bytes, "byte"));
    if done.removed > 0 {
        outln!("{} removed", done.removed);
    }
    if done.faults.is_empty() {
        outln!("all is well");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}
