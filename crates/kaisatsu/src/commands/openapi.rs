//! `kaisatsu openapi`: the document that a server with these settings gives at `/openapi.json`.

use std::process::ExitCode;

use clap::Args;

use crate::{exit::Trouble, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// Print what the console's own pages call instead
    #[arg(long)]
    console: bool,
}

pub(crate) fn run(command: &Command, settings: &Settings) -> Result<ExitCode, Trouble> {
    let document = if command.console {
        kaisatsu_http_console::document()
    } else {
        kaisatsu_http::openapi_document(&settings.route_service)
    };
    let text = serde_json::to_string_pretty(&document).map_err(|error| Trouble::Failed(error.to_string()))?;
    say!("{text}");
    Ok(ExitCode::SUCCESS)
}
