//! The binary: command line, configuration and wiring. Only this crate chooses implementations.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks on both")]

#[macro_use]
mod stdout;
mod allocator;
mod commands;
mod database_lock;
mod duration;
mod error;
mod logs;
mod mail;
mod process;
mod settings;
mod size;
mod traces;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use error::CliError;
use kaisatsu_vision::HeifLibrary;
use settings::Settings;

/// Requests make many small allocations on several threads, which contend in the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A server for route maps and image recognition
#[derive(Debug, Parser)]
#[command(name = "kaisatsu", version, max_term_width = 110, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten, next_help_heading = "Settings (also in a file and in the environment; see `kaisatsu config`)")]
    settings: Settings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve,
    /// Build datasets and erase what was deleted, for servers that have jobs switched off
    Worker,
    /// Create, list, rotate and disable API keys
    #[command(subcommand)]
    Key(commands::key::Command),
    /// Create, list and disable applications, the owners of keys
    #[command(subcommand)]
    App(commands::app::Command),
    /// List, approve and disable the accounts of the console
    #[command(subcommand)]
    Account(commands::account::Command),
    /// List and revoke the tokens of applications' users
    #[command(subcommand)]
    Token(commands::token::Command),
    /// Check route map files, list the maps in force
    #[command(subcommand)]
    Map(commands::map::Command),
    /// List and check the models, add and train new ones
    #[command(subcommand)]
    Models(commands::models::Command),
    /// Fill and list the collections of similar image search
    #[command(subcommand)]
    Collection(commands::collection::Command),
    /// Spread the vectors of large collections over further PostgreSQL servers
    #[command(subcommand)]
    Shard(commands::shard::Command),
    /// Fill, list and count the catalogue of object recognition
    #[command(subcommand, alias = "catalog")]
    Catalogue(commands::catalogue::Command),
    /// Write the images of users' datasets into folders
    #[command(subcommand)]
    Dataset(commands::dataset::Command),
    /// List, export, count and revoke feedback, explain what it did
    #[command(subcommand)]
    Feedback(commands::feedback::Command),
    /// Say how the servers on the database are, and what is wrong
    Status(commands::status::Command),
    /// Look for what would keep a server with these settings from working
    Doctor(commands::doctor::Command),
    /// Print what an application called, and how it ended
    Usage(commands::usage::Command),
    /// Copy the database and the images into a folder, also while the server runs
    Backup(commands::backup::Command),
    /// Copy a backup to where a server with these settings looks for its data
    Restore(commands::restore::Command),
    /// Check that database, images and datasets are consistent
    Check(commands::check::Command),
    /// Print the settings in force, and where each comes from
    Config(commands::config::Command),
    /// Offer the operations of a running server as tools to an assistant, on standard input and output
    Mcp(commands::mcp::Command),
    /// Print the OpenAPI document
    Openapi(commands::openapi::Command),
    /// Print a script that lets a shell complete commands and options
    Completions(commands::completions::Command),
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man(commands::man::Command),
}

fn main() -> ExitCode {
    allocator::configure();
    process::forbid_telemetry();
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("kaisatsu: {error}");
            error.code()
        }
    }
}

fn run() -> Result<ExitCode, CliError> {
    let (matches, origins) = settings::parse(Cli::command(), &std::env::args_os().collect::<Vec<_>>())?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| CliError::Usage(error.to_string()))?;
    let settings = cli.settings;
    // The system's own is loaded when a file needs it.
    if settings.recognition.heif != HeifLibrary::Installed {
        kaisatsu_vision::load_heif(&settings.recognition.heif).map_err(CliError::Failed)?;
    }
    // Maps, models and manual pages are for everybody.
    if !matches!(cli.command, Command::Map(_) | Command::Models(_) | Command::Man(_)) {
        process::keep_files_private();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("the runtime does not start: {error}")))?;
    let ended = runtime.block_on(async {
        match cli.command {
            Command::Serve => commands::serve::run(&settings, &origins).await,
            Command::Worker => commands::worker::run(&settings).await,
            Command::Key(command) => commands::key::run(command, &settings).await,
            Command::App(command) => commands::app::run(command, &settings).await,
            Command::Account(command) => commands::account::run(command, &settings).await,
            Command::Token(command) => commands::token::run(command, &settings).await,
            Command::Map(command) => commands::map::run(command, &settings),
            Command::Models(command) => commands::models::run(command, &settings).await,
            Command::Collection(command) => commands::collection::run(command, &settings).await,
            Command::Shard(command) => commands::shard::run(command, &settings).await,
            Command::Catalogue(command) => commands::catalogue::run(command, &settings).await,
            Command::Dataset(command) => commands::dataset::run(command, &settings).await,
            Command::Feedback(command) => commands::feedback::run(command, &settings).await,
            Command::Status(command) => commands::status::run(&command, &settings).await,
            Command::Doctor(command) => commands::doctor::run(&command, &settings).await,
            Command::Usage(command) => commands::usage::run(&command, &settings).await,
            Command::Backup(command) => commands::backup::run(&command, &settings).await,
            Command::Restore(command) => commands::restore::run(&command, &settings).await,
            Command::Check(command) => commands::check::run(&command, &settings).await,
            Command::Config(command) => Ok(commands::config::run(&command, &origins)),
            Command::Mcp(command) => commands::mcp::run(command, &settings).await,
            Command::Openapi(command) => commands::openapi::run(&command, &settings),
            Command::Completions(command) => Ok(commands::completions::run(&command, Cli::command())),
            Command::Man(command) => commands::man::run(&command, Cli::command()),
        }
    });
    // Tasks that are still waiting must not keep the process from ending.
    runtime.shutdown_background();
    ended
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::Cli;

    /// The commands below one, with what is typed for each.
    fn commands(of: &Command, typed: &str) -> Vec<(String, Command)> {
        let each = |one: &Command| {
            let typed = format!("{typed} {}", one.get_name());
            [vec![(typed.clone(), one.clone())], commands(one, &typed)].concat()
        };
        of.get_subcommands().flat_map(each).collect()
    }

    fn lacking(option: &str, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
        let has = |command: &Command| command.get_arguments().any(|one| one.get_long() == Some(option));
        let all = commands(&Cli::command(), "kaisatsu").into_iter();
        all.filter(|(typed, command)| is_meant(typed) && !has(command)).map(|(typed, _)| typed).collect()
    }

    #[test]
    fn every_listing_can_be_json() {
        let listings = ["list", "held", "totals", "count", "status", "doctor", "usage", "config"];
        let lacking = lacking("json", |typed| listings.iter().any(|name| typed.ends_with(&format!(" {name}"))));
        assert_eq!(lacking, Vec::<String>::new());
    }

    #[test]
    fn no_page_is_empty_while_more_follow() {
        for list in [&["catalogue", "list"][..], &["collection", "list", "things"]] {
            let parsed = |limit| {
                let words = [&["kaisatsu"][..], list, &["--limit", limit]].concat();
                Cli::command().try_get_matches_from(words)
            };
            assert!(parsed("1").is_ok() && parsed("0").is_err(), "{list:?}");
        }
    }

    #[test]
    fn what_removes_something_asks_or_takes_yes() {
        let removing = ["remove", "refuse", "revoke", "delete", "restore"];
        let lacking = lacking("yes", |typed| removing.iter().any(|name| typed.ends_with(&format!(" {name}"))));
        assert_eq!(lacking, Vec::<String>::new());
    }
}
