//! `kaisatsu shard`: other PostgreSQL servers, on which the vectors of large collections lie.

use std::process::ExitCode;

use clap::Subcommand;
use kaisatsu_model::{Clock, SystemClock};
use kaisatsu_store::{PartState, ShardAddress, ShardError, ShardName, Store};

use super::{agreed, table};
use crate::{error::CliError, settings::Settings};

/// Where the address of a shard may come from instead of the command line, which other users of the machine can see.
const ADDRESS: &str = "KAISATSU_SHARD_ADDRESS";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Let a PostgreSQL server hold a share of the vectors of all large collections
    ///
    /// The servers move collections there while they answer; `kaisatsu shard status` says how far they are. Run again
    /// for a shard that is there, it changes address and password.
    Add {
        /// A name for it, such as `east`
        #[arg(value_parser = ShardName::new)]
        name: ShardName,
        /// postgres://USER:PASSWORD@HOST:PORT/DATABASE, as the database server reaches it [default: the value of
        /// `KAISATSU_SHARD_ADDRESS`, which other users of this machine cannot see]
        address: Option<String>,
    },
    /// List the shards, and whether each answers
    List {
        /// As JSON, one object a shard
        #[arg(long)]
        json: bool,
    },
    /// Say where the vectors of each collection in the database are, and what moves
    Status {
        /// As JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Let all collections move away from a shard, which is removed when they have
    Remove {
        /// Its name
        #[arg(value_parser = ShardName::new)]
        name: ShardName,
        /// The server is gone for good: it is not asked any more, and its share is made again from the database
        #[arg(long)]
        lost: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = Store::open(&settings.database()?).await?;
    match command {
        Command::Add { name, address } => add(&store, &name, address).await,
        Command::List { json } => list(&store, json).await,
        Command::Status { json } => status(&store, json).await,
        Command::Remove { name, lost, yes } => remove(&store, &name, lost, yes).await,
    }
}

async fn add(store: &Store, name: &ShardName, address: Option<String>) -> Result<ExitCode, CliError> {
    let address = address.or_else(|| std::env::var(ADDRESS).ok());
    let address = address.ok_or_else(|| CliError::Usage(format!("name the address of the shard, or set {ADDRESS}")))?;
    // The message does not quote the address, which has a password in it.
    let address: ShardAddress = address.parse().map_err(|error| CliError::Usage(format!("the address: {error}")))?;
    let added = store.add_shard(name, &address, SystemClock.now()).await.map_err(|error| match error {
        ShardError::Refused(words) => CliError::Failed(words),
        ShardError::Store(error) => error.into(),
    })?;
    if added {
        outln!("shard '{name}' is added; the servers move large collections, `kaisatsu shard status` says how far");
    } else {
        outln!("shard '{name}' was there; its address and password are changed");
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(store: &Store, json: bool) -> Result<ExitCode, CliError> {
    let (mut rows, mut code) = (Vec::new(), ExitCode::SUCCESS);
    for shard in store.shards().await? {
        let answer = store.ask_shard(&shard).await?;
        let (bytes, answers) = match answer {
            Ok(bytes) => (bytes.to_string(), "yes".to_owned()),
            Err(reason) => {
                code = ExitCode::FAILURE;
                (String::new(), format!("no: {reason}"))
            }
        };
        let added = shard.added_at().to_utc();
        rows.push([
            shard.name.clone(),
            shard.state().as_str().to_owned(),
            shard.address.clone(),
            bytes,
            added,
            answers,
        ]);
    }
    table::list(json, ["NAME", "STATE", "ADDRESS", "BYTES", "ADDED", "ANSWERS"], &rows);
    Ok(code)
}

async fn status(store: &Store, json: bool) -> Result<ExitCode, CliError> {
    let rows = store.vector_parts().await?.into_iter().map(|part| {
        let state = match part.state() {
            PartState::Filling => "filling",
            PartState::Answering => "answering",
            PartState::Leaving => "leaving",
        };
        let place = if part.shards.is_empty() { "this server".to_owned() } else { part.shards.join(",") };
        [part.collection, state.to_owned(), part.images.to_string(), place]
    });
    table::list(json, ["COLLECTION", "STATE", "IMAGES", "SHARDS"], &rows.collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

async fn remove(store: &Store, name: &ShardName, lost: bool, yes: bool) -> Result<ExitCode, CliError> {
    let question = if lost {
        format!("Give up what is on shard '{name}' and make it again from the database, which may take long?")
    } else {
        format!("Move everything away from shard '{name}'?")
    };
    agreed(yes, &question)?;
    if !store.leave_shard(name, lost).await? {
        return Err(CliError::Failed(format!("there is no shard '{name}'; `kaisatsu shard list` lists them")));
    }
    store.finish_shards().await?;
    if store.shards().await?.iter().any(|shard| shard.name == name.as_str()) {
        outln!("the servers move collections away from shard '{name}'; it is removed when none is left there");
    } else {
        outln!("shard '{name}' is removed; nothing was left there");
    }
    Ok(ExitCode::SUCCESS)
}
