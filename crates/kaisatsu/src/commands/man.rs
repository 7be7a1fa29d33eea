//! `kaisatsu man`: the manual pages that packages install, one for each command.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::Args;

use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// The folder to write the pages to; it is created if it does not exist
    folder: PathBuf,
}

pub(crate) fn run(command: &Command, cli: clap::Command) -> Result<ExitCode, CliError> {
    fs::create_dir_all(&command.folder)
        .and_then(|()| clap_mangen::generate_to(cli, &command.folder))
        .map_err(|error| CliError::Failed(format!("{}: {error}", command.folder.display())))?;
    Ok(ExitCode::SUCCESS)
}
