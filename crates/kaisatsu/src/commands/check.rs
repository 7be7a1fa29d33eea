//! `kaisatsu check`: whether all that is kept fits together.

use std::process::ExitCode;

use clap::Args;
use kaisatsu_recognition::check::{CheckOptions, check};
use kaisatsu_store::{Blobs, Store};

use crate::{exit::Trouble, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// Read every image too, and compare it with its hash
    #[arg(long)]
    deep: bool,
    /// Remove images that the database knows nothing of, and those that are nobody's
    #[arg(long)]
    repair: bool,
}

pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, Trouble> {
    let store = Store::open(&settings.database()?).await?;
    let blobs = Blobs::open(&settings.blobs()?).map_err(|error| Trouble::Store(error.to_string()))?;
    let ask = CheckOptions { deep: command.deep, repair: command.repair };
    let done = check(&store, &blobs, ask).await.map_err(|error| Trouble::Store(error.to_string()))?;
    store.close().await;
    for fault in &done.faults {
        say!("{fault}");
    }
    say!("{} files of {} bytes in the storage, {} images in the database", done.stored, done.bytes, done.known);
    if done.removed > 0 {
        say!("{} removed", done.removed);
    }
    if done.faults.is_empty() {
        say!("all is well");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}
