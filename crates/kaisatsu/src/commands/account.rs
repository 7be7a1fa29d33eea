//! `kaisatsu account`: the accounts of the console, for whoever runs the server.

use std::{net::SocketAddr, process::ExitCode, sync::Arc};

use clap::Subcommand;
use kaisatsu_access::{Account, Accounts};
use kaisatsu_model::{AccountState, Clock as _, Email, Registration, Role, SystemClock, Timestamp};
use kaisatsu_status::Replica;
use kaisatsu_store::Store;

use super::{agreed, counted::counted, table};
use crate::{
    error::CliError,
    settings::{Settings, on_this_machine},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the accounts
    List {
        /// Only those that wait for approval
        #[arg(long)]
        waiting: bool,
        /// As JSON, one object an account
        #[arg(long)]
        json: bool,
    },
    /// Create an account, whoever may register; prints a link for choosing its password
    Create {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
        /// operator or member; where there is no operator yet, the default is operator
        #[arg(long, value_parser = role)]
        role: Option<Role>,
    },
    /// Activate an account that waits for approval or was disabled
    Approve {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
    },
    /// Refuse an account that waits for approval, and delete it
    Refuse {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Disable an account, with all of its applications, within a second and on every replica
    Disable {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
    },
    /// Set the role of an account: operator or member
    Role {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
        /// operator or member
        #[arg(value_parser = role)]
        role: Role,
    },
    /// Print a link for choosing a new password
    Reset {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
    },
    /// Delete an account with everything it owns; a running server removes it within minutes
    Delete {
        /// The person's e-mail address
        #[arg(value_parser = Email::new)]
        email: Email,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Set or print who may register: open, approval or closed
    Registration {
        /// open, approval or closed
        #[arg(value_parser = registration)]
        mode: Option<Registration>,
    },
}

fn role(text: &str) -> Result<Role, String> {
    Role::from_text(text).ok_or_else(|| "must be operator or member".to_owned())
}

fn registration(text: &str) -> Result<Registration, String> {
    Registration::from_text(text).ok_or_else(|| "must be open, approval or closed".to_owned())
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = Store::open(&settings.database()?).await?;
    let url = settings.public_url(running_server(&store, settings.listen).await);
    let accounts = Accounts::new(store, Arc::new(SystemClock), settings.mailer()?, &url);
    match command {
        Command::List { waiting, json } => {
            let row = |(account, applications): (Account, i64)| {
                let never = || if json { String::new() } else { "never".to_owned() };
                let seen = account.signed_in_at.map_or_else(never, Timestamp::to_utc);
                let (role, state) = (account.role.to_string(), account.state.to_string());
                [account.email, role, state, account.created_at.to_utc(), seen, applications.to_string()]
            };
            let shown = |(account, _): &(_, _)| !waiting || is_waiting(account);
            let rows: Vec<_> = accounts.list().await?.into_iter().filter(shown).map(row).collect();
            table::list(json, ["ADDRESS", "ROLE", "STATE", "CREATED", "SIGNED IN", "APPLICATIONS"], &rows);
        }
        Command::Create { email, role } => outln!("{}", accounts.create(&email, role).await?),
        Command::Approve { email } => {
            accounts.change(&find(&accounts, &email).await?.id, Some(AccountState::Active), None).await?;
            eprintln!("{email} may sign in");
        }
        Command::Refuse { email, yes } => {
            let account = find(&accounts, &email).await?;
            if !is_waiting(&account) {
                let remedy = "`kaisatsu account disable` and `delete` are for such accounts";
                return Err(CliError::Failed(format!("{email} does not wait for approval; {remedy}")));
            }
            agreed(yes, &format!("Refuse {email}, and delete the account?"))?;
            accounts.delete_as_operator(&account.id).await?;
            eprintln!("{email} is refused");
        }
        Command::Disable { email } => {
            accounts.change(&find(&accounts, &email).await?.id, Some(AccountState::Disabled), None).await?;
            eprintln!("{email} and all of its applications are disabled");
        }
        Command::Role { email, role } => {
            accounts.change(&find(&accounts, &email).await?.id, None, Some(role)).await?;
            eprintln!("{email} is {role} now");
        }
        Command::Reset { email } => outln!("{}", accounts.reset_link(&find(&accounts, &email).await?.id).await?),
        Command::Delete { email, yes } => delete(&accounts, &email, yes).await?,
        Command::Registration { mode } => {
            if let Some(mode) = mode {
                accounts.set_registration(mode).await?;
            }
            outln!("{}", accounts.registration().await?);
        }
    }
    accounts.emails_sent().await;
    Ok(ExitCode::SUCCESS)
}

/// Where a server on this database listens, for links: the one at the address of the settings, or another.
async fn running_server(store: &Store, listen: SocketAddr) -> SocketAddr {
    let replicas = Replica::of(store, SystemClock.now()).await.unwrap_or_default();
    let alive = replicas.iter().filter(|replica| replica.alive);
    let found: Vec<SocketAddr> = alive.filter_map(|replica| replica.address.parse().ok()).collect();
    on_this_machine(if found.contains(&listen) { listen } else { found.first().copied().unwrap_or(listen) })
}

async fn delete(accounts: &Accounts, email: &Email, yes: bool) -> Result<(), CliError> {
    let id = find(accounts, email).await?.id;
    for all in accounts.contents(&id).await? {
        outln!(
            "{}: {}, {}, {}, {}, {}, {}",
            all.name,
            counted(all.keys, "key"),
            counted(all.users, "user"),
            counted(all.images, "image"),
            counted(all.datasets, "dataset"),
            counted(all.recognitions, "recognition"),
            counted(all.verdicts, "verdict")
        );
    }
    agreed(yes, &format!("Delete {email} with all of this?"))?;
    accounts.delete_as_operator(&id).await?;
    eprintln!("{email} is deleted");
    Ok(())
}

fn is_waiting(account: &Account) -> bool {
    account.state == AccountState::Waiting
}

async fn find(accounts: &Accounts, email: &Email) -> Result<Account, CliError> {
    let missing = || CliError::Failed(format!("there is no account of {email}; `kaisatsu account list` lists them"));
    let all = accounts.list().await?;
    all.into_iter().find(|(account, _)| account.email == email.as_str()).map(|(account, _)| account).ok_or_else(missing)
}
