//! `kaisatsu openapi`: the OpenAPI document that a server with these settings serves at `/openapi.json`.

use std::process::ExitCode;

use clap::Args;

use crate::{error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// Print the document of the console's own operations instead
    #[arg(long)]
    console: bool,
}

pub(crate) fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let document = if command.console {
        kaisatsu_http_console::document()
    } else {
        kaisatsu_http::openapi_document(&settings.api.route_service, settings.key_places())
    };
    let text = serde_json::to_string_pretty(&document).map_err(|error| CliError::Failed(error.to_string()))?;
    outln!("{text}");
    Ok(ExitCode::SUCCESS)
}
