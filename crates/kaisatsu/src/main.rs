//! The binary: command line, configuration, wiring. The only place that picks implementations.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks on both")]

#[macro_use]
mod say;
mod commands;
mod exit;
mod logs;
mod mail;
mod memory;
mod settings;
mod span;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use exit::Trouble;
use settings::Settings;

/// Many small allocations for each request, on several threads: the system's allocator makes them wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One gate to two functions: a route map, and image recognition.
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
    /// Open the gate: start the server
    Serve,
    /// Make, list, replace and switch off API keys
    #[command(subcommand)]
    Key(commands::key::Command),
    /// Make, list and switch off applications, the owners of keys
    #[command(subcommand)]
    App(commands::app::Command),
    /// List, approve and disable the people of the console
    #[command(subcommand)]
    Account(commands::account::Command),
    /// List and revoke the tokens of applications' users
    #[command(subcommand)]
    Token(commands::token::Command),
    /// Check route map files, list the maps in force
    #[command(subcommand)]
    Map(commands::map::Command),
    /// List and check the models, teach new ones
    #[command(subcommand)]
    Models(commands::models::Command),
    /// Fill and list the collections of similar image search
    #[command(subcommand)]
    Collection(commands::collection::Command),
    /// Fill the catalogue of object recognition
    #[command(subcommand)]
    Catalog(commands::catalog::Command),
    /// List, export, count and take back feedback, explain what it did
    #[command(subcommand)]
    Feedback(commands::feedback::Command),
    /// Look whether all that is kept fits together: database, images, datasets
    Check(commands::check::Command),
    /// Print the settings in force, and where each comes from
    Config(commands::config::Command),
    /// Print the OpenAPI document
    Openapi(commands::openapi::Command),
}

fn main() -> ExitCode {
    memory::decide_what_is_given_back();
    match run() {
        Ok(code) => code,
        Err(trouble) => {
            eprintln!("kaisatsu: {trouble}");
            trouble.code()
        }
    }
}

fn run() -> Result<ExitCode, Trouble> {
    let (matches, origins) = settings::parse(Cli::command(), &std::env::args_os().collect::<Vec<_>>())?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| Trouble::Usage(error.to_string()))?;
    let settings = cli.settings;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Trouble::Failed(format!("the runtime does not start: {error}")))?;
    let ended = runtime.block_on(async {
        match cli.command {
            Command::Serve => commands::serve::run(&settings).await,
            Command::Key(command) => commands::key::run(command, &settings).await,
            Command::App(command) => commands::app::run(command, &settings).await,
            Command::Account(command) => commands::account::run(command, &settings).await,
            Command::Token(command) => commands::token::run(command, &settings).await,
            Command::Map(command) => commands::map::run(command, &settings),
            Command::Models(command) => commands::models::run(command, &settings),
            Command::Collection(command) => commands::collection::run(command, &settings).await,
            Command::Catalog(command) => commands::catalog::run(command, &settings).await,
            Command::Feedback(command) => commands::feedback::run(command, &settings).await,
            Command::Check(command) => commands::check::run(&command, &settings).await,
            Command::Config(command) => Ok(commands::config::run(&command, &origins)),
            Command::Openapi(command) => commands::openapi::run(&command, &settings),
        }
    });
    // Nothing that is still waiting for something may keep the program from ending.
    runtime.shutdown_background();
    ended
}
