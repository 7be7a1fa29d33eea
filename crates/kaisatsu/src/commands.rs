//! One file for each command.

pub(crate) mod account;
pub(crate) mod app;
pub(crate) mod backup;
mod banner;
pub(crate) mod catalogue;
pub(crate) mod check;
pub(crate) mod collection;
pub(crate) mod completions;
pub(crate) mod config;
mod counted;
pub(crate) mod dataset;
pub(crate) mod doctor;
pub(crate) mod feedback;
pub(crate) mod key;
pub(crate) mod man;
pub(crate) mod map;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod openapi;
mod paging;
mod parts;
mod progress;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod shard;
pub(crate) mod status;
mod stop;
mod table;
pub(crate) mod token;
pub(crate) mod usage;
pub(crate) mod worker;

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::Arc,
};

use kaisatsu_access::KeyService;
use kaisatsu_model::{Application, ApplicationName, SystemClock};
use kaisatsu_store::Store;

use crate::{error::CliError, settings::Settings};

/// Asks on a terminal whether to go on. Where nobody can be asked, the answer is no.
fn confirm(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    eprint!("{question} [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Goes on only if the person agrees, now or with `--yes`.
fn agreed(yes: bool, question: &str) -> Result<(), CliError> {
    if yes || confirm(question) {
        return Ok(());
    }
    Err(CliError::Failed("nothing was changed; --yes agrees where nobody can be asked".to_owned()))
}

/// Opens the database of the settings, and its keys.
async fn key_service(settings: &Settings) -> Result<KeyService, CliError> {
    let store = Store::open(&settings.database()?).await?;
    Ok(KeyService::new(store, Arc::new(SystemClock)))
}

/// The application of that name, or an error that there is none.
async fn application(service: &KeyService, name: &ApplicationName) -> Result<Application, CliError> {
    service.application_named(name).await?.ok_or_else(|| {
        CliError::Failed(format!("there is no application named '{name}'; `kaisatsu app list` lists them"))
    })
}
