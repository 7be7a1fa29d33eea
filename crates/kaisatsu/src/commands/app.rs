//! `kaisatsu app`: applications, the owners of keys.

use std::process::ExitCode;

use clap::Subcommand;
use kaisatsu_model::{ApplicationName, Email};
use kaisatsu_store::{Store, StoreError};

use super::{application, key_service, table};
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an application; prints its id
    Create {
        /// Its name
        #[arg(value_parser = ApplicationName::new)]
        name: ApplicationName,
    },
    /// List the applications
    List {
        /// As JSON, one object an application
        #[arg(long)]
        json: bool,
    },
    /// Disable an application, and with it all of its keys, within a second and on every replica
    Disable {
        /// Its name
        #[arg(value_parser = ApplicationName::new)]
        name: ApplicationName,
    },
    /// Give an application that was made on the command line to an account, which then sees it in the console
    Give {
        /// Its name
        #[arg(value_parser = ApplicationName::new)]
        name: ApplicationName,
        /// The e-mail address of the account
        #[arg(value_parser = Email::new)]
        to: Email,
    },
    /// Enable an application again
    Enable {
        /// Its name
        #[arg(value_parser = ApplicationName::new)]
        name: ApplicationName,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let service = key_service(settings).await?;
    match command {
        Command::Create { name } => outln!("{}", service.create_application(&name).await?),
        Command::List { json } => {
            let applications = service.applications().await?;
            let state = |disabled: bool| if disabled { "disabled" } else { "active" };
            if json {
                for app in applications {
                    let row = serde_json::json!({
                        "id": app.id.as_str(), "name": app.name, "state": state(app.disabled_at.is_some()),
                        "createdAt": app.created_at.to_utc(),
                    });
                    outln!("{row}");
                }
            } else {
                let rows: Vec<_> = applications
                    .into_iter()
                    .map(|app| {
                        let state = state(app.disabled_at.is_some()).to_owned();
                        [app.id.to_string(), state, app.created_at.to_utc(), app.name]
                    })
                    .collect();
                table::print(["ID", "STATE", "CREATED", "NAME"], &rows);
            }
        }
        Command::Disable { name } => {
            let app = application(&service, &name).await?;
            service.set_application_enabled(&app.id, false).await?;
            eprintln!("{name} and all of its keys are disabled");
        }
        Command::Give { name, to } => {
            let app = application(&service, &name).await?;
            let store = Store::open(&settings.database()?).await?;
            let account = store.account_by_email(&to).await?.ok_or_else(|| {
                CliError::Failed(format!("there is no account of {to}; `kaisatsu account list` lists them"))
            })?;
            store.give_application(&app.id, &account.id).await.map_err(|error| match error {
                StoreError::NotFound(_) => CliError::Failed(format!("{name} has an owner already")),
                other => other.into(),
            })?;
            eprintln!("{name} is an application of {to} now");
        }
        Command::Enable { name } => {
            let app = application(&service, &name).await?;
            service.set_application_enabled(&app.id, true).await?;
            eprintln!("{name} is enabled");
        }
    }
    Ok(ExitCode::SUCCESS)
}
