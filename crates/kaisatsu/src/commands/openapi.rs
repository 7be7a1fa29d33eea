//! `kaisatsu openapi`: the document that a server with these settings gives at `/openapi.json`.

use std::process::ExitCode;

use crate::{exit::Trouble, settings::Settings};

pub(crate) fn run(settings: &Settings) -> Result<ExitCode, Trouble> {
    let document = kaisatsu_http::openapi_document(&settings.route_service);
    let text = serde_json::to_string_pretty(&document).map_err(|error| Trouble::Failed(error.to_string()))?;
    say!("{text}");
    Ok(ExitCode::SUCCESS)
}
