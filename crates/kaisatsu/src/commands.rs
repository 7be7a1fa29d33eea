//! One file for each command.

pub(crate) mod account;
pub(crate) mod app;
pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod collection;
pub(crate) mod config;
pub(crate) mod feedback;
pub(crate) mod key;
pub(crate) mod map;
pub(crate) mod models;
pub(crate) mod openapi;
mod progress;
pub(crate) mod serve;
mod table;
pub(crate) mod token;
mod welcome;

use std::sync::Arc;

use kaisatsu_access::Keyring;
use kaisatsu_model::{Application, ApplicationName, SystemClock};
use kaisatsu_store::Store;

use crate::{exit::Trouble, settings::Settings};

/// Opens the keyring of the database that the settings name.
async fn keyring(settings: &Settings) -> Result<Keyring, Trouble> {
    let store = Store::open(&settings.database()?).await?;
    Ok(Keyring::new(store, Arc::new(SystemClock)))
}

/// The application of that name, or the sentence that there is none.
async fn application(keyring: &Keyring, name: &ApplicationName) -> Result<Application, Trouble> {
    keyring.application_named(name).await?.ok_or_else(|| {
        Trouble::Failed(format!("there is no application named '{name}'; `kaisatsu app list` lists them"))
    })
}
