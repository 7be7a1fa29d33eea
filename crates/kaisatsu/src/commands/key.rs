//! `kaisatsu key`: API keys.
//!
//! A secret goes to standard output alone and everything else to standard error, so that `KEY=$(kaisatsu key create
//! --app NAME)` works.

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use kaisatsu_access::{AllowedPlaces, IssuedKey, KeyService, KeyTerms};
use kaisatsu_model::{ApplicationName, KeyId, KeyRecord, KeyScope, KeyState, Timestamp};

use super::{application, key_service, table};
use crate::{duration, error::CliError, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key and print it, once
    Create {
        /// The application it is for; created if there is none of that name
        #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
        app: ApplicationName,
        /// What it may do: `restricted` may recognise, search maps, give feedback and use a user's token; `standard`
        /// may also issue tokens; `operator` may also manage the catalogue and the collections over HTTP
        #[arg(long, value_name = "SCOPE", default_value_t, value_parser = KeyScope::new)]
        scope: KeyScope,
        /// Where it may be used from: origins of web pages such as `https://maps.example.org`, addresses and networks
        /// such as `10.0.0.0/8`, separated by commas [default: everywhere]
        #[arg(long, value_name = "PLACES")]
        allow: Option<AllowedPlaces>,
        /// After how long it expires: 90d, 12w [default: never]
        #[arg(long, value_name = "SPAN", value_parser = duration::parse_positive)]
        expires: Option<Duration>,
    },
    /// List the keys, without their secrets
    List {
        /// Only those of this application
        #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
        app: Option<ApplicationName>,
        /// As JSON, one object a key
        #[arg(long)]
        json: bool,
    },
    /// Disable a key, within a second and on every replica
    Disable {
        /// Its id, as `kaisatsu key list` shows it
        id: String,
    },
    /// Enable a key again
    Enable {
        /// Its id
        id: String,
    },
    /// Create the successor of a key and print it; both work until the overlap is over
    Rotate {
        /// The id of the old key
        id: String,
        /// How long the old key goes on working
        #[arg(long, value_name = "SPAN", default_value = "24h", value_parser = duration::parse)]
        overlap: Duration,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let service = key_service(settings).await?;
    match command {
        Command::Create { app, scope, allow, expires } => {
            let terms = KeyTerms { scope, allowed: allow.unwrap_or_default(), lifetime: expires };
            let key = match service.application_named(&app).await? {
                Some(found) => service.create_key_with(&found.id, terms).await?,
                None => service.create_application_with_key(&app, terms).await?,
            };
            eprintln!("key {} for application {app}; it is shown only now:", key.id);
            reveal(&key);
        }
        Command::List { app, json } => {
            let id = match app {
                Some(name) => Some(application(&service, &name).await?.id),
                None => None,
            };
            list(&service, &service.keys(id.as_ref()).await?, json);
        }
        Command::Disable { id } => {
            service.set_key_enabled(&KeyId::from_text(&id), false).await?;
            eprintln!("key {id} is disabled");
        }
        Command::Enable { id } => {
            let wanted = KeyId::from_text(&id);
            service.set_key_enabled(&wanted, true).await?;
            let now = service.now();
            match service.keys(None).await?.into_iter().find(|key| key.id == wanted).map(|key| key.state(now)) {
                Some(KeyState::Expired) => {
                    eprintln!("key {id} is enabled, but its time is over: it stays expired");
                }
                Some(KeyState::Disabled) => eprintln!("key {id} is enabled, but its application is disabled"),
                _ => eprintln!("key {id} is enabled"),
            }
        }
        Command::Rotate { id, overlap } => {
            let key = service.rotate_key(&KeyId::from_text(&id), overlap).await?;
            eprintln!("key {} replaces {id}, which works for another {overlap:?}; it is shown only now:", key.id);
            reveal(&key);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn reveal(key: &IssuedKey) {
    outln!("{}", key.secret.reveal());
}

fn list(service: &KeyService, keys: &[KeyRecord], json: bool) {
    let now = service.now();
    if json {
        for key in keys {
            let row = serde_json::json!({
                "id": key.id.as_str(), "application": key.application.name, "hint": key.hint,
                "scope": key.scope.as_str(), "state": key.state(now).to_string(), "createdAt": key.created_at.to_utc(),
                "expiresAt": key.expires_at.map(Timestamp::to_utc), "allowed": key.allowed_places,
            });
            outln!("{row}");
        }
        return;
    }
    let row = |key: &KeyRecord| {
        [
            key.id.to_string(),
            format!("…{}", key.hint),
            key.scope.to_string(),
            key.state(now).to_string(),
            key.created_at.to_utc(),
            key.expires_at.map(Timestamp::to_utc).unwrap_or_default(),
            key.allowed_places.clone().unwrap_or_default(),
            key.application.name.clone(),
        ]
    };
    table::print(
        ["ID", "KEY", "SCOPE", "STATE", "CREATED", "EXPIRES", "ALLOWED FROM", "APPLICATION"],
        &keys.iter().map(row).collect::<Vec<_>>(),
    );
}
