//! `kaisatsu token`: the tokens of applications' users.

use std::process::ExitCode;

use clap::Subcommand;
use kaisatsu_model::{ApplicationName, UserId};
use kaisatsu_store::TokenHolder;

use super::{agreed, application, counted::counted, key_service, table};
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the users of an application who have valid tokens
    List {
        /// The application's name
        #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
        app: ApplicationName,
        /// As JSON, one object a user
        #[arg(long)]
        json: bool,
    },
    /// Revoke tokens, at once and on every replica
    Revoke {
        /// The application's name
        #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
        app: ApplicationName,
        /// The user, as the application names it
        #[arg(long, value_name = "ID", value_parser = UserId::new, required_unless_present = "all")]
        user: Option<UserId>,
        /// The tokens of all of its users
        #[arg(long, conflicts_with = "user")]
        all: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let service = key_service(settings).await?;
    match command {
        Command::List { app, json } => {
            let app = application(&service, &app).await?;
            let holders = service.token_holders(&app.id).await?;
            if json {
                for holder in holders {
                    let expires_at = holder.expires_at.to_utc();
                    outln!(
                        "{}",
                        serde_json::json!({"userId": holder.user, "tokens": holder.live, "expiresAt": expires_at})
                    );
                }
            } else {
                let row = |holder: TokenHolder| [holder.live.to_string(), holder.expires_at.to_utc(), holder.user];
                table::print(["TOKENS", "GOOD UNTIL", "USER"], &holders.into_iter().map(row).collect::<Vec<_>>());
            }
        }
        Command::Revoke { app, user, all: _, yes } => {
            let name = app;
            let app = application(&service, &name).await?;
            let whose = match &user {
                Some(user) => format!("user '{user}'"),
                None => format!("all users ({})", service.token_holders(&app.id).await?.len()),
            };
            agreed(yes, &format!("Revoke the tokens of {whose} of {name}?"))?;
            let revoked = service.revoke_tokens(&app.id, user.as_ref()).await?;
            outln!("{} revoked", counted(revoked, "token"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
